"""What waits for a person: proposals are added once, and wait until something is decided or they are stale.

The ledger is the only state. A proposal waits while no final decision on its claim is written there; undoing
the operation that wrote one makes it wait again. What a dream proposed and nobody has looked at gives way to
what the next one proposes: then the ledger says of it that it is replaced, until it is proposed again.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from workbench.dreaming.proposals.safety_flags import title
from workbench.errors import EntryNotFoundError, NotMemoryError, UsageError, WorkbenchError, disk_error
from workbench.memory.address import find_entry, path_of
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document
from workbench.memory.names import is_outside
from workbench.memory.proposal import Proposal, proposal_from_json
from workbench.workspace.decisions import (
    Decisions,
    Name,
    family_of,
    name_of,
    near_key,
    near_of,
    read_decisions,
)
from workbench.workspace.ledger_records import LONGEST
from workbench.workspace.workspace import Workspace

SHORTEST_KEY = 4
"""Digits of a proposal's key that must be given at least."""
_REPLACED = "replaced"
_BY = "dreaming"
_SAME = ("action", "section", "target", "type", "trust", "by", "marks")
"""What makes a proposal of the same claim worth saying again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A proposal that nothing final was decided of.

    ``stale`` says why it cannot be accepted any more, ``until`` the day up to which it is deferred.
    ``proposed`` counts how often it stands in the ledger. ``gone`` are its source entries that are not there.
    """

    proposal: Proposal
    stale: str = ""
    until: date | None = None
    proposed: int = 1
    gone: tuple[str, ...] = ()

    def hidden(self, now: datetime) -> bool:
        """Whether it is not to be shown before its day."""
        return self.until is not None and now.date() < self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What became of proposals: added, waiting already (as they wait), or left out, each with why.

    ``replaced`` waited until then, and do so no more.
    """

    added: tuple[Proposal, ...] = ()
    waiting: tuple[Proposal, ...] = ()
    left_out: tuple[tuple[Proposal, str], ...] = ()
    replaced: tuple[Proposal, ...] = ()


def propose(
    workspace: Workspace, proposals: Sequence[Proposal], now: datetime, *, anew: bool = False
) -> Proposed:
    """Let proposals wait for a person, in one write to the ledger.

    What waits already just so is not added again. Left out is what is deferred, what was rejected or accepted
    before, in nearly the same words too, and what long-term memory says already.

    ``anew``: these are all that a dream proposes, which judged everything again. They take the place of what
    earlier ones proposed and nobody has deferred, so that what waits is what is best by now and does not
    grow; a dream that proposes nothing takes the place of nothing. Raises ReadOnlyError, WriteFailedError.
    """
    book = read_book(workspace)
    waits = {name_of(w.proposal): w for w in waiting(workspace, now, book=book)}
    near = {(name_of(w.proposal)[0], near_of(w.proposal)): w for w in waits.values()}
    known = _known(workspace)
    added: dict[Name, Proposal] = {}
    again: dict[Name, Proposal] = {}
    left_out: list[tuple[Proposal, str]] = []
    for proposal in proposals:
        name = name_of(proposal)
        here = waits.get(name) or near.get((name[0], near_of(proposal)))
        why = book.decisions.why_not(proposal) or _settled(proposal, known)
        if not why and len(json.dumps(proposal.as_json())) > LONGEST:
            why = "too long for a record of the ledger"
        if not why and name in added:
            why = "proposed twice in the same run"
        if not why and here is not None and here.hidden(now):
            why = f"deferred until {here.until}"
        if why:
            left_out.append((proposal, why))
        elif here is not None and not here.stale and _is_same(here.proposal, proposal, name):
            again[name_of(here.proposal)] = here.proposal
        else:
            added[name] = proposal if proposal.made_at else replace(proposal, made_at=now)
    replaced = [
        one.proposal
        for name, one in waits.items()
        if anew and proposals and one.proposal.by == _BY and one.until is None
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


def fresh(workspace: Workspace, proposals: Sequence[Proposal], now: datetime) -> tuple[Proposal, ...]:
    """Those of ``proposals`` that neither wait already nor were decided on."""
    book = read_book(workspace)
    waits = {name_of(one.proposal) for one in waiting(workspace, now, book=book)}
    return tuple(one for one in proposals if name_of(one) not in waits and not book.decisions.why_not(one))


def pending(workspace: Workspace, now: datetime) -> tuple[Proposal, ...]:
    """The proposals that can be decided on now: neither deferred nor stale, the oldest first."""
    return tuple(w.proposal for w in waiting(workspace, now) if not w.stale and not w.hidden(now))


def waiting(
    workspace: Workspace, now: datetime, *, book: Book | None = None, keys: tuple[str, ...] = ("",)
) -> tuple[Waiting, ...]:
    """All proposals without a final decision, the oldest first, in their newest wording.

    ``keys`` are beginnings of keys: only those that start so are looked at.

    What long-term memory says by now, because a person wrote it there by hand, is settled and no longer
    among them. Where a target or all sources are gone, ``stale`` says so.
    """
    book = book or read_book(workspace)
    known = _known(workspace)
    present = _Present(workspace)
    out = []
    for name, (proposal, count) in book.proposals.items():
        if not proposal.key.startswith(keys) or book.decisions.closed(name, count) or name in book.replaced:
            continue
        if _settled(proposal, known):
            continue
        decision = book.decisions.newest.get(name)
        until = decision.until if decision and decision.decision == "deferred" else None
        stale, gone = present.why_stale(proposal)
        out.append(Waiting(proposal=proposal, stale=stale, until=until, proposed=count, gone=gone))
    return tuple(out)


def find(workspace: Workspace, key: str, now: datetime) -> Waiting:
    """The waiting proposal whose key starts with ``key``; a whole key counts at once.

    ``key/action`` tells two apart that are about the same words. Raises UsageError.
    """
    return find_all(workspace, [key], now)[0]


def find_all(
    workspace: Workspace, keys: Sequence[str], now: datetime, *, book: Book | None = None
) -> tuple[Waiting, ...]:
    """The waiting proposals that ``keys`` name, each once, in the order of naming. Raises UsageError."""
    book = book or read_book(workspace)
    there: dict[str, list[Waiting]] = {}
    for one in waiting(workspace, now, book=book, keys=tuple(_beginning(key) for key in keys)):
        there.setdefault(one.proposal.key, []).append(one)
    found = {name_of(w.proposal): w for w in (_named(there, key, book) for key in keys)}
    return tuple(found.values())


def _named(there: Mapping[str, Sequence[Waiting]], key: str, book: Book) -> Waiting:
    wanted, action = _beginning(key), key.strip().casefold().partition("/")[2]
    hits = list(there.get(wanted, ()))
    if not hits and len(wanted) >= SHORTEST_KEY:
        hits = [w for whole, ones in there.items() if whole.startswith(wanted) for w in ones]
    hits = [w for w in hits if not action or w.proposal.action == action]
    if len(hits) == 1:
        return hits[0]
    if hits:
        fits = ", ".join(f"{w.proposal.key}/{w.proposal.action}" for w in hits[:5])
        raise UsageError(f"{key} fits several proposals", hint=f"give more of the key: {fits}")
    if len(wanted) < SHORTEST_KEY:
        raise UsageError(
            f"{key or 'an empty key'} is too short",
            hint=f"a proposal is named by {SHORTEST_KEY} or more digits of its key",
        )
    decided = [d for name, d in book.decisions.newest.items() if name[1].startswith(wanted)]
    if any(name[1].startswith(wanted) for name in book.replaced):
        raise UsageError(
            f"proposal {key} waits no more",
            hint="a later dream did not propose it again; `workbench dream --explain KEY` says why",
        )
    if not decided:
        raise UsageError(f"no proposal {key} waits", hint="`workbench inbox list` shows those that do")
    known = book.proposals.get(decided[0].name)
    named = f"“{title(known[0].text)}” waits no more" if known else f"no proposal {key} waits"
    raise UsageError(named, hint=f"it was {decided[0].said}; `workbench undo` takes such a decision back")


def _beginning(key: str) -> str:
    """What a person gave of a key, without the action."""
    return key.strip().casefold().partition("/")[0]


@dataclass(frozen=True, slots=True)
class Book:
    """The ledger's proposals, each in its newest wording with how often it was proposed, and decisions.

    ``replaced`` are the names of those that a later dream did not propose again.
    """

    proposals: Mapping[Name, tuple[Proposal, int]]
    decisions: Decisions
    replaced: frozenset[Name] = frozenset()


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
    return Book(newest, read_decisions(workspace), frozenset(replaced))


def _known(workspace: Workspace) -> frozenset[str]:
    """The claims of long-term memory, by ``near_key``."""
    try:
        return frozenset(near_key(entry.text) for entry in workspace.memory_document().entries)
    except (WorkbenchError, OSError):  # a memory that cannot be read settles nothing
        return frozenset()


def closed_by(workspace: Workspace, book: Book, proposal: Proposal) -> str | None:
    """Why nothing is left to decide of a proposal: a decision, or long-term memory that says it by now."""
    return book.decisions.why_not(proposal) or _settled(proposal, _known(workspace))


def _settled(proposal: Proposal, known: frozenset[str]) -> str | None:
    if proposal.action not in ("add", "merge", "supersede") or near_key(proposal.text) not in known:
        return None
    return "long-term memory says it already"


def _is_same(old: Proposal, new: Proposal, name: Name) -> bool:
    """Whether ``new`` says nothing that ``old`` does not: another wording of the same claim is no news."""
    if name_of(old) != name:
        return True
    return all(getattr(old, what) == getattr(new, what) for what in _SAME)


@dataclass(slots=True)
class _Present:
    """Whether what proposals are about still stands, with one reading of each file."""

    workspace: Workspace
    _documents: dict[str, Document | None] = field(default_factory=dict)

    def why_stale(self, proposal: Proposal) -> tuple[str, tuple[str, ...]]:
        """Why it cannot be accepted any more, and which of its source entries are gone."""
        if proposal.target and self.entry(proposal.target) is None:
            return f"{proposal.target} is not there any more", ()
        gone = tuple(a for a in proposal.entries if not is_outside(a) and self.entry(a) is None)
        if proposal.entries and len(gone) == len(proposal.entries):
            what = "its source is" if len(gone) == 1 else "all its sources are"
            return f"{what} not there any more", gone
        return "", gone

    def entry(self, address: str) -> Entry | None:
        """The entry at an address; None where there is none, or where it is no memory."""
        path = path_of(address) or address
        if path not in self._documents:
            self._documents[path] = None
            with contextlib.suppress(NotMemoryError, OSError):
                self._documents[path] = self.workspace.document(path)
        document = self._documents[path]
        if document is None:
            return None
        if "#" not in address:  # a whole page: any entry of it stands for it
            return next(iter(document.entries), None)
        with contextlib.suppress(EntryNotFoundError, UsageError):
            return find_entry(document, address)
        return None
