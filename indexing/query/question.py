"""What a person typed, understood: words to look for, and conditions on where and when."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from indexing.query.filters import NONE, Filters


class WordForm(IntEnum):
    """How an entry has the one word of a question; where there are more words, it is ABSENT in all."""

    ABSENT = 0
    RELATED = 1
    """By its stem, by its beginning while somebody is typing, or instead of one that nothing has."""

    AS_ASKED = 2
    OF_DAY = 3
    """It is of the day or month that the word names, whatever its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question in its parts.

    ``text`` is what is looked for by keyword and by vectors, phrases included, without any syntax. Each of
    ``phrases`` must stand in an entry as it is; none of ``excluded`` (words or phrases) may. ``within`` must
    hold, and nothing of ``without``. ``as_of`` names a moment of the past, a day in figures. ``preferred``
    phrases are better to have than not. ``instead`` are words that no entry has, with those looked for in
    their place. ``notes`` say what was not understood and was taken for words instead, and what was not
    found as it was said. With ``prefix``, somebody is still typing the last word. ``exact`` is the share of
    it that is said exactly, in [0, 1]; see ``indexing.lexical.query_rewrite``. ``days`` are words of it that
    name days by today, ``last week``: entries of these days are looked for, and not the words. ``is_day``
    says that it is one word that names days: see ``indexing.query.dates.days_alone``.
    """

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    within: Filters = NONE
    without: Filters = NONE
    as_of: str | None = None
    preferred: tuple[str, ...] = ()
    instead: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()
    prefix: bool = False
    exact: float = 0.0
    days: tuple[str, ...] = ()
    is_day: bool = False

    @property
    def sought(self) -> str:
        """What is looked for by words: the text without ``days``."""
        text = self.text
        for words in self.days:
            text = text.replace(words, " ", 1)
        return text

    @property
    def meant(self) -> str:
        """What is looked for by meaning: the text, with the first of those words that stand for others."""
        text = self.text
        for word, offered in self.instead:
            text = text.replace(word, offered[0], 1)
        return text

    @property
    def lone_word(self) -> str:
        """The word where one is all that is asked for, empty otherwise and where it names a day."""
        said = self.text.split()
        return said[0] if len(said) == 1 and not self.is_day else ""

    @property
    def conditions(self) -> Question:
        """What must hold of an entry, whatever its words."""
        return Question(
            text="",
            phrases=self.phrases,
            excluded=self.excluded,
            within=self.within,
            without=self.without,
        )

    @property
    def narrows(self) -> bool:
        """Whether some entries are out of the question, whatever their words."""
        return bool(self.phrases or self.excluded or self.within or self.without)
