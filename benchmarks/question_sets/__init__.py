"""Collections of questions whose answers are known: what weights are chosen on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from indexing.document import Stored


@dataclass(frozen=True, slots=True)
class Evidence:
    """What must be found: an entry with ``text`` in it or, where ``path`` is given, one with this line."""

    text: str = ""
    path: str = ""
    line: int = 0

    def stands_in(self, entry: Stored) -> bool:
        """Whether ``entry`` holds it."""
        if self.path:
            return entry.path == self.path and entry.start_line <= self.line <= entry.end_line
        return self.text in plain(entry.text)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, of what style it is, and all that must be found."""

    text: str
    style: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """Questions about the memory in ``root``, asked on the day ``today``."""

    name: str
    root: Path
    today: date
    questions: tuple[Asked, ...]


def plain(text: str) -> str:
    """``text`` on one line and in lower case: how evidence is compared."""
    return " ".join(text.split()).lower()


def missing(questions: Iterable[Asked], entries: Sequence[Stored]) -> list[str]:
    """Evidence that no entry holds: a mistake in the collection."""
    texts = [plain(entry.text) for entry in entries]
    return [
        f"{asked.text}: {one.text}"
        for asked in questions
        for one in asked.evidence
        if one.text and not any(one.text in text for text in texts)
    ]
