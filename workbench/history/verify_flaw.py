"""What an audit looks at, and what it finds wanting."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is not as it should be. ``kind`` is a stable word for programs; ``hint`` a next step.

    Kinds: text (an operation's text is missing or damaged), reference (a branch, tag or object that others
    name), stray (a file that was left behind), special (a named pipe or a device among our files), conflict
    (another writer's text), claim (a trailer that cannot be true), file (a memory file that cannot be read or
    taken apart), stale (the index is behind), index and vectors (the index is not what the files say).
    """

    kind: str
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One part of an audit: what was looked at, in words with counts, and what was found."""

    name: str
    looked_at: str
    flaws: tuple[Flaw, ...] = ()
