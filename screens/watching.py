"""Noticing that files changed below the screen: a watcher as the hint, a clock as the truth."""

from __future__ import annotations

import threading
from collections.abc import Callable

from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

_DEBOUNCE_MS = 250
_STEP_MS = 60


class Watcher:
    """A thread that calls ``changed`` soon after something below the workspace changed."""

    def __init__(self, workspace: Workspace, changed: Callable[[], object]) -> None:
        self._workspace = workspace
        self._changed = changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watching", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()

    def _run(self) -> None:
        from watchfiles import watch  # noqa: PLC0415 - not before the first paint

        try:
            for _ in watch(
                self._workspace.root,
                watch_filter=self._matters,
                debounce=_DEBOUNCE_MS,
                step=_STEP_MS,
                stop_event=self._stop,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                self._changed()
        except Exception:
            return

    def _matters(self, _change: object, path: str) -> bool:
        """Memory files, and anything that may be a folder of them."""
        relative = path.removeprefix(f"{self._workspace.root}/")
        first = relative.partition("/")[0]
        if first in (STATE_DIR, ".git") or relative == path:
            return False
        layout = self._workspace.layout
        if relative.endswith(".md"):
            return layout.holds(relative)
        return "." not in relative.rpartition("/")[2] and not layout.prunes(relative)
