"""The parts of what an agent sees, each read off the event loop; long readings say how far they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from screens.context import queries
from screens.context.page import ContextPage
from screens.context.sections import ContextTab
from screens.drawing.clock import today
from screens.history.history_reader import Historian
from workbench.agent.bulletin import Which
from workbench.agent.federated_search import request_of
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.search.engine import Engine

_EACH = 25
"""Files between two words about how far a reading is."""


class Answering:
    """Has two threads of its own: a long reading does not keep a message waiting."""

    def __init__(self, root: Path, engine: Engine) -> None:
        self._engine = engine
        self._reader = Historian(root)
        self._counter = Historian(root)
        self._by_words = queries.ByWords()
        self._counting = 0

    @property
    def has_meaning(self) -> bool:
        """Whether the process with the model would answer now."""
        return self._engine.ready

    async def close(self) -> None:
        """Stop reading, and end the threads."""
        self.stop()
        await asyncio.gather(asyncio.to_thread(self._reader.close), asyncio.to_thread(self._counter.close))

    def stop(self) -> None:
        """Nobody waits for a long reading any more."""
        self._counting += 1

    async def message(self, text: str, *, memory_loaded: bool) -> tuple[ContextPage, bool]:
        """What is given with a message, and whether that rests on keywords for want of the model.

        Raises what ``inject`` raises.
        """
        request = request_of(text, memory_loaded=memory_loaded, today=today())
        said = await self._engine.consult(request)
        injection = said.get("injection") if said is not None else None
        if injection is not None:
            known = injection
            return await self._reader.run(lambda place: queries.page_of(place, known, meaning=True)), False

        def by_words(place: Workspace) -> ContextPage:
            return queries.page_of(place, self._by_words.answer(place, request), meaning=False)

        return await self._reader.run(by_words), True

    async def section(self, section: ContextTab, *, memory_loaded: bool) -> ContextPage:
        """A bulletin, or what is always loaded."""

        def read(place: Workspace) -> ContextPage:
            if section is ContextTab.LOADED:
                return queries.read_loaded(place, memory_loaded=memory_loaded)
            which: Which = "memory" if section is ContextTab.MEMORY else "context"
            return queries.read_bulletin(place, which, memory_loaded=memory_loaded)

        return await self._reader.run(read)

    async def most(self, days: int, so_far: Callable[[ContextPage], object]) -> ContextPage:
        """What was given most, and what never was; ``so_far`` gets the page while files are read."""
        self.stop()
        mine = self._counting
        found, known = await self._reader.run(lambda place: queries.read_dominance(place, days))
        so_far(queries.page_so_far(found, known, 0, 0))

        def going(done: int, total: int) -> bool:
            """In the counter's thread: whether anybody still waits for it."""
            if done and done % _EACH == 0:
                so_far(queries.page_so_far(found, known, done, total))
            return self._counting == mine

        return await self._counter.run(lambda place: queries.read_never(place, found, known, going))

    async def is_pinned(self, address: str) -> bool:
        """Whether the entry at ``address`` is pinned now."""
        found = await self._reader.run(lambda place: queries.entries_at(place, [address]))
        return any(entry.pinned for entry in found.values())
