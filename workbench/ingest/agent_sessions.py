"""Which sessions belong to a workspace: those of the agent that works in it, and of no other.

Some programs say in their settings which agent works where, others keep the sessions of a folder under that
folder's name (``workbench.workspace.agent_layouts`` declares which). Where that leaves none or several,
nothing is read until one is named.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.config.settings import user_settings_path
from workbench.errors import UsageError
from workbench.workspace.agent_layouts import CLAUDE_CODE, LAYOUTS, AgentProgram

_SUFFIX = "*.jsonl"
_MAIN = "main"
_MAX_CONFIG = 4_000_000
_NOT_IN_PROJECTS = re.compile(r"[^A-Za-z0-9]")
_PROGRAMS = tuple(program for layout in LAYOUTS for program in layout.programs)


@dataclass(frozen=True, slots=True)
class AgentSessions:
    """An agent of a program: the ``folder`` of its sessions, and the ``workspace`` it works in."""

    program: str
    agent: str
    folder: str
    workspace: str

    @property
    def exists(self) -> bool:
        """Whether it has a folder of sessions already."""
        return os.path.isdir(os.path.expanduser(self.folder))


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
    others = [one for one in agents if one.exists]
    if others and not claimed:
        raise _not_known(root, others, "no agent is known to work in this workspace")
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
    names = {*listed, main, *_folders(os.path.join(home, "agents"))}
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
            f"{path} cannot be read: {why}; it says which agent works in which workspace",
            hint="write it as JSON without comments, or name the folder of sessions: "
            + _setting("WORKSPACE", "FOLDER"),
        ) from error
    return _mapping(found)


def _folders(place: str) -> list[str]:
    """The agents that have sessions in ``place``."""
    try:
        return [name for name in os.listdir(place) if os.path.isdir(os.path.join(place, name, "sessions"))]
    except OSError:
        return []


def _not_known(root: Path, agents: list[AgentSessions], why: str) -> UsageError:
    lines = [f"{one.program}'s {one.agent} works in {one.workspace}" for one in agents]
    settings = " or ".join(_setting(os.fspath(root), one.folder) for one in agents)
    return UsageError(
        f"whose sessions to read is not known: {why}; " + ", ".join(lines),
        hint=f"write into {user_settings_path()}: {settings}",
    )


def _setting(root: str, folder: str) -> str:
    return (
        f"transcripts: {{{json.dumps(root, ensure_ascii=False)}: {json.dumps(folder, ensure_ascii=False)}}}"
    )


def same_place(one: str, other: str | Path) -> bool:
    """Whether two paths, also with ``~``, lead to the same folder."""
    return os.path.realpath(os.path.expanduser(one)) == os.path.realpath(os.path.expanduser(other))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def project_name(path: str) -> str:
    """The name of Claude Code's folder for the sessions of ``path``."""
    return _NOT_IN_PROJECTS.sub("-", path)
