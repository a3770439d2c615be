"""The inbox: proposals are added once, and wait for a person until they are decided, replaced or stale.

The ledger is the only state of our own proposals; those of other agents wait in their queues
(``agent_queues``).
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from workbench.dreaming.proposals.agent_queues import QueuedProposal, queued_in
from workbench.dreaming.proposals.safety_flags import flags_of
from workbench.errors import NotMemoryError, UsageError, WorkbenchError, disk_error
from workbench.frozen import frozen, frozen_kw_only
from workbench.graph.drafts import excerpt
from workbench.memory.entry import is_outside, path_of
from workbench.memory.markdown import Document
from workbench.memory.proposal import Proposal, proposal_from_json
from workbench.workspace.decisions import (
    Decided,
    Decisions,
    Name,
    family_of,
    name_of,
    near_key,
    near_of,
    read_decisions,
)
from workbench.workspace.ledger import LONGEST
from workbench.workspace.workspace import Workspace

SHORTEST_KEY = 4
"""Digits of a proposal's key that must be given at least."""
REMEMBERED = "already in long-term memory"
_REPLACED = "replaced"
_BY = "dreaming"
_NEVER = datetime.min.replace(tzinfo=UTC)
_SAME = ("action", "section", "target", "type", "trust", "marks")
"""What makes a proposal of the same claim worth saying again."""


@frozen_kw_only
class PendingProposal:
    """A proposal that nothing final was decided of.

    ``stale`` says why it cannot be accepted any more, ``until`` the day up to which it is deferred.
    ``proposed`` counts how often it stands in the ledger. ``gone`` are its source entries that are not there.
    ``malformed``: it waits in the queue of another agent, and cannot be read.
    """

    proposal: Proposal
    stale: str = ""
    until: date | None = None
    proposed: int = 1
    gone: tuple[str, ...] = ()
    malformed: bool = False

    def hidden(self, now: datetime) -> bool:
        """Whether it is not to be shown before its day."""
        return self.until is not None and now.date() < self.until


@frozen_kw_only
class Proposed:
    """What became of proposals: added, waiting already (as they wait), or left out, each with why.

    ``replaced`` waited until then, and do so no more.
    """

    added: tuple[Proposal, ...] = ()
    waiting: tuple[Proposal, ...] = ()
    left_out: tuple[tuple[Proposal, str], ...] = ()
    replaced: tuple[Proposal, ...] = ()


def propose(
    workspace: Workspace, proposals: Sequence[Proposal], now: datetime, *, replaces: bool = False
) -> Proposed:
    """Let proposals wait for a person, in one write to the ledger.

    What waits already just so is not added again. Left out is what is deferred, what was rejected or accepted
    before, in nearly the same words too, and what long-term memory says already.

    With ``replaces`` these are all that a dream proposes. They take the place of what earlier ones proposed
    and nobody has deferred, so that what waits is what is best by now; a dream that proposes nothing takes
    the place of nothing. The ledger says of a proposal that it is replaced, until it is proposed again.
    Raises ReadOnlyError, WriteFailedError.
    """
    book = read_book(workspace)
    waits = {name_of(w.proposal): w for w in waiting(workspace, now, book=book)}
    near = {(name_of(w.proposal)[0], near_of(w.proposal)): w for w in waits.values()}
    added: dict[Name, Proposal] = {}
    again: dict[Name, Proposal] = {}
    left_out: list[tuple[Proposal, str]] = []
    for proposal in proposals:
        name = name_of(proposal)
        here = waits.get(name) or near.get((name[0], near_of(proposal)))
        if why := book.why_closed(proposal):
            left_out.append((proposal, why))
        elif len(json.dumps(proposal.as_json())) > LONGEST:
            left_out.append((proposal, "too long for a record of the ledger"))
        elif name in added:
            left_out.append((proposal, "proposed twice in the same run"))
        elif here is not None and here.hidden(now):
            left_out.append((proposal, f"deferred until {here.until}"))
        elif here is not None and not here.stale and not _is_news(here.proposal, proposal):
            again[name_of(here.proposal)] = here.proposal
        else:
            added[name] = proposal if proposal.made_at else replace(proposal, made_at=now)
    replaced = [
        one.proposal
        for name, one in waits.items()
        if replaces and proposals and one.proposal.by == _BY and one.until is None
        if name not in added and name not in again
    ]
    records = [
        {"key": one.key, "action": one.action, _REPLACED: True, "run": proposals[0].run} for one in replaced
    ]
    records += [proposal.as_json() for proposal in added.values()]
    try:
        workspace.ledger.append("proposals", records, now)
        workspace.ledger.fold()
    except OSError as error:
        raise disk_error(error) from error
    return Proposed(
        added=tuple(added.values()),
        waiting=tuple(again.values()),
        left_out=tuple(left_out),
        replaced=tuple(replaced),
    )


