"""The Inbox screen: proposals with their reasons, to accept, reword, reject or defer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic

from textual.app import ComposeResult
from textual.content import Content

from screens.actions.keys import key_for
from screens.actions.registry import Context, FocusContext
from screens.dialogs.dialog import ConfirmScreen
from screens.dialogs.editor import WritingScreen
from screens.drawing.clock import now
from screens.drawing.safe_text import Row, plural, words
from screens.frames.overlay_screen import OverlayScreen, Services
from screens.loading.workspace_model import Stamp, file_stamp
from screens.main.copy import copy
from screens.main.key_queue import BUSY
from screens.main.operation_commands import addresses_of
from screens.main.request import Request, declared_request, plan_of
from screens.review import prompts
from screens.review.dream_job import Dreamer, new_words, progress_parts
from screens.review.prompts import accept
from screens.review.proposal_list import (
    Group,
    InboxView,
    agenda_rows,
    case_rows,
    explanation_rows,
    group_rows,
    name_of,
    outcome_rows,
    place_rows,
    run_of,
    settled_rows,
    skip_rows,
    undo_rows,
)
from screens.review.running_decisions import RunningDecisions
from screens.widgets.lines import PartsLine
from workbench.dreaming.proposals import operations
from workbench.dreaming.proposals.agent_queues import queue_files
from workbench.dreaming.proposals.decide import WORDLESS, foretold
from workbench.dreaming.proposals.inbox import Overview, PendingProposal, SettledProposal, overview
from workbench.dreaming.proposals.origins import Quotation, quotations, surroundings
from workbench.dreaming.proposals.runs import RolledBack, preview_rollback, roll_back, shared_notes
from workbench.dreaming.result import Dream, SkippedClaim
from workbench.operations.registry import OperationSpec
from workbench.workspace.layout import LEDGER
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_LOOK_SECONDS = 1.5
"""How often it is looked whether somebody else decided something."""
_BOOKS = ("proposals-", "decisions-")
_NONE = "select a proposal first"
_BRINGS_BACK = frozenset({"undo", "redo"})
"""What may bring a proposal back: decisions that follow are for that one."""
_DECIDES = frozenset(
    {"accept", "accept_marked", "reword", "reject", "reject_because", "defer", "withdraw"}
)  # fmt: skip
PAUSE_SECONDS = 1.0
"""Without a decision, after one was dropped: longer than a key that is held down takes to repeat."""
_Stamp = tuple[tuple[Path, Stamp | None], ...]


class ReviewScreen(OverlayScreen):
    """The list of what waits; beside it what accepting it would do, and why it is proposed.

    Marks count before the cursor.
    """

    PLACES = (FocusContext.REVIEW,)
    LEAVES = "review"
    SHOWN_ABOVE = "dream"

    def __init__(self, services: Services) -> None:
        super().__init__(services, "Inbox")
        self.agenda = InboxView(today=now().date())
        self._writing: WritingScreen | None = None
        self._saving = False
        """Whether the words were saved as they are now, and what came of that may not be known yet."""
        self.progress = PartsLine(id="dream-progress")
        self.dreamer = Dreamer.of(services)
        self._stamp: _Stamp = ()
        self._dreamt = self.dreamer.outcome
        self._waits: Set[str] = frozenset()
        self._decisions = RunningDecisions()
        self._drops_until = 0.0
        self._explains = False
        """Whether the score of a claim stands where what is behind the row was."""
        self._handled: set[str] = set()
        """Proposals that this hand did something to."""
        self._came: str | None = None
        """The row that came under the cursor when another hand decided on the one that was there."""

    def compose_over(self) -> ComposeResult:
        """How the dream is going."""
        yield self.progress

    def on_mount(self) -> None:
        """Hear of the dream that may be under way, and of what others decide."""
        self.dreamer.told = lambda: self.call_later(self._dream_moved)
        self._show_progress()
        self.set_interval(_LOOK_SECONDS, self.files_changed)

    def on_unmount(self) -> None:
        """The dream goes on; what comes of it is said wherever the person is by then."""
        self.dreamer.told = self._say_elsewhere

    def _say_elsewhere(self) -> None:
        """Tell of a dream that is over while another screen is open."""
        dreamer = self.dreamer
        if dreamer.running:
            return
        if dreamer.error:
            self.warn(f"Dreaming: {dreamer.error}")
        elif dreamer.outcome:
            self.say(f"Dreamt: {new_words(dreamer.outcome)}; {key_for('review')} shows what is pending")
            self.services.changed()

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return replace(super().context(), marked=self._marked())

    def why(self) -> dict[str, str]:
        """What is in the way of each action here, by its id."""
        row, marked, targets = self.row, self._marked(), self._targets()
        case = row.of if row and isinstance(row.of, PendingProposal) else None
        said: dict[str, str] = {}
        if not targets:
            said |= dict.fromkeys(("accept", "reject", "reject_because", "defer"), _NONE)
        if not marked:
            one, some, every = (key_for(name) for name in ("mark", "range", "mark_all"))
            said["accept_marked"] = f"mark some first: {one}, {some} for a range, {every} for all"
        if len(marked) > 1:
            said["reword"] = f"one proposal at a time: {key_for('back')} removes the marks"
        elif case is None:
            said["reword"] = _NONE
        elif case.proposal.action in WORDLESS:
            said["reword"] = (
                f"{case.proposal.action} takes no text: "
                f"{key_for('accept')} accepts it, {key_for('reject')} rejects it"
            )
        if not targets and not (row and isinstance(row.of, SettledProposal)):
            said["withdraw"] = "select a proposal, pending or decided"
        if row is None or not isinstance(row.of, (PendingProposal, Quotation)):
            said["see_source"] = _NONE
        if not run_of(row):
            said["roll_back"] = "select a run or one of its proposals"
        if self._copied is None:
            said["copy_entry"] = "there is nothing to copy"
        if self.dreamer.running:
            said["dream"] = f"a dream is running: {key_for('stop_dreaming')} stops it"
        else:
            said["stop_dreaming"] = f"no dream is running: {key_for('dream')} starts one"
        return said

    # -- what waits ------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read again what waits."""
        moment = now()
        read = partial(self.history_reader.run, lambda place: (_stamp(place), overview(place, moment)))
        self.load(read, partial(self._show_read, moment), "read")

    def files_changed(self) -> None:
        """Only what proposals rest on makes a difference here."""
        self.work(self._look_for_changes, "look", exclusive=True)

    async def _look_for_changes(self) -> None:
        if await self.history_reader.run(_stamp) != self._stamp:
            self.reload()

    def _show_read(self, moment: datetime, found: tuple[_Stamp, Overview]) -> None:
        """Show what waits; the cursor stays on what it is on, unless something was brought back here."""
        self._stamp, seen = found
        waited = {name_of(one.proposal) for one in self.agenda.overview.waits}
        self._waits = {name_of(one.proposal) for one in (*seen.waits, *seen.deferred)}
        came = {name_of(one.proposal) for one in seen.waits} - waited
        self.agenda = replace(self.agenda, overview=seen, today=moment.date(), outcome=self.dreamer.outcome)
        writing = self._writing
        unsaved = writing and not writing.over and not self._saving
        if writing and unsaved and writing.request.addresses[0] not in self._waits:
            said = "Another program decided on it in the meantime. Your text stays here; closing copies it."
            self.warn(said)
        before = self.row
        self.draw()
        if came and self._decisions.awaits(came | _BRINGS_BACK):
            returned = (at for at, row in enumerate(self.list.rows) if row.address in came)
            self.list.go(next(returned, self.list.cursor))
        if before and before.address and before.address not in self._waits:
            # a key that is on its way must not decide on what came there by another hand
            self._came = self.row.id if self.row and before.address not in self._handled else None
        self._decisions.shown(self._waits | _BRINGS_BACK, moment)
        self.app.main.key_queue.release()
        self.look_behind()  # what it would do may not be what it would have done

    def fails(self, error: Exception) -> None:
        """Say why there is nothing to be seen."""
        super().fails(error)
        self.list.empty = f"pending proposals cannot be read\n{self.list.empty}"
        self.nothing_behind()

    def draw(self) -> None:
        """Show what waits."""
        rows = agenda_rows(self.agenda, self.folds)
        first = None if self.list.rows else next((row.id for row in rows if row.address), None)
        self.show_rows(rows, go_to=first, empty=_empty(self.services.refusal()))

    def show_place(self) -> None:
        """How many wait, how many are marked, and where the cursor is."""
        count, marked = len(self.agenda.overview.waits), len(self.list.marked)
        said = [f"{marked} marked"] if marked else []
        said += [f"{count} {'waits' if count == 1 else 'wait'}"] if count else []
        self.list_frame.border_subtitle = Content(" · ".join(filter(None, (*said, self.list.place))))

    def marks_changed(self) -> None:
        """Marks change what actions apply to."""
        self.show_place()
        self.show_hints()

    # -- what is behind a row --------------------------------------------------------------------

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What accepting a proposal would do and why it is proposed; a source in its place; a run."""
        self._explains = False
        rows: Sequence[Row] = ()
        match row.of:
            case PendingProposal() as one:
                moment = now()
                seen = await self.history_reader.run(foretold, one, moment)
                rows = case_rows(one, seen, moment)
            case Quotation() as source:
                lines = await self.history_reader.run(surroundings, source)
                rows = place_rows(source, lines)
            case SkippedClaim() as skip:
                known = self.dreamer.explained.get(skip.key)
                rows = explanation_rows(known) if known else skip_rows(skip)
            case SettledProposal() as settled:
                rows = settled_rows(settled)
            case Dream() as outcome:
                rows = outcome_rows(outcome)
            case Group() as group:
                rows = group_rows(row.text, group)
        return rows

    def set_fold(self, row: Row, *, is_open: bool) -> None:
        """Open or close a row; the sources of a proposal are read then."""
        super().set_fold(row, is_open=is_open)
        if is_open and isinstance(row.of, PendingProposal):
            self._read_sources(row.of, partial(self._unfold, row.id), f"sources {row.id}")

    def _read_sources(
        self, one: PendingProposal, show: Callable[[Sequence[Quotation]], None], group: str
    ) -> None:
        read = partial(self.history_reader.run, quotations, one.proposal)
        self.load(read, show, group, failed=lambda error: show([Quotation(place="", gone=str(error))]))

    def _unfold(self, row_id: str, found: Sequence[Quotation]) -> None:
        self.agenda = replace(self.agenda, sources={**self.agenda.sources, row_id: found})
        self.draw()

    # -- keys ------------------------------------------------------------------------------------

    def awaits(self, action_id: str) -> bool:
        """Whether it would decide on what the list does not show yet as the decision before left it."""
        targets = {*addresses_of(self._targets()), *_BRINGS_BACK}
        return action_id in _DECIDES and self._decisions.awaits(targets)

    def action_perform(self, action_id: str, _key: str = "") -> None:
        """Do it, unless it follows a decision that was dropped without a pause.

        What is chosen with the mouse or in the palette before the list shows the last decision is refused.
        """
        if action_id in _DECIDES and monotonic() < self._drops_until:
            self._drop_keys()
        elif self.awaits(action_id):  # the mouse and the palette cannot be held
            self.warn(BUSY)
        else:
            super().action_perform(action_id, _key)

    def _drop_keys(self) -> None:
        """Drop what waits, and decisions that follow without a pause: they are not for what is there now."""
        self.app.main.key_queue.drop()
        self._drops_until = monotonic() + PAUSE_SECONDS

    def done(self, request: Request) -> None:
        """What is written in a dialog of this screen may be memory now."""
        self._decisions.done(_names(request), now())
        writing = self._writing
        if writing and request.text is not None and request.addresses == writing.request.addresses:
            writing.close(keep=False)

    def refused(self, request: Request) -> None:
        """It waits as it did: what was pressed after it would decide on what it was not meant for."""
        if self._decisions.refused(_names(request)):
            self._drop_keys()

    def on_screen_resume(self) -> None:
        """A dialog asked whether to undo: its answer does not come by here."""
        if self._decisions.refused(_BRINGS_BACK):
            self._drop_keys()

    def action_back(self) -> None:
        """Out of a range, of why, of reading, of marks; then out, while a dream goes on: its key stops it."""
        if self.list.ranging:
            self.list.end_range(keep=False)
        elif self._explains:
            self._explains = False
            self.look_behind()
        elif self._reading or not self.list.marked:
            super().action_back()
            return
        else:
            self.list.unmark()
        self.marks_changed()

    def _marked(self) -> tuple[Row, ...]:
        return tuple(self.list.marked_rows())

    def _targets(self) -> tuple[Row, ...]:
        """The proposals that an action applies to."""
        row = self.row
        return self._marked() or ((row,) if row and row.address else ())

    def _decide(self, request: Request, targets: tuple[Row, ...]) -> None:
        """One at once, several after a look."""
        if len(targets) > 1:
            self._ask(request, targets)
        elif self._looked_at():
            self.carry_out(request)

    def _ask(self, request: Request, targets: tuple[Row, ...]) -> None:
        """After a look at the list and the diff, also where it is but one."""
        self._handled |= {*request.addresses}
        self.services.ask(request, targets)

    def _decide_all(self, operation: OperationSpec, targets: tuple[Row, ...], **options: str) -> None:
        """What is declared for proposals, done to all of these."""
        self._decide(declared_request(operation, addresses_of(targets), **options), targets)

    def carry_out(self, request: Request) -> None:
        """Have it done; keys that follow wait for it, and what comes under the cursor came by this hand."""
        row = self.row
        self._handled |= {*request.addresses, (row.address or "") if row else ""}
        self._decisions.began(_names(request))
        self.services.do(request)

    def _looked_at(self) -> bool:
        """Whether the row under the cursor did not come there by another hand just now; then that is said."""
        came, self._came = self._came, None
        if not came or not self.row or self.row.id != came:
            return True
        decided = "Another program decided on this proposal in the meantime"
        self.warn(f"{decided}; this is the next one. Nothing was done")
        self._drop_keys()
        return False

    # -- decisions -------------------------------------------------------------------------------

    def action_accept(self) -> None:
        """Do what the proposal says."""
        targets = self._targets()
        self._decide(accept([row.of for row in targets]), targets)

    def action_accept_marked(self) -> None:
        """Do what those say that are marked."""
        marked = self._marked()
        self._ask(accept([row.of for row in marked]), marked)

    def action_reword(self) -> None:
        """Accept it in other words: let the person write, on from what they left unsaved."""
        row = self.row
        if row is None or not isinstance(row.of, PendingProposal):
            return
        proposal = row.of.proposal
        self._handled.add(row.address or "")
        self._saving = False
        self._writing = WritingScreen(
            accept([row.of], proposal.text),
            f"Accept with your own text: {proposal.section or proposal.action}",
            think=self._think,
            save=self._save,
            thing="proposal",
            drafts=self.services.drafts,
        )
        self.app.push_screen(self._writing)

    def _think(self, request: Request) -> Awaitable[Plan]:
        self._saving = False  # it is asked anew when something was typed
        return self.history_reader.run(plan_of, request)

    def _save(self, request: Request) -> None:
        self._saving = True
        self.services.do(request)

    def action_reject(self) -> None:
        """Say no."""
        self._decide_all(operations.REJECT, self._targets(), reason="")

    def action_reject_because(self) -> None:
        """Say no, and why."""
        targets = self._targets()
        dialog = prompts.ask_reason(f"Reject {plural(len(targets), 'proposal')} because …")
        self.services.show_dialog(
            dialog, lambda reason: self._decide_all(operations.REJECT, targets, reason=reason)
        )

    def action_defer(self) -> None:
        """Let it wait unseen until a day."""
        targets = self._targets()
        dialog = prompts.ask_day(f"Defer {plural(len(targets), 'proposal')} …", self.agenda.today)
        self.services.show_dialog(dialog, lambda day: self._decide_all(operations.DEFER, targets, until=day))

    def action_withdraw(self) -> None:
        """Take it, or what was decided of it, off the table."""
        row = self.row
        if targets := self._targets():
            self._decide_all(operations.WITHDRAW, targets)
        elif row:
            self.carry_out(declared_request(operations.WITHDRAW, [name_of(row.of.proposal)]))

    @property
    def _copied(self) -> str | None:
        """The words under the cursor, whole: of a proposal, of what was decided, of a source."""
        of = self.list.of
        if isinstance(of, (PendingProposal, SettledProposal)):
            return of.proposal.text
        return of.text or None if isinstance(of, Quotation) else None

    def action_copy_entry(self) -> None:
        """Copy the words under the cursor."""
        if text := self._copied:
            copy(self.app, text)

    # -- sources ---------------------------------------------------------------------------------

    def action_see_source(self) -> None:
        """Go to the entry that it comes from; of several, to one that is chosen."""
        of = self.list.of
        if isinstance(of, Quotation):
            self._go_to([of])
        elif isinstance(of, PendingProposal):
            self._read_sources(of, self._go_to, "source")

    def _go_to(self, sources: Sequence[Quotation]) -> None:
        there = [one for one in sources if one.address]
        if not self.is_active:  # what was opened since may hold what is being typed
            return
        if not there:
            why = sources[0].gone if sources else "it has no source"
            self.warn(f"There is no source to open: {why}")
        elif len(sources) == 1:
            self.services.go_to(there[0].address)
        else:
            self.services.show_dialog(prompts.ask_source(sources), self.services.go_to)

    # -- a whole run -----------------------------------------------------------------------------

    def action_roll_back(self) -> None:
        """Show what taking the run back would change; do it on a yes."""
        run = run_of(self.row)
        rows = partial(self.history_reader.run, _rollback_rows, run)
        self.load(rows, partial(self._ask_back, run), "roll back", failed=self.say_failure)

    def _ask_back(self, run: str, rows: list[Row]) -> None:
        if not self.is_active:  # a question must not come under what is being typed
            return

        def agreed(_: bool) -> None:
            undo = partial(self.history_reader.run, roll_back, run)
            self.load(undo, self._taken_back, "roll back", failed=self.say_failure)

        self.services.show_dialog(
            ConfirmScreen(f"Undo everything that was accepted from run {run}?", rows), agreed
        )

    def _taken_back(self, done: RolledBack) -> None:
        undone = plural(len(done.undone), "operation")
        stays = f"; {plural(len(done.refused), 'operation')} kept, because newer text conflicts"
        again = f"; {key_for('redo')} redoes the last one" if done.undone else ""
        said = f"Undone: {undone} of run {done.run}{stays if done.refused else again}"
        self.say(said, severity="warning" if done.refused else "information")
        self.services.changed()

    # -- dreaming --------------------------------------------------------------------------------

    def action_dream(self) -> None:
        """By a worker of the program, not of the screen: it goes on when the screen is closed."""
        self.app.work(self.dreamer.dream, "dreaming")

    def action_stop_dreaming(self) -> None:
        """Stop the dream that is under way."""
        self.app.work(self.dreamer.stop, "stopping")

    def _dream_moved(self) -> None:
        """Show how it is going; once it is over, what it proposes."""
        self._show_progress()
        self.show_hints()
        if not self.dreamer.running and self.dreamer.outcome is not self._dreamt:
            self._dreamt = self.dreamer.outcome
            self.services.changed()

    def _show_progress(self) -> None:
        parts = progress_parts(self.dreamer)
        self.progress.display = bool(parts)
        self.progress.show(parts)

    def action_why(self) -> None:
        """Why the claim under the cursor is, or is not, proposed; any words where there is none."""
        match self.list.of:
            case (
                PendingProposal(proposal=claim) | SettledProposal(proposal=claim) | (SkippedClaim() as claim)
            ):
                self._explain(claim.key)
            case _:
                self.services.show_dialog(prompts.ask_claim(), self._explain)

    def _explain(self, what: str) -> None:
        self._explains = True
        self.behind.show((Row("working", words("working out why …"), tone="muted"),))

        async def read() -> Sequence[Row]:
            return explanation_rows(await self.dreamer.explain(what))

        self.load_behind(read)


def _names(request: Request) -> Sequence[str]:
    """What keys that follow it wait for: its proposals, or what undoing brings back."""
    return request.addresses or (request.action,)


def _rollback_rows(workspace: Workspace, run: str) -> list[Row]:
    """The change of taking a run back, what would stay, and what of other runs goes with it."""
    plan, staying = preview_rollback(workspace, run)
    return undo_rows(plan, staying, shared_notes(workspace, run))


def _empty(refusal: str | None) -> str:
    now = f"press {key_for('dream')} to dream now, {key_for('why')} to ask why something is not proposed"
    return (
        "no proposals are pending\n"
        "Dreaming reads logs, notes and episodes, scores every claim, and proposes what is worth "
        "keeping."
        " Nothing enters long-term memory until you accept it.\n"
        f"{refusal or now}"
    )


def _stamp(workspace: Workspace) -> _Stamp:
    """What tells that the ledger, long-term memory or the queue of another agent is not as it was."""
    pages = [page for name in _BOOKS for page in sorted((workspace.root / LEDGER).glob(f"{name}*"))]
    memory = workspace.root / workspace.memory_path()
    return tuple((path, file_stamp(path)) for path in (*pages, memory, *map(Path, queue_files(workspace))))
