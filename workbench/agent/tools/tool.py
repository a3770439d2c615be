"""The session of one agent (who asks, what it may do, which calls run at the same time), and its tools.

A tool is a function, declared once with its description and its schema: its name, its docstring and its
parameters are the tool's.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, date, datetime
from inspect import Parameter, signature
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta

from workbench.agent.agent_text import as_line
from workbench.agent.federated_search import READ_ONLY, open_leader
from workbench.agent.search_service import SearchService
from workbench.agent.usage import GivenEntry, record_recalls
from workbench.errors import (
    BusyError,
    NotCuratableError,
    NoWorkspaceError,
    ReadOnlyError,
    WorkbenchError,
    disk_error,
)
from workbench.frozen import frozen_kw_only
from workbench.graph.drafts import without_none
from workbench.graph.model import Graph
from workbench.graph.read import GraphReader
from workbench.memory.entry import Kind
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.operations.registry import OperationSpec
from workbench.safety.secrets import masked
from workbench.safety.terminal import visible
from workbench.workspace.late_writes import LateLines
from workbench.workspace.workspace import Workspace

_T = TypeVar("_T")
_PATIENCE = 60.0
"""Seconds that a call waits for its turn before it is told to come back."""

_LONGEST_PAUSE = 30.0
"""Seconds after a look for changed files from which on a search looks again, however long looking takes."""


class CallCancelledError(WorkbenchError):
    """Whoever called does not want an answer any more."""

    code = "cancelled"


_NEVER = threading.Event()
CANCELLED = ContextVar("cancelled", default=_NEVER)
"""Whether the call that is answered was cancelled: once this is set, nothing is begun any more."""


def require_wanted() -> None:
    """Raises CallCancelledError where nobody waits any more for what the caller's thread is at."""
    if CANCELLED.get().is_set():
        raise CallCancelledError("the call was cancelled before anything was done")


