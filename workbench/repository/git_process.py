"""GitPython's command runner, watched: a git that waits for a named pipe is ended and says for which."""

from __future__ import annotations

import contextlib
import functools
import os
import select
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import git

from workbench.errors import RepositoryStateError, WorkbenchError
from workbench.special_files import require_regular_repository

_FIRST_SECONDS = 1.0
"""After this long without an answer, and again after each time twice as long, git's files are looked at."""
_IDLE_SECONDS = 60.0
"""A git that has neither ended nor used its processor for this long waits for something that never comes."""
_END_SECONDS = 1.0


class GitRunner(git.Git):  # type: ignore[misc]  # it has no types
    """Starts git in one folder. ``may_wait`` is set where it may wait for another machine.

    Only ``git_runner.outcome`` and lasting readers call it: what GitPython itself waits for is not watched.
    """

    may_wait = False
    own_dir: Path | None = None
    """The git directory of ours that it works on, where that is not the one of its folder."""

    @property
    def version_info(self) -> tuple[int, ...]:
        """The numbers of git's version; a program is asked once, and again when another stands in its place.

        Raises GitCommandNotFound, or GitCommandError.
        """
        program = shutil.which(self.GIT_PYTHON_GIT_EXECUTABLE or "git")
        return _version(program, os.stat(program).st_mtime_ns) if program else super().version_info

    def answer(self, process: Any, data: bytes | None = None) -> tuple[bytes, bytes]:
        """What a git prints that is given ``data``, and what it complains of, once it has ended.

        Raises SpecialFileError, having ended it, when it does not go on and a special file is in its way, and
        RepositoryStateError when it has stood still for a minute.
        """
        watch = _Watch(_Patience(self, process))
        watch.start()  # `communicate` with a time limit would sleep and look, a little longer each time
        try:
            out, err = process.proc.communicate(data)
        finally:
            watch.ended.set()
        if watch.error:
            raise watch.error
        return out or b"", err or b""

    def await_output(self, process: Any) -> None:
        """Return when something can be read of what ``process`` prints. Raises as ``answer`` does."""
        patience = _Patience(self, process)
        waiting = select.poll()
        waiting.register(process.stdout, select.POLLIN)
        try:
            while not waiting.poll(patience.seconds * 1_000):
                patience.require_hope()
        except WorkbenchError:
            _end(patience.process)
            raise


@functools.cache
def _version(program: str, _changed: int) -> tuple[int, ...]:
    return git.Git().version_info  # type: ignore[no-any-return]  # it has no types


class _Patience:
    """How long one git has been waited for, and whether that still makes sense."""

    def __init__(self, runner: GitRunner, process: Any) -> None:
        self._runner = runner
        self.process: subprocess.Popen[bytes] = process.proc
        self._used = -1.0
        self._idle = 0.0
        self.seconds = _FIRST_SECONDS

    def require_hope(self) -> None:
        """Raise when the process waits for what never comes; ``seconds`` have passed."""
        place = self._runner.own_dir or Path(self._runner.working_dir or ".")
        require_regular_repository(place, loose_objects=True)
        used = _processor_seconds(self.process.pid)
        self._idle = self._idle + self.seconds if used == self._used else 0.0
        self._used = used
        if self._idle >= _IDLE_SECONDS and not self._runner.may_wait:
            raise RepositoryStateError(
                f"git has not responded for {self._idle:.0f} seconds in {self._runner.working_dir}",
                hint="its configuration or an attribute file may point to a pipe, or to a disk that does "
                "not respond: `git status` shows whether git works there",
            )
        self.seconds *= 2


class _Watch(threading.Thread):
    """Ends a git that somebody else waits for; ``error`` says why it had to."""

    def __init__(self, patience: _Patience) -> None:
        super().__init__(name="git", daemon=True)
        self._patience = patience
        self.ended = threading.Event()
        self.error: WorkbenchError | None = None

    def run(self) -> None:
        while not self.ended.wait(self._patience.seconds):
            try:
                self._patience.require_hope()
            except WorkbenchError as error:
                self.error = error
                _end(self._patience.process)
                return


def _processor_seconds(pid: int) -> float:
    """What a process and those that it started have used; a number that never grows where nobody knows."""
    import psutil  # noqa: PLC0415 - hardly ever needed

    used = 0.0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = one.cpu_times()
                used += times.user + times.system
    return used


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have it take its lock files with it, or else end without."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)
    process.kill()