def pending(workspace: Workspace, now: datetime) -> tuple[Proposal, ...]:
    """The proposals that can be decided on now: neither deferred nor stale, in the order of ``waiting``."""
    return tuple(w.proposal for w in waiting(workspace, now) if not w.stale and not w.hidden(now))


def waiting(
    workspace: Workspace, now: datetime, *, book: Book | None = None, keys: tuple[str, ...] = ("",)
) -> tuple[PendingProposal, ...]:
    """All proposals without a final decision in the ledger, in their newest wording: the oldest run first.

    Those of a run that keep a claim, change one or let one go are together, the best score of each first.
    Undoing the operation that wrote a decision makes its proposal wait again. A proposal in an agent's queue
    that says the same as another one waits, and is decided, with it. ``keys`` are beginnings of keys: only
    those that start so are looked at.

    What long-term memory says by now, because a person wrote it there by hand, is settled and no longer among
    them, unless it stands in the queue of another agent. Where a target or all sources are gone, ``stale``
    says so.
    """
    book = book or read_book(workspace)
    is_there = _present_in(workspace)
    out = []
    for name, (proposal, count) in book.proposals.items():
        if not proposal.key.startswith(keys):
            continue
        queued = book.queued.get(name, ())
        over = book.decisions.closed(name, count) or name in book.replaced or book.is_remembered(proposal)
        if over and not queued:
            continue
        decision = book.decisions.newest.get(name)
        stale, gone = _why_stale(proposal, is_there)
        own = next((item for item in queued[:1] if item.proposal == proposal), None)
        if queued:
            stale = (own and own.refusal) or book.why_closed(proposal) or stale
        out.append(
            PendingProposal(
                proposal=proposal,
                stale=stale,
                until=decision.until if decision and decision.decision == "deferred" else None,
                proposed=count,
                gone=gone,
                malformed=own is not None and own.malformed,
            )
        )
    kinds = list(dict.fromkeys(_kind(proposal) for proposal, _ in book.proposals.values()))
    return tuple(sorted(out, key=lambda one: (kinds.index(_kind(one.proposal)), -one.proposal.score)))


def _kind(proposal: Proposal) -> tuple[str, str, str]:
    """What scores are compared within: who proposed it, and whether it keeps a claim or lets one go."""
    return proposal.run, proposal.by, family_of(proposal.action)


def find_all(
    workspace: Workspace, keys: Sequence[str], now: datetime, *, book: Book | None = None
) -> tuple[PendingProposal, ...]:
    """The waiting proposals that ``keys`` name, each once, in the order of naming. Raises UsageError.

    A key names the proposal whose key starts so; a whole key counts at once. ``key/action`` tells two apart
    that are about the same words.
    """
    book = book or read_book(workspace)
    beginnings = tuple(_beginning(key) for key in keys)
    waits = {name_of(w.proposal): w for w in waiting(workspace, now, book=book, keys=beginnings)}
    found: dict[Name, PendingProposal] = {}
    for key in keys:
        hits = named([one.proposal for one in waits.values()], key)
        if len(hits) != 1:
            raise _unknown(book, key, hits)
        found[name_of(hits[0])] = waits[name_of(hits[0])]
    return tuple(found.values())


