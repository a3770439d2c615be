"""What the commands share that a clock starts: they run alone, are written down, and keep a clean log."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.output import (
    narrate,
    wants_json,
)
from workbench.errors import BusyError, UsageError, WorkbenchError
from workbench.jobs.names import Job
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.health.metrics import MetricsFile
    from workbench.jobs.runner import Running


def job_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--log`` and ``--metrics``."""
    log = click.option(
        "--log", is_flag=True, help="For a clock: a line a step on stderr, without any text of memory."
    )
    metrics = click.option(
        "--metrics", metavar="FILE.prom", help="Write figures for Prometheus there when it is done."
    )
    return log(metrics(command))


def require_whole(*, log: bool, metrics: str | None, part: bool) -> None:
    """Refuse what goes with no ``--log`` or ``--metrics``. Raises UsageError."""
    if log and wants_json():
        raise UsageError("--log and --json say the same in two ways", hint="leave one of them out")
    if part and (log or metrics):
        raise UsageError("--log and --metrics are for a whole run that does something")


@contextlib.contextmanager
def speaking(job: Job, *, log: bool) -> Iterator[None]:
    """In a log an error is its class and what to do: its message may quote memory. Else it is as ever."""
    if not log:
        yield
        return
    try:
        yield
    except BusyError as error:  # which names a process, and nothing else
        narrate(f"{job.command}: busy: {error.message}")
        code = error.exit_code
    except WorkbenchError as error:
        narrate(f"{job.command}: failed ({type(error).__name__}); `workbench {job.command}` says why")
        code = error.exit_code
    except (BrokenPipeError, click.exceptions.Exit):
        raise
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "no reason given"
        narrate(f"{job.command}: failed ({type(error).__name__}: {why})")
        code = 1
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        narrate(
            f"{job.command}: failed ({type(error).__name__} at {where}), which is a fault of this program"
        )
        code = 1
    else:
        return
    raise click.exceptions.Exit(code)


class AtWork:
    """A job that is under way, with whom to tell how it goes."""

    def __init__(self, run: Running, job: Job, metrics: MetricsFile | None, *, log: bool) -> None:
        self.run = run
        self._job = job
        self._metrics = metrics
        self._log = log

    def tell(self, counts: Mapping[str, int], error: str = "") -> None:
        """How it stands now; what is new is kept, and written for Prometheus."""
        before = self.run.run
        self.run.tell(counts, error)
        if self.run.run != before:
            self.write_metrics()

    def line(self, text: str) -> None:
        """A line of the log. ``text`` is made of names of ours and counts."""
        if self._log:
            narrate(f"{self._job.command}: {text}")

    def write_metrics(self) -> None:
        """Bring the file up to date, if there is one. Raises WorkbenchError."""
        if self._metrics is not None:
            from workbench.jobs.runner import now

            self._metrics.write(now())


@contextlib.contextmanager
def at_work(place: Workspace, job: Job, *, log: bool, metrics: str | None) -> Iterator[AtWork]:
    """Run ``job`` in the block, alone. Raises BusyError that names who runs, ReadOnlyError and UsageError."""
    from workbench.jobs.runner import running

    file = None
    if metrics is not None:
        from workbench.health.metrics import MetricsFile

        file = MetricsFile.at(metrics, place)
    work: AtWork | None = None
    try:
        with running(place.state_dir(), job, by_clock=log) as run:
            work = AtWork(run, job, file, log=log)
            yield work
    except BaseException:
        if work is not None:
            with contextlib.suppress(WorkbenchError):  # what went wrong first is what is told
                _ended(work)
        raise
    _ended(work)


def _ended(work: AtWork | None) -> None:
    assert work is not None
    ended = work.run.run
    took = "" if ended.seconds is None else f" after {ended.seconds:.1f} s"
    hint = "; `workbench jobs status` says what to do" if ended.state == "failed" else ""
    work.line(f"{ended.state}{took}{hint}")
    work.write_metrics()


@contextlib.contextmanager
def until_stopped() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set; a second one does not wait.

    Entered before a job begins, so that from its first record on it can be stopped well.
    """
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        for one, before in usual.items():
            signal.signal(one, before)

    usual = {one: signal.signal(one, end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for one, before in usual.items():
            signal.signal(one, before)
