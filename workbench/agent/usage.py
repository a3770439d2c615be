"""Which memories dominate what agents are given, by the ledger, and which were never given to anybody.

A memory that is in every answer takes the room of the others; one that never is may be worded so that no
question meets it. Both are for a person to see: nothing here is acted upon, and looking is no recall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from workbench.agent.exclusion_policy import why_withheld
from workbench.errors import WorkbenchError
from workbench.memory.claims import claim_key, claim_words
from workbench.memory.clock_doubt import TOLERANCE
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.provenance import parse_instant
from workbench.workspace import ledger
from workbench.workspace.workspace import Workspace

WITHIN = 30
"""Days that are looked back."""
OFFERED = frozenset({Kind.ENTITY, Kind.NOTE, Kind.CONTEXT, Kind.EPISODE, Kind.DREAM})
"""Kinds of which it is told what was never given: that most lines of a log are not, is no news."""
_FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How much of what was given is one memory.

    ``count`` answers had it, to ``questions`` different questions; ``share`` in [0, 1] is that of all.
    ``entry`` is the address it was given by last, ``last`` when; None where no moment is told that can be
    believed. ``by`` are the ways by which it was given.
    """

    entry: str
    count: int
    questions: int
    share: float
    last: datetime | None
    by: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """As the command line prints it."""
        return {
            "entry": self.entry,
            "count": self.count,
            "questions": self.questions,
            "share": round(self.share, 4),
            "last": self.last.isoformat() if self.last else None,
            "by": list(self.by),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance:
    """``answers`` were given within ``days``; ``shares`` are what was in them, the most first."""

    days: int
    answers: int
    shares: tuple[Share, ...]
    claims: frozenset[str] = field(default=frozenset(), repr=False)
    """The claims that were given, by their keys."""

    def as_json(self) -> dict[str, object]:
        """As the command line prints it."""
        return {
            "days": self.days,
            "answers": self.answers,
            "entries": [share.as_json() for share in self.shares],
        }


@dataclass(slots=True)
class _Tally:
    entry: str = ""
    answers: set[object] = field(default_factory=set)
    questions: set[object] = field(default_factory=set)
    last: datetime | None = None
    by: dict[str, None] = field(default_factory=dict)


def dominance(workspace: Workspace, now: datetime, days: int = WITHIN) -> Dominance:
    """What was given within ``days`` before ``now``, by how many answers had it.

    Words are one memory wherever they stand: an entry that was moved or promoted keeps its count. Records
    without a moment that can be believed are left out, as nobody can say when they were.
    """
    since = now - timedelta(days=days)
    tallies: dict[str, _Tally] = {}
    answers: set[object] = set()
    for record in ledger.read(workspace, "recalls", since=since.astimezone(UTC).date()):
        entry, at = record.get("entry"), parse_instant(record.get("at"))
        if not isinstance(entry, str) or at is None or not since <= at <= now + TOLERANCE:
            continue
        claim = record.get("claim")
        tally = tallies.setdefault(claim if isinstance(claim, str) and claim else entry, _Tally())
        query = str(record.get("query"))
        answer = (record.get("at"), query)
        answers.add(answer)
        tally.answers.add(answer)
        tally.questions.add(query)
        tally.by.setdefault(str(record.get("by") or ""), None)
        if tally.last is None or at >= tally.last:
            tally.last, tally.entry = at, entry
    shares = [
        Share(
            entry=tally.entry,
            count=len(tally.answers),
            questions=len(tally.questions),
            share=len(tally.answers) / len(answers),
            last=tally.last,
            by=tuple(filter(None, tally.by)),
        )
        for tally in tallies.values()
    ]
    shares.sort(key=lambda one: (-one.count, -one.questions, one.entry))
    return Dominance(days=days, answers=len(answers), shares=tuple(shares), claims=frozenset(tallies))


def never_given(
    workspace: Workspace,
    given: Dominance,
    *,
    most: int,
    going: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[tuple[Entry, ...], int]:
    """The first ``most`` entries that could have been given and were not, and how many there are in all.

    Files of the kinds in ``OFFERED`` are read one by one; ``going`` is told how far it is (files done, files
    in all) and answers whether to go on. What is never given for a reason (it is set aside, it holds a
    secret) is not among them.
    """
    files = [file for file in workspace.scan() if file.kind in OFFERED]
    found: list[Entry] = []
    count = 0
    known = {share.entry for share in given.shares}
    for number, file in enumerate(files):
        if not going(number, len(files)):
            break
        try:
            entries = workspace.document(file.path).entries
        except (WorkbenchError, OSError):
            continue
        for entry in _could_be_given(entries):
            if entry.address not in known and claim_key(entry.text) not in given.claims:
                count += 1
                if len(found) < most:
                    found.append(entry)
    return tuple(found), count


def _could_be_given(entries: Iterable[Entry]) -> Iterable[Entry]:
    for entry in entries:
        if entry.form is Form.HEADING or len(claim_words(entry.text)) < _FEWEST_WORDS:
            continue
        if why_withheld(entry.path, entry.kind, entry.text, memory_loaded=True) is None:
            yield entry
