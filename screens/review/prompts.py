"""Questions of the inbox, each a dialog with a line to type in, and the request that accepts proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial

from screens.dialogs.dialog import ChooseScreen, as_typed
from screens.drawing.clock import now
from screens.drawing.safe_text import Row, piece, row_text, safe_piece, words
from screens.main.request import Request
from screens.review.proposal_list import name_of, place_words
from workbench.dreaming.proposals.decide import day_ahead, example_day, plan_accept
from workbench.dreaming.proposals.inbox import PendingProposal, find_all
from workbench.dreaming.proposals.origins import Quotation
from workbench.errors import ConflictError, UsageError
from workbench.graph.drafts import excerpt
from workbench.memory.proposal import Proposal
from workbench.safety.secrets import masked
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_SPANS = {"tomorrow": 1, "in 3 days": 3, "in a week": 7, "in two weeks": 14, "in a month": 30}
_REASONS = (
    "it is not true",
    "it is no longer true",
    "it mattered only at that time",
    "it is not worth remembering",
    "it is private",
    "it is already recorded elsewhere",
)


def ask_day(title: str, today: date) -> ChooseScreen:
    """Ask until which day; the dialog returns the day, as `2026-04-01`."""

    def day_row(day: date, name: str) -> Row:
        return Row(day.isoformat(), words(name), tail=(piece(f"{day:%a %d %b %Y}"),))

    def typed(text: str) -> Sequence[Row]:
        try:
            day = day_ahead(text, today)
        except UsageError as error:
            return (Row(text, row_text(f"{error.message}: {error.hint}"), tone="warn", inert=True),)
        return (day_row(day, f"until {day}"),)

    rows = [day_row(today + timedelta(days=days), name) for name, days in _SPANS.items()]
    return ChooseScreen(title, rows, typed, placeholder=f"a day: {example_day(today)}, 3d or 2w")


def ask_reason(title: str) -> ChooseScreen:
    """Ask why a claim is rejected; the dialog returns the reason."""
    rows = [Row(reason, words(reason)) for reason in _REASONS]
    return ChooseScreen(title, rows, as_typed("because"), placeholder="type a reason, or choose one")


def ask_claim() -> ChooseScreen:
    """Ask which claim to explain; the dialog returns its words."""
    return ChooseScreen(
        "Why is it proposed, or not?",
        (),
        as_typed("why is, or is not, proposed:"),
        placeholder="words of a claim, an entry's address or a key",
        empty="type a few of its words",
    )


def ask_source(sources: Sequence[Quotation]) -> ChooseScreen:
    """Ask which source to go to; the dialog returns its address. A source that is gone cannot be chosen."""
    rows = [
        Row(
            one.address or f"gone:{number}",
            row_text(masked(" ".join((one.text or one.gone).split()))),
            tone="text" if one.address else "faint",
            tail=(safe_piece(place_words(one.place), "faint"),),
            inert=not one.address,
        )
        for number, one in enumerate(sources)
    ]
    title = f"Go to one of {len(sources)} sources"
    return ChooseScreen(title, rows, empty="no source supports it")


def accept(shown: Sequence[PendingProposal], text: str | None = None) -> Request:
    """The request that accepts these proposals as they were shown.

    It is planned anew when it is carried out, and refused where one was proposed again with other text. Of
    several, stale ones are left out, and the plan's notes name them. ``text`` replaces the words of a single
    one.
    """
    keys = tuple(name_of(one.proposal) for one in shown)
    return Request(action="accept", addresses=keys, text=text, planner=partial(_accept, shown=shown))


def _accept(workspace: Workspace, request: Request, *, shown: Sequence[PendingProposal]) -> Plan:
    moment, keys = now(), list(request.addresses)
    notes: list[str] = []
    found = find_all(workspace, keys, moment)
    _require_same(shown, found)
    if len(keys) > 1:
        stale = [one for one in found if one.stale]
        if len(stale) < len(found):
            keys = [name_of(one.proposal) for one in found if not one.stale]
            notes = [f"left out: “{excerpt(one.proposal.text)}” is stale: {one.stale}" for one in stale]
    texts = {keys[0]: request.text} if request.text is not None else None
    plan = plan_accept(workspace, keys, now=moment, texts=texts, allow_flagged=request.allow_flagged)
    return replace(plan, notes=(*notes, *plan.notes))


def _require_same(shown: Sequence[PendingProposal], found: Sequence[PendingProposal]) -> None:
    """The same claim can be proposed anew, to be written elsewhere: a yes is to what was shown."""
    before = {name_of(one.proposal): _written(one.proposal) for one in shown}
    for one in found:
        if before.get(name_of(one.proposal)) != _written(one.proposal):
            raise ConflictError(
                f"“{excerpt(one.proposal.text)}” was proposed again in the meantime, with other text",
                hint="review it again",
            )


def _written(proposal: Proposal) -> tuple[object, ...]:
    """What makes what would be written."""
    return proposal.text, proposal.section, proposal.target, proposal.type, proposal.trust, proposal.marks
