"""Promote, forget, undo, redo, copy: from a key to an operation, and from an operation to a toast."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from screens.confirm import ConfirmScreen
from screens.curator import Curator
from screens.historian import Historian
from screens.messages import Planned, Refused
from screens.moving import Command
from screens.rows import Row
from screens.shown import Shown, plural, row_text, words
from workbench.errors import WorkbenchError
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main import MainScreen

_HISTORY_PAUSE_SECONDS = 0.2
_PAST = {"promote": "Promoted", "forget": "Forgotten", "undo": "Taken back", "redo": "Done again"}


class Curating:
    """What a person does to the memory, from this screen."""

    def __init__(self, screen: MainScreen, workspace: Workspace) -> None:
        self._screen = screen
        self._curator = Curator(workspace, screen.post_message)
        self._historian = Historian(workspace.root, screen.post_message)
        self._root = str(workspace.root)
        self.refusal: str | None = None

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "promote": lambda: self._act("promote"),
            "forget": lambda: self._act("forget"),
            "undo": lambda: self._carry_out("undo"),
            "redo": lambda: self._carry_out("redo"),
            "copy_entry": self._copy_entry,
            "copy_path": self._copy_path,
        }

    def begin(self) -> None:
        """Find out what can be done here."""
        self._screen.work(self._curator.check_writable, "check")

    def close(self) -> None:
        """Finish what has begun."""
        self._curator.close()
        self._historian.close()

    def writable(self, error: WorkbenchError | None) -> None:
        """Say, on the banner, what does not work here and what to do about it."""
        self.refusal = error.message if error else None
        hint = f" · {error.hint}" if error and error.hint else ""
        reason = error.message.replace(self._root, "this folder", 1) if error else ""
        self._screen.banner.show(row_text(reason[:1].upper() + reason[1:] + hint))
        self._screen.show_hints()

    async def history(self, row: Row) -> None:
        """What was done to an entry, once the cursor rests on it."""
        if self.refusal is None and row.address:
            await asyncio.sleep(_HISTORY_PAUSE_SECONDS)
            await self._historian.tell(row.id, row.address)

    def planned(self, message: Planned) -> None:
        """Show the list and the diff, and do it on a yes."""

        def answered(yes: bool | None) -> None:
            if yes:
                self._carry_out(message.plan.action, addresses_of(message.targets))

        self._screen.app.push_screen(ConfirmScreen(message.plan, message.targets), answered)

    def done(self, operation: Operation) -> None:
        """Say what was done, and read again what it touched."""
        screen = self._screen
        if operation.action in ("promote", "forget"):
            screen.here.mark(set(screen.here.marked), on=False)
        subject = operation.summary.removeprefix(f"{operation.action}: ")
        back = {"undo": "U does it again", "redo": "u takes it back"}.get(operation.action, "u takes it back")
        sections = [f"→ {value}" for key, value in operation.trailers if key == "Section"]
        text = "\n".join((subject, *sections, back)) + "".join(f"\n{note}" for note in operation.notes)
        lines = "\n".join(row_text(line) for line in text.split("\n"))
        screen.say(Shown(lines), title=words(_PAST.get(operation.action, "Done")))
        screen.refresh_files()
        screen.searching.ask_again()  # what is gone is no hit any more
        screen.marks_changed()

    def refused(self, message: Refused) -> None:
        """Say why nothing was done, and what to do about it."""
        error = message.error
        title = words(f"Not done: {message.action}")
        if isinstance(error, WorkbenchError):
            text = "\n".join(filter(None, (row_text(error.message), row_text(error.hint))))
            self._screen.say(Shown(text), title=title, severity="warning")
        else:
            text = row_text(f"{type(error).__name__}: {error}")
            self._screen.say(Shown(text), title=title, severity="error")
        self._screen.refresh_files()

    def _act(self, action: str) -> None:
        """One entry needs no question; several are shown first."""
        targets = self._screen.context().targets
        addresses = addresses_of(targets)
        if len(addresses) > 1:
            self._screen.work(partial(self._curator.plan, action, targets), "plan")
        else:
            self._carry_out(action, addresses)

    def _carry_out(self, action: str, addresses: tuple[str, ...] = ()) -> None:
        self._screen.work(partial(self._curator.carry_out, action, addresses), "curate")

    def _copy_entry(self) -> None:
        row = self._screen.here.row
        if row:
            text = row.entry.text if row.entry else row.text
            self._copy(text, plural(len(text), "character"))

    def _copy_path(self) -> None:
        row = self._screen.here.row
        if row and row.path:
            place = f"{row.path}:{row.line}"
            self._copy(place, row_text(place))

    def _copy(self, text: str, what: Shown) -> None:
        text = text.encode("utf-8", "replace").decode("utf-8")
        self._screen.app.copy_to_clipboard(text)
        self._screen.say(words(f"Copied {what} through the terminal (OSC 52)"))


def addresses_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """What actions take, each once."""
    return tuple(dict.fromkeys(row.address for row in rows if row.address))
