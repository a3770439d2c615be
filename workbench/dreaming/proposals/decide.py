"""Decisions on proposals: accept, reject, defer, withdraw; each is one operation that can be undone.

Accepting makes them memory. Memory, archive, graph, the page of the day, the marks on episodes and the
decisions in the ledger are one plan: after an undo of it the proposals wait again. The other decisions are
records in the ledger alone.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

from workbench.dreaming.proposals.agent_queues import settled
from workbench.dreaming.proposals.apply import AppliedProposal, ApplyBatch, address_of, page_path, with_run
from workbench.dreaming.proposals.budget import Budget, budget_notes, budget_with
from workbench.dreaming.proposals.inbox import Book, PendingProposal, find_all, named, read_book
from workbench.dreaming.proposals.information_loss import merged_words
from workbench.dreaming.proposals.origins import Quotation, quotations
from workbench.dreaming.proposals.overlay import OverlayWorkspace
from workbench.dreaming.proposals.safety_flags import flags, flags_of, held_back, is_from_outside
from workbench.dreaming.vetoes import veto
from workbench.errors import NotCuratableError, UsageError, WorkbenchError
from workbench.frozen import frozen_kw_only
from workbench.graph.drafts import excerpt
from workbench.memory.claims import claim_key
from workbench.memory.file_edit import FileEdit
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import parse_day
from workbench.workspace.decisions import FINAL, Decided, decision_record, name_of
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

RUN = "Run"
"""The trailer that names the run of what an operation kept."""
PROPOSAL = "Proposal"
"""The trailer that names the key of a proposal that an operation decided on."""
WORDLESS = ("archive", "forget")
"""Actions of proposals that take no words."""
_SHORT = 40
_NOT_REPEATED = "text that is not shown here"
"""For what hides something, is a secret, or gives orders: a page is read by agents too."""
_MOST_LEFT = 10
"""Claims left behind that the page of the day names."""
_ON_THE_PAGE = frozenset({"add", "merge", "supersede"})
_WRITES = _ON_THE_PAGE | {"store", "update", "patch"}
_ALONE = "its source is external: accept it by itself"


def plan_accept(
    workspace: Workspace,
    keys: Sequence[str],
    *,
    now: datetime,
    texts: Mapping[str, str] | None = None,
    reason: str = "",
    allow_flagged: bool = False,
) -> Plan:
    """Do what the waiting proposals ``keys`` say, as one operation.

    ``texts`` gives some of them, by the key as it is named in ``keys`` or in full, other words. Raises
    UsageError for a key that does not wait, NotCuratableError for one that is stale or cannot be done, naming
    it. Secrets, hidden text and orders to an agent are left out, and named in the plan's notes, unless
    ``allow_flagged``: FlaggedError when that leaves nothing.
    """
    if not keys:
        raise UsageError("no proposal was named", hint="`workbench inbox list` shows their keys")
    book = read_book(workspace)
    found = find_all(workspace, keys, now, book=book)
    for one in found:
        if one.stale:
            raise NotCuratableError(
                f"{one.proposal.key} “{excerpt(one.proposal.text)}” is stale: {one.stale}",
                hint="reject or withdraw it; the next dream proposes it again if it still applies",
            )
    named = {
        find_all(workspace, [key], now, book=book)[0].proposal.key: text
        for key, text in (texts or {}).items()
    }
    return plan_of(
        workspace,
        [one.proposal for one in found],
        now=now,
        texts=named,
        reason=reason,
        allow_flagged=allow_flagged,
        left=_left_behind(book, found),
        book=book,
    )


def words_of(workspace: Workspace, key: str) -> str:
    """The words of a waiting proposal, for an editor. Raises UsageError, also where it takes no words."""
    (one,) = find_all(workspace, [key], datetime.now().astimezone())
    if one.proposal.action in WORDLESS:
        raise UsageError(f"{one.proposal.action} takes no text", hint="accept or reject it")
    return one.proposal.text + "\n"


def plan_accept_reworded(
    workspace: Workspace,
    key: str,
    *,
    text: str,
    now: datetime,
    expected: str | None = None,
    reason: str = "",
    allow_flagged: bool = False,
) -> Plan:
    """``plan_accept`` of one proposal with ``text`` instead of its words, which ``expected`` may repeat."""
    words_of(workspace, key)
    return plan_accept(
        workspace, [key], now=now, texts={key: text}, reason=reason, allow_flagged=allow_flagged
    )


def plan_of(
    workspace: Workspace,
    proposals: Sequence[Proposal],
    *,
    now: datetime,
    texts: Mapping[str, str] | None = None,
    reason: str = "",
    allow_flagged: bool = False,
    actor: str = "human",
    action: str = "accept",
    left: Sequence[tuple[str, str]] = (),
    considered: int | None = None,
    notes: Sequence[str] = (),
    book: Book | None = None,
) -> Plan:
    """The operation that does all of ``proposals``, in their order; they need not be in the ledger.

    ``texts`` gives some of them, by key, other words; ``left`` is what was left behind, each with why, and
    ``considered`` how many claims there were, for the page of the day; ``book`` is the ledger where it was
    read already. Raises as ``plan_accept`` does.
    """
    worded = texts or {}
    final = {one.key: worded.get(one.key, one.text) for one in proposals}
    held: dict[str, str] = {}
    if not allow_flagged:
        held = held_back([p for p in proposals if p.action in _WRITES], final, len(proposals))
        proposals = [p for p in proposals if p.key not in held or p.action not in _WRITES]
    if len(final) > 1:
        proposals, alone = _but_from_outside(proposals)
        held |= alone
    book = book or read_book(workspace)
    foreseen = OverlayWorkspace(workspace)
    batch = ApplyBatch(foreseen, now, actor)
    for one in proposals:
        try:
            batch.carry(one, final[one.key], book.queued_as(one))
        except WorkbenchError as error:
            after = f" after the {len(batch.done)} before it" if batch.done else ""
            raise NotCuratableError(
                f"{one.key} “{excerpt(final[one.key])}” cannot be accepted{after}: {error.message}",
                hint=error.hint or "nothing was changed",
            ) from error
    done = batch.done
    if kept := [one for one in done if one.proposal.action in _ON_THE_PAGE]:
        path = page_path(now)
        before = foreseen.files.read_or_none(path)
        told = [(text if not flags(text) else _NOT_REPEATED, why) for text, why in left]
        page = with_run(before, now=now, by=actor, kept=kept, left=told, considered=considered)
        foreseen.lay(FileEdit(path, before, page))
    records = [
        decision_record(
            one,
            "accepted" if claim_key(final[one.key]) == claim_key(one.text) else "edited",
            seen=book.count(one),
            text=final[one.key],
            reason=reason,
            by=actor,
        )
        for one in proposals
    ]
    entries, became = _pairs(foreseen, done)
    return Plan(
        action=action,
        summary=_summary(done),
        edits=(
            *foreseen.edits(),
            *settled(workspace, proposals, book.queued_as, now),
        ),
        records=(*foreseen.records, *ledger_records("decisions", records, now)),
        entries=entries,
        became=became,
        reason=reason,
        actor=actor,
        trailers=_trailers(done),
        notes=(*notes, *_notes(done, final, held), *budget_notes(workspace, foreseen)),
    )


def _but_from_outside(proposals: Sequence[Proposal]) -> tuple[Sequence[Proposal], dict[str, str]]:
    """Those whose words are the owner's or the agent's, and the others by key with why they are left out.

    Words of others are accepted one at a time, by somebody who looks at them. Raises NotCuratableError where
    nothing else is there.
    """
    foreign = [one for one in proposals if one.action in _WRITES and is_from_outside(one)]
    if foreign and len(foreign) == len(proposals):
        raise NotCuratableError(
            f"all {len(foreign)} have an external source, and such proposals are accepted one by one",
            hint="review each: `workbench inbox show KEY`, then `workbench inbox accept KEY`",
        )
    left = [one for one in proposals if one not in foreign]
    return left, {one.key: _ALONE for one in foreign}


def plan_alone(workspace: Workspace, proposal: Proposal, now: datetime) -> Plan:
    """What accepting this proposal alone would write, to the last byte. Raises as ``plan_of`` and
    ``Workspace.finished`` do, but for what is flagged: to look at something is not to take it."""
    return workspace.finished(plan_of(workspace, [proposal], now=now, allow_flagged=True))


@frozen_kw_only
class DecisionPreview:
    """One proposal thought through: its ``plan``, or the ``problem`` that is in its way.

    ``stands`` is what the entry says that it would change, and ``becomes`` what would stand in its place;
    both are empty where it only adds. ``budget`` is that of long-term memory afterwards.
    """

    plan: Plan | None = None
    problem: str = ""
    flags: tuple[str, ...] = ()
    stands: str = ""
    becomes: str = ""
    budget: Budget | None = None
    sources: tuple[Quotation, ...] = ()


def foretold(workspace: Workspace, one: PendingProposal, now: datetime) -> DecisionPreview:
    """What accepting ``one`` alone would do; what is flagged is looked at all the same."""
    proposal = one.proposal
    plan, budget, problem = None, None, one.stale
    if not problem:
        try:
            plan = plan_alone(workspace, proposal, now)
            budget = budget_with(workspace, plan)
        except WorkbenchError as error:
            problem = error.message
    stands = becomes = ""
    if "#" in proposal.target:
        with contextlib.suppress(WorkbenchError, OSError):
            document, entry = workspace.locate(proposal.target)
            stands = document.text_of(entry)
    if stands and proposal.action == "merge":
        becomes = merged_words(stands, proposal.text)
    elif stands and proposal.action not in WORDLESS:
        becomes = proposal.marks.get("text", proposal.text)
    return DecisionPreview(
        plan=plan,
        problem=problem,
        flags=flags_of(proposal),
        stands=stands,
        becomes=becomes,
        budget=budget,
        sources=quotations(workspace, proposal),
    )


def _pairs(
    foreseen: OverlayWorkspace, done: Sequence[AppliedProposal]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The entries that the operation is about, and where each of them stands afterwards."""
    memory = foreseen.memory_document()
    pairs: dict[tuple[str, str], None] = {}
    for one in done:
        became = ((address, address_of(memory, name)) for address, name in one.ids.items())
        pairs |= {(address, stands): None for address, stands in became if stands}
        pairs |= dict.fromkeys(one.moved.items())
    return tuple(before for before, _ in pairs), tuple(after for _, after in pairs)


