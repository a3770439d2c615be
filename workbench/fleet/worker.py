"""What a worker does: make the rows of what changed in some workspaces. It needs none of their files.

``read`` runs where the workspaces are, and a task carries what it read. The model is that of the person who
runs the fleet; every worker opens it for itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.port import Embedder
from indexing.shared.rows import Row, as_table, embedded, rows_of
from indexing.shared.workspace_reader import Difference, difference
from indexing.sync.entry_vectors import TextVectors
from workbench.config.settings import Settings, load
from workbench.errors import ModelUnavailableError, UsageError, reason_of
from workbench.fleet.roster import Agent

OpenModel = Callable[[], Embedder]
_MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class Recipe:
    """How rows are made, the same on every worker: ``open_model`` is None for keyword search only."""

    identity: str = ""
    dimension: int = 0
    open_model: OpenModel | None = None
    full: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """Some workspaces for one worker: what changed in each by its name, or why it could not be read.

    ``reading`` are the seconds that it took.
    """

    agents: tuple[Agent, ...] = ()
    found: Mapping[str, Difference] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    reading: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOutcome:
    """What became of one workspace in one task; ``error`` is empty where all went well."""

    name: str
    error: str = ""
    files: int = 0
    changed: int = 0
    removed: int = 0
    entries: int = 0
    embedded: int = 0
    lacking: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker brings back: ``rows`` (an Arrow table or None) are all that there is of ``files``.

    ``reading`` are the seconds of the task, ``embedding`` those of the worker.
    """

    rows: Any
    files: tuple[tuple[str, str], ...]
    outcomes: tuple[TaskOutcome, ...]
    reading: float = 0.0
    embedding: float = 0.0


def read(agents: tuple[Agent, ...], known: Mapping[str, Mapping[str, str]], *, full: bool = False) -> Task:
    """What changed in workspaces since the table had the ``known`` digests of their files.

    ``full`` takes a workspace that lost all its files at its word.
    """
    started = time.perf_counter()
    found: dict[str, Difference] = {}
    errors: dict[str, str] = {}
    for agent in agents:
        try:
            found[agent.name] = difference(agent.path, known.get(agent.name, {}), believe=full)
        except Exception as error:  # the boundary: one workspace never stops the others
            errors[agent.name] = reason_of(error)
    return Task(agents, found, errors, time.perf_counter() - started)


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
        found, errors = dict(task.found), dict(task.errors)
        texts = self._texts(found, errors)
        dimension = self._recipe.dimension
        rows: list[Row] = []
        files: list[tuple[str, str]] = []
        for name, changes in found.items():
            for file in changes.changed:
                rows += rows_of(name, file, texts, dimension)
            files += [(name, path) for path in (*(one.path for one in changes.changed), *changes.removed)]
        outcomes = tuple(
            self._outcome(agent.name, found[agent.name], texts)
            if agent.name in found
            else TaskOutcome(name=agent.name, error=errors[agent.name])
            for agent in task.agents
        )
        table = as_table(rows, dimension) if rows else None
        return Done(table, tuple(files), outcomes, task.reading, time.perf_counter() - started)

    def _texts(self, found: dict[str, Difference], errors: dict[str, str]) -> TextVectors | None:
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

    def _outcome(self, name: str, changes: Difference, texts: TextVectors | None) -> TaskOutcome:
        said = [entry.text for file in changes.changed for entry in file.entries]
        having = sum(text in texts.known for text in said) if texts else 0
        unread = [f"{path}: {why}" for path, why in changes.failed.items()]
        more = f" (and {len(unread) - _MOST_REASONS} more)" if len(unread) > _MOST_REASONS else ""
        return TaskOutcome(
            name=name,
            error="; ".join(unread[:_MOST_REASONS]) + more,
            files=changes.seen,
            changed=len(changes.changed),
            removed=len(changes.removed),
            entries=len(said),
            embedded=having,
            lacking=len(said) - having if self._recipe.dimension else 0,
        )


def recipe(*, vectors: bool, full: bool, spend: bool) -> Recipe:
    """How rows are made by the person's own settings.

    Raises ModelUnavailableError where there is no model, UsageError for a provider that costs money unless
    ``spend``.
    """
    if not vectors:
        return Recipe(full=full)
    choice = _choice(_own_settings())
    if choice.service is not None and choice.service.charges and not spend:
        raise UsageError(
            f"{choice.identity} costs money, and all texts of the fleet would be sent to it",
            hint="--yes agrees; `embedding_providers: local` in your settings takes a model of this machine",
        )
    embedder = choice.open()
    embedder.probe()
    return Recipe(choice.identity, embedder.dimension, open_own_model, full)


def open_own_model() -> Embedder:
    """The model of the settings of whoever runs this process. Raises ModelUnavailableError."""
    return _choice(_own_settings()).open()


def model_for_questions(identity: str, dimension: int) -> tuple[Embedder | None, str]:
    """The model that made a table, for questions; or None and why."""
    if not identity:
        return None, "there are no vectors"
    try:
        found = choices(_own_settings(), threads=1).that_made(identity)
        if found is None:
            return None, f"the vectors are those of {identity}, which your settings do not name"
        embedder = found.open_for_questions()
    except ModelUnavailableError as error:
        return None, error.message
    embedder.expect(dimension)
    return embedder, ""


def _own_settings() -> Settings:
    """The person's own settings alone: no workspace of a fleet says which model is used."""
    return load(Path(os.devnull, "workbench.yaml"))


def _choice(settings: Settings) -> ModelChoice:
    try:
        return choices(settings, threads=1).first()
    except ModelUnavailableError as error:
        raise ModelUnavailableError(error.message, hint="--no-vectors goes by keyword only") from error
