"""Under which heading of MEMORY.md a new memory belongs, when the person did not say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.memory.edit import is_heading
from workbench.memory.markdown import Document
from workbench.safety.terminal import visible


@dataclass(frozen=True, slots=True)
class _Family:
    """Memories of one sort: words that give them away, words of headings they fit, and a heading."""

    cues: re.Pattern[str]
    heading_words: tuple[str, ...]
    heading: str


def _cues(*words: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)


# The sections and cue words that dreaming uses too; the order decides where several fit.
_FAMILIES = (
    _Family(
        _cues(
            "prefers?",
            "likes?",
            "loves?",
            "hates?",
            "dislikes?",
            "favou?rite",
            "never",
            "always",
            "please remember",
            "rather than",
        ),
        ("preference",),
        "User Preferences",
    ),
    _Family(
        _cues(
            "decided",
            "agreed",
            "chose",
            "chosen",
            "we'll use",
            "let's go with",
            "going with",
            "switched to",
            "settled on",
        ),
        ("decision",),
        "Key Decisions",
    ),
    _Family(
        _cues(
            "every (?:day|week|month|morning|monday|tuesday|wednesday|thursday|friday)",
            "weekly",
            "daily",
            "usually",
            "each (?:day|week|month|sprint)",
        ),
        ("pattern", "routine", "habit"),
        "Recurring Patterns",
    ),
)
_FACTS = _Family(re.compile(""), ("project fact", "fact", "project"), "Project Facts")


def section_for(text: str, memory: Document) -> str:
    """The heading for ``text``: an existing one of its family, else the family's own."""
    family = next((f for f in _FAMILIES if f.cues.search(text)), _FACTS)
    names = [heading.path[-1] for heading in memory.headings if heading.level > 1]
    for word in family.heading_words:
        for name in names:
            if word in name.casefold():
                return name
    return family.heading


def require_heading(section: str | None) -> None:
    """Raise UsageError for what a person named as a heading and cannot be one."""
    if section is not None and not is_heading(section):
        raise UsageError(
            f"“{visible(section[:80], one_line=True)}” cannot be a heading",
            hint="a heading is one line of visible text without marks",
        )
