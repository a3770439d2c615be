"""Starting programs, and measuring what they take: seconds, and megabytes at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_MAXRSS = 1 << 20 if sys.platform == "darwin" else 1 << 10


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ended well.

    ``busy`` is processor time in seconds, which other work on the machine changes least. ``megabytes`` is the
    most memory that it had resident at once.
    """

    seconds: float
    busy: float
    megabytes: float
    out: str


def run(command: Sequence[str | Path], environment: Mapping[str, str]) -> Ran:
    """Run to the end. Exits with its last words when it fails."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said = out.read().decode(errors="replace")
        if child.returncode:
            words = (err.read().decode(errors="replace") or said)[-2000:]
            raise SystemExit(f"{' '.join(map(str, command))} ended with {child.returncode}:\n{words}")
        busy = usage.ru_utime + usage.ru_stime
        return Ran(seconds, busy, usage.ru_maxrss / _MAXRSS, said)


def start(command: Sequence[str | Path], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Have it run beside; nobody reads what it says."""
    none = subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, stdin=none, stdout=none, stderr=none)


class Lines:
    """A program that answers JSON lines with JSON lines for as long as it is open."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self._name = " ".join(map(str, command))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._child = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        self.megabytes = 0.0
        """The most memory that it had resident at once; known when it is closed."""

    def say(self, message: Mapping[str, Any]) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(message).encode() + b"\n")
        self._child.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The next message. Exits with the program's last words when there is none."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            self._errors.seek(0)
            words = self._errors.read().decode(errors="replace")[-2000:]
            raise SystemExit(f"{self._name} ended before it answered:\n{words}")
        found = json.loads(line)
        assert isinstance(found, dict), line
        return found

    def busy(self) -> float:
        """Processor time of its threads so far, in seconds; 0 where the system does not tell."""
        tasks = Path(f"/proc/{self._child.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        _, status, usage = os.wait4(self._child.pid, 0)
        self._child.returncode = os.waitstatus_to_exitcode(status)
        self.megabytes = usage.ru_maxrss / _MAXRSS
        self._child.stdout.close()
        self._errors.close()
