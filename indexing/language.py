"""The language of the search box: words, ``"phrases"``, ``-not`` and ``field:value``. Anything else is words.

    harbor "deploy key" -staging kind:log,note since:2026-03 path:research from:s91 type:decision
    trust:owner pinned:yes user:sam until:yesterday as-of:2026-03-01 -kind:dream

Nothing is an error: what cannot be understood is looked for as it stands, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from indexing.dates import period
from indexing.filters import NONE, Filters
from indexing.question import Question
from workbench.memory.entry import Kind
from workbench.memory.provenance import TRUST

_GROUPS_OF_TRUST = {"trusted": TRUST[:2], "untrusted": TRUST[2:]}
_YES, _NO = frozenset({"", "yes", "true", "on", "1"}), frozenset({"no", "false", "off", "0"})
_PIECE = re.compile(
    r"""(?<!\S)(?P<not>-?)(?:
        (?P<field>kind|since|until|as-of|type|from|path|trust|pinned|user):
            (?:"(?P<quoted>[^"]*)"|(?P<value>[^\s"]*))
      | ["“”](?P<phrase>[^"“”]+)["“”]
      | (?P<word>(?<=-)[^\W\d_][\w.@/:-]{2,})
    )(?!\S)""",
    re.VERBOSE | re.IGNORECASE,
)


def understand(
    text: str, today: date, *, within: Filters = NONE, prefix: bool = False, plain: bool = False
) -> Question:
    """The question in ``text``, narrowed further by ``within``; days in words are counted from ``today``.

    ``plain`` takes the text as words alone. A minus before fewer than three letters is no exclusion:
    ``rm -rf`` is looked for as it stands.
    """
    if plain:
        return Question(text=text, within=within, prefix=prefix)
    reading = _Reading(today)
    left = _PIECE.sub(lambda found: reading.take(found, prefix and found.end() == len(text)), text)
    return Question(
        text=left,
        phrases=tuple(reading.phrases),
        excluded=tuple(reading.excluded),
        within=within.also(reading.within),
        without=reading.without,
        as_of=reading.as_of,
        notes=tuple(reading.notes),
        prefix=prefix and left[-1:] == text[-1:],
    )


@dataclass(slots=True)
class _Reading:
    """Takes the pieces of a text in, one after the other; each gives what stays of it as words."""

    today: date
    phrases: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    within: Filters = NONE
    without: Filters = NONE
    as_of: str | None = None
    notes: list[str] = field(default_factory=list)

    def take(self, found: re.Match[str], unfinished: bool) -> str:
        """What stays as words of this piece; ``unfinished`` says that somebody is typing it."""
        negative = bool(found["not"])
        if found["field"]:
            return self._take_field(found, negative, unfinished)
        words = found["phrase"] or found["word"]
        if negative:
            self.excluded.append(words)
            return " "
        self.phrases.append(words)
        return words

    def _take_field(self, found: re.Match[str], negative: bool, unfinished: bool) -> str:
        name = found["field"].lower()
        value = (found["quoted"] if found["quoted"] is not None else found["value"]).strip()
        if not value and name != "pinned":
            return " " if unfinished else found[0]  # `kind:` while it is typed; alone it is a word
        try:
            self._narrow(name, value, negative)
        except ValueError as error:
            if not unfinished:
                self.notes.append(str(error))
            return " " if unfinished else found[0]
        return " "

    def _narrow(self, name: str, value: str, negative: bool) -> None:
        if name == "as-of":
            if negative:
                raise ValueError("-as-of: says nothing; looked for as words")
            self.as_of = value
            return
        conditions = _READ[name](value, self.today)
        if negative:
            if name in ("since", "until"):
                raise ValueError(f"-{name}: says nothing, write {'until' if name == 'since' else 'since'}:")
            self.without = self.without.also(conditions)
        else:
            self.within = self.within.also(conditions)


def _kinds(value: str, _: date) -> Filters:
    known = tuple(Kind)
    return Filters(
        kinds=frozenset(Kind(name) for name in _chosen("kind", value, [str(one) for one in known]))
    )


def _trusts(value: str, _: date) -> Filters:
    names = [*TRUST, *_GROUPS_OF_TRUST]
    chosen = _chosen("trust", value, names)
    return Filters(
        trusts=frozenset(level for name in chosen for level in _GROUPS_OF_TRUST.get(name, (name,)))
    )


def _pinned(value: str, _: date) -> Filters:
    word = value.lower()
    if word not in _YES | _NO:
        raise ValueError(f"pinned:{value} is neither yes nor no; looked for as words")
    return Filters(pinned=word in _YES)


def _since(value: str, today: date) -> Filters:
    return Filters(since=_day("since", value, today)[0])


def _until(value: str, today: date) -> Filters:
    return Filters(until=_day("until", value, today)[1])


def _day(name: str, value: str, today: date) -> tuple[date, date]:
    found = period(value, today)
    if found is None:
        raise ValueError(
            f"{name}:{value} is no day; looked for as words (write 2026-03-14, 2026-03 or yesterday)"
        )
    return found.first, found.last


def _values(value: str) -> frozenset[str]:
    return frozenset(part for part in (one.strip().lower() for one in value.split(",")) if part)


_READ: Mapping[str, Callable[[str, date], Filters]] = {
    "kind": _kinds,
    "since": _since,
    "until": _until,
    "type": lambda value, _: Filters(types=_values(value)),
    "from": lambda value, _: Filters(sources=_values(value)),
    "path": lambda value, _: Filters(paths=_values(value)),
    "trust": _trusts,
    "pinned": _pinned,
    "user": lambda value, _: Filters(users=_values(value)),
}


def _chosen(name: str, value: str, known: list[str]) -> list[str]:
    """The known names that begin as each part of ``value`` does; a plural means the same."""
    chosen: list[str] = []
    for part in _values(value):
        fitting = [one for one in known if one == part] or [
            one for one in known if one.startswith(part) or one == part.removesuffix("s")
        ]
        if not fitting:
            raise ValueError(f"{name}:{part} is unknown, looked for as words; there are {', '.join(known)}")
        chosen += fitting
    return chosen
