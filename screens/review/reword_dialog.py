"""A proposal in the person's own words: the dialog to write in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from textual.app import App

from screens.dialogs.confirm import ConfirmScreen
from screens.dialogs.editor import WritingScreen
from screens.drawing.safe_text import row_text, words
from screens.frames.services import Desk
from screens.main.copy import copy
from screens.main.request import Request, plan_of
from screens.review.decisions import accept
from workbench.dreaming.proposals.inbox import Waiting
from workbench.workspace.plan import Plan


class Wording:
    """Opens the dialog, and closes it once its words are memory."""

    def __init__(self, app: Callable[[], App[object]], desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._writing: WritingScreen | None = None
        self._saving = False
        """Whether it was saved as it is now, and what came of that may not be known yet."""

    def begin(self, one: Waiting) -> None:
        """Let the person write, on from what they left unsaved."""
        proposal = one.proposal
        request = accept([one], proposal.text)
        if draft := self._desk.drafts.of(request):
            request = replace(request, text=draft)
            self._desk.say(words("Your unsaved text is here again"), "information")
        self._saving = False
        self._writing = WritingScreen(
            request,
            row_text(f"Accept in your own words: {proposal.section or proposal.action}"),
            think=self._think,
            save=self._save,
            leave=self._leave,
            drafts=self._desk.drafts,
            original=proposal.text,
        )
        self._app().push_screen(self._writing)

    def done(self, request: Request) -> None:
        """Something was carried out: close the dialog, if that is what was written in it."""
        writing = self._writing
        if writing and request.text is not None and request.addresses == writing.request.addresses:
            self._close(keep=False)

    def read_anew(self, waits: Collection[str]) -> None:
        """Of proposals only these wait now; what is typed is kept, unless it is what was accepted."""
        writing = self._writing
        if writing is not None and not self._saving and writing.request.addresses[0] not in waits:
            said = "Somebody else decided on it meanwhile. Your text stays here; closing copies it."
            self._desk.say(words(said), "warning")

    def _think(self, request: Request) -> Awaitable[Plan]:
        self._saving = False  # it is asked anew when something was typed
        return self._desk.historian.run(lambda workspace: plan_of(workspace, request))

    def _save(self, request: Request) -> None:
        self._saving = True
        self._desk.do(request)

    def _leave(self, request: Request) -> None:
        if self._writing is None or not self._writing.changed:
            self._close(keep=False)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                copy(self._app(), request.text or "", words("what you typed"))
                self._close(keep=True)

        title = words("Leave what you typed unsaved?")
        rows = self._writing.question("proposal")
        self._app().push_screen(ConfirmScreen(title, rows, answers=("leave", "go on writing")), answered)

    def _close(self, *, keep: bool) -> None:
        if self._writing is not None:
            self._writing.close(keep=keep)
            self._writing = None
