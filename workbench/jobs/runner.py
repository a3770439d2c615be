"""A run of a job: alone in its workspace, and written down from its beginning to its end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from workbench.errors import BusyError, StoppedError
from workbench.jobs.names import Job
from workbench.jobs.run_log import JobRun, State, StepResult, StepState, keep, named
from workbench.workspace.locks import hold


def now() -> datetime:
    """This moment, with its zone."""
    return datetime.now().astimezone()


class Running:
    """A run that is under way: told what becomes of it, it keeps that at once.

    Where the disk takes no record, none is kept; the job goes on.
    """

    def __init__(self, state: Path, run: JobRun, clock: Callable[[], datetime]) -> None:
        self._state = state
        self._clock = clock
        self.run = run

    def step(self, name: str, state: StepState, error: str = "") -> None:
        """A step is over. ``error`` is the class of what went wrong in it."""
        done = StepResult(name=named(name), state=state, error=named(error) if error else None)
        self._become(replace(self.run, steps=(*self.run.steps, done)))

    def tell(self, counts: Mapping[str, int], error: str = "") -> None:
        """How it stands now: its counts, in the place of those before, and what fails in it at present."""
        counted = {named(name): count for name, count in counts.items()}
        self._become(replace(self.run, counts=counted, error=named(error) if error else None))

    def end(self, state: State, error: str = "") -> None:
        """It is over."""
        known = named(error) if error else self.run.error
        self._become(replace(self.run, state=state, ended=self._clock(), error=known))

    def _become(self, run: JobRun) -> None:
        if run != self.run:
            self.run = run
            self.keep()

    def keep(self) -> None:
        """Write it down as it is."""
        with contextlib.suppress(OSError):
            keep(self._state, self.run)


@contextlib.contextmanager
def running(
    state: Path, job: Job, *, by_clock: bool = False, clock: Callable[[], datetime] = now
) -> Iterator[Running]:
    """Run ``job`` in the block, as the only one of its kind in the workspace of the folder ``state``.

    The lock dies with its holder. A run that is killed leaves a record without an end, from which the next
    look tells that it was. Raises BusyError that names who runs, and ReadOnlyError.
    """
    with hold(state / job.lock, job.called):
        made = Running(state, JobRun(job=job, began=clock(), pid=os.getpid(), by_clock=by_clock), clock)
        made.keep()
        try:
            yield made
        except (KeyboardInterrupt, GeneratorExit, BrokenPipeError, StoppedError):
            made.end("stopped")
            raise
        except BusyError:  # somebody else does what it would have done
            made.end("stopped", "BusyError")
            raise
        except BaseException as error:
            made.end("failed", type(error).__name__)
            raise
        if job.lasting:
            made.end("stopped")
        else:
            made.end("failed" if any(one.state == "failed" for one in made.run.steps) else "done")
