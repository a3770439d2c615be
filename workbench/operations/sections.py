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
    """Memories of one sort: their heading, words of a person's own headings that mean it, and their cues."""

    heading: str
    words: tuple[str, ...]
    cues: re.Pattern[str]


_FAMILIES = (  # the order decides where the cues of several fit
    _Family(
        "User Preferences",
        ("preference",),
        re.compile(
            r"\b(?:prefers?|likes?|loves?|hates?|dislikes?|favou?rite|never|always|please remember"
            r"|rather than)\b",
            re.IGNORECASE,
        ),
    ),
    _Family(
        "Key Decisions",
        ("decision",),
        re.compile(
            r"\b(?:decided|agreed|chose|chosen|we'll use|let's go with|going with|switched to|settled on)\b",
            re.IGNORECASE,
        ),
    ),
    _Family(
        "Recurring Patterns",
        ("pattern", "routine", "habit"),
        re.compile(
            r"\b(?:every (?:day|week|month|morning|monday|tuesday|wednesday|thursday|friday)|weekly|daily"
            r"|usually|each (?:day|week|month|sprint))\b",
            re.IGNORECASE,
        ),
    ),
    _Family("Project Facts", ("project fact", "fact", "project"), re.compile("")),
)


def section_for(text: str, memory: Document) -> str:
    """The heading for ``text``: an existing one of its family, else the family's own."""
    return section_named(next(one.heading for one in _FAMILIES if one.cues.search(text)), memory)


def section_named(heading: str, memory: Document) -> str:
    """The heading of ``memory`` that means ``heading``, else ``heading`` itself."""
    own = [one.path[-1] for one in memory.headings if one.level > 1]
    words = (word for family in _FAMILIES if family.heading == heading for word in family.words)
    return next((name for word in words for name in own if word in name.casefold()), heading)


def require_heading(section: str | None) -> None:
    """Raise UsageError for what a person named as a heading and cannot be one."""
    if section is not None and not is_heading(section):
        raise UsageError(
            f"“{visible(section[:80], one_line=True)}” cannot be a heading",
            hint="a heading is one line of visible text without marks",
        )
