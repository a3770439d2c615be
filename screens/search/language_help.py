"""How to ask: the language of the search box on one page."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from screens.dialogs.dialog import Dialog
from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import words
from screens.widgets.change_list import ChangeList

_ASKED, _NARROW = 30, 120
LANGUAGE: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "What to look for",
        (
            ("door code", "any of the words, or what means the same; the last may be unfinished"),
            ('"door code"', "these words as they stand, one after the other"),
            ("-staging", "no entry with this word; a phrase and a condition can be left out too"),
            ("AKIA_KEY  err-504  10.0.0.7", "identifiers, codes and addresses are found as they are written"),
        ),
    ),
    (
        "Where to look",
        (
            ("kind:log,note", "memory log note episode entity dream context bootstrap transcript"),
            ("type:decision", "a sort of typed memory: preference, decision, todo, fact …"),
            ("from:sarah", "what it came from: a session, a file, a writer"),
            ("path:projects", "a part of the path; path:memory/2026-* the whole of it"),
            ("trust:owner", "whose words it is: owner, agent, external …, or trusted, untrusted"),
            ("user:sam", "whose memory it is"),
            ("pinned:yes", "only what is pinned"),
        ),
    ),
    (
        "When",
        (
            ("since:2026-03", "of that day, month or year, or later; also yesterday, last week"),
            ("until:2026-03-14", "of that day or earlier"),
            ("as-of:2026-03-01", "in memory as it was at the end of that day, or after an operation"),
        ),
    ),
)
"""What can be typed and what it means, in groups. Conditions alone list the newest entries that meet them."""


class LanguageScreen(Dialog[bool]):
    """The page; ends with whether the keys are wanted next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,enter,q", "close(False)"),
        ("f1,question_mark", "close(True)"),
        ("down,j", "move(1)"),
        ("up,k", "move(-1)"),
        ("pagedown,space", "move(10)"),
        ("pageup", "move(-10)"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._list = ChangeList(id="language-rows")

    def compose(self) -> ComposeResult:
        """A frame with the page."""
        with Vertical(id="language") as frame:
            frame.border_title = Content("How to ask")
            frame.border_subtitle = Content("F1 shows the keys · esc closes")
            yield self._list

    def on_mount(self) -> None:
        """Show it."""
        self._show()
        self._list.focus()

    def on_resize(self) -> None:
        """Over one line or two, as there is room."""
        self._show()

    def _show(self) -> None:
        self._list.show(language_rows(narrow=self.size.width < _NARROW))

    def action_move(self, steps: int) -> None:
        """Look further down, or up."""
        self._list.move(steps)

    def action_close(self, keys: bool) -> None:
        """Back to the box, or on to the keys."""
        self.dismiss(keys)


def language_rows(*, narrow: bool) -> list[Row]:
    """The page as rows; ``narrow`` gives each explanation rows of its own."""
    rows: list[Row] = []
    for group, asked in LANGUAGE:
        rows.append(Row(f"group:{group}", words(group), tone="accent", inert=True))
        for text, meaning in asked:
            if narrow:
                rows.append(Row(text, words(text), tone="match"))
                rows.append(Row(f"{text}/", words(meaning), tone="muted", depth=1, inert=True))
            else:
                rows.append(Row(text, words(meaning), lead=(RowPart(words(text.ljust(_ASKED)), "match"),)))
    closing = "Nothing is an error: what is not understood is searched for literally, with a note."
    rows.append(Row("closing", words(closing), tone="muted", inert=True))
    return rows
