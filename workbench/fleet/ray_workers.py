"""Workers on Ray: a cluster by its address, else one on this machine that listens on loopback alone.

Ray's own statistics and dashboard are off: nothing is sent anywhere.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import warnings
from typing import Any, Self

from workbench.errors import UsageError, WorkbenchError
from workbench.fleet.pool import Lost
from workbench.fleet.worker import Done, Recipe, Task, Worker

_STORE_BYTES = 200_000_000
_PATIENCE_SECONDS = 120.0
"""For all workers to begin: each loads a model."""
_FAILED_STARTS = 3
"""Workers that may die one after another before they have begun; after that no other is started."""
_LONGEST_FOLDER = 30
"""Characters; Ray puts sockets below it, whose paths may have about a hundred."""

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""What keeps Ray from telling anybody anything."""

LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""With it a Ray of this machine takes 127.0.0.1 for its address, and listens nowhere else."""


class RayPool:
    """Workers that are Ray actors; one that dies is made anew. ``workers`` 0 takes all processors.

    ``address`` is that of a cluster (``auto``, ``host:port``); without it a Ray is started for this run.
    A worker is given tasks once it has begun; ``not_begun`` says of each that died before why.
    """

    def __init__(self, recipe: Recipe, *, workers: int = 0, address: str = "") -> None:
        self._recipe, self._workers, self._address = recipe, workers, address
        self._folder = ""
        self._ray: Any = None
        self.not_begun: list[str] = []
        self._failed_starts = 0
        self._starting: dict[Any, Any] = {}
        self._idle: list[Any] = []
        self._held: dict[Any, tuple[Any, Task]] = {}

    def __enter__(self) -> Self:
        """Start the workers. Raises UsageError without Ray, WorkbenchError where it does not start."""
        os.environ.update(QUIET)
        if not self._address:
            os.environ.update(LOOPBACK)
        try:
            import ray  # noqa: PLC0415 - takes a second, and is an extra
        except ImportError as error:
            raise UsageError(
                "Ray is not installed",
                hint="install the extra `fleet` (README, Install); or --workers 0 does it in this process",
            ) from error
        self._ray = ray
        try:
            with warnings.catch_warnings():
                # What Ray starts are other programs: nothing of lancedb goes on in them.
                warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
                self._start()
            # All models are loaded before the first task: what is wrong with them is said at once.
            self._begin_all()
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            self.__exit__()
            raise WorkbenchError(
                f"Ray did not start: {_why(error)}", hint="--workers 0 does it in this process"
            ) from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers, and the Ray that was started for them."""
        if self._ray is not None:
            held = [actor for actor, _ in self._held.values()]
            for actor in (*self._starting.values(), *self._idle, *held):
                with contextlib.suppress(Exception):
                    self._ray.kill(actor)
            self._ray.shutdown()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    @property
    def capacity(self) -> int:
        """As many as there are workers that have begun."""
        return len(self._idle) + len(self._held)

    @property
    def busy(self) -> int:
        """Tasks that are in hand."""
        return len(self._held)

    def submit(self, task: Task) -> None:
        """Give a task to a worker that has none."""
        actor = self._idle.pop()
        self._held[actor.run.remote(task)] = (actor, task)

    def next(self) -> tuple[Task, Done | Lost]:
        """Wait for a task to end. Raises WorkbenchError where no worker is left, and none can be started."""
        ready, _ = self._ray.wait(list(self._held), num_returns=1)
        actor, task = self._held.pop(ready[0])
        answer: Done | Lost
        try:
            answer = self._ray.get(ready[0])
            self._idle.append(actor)
        except self._ray.exceptions.RayError as error:
            answer = Lost(_why(error))
            self._ray.kill(actor)
            self._begin()
        self._take_in_begun(0)
        while not self.capacity and self._starting:
            self._take_in_begun(None)
        if not self.capacity:
            raise WorkbenchError(
                f"no worker is left, and others do not start: {self.not_begun[-1]}",
                hint="what was written stays; run it again when the cause is mended",
            )
        return task, answer

    def _begin(self) -> None:
        """Start another worker, unless the last ones all died before they had begun."""
        if self._failed_starts < _FAILED_STARTS:
            actor = self._actor()
            self._starting[actor.ready.remote()] = actor

    def _take_in_begun(self, patience: float | None) -> None:
        """Have workers that have begun wait for tasks, and others begin for those that died instead."""
        if not self._starting:
            return
        ready, _ = self._ray.wait(list(self._starting), num_returns=1, timeout=patience)
        for one in ready:
            if self._has_begun(one):
                self._failed_starts = 0
            else:
                self._failed_starts += 1
                self._begin()

    def _has_begun(self, started: Any) -> bool:
        actor = self._starting.pop(started)
        try:
            self._ray.get(started)
        except self._ray.exceptions.RayError as error:
            self.not_begun.append(_why(error))
            self._ray.kill(actor)
            return False
        self._idle.append(actor)
        return True

    def _start(self) -> None:
        if self._address:
            self._ray.init(address=self._address, log_to_driver=False, logging_level="ERROR")
            return
        self._folder = tempfile.mkdtemp(prefix="fleet-", dir=_short_folder())
        self._ray.init(
            address="local",
            num_cpus=self._workers or os.cpu_count() or 1,
            include_dashboard=False,
            object_store_memory=_STORE_BYTES,
            log_to_driver=False,
            logging_level="ERROR",
            _temp_dir=self._folder,
        )

    def _begin_all(self) -> None:
        """Start all workers, and let go of those that no processor is free for.

        Raises WorkbenchError where none begins.
        """
        for _ in range(self._count()):
            self._begin()
        starting = list(self._starting)
        ready, waiting = self._ray.wait(starting, num_returns=len(starting), timeout=_PATIENCE_SECONDS)
        begun = [self._has_begun(one) for one in ready]
        for one in waiting:
            self._ray.kill(self._starting.pop(one))
        if not ready:
            raise WorkbenchError(
                f"no worker began within {_PATIENCE_SECONDS:.0f} seconds",
                hint="the cluster has no free processor; `ray status` tells who has them",
            )
        if not any(begun):
            raise WorkbenchError(f"no worker did start: {self.not_begun[0]}")
        for _ in self.not_begun:
            self._begin()

    def _count(self) -> int:
        there = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return min(self._workers or there, there)

    def _actor(self) -> Any:
        gpus = self._ray.cluster_resources().get("GPU", 0) if self._recipe.open_model else 0
        share = min(1.0, gpus / self._count()) if gpus else 0
        kind = self._ray.remote(_RemoteWorker).options(max_restarts=0, num_cpus=1, num_gpus=share)
        return kind.remote(self._recipe)


class _RemoteWorker(Worker):
    """A worker in a process of its own."""

    def ready(self) -> int:
        """Its process, once its model is loaded."""
        return os.getpid()


def _short_folder() -> str:
    usual = tempfile.gettempdir()
    return usual if len(usual) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108 - mkdtemp makes it our own


def _why(error: BaseException) -> str:
    """Why, in one line: of an error that was raised in a worker its own."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, WorkbenchError):
        return cause.message
    if isinstance(cause, BaseException):
        return f"{type(cause).__name__}: {cause}".partition("\n")[0][:300]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next(iter(lines), type(error).__name__)[:300]
