"""Setting a workspace up: only what is missing is added, as one operation."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from workbench.errors import NoRepositoryError, WriteFailedError
from workbench.memory.entry import Kind, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.repository.git_repository import History
from workbench.repository.git_runner import ask
from workbench.workspace.agent_layouts import LAYOUTS, OPENCLAW, PLAIN, layouts_of
from workbench.workspace.layout import NOTES, SETTINGS_FILE, USUAL, scan, walk
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

_COMMON = {
    "MEMORY.md": "MEMORY.md",
    "memory/templates/daily.md": "daily.md",
    "memory/templates/research.md": "research.md",
    "memory/templates/project.md": "project.md",
}
_KEEP = ".gitkeep"
_ONBOARDING = "BOOTSTRAP.md"
"""What OpenClaw has its agent follow once, and removes."""
TEMPLATES: dict[str, dict[str, str]] = {
    "plain": _COMMON,
    "openclaw": _COMMON | {name: name for name in OPENCLAW.of_kind(Kind.BOOTSTRAP) if name != _ONBOARDING},
    "goclaw": _COMMON
    | {name: name for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md")}
    | {f"{folder}/{_KEEP}": _KEEP for folder in ("episodes", "graph", "_system/dreaming")},
}


_OF_AN_AGENT = (Kind.MEMORY, Kind.LOG, Kind.EPISODE, Kind.CONTEXT)


def tracked_beside(root: Path) -> list[str]:
    """The files that the repository around ``root`` tracks, if ``root`` holds no agent's memory; else none.

    AGENTS.md, README.md and the like are no sign of memory: source code has them too.
    """
    if (root / SETTINGS_FILE).exists() or any(f.kind in _OF_AN_AGENT for f in scan(root, USUAL)):
        return []
    try:
        with contextlib.closing(History.open(_nearest_folder(root))) as history:
            names = ask(history.carrier, "ls_files", "-z", "--full-name", ":/")
    except NoRepositoryError:
        return []
    return [os.fsdecode(name) for name in names.split(b"\0") if name]


def owner_of(root: Path) -> str:
    """The agent that takes whatever lies in ``root`` for its memory; empty where there is none."""
    owners = (one.title for one in LAYOUTS if one is not OPENCLAW and one.owns(root.resolve()))
    return next(owners, "")


def needs_repository(root: Path) -> bool:
    """Whether ``root`` is not in a git repository yet."""
    try:
        History.open(_nearest_folder(root)).close()
    except NoRepositoryError:
        return True
    return False


def plan_init(root: Path, template: str) -> Plan:
    """The files of ``template`` that ``root`` does not have; none in an agent's own memory folder.

    Where it is a folder of notes, its settings say so from then on.
    """
    edits = []
    for name, source in ({} if owner_of(root) else TEMPLATES[template]).items():
        present = (root / name).exists() or (name == "MEMORY.md" and (root / "memory.md").exists())
        if not present:
            template_file = files("workbench.workspace").joinpath("template_files", source)
            text = b"" if source == _KEEP else template_file.read_bytes()
            edits.append(FileEdit(RelPath(name), None, text))
    settings = root / SETTINGS_FILE
    if edits and not settings.exists() and template == "plain" and _is_of_notes(root):
        edits.append(FileEdit(RelPath(SETTINGS_FILE), None, b"layout: plain\n"))
    return Plan(action="init", summary=f"{template} workspace", edits=tuple(edits))


def _is_of_notes(root: Path) -> bool:
    """Whether notes in folders would be memory no more with a MEMORY.md beside them."""
    plain = layouts_of(root.resolve()) == (PLAIN,)
    return plain and any(not USUAL.holds(file.path) for file in walk(root, NOTES))


def to_set_up(root: Path, plan: Plan) -> Workspace:
    """The workspace in ``root`` as ``plan`` lays it out: what git ignores of that has a history apart."""
    workspace = Workspace.open(root)
    if any(edit.path in USUAL.memory_files for edit in plan.edits):
        workspace.layout = replace(workspace.layout, agents=(OPENCLAW, *workspace.layout.agents))
    return workspace


def set_up(root: Path, template: str) -> Operation | None:
    """Make ``root`` a workspace; None when nothing was missing. Raises WriteFailedError, NoGitError."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailedError(f"{root} cannot be made: {error.strerror}") from error
    if needs_repository(root):
        History.create(root.resolve()).close()
    plan = plan_init(root, template)
    with contextlib.closing(to_set_up(root, plan)) as place:
        return place.operations.carry_out(lambda: plan_init(root, template)) if plan.edits else None


def _nearest_folder(path: Path) -> Path:
    path = path.resolve()
    return next(folder for folder in (path, *path.parents) if folder.is_dir())