class AgentSession:
    """What one agent may do in one workspace. Safe from several threads; opens nothing heavy before its use.

    Searches take turns, as do readings of the graph and writes; each of the three goes on beside the others.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        agent: str,
        user: str = "",
        session_id: str = "",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone(),
    ) -> None:
        self.workspace = workspace
        self.leader = open_leader(workspace)
        self.agent = agent
        self.user = user
        self.session_id = session_id
        self.now = clock
        self.late = LateLines(workspace.root)
        self._graphs = {"": GraphReader(workspace)}
        if self.leader is not None:
            self._graphs["leader"] = GraphReader(self.leader)
        self._service: SearchService | None = None
        self._searching = threading.Lock()
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._look_at = 0.0

    @property
    def by(self) -> str:
        """Who does what is done here, as records name it."""
        return f"agent:{self.agent}"

    def today(self) -> date:
        """The day of ``now``."""
        return self.now().date()

    def require_folder(self) -> None:
        """Raises NoWorkspaceError where the folder went away: that is no empty memory."""
        if not os.path.isdir(self.workspace.root):  # a Path raises where it may not look
            raise NoWorkspaceError(
                f"the folder of this memory is gone or closed: {self.workspace.root}", hint="tell the person"
            )

    @contextlib.contextmanager
    def searching(self) -> Iterator[SearchService]:
        """The search, for one call at a time; opened by the first."""
        with self._turn(self._searching):
            if self._service is None:
                self._service = SearchService(self.workspace, leader=self.leader, today=self.today)
            self._catch_up(self._service)
            yield self._service

    @contextlib.contextmanager
    def writing(self, operation: OperationSpec) -> Iterator[Workspace]:
        """The workspace, to do an operation to it, for one call at a time.

        Raises NotCuratableError for an operation that is not declared to be for agents, and ReadOnlyError for
        members of a team, whose memory is its leader's to write.
        """
        if not operation.agents:
            raise NotCuratableError(f"agents cannot {operation.name}", hint="tell the person")
        if self.leader is not None:
            raise ReadOnlyError(READ_ONLY)
        with self._turn(self._writing):
            yield self.workspace

    def graphs(self) -> tuple[tuple[str, Graph], ...]:
        """One's own graph as it is now, then the leader's, each with the mark of its scope."""
        with self._turn(self._reading):
            return tuple((mark, reader.read()) for mark, reader in self._graphs.items())

    def _catch_up(self, service: SearchService) -> None:
        """Index what changed, for a tenth of the time at most as long as a look takes few seconds.

        A look is at most ``_LONGEST_PAUSE`` seconds old when a search begins.
        """
        started = time.monotonic()
        if started < self._look_at:
            return
        from indexing.sync.freshness import catch_up  # noqa: PLC0415 - only who searches needs it

        service.catch_up(catch_up)
        took = time.monotonic() - started
        self._look_at = started + took + min(9 * took, _LONGEST_PAUSE)

    def record(self, given: list[GivenEntry], query: str, by: str) -> tuple[str, ...]:
        """Record what was given; what is to be said where that was not possible. Never raises."""
        problem = record_recalls(
            self.workspace, given, query=query, by=by, now=self.now(), user=self.user, session=self.session_id
        )
        return (problem,) if problem else ()

    def close(self, patience: float = 10.0) -> None:
        """Let a write that has begun end, for at most ``patience`` seconds, and end helper processes.

        No other write begins after that: the process may leave in the middle of it.
        """
        self._writing.acquire(timeout=patience)
        self.late.close()
        self.workspace.close()
        if self.leader is not None:
            self.leader.close()

    @contextlib.contextmanager
    def _turn(self, lock: threading.Lock) -> Iterator[None]:
        require_wanted()
        if not lock.acquire(timeout=_PATIENCE):
            raise BusyError("too many calls at the same time", hint="call again in a moment")
        try:
            require_wanted()
            yield
        finally:
            lock.release()


Result: TypeAlias = dict[str, Any]
Schema: TypeAlias = dict[str, Any]
Lane = Literal["read", "search", "write"]

LONGEST_ADVICE = 1_000
"""The most characters of an error that an agent reads."""
_NO_NUL = r"^[^\u0000]*$"
_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?"


def _text(most: int) -> Meta:
    return Meta(min_length=1, max_length=most, pattern=_NO_NUL)


Question = Annotated[str, _text(4_000)]
Words = Annotated[str, _text(2_000)]
PathText = Annotated[str, _text(1_000)]
Name = Annotated[str, _text(200)]
Share = Annotated[float, Meta(ge=0, le=1)]
_ARGUMENT = re.compile(r"`\$\.(\w+)")
_PATTERN = re.compile(r" matching regex '.*'", re.DOTALL)
_MOMENTS = ["2026-04-01", "2026-04-01T14:30+02:00"]
Moment = Annotated[
    str,
    Meta(
        pattern=rf"^\d{{4}}-\d{{2}}-\d{{2}}(?:{_CLOCK})?$",
        examples=_MOMENTS,
    ),
]
if TYPE_CHECKING:
    MemoryType: TypeAlias = str
    EntityType: TypeAlias = str
    FileKind: TypeAlias = str
else:
    # Literals, as the schema of an enumeration is a part of its own that the others refer to.
    FileKind = Literal[tuple(map(str, Kind))]
    MemoryType = Literal[tuple(IMPORTANCE)]
    EntityType = Literal[ENTITY_TYPES]
Why = Annotated[str, _text(500), Meta(description="Why, in a sentence; kept with it")]
ALIASES: Mapping[str, tuple[str, ...]] = {
    "content": ("text",),
    "memory_type": ("type", "types"),
    "memory_types": ("types",),
    "reasoning": ("reason",),
    "sort_by": ("sort",),
    "max_results": ("limit",),
    "maxResults": ("limit",),
    "min_score": ("min_relevance",),
    "minScore": ("min_relevance",),
}
"""Each alias with the arguments that it may stand for: the one that the tool has."""


class ToolError(Exception):
    """A call that did not come to an answer; its text tells an agent what to do next."""


@frozen_kw_only
class Tool:
    """One function for agents. ``result`` is the JSON schema (2020-12) of the object that it answers.

    ``arguments`` is a struct with a field for each parameter; ``example`` are arguments that are right, told
    to who gets them wrong. ``lane`` says with which other calls it shares a queue, so that slow ones keep no
    others waiting. ``run`` raises WorkbenchError.
    """

    name: str
    title: str
    description: str
    arguments: type[msgspec.Struct]
    result: Schema
    example: Mapping[str, Any]
    run: Callable[..., Result]
    lane: Lane

    def __call__(self, session: AgentSession, said: object) -> Result:
        """The answer to these arguments. Raises what ``run`` raises.

        Raises ToolError where they are wrong, which says what is wrong, and has an example that is right.
        """
        try:
            # Not strict: a model says "5" or 5.0 where 5 is meant.
            arguments = msgspec.convert(self._by_own_names(said), self.arguments, strict=False)
        except ValueError as error:
            known = ", ".join(self.arguments.__struct_encode_fields__)
            example = json.dumps(self.example, ensure_ascii=False)
            told = f"{self.name}: {self._wrong(str(error)[:400])}. It takes {known}. For example: {example}"
            raise ToolError(as_line(told, LONGEST_ADVICE)) from error
        return self.run(session, **msgspec.structs.asdict(arguments))

    @property
    def writes(self) -> bool:
        """Whether it may change what is stored."""
        return self.lane == "write"

    @property
    def schema(self) -> Schema:
        """The JSON schema of the arguments."""
        schema: Schema = msgspec.json.schema(self.arguments)["$defs"][self.name]
        del schema["title"]
        schema["properties"] = {name: _said(one) for name, one in schema["properties"].items()}
        return schema

    @property
    def accepted(self) -> Schema:
        """The schema as clients are told it, so that they let the aliases through too."""
        schema = self.schema
        aliases, properties = self._aliases, schema["properties"]
        for alias, name in aliases.items():
            own = {key: value for key, value in properties[name].items() if key != "default"}
            own = {"anyOf": [own, own["items"]]} if "items" in own else own
            properties[alias] = {**own, "description": f"The same as `{name}`"}
        # Whoever gives the alias leaves the name out; that one of both is there is checked when it is called.
        schema["required"] = [name for name in schema["required"] if name not in aliases.values()]
        return schema

    @property
    def _aliases(self) -> dict[str, str]:
        """The aliases that this tool accepts, each with its own name of that."""
        names = self.arguments.__struct_encode_fields__
        return {alias: name for alias, meant in ALIASES.items() for name in meant if name in names}

    def _wrong(self, error: str) -> str:
        """An error with what its argument may be: the values of a choice, an example of a day."""
        named = _ARGUMENT.search(error)
        schema = self.schema["properties"].get(named[1]) if named else None
        if schema is None:
            return error
        if "enum value" in error:
            return f"{error}: one of {', '.join(schema.get('items', schema)['enum'])}"
        error, patterns = _PATTERN.subn(" of another form", error)
        if schema.get("format") == "date" or "examples" in schema:
            return f"{error}: a day such as {_MOMENTS[0]}"
        return f"{error}: {schema['description']}" if patterns else error

    def _by_own_names(self, arguments: object) -> object:
        if not isinstance(arguments, Mapping):
            return arguments
        said = without_none(arguments)
        for alias, name in self._aliases.items():
            if alias in said:
                value = said.pop(alias)
                if name == "types":
                    value = [value] if isinstance(value, str) else value
                if said.setdefault(name, value) != value:
                    raise ValueError(f"{alias} is another name of {name}, and they differ: give one of them")
        return said


TOOLS: dict[str, Tool] = {}
"""All that are declared, by name, in their order (``workbench.agent.tools`` loads them)."""


def tool(
    title: str, *, example: Mapping[str, Any], result: Schema, lane: Lane = "read"
) -> Callable[[Callable[..., Result]], Tool]:
    """Declare a function as a tool: ``session`` comes first, its arguments behind it.

    A text among the annotations of a parameter tells what it is. What is null, or left out, was not said. A
    parameter whose name Python keeps for itself ends with ``_``. The parameters become a JSON schema, by
    which each call is checked before the function runs. Names that other systems' tools use for these
    arguments are accepted too: prompts written for those work here.
    """

    def declared(run: Callable[..., Result]) -> Tool:
        hints = get_type_hints(run, include_extras=True)
        fields = [_field(one, hints[one.name]) for one in [*signature(run).parameters.values()][1:]]
        arguments = msgspec.defstruct(
            run.__name__, fields, forbid_unknown_fields=True, rename=lambda name: name.rstrip("_")
        )
        made = TOOLS[run.__name__] = Tool(
            name=run.__name__,
            title=title,
            description=" ".join((run.__doc__ or "").split()),
            arguments=arguments,
            result=result,
            example=example,
            run=run,
            lane=lane,
        )
        return made

    return declared


def _field(parameter: Parameter, hint: Any) -> tuple[str, Any] | tuple[str, Any, Any]:
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        notes = [Meta(description=one) if isinstance(one, str) else one for one in notes]
        hint = Annotated[(kind, *notes)]
    required = parameter.default is Parameter.empty
    return (parameter.name, hint) if required else (parameter.name, hint, parameter.default)


def _said(schema: Schema) -> Schema:
    """The schema of an argument; that null says nothing is not told, as leaving it out is shorter."""
    if "default" not in schema or schema["default"] is not None:
        return schema
    kinds = [kind for kind in schema["anyOf"] if kind != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("default", "anyOf")}
    return {**rest, **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})}


def gives(**properties: Schema) -> Schema:
    """The schema of a result: these properties, and notes, are always there."""
    properties["notes"] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "Notes on this answer: what is missing from it, and why",
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


ANYTHING: Schema = {"type": "array", "items": {"type": "object"}}


class ToolAnswer:
    """What a tool found in one's own memory and in a leader's: rows, and ``notes`` that are to be told.

    What of one's own was given is recorded, as asked for by ``question``.
    """

    def __init__(self, session: AgentSession, question: str, tool: str) -> None:
        self.notes: list[str] = []
        self._session, self._question, self._tool = session, question, tool
        self._rows: list[dict[str, Any]] = []
        self._given: list[GivenEntry] = []

    def add(self, mark: str, row: dict[str, Any], given: Iterable[GivenEntry]) -> None:
        """One more row, of the scope with this mark."""
        self._rows.append({**row, "scope": mark} if mark else row)
        if not mark:
            self._given += given

    def told(self, name: str, nothing: str = "", **more: Any) -> Result:
        """The rows under this name, and what else there is; ``nothing`` is noted where there is no row."""
        notes = [*self.notes, *self._session.record(self._given, self._question, self._tool)]
        if nothing and not self._rows:
            notes.append(nothing)
        return {name: self._rows, **more, "notes": list(dict.fromkeys(map(visible, notes)))}


_NEXT = {
    "entry-not-found": "Call memory_search or memory_graph_query again: it gives today's ids and entries.",
    "entry-ambiguous": "Give the whole entry, as memory_search returned it.",
    "not-memory": "Use a path of a memory_search result; only memory files of this workspace can be read.",
    "busy": "Another program is writing. Wait a few seconds and call again, at most three times.",
    "read-only": "Nothing can be stored here. Go on without it, and tell the person.",
    "no-git": "Reading works. Tell the person that nothing can be stored without git.",
    "no-repository": "Reading works. Tell the person that storing needs a repository: `workbench init`.",
    "repository-state": "Reading works. Tell the person; storing works when the repository is in order.",
    "index-unavailable": (
        "Ask the person to run `workbench reindex`. Until then use memory_get, memory_graph_query and "
        "knowledge_graph_search, which need no index."
    ),
    "flagged": "Store it again without the hidden text or the secret.",
    "secret": "Never store a secret: say where it is kept instead.",
    "write-failed": "Nothing was changed. Tell the person that writing to disk failed.",
    "conflict": "Nothing was changed, because the text changed in the meantime. Read it again, then decide.",
    "cancelled": "Nothing was done.",
}
_SHELL = ("`workbench", "--")
"""A hint that speaks of the command line is for people."""


def call_tool(session: AgentSession, name: str, arguments: Any) -> Result:
    """What the tool answers. Raises ToolError, and nothing else but what is a defect of ours."""
    tool = TOOLS.get(name)
    if tool is None:
        known = ", ".join(TOOLS)
        raise ToolError(as_line(f"There is no tool {name}. There are: {known}.", LONGEST_ADVICE))
    try:
        return tool(session, {} if arguments is None else arguments)
    except (WorkbenchError, OSError) as error:
        raise ToolError(advice(error, writes=tool.writes)) from error


def advice(error: WorkbenchError | OSError, *, writes: bool = False) -> str:
    """An error as the agent reads it: what is wrong, and what to do next. ``writes``: of what would write."""
    if not isinstance(error, WorkbenchError):
        error = disk_error(error)
    if error.message == READ_ONLY:
        return READ_ONLY
    hint = "" if any(sign in error.hint for sign in _SHELL) else error.hint
    following = _NEXT.get(error.code) or ("" if hint or not writes else "Nothing was changed.")
    said = filter(None, (error.message, hint, following))
    told = " ".join(words if words.endswith((".", "!", "?")) else f"{words}." for words in said)
    return as_line(masked(told), LONGEST_ADVICE)
