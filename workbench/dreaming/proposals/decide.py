"""Rejecting, deferring and withdrawing: words in the ledger, each an operation that can be taken back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from workbench.dreaming.proposals.accept import PROPOSAL
from workbench.dreaming.proposals.agent_queues import settled
from workbench.dreaming.proposals.inbox import Book, find_all, named, read_book
from workbench.dreaming.proposals.safety_flags import title
from workbench.errors import UsageError
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import parse_day
from workbench.workspace.decisions import FINAL, Decided, decision_record, name_of
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

_ACTIONS: dict[Decided, str] = {"rejected": "reject", "deferred": "defer", "withdrawn": "withdraw"}
_SPAN = re.compile(r"(?P<count>[1-9]\d{0,3})\s*(?P<unit>d|day|days|w|week|weeks)")
_AHEAD = timedelta(days=30)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def plan_reject(workspace: Workspace, keys: Sequence[str], *, now: datetime, reason: str = "") -> Plan:
    """Reject waiting proposals: these claims, in nearly the same words too, are never proposed again.

    Raises UsageError for a key that does not wait.
    """
    book = read_book(workspace)
    found = [one.proposal for one in find_all(workspace, keys, now, book=book)]
    return plan_decision(workspace, book, found, "rejected", now=now, reason=reason)


def plan_defer(
    workspace: Workspace, keys: Sequence[str], until: date | str, *, now: datetime, reason: str = ""
) -> Plan:
    """Show waiting proposals again on the day ``until``, which lies ahead; text as ``day_ahead`` reads it.

    Raises UsageError.
    """
    book, until = read_book(workspace), day_ahead(str(until), now.date())
    found = [one.proposal for one in find_all(workspace, keys, now, book=book)]
    return plan_decision(workspace, book, found, "deferred", now=now, reason=reason, until=until)


def plan_withdraw(workspace: Workspace, keys: Sequence[str], *, now: datetime, reason: str = "") -> Plan:
    """Take proposals, or what was decided of them, off the table: nothing waits, and nothing is held against
    the claim, so that a later dream may propose it again.

    What was accepted stays in memory. Raises UsageError for a key that nothing is known of.
    """
    book = read_book(workspace)
    found = {name_of(one): one for key in keys for one in (_known(book, key),)}
    return plan_decision(workspace, book, list(found.values()), "withdrawn", now=now, reason=reason)


def plan_decision(
    workspace: Workspace,
    book: Book,
    proposals: Sequence[Proposal],
    decision: Decided,
    *,
    now: datetime,
    reason: str = "",
    until: date | None = None,
) -> Plan:
    """The operation that writes down what was decided of proposals, and nothing else but that queues of other
    agents are rid of what is not deferred. Raises UsageError where there is none of them."""
    if not proposals:
        raise UsageError("no proposal was named", hint="`workbench inbox list` shows their keys")
    out = [(one, book.queued.get(name_of(one), ())) for one in proposals if decision != "deferred"]
    records = [
        decision_record(one, decision, seen=book.count(one), reason=reason, until=until) for one in proposals
    ]
    return Plan(
        action=_ACTIONS[decision],
        summary=title(proposals[0].text) if len(proposals) == 1 else f"{len(proposals)} proposals",
        edits=settled(workspace, out, None),
        records=ledger_records("decisions", records, now),
        reason=reason,
        trailers=tuple((PROPOSAL, one.key) for one in proposals),
    )


def day_ahead(text: str, today: date) -> date:
    """The day after ``today`` that a person names: `2026-04-01`, `3d`, `2w`, `2 weeks`. Raises UsageError."""
    wanted = text.strip().casefold()
    day = parse_day(wanted) if _DAY.fullmatch(wanted) else None
    if found := _SPAN.fullmatch(wanted):
        days = int(found["count"]) * (7 if found["unit"].startswith("w") else 1)
        day = today + timedelta(days=days)
    if day is None:
        raise UsageError(f"“{text}” is no day", hint=f"for example {example_day(today)}, 3d or 2w")
    if day <= today:
        raise UsageError(f"{day} is not ahead of us", hint="name a later day, or `2w`")
    return day


def example_day(today: date) -> date:
    """A day to show how one is written; it lies ahead."""
    return today + _AHEAD


def _known(book: Book, key: str) -> Proposal:
    """The proposal, waiting or decided, that ``key`` names. Raises UsageError."""
    hits = named([one for one, _ in book.proposals.values()], key)
    if len(hits) > 1:  # of several, those that something final was decided of
        hits = [one for one in hits if _is_decided(book, one)] or hits
    if len(hits) != 1:
        what = "matches several proposals" if hits else "names no proposal"
        shown = ", ".join(f"{one.key}/{one.action}" for one in hits[:5])
        raise UsageError(f"{key} {what}", hint=shown or "`workbench inbox list --all` shows their keys")
    newest = book.decisions.newest.get(name_of(hits[0]))
    if newest and newest.decision == "withdrawn" and book.count(hits[0]) <= newest.seen:
        said = f"“{title(hits[0].text)}” was {newest.said} already"
        raise UsageError(said, hint="nothing was changed")
    return hits[0]


def _is_decided(book: Book, one: Proposal) -> bool:
    newest = book.decisions.newest.get(name_of(one))
    return newest is not None and newest.decision in FINAL
