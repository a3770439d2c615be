"""The policy of `dream --apply`: which proposals a person may accept at once, without a look at each.

Doubtful proposals wait for a person: flagged text, words that are no memory, words from outside, lines of a
log that one text alone says, and those that would change or replace something pinned, drop a number or a
name, touch too much of what is there, or leave no room. Only what the run proposes to archive makes room.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from workbench.dreaming.eviction import archive_proposals, turn_finder
from workbench.dreaming.owner_model import OwnerModel, owner_model
from workbench.dreaming.proposals.apply import ApplyBatch
from workbench.dreaming.proposals.budget import budget_of
from workbench.dreaming.proposals.decide import plan_of
from workbench.dreaming.proposals.inbox import read_book
from workbench.dreaming.proposals.information_loss import lost, merged_words
from workbench.dreaming.proposals.origins import origin_from, places_of, trust_from
from workbench.dreaming.proposals.overlay import OverlayWorkspace
from workbench.dreaming.proposals.safety_flags import flags_of
from workbench.dreaming.vetoes import veto
from workbench.errors import NotCuratableError, WorkbenchError
from workbench.frozen import frozen
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry, Kind
from workbench.memory.invariants import blocks
from workbench.memory.origin import ALLOWED, Origin
from workbench.memory.proposal import Proposal
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

MOST_TOUCHED = 0.25
"""Of the entries that long-term memory had before, the share that one run may change, replace or archive."""
YOUNG = 14
"""Days in which what was kept is not archived unseen: nothing can have been recalled yet."""
SOURCES = 2
"""Different texts, in different files, that must say what stands in the agent's own log alone."""
ACTOR = "dreaming"
_BY_OTHERS = "its source is external"


@frozen
class PolicyChoice:
    """What may be accepted unseen, what must be archived to make room for it, and the others with why."""

    taken: tuple[Proposal, ...]
    archived: tuple[Proposal, ...]
    held: tuple[tuple[Proposal, str], ...]


def choose(workspace: Workspace, proposals: Sequence[Proposal], *, now: datetime) -> PolicyChoice:
    """Which of ``proposals`` policy accepts, in their order. Reads only."""
    book = read_book(workspace)
    # Nothing but what the run proposes to archive makes room.
    leaving = {one.target for one in proposals if one.action == "archive"}
    trial = _Trial(workspace, owner_model(workspace, book), now, leaving)
    whys = [(one, book.why_closed(one) or trial.refusal(one)) for one in proposals]
    return PolicyChoice(tuple(trial.taken), trial.archived, tuple((one, why) for one, why in whys if why))


def plan_apply(
    workspace: Workspace,
    proposals: Sequence[Proposal],
    *,
    now: datetime,
    left: Sequence[tuple[str, str]] = (),
    considered: int | None = None,
) -> Plan:
    """Accept those of a run's proposals that policy may, as one operation of the actor `dreaming`.

    What is held back is named in the notes and goes on waiting. Raises NotCuratableError when that is all.
    """
    chosen = choose(workspace, proposals, now=now)
    if not chosen.taken:
        why = f"{chosen.held[0][0].key}: {chosen.held[0][1]}" if chosen.held else "there is no proposal"
        more = f" (and {len(chosen.held) - 1} more)" if len(chosen.held) > 1 else ""
        raise NotCuratableError(
            f"nothing was applied: {why}{more}",
            hint="review them with `workbench inbox list` and accept what you want",
        )
    held = [(one, f"needs your decision: {why}") for one, why in chosen.held]
    return plan_of(
        workspace,
        [*chosen.taken, *chosen.archived],
        now=now,
        actor=ACTOR,
        action="dream",
        left=[*((one.text, why) for one, why in held), *left],
        considered=considered,
        notes=[f"{one.key} {why}" for one, why in held],
    )


