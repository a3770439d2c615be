"""Setting a workspace up: only what is missing is added, as one operation."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from workbench.errors import NoRepositoryError, WriteFailedError
from workbench.memory.file_edit import FileEdit
from workbench.memory.names import RelPath
from workbench.repository.history import History
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.workspace import Workspace

_COMMON = {
    "MEMORY.md": "MEMORY.md",
    "memory/templates/daily.md": "daily.md",
    "memory/templates/research.md": "research.md",
    "memory/templates/project.md": "project.md",
}
_BOOTSTRAP = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md")
_KEEP = ".gitkeep"
TEMPLATES: dict[str, dict[str, str]] = {
    "plain": _COMMON,
    "openclaw": _COMMON | {name: name for name in _BOOTSTRAP},
    "goclaw": _COMMON
    | {name: name for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md")}
    | {f"{folder}/{_KEEP}": _KEEP for folder in ("episodes", "graph", "_system/dreaming")},
}


def needs_repository(root: Path) -> bool:
    """Whether ``root`` is not in a git repository yet."""
    try:
        History.open(_nearest_folder(root)).close()
    except NoRepositoryError:
        return True
    return False


def plan_init(root: Path, template: str) -> Plan:
    """The files of ``template`` that ``root`` does not have."""
    edits = []
    for name, source in TEMPLATES[template].items():
        present = (root / name).exists() or (name == "MEMORY.md" and (root / "memory.md").exists())
        if not present:
            text = b"" if source == _KEEP else _template(source)
            edits.append(FileEdit(RelPath(name), None, text))
    return Plan(action="init", summary=f"{template} workspace", edits=tuple(edits))


def set_up(root: Path, template: str) -> Operation | None:
    """Make ``root`` a workspace; None when nothing was missing. Raises WriteFailedError, NoGitError."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailedError(f"{root} cannot be made: {error.strerror}") from error
    if needs_repository(root):
        History.create(root.resolve()).close()
    workspace = Workspace.open(root)
    try:
        if not plan_init(root, template).edits:
            return None
        return workspace.operations.carry_out(lambda: plan_init(root, template))
    finally:
        workspace.close()


def _template(name: str) -> bytes:
    return files("workbench.workspace").joinpath("template_files", name).read_bytes()


def _nearest_folder(path: Path) -> Path:
    path = path.resolve()
    while not path.is_dir():
        path = path.parent
    return path
