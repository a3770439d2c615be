"""How to ask: the language of the search box on one page."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from screens.dialogs.dialog import ReadDialog
from screens.drawing.safe_text import Row, piece, words
from screens.widgets.change_list import ChangeList

_ASKED, _NARROW = 30, 120
LANGUAGE: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "What to search for",
        (
            ("door code", "any of these words, or similar meaning; the last may be unfinished"),
            ('"door code"', "exactly these words, in this order"),
            ("-staging", "without this word; also excludes phrases and filters"),
            ("AKIA_KEY  err-504  10.0.0.7", "identifiers, codes and addresses, exactly as written"),
        ),
    ),
    (
        "Where to look",
        (
            ("kind:log,note", "memory log note episode entity dream context bootstrap transcript"),
            ("type:decision", "preference, decision, todo, fact …"),
            ("from:sarah", "its source: a session, a file, a writer"),
            ("path:projects", "a part of the path; path:memory/2026-* the whole of it"),
            ("trust:owner", "its trust: owner, agent, external …, or trusted, untrusted"),
            ("user:sam", "the user it belongs to"),
            ("pinned:yes", "only pinned entries"),
        ),
    ),
    (
        "When",
        (
            ("since:2026-03", "that day, month or year, or later; also yesterday, last week"),
            ("until:2026-03-14", "that day or earlier"),
            ("as-of:2026-03-01", "memory as of the end of that day, or after an operation"),
        ),
    ),
)
"""What can be typed and what it means, in groups. Conditions alone list the newest entries that meet them."""


class LanguageScreen(ReadDialog[bool]):
    """The page; ends with whether the keys are wanted next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "leave"),
        ("f1,question_mark", "keys"),
        ("space", "move(10)"),
    ]

    def __init__(self) -> None:
        rows = ChangeList(id="language-rows")
        super().__init__(rows, "language", words("How to ask"), words("F1 shows the keys · esc closes"))

    def on_mount(self) -> None:
        """Show it."""
        self._show()

    def on_resize(self) -> None:
        """Over one line or two, as there is room."""
        self._show()

    def _show(self) -> None:
        self._list.show(language_rows(narrow=self.size.width < _NARROW))

    def action_keys(self) -> None:
        """On to the keys."""
        self.dismiss(True)


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
                rows.append(Row(text, words(meaning), lead=(piece(text.ljust(_ASKED), "match"),)))
    closing = "There are no syntax errors: what is not understood is searched for literally, with a note."
    rows.append(Row("closing", words(closing), tone="muted", inert=True))
    return rows
