"""Editing: an entry changed here or in the person's own editor, and several merged into one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App, SuspendNotSupported

from screens.loading.reader import path_of
from screens.loading.workspace_model import OperationCompleted, OperationRefused
from screens.main.operation_commands import OperationCommands, addresses_of
from screens.main.request import Request
from workbench.errors import EditorError, UsageError, WorkbenchError

if TYPE_CHECKING:
    from screens.dialogs.editor import WritingScreen
    from screens.main.screen import MainScreen

_CHANGED_BELOW = ("entry-not-found", "conflict")


class EditCommands:
    """Opens the dialog to write in, and keeps what was typed until it is saved."""

    def __init__(self, screen: MainScreen, operations: OperationCommands) -> None:
        self._screen = screen
        self._operations = operations
        self._dialog: WritingScreen | None = None

    @property
    def _writing(self) -> WritingScreen | None:
        """The dialog that somebody writes in."""
        return self._dialog if self._dialog and not self._dialog.over else None

    def done(self, event: OperationCompleted) -> None:
        """What was written is in its file: close the dialog."""
        writing = self._writing
        if writing is not None and event.request.action == writing.request.action:
            writing.close(keep=False)

    def refused(self, event: OperationRefused) -> None:
        """What was written stays in the dialog; where the entry changed below, both can be seen."""
        self._screen.key_queue.opened()
        request = event.request
        if request.action != "edit" or request.text is None:
            return
        if self._writing is None:  # it was written in another program
            self._open(request, original=request.expected)
        if getattr(event.error, "code", "") in _CHANGED_BELOW:
            self._look_at_disk()

    def files_changed(self, paths: Collection[str]) -> None:
        """Files changed on disk: one may be that of the entry which is being edited."""
        writing = self._writing
        if writing is None or writing.request.action != "edit":
            return
        if path_of(writing.request.addresses[0]) in paths:
            self._look_at_disk()

    def _look_at_disk(self) -> None:
        if self._writing is not None:
            self._screen.work(partial(self._show_current, self._writing), "now", exclusive=True)

    async def _show_current(self, writing: WritingScreen) -> None:
        """Show how the entry reads now, where that is not what the person began with."""
        with contextlib.suppress(WorkbenchError):  # why the file cannot be read, saving says
            runner, address = self._operations.runner, writing.request.addresses[0]
            found, source = await runner.run(runner.current_source, address)
            if self._writing is writing:
                writing.stands_now(found, source)

    def action_edit(self) -> None:
        """Edit the entry here."""
        self._begin("edit")

    def action_edit_outside(self) -> None:
        """Edit it in the person's own program."""
        self._begin("edit", outside=True)

    def action_merge(self) -> None:
        """Make one of those that are marked."""
        self._begin("merge")

    def _begin(self, action: str, *, outside: bool = False) -> None:
        if self._writing is None:
            addresses = addresses_of(self._screen.context().targets)
            self._ask_source(Request(action=action, addresses=addresses), outside=outside)

    def edit(self, address: str) -> None:
        """Open the entry at this address in the dialog to write in."""
        self._ask_source(Request(action="edit", addresses=(address,)))

    def _ask_source(self, request: Request, *, outside: bool = False) -> None:
        """Let the person change the text, once it was read."""
        self._screen.key_queue.opens()
        work = partial(self._operations.runner.source, request)
        done = partial(self._screen.call_later, self._outside if outside else self._open)
        self._screen.work(partial(self._operations.attempt, work, done, request), "curate")

    def _open(self, request: Request, original: str | None = None) -> None:
        """``original`` where the person has written already; else what they left unsaved comes back."""
        from screens.dialogs.editor import WritingScreen  # noqa: PLC0415 - not before the first paint

        title = "Edit" if request.action == "edit" else f"Merge {len(request.addresses)} entries"
        self._dialog = WritingScreen(
            request,
            title,
            think=self._operations.planned,
            save=self._save,
            thing="entry",
            drafts=self._screen.drafts,
            original=original,
        )
        self._screen.show_dialog(self._dialog)

    def _save(self, request: Request) -> None:
        self._screen.key_queue.opens()  # keys that follow mean what is under the dialog
        self._operations.carry_out(request)

    def _outside(self, request: Request) -> None:
        """In the person's own program, with the terminal to itself."""
        self._screen.key_queue.opened()
        try:
            text = edited_outside(self._screen.app, request.text or "", away_from=self._screen.workspace.root)
        except WorkbenchError as error:
            self._operations.refused(OperationRefused(request=request, error=error))
            return
        if text == request.text:
            self._screen.say("Nothing was changed")
        else:
            self._operations.carry_out(replace(request, text=text))


def edited_outside(
    app: App[None],
    source: str,
    *,
    away_from: Path,
    name: str = "entry.md",
    otherwise: str = "i edits it here",
    save: Callable[[str], None] | None = None,
) -> str:
    """What the person made of ``source`` in $VISUAL or $EDITOR, in a file ``name``.

    ``save`` is called with it where it was changed. ``otherwise`` says what to do where no editor can run.
    The interface stands still meanwhile: the terminal is the editor's. Raises UsageError where there is no
    editor or no terminal to lend, EditorError, WriteFailedError and what ``save`` raises; what was written
    by then is kept in a file that the hint names.
    """
    from workbench.editor import drafted, editor_command  # noqa: PLC0415 - not before the first paint

    try:
        command = editor_command(os.environ)
    except UsageError as error:
        raise UsageError(error.message, hint=f"set VISUAL or EDITOR before starting; {otherwise}") from error
    try:
        with drafted(source, away_from=away_from, name=name) as draft:
            failed: EditorError | None = None
            with app.suspend():  # which takes the terminal back only where nothing is raised in it
                try:
                    draft.run_editor(command)
                except EditorError as error:
                    failed = error
            if failed is not None:
                raise failed
            text = draft.text()
            if save is not None and text != source:
                save(text)
            return text
    except SuspendNotSupported as error:
        raise UsageError("this terminal cannot be given to another program", hint=otherwise) from error
