"""The inbox under test: opened by its key, its rows chosen by their words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from screens.drawing.safe_text import Row
from screens.review.review import ReviewScreen
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox


class Review:
    """The screen, and what a person does there."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface

    @property
    def screen(self) -> ReviewScreen:
        return next(s for s in self.interface.app.screen_stack if isinstance(s, ReviewScreen))

    @property
    def rows(self) -> list[Row]:
        return list(self.screen.list.rows)

    @property
    def behind(self) -> str:
        """What is behind the row under the cursor, as one text."""
        rows = self.screen.behind.rows
        return "\n".join(
            "".join((*(p.text for p in r.lead), r.text, *(p.text for p in r.tail))) for r in rows
        )

    def row(self, words: str) -> Row | None:
        return next((row for row in self.rows if words in row.text), None)

    def tail(self, words: str) -> str:
        row = self.row(words)
        return " ".join(part.text for part in row.tail) if row else ""

    async def choose(self, words: str) -> None:
        """Put the cursor on the first row that holds ``words``."""
        await self.interface.until(lambda: self.row(words), f"a row with {words!r}")
        self.screen.list.go(next(at for at, row in enumerate(self.rows) if words in row.text))
        await self.interface.pilot.pause()

    async def until_gone(self, words: str) -> None:
        await self.interface.until(lambda: self.row(words) is None, f"no row with {words!r}")

    async def until_behind(self, words: str) -> None:
        await self.interface.until(lambda: words in self.behind, f"{words!r} behind, not\n{self.behind}")


@asynccontextmanager
async def reviewed(sandbox: Sandbox, size: tuple[int, int] = (140, 40)) -> AsyncIterator[Review]:
    """The interface with the inbox open and read."""
    async with opened(sandbox.workspace, size) as interface:
        await interface.press("D")
        review = Review(interface)
        await interface.until(lambda: isinstance(interface.app.screen, ReviewScreen), "it is open")
        await interface.until(lambda: review.screen.list.empty != "reading …", "it was read")
        yield review
