"""The query language of the search box, parsed: words to search for, and conditions on entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import Any

from indexing.query.dates import period, readings
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import Kind
from workbench.memory.provenance import TRUST

MAX_VALUES, MAX_VALUE = 32, 256
"""Values of one condition that are heeded, and characters of a value."""

_GROUPS_OF_TRUST = {"trusted": TRUST[:2], "untrusted": TRUST[2:]}
_YES, _NO = frozenset({"", "yes", "true", "on", "1"}), frozenset({"no", "false", "off", "0"})
_PART = re.compile(r'(?:"[^"]*"|[^,"])+')


@frozen_kw_only
class Filters:
    """Conditions: within one field any of its values, between fields all of them; empty fields ask nothing.

    They hold whatever the words. A person writes one as ``kind:log,note``; a program gives them as JSON.
    ``since`` and ``until`` are both included; an entry without a date is outside every range. ``types``,
    ``sources`` and ``paths`` are looked for within what an entry has; a path with ``*`` or ``?`` in it is a
    glob over the whole. ``users`` holds names, the empty one for entries of nobody in particular.
    """

    kinds: frozenset[Kind] = frozenset()
    since: date | None = None
    until: date | None = None
    types: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    trusts: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    pinned: bool | None = None

    def __bool__(self) -> bool:
        return self != NONE

    def also(self, other: Filters) -> Filters:
        """Both sets of conditions as one: values of a field are added, the narrower of two ranges counts."""
        return Filters(
            kinds=self.kinds | other.kinds,
            since=max((day for day in (self.since, other.since) if day), default=None),
            until=min((day for day in (self.until, other.until) if day), default=None),
            types=self.types | other.types,
            sources=self.sources | other.sources,
            paths=self.paths | other.paths,
            trusts=self.trusts | other.trusts,
            users=self.users | other.users,
            pinned=self.pinned if other.pinned is None else other.pinned,
        )


NONE = Filters()


FIELDS = {
    "kind": "kinds",
    "since": "since",
    "until": "until",
    "type": "types",
    "from": "sources",
    "path": "paths",
    "trust": "trusts",
    "pinned": "pinned",
    "user": "users",
}
"""The fields that narrow a question, each with the attribute of ``Filters`` that it sets."""


def conditions(name: str, said: str, today: date) -> tuple[Filters, list[str]]:
    """What ``name:said`` asks of an entry, and notes about what of it counts for nothing.

    ``said`` is one value or several with commas between; quotes hold blanks and commas together. Days in
    words are counted from ``today``. Raises ValueError with what is wrong.
    """
    return _meant(name, _PART.findall(said), today)


def _meant(name: str, said: Sequence[str], today: date) -> tuple[Filters, list[str]]:
    """The same of several values. Raises ValueError."""
    values = list(dict.fromkeys(filter(None, (part.replace('"', "").strip() for part in said))))
    notes = []
    if len(values) > MAX_VALUES:
        notes.append(f"{name}: has {len(values)} values; the first {MAX_VALUES} were used")
    if any(len(value) > MAX_VALUE for value in values):
        raise ValueError(f"{name}: has a value of more than {MAX_VALUE} characters")
    if name in ("since", "until"):
        for value in values:
            if len(readings(value, today)) > 1:
                notes.append(f"{name}:{value} can be two dates: the wider one was used")
    return _filters(name, values[:MAX_VALUES], today), notes


def filters_from_json(said: object, today: date) -> Filters:
    """The filters in a request, ``{"kind": ["log"], "since": "2026-03", "pinned": true}``.

    Names and values are those of the query language: each a text, several in a list, of ``pinned`` true or
    false; null and an empty list ask nothing, ``{"user": ""}`` for what is nobody's in particular. What a
    person would only be told of is refused here. Raises ValueError with what is wrong.
    """
    if not isinstance(said, Mapping):
        raise ValueError("filters must be an object")  # noqa: TRY004 - as everything else that is wrong with it
    within = Filters()
    for name, value in said.items():
        if name not in FIELDS:
            raise ValueError(
                f"there is no filter called {str(name)[:MAX_VALUE]!r}; there are {', '.join(FIELDS)}"
            )
        values = _texts(name, value)
        if values:
            found, notes = _meant(name, values, today)
            if notes or (found == Filters() and name != "pinned"):
                raise ValueError(notes[0] if notes else f"{name}: asks nothing")
            within = within.also(found)
    return within


def _texts(name: str, value: object) -> list[str]:
    if value is None:
        return []
    if name == "pinned" and isinstance(value, bool):
        return ["yes" if value else "no"]
    values = value if isinstance(value, list) else [value]
    texts = [one for one in values if isinstance(one, str)]
    if len(texts) < len(values):
        raise ValueError(f"{name} must be a text or a list of texts, not {str(value)[:MAX_VALUE]!r}")
    return texts


def _filters(name: str, values: list[str], today: date) -> Filters:
    """What the values of one field ask. Raises ValueError with what is wrong."""
    low = [value.lower() for value in values]
    meant: Any
    match name:
        case "kind":
            meant = frozenset(_chosen(name, values, list(Kind)))
        case "since":
            meant = min(_days(name, values, today))[0]
        case "until":
            meant = max(last for _, last in _days(name, values, today))
        case "trust":
            chosen = _chosen(name, values, [*TRUST, *_GROUPS_OF_TRUST])
            meant = frozenset(level for one in chosen for level in _GROUPS_OF_TRUST.get(one, (one,)))
        case "pinned":
            word = ",".join(low)
            if word not in _YES | _NO:
                raise ValueError(f"pinned:{word} must be yes or no")
            meant = word in _YES
        case "user":
            meant = frozenset(low or [""])
        case _:
            meant = frozenset(low)
    return Filters(**{FIELDS[name]: meant})


def _days(name: str, values: list[str], today: date) -> list[tuple[date, date]]:
    out = []
    for value in values:
        found = period(value, today)
        if found is None:
            raise ValueError(f"{name}:{value} is not a date (write 2026-03-14, 2026-03, yesterday or 2w)")
        out.append((found.first, found.last))
    return out


def _chosen(name: str, values: list[str], known: Sequence[str]) -> list[str]:
    """The known names that begin as each value does; a plural means the same."""
    chosen: list[str] = []
    for value in values:
        part = value.lower()
        fitting = [one for one in known if one in (part, part.removesuffix("s"))]
        fitting = fitting or [one for one in known if one.startswith(part)]
        if part.endswith("ies"):
            fitting = fitting or [one for one in known if one == part.removesuffix("ies") + "y"]
        if not fitting:
            raise ValueError(f"{name}:{value} is unknown; use one of {', '.join(known)}")
        chosen += fitting
    return chosen


class WordForm(IntEnum):
    """How an entry has the one word of a question; where there are more words, it is ABSENT in all."""

    ABSENT = 0
    RELATED = 1
    """By its stem, by its beginning while somebody is typing, or instead of one that nothing has."""

    AS_ASKED = 2
    AS_WRITTEN = 3
    """With the accents and marks that the question has, which the index does not keep."""

    OF_DAY = 4
    """It is of the day or month that the word names, whatever its own words."""


@frozen_kw_only
class Question:
    """A question in its parts.

    ``text`` is what is looked for by keyword and by vectors, phrases included, without any syntax. Each of
    ``phrases`` must stand in an entry as it is; none of ``excluded`` (words or phrases) may. ``within`` must
    hold, and nothing of ``without``. ``as_of`` names a moment of the past, a day in figures. ``preferred``
    phrases are better to have than not. ``instead`` are words that no entry has, with those looked for in
    their place. ``notes`` say what was not understood and was taken for words instead, and what was not
    found as it was said. With ``prefix``, somebody is still typing the last word. ``exact`` is the share of
    it that keywords tell better than meaning, in [0, 1]: what is said exactly (see
    ``indexing.lexical.query_rewrite``), or in scripts unknown to the model. ``days`` are words of it that
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

    ``text`` is words, ``"phrases"``, ``-not`` and ``field:value``; anything else counts as words::

        harbor "deploy key" -staging kind:log,note since:2026-03 path:research from:s91 type:decision
        trust:owner pinned:yes user:sam until:yesterday as-of:2026-03-01 -kind:dream

    Nothing is an error: a part that cannot be understood is searched for literally, and a note says so. The
    last answers are cached. ``plain`` takes all of it as words, without filters or syntax. ``prefix`` says
    that somebody is still typing, so that an unfinished part is no mistake yet. A minus excludes nothing
    before fewer than three letters or before an option of a program (``rm -rf``, ``--no-verify``,
    ``-Xmx2g``): these are searched for literally. In plain words that end with a question mark, quoted
    phrases are preferred, not required.
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
