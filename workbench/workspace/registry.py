"""The workspaces that a person has, by the names that they gave them: a YAML file beside their settings.

Each has a line ``atlas: ~/work/atlas``. The file is the person's: an entry is listed even where its folder
has vanished, and a change leaves every other byte and comment alone.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.config.read_only import require_more_than_looking
from workbench.config.safe_yaml import MappingError, read_mapping
from workbench.config.settings import short, user_settings_path
from workbench.config.user_files import read_own, replace_own
from workbench.config.yaml_edit import with_change
from workbench.errors import NoWorkspaceError, UsageError, disk_errors
from workbench.frozen import frozen
from workbench.workspace.locks import hold
from workbench.workspace.workspace import Workspace

FILE = "workspaces.yaml"
MAX_NAME = 64
"""Characters that a name may have."""
RESERVED = "leader"
"""What a team leader's memory is called among the hits of a member."""
_NAME = re.compile(rf"[^\W_][\w.-]{{0,{MAX_NAME - 1}}}")
_STRANGE = re.compile(r"[^\w.-]+")
_PATIENCE_SECONDS = 10.0
_NO_NAME = "a name is letters, digits, `_`, `.` and `-`, begins with a letter or a digit, and is not `leader`"
_BOM = "\ufeff"


@frozen
class RegisteredWorkspace:
    """A workspace by its name; the folder may be gone, and may be no workspace any more."""

    name: str
    root: Path

    @property
    def there(self) -> bool:
        """Whether the folder is there now."""
        return self.root.is_dir()


@frozen
class Registry:
    """What the file says, in its order; ``skipped`` tells what of it makes no sense, and why."""

    path: Path
    entries: tuple[RegisteredWorkspace, ...] = ()
    skipped: tuple[str, ...] = ()

    def named(self, name: str) -> RegisteredWorkspace | None:
        """The workspace of this name."""
        return next((one for one in self.entries if one.name == name), None)

    def at(self, folder: Path | str) -> RegisteredWorkspace | None:
        """The workspace that is in this folder, however its path is written."""
        root = Path(os.path.realpath(folder))
        return next((one for one in self.entries if one.root == root), None)


def registry_path() -> Path:
    """Where the file is."""
    return user_settings_path().with_name(FILE)


def is_name(text: str) -> bool:
    """Whether a workspace can be called so: letters, digits, ``_``, ``.`` and ``-``, and never a path."""
    return _NAME.fullmatch(text) is not None and text != RESERVED


def read_registry() -> Registry:
    """All registered workspaces; none where there is no file.

    Raises UsageError where the file cannot be read as a mapping: then nothing is known of any of them.
    """
    path = registry_path()
    known, skipped = dict[Path, RegisteredWorkspace](), list[str]()
    for name, value in _said(path, read_own(path)).items():
        if not is_name(name):
            skipped.append(f"{short(name)}: {_NO_NAME}")
        elif not isinstance(value, str) or not value.strip() or "\0" in value:
            skipped.append(f"{short(name)}: its folder must be one path")
        else:  # a path that is not absolute counts from the file
            root = Path(os.path.realpath(path.parent / os.path.expanduser(value.strip())))
            if root in known:
                skipped.append(f"{short(name)}: the same folder as {known[root].name}")
            else:
                known[root] = RegisteredWorkspace(name, root)
    return Registry(path, tuple(known.values()), tuple(skipped))


def searched(here: Path) -> tuple[RegisteredWorkspace, ...]:
    """All registered workspaces, and the one that is ``here`` where it is none of them. Raises UsageError."""
    known = read_registry()
    own = () if known.at(here) else (RegisteredWorkspace(free_name(here, known), here),)
    return (*own, *known.entries)


