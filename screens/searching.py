"""Live search: from keystrokes to rows, the newest answer winning, old hits staying until then."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from screens.engine import Engine, Question
from screens.hits import Found, hit_rows
from screens.messages import Answered, MeaningChanged, WordsFailed
from screens.rows import Row
from screens.shown import Shown, row_text, words
from screens.widgets.search_overlay import SearchOverlay

if TYPE_CHECKING:
    from screens.main import MainScreen

DEBOUNCE_SECONDS = 0.04
_COMPACT_BELOW = 90


class Searching:
    """What was asked, what was found, and where in it the person is."""

    def __init__(self, screen: MainScreen, overlay: SearchOverlay, engine: Engine) -> None:
        self._screen = screen
        self._overlay = overlay
        self._engine = engine
        self._question = Question(0, "")
        self._shown: tuple[int, bool] = (0, False)
        self._found: Found | None = None
        self._failure = ""
        self._drawn: str | None = None
        self._answered = ""
        """The words whose hits are shown."""
        self._asked = 0
        self._meaning = "meaning is starting"
        self._building = False

    @property
    def rows(self) -> list[Row]:
        """The hits, best first."""
        return list(self._overlay.hits.rows)

    @property
    def index(self) -> int:
        """The hit under the cursor."""
        return self._overlay.hits.cursor

    def typed(self, text: str) -> None:
        """Ask, once the typing pauses for a moment."""
        if text == self._question.text:
            return
        self._drawn = None  # what is typed anew begins at its best hit
        self._question = Question(self._question.seq + 1, text)
        if not text.strip():
            self._found, self._failure = None, ""
            self._shown, self._answered = (self._question.seq, True), text
            self._overlay.show((), words("everything in memory, as you type"))
            self._say()
            self._screen.holding.release()
            return
        self._screen.work(partial(self._ask, self._question), "search", exclusive=True)

    def ask_again(self) -> None:
        """The index changed, or an engine came: ask the same once more."""
        if self._question.text.strip():
            self._question = Question(self._question.seq + 1, self._question.text)
            self._put(self._question)

    @property
    def settled(self) -> bool:
        """Whether the hits that are shown are those of the words in the box."""
        return self._answered == self._overlay.input.value

    def hurry(self) -> None:
        """Somebody waits for the answer: ask at once."""
        if not self.settled:
            self.typed(self._overlay.input.value)
            if self._question.text.strip():
                self._put(self._question)

    def answered(self, message: Answered) -> None:
        """Show an answer, unless a newer or a better one is shown already."""
        rank = (message.seq, message.final)
        if rank <= self._shown or message.seq > self._question.seq or not self._question.text.strip():
            return
        if not message.final and self._has_both(message.found.query):
            # Asked again: words alone would only take hits away until meaning has answered too.
            if self._drawn is None:
                self.draw()
        else:
            self._shown, self._found, self._failure = rank, message.found, ""
            self.draw()
        self._answered = message.found.query
        self._screen.holding.release()

    def _has_both(self, query: str) -> bool:
        return self._found is not None and self._shown[1] and self._found.query == query

    def failed(self, message: WordsFailed) -> None:
        """Say why there are no words; the hits that are shown stay."""
        if message.seq == self._question.seq:
            self._failure = message.reason
            self._say()

    def meaning(self, message: MeaningChanged) -> None:
        """The meaning half came or went."""
        self._meaning = "" if message.ready else message.reason
        if message.ready and self._overlay.is_open:
            self.ask_again()
        self._say()

    def building(self, *, under_way: bool) -> None:
        """Whether the index is being brought up to date."""
        self._building = under_way
        self._say()

    def draw(self) -> None:
        """Show the hits as there is room for them."""
        if self._found is not None:
            rows = hit_rows(self._found, compact=self._screen.size.width < _COMPACT_BELOW)
            chosen = self._drawn == self._found.query and self._overlay.hits.cursor > 0
            self._drawn = self._found.query
            self._overlay.show(rows, words("nothing found"), keep=chosen)
        self._say()

    @property
    def status(self) -> Shown:
        """How the search is doing: which halves answered, and what is missing and why."""
        if self._failure:
            text = "the index is being built" if self._building else self._failure
            return row_text(text)
        parts = [self._found.sides if self._found else "words" if self._meaning else "words + meaning"]
        if self._found and self._found.degraded and not (self._meaning or self._building):
            parts.append(self._found.degraded)
        if self._meaning and parts[0] == "words":
            parts.append(self._meaning)
        if self._found and self._found.stale:
            parts.append("catching up" if self._building else _behind(self._found.stale))
        return row_text(" · ".join(parts))

    async def _ask(self, question: Question) -> None:
        await asyncio.sleep(DEBOUNCE_SECONDS)
        self._put(question)

    def _put(self, question: Question) -> None:
        if question.seq > self._asked:
            self._asked = question.seq
            self._engine.ask(question)

    def _say(self) -> None:
        self._overlay.say(self.status)


def _behind(stale: str) -> str:
    """How far the index is behind, in short: there is little room, and it follows by itself."""
    return stale.partition(";")[0].replace(" among the hits", "")
