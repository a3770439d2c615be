"""The workspaces of a fleet, what a worker does for some of them, and who carries its tasks out."""

from __future__ import annotations

import functools
import os
import pickle
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Self, TypeAlias

import msgspec
import yaml

from indexing.embedding.choice import ModelChoice, choices
from indexing.embedding.port import Embedder
from indexing.many_workspaces.rows import Difference, as_table, difference, embedded, rows_of
from workbench.config.settings import own_settings
from workbench.errors import ModelUnavailableError, UsageError, WorkbenchError, reason_of
from workbench.frozen import frozen, frozen_kw_only

# -- the list of workspaces that a fleet is made of --------------------------------------------------

MOST_BYTES = 500_000_000
_LONGEST = 500
_LOOK = "one workspace a line: a folder, or a folder, a TAB and a name; or JSON lines; or a YAML list"


@frozen
class Agent:
    """One workspace: ``name`` by which the index knows it, and its folder."""

    name: str
    path: str


class _Listed(msgspec.Struct):
    """A workspace as a list of JSON or YAML has it."""

    path: str
    name: str = ""


def read_roster(file: str) -> tuple[Agent, ...]:
    """The workspaces that ``file`` lists, ``-`` for stdin, in their order.

    Relative folders are relative to the file. A workspace without a name is called as its folder is written.
    Raises UsageError for a line that makes no sense, and for a name that two have.
    """
    try:
        if file == "-":
            data, base = sys.stdin.buffer.read(MOST_BYTES + 1), os.getcwd()
        else:
            with open(file, "rb") as opened:
                data = opened.read(MOST_BYTES + 1)
            base = os.path.dirname(os.path.abspath(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", hint=_LOOK) from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{file} is larger than {MOST_BYTES // 1_000_000} MB", hint="divide it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8", hint=_LOOK) from error
    agents: dict[str, Agent] = {}
    for where, listed in _rows(text):
        name = listed.name or listed.path
        if not listed.path or not name.isprintable() or len(name) > _LONGEST or "\0" in listed.path:
            raise UsageError(
                f"{where} does not name a workspace uniquely",
                hint=f"give a folder and a name of at most {_LONGEST} printable characters",
            )
        if name in agents:
            raise UsageError(f"two workspaces are called {name}", hint="give each its own name")
        path = os.path.normpath(os.path.join(base, os.path.expanduser(listed.path)))
        agents[name] = Agent(name, path)
    if not agents:
        raise UsageError(f"{file} lists no workspace", hint=_LOOK)
    return tuple(agents.values())


def _rows(text: str) -> Iterator[tuple[str, _Listed]]:
    """Where each workspace stands, and what stands there. Raises UsageError."""
    where = "the list"
    try:
        if text.lstrip().startswith(("- ", "---")):
            # BaseLoader makes text, lists and mappings alone.
            values = msgspec.convert(yaml.load(text, Loader=yaml.BaseLoader), list[_Listed | str])  # noqa: S506
            for number, value in enumerate(values, 1):
                yield f"item {number}", _Listed(value) if isinstance(value, str) else value
            return
        as_json = text.lstrip().startswith("{")
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
            where, said = f"line {number}", line.strip()
            if as_json and said:
                yield where, msgspec.json.decode(said, type=_Listed)
            elif said and not said.startswith("#"):
                path, _, name = said.partition("\t")
                yield where, _Listed(path.strip(), name.strip())
    except (msgspec.MsgspecError, yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{where} does not name a folder: {error}", hint=_LOOK) from error


# -- what a worker does: make the rows of what changed, without any file of a workspace --------------

OpenModel = Callable[[], Embedder]


@frozen
class Recipe:
    """How rows are made, the same on every worker: ``open_model`` is None for keyword search only."""

    identity: str = ""
    dimension: int = 0
    open_model: OpenModel | None = None


@frozen
class Task:
    """Some workspaces for one worker: what changed in each by its name, or why it could not be read.

    ``reading`` are the seconds that it took.
    """

    agents: tuple[Agent, ...] = ()
    found: Mapping[str, Difference] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    reading: float = 0.0

    def files(self, without: Container[str] = ()) -> list[tuple[str, str]]:
        """The workspace and the path of each file that the rows of the task are about."""
        return [
            (name, path)
            for name, changes in self.found.items()
            if name not in without
            for path in (*(one.path for one in changes.changed), *changes.removed)
        ]


@frozen_kw_only
class TaskResult:
    """What a worker brings back: ``rows`` (an Arrow table or None) are all that there is of the task's files.

    But for those of workspaces that ``failed``, with why. ``embedded`` entries have a vector, ``lacking``
    ones should have. ``embedding`` are the seconds that it took.
    """

    rows: Any
    failed: Mapping[str, str]
    embedded: int
    lacking: int
    embedding: float


def read(agents: tuple[Agent, ...], known: Mapping[str, Mapping[str, str]], *, full: bool = False) -> Task:
    """What changed in workspaces since the table had the ``known`` digests of their files.

    This runs where the workspaces are: a task carries what it read to its worker.
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

    def run(self, task: Task) -> TaskResult:
        """The rows of what changed in the workspaces of ``task``: of all of them, or none without vectors."""
        started = time.perf_counter()
        changed = [(name, file) for name, changes in task.found.items() for file in changes.changed]
        texts, failed = None, dict[str, str]()
        if self._embedder is not None and changed:
            try:
                texts = embedded(self._embedder, [file for _, file in changed])
            except ModelUnavailableError as error:
                failed = dict.fromkeys((name for name, _ in changed), error.message)
                changed = []
        dimension = self._recipe.dimension
        rows = [row for name, file in changed for row in rows_of(name, file, texts, dimension)]
        having = sum(row["vector"] is not None for row in rows)
        return TaskResult(
            rows=as_table(rows, dimension) if rows else None,
            failed=failed,
            embedded=having,
            lacking=len(rows) - having if dimension else 0,
            embedding=time.perf_counter() - started,
        )


def recipe(*, vectors: bool, spend: bool) -> Recipe:
    """How rows are made by the person's own settings.

    Raises ModelUnavailableError where there is no model, UsageError for a provider that costs money unless
    ``spend``.
    """
    if not vectors:
        return Recipe()
    choice = _choice()
    if choice.service is not None and choice.service.charges and not spend:
        raise UsageError(
            f"{choice.identity} costs money, and all texts of the fleet would be sent to it",
            hint="confirm with --yes, or set `embedding_providers: local` to use a model on this machine",
        )
    embedder = choice.open()
    embedder.probe()
    return Recipe(choice.identity, embedder.dimension, open_own_model)


def open_own_model() -> Embedder:
    """The model of the settings of whoever runs this process. Raises ModelUnavailableError."""
    return _choice().open()


def model_for_questions(identity: str, dimension: int) -> tuple[Embedder | None, str]:
    """The model that made a table, for questions; or None and why."""
    if not identity:
        return None, "there are no vectors"
    try:
        found = choices(own_settings(), threads=1).that_made(identity)
        if found is None:
            return None, f"the vectors are those of {identity}, which is not the model in your settings"
        embedder = found.open_for_questions()
    except ModelUnavailableError as error:
        return None, error.message
    embedder.expect(dimension)
    return embedder, ""


def _choice() -> ModelChoice:
    """The model of the person's own settings: no workspace of a fleet says which is used."""
    try:
        return choices(own_settings(), threads=1).first()
    except ModelUnavailableError as error:
        raise ModelUnavailableError(error.message, hint="--no-vectors searches by keyword only") from error


# -- who carries tasks out ---------------------------------------------------------------------------

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


Brought: TypeAlias = "tuple[Task, TaskResult | str]"
"""A task, and what came of it: why, where nothing came back."""


class InProcessPool:
    """Workers, from the beginning of a block to its end: one in this process."""

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


class RayPool(InProcessPool):
    """Processes of Ray, each with a worker, of which any may die. ``workers`` 0 takes all processors.

    Ray schedules, keeps a process for each worker, and starts another where one dies.
    ``address`` is that of a cluster (``auto``, ``host:port``); without it a Ray is started for this run.
    """

    def __init__(self, recipe: Recipe, *, workers: int = 0, address: str = "") -> None:
        self._pickled = pickle.dumps(recipe)
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
            held[self._function.remote(self._pickled, task)] = task
            if len(held) >= self._at_a_time:
                yield self._finished(held)
        while held:
            yield self._finished(held)

    def _finished(self, held: dict[Any, Task]) -> Brought:
        """Wait for one of the tasks to end, which is then held no more."""
        (ready,), _ = self._ray.wait(list(held), num_returns=1)
        task = held.pop(ready)
        try:
            done: TaskResult = self._ray.get(ready)
        except self._ray.exceptions.RayError as error:
            return task, _why(error)
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
            self._ray.get(self._function.remote(self._pickled, Task()), timeout=_PATIENCE_SECONDS)
        except self._ray.exceptions.GetTimeoutError as error:
            raise WorkbenchError(
                f"no worker started within {_PATIENCE_SECONDS:.0f} seconds",
                hint="the cluster has no free processor; `ray status` shows what uses them",
            ) from error
        except self._ray.exceptions.RayError as error:
            raise WorkbenchError(f"no worker started: {_why(error)}") from error


def _carry_out(recipe: bytes, task: Task) -> TaskResult:
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
