"""Who carries tasks out: this process, or workers on Ray, of which any may die.

Ray schedules, keeps a process for each worker, and starts another where one dies: a cluster by its address,
else one on this machine that listens on loopback alone. Its statistics and dashboard are off: nothing is sent
anywhere.
"""

from __future__ import annotations

import functools
import os
import pickle
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

from workbench.errors import UsageError, WorkbenchError
from workbench.fleet.worker import Done, Recipe, Task, Worker

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""What keeps Ray from telling anybody anything."""
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""With it a Ray of this machine takes 127.0.0.1 for its address, and listens nowhere else."""
RETRIES = 2
"""Times that Ray gives the task of a worker that died to another one."""
_STORE_BYTES = 200_000_000
_PATIENCE_SECONDS = 120.0
"""For the first worker to begin: it loads a model."""
_LONGEST_FOLDER = 30
"""Characters; Ray puts sockets below it, whose paths may have about a hundred."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A task of which nothing came back, and why."""

    why: str


Brought: TypeAlias = "tuple[Task, Done | Lost]"
"""A task, and what came of it."""


class Pool(Protocol):
    """Workers, from the beginning of a block to its end."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        """Carry tasks out, several at a time; what is finished first comes first."""

    def __enter__(self) -> Self:
        """Start the workers."""

    def __exit__(self, *_: object) -> None:
        """End the workers."""


class InProcess:
    """One worker in this process."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe

    def __enter__(self) -> Self:
        self._worker = Worker(self._recipe)
        return self

    def __exit__(self, *_: object) -> None:
        return

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        """Carry tasks out, one after the other."""
        for task in tasks:
            yield task, self._worker.run(task)


class RayPool:
    """Processes of Ray, each with a worker. ``workers`` 0 takes all processors.

    ``address`` is that of a cluster (``auto``, ``host:port``); without it a Ray is started for this run.
    """

    def __init__(self, recipe: Recipe, *, workers: int = 0, address: str = "") -> None:
        self._recipe = pickle.dumps(recipe)
        self._has_model = recipe.open_model is not None
        self._workers, self._address = workers, address
        self._folder = ""
        self._ray: Any = None
        self._function: Any = None
        self._at_a_time = 0

    def __enter__(self) -> Self:
        """Start Ray and its first worker, so that what is wrong with the model is said at once.

        Raises UsageError without Ray, WorkbenchError where it does not start.
        """
        os.environ.update(QUIET if self._address else QUIET | LOOPBACK)
        try:
            import ray  # noqa: PLC0415 - takes a second, and is an extra
        except ImportError as error:
            raise UsageError(
                "Ray is not installed",
                hint="install the extra `fleet` (README, Install); or --workers 0 runs in this process",
            ) from error
        self._ray = ray
        try:
            with warnings.catch_warnings():
                # What Ray starts are other programs: nothing of lancedb goes on in them.
                warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
                self._start()
            self._begin()
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            self.__exit__()
            raise WorkbenchError(
                f"Ray did not start: {_why(error)}", hint="--workers 0 runs in this process"
            ) from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers, and the Ray that was started for them."""
        if self._ray is not None:
            self._ray.shutdown()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        """Carry tasks out, several at a time; what is finished first comes first."""
        held: dict[Any, Task] = {}
        for task in tasks:
            held[self._function.remote(self._recipe, task)] = task
            if len(held) >= self._at_a_time:
                yield self._finished(held)
        while held:
            yield self._finished(held)

    def _finished(self, held: dict[Any, Task]) -> Brought:
        """Wait for one of the tasks to end, which is then held no more."""
        (ready,), _ = self._ray.wait(list(held), num_returns=1)
        task = held.pop(ready)
        try:
            done: Done = self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            return task, Lost(_why(error))
        return task, done

    def _start(self) -> None:
        if self._address:
            self._ray.init(address=self._address, log_to_driver=False, logging_level="ERROR")
            return
        usual = tempfile.gettempdir()
        short = usual if len(usual) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108 - mkdtemp makes it our own
        self._folder = tempfile.mkdtemp(prefix="fleet-", dir=short)
        self._ray.init(
            address="local",
            num_cpus=self._workers or os.cpu_count() or 1,
            include_dashboard=False,
            object_store_memory=_STORE_BYTES,
            log_to_driver=False,
            logging_level="ERROR",
            _temp_dir=self._folder,
        )

    def _begin(self) -> None:
        """Have one worker open its model. Raises WorkbenchError where none can."""
        there = self._ray.cluster_resources()
        processors = max(1, int(there.get("CPU", 1)))
        workers = min(self._workers or processors, processors)
        gpus = there.get("GPU", 0) if self._has_model else 0
        self._function = self._ray.remote(max_retries=RETRIES, num_cpus=1, num_gpus=min(1.0, gpus / workers))(
            _carry_out
        )
        # One more than there are workers, so that none waits while this process reads and writes.
        self._at_a_time = workers + 1
        try:
            self._ray.get(self._function.remote(self._recipe, Task()), timeout=_PATIENCE_SECONDS)
        except self._ray.exceptions.GetTimeoutError as error:
            raise WorkbenchError(
                f"no worker started within {_PATIENCE_SECONDS:.0f} seconds",
                hint="the cluster has no free processor; `ray status` shows what uses them",
            ) from error
        except self._ray.exceptions.RayError as error:
            raise WorkbenchError(f"no worker started: {_why(error)}") from error


def _carry_out(recipe: bytes, task: Task) -> Done:
    """Carry a task out, in a process of Ray's."""
    return _worker(recipe).run(task)


@functools.cache
def _worker(recipe: bytes) -> Worker:
    """The worker of this process: its model is loaded once."""
    made: Recipe = pickle.loads(recipe)  # noqa: S301 - this program made it
    return Worker(made)


def _why(error: BaseException) -> str:
    """Why, in one line: of an error that was raised in a worker its own."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, WorkbenchError):
        return cause.message
    if isinstance(cause, BaseException):
        return f"{type(cause).__name__}: {cause}".partition("\n")[0][:300]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next(iter(lines), type(error).__name__)[:300]
