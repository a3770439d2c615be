"""What an agent is given, read: by the process that has the model, else by words in a thread of this one.

Nothing that is looked up here is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screens.context.pages import (
    SHARES,
    ContextPage,
    bulletin_page,
    dominance_page,
    loaded_page,
    message_page,
)
from screens.drawing.clock import now, today
from screens.history.history_reader import Historian
from workbench.agent.bulletin import Which, bulletin, loaded, owner_page
from workbench.agent.context import injection_from_json
from workbench.agent.search_service import SearchService
from workbench.agent.search_task import answer_to, request_of
from workbench.agent.usage import dominance, never_given
from workbench.errors import WorkbenchError
from workbench.graph.read import read_graph
from workbench.memory.entry import Entry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.search.engine import Engine

_NEVER = 300
"""Entries that are listed of those that were never given."""
_WORDS_ONLY = "keyword search only"
_EACH = 25
"""Files between two words about how far a reading is."""


class Answering:
    """Reads the parts off the event loop. Has two threads: a long reading does not keep a message waiting."""

    def __init__(self, root: Path, engine: Engine) -> None:
        self._engine = engine
        self._reader = Historian(root)
        self._counter = Historian(root)
        self._by_keyword: SearchService | None = None
        """What is searched, where the process with the model does not answer."""
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

        def read(place: Workspace) -> ContextPage:
            found = self._by_words(place, request) if injection is None else injection
            return _page_of(place, found, meaning=injection is not None)

        return await self._reader.run(read), injection is None

    async def bulletin(self, which: Which, *, memory_loaded: bool) -> ContextPage:
        """One of the bulletins."""

        def read(place: Workspace) -> ContextPage:
            graph = read_graph(place)
            owner = owner_page(place, graph)
            return bulletin_page(bulletin(graph, which, today(), memory_loaded=memory_loaded, owner=owner))

        return await self._reader.run(read)

    async def loaded(self, *, memory_loaded: bool) -> ContextPage:
        """What is always loaded."""

        def read(place: Workspace) -> ContextPage:
            found = loaded(place, today(), memory_loaded=memory_loaded)
            return loaded_page(found, place.memory_budget)

        return await self._reader.run(read)

    async def most(self, days: int, so_far: Callable[[ContextPage], object]) -> ContextPage:
        """What was given most, and what never was; ``so_far`` gets the page while files are read."""
        self.stop()
        mine = self._counting
        found = await self._reader.run(lambda place: dominance(place, now(), days))
        named = [share.entry for share in found.shares[:SHARES]]
        known = await self._reader.run(lambda place: _entries_at(place, named))
        so_far(dominance_page(found, known, (), 0, progress="looking …"))

        def going(done: int, total: int) -> bool:
            """In the counter's thread: whether anybody still waits for it."""
            if done and done % _EACH == 0:
                text = f"looking for what was never given … {done} of {total} files"
                so_far(dominance_page(found, known, (), 0, progress=text))
            return self._counting == mine

        def read(place: Workspace) -> ContextPage:
            never, count = never_given(place, found, most=_NEVER, going=going)
            return dominance_page(found, known, never, count)

        return await self._counter.run(read)

    async def is_pinned(self, address: str) -> bool:
        """Whether the entry at ``address`` is pinned now."""
        found = await self._reader.run(lambda place: _entries_at(place, [address]))
        return any(entry.pinned for entry in found.values())

    def _by_words(self, workspace: Workspace, request: Mapping[str, object]) -> dict[str, object]:
        """The injection as JSON, in the reader's thread. Raises what ``inject`` raises."""
        if self._by_keyword is None or self._by_keyword.workspace is not workspace:
            self._by_keyword = SearchService(workspace, vectors=False, today=today)
        return answer_to(self._by_keyword, request)


def _page_of(workspace: Workspace, said: Mapping[str, Any], *, meaning: bool) -> ContextPage:
    """The page of an injection that was answered as JSON. Raises KeyError, TypeError or ValueError."""
    found = injection_from_json(said)
    meaning = meaning and not any(note.endswith(_WORDS_ONLY) for note in found.notes)
    named = [line.entry for line in found.lines if not line.scope]
    named += [one.entry for one in (*found.left_out, *found.below)]
    return message_page(found, _entries_at(workspace, named), workspace.settings, meaning=meaning)


def _entries_at(workspace: Workspace, addresses: Iterable[str]) -> dict[str, Entry]:
    """Those of these entries that stand where they stood."""
    found: dict[str, Entry] = {}
    for address in addresses:
        try:
            found[address] = workspace.find(address)
        except (WorkbenchError, OSError):  # it was edited or taken out since, or is of another memory
            continue
    return found
