"""The search overlay: an input line and its hits, over the panes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from screens.drawing.safe_text import EMPTY, Row, RowPart, Shown, piece, safe_piece, words
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import LanguageInput, PartsLine

_PLACEHOLDER = 'words, a question, kind:log since:2026-03 "exact words" -not'
_INVITATION = words(
    'everything in memory, as you type\n"exact words"   -not   kind:log   since:2026-03   from:sarah'
    "\nmemory as it was: as-of:2026-03-01     F1 explains"
)

_ABOVE = (
    *(
        Row(f"invitation:{number}", Shown(line), tone="faint", inert=True)
        for number, line in enumerate(_INVITATION.split("\n"))
    ),
    Row("invitation:recent", words("recent searches (also ctrl+↑ in the line)"), tone="muted", inert=True),
)


@dataclass(frozen=True, slots=True)
class Condition:
    """``corner`` for the end of the line of words, ``advice`` for the lines beneath the hits."""

    corner: RowPart
    advice: tuple[RowPart, ...] = ()


class SearchOverlay(Vertical):
    """Open or closed; it keeps what was typed and what was found either way."""

    def __init__(self) -> None:
        super().__init__(id="search")
        self.input = LanguageInput(_PLACEHOLDER)
        self.hits = EntryList(empty="", id="hits")
        self.condition = Condition(RowPart(EMPTY))
        self._status = PartsLine("search-status", right=True)
        self._meant = PartsLine("search-meant", between="   ", long=True)
        self._advice = PartsLine("search-advice", between="\n", long=True)
        self._told: tuple[RowPart, ...] = ()
        self._choices: tuple[RowPart, ...] = ()
        self.display = False

    def compose(self) -> ComposeResult:
        """The line over the hits, what it means, the hits, and what is wrong with them."""
        with Horizontal(id="search-line"):
            yield Static("/", id="search-mark", markup=False)
            yield self.input
            yield self._status
        yield self._meant
        yield self.hits
        yield self._advice

    def on_mount(self) -> None:
        """Name the frame."""
        self.entitle("Search")
        self._advice.display = False

    def entitle(self, title: str) -> None:
        """Say on the frame what is searched."""
        self.border_title = Content(title)

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return bool(self.display)

    @property
    def meant(self) -> tuple[RowPart, ...]:
        """What was understood, and what was not: the line under the words."""
        return self._meant.parts

    def open(self) -> None:
        """Show it, ready to type; what was typed before is selected, so that typing replaces it."""
        self.display = True
        self.input.select_all()

    def say(self, condition: Condition) -> None:
        """How the search is doing: at the right end of the line, and in words beneath the hits."""
        self.condition = condition
        self._status.show((condition.corner,))
        self._advice.display = bool(condition.advice)
        self._advice.show(condition.advice)

    def tell(self, chips: Sequence[RowPart], notes: Sequence[str], then: Shown | None = None) -> None:
        """What was understood of the words, and what was not; ``then`` is a moment of the past."""
        past = [piece(f"memory as of {then}: read-only", "warn")] if then else []
        known = [chip for chip in chips if not (past and chip.text.startswith("as of "))]
        self._told = (*past, *known, *(safe_piece(f"· {note}") for note in notes))
        self._meant.show(self._choices or self._told)

    def keep_offer(self, text: str) -> None:
        """Somebody typed on: what was offered stays while it may still be of use, which a blank ends."""
        if text[-1:].isspace():
            self._offer(())

    def offered(self, text: str, choices: tuple[RowPart, ...]) -> None:
        """Show what the condition at the end of ``text`` can be, unless somebody typed on."""
        if text == self.input.value:
            self._offer(choices)

    def _offer(self, choices: tuple[RowPart, ...]) -> None:
        self._choices = choices
        self._meant.show(choices or self._told)

    def invite(self, recent: Sequence[Row] = ()) -> None:
        """Nothing is typed yet: say what could be, and offer what was searched for before."""
        self._choices = ()
        self.tell((), ())
        self.show([*_ABOVE, *recent] if recent else (), _INVITATION)

    def show(self, rows: Sequence[Row], empty: Shown, *, keep: bool = False) -> None:
        """Show these hits; the cursor stays with the hit it is on, or goes to the best one."""
        self.hits.empty = empty
        top = self.hits.scroll_offset.y
        first = next((row.id for row in rows if not row.inert), None)
        self.hits.show(rows, go_to=None if keep else first)
        if keep and top == 0:
            self.hits.jump(0)  # better ones that came before it are seen, where there is room for both
            self.hits.into_view()
        self._place()

    def on_entry_list_moved(self) -> None:
        """Keep the place on the frame true."""
        self._place()

    def _place(self) -> None:
        self.border_subtitle = Content(self.hits.place)
