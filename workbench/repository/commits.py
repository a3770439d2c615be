"""Commits as git stores them, and moves of references to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.memory.names import CommitId

_LATEST_SECOND = 253_402_300_799  # the end of the year 9999


@dataclass(frozen=True, slots=True)
class ReferenceMove:
    """A reference of ours that moves from ``old`` to ``new`` (None: it is not there).

    ``aside`` is a reference under which ``old`` is kept, where that is not before ``new``.
    """

    name: str
    new: CommitId | None
    old: CommitId | None
    aside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit as it is stored. ``trailers`` are the ``Key: value`` lines of its last paragraph."""

    id: CommitId
    parents: tuple[CommitId, ...]
    tree: str
    author: str
    when: datetime
    subject: str
    message: str
    trailers: tuple[tuple[str, str], ...]
    cut_off: bool = False
    """Whether its parents are missing because the clone is shallow."""

    @property
    def operation(self) -> str:
        """The id of the operation that it records; of a plain commit the first digits of its own name."""
        return self.trailer("Operation") or self.id[:12]

    def trailer(self, key: str) -> str | None:
        """The first trailer of that key."""
        return next(iter(self.trailers_of(key)), None)

    def trailers_of(self, key: str) -> tuple[str, ...]:
        """All trailers of that key."""
        return tuple(value for name, value in self.trailers if name == key)


def parse_commit(name: CommitId, data: bytes, *, cut_off: bool) -> Commit:
    """The commit object ``data``; one that a shallow clone ends with has no parents.

    git lists commits whose author, committer or moment is missing or absurd, so they are read too.
    """
    header, _, body = data.partition(b"\n\n")
    fields: dict[str, list[str]] = {}
    for line in header.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        fields.setdefault(key, []).append(value)
    stamp = re.search(r"> (-?\d{1,18}) ", fields.get("committer", [""])[0] + " ")
    message = body.decode("utf-8", "replace")
    return Commit(
        id=name,
        parents=() if cut_off else tuple(CommitId(parent) for parent in fields.get("parent", ())),
        tree=fields["tree"][0],
        author=fields.get("author", [""])[0].rpartition(" <")[0],
        when=moment(stamp[1] if stamp else ""),
        subject=message.partition("\n")[0],
        message=message,
        trailers=_trailers(message),
        cut_off=cut_off,
    )


def moment(seconds: str) -> datetime:
    """The moment so many seconds after 1970; what is no such number, or absurd, is the nearest that is."""
    try:
        return datetime.fromtimestamp(min(max(int(seconds), 0), _LATEST_SECOND), UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _trailers(message: str) -> tuple[tuple[str, str], ...]:
    """The ``Key: value`` lines of the last paragraph, if it holds nothing else."""
    last = message.rstrip("\n").rpartition("\n\n")[2].split("\n")
    found = [re.fullmatch(r"([A-Z][A-Za-z-]*): (.*)", line) for line in last]
    return tuple((m[1], m[2]) for m in found if m) if all(found) else ()
