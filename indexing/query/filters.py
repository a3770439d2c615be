"""Which entries a question is about, whatever their words: conditions on what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date

from workbench.memory.entry import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
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
        return any(getattr(self, one.name) not in (None, frozenset()) for one in fields(self))

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
