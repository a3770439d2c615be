"""Operations from the main screen: from a key to a plan, to a commit, to a toast.

They run one after the other in a thread, in the order of their keys, never on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textual.timer import Timer

from screens.actions.availability import in_quarantine
from screens.actions.keys import key_for
from screens.actions.registry import by_id
from screens.dialogs.dialog import ConfirmScreen, advice, in_keys, plan_rows, title_of, warning_rows
from screens.drawing.safe_text import Row, Shown, lines_text, row_text, sentence, words
from screens.frames.action_screen import Command
from screens.history.history_reader import HistoryReader, day_shown
from screens.loading.reader import WorkThread, path_of
from screens.loading.workspace_model import OperationCompleted, OperationRefused, moment_of, require_writable
from screens.main.request import EXPIRE, Request, allowed, plan_of
from screens.widgets.preview_pane import DetailLine
from workbench.errors import EntryNotFoundError, SecretFoundError, UsageError, WorkbenchError
from workbench.memory.entry import Entry
from workbench.memory.markdown import Document
from workbench.operations.registry import OPERATIONS
from workbench.workspace.declared_format import require_known_format
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.secrets_gate import require_no_new_secret
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.screen import MainScreen


T = TypeVar("T")


class OperationRunner(WorkThread):
    """Plans and carries out operations in its thread."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__("operations")
        self._workspace = workspace
        self._begun: tuple[tuple[str, ...], Document, Entry] | None = None
        """The entry that somebody edits: its addresses so far, its file as it was last, itself."""
        self._refused_at = float("-inf")

    def end(self) -> None:
        """Let what has begun finish; drop the rest; end git's helper process."""
        self.finish(self._workspace.close)

    # -- in the thread ---------------------------------------------------------------------------

    def recover(self) -> tuple[WorkbenchError | None, int, tuple[str, ...]]:
        """Finish what a killed process left: what is in the way, how many conflicts wait, and notes."""
        try:
            require_writable(self._workspace)
            require_known_format(self._workspace.root)
            found = self._workspace.operations.recover()
            self._workspace.state_dir()  # where nothing was done yet, this tells whether anything can be
            self._workspace.history.require_committable()
            return None, self.conflicts(), found
        except WorkbenchError as error:
            return error, 0, ()

    def conflicts(self) -> int:
        """How many texts of other writers wait."""
        return len(self._workspace.operations.conflicts())

    def planned(self, request: Request) -> Plan:
        """The plan of a request."""
        return plan_of(self._workspace, request)

    def attempt(
        self, work: Callable[[], T], request: Request, targets: tuple[Row, ...]
    ) -> T | OperationRefused:
        """What ``work`` answers, or why nothing came of it, with the plan of what needs a yes to be done."""
        try:
            return work()
        except Exception as error:
            refused = OperationRefused(request=request, error=error, targets=targets)
            agreed = allowed(request, error)
            return self._with_plan(refused, agreed) if agreed else refused

    def carry_out(self, request: Request, asked: float, shown: frozenset[str]) -> OperationCompleted:
        """Do it, as one operation that was asked for at that moment, when these entries were shown."""
        if request.action in ("undo", "redo") and asked < self._refused_at:
            raise UsageError("the action before it was refused, so this key would apply to another operation")
        try:
            done = self._workspace.operations.carry_out(lambda: plan_of(self._workspace, request))
        except Exception:
            self._refused_at = time.monotonic()
            raise
        return OperationCompleted(done, request, self.conflicts(), shown)

    def _with_plan(self, refused: OperationRefused, agreed: Request) -> OperationRefused:
        try:
            plan = self.planned(agreed)
            secret = self._secret_in(plan)
        except Exception as error:
            return replace(refused, error=error)
        if secret is not None:
            agreed = replace(agreed, allow_secrets=True)  # it is shown with the rest: one yes to all of it
        return replace(refused, agreed=agreed, plan=plan, secret=secret)

    def _secret_in(self, plan: Plan) -> SecretFoundError | None:
        """The secrets that carrying ``plan`` out would stop at."""
        history = self._workspace.history
        if not plan.allow_secrets:
            try:
                require_no_new_secret(
                    plan.edits, partial(history.blob, history.head()), brings_back=plan.brings_back
                )
            except SecretFoundError as found:
                return found
        return None

    def discard(self, kept: Path) -> tuple[str, int]:
        """Take a conflict off the list; git keeps its text in this object, and so many are left."""
        operations = self._workspace.operations
        conflict = next((one for one in operations.conflicts() if one.kept == kept), None)
        if conflict is None:
            raise UsageError("that conflict is already removed")
        return operations.discard(conflict), self.conflicts()

    def source(self, request: Request) -> Request:
        """The request with the text of its entry as it stands in its file, to be edited."""
        from workbench.operations.edit import entry_source  # noqa: PLC0415 - not before the first paint
        from workbench.operations.merge import merged_source  # noqa: PLC0415 - not before the first paint

        if request.action == "merge":
            return replace(request, text=merged_source(self._workspace, request.addresses))
        document, entry = self._workspace.locate(request.addresses[0])
        self._begun = (entry.address,), document, entry
        text = entry_source(document, entry)
        return replace(request, text=text, expected=text)

    def current_source(self, address: str) -> tuple[str | None, str]:
        """Where the entry stands that was changed while a person wrote, and how it reads; None: nowhere."""
        from workbench.history.text_similarity import counterpart  # noqa: PLC0415
        from workbench.operations.edit import entry_source  # noqa: PLC0415

        begun = self._begun if self._begun and address in self._begun[0] else None
        for name in (address, begun[0][-1]) if begun else (address,):  # a look before may have found it anew
            with contextlib.suppress(EntryNotFoundError):
                document, found = self._workspace.locate(name)
                return found.address, entry_source(document, found)
        if begun is None:
            return None, ""
        addresses, before, entry = begun
        with contextlib.suppress(FileNotFoundError):
            document = self._workspace.document(before.path)
            if now := counterpart(entry, before, document):
                self._begun = (*addresses, now.address), document, now
                return now.address, entry_source(document, now)
        return None, ""


