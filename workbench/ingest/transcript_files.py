"""Session transcripts: where they lie, which belong to a workspace, and how they are opened.

They lie beside the workspace and are read only on request: those that the settings name, else those of the
agent that works in it. A pipe, a device or a link is refused with a message, and never followed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from indexing.sync.sources import IndexSources, blocks
from workbench.config.settings import same_place, user_settings_path
from workbench.errors import NotMemoryError, ReadOnlyError, UsageError, WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import RelPath
from workbench.workspace import layout
from workbench.workspace.agent_layouts import CLAUDE_CODE, LAYOUTS, AgentProgram
from workbench.workspace.files import Files
from workbench.workspace.layout import Layout
from workbench.workspace.workspace import Workspace

# -- which sessions belong to a workspace ------------------------------------------------------------
# Those of the agent that works in it, and of no other. Some programs say in their settings which agent works
# where, others keep the sessions of a folder under that folder's name (``workbench.workspace.agent_layouts``
# declares which). Where that leaves none or several, nothing is read until one is named.

_SUFFIX = "*.jsonl"
_MAIN = "main"
_MAX_CONFIG = 4_000_000
_NOT_IN_PROJECTS = re.compile(r"[^A-Za-z0-9]")
_PROGRAMS = tuple(program for layout in LAYOUTS for program in layout.programs)


@frozen
class AgentSessions:
    """An agent of a program: the ``folder`` of its sessions, and the ``workspace`` it works in."""

    program: str
    agent: str
    folder: str
    workspace: str


def own_sessions(root: Path) -> tuple[str, ...]:
    """Patterns of the transcripts that belong to the workspace ``root``; they may not be there yet.

    Raises UsageError with what was found and the setting to write, where no agent or several of one program
    work in it although there are sessions.
    """
    agents = tuple(agents_here())
    project = claude_project(root)
    found = [os.path.join(project, _SUFFIX)]
    unclear: list[AgentSessions] = []
    for program in _PROGRAMS:
        own = [one for one in agents if one.program == program.name and same_place(one.workspace, root)]
        if len(own) > 1:
            unclear += own
        found += [os.path.join(one.folder, _SUFFIX) for one in own]
    claimed = len(found) > 1 or os.path.isdir(os.path.expanduser(project))
    if unclear:
        raise _not_known(root, unclear, f"{len(unclear)} agents work in this workspace")
    others = [one for one in agents if os.path.isdir(os.path.expanduser(one.folder))]
    if others and not claimed:
        raise _not_known(root, others, "no agent is known for this workspace")
    return tuple(dict.fromkeys(found))


def agents_here() -> Iterator[AgentSessions]:
    """The agents of such programs on this machine, as their settings and folders say."""
    for program in _PROGRAMS:
        home = os.path.expanduser(program.home)
        if os.path.isdir(home):
            for agent, place in sorted(_workspaces(program, home).items()):
                yield AgentSessions(program.name, agent, f"{program.home}/agents/{agent}/sessions", place)


def claude_project(root: Path) -> str:
    """Where Claude Code keeps the sessions of ``root``: a folder, or the memory of a project of its own."""
    projects = Path(os.path.realpath(os.path.expanduser(CLAUDE_CODE.projects)))
    if root.name == "memory" and root.parent.parent == projects:
        return f"{CLAUDE_CODE.projects}/{root.parent.name}"
    return f"{CLAUDE_CODE.projects}/{project_name(os.fspath(root))}"


def _workspaces(program: AgentProgram, home: str) -> dict[str, str]:
    """The workspace of each agent of a program, by the agent's id."""
    config = _config(os.path.join(home, program.config))
    said = _mapping(config.get("agents"))
    entries = said.get("list")
    listed = {
        str(entry.get("id") or _MAIN).strip().lower(): entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    }
    main = next((name for name, entry in listed.items() if entry.get("default")), "")
    main = main or (_MAIN if _MAIN in listed or not listed else next(iter(listed)))
    usual = _mapping(said.get("defaults")).get("workspace") or _mapping(config.get("agent")).get("workspace")
    running = (
        sessions.parent.name for sessions in Path(home, "agents").glob("*/sessions") if sessions.is_dir()
    )
    names = {*listed, main, *running}
    places: dict[str, str] = {}
    for name in names:
        own = listed.get(name, {}).get("workspace")
        if not isinstance(own, str) or not own.strip():
            own = (usual or program.workspace) if name == main else f"{program.home}/workspace-{name}"
        own = str(own).strip()
        if "\0" not in own:  # no folder has such a name
            places[name] = os.path.expanduser(own)
    return places