def named(proposals: Iterable[Proposal], key: str) -> list[Proposal]:
    """The proposals that ``key`` names: those that have it, else those whose key begins so.

    ``key/action`` are only those of an action.
    """
    wanted, _, action = key.strip().casefold().partition("/")
    fits = [one for one in proposals if not action or one.action == action]
    hits = [one for one in fits if one.key == wanted]
    if not hits and len(wanted) >= SHORTEST_KEY:
        hits = [one for one in fits if one.key.startswith(wanted)]
    return hits


def _unknown(book: Book, key: str, hits: Sequence[Proposal]) -> UsageError:
    """Why a key does not name one proposal that waits."""
    if hits:
        fits = ", ".join(f"{one.key}/{one.action}" for one in hits[:5])
        return UsageError(f"{key} matches several proposals", hint=f"give more of the key: {fits}")
    wanted = _beginning(key)
    what = f"there is no pending proposal {key}"
    decided = next((one for name, one in book.decisions.newest.items() if name[1].startswith(wanted)), None)
    if len(wanted) < SHORTEST_KEY:
        what = f"{key or 'an empty key'} is too short"
        hint = f"give {SHORTEST_KEY} or more digits of its key"
    elif any(name[1].startswith(wanted) for name in book.replaced):
        what = f"proposal {key} is no longer pending"
        hint = "a later dream did not propose it again; `workbench dream --explain KEY` says why"
    elif decided is None:
        hint = "`workbench inbox list` lists the pending ones"
    else:
        if known := book.proposals.get(decided.name):
            what = f"“{excerpt(known[0].text)}” is no longer pending"
        hint = f"it was {decided.said}; `workbench undo` undoes that decision"
    return UsageError(what, hint=hint)


def _beginning(key: str) -> str:
    """What a person gave of a key, without the action."""
    return key.strip().casefold().partition("/")[0]


@frozen
class Book:
    """All proposals, each in its newest wording with how often it was proposed, and decisions.

    ``replaced`` are the names of those that a later dream did not propose again; ``queued`` is what of each
    waits in queues of other agents; ``remembered`` are the claims of long-term memory, by ``near_key``.
    """

    proposals: Mapping[Name, tuple[Proposal, int]]
    decisions: Decisions
    replaced: frozenset[Name]
    queued: Mapping[Name, tuple[QueuedProposal, ...]]
    remembered: frozenset[str]

    def is_remembered(self, proposal: Proposal) -> bool:
        """Whether long-term memory says by now what it would add there."""
        adds = proposal.action in ("add", "merge", "supersede")
        return adds and near_key(proposal.text) in self.remembered

    def why_closed(self, proposal: Proposal) -> str | None:
        """Why nothing is left to decide of it: a decision, or long-term memory that says it by now."""
        return self.decisions.why_not(proposal) or (REMEMBERED if self.is_remembered(proposal) else None)

    def queued_as(self, proposal: Proposal) -> tuple[QueuedProposal, ...]:
        """What of it waits in queues of other agents."""
        return self.queued.get(name_of(proposal), ())

    def count(self, proposal: Proposal) -> int:
        """How often it was proposed."""
        return self.proposals.get(name_of(proposal), (proposal, 0))[1]


def read_book(workspace: Workspace) -> Book:
    """All that was proposed and decided. Lines that are neither are passed over."""
    newest: dict[Name, tuple[Proposal, int]] = {}
    replaced: set[Name] = set()
    for record in workspace.ledger.read("proposals"):
        if record.get(_REPLACED) is True:
            replaced.add((family_of(str(record.get("action"))), str(record.get("key"))))
            continue
        with contextlib.suppress(ValueError):
            proposal = proposal_from_json(record)
            name = name_of(proposal)
            newest[name] = (proposal, newest[name][1] + 1 if name in newest else 1)
            replaced.discard(name)
    decisions = read_decisions(workspace)
    near = {(name[0], near_of(one)): name for name, (one, _) in newest.items() if name not in replaced}
    queued: dict[Name, tuple[QueuedProposal, ...]] = {}
    for item in queued_in(workspace):
        name = name_of(item.proposal)
        if item.proposal.action == "add":
            name = near.setdefault((name[0], near_of(item.proposal)), name)
        queued[name] = (*queued.get(name, ()), item)
        if name not in newest or name in replaced:
            said = decisions.newest.get(name)
            newest[name] = (item.proposal, said.seen + 1 if said else 1)
            replaced.discard(name)
    remembered: frozenset[str] = frozenset()
    with contextlib.suppress(WorkbenchError, OSError):  # a memory that cannot be read settles nothing
        remembered = frozenset(near_key(entry.text) for entry in workspace.memory_document().entries)
    return Book(newest, decisions, frozenset(replaced), queued, remembered)


