"""Late lines: what programs wrote into files that were replaced while they had them open."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from workbench.config.read_only import VARIABLE
from workbench.errors import WorkbenchError
from workbench.plural import plural
from workbench.workspace.files import Files
from workbench.workspace.late_writes import Displaced, KeptFile
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace


def carry_late(workspace: Workspace) -> None:
    """Add late lines to their files, as every command does before it reads. Never raises.

    Nothing is done, and nothing is opened, where nothing is kept, for a moment of the past, and where this
    program was started to look only.
    """
    if workspace.today == workspace.root and _is_any_kept(workspace.root):
        with contextlib.suppress(WorkbenchError, OSError):
            workspace.operations.carry_late()


def late_in(workspace: Workspace) -> tuple[KeptFile, ...]:
    """The replaced files that are kept, and what waits in them; of a past moment those of today."""
    root = workspace.today
    return Displaced(Files(root), root / STATE_DIR, workspace.layout.may_curate).waiting()


def late_sentences(found: Sequence[KeptFile]) -> list[str]:
    """What a person should know of late lines, a sentence for each reason, with what to do."""
    said = []
    for why, what in _SAID.items():
        of = [late for late in found if late.why == why]
        if not of:
            continue
        lines = sum(late.lines for late in of)
        text = plural(len(of), "replaced file")
        if lines:
            text = f"{plural(lines, 'line')} in {text}"
        said.append(f"{text}: {what}; `workbench inbox conflicts --late` lists them")
    return said


_SAID = {
    "late lines": "written by a program that has it open; the next command that writes adds them",
    "rewritten": "rewritten by a program that has it open; the next command that writes makes it a conflict",
    "unknown origin": "not written by this workbench (unpacked, copied or of an older version): ignored",
    "not memory": "written for a file that is not memory, so they are not added to it",
    "writers unknown": "kept, as a program may still write into them",
}


CARRY_SECONDS = 1.0
"""How often a program that goes on looks for late lines."""


class LateLines:
    """Carries late lines over again and again, for a program that goes on. Safe from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._last = float("-inf")

    def carry(self, *, at_most_every: float = 0.0) -> None:
        """As ``carry_late``; what did not change since the last time is not read again.

        Nothing is done when it was done less than ``at_most_every`` seconds ago.
        """
        now = time.monotonic()
        if now - self._last >= at_most_every and _is_any_kept(self._root):
            self._last = now
            with self._lock, contextlib.suppress(WorkbenchError, OSError):
                if self._workspace is None:
                    self._workspace = Workspace.open(self._root, anyhow=True)
                carry_late(self._workspace)

    def close(self) -> None:
        """End the helper processes that were started."""
        with self._lock:
            if self._workspace is not None:
                self._workspace.close()


def _is_any_kept(root: Path) -> bool:
    if os.environ.get(VARIABLE):
        return False
    with contextlib.suppress(OSError), os.scandir(root / STATE_DIR / "displaced") as found:
        return next(found, None) is not None
    return False