_HISTORY_PAUSE_SECONDS = 0.2
_SHOWN_SECONDS = 1.0
"""What was done is seen long before; only a row that it does not change stays as it is."""
_PAST = {
    "promote": "Promoted", "forget": "Forgotten", "undo": "Undone", "redo": "Redone",
    "edit": "Edited", "merge": "Merged", "move": "Moved", "pin": "Pinned", "unpin": "Unpinned",
    "quarantine": "Set aside", "release": "Released", "archive": "Archived", "expire": "Cleared away",
    "accept": "Accepted", "reject": "Rejected", "defer": "Put off", "withdraw": "Withdrawn",
    "restore": "Brought back", "migrate": "Migrated",
}  # fmt: skip
_SAID_SECONDS = 0.05
"""What was done is said first: reading again meanwhile would take the time of painting it."""
_TITLE = 60
_AGAIN_SECONDS = 3.0
"""How long after a refusal it is looked whether all can be written now: a full disk may have room again."""
_BEFORE = "The last key was refused, so what was done before it would be undone:"
_GONE = "this folder does not exist now"


class OperationCommands:
    """The commands of the main screen that change memory, and the toasts and banner that report on them."""

    def __init__(self, screen: MainScreen, workspace: Workspace) -> None:
        self._screen = screen
        self.runner = OperationRunner(workspace)
        self.history_reader = HistoryReader(workspace.root, day_shown(workspace))
        self._root = str(workspace.root)
        self._past = bool(moment_of(workspace))
        self.refusal: str | None = None
        self.conflicts = 0
        self._told: dict[str, tuple[str, ...]] = {}
        """What was said of operations, by their ids."""
        self._acted_on: dict[Request, tuple[Row, ...]] = {}
        """The rows that operations were asked for, until others stand in their place."""
        self.gone = False
        """Whether the folder is not there now."""
        self._banner = dict.fromkeys(("settings", "problem", "conflicts", "jobs"), "")
        """What the banner has to say of each, the most urgent first."""
        self._again: Timer | None = None
        """Until it is looked again whether anything can be done."""
        self._refused = False
        """Whether the last key that writes was refused: an undo may mean that one, not what came before."""

    def commands(self) -> dict[str, Command]:
        """What the keys of the declared operations do, by action id; archiving and pruning show it first."""
        return {
            **{name: partial(self.act, name) for name, one in OPERATIONS.items() if one.key},
            "archive": partial(self.act, "archive", look=True),
            "prune": partial(self.ask, EXPIRE),
            "undo": partial(self.carry_out, Request(action="undo")),
            "redo": partial(self.carry_out, Request(action="redo")),
            "restore_memory": self._restore_memory,
        }

    @property
    def why(self) -> dict[str, str]:
        """What stands in the way of actions, by their ids."""
        why = {} if self.conflicts else {"conflicts": "there are no conflicts"}
        if not self._screen.memory_view.deleted:
            why["restore_memory"] = "long-term memory was not deleted"
        return why

    def _restore_memory(self) -> None:
        self.carry_out(Request(action="restore", addresses=(self._screen.memory_view.path,)))

    def begin(self) -> None:
        """Find out what can be done here."""
        self._screen.work(self._check, "check")

    async def _check(self) -> None:
        self._screen.call_later(self._checked, *await self.runner.run(self.runner.recover))

    def close(self) -> None:
        """Finish what has begun."""
        self.runner.end()
        self.history_reader.close()

    # -- asking for it ---------------------------------------------------------------------------

    def act(self, action: str, *, look: bool = False) -> None:
        """Do it: one entry needs no question; several, or a person who wants to look, are shown first."""
        context = self._screen.context()
        targets = context.marked if action == "archive" else context.targets
        if not OPERATIONS[action].subject.many:
            targets = replace(context, marked=()).targets
        pinned = {entry.address for entry in self._screen.memory_view.entries if entry.pinned}
        request = Request(action=turned(action, targets, pinned), addresses=addresses_of(targets))
        self.carry_out_or_ask(request, targets, look=look)

    def carry_out_or_ask(self, request: Request, targets: tuple[Row, ...], *, look: bool = False) -> None:
        """One entry at once, several after a look."""
        if look or len(request.addresses) > 1:
            self.ask(request, targets)
        else:
            self.carry_out(request, targets)

    def ask(self, request: Request, targets: tuple[Row, ...] = ()) -> None:
        """Show what would be done; keys that follow are for the answer."""
        self._screen.key_queue.opens()
        plan, show = partial(self.runner.planned, request), partial(self._planned, request, targets)
        self._screen.work(
            partial(self.attempt, plan, partial(self._screen.call_later, show), request, targets), "plan"
        )

    async def planned(self, request: Request) -> Plan:
        """The plan of a request."""
        return await self.runner.run(self.runner.planned, request)

    async def attempt(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        request: Request,
        targets: tuple[Row, ...] = (),
    ) -> None:
        """Give what ``work`` answers in the thread to ``done``, or publish why nothing came of it."""
        came = await self.runner.run(self.runner.attempt, work, request, targets)
        if isinstance(came, OperationRefused):
            self._screen.model.publish(came)
        else:
            done(came)

    def carry_out(self, request: Request, targets: tuple[Row, ...] = ()) -> None:
        """Do it, in the order of the keys; an undo behind a refused action is shown first."""
        if self._refused and request == Request(action="undo"):
            self.ask(request)
            return
        if targets:
            self._acted_on[request] = targets
        self._screen.work(partial(self._carry_out, request, targets), "curate")

    async def _carry_out(self, request: Request, targets: tuple[Row, ...]) -> None:
        shown = frozenset(row.address for row in self._screen.pane.list.rows if row.address)
        work = partial(self.runner.carry_out, request, time.monotonic(), shown)
        await self.attempt(work, self._screen.model.publish, request, targets)

    def allows(self, action_id: str, reason: str | None) -> bool:
        """Whether a key does something now; the ``reason`` why it does not is said."""
        if reason is None:
            self._refused = self._refused and action_id in ("undo", "palette")
        elif reason:
            self._refused = self._refused or by_id()[action_id].writes
            self._screen.warn(sentence(reason))
        return reason is None

    def forget_refusal(self) -> None:
        """The person went on to something else: the next undo is for what was done."""
        self._refused = False

    def discard(self, kept: Path) -> None:
        """Take a conflict off the list."""
        work, done = partial(self.runner.discard, kept), partial(self._screen.call_later, self._discarded)
        self._screen.work(partial(self.attempt, work, done, Request(action="discard")), "curate")

    def stands_yet(self, rows: Sequence[Row]) -> bool:
        """Whether one of these rows was acted on, and shows nothing of it yet."""
        return any(row is one for acted_on in self._acted_on.values() for one in acted_on for row in rows)

    def _over(self, request: Request) -> None:
        self._acted_on.pop(request, None)
        self._screen.key_queue.release()

    def there(self, *, there: bool) -> None:
        """The folder went: nothing can be done until it is back; or it came back."""
        self.gone = not there
        if there:
            self.begin()
            return
        self.refusal = _GONE
        self.warn("problem", f"{sentence(_GONE)}: showing the last state until it is back")

    # -- what comes of it ------------------------------------------------------------------------

    def _checked(self, error: WorkbenchError | None, conflicts: int, notes: tuple[str, ...]) -> None:
        """Say, on the banner, what does not work here and what to do about it."""
        if self._again is not None:
            self._again.stop()
        if self.gone:
            return
        self._again = self._screen.set_timer(_AGAIN_SECONDS, self.begin) if error else None
        self.refusal = error.message.removesuffix("; nothing was changed") if error else None
        hint = f" · {error.hint}" if error and error.hint else ""
        reason = self.refusal.replace(self._root, "this folder", 1) if self.refusal else ""
        self.warn("problem", sentence(reason) + hint)
        self._count(conflicts)
        for note in notes:
            self._screen.warn(in_keys(note))
        self._screen.show_hints()

    async def history(self, row: Row) -> None:
        """Show what was done to an entry, once the cursor rests on it."""
        if row.address and (self.refusal is None or self._past):
            await asyncio.sleep(_HISTORY_PAUSE_SECONDS)
            lines = await self.history_reader.lines(row.address)
            self._screen.preview.show_beneath(
                row.id, history=[DetailLine(words("history"), one) for one in lines]
            )

    def _planned(self, request: Request, targets: tuple[Row, ...], plan: Plan) -> None:
        """Show the list and the diff, and do it on a yes: exactly what was shown."""
        if request.action == "archive":
            request = replace(request, addresses=plan.entries)
        if plan.undoes:
            request = replace(request, operation=plan.undoes)
            if self._refused:
                plan = replace(plan, notes=(_BEFORE, *plan.notes))
        rows = plan_rows(plan, targets)
        self._confirm(request, ConfirmScreen(title_of(request, plan), rows), targets)

    def done(self, event: OperationCompleted) -> None:
        """Say what was done, and read again what it touched."""
        screen, operation = self._screen, event.operation
        self._refused = False
        screen.set_timer(_SHOWN_SECONDS, partial(self._over, event.request))
        if operation.action not in ("undo", "redo"):
            screen.here.unmark()
        subject = operation.summary.removeprefix(f"{operation.action}: ")
        where = [f"→ {place}" for place in self._arrived(operation, event.request)]
        back = f"{key_for('undo')} undoes it"
        if operation.action == "undo":
            back = f"{key_for('redo')} redoes it"
        said = (subject, *where, back, *map(in_keys, operation.notes))
        if operation.undoes is not None and (told := self._told.pop(operation.undoes, None)):
            screen.app.withdraw_toast(lines_text(told))
        self._told[operation.id] = said
        screen.say(*said, title=_PAST.get(operation.action, f"Done: {operation.action}"))
        self._count(event.conflicts)
        row = screen.pane.list.row
        if operation.action == "merge" and operation.became and not screen.overlay.is_open:
            screen.pane.follow(operation.became[0])  # marking has moved the cursor beyond what was merged
        elif operation.action == "edit" and row and row.address in operation.entries:
            screen.pane.follow(operation.became[0])
        elif operation.action == "undo" and row and (returned := self._back_in(event, row)):
            screen.pane.follow(returned)  # where what came back stands is where the person looks
        screen.marks_changed()
        screen.set_timer(_SAID_SECONDS, self._read_again)

    def _read_again(self) -> None:
        """Show the files as they are now; what is gone is no hit any more."""
        self._screen.refresh_files()
        self._screen.live_search.ask_again()

    def _back_in(self, event: OperationCompleted, row: Row) -> str | None:
        """The first entry that it brought back: into the file of ``row``, else into an open one."""
        entries = event.operation.entries
        if row.address in entries:
            return None
        opened = {row.path, *(one.path for one in self._screen.pane.list.rows if one.fold)}
        here = [one for one in entries if path_of(one) in opened and one not in event.shown]
        return min(here, key=lambda one: path_of(one) != row.path, default=None)

    def _arrived(self, operation: Operation, request: Request) -> list[str]:
        """Where to: the entry that took it up, the heading, or the files that are new to it."""
        if request.into is not None:
            taken = (e for e in self._screen.memory_view.entries if e.address == request.into)
            return [f"“{entry.title[:_TITLE]}”" for entry in taken]
        sections = [value for key, value in operation.trailers if key == "Section"]
        if operation.action in ("undo", "redo", "promote"):
            return sections
        there = {path_of(address) for address in operation.entries}
        new = dict.fromkeys(path_of(address) for address in operation.became)
        return [*sections, *(path for path in new if path not in there)]

    def _discarded(self, answer: tuple[str, int]) -> None:
        """Say where the text is now."""
        blob, conflicts = answer
        self._count(conflicts)
        self._screen.say(f"git keeps its text: git cat-file -p {blob[:12]}", title="Off the list")
        self._screen.screen_opener.reload()

    def refused(self, event: OperationRefused) -> None:
        """Say why nothing was done, and what to do about it; ask where a yes is all that is missing."""
        error, request = event.error, event.request
        self._over(request)
        self._refused = True
        if event.agreed and event.plan:
            warnings = warning_rows(*filter(None, (error, event.secret)))
            rows = [*warnings, *plan_rows(event.plan, event.targets)]
            title = title_of(event.agreed, event.plan, anyway=True)
            self._confirm(event.agreed, ConfirmScreen(title, rows, warning=True), event.targets)
            return
        title = f"Not done: {request.action}"
        if isinstance(error, WorkbenchError):
            self._screen.warn(error.message, advice(error), title=title)
        else:
            self._screen.say_failure(error, title)
        self._screen.refresh_files()

    def _confirm(self, request: Request, screen: ConfirmScreen, targets: tuple[Row, ...]) -> None:
        def agreed(_: bool) -> None:
            self._refused = False
            if request.text is not None:
                self._screen.key_queue.opens()  # keys that follow mean what is under the dialogs
            self.carry_out(request, targets)

        self._screen.show_dialog(screen, agreed)

    def _count(self, conflicts: int) -> None:
        """Say, on the banner, that text of another writer waits to be looked at."""
        self.conflicts = conflicts
        waits = (
            f"Text of another writer is in no memory file ({conflicts}): "
            f"{key_for('conflicts')} shows it, and `workbench inbox conflicts`"
        )
        self.warn("conflicts", waits if conflicts else "")

    def warn(self, about: str, text: str) -> None:
        """Say this on the banner, or no more: settings that do not count, and the most urgent of the rest."""
        self._banner[about] = text
        settings, *others = self._banner.values()
        urgent = next(filter(None, others), "")
        said = map(row_text, filter(None, (settings, urgent)))
        self._screen.banner.show(Shown("\n! ".join(said)))


def addresses_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """What actions take, each once."""
    return tuple(dict.fromkeys(row.address for row in rows if row.address))


def turned(action: str, targets: Sequence[Row], pinned: Set[str]) -> str:
    """``pin`` and ``quarantine``, or their opposites where all targets are pinned or set aside already.

    ``pinned`` are addresses that are known to be: a hit of a search does not say so itself.
    """
    if action == "pin" and targets and all(row.pinned or row.address in pinned for row in targets):
        return "unpin"
    if action == "quarantine" and targets and all(in_quarantine(row) for row in targets):
        return "release"
    return action
