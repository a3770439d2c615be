"""The language of the search box: words, ``"phrases"``, ``-not`` and ``field:value``. Anything else is words.

    harbor "deploy key" -staging kind:log,note since:2026-03 path:research from:s91 type:decision
    trust:owner pinned:yes user:sam until:yesterday as-of:2026-03-01 -kind:dream

Nothing is an error: what cannot be understood is looked for as it stands, and a note says so. A question in
plain words, which ends with a question mark, quotes as people do: its phrases are better to have than not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from indexing.query.dates import period
from indexing.query.question import FIELDS, NONE, Filters, Question, conditions

MAX_CHARACTERS = 8_192
"""Characters of a query in which syntax is looked for; what follows is words."""

MAX_PIECES = 64
"""Phrases and words left out, each; further ones are words."""

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』＂〝〞〟", '"'))
_PIECE = re.compile(
    rf"""(?:(?<=^)|(?<=[\s(\[{{]))(?P<not>-?)(?:
        (?P<field>{"|".join(FIELDS)}|as-of):(?P<value>(?:"[^"]*"|[^\s"])*(?P<open>"[^"]*)?)(?=\s|$)
      | "(?P<phrase>[^"]+)"(?!\w)
      | (?P<word>(?<=-)[^\W\d_][^\s"]*)(?=\s|$)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_TIGHT_QUOTES = re.compile(r"[「『](?P<phrase>[^「」『』]+)[」』]")
_UNCLOSED = re.compile(r'(?:^|(?<=[\s(\[{]))-?"(?P<rest>[^"]+)$')
_ENDS = ".,;:!?…)]}'’"
_LETTERS = re.compile(r"[^\W\d_]{3,}(?:['’.@/_-]+[^\W_]+)*")
_CONNECTED = re.compile(r"[^\W\d_][^\W_]*(?:[.@/_:-]+[^\W_]+)+")
_OPERATION = re.compile(r"[0-9a-f]{4,}", re.IGNORECASE)
_QUESTION = re.compile(r"[?？؟;՞]\s*$")


@lru_cache(64)
def understand(
    text: str, today: date, *, within: Filters = NONE, prefix: bool = False, plain: bool = False
) -> Question:
    """The question in ``text``, narrowed further by ``within``; days in words are counted from ``today``.

    Kept for those who ask about the same text again. ``plain`` takes it as words, without filters or syntax.
    ``prefix`` says that somebody is typing: what is not finished is no mistake yet. A minus is no exclusion
    before fewer than three letters or before an option of a program (``rm -rf``, ``--no-verify``,
    ``-Xmx2g``): these are looked for as they stand.
    """
    if plain:
        return Question(text=text, within=within, prefix=prefix)
    head, rest = text[:MAX_CHARACTERS], text[MAX_CHARACTERS:]
    reading = _Reading(today, len(text) if prefix else -1)
    left = _TIGHT_QUOTES.sub(reading.take_phrase, head).translate(_QUOTES)
    left = _PIECE.sub(reading.take, left)
    reading.note_unclosed(left)
    left += rest
    phrases = tuple(dict.fromkeys(reading.phrases))
    asks = bool(phrases and _QUESTION.search(left) and _more_than(phrases, left))
    if asks:
        reading.notes.append("a question: entries with its quoted text come first, then others")
    return Question(
        text=left,
        phrases=() if asks else phrases,
        preferred=phrases if asks else (),
        excluded=tuple(dict.fromkeys(reading.excluded)),
        within=within.also(reading.within),
        without=reading.without,
        as_of=reading.as_of,
        notes=tuple(dict.fromkeys(reading.notes)),
        prefix=prefix and left[-1:] == text[-1:],
    )


def _more_than(phrases: tuple[str, ...], text: str) -> bool:
    for phrase in phrases:
        text = text.replace(phrase, " ")
    return bool(re.search(r"\w\w", text))


def _moment(said: str, today: date) -> str:
    """A day in words as a day in figures; anything else may be an operation."""
    days = None if _OPERATION.fullmatch(said) else period(said, today)
    return min(days.last, today).isoformat() if days else said


@dataclass(slots=True)
class _Reading:
    """Takes the pieces of a text in, one after the other; each gives what stays of it as words.

    ``typed_at`` is where somebody is typing, -1 for nowhere.
    """

    today: date
    typed_at: int
    phrases: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    within: Filters = NONE
    without: Filters = NONE
    as_of: str | None = None
    notes: list[str] = field(default_factory=list)

    def take(self, found: re.Match[str]) -> str:
        """What stays as words of this piece."""
        negative = bool(found["not"])
        if found["field"]:
            return self._take_field(found, negative)
        if found["phrase"]:
            return self._take_words(found["phrase"], found[0], self.excluded if negative else self.phrases)
        word = found["word"].rstrip(_ENDS)
        if not (_LETTERS.fullmatch(word) or _CONNECTED.fullmatch(word)):
            if len(word) > 2 and not self._unfinished(found):
                self.notes.append(f'-{word} was searched for literally; -"{word}" excludes it')
            return found[0]
        return self._take_words(word, found[0], self.excluded)

    def take_phrase(self, found: re.Match[str]) -> str:
        """A phrase in quotes that need no blanks around them."""
        return f" {self._take_words(found['phrase'], found[0], self.phrases)} "

    def note_unclosed(self, text: str) -> None:
        """The words behind a quote that is not closed: a phrase only when it is."""
        found = _UNCLOSED.search(text)
        if found and self.typed_at < 0 and " " in found["rest"].strip():
            self.notes.append(
                f"the quote before “{found['rest'][:40].strip()}” is not closed: searched as words"
            )

    def _take_words(self, words: str, whole: str, into: list[str]) -> str:
        if not words.strip():
            return whole
        if len(into) >= MAX_PIECES:
            self.notes.append(f"only the first {MAX_PIECES} phrases and excluded words were used")
            return whole if into is self.phrases else " "
        into.append(words.strip())
        return words if into is self.phrases else " "

    def _take_field(self, found: re.Match[str], negative: bool) -> str:
        name, said = found["field"].lower(), found["value"]
        unfinished = self._unfinished(found)
        if found["open"] and not unfinished:
            self.notes.append(f"the quote behind {name}: is not closed: searched as words")
            return found[0]
        nobody = name == "user" and said == '""'
        if not said.strip('", ') and name != "pinned" and not nobody:
            return " " if unfinished else found[0]  # `kind:` while it is typed; alone it is a word
        try:
            self._narrow(name, said, negative)
        except ValueError as error:
            if not unfinished:
                self.notes.append(f"{error}; searched as words")
            return " " if unfinished else found[0]
        return " "

    def _narrow(self, name: str, said: str, negative: bool) -> None:
        if negative and name in ("since", "until", "as-of"):
            raise ValueError(f"-{name}: says nothing" + _OPPOSITES.get(name, ""))
        if name == "as-of":
            self.as_of = _moment(said.replace('"', "").strip(), self.today)
            return
        found, notes = conditions(name, said, self.today)
        self.notes += notes
        if negative:
            self.without = self.without.also(found)
        else:
            self.within = self.within.also(found)

    def _unfinished(self, found: re.Match[str]) -> bool:
        return found.end() == self.typed_at


_OPPOSITES: Mapping[str, str] = {"since": ", write until:", "until": ", write since:"}
