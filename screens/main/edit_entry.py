"""Writing: an entry edited here or in the person's own editor, several made one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from screens.dialogs.confirm import ConfirmScreen
from screens.drawing.safe_text import words
from screens.main.copy import copy
from screens.main.external_editor import edited_outside
from screens.main.messages import Done, Refused, SourceRead, StandsNow
from screens.main.movement import Command
from screens.main.operation_keys import Curating, addresses_of
from screens.main.request import Request
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from screens.dialogs.editor import WritingScreen
    from screens.main.screen import MainScreen

_CHANGED_BELOW = ("entry-not-found", "conflict")


class Editing:
    """Opens the dialog to write in, and keeps what was typed until it is saved."""

    def __init__(self, screen: MainScreen, curating: Curating) -> None:
        self._screen = screen
        self._curating = curating
        self._writing: WritingScreen | None = None

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "edit": lambda: self._begin("edit"),
            "edit_outside": lambda: self._begin("edit", outside=True),
            "merge": lambda: self._begin("merge"),
        }

    def source_read(self, message: SourceRead) -> None:
        """The text is here: let the person change it."""
        if message.outside:
            self._screen.holding.opened()
            self._outside(message.request)
        else:
            self._open(message.request)

    def done(self, message: Done) -> None:
        """What was written is in its file: close the dialog."""
        writing = self._writing
        if writing is not None and message.request.action == writing.request.action:
            self._close(keep=False)

    def refused(self, message: Refused) -> None:
        """What was written stays in the dialog; where the entry changed below, both can be seen."""
        self._screen.holding.opened()
        request = message.request
        if request.action != "edit" or request.text is None:
            return
        if self._writing is None:  # it was written in another program
            self._open(request, original=request.expected)
        if getattr(message.error, "code", "") in _CHANGED_BELOW:
            self._screen.work(partial(self._curating.curator.stands_now, request), "now")

    def stands_now(self, message: StandsNow) -> None:
        """How an entry reads that changed while somebody wrote."""
        if self._writing is not None:
            self._writing.stands_now(message.address, message.source)

    def _begin(self, action: str, *, outside: bool = False) -> None:
        if self._writing is not None:
            return
        self._screen.holding.opens()
        request = Request(action=action, addresses=addresses_of(self._screen.context().targets))
        self._screen.work(partial(self._curating.curator.source, request, outside=outside), "curate")

    def _open(self, request: Request, original: str | None = None) -> None:
        """``original`` where the person has written already; else what they left unsaved comes back."""
        from screens.dialogs.editor import WritingScreen  # noqa: PLC0415 - not before the first paint

        begun = request.text if original is None else original
        if original is None and (draft := self._screen.drafts.of(request)):
            request = replace(request, text=draft)
            self._screen.say(words("What you typed before is here again"))
        title = "Edit" if request.action == "edit" else f"Merge {len(request.addresses)} entries"
        self._writing = WritingScreen(
            request,
            words(title),
            think=self._curating.curator.planned,
            save=self._save,
            leave=self._leave,
            drafts=self._screen.drafts,
            original=begun,
        )
        self._screen.show_dialog(self._writing)

    def _save(self, request: Request) -> None:
        self._screen.holding.opens()  # keys that follow mean what is under the dialog
        self._curating.carry_out(request)

    def _leave(self, request: Request) -> None:
        writing = self._writing
        if writing is None or not writing.changed:
            self._close(keep=False)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                copy(self._screen.app, request.text or "", words("what you typed"))
                self._close(keep=True)

        title = words("Leave what you typed unsaved?")
        question = ConfirmScreen(title, writing.question("entry"), answers=("leave", "go on writing"))
        self._screen.show_dialog(question, answered)

    def _close(self, *, keep: bool) -> None:
        if self._writing is not None:
            self._writing.close(keep=keep)
            self._writing = None
        self._screen.holding.opened()

    def _outside(self, request: Request) -> None:
        """In the person's own program, with the terminal to itself."""
        try:
            text = edited_outside(self._screen.app, request.text or "", away_from=self._screen.workspace.root)
        except WorkbenchError as error:
            self._curating.refused(Refused(request, error))
            return
        if text == request.text:
            self._screen.say(words("Nothing was changed"))
        else:
            self._curating.carry_out(replace(request, text=text))