class _Trial:
    """Proposals laid one over the other as long as each of them may be."""

    def __init__(
        self, workspace: Workspace, model: OwnerModel, now: datetime, leaving: Collection[str]
    ) -> None:
        """``leaving`` are addresses of entries that may be archived to make room."""
        self.workspace, self.model, self.now, self.leaving = workspace, model, now, leaving
        self.batch = ApplyBatch(OverlayWorkspace(workspace), now, ACTOR)
        self.taken: list[Proposal] = []
        self.archived: tuple[Proposal, ...] = ()
        self._touched: set[str] = set()
        self._turn_of = turn_finder(workspace)
        budget = budget_of(workspace)
        self._limit = max(budget.limit, budget.used)
        self._most = int(MOST_TOUCHED * len(blocks(workspace.memory_document())))

    def refusal(self, one: Proposal) -> str:
        """Why policy does not accept it; empty where it does, and it is laid."""
        following = self.batch.followed(one)
        touched: Entry | None = None
        if following.target:
            with contextlib.suppress(WorkbenchError):  # found nowhere: it touches nothing
                touched = self.batch.foreseen.find(following.target)
        # An entry that this run has touched or made already is none more.
        is_new = touched is not None and touched.field("id") not in self.batch.ids
        touching = self._touched | {touched.address} if touched and is_new else self._touched
        if why := self._doubt(following, touched, len(touching)):
            return why
        trial = self.batch.copy()
        try:
            trial.carry(one, one.text)
            archived = self._room(trial, one.run)
        except WorkbenchError as error:
            return f"{error.message} ({error.hint})" if error.hint else error.message
        self.batch, self.archived, self._touched = trial, archived, touching
        self.taken.append(one)
        return ""

    def _doubt(self, one: Proposal, touched: Entry | None, touching: int) -> str:
        """Why a person has to look at it; the run would have changed ``touching`` entries with it."""
        if one.action == "forget":
            return "nothing is forgotten without review"
        if one.action != "archive" and (
            why := "; ".join(flags_of(one)) or veto(one.text) or _untrusted(self.workspace, one)
        ):
            return why
        if not one.target:
            return ""
        if touched is None:
            return f"{one.target} no longer exists"
        why = self._doubt_of_change(one, touched)
        if not why and touching > self._most:
            why = f"it would change more than a quarter of the earlier entries ({self._most} entries)"
        return why

    def _doubt_of_change(self, one: Proposal, touched: Entry) -> str:
        if touched.pinned:
            return "it would change a pinned entry"
        if one.action == "archive" and (why := _may_not_go(touched, self.now.date())):
            return why
        old = self.batch.foreseen.document(touched.path).text_of(touched)
        new = merged_words(old, one.text) if one.action == "merge" else one.text
        if one.action in ("merge", "supersede") and (gone := lost(old, new)):
            return f"the old entry has text that the new one lacks: {', '.join(gone)}"
        return ""

    def _room(self, trial: ApplyBatch, run: str) -> tuple[Proposal, ...]:
        """What to archive so that there is room for all of it. Raises NotCuratableError."""
        foreseen, today = trial.foreseen, self.now.date()
        spared = {
            entry.address
            for entry in foreseen.memory_document().entries
            if entry.address not in self.leaving
            or entry.field("id") in trial.ids
            or _may_not_go(entry, today)
        }
        with contextlib.suppress(NotCuratableError):
            archived = archive_proposals(
                foreseen,
                self.model,
                self.now,
                limit=self._limit,
                run=run,
                spared=spared,
                turn_of=self._turn_of,
            )
            if len(self._touched) + len(archived) <= max(self._most, 1):
                return archived
        raise NotCuratableError(
            f"no room: {foreseen.memory_path()} would have {budget_of(foreseen).used:,} of {self._limit:,} "
            "characters, and too little in it may be archived without review",
            hint="`workbench archive --dry-run` shows candidates; or raise memory_budget",
        )


def _may_not_go(entry: Entry, today: date) -> str:
    """Why an entry is not archived unseen; empty where it may be."""
    if entry.provenance is None:
        return "it was written by hand"
    if entry.provenance.trust == "owner":
        return "you said it yourself"
    kept = entry.provenance.day("at")
    is_young = kept is not None and today - kept < timedelta(days=YOUNG)
    return f"it was kept less than {YOUNG} days ago" if is_young else ""


def _untrusted(workspace: Workspace, one: Proposal) -> str:
    """Why the origin of a proposal's words is not trusted enough; empty where it is.

    A line of the agent's own log is one voice: a second one says it in another text of another file.
    """
    places = places_of(workspace, one)
    origin = origin_from(one, places)
    if not ALLOWED[origin].in_bulk:
        return _BY_OTHERS if origin is Origin.OUTSIDE else "its author is unknown"
    judged = any(gate.name == "corroboration" for gate in one.gates)
    logged = any(place.entry.kind is Kind.LOG for place in places)
    vouched = not logged and trust_from(one, places) in (Origin.OWNER, Origin.AGENT)
    if not judged or origin is Origin.OWNER or vouched:
        return ""
    texts = {claim_key(place.entry.text) for place in places}  # copies of one text are one source
    if min(len(texts), len({place.entry.path for place in places})) >= SOURCES:
        return ""
    return "only one text of the agent's log has it (copies count as one source)"