def _trailers(done: Sequence[AppliedProposal]) -> tuple[tuple[str, str], ...]:
    proposals = [one.proposal for one in done]
    found = [(PROPOSAL, proposal.key) for proposal in proposals]
    found += [("Source", source) for one in done for source in one.sources]
    found += [("Score", f"{proposal.score:.2f}") for proposal in proposals if proposal.score]
    found += [(RUN, proposal.run) for proposal in proposals if proposal.run]
    found += [("Section", one.section) for one in done if one.section]
    return tuple(dict.fromkeys(found))


def _notes(
    done: Sequence[AppliedProposal], texts: Mapping[str, str], held: Mapping[str, str]
) -> Iterator[str]:
    """What is left out, and what a person should know of each of the others before it is done."""
    for key, why in held.items():
        taken = "" if why == _ALONE else " (--allow-flagged takes it)"
        yield f"left out, and still waiting: {key} “{excerpt(texts[key], _SHORT)}”: {why}{taken}"
    for one in done:
        said = [*one.notes]
        is_flagged = flags_of(one.proposal, one.text)  # of which a person is told already
        if one.proposal.action in _ON_THE_PAGE and not is_flagged and (doubt := veto(one.text)):
            said.append(f"dreaming would not keep this by itself: {doubt}")
        yield from (f"{one.proposal.key} “{excerpt(one.text, _SHORT)}”: {note}" for note in said)


