"""What a worker does: read some workspaces, make the rows of what changed in them. It writes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from indexing.embedding.port import Embedder
from indexing.shared.build_rows import Texts, embedded, rows_of
from indexing.shared.rows import Row, as_table
from indexing.shared.workspace_reader import Difference, difference
from indexing.sync.changes import reason
from workbench.errors import ModelUnavailableError
from workbench.fleet.roster import Agent

OpenModel = Callable[[], Embedder]
_MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class Recipe:
    """How rows are made, the same on every worker: ``open_model`` is None for words alone."""

    identity: str = ""
    dimension: int = 0
    open_model: OpenModel | None = None
    full: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """Some workspaces for one worker. ``known`` are the digests of their files as the table has them.

    ``attempt`` counts from 1.
    """

    agents: tuple[Agent, ...]
    attempt: int = 1
    known: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """What became of one workspace in one task; ``error`` is empty where all went well. Seconds of work."""

    name: str
    error: str = ""
    files: int = 0
    changed: int = 0
    removed: int = 0
    entries: int = 0
    embedded: int = 0
    lacking: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker brings back: ``rows`` (an Arrow table or None) are all that there is of ``files``.

    ``reading`` and ``embedding`` are seconds of the worker.
    """

    rows: Any
    files: tuple[tuple[str, str], ...]
    outcomes: tuple[TaskOutcome, ...]
    reading: float = 0.0
    embedding: float = 0.0


class Worker:
    """One worker with its model, which is opened once. Raises ModelUnavailableError where there is none."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._embedder = recipe.open_model() if recipe.open_model else None
        if self._embedder is not None and self._embedder.identity != recipe.identity:
            raise ModelUnavailableError(
                f"this worker has the model {self._embedder.identity}, and the run {recipe.identity}",
                hint="install the same model on every node",
            )

    def run(self, task: Task) -> Done:
        """The rows of what changed in the workspaces of ``task``; what fails of one is in its outcome."""
        started = time.perf_counter()
        found: dict[str, Difference] = {}
        errors: dict[str, str] = {}
        took: dict[str, float] = {}
        for agent in task.agents:
            begun = time.perf_counter()
            try:
                found[agent.name] = difference(
                    agent.path, task.known.get(agent.name, {}), believe=self._recipe.full
                )
            except Exception as error:  # the boundary: one workspace never stops the others
                errors[agent.name] = reason(error)
            took[agent.name] = time.perf_counter() - begun
        read = time.perf_counter()
        texts = self._texts(found, errors)
        rows = self._rows(found, texts)
        outcomes = tuple(
            self._outcome(agent, found.get(agent.name), errors, texts, took[agent.name])
            for agent in task.agents
        )
        files = tuple(
            (name, path)
            for name, changes in found.items()
            for path in (*(file.path for file in changes.changed), *changes.removed)
        )
        ended = time.perf_counter()
        table = as_table(rows, self._recipe.dimension) if rows else None
        return Done(table, files, outcomes, read - started, ended - read)

    def _texts(self, found: dict[str, Difference], errors: dict[str, str]) -> Texts | None:
        """The vectors of all that changed, in one go; without them nothing of it counts as found."""
        files = [file for changes in found.values() for file in changes.changed]
        if self._embedder is None or not files:
            return None
        try:
            return embedded(self._embedder, files)
        except ModelUnavailableError as error:
            for name, changes in list(found.items()):
                if changes.changed:
                    errors[name] = error.message
                    del found[name]
            return None

    def _rows(self, found: dict[str, Difference], texts: Texts | None) -> list[Row]:
        return [
            row
            for name, changes in found.items()
            for file in changes.changed
            for row in rows_of(name, file, texts, self._recipe.dimension)
        ]

    def _outcome(
        self,
        agent: Agent,
        changes: Difference | None,
        errors: Mapping[str, str],
        texts: Texts | None,
        seconds: float,
    ) -> TaskOutcome:
        if changes is None:
            return TaskOutcome(name=agent.name, error=errors[agent.name], seconds=seconds)
        said = [entry.text for file in changes.changed for entry in file.entries]
        having = sum(text in texts.known for text in said) if texts else 0
        unread = [f"{path}: {why}" for path, why in changes.failed.items()]
        more = f" (and {len(unread) - _MOST_REASONS} more)" if len(unread) > _MOST_REASONS else ""
        return TaskOutcome(
            name=agent.name,
            error="; ".join(unread[:_MOST_REASONS]) + more,
            files=changes.seen,
            changed=len(changes.changed),
            removed=len(changes.removed),
            entries=len(said),
            embedded=having,
            lacking=len(said) - having if self._recipe.dimension else 0,
            seconds=seconds,
        )