def register(folder: Path | str, name: str = "") -> RegisteredWorkspace:
    """Put the workspace in ``folder`` on the list, by ``name`` or the folder's own.

    Raises NoWorkspaceError where there is no memory, UsageError where the name is no name or is taken, and
    where the workspace is on the list already.
    """
    root = memory_root(folder)
    with _changing():
        known = read_registry()
        if there := known.at(root):
            raise UsageError(
                f"{root} is already registered as {there.name}",
                hint=f"`workbench workspaces remove {there.name}` unregisters it",
            )
        chosen = name or free_name(root, known)
        if not is_name(chosen):
            raise UsageError(f"{short(chosen)} is not a valid workspace name", hint=_NO_NAME)
        for one in known.entries:
            if one.name.casefold() == chosen.casefold():
                raise UsageError(f"{one.name} is already {one.root}", hint="choose another one with --name")
        before = read_own(known.path)
        replace_own(known.path, before, with_change(known.path, before, chosen, str(root)))
        return RegisteredWorkspace(chosen, root)


def unregister(name: str) -> str:
    """Take a name off the list, also one that makes no sense; nothing of the workspace itself is touched.

    Returns the path that stood there. Raises UsageError where there is no such name.
    """
    with _changing():
        path = registry_path()
        before = read_own(path)
        said = _said(path, before)
        if name not in said:
            known = ", ".join(said) or "none"
            raise UsageError(f"no workspace is registered as {short(name)}", hint=f"registered: {known}")
        replace_own(path, before, with_change(path, before, name, None))
        return str(said[name])


def memory_root(folder: Path | str) -> Path:
    """The folder of a workspace of today. Raises NoWorkspaceError where there is no memory in it."""
    with contextlib.closing(Workspace.open(folder)) as place:
        if type(place) is not Workspace:
            raise UsageError(
                f"{folder} is memory as of an earlier time", hint="register the workspace itself"
            )
        signs = False
        with contextlib.suppress(NoWorkspaceError):
            signs = Workspace.nearest_root(place.root) == place.root
        if not signs and not place.scan():
            raise NoWorkspaceError(
                f"there is no agent memory in {place.root}",
                hint="`workbench init` sets up a workspace there; `workbench demo` creates one to try",
            )
        return place.root


def free_name(root: Path, known: Registry) -> str:
    """The folder's own name, as far as it can be one; a number is added where it is taken."""
    plain = _STRANGE.sub("-", root.name).strip("._-")[: MAX_NAME - 4] or "workspace"
    taken = {one.name.casefold() for one in known.entries}
    numbered = (plain if number == 1 else f"{plain}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name.casefold() not in taken)


def resolved(text: str, *, may_be_new: bool = False) -> tuple[str, str]:
    """The folder that ``text`` means, and what is to be said of that: a folder goes before a name.

    What is neither stays as it is, so that whoever opens it says so; a mere word is refused here, unless the
    folder may be a new one.
    """
    if not is_name(text):
        return text, ""
    is_folder = Path(text).is_dir()
    try:
        found = read_registry().named(text)
    except UsageError:
        if is_folder:
            return text, ""
        raise
    if is_folder and found and found.root != Path(os.path.realpath(text)):
        return text, f"{text} is a folder here; the registered workspace of that name is {found.root}"
    if is_folder or (found is None and may_be_new):
        return text, ""
    if found is None:
        raise NoWorkspaceError(
            f"{text} is not a folder, and no workspace is registered by that name",
            hint="`workbench workspaces list` lists them; `workbench demo` creates a workspace to try",
        )
    if not found.there:
        raise NoWorkspaceError(
            f"the folder of the workspace {text} no longer exists: {found.root}",
            hint=f"`workbench workspaces remove {text}` unregisters it",
        )
    return str(found.root), ""


@contextlib.contextmanager
def _changing() -> Iterator[None]:
    """One at a time: what another adds meanwhile is not lost. Raises BusyError, ReadOnlyError."""
    require_more_than_looking()
    folder = Path(os.path.realpath(registry_path())).parent
    with disk_errors():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with hold(folder / f".{FILE}.lock", "registering workspaces", wait=_PATIENCE_SECONDS):
        yield


def _said(path: Path, data: bytes | None) -> Mapping[str, object]:
    try:
        return read_mapping((data or b"").decode("utf-8").removeprefix(_BOM))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8", hint="correct it with an editor") from error
    except MappingError as error:
        raise UsageError(
            f"{path} is not a list of workspaces: {short(error)}",
            hint="correct it with an editor; a line is `name: folder`",
        ) from error
