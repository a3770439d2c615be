"""What the keys of the dream review do: decisions become requests, questions are asked first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from screens.actions.active import key_for
from screens.dialogs.choose import ChooseScreen
from screens.dialogs.confirm import ConfirmScreen
from screens.drawing.rows import Row
from screens.drawing.safe_text import plural, row_text, words
from screens.main.copy import copy
from screens.main.movement import Command
from screens.main.operation_keys import addresses_of
from screens.main.request import Request
from screens.review import decisions, prompts
from screens.review.detail import undo_rows
from screens.review.proposal_list import SETTLED
from workbench.dreaming.proposals.defer import example_day
from workbench.dreaming.proposals.runs import RolledBack, find_run, preview_rollback, roll_back, shared_with
from workbench.dreaming.proposals.source_quotes import Quotation
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.review.review import ReviewScreen

_NONE = "select a proposal first"
_WORDLESS = ("archive", "forget")
_Make = Callable[[tuple[Row, ...]], Request]
_Preview = tuple[str, tuple[tuple[Operation, str], ...], list[str]]


class Acting:
    """The commands that decide; marks count before the cursor."""

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen
        self._desk = screen.desk
        self._handled: set[str] = set()
        """Proposals that this hand did something to."""
        self._next: str | None = None
        """The row that came under the cursor when another hand decided on the one that was there."""

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "accept": lambda: self._decide(self._accept, self._targets()),
            "accept_marked": lambda: self._ask(self._accept, self._marked()),
            "copy_entry": self._copy,
            "reword": self._reword,
            "reject": lambda: self._decide(_reject, self._targets()),
            "reject_because": self._reject_because,
            "defer": self._defer,
            "withdraw": self._withdraw,
            "see_source": self._source,
            "roll_back": self._roll_back,
            "undo": lambda: self._do(Request(action="undo")),
            "redo": lambda: self._do(Request(action="redo")),
        }

    def settled_elsewhere(self, before: Row, now: Row | None) -> None:
        """What was under the cursor is gone: a key that is on its way must not decide on what came there."""
        self._next = now.id if now is not None and before.address not in self._handled else None

    def why(self) -> dict[str, str]:
        """What is in the way of each action here, by its id."""
        screen = self._screen
        row, marked = screen.list.row, self._marked()
        said: dict[str, str] = {}
        if not self._targets():
            said |= dict.fromkeys(("accept", "reject", "reject_because", "defer"), _NONE)
        if not marked:
            one, some, every = (key_for(name) for name in ("mark", "range", "mark_all"))
            said["accept_marked"] = f"mark some first: {one}, {some} for a range, {every} for all"
        case = screen.standing.case_of(row)
        if len(marked) > 1:
            said["reword"] = f"one proposal at a time: {key_for('back')} takes the marks away"
        elif case is None:
            said["reword"] = _NONE
        elif case.proposal.action in _WORDLESS:
            said["reword"] = (
                f"to {case.proposal.action} takes no words: "
                f"{key_for('accept')} accepts it, {key_for('reject')} rejects it"
            )
        if not self._targets() and not (row and row.id.startswith(SETTLED) and "/" in row.id):
            said["withdraw"] = "select a proposal, pending or decided"
        if case is None and screen.standing.quotation_of(row) is None:
            said["see_source"] = _NONE
        if screen.standing.run_of(row) is None:
            said["roll_back"] = "select a run or one of its proposals"
        if self._screen.copied is None:
            said["copy_entry"] = "there is nothing to copy"
        return said

    def under_hands(self) -> tuple[str, ...]:
        """The names of the proposals that an action would decide on."""
        return addresses_of(self._targets())

    def _targets(self) -> tuple[Row, ...]:
        """The proposals that an action applies to."""
        row = self._screen.list.row
        if marked := self._marked():
            return marked
        return (row,) if row and row.address else ()

    def _marked(self) -> tuple[Row, ...]:
        return tuple(row for row in self._screen.list.marked_rows() if row.address)

    def _decide(self, make: _Make, targets: tuple[Row, ...]) -> None:
        """One at once, several after a look."""
        if len(targets) > 1:
            self._ask(make, targets)
        elif self._looked_at():
            self._do(make(targets))

    def _ask(self, make: _Make, targets: tuple[Row, ...]) -> None:
        """After a look at the list and the diff, also where it is but one."""
        self._handled |= {*addresses_of(targets)}
        self._desk.ask(make(targets), targets)

    def _do(self, request: Request) -> None:
        row = self._screen.list.row
        self._handled |= {*request.addresses, row.address if row and row.address else ""}
        self._screen.decides(request)
        self._desk.do(request)

    def _looked_at(self) -> bool:
        """Whether the row under the cursor did not come there by another hand just now; then that is said."""
        row, came, self._next = self._screen.list.row, self._next, None
        if came is None or row is None or row.id != came:
            return True
        said = "Somebody else decided on this proposal meanwhile; this is the next one. Nothing was done"
        self._desk.say(words(said), "warning")
        return False

    def _accept(self, targets: tuple[Row, ...]) -> Request:
        cases = (self._screen.standing.case_of(row) for row in targets)
        return decisions.accept([case for case in cases if case is not None])

    # -- what is asked for first -----------------------------------------------------------------

    def _reword(self) -> None:
        row = self._screen.list.row
        one = self._screen.standing.case_of(row)
        if one is not None and row is not None and row.address:
            self._handled.add(row.address)
            self._screen.wording.begin(row.address, one)

    def _reject_because(self) -> None:
        targets = self._targets()

        def answered(reason: str | None) -> None:
            if reason:
                self._decide(partial(_reject, reason=reason), targets)

        title = words(f"Reject {plural(len(targets), 'proposal')} because …")
        dialog = ChooseScreen(
            title, prompts.reason_rows(), prompts.typed_reason, placeholder="type a reason, or choose one"
        )
        self._screen.app.push_screen(dialog, answered)

    def _defer(self) -> None:
        targets, today = self._targets(), self._screen.standing.agenda.today

        def answered(chosen: str | None) -> None:
            if day := prompts.chosen_day(chosen):
                self._decide(lambda rows: decisions.defer(addresses_of(rows), day), targets)

        title = words(f"Defer {plural(len(targets), 'proposal')} …")
        dialog = ChooseScreen(
            title,
            prompts.day_rows(today),
            partial(prompts.typed_day, today=today),
            placeholder=f"a day: {example_day(today)}, 3d or 2w",
        )
        self._screen.app.push_screen(dialog, answered)

    def _withdraw(self) -> None:
        row = self._screen.list.row
        if targets := self._targets():
            self._decide(lambda rows: decisions.withdraw(addresses_of(rows)), targets)
        elif row is not None:
            self._do(decisions.withdraw([row.id.removeprefix(SETTLED)]))

    def _copy(self) -> None:
        if text := self._screen.copied:
            copy(self._screen.app, text, plural(len(text), "character"))

    # -- sources ---------------------------------------------------------------------------------

    def _source(self) -> None:
        row = self._screen.list.row
        quotation = self._screen.standing.quotation_of(row)
        if quotation is not None:
            self._go_to([quotation])
        elif row is not None:
            self._screen.work(partial(self._choose_source, row), "source", exclusive=True)

    async def _choose_source(self, row: Row) -> None:
        try:
            quotations = await self._screen.standing.quotations_of(row, self._desk.historian)
        except Exception as error:
            self._desk.say(row_text(str(error)), "warning")
            return
        if self._screen.is_active:  # what was opened since may hold what is being typed
            self._go_to(quotations)

    def _go_to(self, sources: Sequence[Quotation]) -> None:
        there = [one for one in sources if one.address]
        if not there:
            why = sources[0].gone if sources else "it names no source"
            self._desk.say(row_text(f"There is nothing to go to: {why}"), "warning")
        elif len(sources) == 1:
            self._desk.go_to(there[0].address)
        else:
            dialog = ChooseScreen(
                words(f"Go to one of {len(sources)} sources"),
                prompts.source_choices(sources),
                lambda _: (),
                placeholder="type to narrow",
                empty="no source says that",
            )
            self._screen.app.push_screen(dialog, lambda chosen: self._desk.go_to(chosen) if chosen else None)

    # -- a whole run -----------------------------------------------------------------------------

    def _roll_back(self) -> None:
        run = self._screen.standing.run_of(self._screen.list.row)
        if run is not None:
            self._screen.work(partial(self._look_back, run), "roll back", exclusive=True)

    async def _look_back(self, run: str) -> None:
        """Show what taking it back would change; do it on a yes."""
        try:
            diff, staying, shared = await self._desk.historian.run(lambda place: _preview(place, run))
        except Exception as error:
            self._refused(error)
            return
        if not self._screen.is_active:  # a question must not come under what is being typed
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._screen.work(partial(self._take_back, run), "roll back", exclusive=True)

        title = row_text(f"Take back all that was accepted of run {run}?")
        self._screen.app.push_screen(ConfirmScreen(title, undo_rows(diff, staying, shared)), answered)

    async def _take_back(self, run: str) -> None:
        try:
            done = await self._desk.historian.run(lambda place: roll_back(place, run))
        except Exception as error:
            self._refused(error)
            return
        self._desk.say(row_text(_said(done)), "warning" if done.refused else "information")
        self._desk.changed()

    def _refused(self, error: Exception) -> None:
        """Say why nothing came of it."""
        if isinstance(error, WorkbenchError):
            self._desk.say(row_text(" → ".join(filter(None, (error.message, error.hint)))), "warning")
        else:
            self._desk.say(row_text(f"{type(error).__name__}: {error}"), "error")


def _reject(targets: tuple[Row, ...], reason: str = "") -> Request:
    return decisions.reject(addresses_of(targets), reason)


def _preview(workspace: Workspace, run: str) -> _Preview:
    """The diff of taking a run back, what would stay, and what of other runs goes with it."""
    diff, staying = preview_rollback(workspace, run)
    shared = [
        f"{operation.id} holds proposals of {', '.join(others)} too; they will wait again"
        for operation in find_run(workspace, run).standing
        if (others := shared_with(operation, run))
    ]
    return diff, staying, shared


def _said(done: RolledBack) -> str:
    undone = plural(len(done.undone), "operation")
    stays = f"; {plural(len(done.refused), 'operation')} stay, as newer text is in the way"
    again = f"; {key_for('redo')} does the last one again" if done.undone else ""
    return f"Undone: {undone} of run {done.run}{stays if done.refused else again}"
