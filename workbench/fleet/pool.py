"""Who carries tasks out: a pool of workers, of which any may die. Here the one that needs no engine."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol, Self

from workbench.fleet.worker import Done, Recipe, Task, Worker


@dataclass(frozen=True, slots=True)
class Lost:
    """A task of which nothing came back, and why."""

    why: str


class Pool(Protocol):
    """Workers. ``capacity`` tasks are in hand at a time; what is finished first comes first."""

    not_begun: list[str]
    """Of each worker that died before it had begun: why."""

    @property
    def capacity(self) -> int:
        """Tasks that can be in hand."""

    @property
    def busy(self) -> int:
        """Tasks that are in hand."""

    def submit(self, task: Task) -> None:
        """Give a task to a worker that has none."""

    def next(self) -> tuple[Task, Done | Lost]:
        """Wait for a task to end."""

    def __enter__(self) -> Self:
        """Start the workers."""

    def __exit__(self, *_: object) -> None:
        """End the workers."""


class InProcess:
    """One worker in this process."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.not_begun: list[str] = []
        self._waiting: deque[Task] = deque()

    def __enter__(self) -> Self:
        self._worker = Worker(self._recipe)
        return self

    def __exit__(self, *_: object) -> None:
        return

    @property
    def capacity(self) -> int:
        """One."""
        return 1

    @property
    def busy(self) -> int:
        """Tasks that wait for ``next``."""
        return len(self._waiting)

    def submit(self, task: Task) -> None:
        """Remember a task."""
        self._waiting.append(task)

    def next(self) -> tuple[Task, Done | Lost]:
        """Carry a task out."""
        task = self._waiting.popleft()
        return task, self._worker.run(task)