def _config(path: str) -> Mapping[str, Any]:
    """The settings of a program. Raises UsageError where they are there and cannot be read as JSON."""
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(_MAX_CONFIG))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise UsageError(
            f"{path} cannot be read: {why}; it maps agents to workspaces",
            hint="write it as JSON without comments, or give the folder of sessions: "
            + _setting("WORKSPACE", "FOLDER"),
        ) from error
    return _mapping(found)


def _not_known(root: Path, agents: list[AgentSessions], why: str) -> UsageError:
    lines = [f"{one.program}'s {one.agent} works in {one.workspace}" for one in agents]
    settings = " or ".join(_setting(os.fspath(root), one.folder) for one in agents)
    return UsageError(
        f"it is unknown whose sessions to read: {why}; " + ", ".join(lines),
        hint=f"write into {user_settings_path()}: {settings}",
    )


def _setting(root: str, folder: str) -> str:
    return (
        f"transcripts: {{{json.dumps(root, ensure_ascii=False)}: {json.dumps(folder, ensure_ascii=False)}}}"
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def project_name(path: str) -> str:
    """The name of Claude Code's folder for the sessions of ``path``."""
    return _NOT_IN_PROJECTS.sub("-", path)


# -- finding and opening transcripts -----------------------------------------------------------------

SUFFIX = ".jsonl"
_BELOW = Layout(include=(f"**/*{SUFFIX}",), exclude=("**/.*", "**/.*/**", "**/node_modules/**"))


@frozen_kw_only
class TranscriptFile:
    """A transcript as the file system describes it: ``size`` in bytes, ``changed`` in seconds since 1970."""

    path: str
    size: int
    changed: float
    inode: int

    @property
    def name(self) -> str:
        """What provenance calls it."""
        return os.path.basename(self.path)

    @property
    def told(self) -> str:
        """Its path as the ledger keeps it, which git keeps: the person's home has no name there."""
        home = os.path.expanduser("~")
        inside = self.path.startswith(home.rstrip("/") + "/") and home != "/"
        return "~" + self.path.removeprefix(home.rstrip("/")) if inside else self.path

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return self.name.removesuffix(SUFFIX)


@frozen
class TranscriptListing:
    """The transcripts that were found, and what could not be read, with the reason."""

    files: tuple[TranscriptFile, ...]
    refused: dict[str, str]


def watched(workspace: Workspace) -> Workspace:
    """The workspace with the transcripts read for it: what its settings name, else those of its own agent.

    Raises UsageError where it is not known whose they are.
    """
    named = workspace.settings.transcripts or own_sessions(workspace.root)
    return Workspace(workspace.root, replace(workspace.settings, transcripts=named, extra_paths=()))


def find(workspace: Workspace, named: Sequence[str] = ()) -> TranscriptListing:
    """The transcripts ``named`` (files or folders), else all that are read for this workspace.

    Raises UsageError as ``watched``.
    """
    refused: dict[str, str] = {}
    paths = _below(named, refused) if named else _of_settings(workspace, refused)
    files: dict[str, TranscriptFile] = {}
    for path in paths:
        try:
            file = look(path)
        except (OSError, NotMemoryError, ReadOnlyError) as error:
            refused[path] = why_unreadable(error)
        else:
            files[file.path] = file
    return TranscriptListing(tuple(files.values()), refused)


def look(path: str) -> TranscriptFile:
    """The file at ``path``. Raises OSError, NotMemoryError (a link, no plain file) or ReadOnlyError."""
    with opened(path) as descriptor:
        found = os.fstat(descriptor)
    folder, name = os.path.split(path)
    whole = os.path.join(os.path.realpath(folder or "."), name)
    return TranscriptFile(path=whole, size=found.st_size, changed=found.st_mtime, inode=found.st_ino)


def opened(path: str) -> contextlib.AbstractContextManager[int]:
    """A descriptor to read a transcript from. Entering it raises as ``look`` does."""
    folder, name = os.path.split(path)
    return Files(Path(os.path.realpath(folder or "."))).opened(RelPath(name))


def why_unreadable(error: Exception) -> str:
    """Why a transcript cannot be read, for a person."""
    if isinstance(error, FileNotFoundError):
        return "it does not exist"
    if isinstance(error, NotMemoryError):
        return "it is a link or not a plain file"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it cannot be read (permissions)"


def why_failed(error: Exception) -> str:
    """Why a source could not be ingested, for a person."""
    if isinstance(error, OSError):
        return why_unreadable(error)
    return error.message if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"


def _below(named: Sequence[str], refused: dict[str, str]) -> Iterator[str]:
    for name in named:
        path = os.path.expanduser(name)
        if not os.path.isdir(path):
            yield path
            continue
        found = [os.path.join(path, file.path) for file in layout.scan(Path(path), _BELOW)]
        if not found:
            refused[path] = f"no *{SUFFIX} is in it"
        yield from found


def _of_settings(workspace: Workspace, refused: dict[str, str]) -> Iterator[str]:
    usual = not workspace.settings.transcripts
    for source in IndexSources(watched(workspace)).all:
        if source.sort != "transcripts":
            continue
        if source.absent and not usual:
            refused[source.name] = source.absent
        yield from (file.path for file in source.scan())


# -- whose a session is ------------------------------------------------------------------------------
# ``sessions.json`` beside it says so (OpenClaw keeps it), and the transcript itself.

STORE = "sessions.json"
MAX_STORE = 64_000_000
"""Bytes of a store that is read."""
_ORIGIN = ("origin", "deliveryContext")
_WORDS = ("label", "provider", "surface", "channel", "chatType", "kind", "spawnedBy", "subject")
_GROUPS = frozenset({"group", "channel", "room", "thread", "guild", "topic"})
_PEERS = frozenset({"direct", "dm"})
_LONGEST = 300
_HEAD = 1 << 20
"""Bytes of a transcript in which its folder is looked for."""
_FOLDERS = ("cwd", "workspace", "workspaceDir")
"""Under which names the lines of a transcript say in which folder the agent worked."""


@frozen
class SessionRoute:
    """Where a session comes from: its ``key``, the ``agent``, the ``user``, words of its ``origin``.

    ``many``: several people can speak in it, so that not every word of a user is its owner's. ``workspace``
    is the folder that the agent worked in.
    """

    key: str = ""
    agent: str = ""
    user: str = ""
    origin: tuple[str, ...] = ()
    many: bool = False
    workspace: str = ""


def route_of(file: TranscriptFile, session: str) -> SessionRoute:
    """What the store beside ``file`` says of a session; an empty route where it says nothing."""
    folder = os.path.dirname(file.path)
    with contextlib.suppress(OSError, WorkbenchError):
        store = look(os.path.join(folder, STORE))
        found = _store(store)
        if route := found.get(session) or found.get(file.name):
            return route
    return SessionRoute(agent=agent_of_folder(folder))


def routed(key: str, origin: tuple[str, ...] = (), *, agent: str = "") -> SessionRoute:
    """What a key such as ``agent:main:telegram:direct:sam`` tells."""
    parts = key.split(":")
    of_agent = parts[1] if parts[0] == "agent" and len(parts) > 2 else agent
    peers = [after for part, after in pairwise(parts) if part in _PEERS]
    told = {part.casefold() for part in (*parts, *origin)}
    return SessionRoute(key, of_agent, peers[-1] if peers else "", origin, bool(told & _GROUPS))


@lru_cache(maxsize=8)
def _store(file: TranscriptFile) -> Mapping[str, SessionRoute]:
    """The routes of a store by session id and by name of the file; read again when the store changed."""
    if file.size > MAX_STORE:
        return {}
    try:
        entries = _mapping(json.loads(_head(file, MAX_STORE)))
    except (ValueError, RecursionError):
        return {}
    found: dict[str, SessionRoute] = {}
    for key, entry in entries.items():
        if isinstance(entry, dict):
            report = _mapping(entry.get("systemPromptReport"))
            route = replace(
                routed(key[:_LONGEST], tuple(dict.fromkeys(_origin(entry)))),
                workspace=_folder(entry, "workspaceDir") or _folder(report, "workspaceDir"),
            )
            for name in (entry.get("sessionId"), os.path.basename(_word(entry.get("sessionFile")))):
                if isinstance(name, str) and name:
                    found.setdefault(name, route)
    return found


def _origin(entry: Mapping[str, Any]) -> Iterator[str]:
    for told in (entry, *(_mapping(entry.get(name)) for name in _ORIGIN)):
        yield from (word[:_LONGEST] for name in _WORDS if (word := _word(told.get(name))))


def _folder(told: Mapping[str, Any], *names: str) -> str:
    """The first absolute path that stands under one of the ``names``; empty for none."""
    found = (_word(told.get(name)) for name in names)
    return next((path for path in found if os.path.isabs(path) and "\0" not in path), "")


def agent_of_folder(folder: str) -> str:
    """``main`` of ``…/agents/main/sessions``."""
    above, name = os.path.split(folder)
    above, agent = os.path.split(above)
    return agent if name == "sessions" and os.path.basename(above) == "agents" else ""


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def why_foreign(workspace: Workspace, file: TranscriptFile) -> str:
    """Why a session is another workspace's; empty where it is this one's, or does not say.

    Where the person named the transcripts, the folder where their agent usually works is the workspace's
    too. Raises as ``transcript_files.opened``.
    """
    folder = os.path.dirname(file.path)
    agent = agent_of_folder(folder)
    told = route_of(file, file.stem)
    if agent and told.agent and told.agent.casefold() != agent.casefold():
        return f"it belongs to the agent {told.agent}, but is among the sessions of {agent}"
    own = [os.fspath(workspace.root)]
    if workspace.settings.transcripts:
        with contextlib.suppress(UsageError):  # settings that cannot be read name no further folder
            own += [one.workspace for one in agents_here() if same_place(one.folder, folder)]
    for cwd in (told.workspace, _folder_in(file)):
        if cwd and not any(_is_of(workspace.root, cwd, one) for one in own):
            return f"it belongs to another workspace: {cwd}"
    return ""


def _is_of(root: Path, cwd: str, own: str) -> bool:
    """Whether work in ``cwd`` can be that of ``own``: there, below, or from a folder above it."""
    place, own = os.path.realpath(cwd), os.path.realpath(own)
    if os.path.commonpath((place, own)) in (place, own):
        return True
    project = os.path.basename(claude_project(root))
    slug = project_name(place)
    return root.name == "memory" and (slug == project or slug.startswith(f"{project}-"))


def _head(file: TranscriptFile, most: int) -> bytes:
    with opened(file.path) as descriptor:
        return b"".join(blocks(descriptor, min(file.size, most)))


def _folder_in(file: TranscriptFile) -> str:
    """The folder that the first lines of a transcript name; empty where they name none."""
    for line in _head(file, _HEAD).split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            if found := _folder(_mapping(json.loads(line)), *_FOLDERS):
                return found
    return ""