def _summary(done: Sequence[AppliedProposal]) -> str:
    if len(done) == 1:
        return excerpt(done[0].text)
    counts = Counter(one.proposal.action for one in done)
    return f"{len(done)} proposals: " + ", ".join(f"{count} {action}" for action, count in counts.items())


def _left_behind(book: Book, found: Sequence[PendingProposal]) -> tuple[tuple[str, str], ...]:
    """What else the runs of these proposals had proposed, and a person rejected since."""
    runs = {one.proposal.run for one in found if one.proposal.run}
    return tuple(
        (proposal.text, decision.said)
        for name, (proposal, _) in book.proposals.items()
        if proposal.run in runs
        and (decision := book.decisions.newest.get(name))
        and decision.decision == "rejected"
    )[:_MOST_LEFT]


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
    found = {name_of(one): one for one in (_known(book, key) for key in keys)}
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
    records = [
        decision_record(one, decision, seen=book.count(one), reason=reason, until=until) for one in proposals
    ]
    return Plan(
        action=_ACTIONS[decision],
        summary=excerpt(proposals[0].text) if len(proposals) == 1 else f"{len(proposals)} proposals",
        edits=() if decision == "deferred" else settled(workspace, proposals, book.queued_as, None),
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
        raise UsageError(f"“{text}” is not a date", hint=f"for example {example_day(today)}, 3d or 2w")
    if day <= today:
        raise UsageError(f"{day} is not in the future", hint="give a later date, or `2w`")
    return day


def example_day(today: date) -> date:
    """A day to show how one is written; it lies ahead."""
    return today + _AHEAD


def _known(book: Book, key: str) -> Proposal:
    """The proposal, waiting or decided, that ``key`` names. Raises UsageError."""
    hits, newest = named([one for one, _ in book.proposals.values()], key), book.decisions.newest
    if len(hits) > 1:  # of several, those that something final was decided of
        decided = ((one, newest.get(name_of(one))) for one in hits)
        hits = [one for one, said in decided if said and said.decision in FINAL] or hits
    if len(hits) != 1:
        what = "matches several proposals" if hits else "names no proposal"
        shown = ", ".join(f"{one.key}/{one.action}" for one in hits[:5])
        raise UsageError(f"{key} {what}", hint=shown or "`workbench inbox list --all` shows their keys")
    said = newest.get(name_of(hits[0]))
    if said and said.decision == "withdrawn" and book.count(hits[0]) <= said.seen:
        raise UsageError(f"“{excerpt(hits[0].text)}” was {said.said} already", hint="nothing was changed")
    return hits[0]
