"""Recalls: which entries an agent was given, recorded in the ledger and counted for an entry and for all.

Dreaming builds on these records, and an answer never waits or fails for one. The ledger knows entries by
address and claim, so an entry that moved, or was promoted, keeps its recalls; of questions it holds only what
tells them apart. Looking at the counts is no recall.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import datetime, timedelta

from workbench.agent.agent_text import why_withheld
from workbench.errors import WorkbenchError, reason_of
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.claims import claim_key, claim_words
from workbench.memory.clock_doubt import TOLERANCE
from workbench.memory.entry import Entry, Form, Kind, path_of
from workbench.memory.provenance import parse_instant
from workbench.workspace.workspace import Workspace

MOST = 50
"""Entries of one answer that are recorded."""
WITHIN = 30
"""Days that are looked back."""
OFFERED = frozenset({Kind.ENTITY, Kind.NOTE, Kind.CONTEXT, Kind.EPISODE, Kind.DREAM})
"""Kinds of which it is told what was never given: that most lines of a log are not, is no news."""
_DIGITS = 16
_LONGEST_NAME = 100
_FEWEST_WORDS = 2


@frozen
class GivenEntry:
    """One entry that an agent was given. ``score`` in [0, 1]."""

    entry: str
    text: str
    score: float


def query_key(query: str) -> str:
    """What a question is recorded as: case and blanks do not count, and its words cannot be read back."""
    words = " ".join(query.split()).casefold()
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def record_recalls(
    workspace: Workspace,
    given: Sequence[GivenEntry],
    *,
    query: str,
    by: str,
    now: datetime,
    user: str = "",
    session: str = "",
) -> str | None:
    """Add one answer to the ledger, in one write. Returns why that was not possible, None where it was."""
    whose = {"user": user[:_LONGEST_NAME], "session": session[:_LONGEST_NAME]}
    records = [
        {
            "query": query_key(query),
            "entry": one.entry,
            "claim": claim_key(one.text),
            "score": round(min(1.0, max(0.0, one.score)), 4),
            "by": by,
            **{name: value for name, value in whose.items() if value},
        }
        for one in given[:MOST]
    ]
    try:
        workspace.ledger.append("recalls", records, now)
    except (WorkbenchError, OSError) as error:
        return f"this recall was not recorded: {reason_of(error)}"
    return None


@frozen
class _Recall:
    """One record. ``last`` is its moment; None where it tells none that can be read."""

    entry: str
    claim: str
    query: str
    by: str
    at: str
    last: datetime | None


def _recalls(workspace: Workspace) -> Iterator[_Recall]:
    """The records of the ledger that name an entry, the oldest first."""
    for record in workspace.ledger.read("recalls"):
        said = {name: value for name, value in record.items() if isinstance(value, str)}
        if "entry" in said:
            claim, query, by, at = (said.get(name, "") for name in ("claim", "query", "by", "at"))
            yield _Recall(said["entry"], claim, query, by, at, parse_instant(at))


@frozen
class EntryUsage:
    """The recalls of an entry or a page. ``by`` are who was given it, the most frequent first."""

    times: int
    questions: int
    last: datetime | None
    by: tuple[str, ...]


class UsageIndex:
    """The ledger's recalls, read again when it changed. One thread at a time uses it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._stamp: object = None
        self._named: dict[str, list[_Recall]] = {}
        """By address, by path, and by claim: no two of these look alike."""

    def of(self, address: str, text: str = "") -> EntryUsage:
        """The recalls of the entry at ``address`` with this text; of a page where ``address`` is a path."""
        stamp = self.workspace.ledger.stamp()
        if stamp != self._stamp:
            self._named = {}
            for one in _recalls(self.workspace):
                for name in {one.entry, path_of(one.entry) or one.entry, one.claim}:
                    self._named.setdefault(name, []).append(one)
            self._stamp = stamp
        names = [address, claim_key(text)] if "#" in address and text else [address]
        return _summed(dict.fromkeys(one for name in names for one in self._named.get(name, ())))