def _is_news(old: Proposal, new: Proposal) -> bool:
    """Whether ``new`` says what ``old`` does not: another wording of the same claim says no more.

    Nor does another writer, unless a dream proposed it, which the next dream may take back.
    """
    if name_of(old) != name_of(new):
        return False
    return old.by == _BY != new.by or any(getattr(old, what) != getattr(new, what) for what in _SAME)


def _why_stale(proposal: Proposal, is_there: Callable[[str], bool]) -> tuple[str, tuple[str, ...]]:
    """Why it cannot be accepted any more, and which of its source entries are gone."""
    if proposal.target and not is_there(proposal.target):
        return f"{proposal.target} no longer exists", ()
    gone = tuple(one for one in proposal.entries if not is_outside(one) and not is_there(one))
    if proposal.entries and len(gone) == len(proposal.entries):
        what = "its source no longer exists" if len(gone) == 1 else "its sources no longer exist"
        return what, gone
    return "", gone


def _present_in(workspace: Workspace) -> Callable[[str], bool]:
    """Tells whether an entry is at an address, and memory; each file is read once."""

    @functools.cache
    def read(path: str) -> Document | None:
        with contextlib.suppress(NotMemoryError, OSError):
            return workspace.document(path)
        return None

    def is_there(address: str) -> bool:
        document = read(path_of(address) or address)
        if document is None or "#" not in address:  # of a whole page any entry stands for it
            return document is not None and bool(document.entries)
        with contextlib.suppress(UsageError):
            return bool(document.find(address))
        return False

    return is_there


@frozen_kw_only
class SettledProposal:
    """A proposal that does not wait: ``decision`` is None where ``said`` tells why without one."""

    proposal: Proposal
    decision: Decided | None
    said: str

    @property
    def kept(self) -> bool:
        """Whether it became memory."""
        return self.decision in ("accepted", "edited")


@frozen_kw_only
class Overview:
    """What waits and can be seen, what is deferred (both in the order of ``waiting``), what is settled.

    ``flagged`` are the keys of those that wait and hold something that is not accepted unseen.
    """

    waits: tuple[PendingProposal, ...] = ()
    deferred: tuple[PendingProposal, ...] = ()
    settled: tuple[SettledProposal, ...] = ()
    flagged: frozenset[str] = frozenset()

    @property
    def dreamt_at(self) -> datetime | None:
        """When a dream proposed something last; None where none did."""
        return max((one.made_at for one in self.proposals if one.run and one.made_at), default=None)

    @property
    def newest_run(self) -> str:
        """The run of dreaming that proposed last; empty where none did."""
        made = [one for one in self.proposals if one.run]
        return max(made, key=lambda one: one.made_at or _NEVER).run if made else ""

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All of them."""
        waits = (one.proposal for one in (*self.waits, *self.deferred))
        return (*waits, *(one.proposal for one in self.settled))


def overview(workspace: Workspace, now: datetime) -> Overview:
    """What waits, what is deferred, and what became of the others."""
    book = read_book(workspace)
    every = waiting(workspace, now, book=book)
    names = {name_of(one.proposal) for one in every}
    settled = []
    for name, (proposal, _) in book.proposals.items():
        if name in names:
            continue
        newest = book.decisions.newest.get(name)
        decision, said = None, REMEMBERED
        if newest and newest.decision != "deferred":
            decision, said = newest.decision, newest.said
        elif name in book.replaced:
            said = "a later dream did not propose it again"
        settled.append(SettledProposal(proposal=proposal, decision=decision, said=said))
    return Overview(
        waits=tuple(one for one in every if not one.hidden(now)),
        deferred=tuple(one for one in every if one.hidden(now)),
        settled=tuple(settled),
        flagged=frozenset(one.proposal.key for one in every if flags_of(one.proposal)),
    )
