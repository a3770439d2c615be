"""The switch to another workspace, which gets a main screen of its own."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.worker import WorkerError

from screens.main.screen import MainScreen
from workbench.errors import WorkbenchError
from workbench.workspace.registry import Registry, free_name, memory_root, read_registry, register
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.app import WorkbenchApp

HERE, ADD = "here", "add"
OPEN, KEEP = "open:", "keep:"
"""How the ids of rows begin that open a folder, and of those that put it on the list too."""


_STILL = "Still in this workspace"
_ASKED_FOR = ("curate", "plan")
"""The groups of workers that do what a person asked for."""


class WorkspaceSwitch:
    """Offers the workspaces, and exchanges the main screen of ``app``.

    Nothing of a main screen is reused: the new one has its own readers, engines, watchers and time travel,
    and the old one is ended as at the end of the program, after the work that was asked for on it. Keys and
    clicks between the choice and the new screen belong to neither: they are dropped, and a toast says so.
    """

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._under_way = False
        self._left_out = False
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def why_not(self) -> str | None:
        """Why only this workspace can be shown: who was let in through a browser sees no other."""
        return "a browser is served this workspace only" if self._app.is_web else None

    def stops(self, event: events.Event) -> bool:
        """Whether it comes while one workspace is being exchanged for another; the way out is open."""
        if not self._under_way:
            return False
        if isinstance(event, events.Key) and not event.is_forwarded:
            stops = event.key != "ctrl+c"
            self._left_out |= stops
            return stops
        return isinstance(event, (events.Paste, events.MouseEvent))

    def offer(self) -> None:
        """Show the workspaces to choose from; keys that follow are for the answer."""
        self._app.main.key_queue.opens()
        self._app.main.work(self._offer, "workspaces")

    def go(self, root: Path, *, at: str = "", keep: bool = False) -> None:
        """Show the workspace in ``root``, the cursor on the address ``at``; ``keep`` puts it on the list."""
        self._under_way = True
        self._app.work(partial(self._exchange, root, at, keep), "switching")

    async def close(self) -> None:
        """Wait for old screens to end."""
        await asyncio.gather(*self._ending, return_exceptions=True)

    # -- choosing --------------------------------------------------------------------------------

    async def _offer(self) -> None:
        try:
            known = await asyncio.to_thread(read_registry)
        except WorkbenchError as error:
            self._app.main.key_queue.opened()
            self._app.main.say_failure(error, _STILL)
        else:
            self._app.main.call_later(self._show, known)

    def _show(self, known: Registry) -> None:
        from screens.workspaces.picker import WorkspaceChooser  # noqa: PLC0415 - not before the first paint

        here = self._app.workspace.today

        def leaves(chosen: str) -> None:
            self._under_way = chosen not in (HERE, ADD)

        def answered(chosen: str) -> None:
            if chosen == ADD:
                self._app.main.work(partial(self._add, here), "workspaces")
            elif chosen != HERE:
                self.go(Path(chosen.removeprefix(KEEP).removeprefix(OPEN)), keep=chosen.startswith(KEEP))

        self._app.main.show_dialog(WorkspaceChooser(known, here, leaves), answered)

    async def _add(self, root: Path) -> None:
        def add() -> str:
            return register(root, free_name(root, read_registry())).name

        try:
            name = await asyncio.to_thread(add)
        except WorkbenchError as error:
            self._app.main.say_failure(error, _STILL)
        else:
            self._app.main.name_it()
            self._app.main.say(f"This workspace is on the list as {name}")

    # -- exchanging ------------------------------------------------------------------------------

    async def _exchange(self, root: Path, at: str, keep: bool) -> None:
        app, old = self._app, self._app.main
        try:
            root = await asyncio.to_thread(memory_root, root)
            if root == app.workspace.today:
                old.call_later(old.navigation.to, at)
            elif not await self._settled(old):
                old.warn("Answer this question first")
            else:
                place = await asyncio.to_thread(partial(Workspace.open, root, anyhow=True))
                await self._replace(old, place, at)
            if keep:
                await self._add(root)
        except (WorkbenchError, OSError) as error:
            old.say_failure(error, _STILL)
        finally:
            self._under_way = False
            if self._left_out:
                self._left_out = False
                app.main.say("Keys pressed while the workspace changed were ignored")

    async def _settled(self, old: MainScreen) -> bool:
        """Whether all that was asked for on ``old`` is done, and none of it asks something back."""
        old.key_queue.drop()
        busy = [w for w in self._app.workers if w.node is old and w.group in _ASKED_FOR and not w.is_finished]
        with contextlib.suppress(WorkerError):  # what failed says so itself
            await self._app.workers.wait_for_complete(busy)
        heard = asyncio.Event()
        old.call_later(heard.set)  # behind what they have told
        await heard.wait()
        return self._app.screen is old

    async def _replace(self, old: MainScreen, place: Workspace, at: str) -> None:
        old.drafts.keep_all()
        new = self._app.take_up(place, at)
        if not old._result_callbacks:  # the first screen of all has none, which Textual would stumble over
            old._push_result_callback(old, None)
        await self._app.switch_screen(new)
        task = asyncio.create_task(old.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
