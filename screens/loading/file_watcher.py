"""Noticing that files changed below the screen: a watcher as the hint, a clock as the truth."""

from __future__ import annotations

import threading
from collections.abc import Callable

from workbench.memory.names import is_outside
from workbench.workspace.workspace import Workspace


class Watcher:
    """A thread that calls ``changed`` soon after something below the workspace changed.

    ``elsewhere`` is called when an extra path or a transcript changed by as much as is worth a run of the
    index, ``say`` when the system cannot tell of changes.
    """

    def __init__(
        self,
        workspace: Workspace,
        changed: Callable[[], object],
        elsewhere: Callable[[], object],
        say: Callable[[str], object],
    ) -> None:
        self._workspace = workspace
        self._changed = changed
        self._elsewhere = elsewhere
        self._say = say
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
        self._asked: object = None

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()

    def _run(self) -> None:
        from indexing.sync.sources import Sources  # noqa: PLC0415 - not before the first paint
        from indexing.sync.watch import Pause, hints, occasions  # noqa: PLC0415

        beside = bool(Sources(self._workspace).all[1:])
        found = hints(lambda: Sources(self._workspace), self._stop, self._say)
        try:
            for why in occasions(map(self._told, found), Pause()):
                if why == "start":
                    self._changed()  # what changed before it was watched
                if beside and not self._stop.is_set():
                    self._look_elsewhere()
        except Exception:  # a thread must not write over the screen; the screen's own clock goes on
            return

    def _told(self, changed: frozenset[str]) -> frozenset[str]:
        """Tell the screen of the workspace's own files at once; what is beside it can wait for a pause."""
        outside = frozenset(filter(is_outside, changed))
        if changed - outside:
            self._changed()
        return outside

    def _look_elsewhere(self) -> None:
        from indexing.sync.freshness import freshness  # noqa: PLC0415

        state = freshness(self._workspace)
        seen = (state.added, state.changed, state.removed, state.generation)
        if state.outside and seen != self._asked:  # what cannot be read is not asked for again and again
            self._elsewhere()
        self._asked = seen if state.outside else None
