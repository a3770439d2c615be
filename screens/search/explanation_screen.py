"""Two pages about searching: why a hit has its place, and the language of the search box."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.events import Key

from indexing.ranking.score_part import ScorePart
from screens.actions.keys import keys_of
from screens.dialogs.dialog import ReadDialog
from screens.drawing.safe_text import Row, RowPart, Shown, Tone, piece, row_text, safe_piece, words
from screens.widgets.entry_list import ChangeList
from workbench.agent.search_update import FoundHit, SearchUpdate

_NAME, _EFFECT = 13, 11


class ExplanationScreen(ReadDialog[None]):
    """The score of the hit at ``index``, and of its neighbours one key further."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "leave"),
        ("right,l,n", "other(1)"),
        ("left,h,N", "other(-1)"),
    ]

    def __init__(self, index: int, *, left: Callable[[], None]) -> None:
        rows = ChangeList(empty="reading …", id="score-parts")
        super().__init__(rows, "explanation", "Why this hit", "← → other hits · esc closes")
        self._index = index
        self._left = left
        self._hits: tuple[FoundHit, ...] = ()

    def on_unmount(self) -> None:
        """Nobody wants scores explained any more."""
        self._left()

    def on_key(self, event: Key) -> None:
        """The key that opened it closes it too."""
        if event.key in keys_of("explain_hit"):
            event.stop()
            self.dismiss()

    def answered(self, found: SearchUpdate) -> None:
        """The hits, with the parts of their scores."""
        if any(hit.parts for hit in found.hits):  # else it is to a question that was asked before
            self._hits = found.hits
            self._show()

    def action_other(self, step: int) -> None:
        """Explain the next hit, or the one before."""
        self._index += step
        self._show()

    def _show(self) -> None:
        if not self._hits:
            return
        self._index = min(max(0, self._index), len(self._hits) - 1)
        self._frame.border_title = Content(f"Why hit {self._index + 1} of {len(self._hits)}")
        self._list.show(explanation_rows(self._hits[self._index]))


def explanation_rows(hit: FoundHit) -> list[Row]:
    """The hit, each part of its score with what it did, and how they make the score up."""
    where = safe_piece(f"{hit.path}:{hit.start_line}", "faint")
    rows = [Row("hit", row_text(hit.snippet), tail=(where,)), Row("gap", words(""), inert=True)]
    for part in hit.parts:
        did = effect(part)
        name = piece(row_text(part.name).ljust(_NAME))
        lead = (name, piece(did.text.ljust(_EFFECT), did.tone))
        rows.append(Row(part.name, row_text(part.words), lead=lead))
    rows.append(Row("sum", sum_of(hit.parts, hit.score), tone="accent"))
    return rows


def effect(part: ScorePart) -> RowPart:
    """What a part did to the score: ``+0.328``, ``×0.50``; of an order, how like an earlier hit it is."""
    if part.how == "plus":
        return piece(f"+{part.contribution:.3f}", "good" if part.contribution > 0 else "faint")
    if part.how == "times":
        tone: Tone = "good" if part.contribution > 1 else "warn" if part.contribution < 1 else "faint"
        return piece(f"×{part.contribution:.3f}", tone)
    if part.how == "first":
        return piece("above", "good")
    return piece(f"{part.value * 100:.0f} % like", "warn" if part.value > 0 else "faint")


def sum_of(parts: Sequence[ScorePart], score: float) -> Shown:
    """The score as it is made of its parts: ``0.840 = (0.328 + 0.512) × 1.120``."""
    added = [f"{part.contribution:.3f}" for part in parts if part.how == "plus" and part.contribution]
    factors = [f"{part.contribution:.3f}" for part in parts if part.how == "times"]
    said = " + ".join(added) or "0"
    if factors:
        said = f"({said})" if len(added) > 1 else said
        said = " × ".join([said, *factors])
    return words(f"{score:.3f} = {said}")


_ASKED = 27
LANGUAGE: Mapping[str, Mapping[str, str]] = {
    "What to search for": {
        "door code": "any of these words, or similar meaning; the last may be unfinished",
        '"door code"': "exactly these words, in this order",
        "-staging": "without this word; also excludes phrases and filters",
        "AKIA_KEY  err-504  10.0.0.7": "identifiers, codes and addresses, exactly as written",
    },
    "Where to look": {
        "kind:log,note": "memory log note episode entity dream context bootstrap transcript",
        "type:decision": "preference, decision, todo, fact and others",
        "from:sarah": "its source: a session, a file, a writer",
        "path:projects": "a part of the path; path:memory/2026-* the whole of it",
        "trust:owner": "its trust: owner, agent, external …, or trusted, untrusted",
        "user:sam": "the user it belongs to",
        "pinned:yes": "only pinned entries",
    },
    "When": {
        "since:2026-03": "that day, month or year, or later; also yesterday, last week",
        "until:2026-03-14": "that day or earlier",
        "as-of:2026-03-01": "memory as of the end of that day, or after an operation",
    },
}
"""What can be typed and what it means, in groups. Conditions alone list the newest entries that meet them."""


class LanguageScreen(ReadDialog[bool]):
    """The page; ends with whether the keys are wanted next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "leave"),
        ("f1,question_mark", "keys"),
        ("space", "move(10)"),
    ]

    def __init__(self) -> None:
        rows = ChangeList(id="language-rows", hanging=True)
        super().__init__(rows, "language", "How to ask", "F1 shows the keys · esc closes")

    def on_mount(self) -> None:
        """Show it."""
        self._list.show(language_rows())

    def action_keys(self) -> None:
        """On to the keys."""
        self.dismiss(True)


def language_rows() -> list[Row]:
    """The page as rows."""
    rows: list[Row] = []
    for group, asked in LANGUAGE.items():
        rows.append(Row(f"group:{group}", words(group), tone="accent", inert=True))
        for text, meaning in asked.items():
            rows.append(Row(text, words(meaning), lead=(piece(text.ljust(_ASKED), "match"),)))
    closing = "There are no syntax errors: what is not understood is searched for literally, with a note."
    rows.append(Row("closing", words(closing), tone="muted", inert=True))
    return rows
