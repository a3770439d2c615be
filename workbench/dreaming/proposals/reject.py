"""Rejecting and withdrawing: words in the ledger, each an operation that can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from workbench.dreaming.proposals.accept import PROPOSAL
from workbench.dreaming.proposals.agent_queues import settled
from workbench.dreaming.proposals.inbox import SHORTEST_KEY, Book, find_all, read_book
from workbench.dreaming.proposals.safety_flags import title
from workbench.errors import UsageError
from workbench.memory.proposal import Proposal
from workbench.workspace.decisions import FINAL, Decided, Name, decision_record, name_of
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace


def plan_reject(workspace: Workspace, keys: Sequence[str], *, now: datetime, reason: str = "") -> Plan:
    """Reject waiting proposals: these claims, in nearly the same words too, are never proposed again.

    Raises UsageError for a key that does not wait.
    """
    found = [one.proposal for one in find_all(workspace, _some(keys), now)]
    return plan_decision(workspace, found, "rejected", action="reject", now=now, reason=reason)


def plan_withdraw(workspace: Workspace, keys: Sequence[str], *, now: datetime, reason: str = "") -> Plan:
    """Take proposals, or what was decided of them, off the table: nothing waits, and nothing is held against
    the claim, so that a later dream may propose it again.

    What was accepted stays in memory. Raises UsageError for a key that nothing is known of.
    """
    book = read_book(workspace)
    found = {name_of(one): one for key in _some(keys) for one in (_known(book, key),)}
    return plan_decision(
        workspace, list(found.values()), "withdrawn", action="withdraw", now=now, reason=reason
    )


def plan_decision(
    workspace: Workspace,
    proposals: Sequence[Proposal],
    decision: Decided,
    *,
    action: str,
    now: datetime,
    reason: str = "",
    until: date | None = None,
) -> Plan:
    """The operation that writes down what was decided of proposals, and nothing else but that queues of other
    agents are rid of what is not deferred."""
    book = read_book(workspace)
    out = [(one, book.queued.get(name_of(one), ())) for one in proposals if decision != "deferred"]
    records = [
        decision_record(one, decision, seen=_count(book, name_of(one)), reason=reason, until=until)
        for one in proposals
    ]
    only = proposals[0]
    return Plan(
        action=action,
        summary=title(only.text) if len(proposals) == 1 else f"{len(proposals)} proposals",
        edits=settled(workspace, out, None),
        records=ledger_records("decisions", records, now),
        reason=reason,
        trailers=tuple((PROPOSAL, one.key) for one in proposals),
    )


def _some(keys: Sequence[str]) -> Sequence[str]:
    if not keys:
        raise UsageError("no proposal was named", hint="`workbench inbox list` shows their keys")
    return keys


def _count(book: Book, name: Name) -> int:
    return book.proposals[name][1] if name in book.proposals else 0


def _known(book: Book, key: str) -> Proposal:
    """The proposal, waiting or decided, whose key starts so. Raises UsageError."""
    wanted, _, action = key.strip().casefold().partition("/")
    ones = [one for one, _ in book.proposals.values() if not action or one.action == action]
    hits = [one for one in ones if one.key == wanted]
    if not hits and len(wanted) >= SHORTEST_KEY:
        hits = [one for one in ones if one.key.startswith(wanted)]
    if len(hits) > 1:  # of several, those that something final was decided of
        hits = [one for one in hits if _is_decided(book, one)] or hits
    if len(hits) != 1:
        what = "fits several proposals" if hits else "names no proposal"
        shown = ", ".join(f"{one.key}/{one.action}" for one in hits[:5])
        raise UsageError(f"{key} {what}", hint=shown or "`workbench inbox list --all` shows their keys")
    newest = book.decisions.newest.get(name_of(hits[0]))
    if newest and newest.decision == "withdrawn" and _count(book, name_of(hits[0])) <= newest.seen:
        said = f"“{title(hits[0].text)}” was {newest.said} already"
        raise UsageError(said, hint="nothing was changed")
    return hits[0]


def _is_decided(book: Book, one: Proposal) -> bool:
    newest = book.decisions.newest.get(name_of(one))
    return newest is not None and newest.decision in FINAL
