"""What a person typed, understood: words to look for, and conditions on where and when.

Which entries a question is about, whatever their words: conditions on what is known of them.

A person writes one as ``kind:log,note``; a program gives them as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from enum import IntEnum

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
    return FIELDS[name](values[:MAX_VALUES], today), notes


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


def _kinds(values: list[str], _: date) -> Filters:
    names = _chosen("kind", values, [str(one) for one in Kind])
    return Filters(kinds=frozenset(Kind(name) for name in names))


def _trusts(values: list[str], _: date) -> Filters:
    chosen = _chosen("trust", values, [*TRUST, *_GROUPS_OF_TRUST])
    return Filters(
        trusts=frozenset(level for name in chosen for level in _GROUPS_OF_TRUST.get(name, (name,)))
    )


def _pinned(values: list[str], _: date) -> Filters:
    word = ",".join(values).lower()
    if word not in _YES | _NO:
        raise ValueError(f"pinned:{word} must be yes or no")
    return Filters(pinned=word in _YES)


def _since(values: list[str], today: date) -> Filters:
    return Filters(since=min(_days("since", values, today))[0])


def _until(values: list[str], today: date) -> Filters:
    return Filters(until=max(last for _, last in _days("until", values, today)))


def _days(name: str, values: list[str], today: date) -> list[tuple[date, date]]:
    out = []
    for value in values:
        found = period(value, today)
        if found is None:
            raise ValueError(f"{name}:{value} is not a date (write 2026-03-14, 2026-03, yesterday or 2w)")
        out.append((found.first, found.last))
    return out


def _low(values: list[str]) -> frozenset[str]:
    return frozenset(value.lower() for value in values)


FIELDS: Mapping[str, Callable[[list[str], date], Filters]] = {
    "kind": _kinds,
    "since": _since,
    "until": _until,
    "type": lambda values, _: Filters(types=_low(values)),
    "from": lambda values, _: Filters(sources=_low(values)),
    "path": lambda values, _: Filters(paths=_low(values)),
    "trust": _trusts,
    "pinned": _pinned,
    "user": lambda values, _: Filters(users=_low(values) or frozenset({""})),
}
"""The fields that narrow a question, each with what its values mean."""


def _chosen(name: str, values: list[str], known: list[str]) -> list[str]:
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