def _summed(recalls: Iterable[_Recall]) -> EntryUsage:
    """What these recalls come to; one answer that gave several lines of a page counts once."""
    answers = {(one.at, one.query): one for one in recalls}.values()
    who = Counter(one.by for one in answers if one.by)
    return EntryUsage(
        times=len(answers),
        questions=len({one.query for one in answers if one.query}),
        last=max(filter(None, (one.last for one in answers)), default=None),
        by=tuple(sorted(who, key=lambda name: (-who[name], name))),
    )


@frozen_kw_only
class UsageShare:
    """How much of what was given is one memory.

    ``count`` answers had it, to ``questions`` different questions; ``share`` in [0, 1] is that of all.
    ``entry`` is the address it was given by last, ``last`` when. ``by`` are the ways by which it was given.
    """

    entry: str
    count: int
    questions: int
    share: float
    last: datetime | None
    by: tuple[str, ...] = ()


@frozen_kw_only
class UsageReport:
    """``answers`` were given within ``days``; ``shares`` are what was in them, the most first."""

    days: int
    answers: int
    shares: tuple[UsageShare, ...]
    known: frozenset[str] = field(default=frozenset(), repr=False)
    """What was given: the keys of claims, and addresses. No two of these look alike."""

    def has(self, entry: Entry) -> bool:
        """Whether the entry was given, where it stands or elsewhere."""
        return entry.address in self.known or claim_key(entry.text) in self.known


def dominance(workspace: Workspace, now: datetime, days: int = WITHIN) -> UsageReport:
    """Which memories dominate what was given within ``days`` before ``now``, by how many answers had them.

    A memory that is in every answer takes the room of the others. Words are one memory wherever they stand:
    an entry that was moved or promoted keeps its count. Records without a moment that can be believed are
    left out, as nobody can say when they were.
    """
    since = now - timedelta(days=days)
    told: dict[str, list[_Recall]] = {}
    answers = set()
    for one in _recalls(workspace):
        if one.last is not None and since <= one.last <= now + TOLERANCE:
            told.setdefault(one.claim or one.entry, []).append(one)
            answers.add((one.at, one.query))
    shares = []
    for recalls in told.values():
        usage = _summed(recalls)
        newest = next(one for one in reversed(recalls) if one.last == usage.last)
        shares.append(
            UsageShare(
                entry=newest.entry,
                count=usage.times,
                questions=usage.questions,
                share=round(usage.times / len(answers), 4),
                last=usage.last,
                by=usage.by,
            )
        )
    shares.sort(key=lambda one: (-one.count, -one.questions, one.entry))
    known = frozenset((*told, *(one.entry for one in shares)))
    return UsageReport(days=days, answers=len(answers), shares=tuple(shares), known=known)


def never_given(
    workspace: Workspace,
    given: UsageReport,
    *,
    most: int,
    going: Callable[[int, int], bool] = lambda done, total: True,
) -> tuple[tuple[Entry, ...], int]:
    """The first ``most`` entries that could have been given and were not, and how many there are in all.

    One that never is may be worded so that no question meets it. Files of the kinds in ``OFFERED`` are read
    one by one; ``going`` is told how far it is (files done, files in all) and answers whether to go on. What
    is never given for a reason (it is set aside, it holds a secret) is not among them.
    """
    files = [file for file in workspace.scan() if file.kind in OFFERED]
    found: list[Entry] = []
    count = 0
    for number, file in enumerate(files):
        if not going(number, len(files)):
            break
        try:
            entries = workspace.document(file.path).entries
        except (WorkbenchError, OSError):
            continue
        for entry in filter(_could_be_given, entries):
            if not given.has(entry):
                count += 1
                if len(found) < most:
                    found.append(entry)
    return tuple(found), count


def _could_be_given(entry: Entry) -> bool:
    return (
        entry.form is not Form.HEADING
        and len(claim_words(entry.text)) >= _FEWEST_WORDS
        and why_withheld(entry.path, entry.kind, entry.text, memory_loaded=True) is None
    )
