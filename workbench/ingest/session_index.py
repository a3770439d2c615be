"""Whose a session is: what ``sessions.json`` beside it says (OpenClaw keeps it), and what it tells itself."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from workbench.errors import UsageError, WorkbenchError
from workbench.ingest.transcript_files import (
    AgentSessions,
    TranscriptFile,
    agents_here,
    blocks,
    claude_project,
    look,
    opened,
    project_name,
    same_place,
)
from workbench.workspace.workspace import Workspace

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


@dataclass(frozen=True, slots=True)
class Route:
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


def route_of(file: TranscriptFile, session: str) -> Route:
    """What the store beside ``file`` says of a session; an empty route where it says nothing."""
    folder = os.path.dirname(file.path)
    with contextlib.suppress(OSError, WorkbenchError):
        store = look(os.path.join(folder, STORE))
        found = _store(store)
        if route := found.get(session) or found.get(file.name):
            return route
    return Route(agent=agent_of_folder(folder))


def routed(key: str, origin: tuple[str, ...] = (), *, agent: str = "") -> Route:
    """What a key such as ``agent:main:telegram:direct:sam`` tells."""
    parts = key.split(":")
    of_agent = parts[1] if parts[0] == "agent" and len(parts) > 2 else agent
    peers = [after for part, after in pairwise(parts) if part in _PEERS]
    told = {part.casefold() for part in (*parts, *origin)}
    return Route(key, of_agent, peers[-1] if peers else "", origin, bool(told & _GROUPS))


@lru_cache(maxsize=8)
def _store(file: TranscriptFile) -> Mapping[str, Route]:
    """The routes of a store by session id and by name of the file; read again when the store changed."""
    if file.size > MAX_STORE:
        return {}
    with opened(file.path) as descriptor:
        data = b"".join(blocks(descriptor, 0, file.size))
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    found: dict[str, Route] = {}
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        if isinstance(entry, dict):
            route = routed(key[:_LONGEST], tuple(dict.fromkeys(_origin(entry))))
            route = replace(route, workspace=_workspace(entry))
            for name in (entry.get("sessionId"), os.path.basename(_word(entry.get("sessionFile")))):
                if isinstance(name, str) and name:
                    found.setdefault(name, route)
    return found


def _origin(entry: Mapping[str, Any]) -> Iterator[str]:
    origin = [entry.get(name) for name in _ORIGIN]
    for told in (entry, *(one for one in origin if isinstance(one, dict))):
        yield from (word[:_LONGEST] for name in _WORDS if (word := _word(told.get(name))))


def _workspace(entry: Mapping[str, Any]) -> str:
    """The folder that a session's entry names, in itself or in the report of its last prompt."""
    report = entry.get("systemPromptReport")
    for told in (entry, report if isinstance(report, dict) else {}):
        found = _word(told.get("workspaceDir"))
        if os.path.isabs(found) and "\0" not in found:
            return found
    return ""


def agent_of_folder(folder: str) -> str:
    """``main`` of ``…/agents/main/sessions``."""
    above, name = os.path.split(folder)
    above, agent = os.path.split(above)
    return agent if name == "sessions" and os.path.basename(above) == "agents" else ""


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class SessionOwner:
    """Judges by what a session says of itself whether it belongs to the workspace ``root``.

    ``named``: the person named the transcripts. Then the folder where that agent usually works is its too.
    """

    root: Path
    agents: tuple[AgentSessions, ...] = ()
    named: bool = False

    @classmethod
    def of(cls, workspace: Workspace) -> SessionOwner:
        """The judge for a workspace, as the other programs' settings are now."""
        named = bool(workspace.settings.transcripts)
        agents: tuple[AgentSessions, ...] = ()
        with contextlib.suppress(UsageError):  # settings that cannot be read name no further folder
            agents = tuple(agents_here())
        return cls(workspace.root, agents, named)

    def why_not(self, file: TranscriptFile) -> str:
        """Why a session is another workspace's; empty where it is this one's, or does not say.

        Raises as ``transcript_files.opened``.
        """
        folder = os.path.dirname(file.path)
        agent = agent_of_folder(folder)
        told = route_of(file, file.stem)
        if agent and told.agent and told.agent.casefold() != agent.casefold():
            return f"it belongs to the agent {told.agent}, but is among the sessions of {agent}"
        own = [os.fspath(self.root)]
        if self.named:
            own += [one.workspace for one in self.agents if same_place(one.folder, folder)]
        for cwd in (told.workspace, _folder_in(file)):
            if cwd and not any(self._is_of(cwd, one) for one in own):
                return f"it belongs to another workspace: {cwd}"
        return ""

    def _is_of(self, cwd: str, root: str) -> bool:
        """Whether work in ``cwd`` can be that of ``root``: there, below, or from a folder above it."""
        place, own = os.path.realpath(cwd), os.path.realpath(root)
        if os.path.commonpath((place, own)) in (place, own):
            return True
        project = os.path.basename(claude_project(self.root))
        slug = project_name(place)
        return self.root.name == "memory" and (slug == project or slug.startswith(f"{project}-"))


def _folder_in(file: TranscriptFile) -> str:
    """The folder that the first lines of a transcript name; empty where they name none."""
    with opened(file.path) as descriptor:
        head = b"".join(blocks(descriptor, 0, min(file.size, _HEAD)))
    for line in head.split(b"\n"):
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            continue
        for name in _FOLDERS if isinstance(said, dict) else ():
            if isinstance(found := said.get(name), str) and os.path.isabs(found) and "\0" not in found:
                return found
    return ""
