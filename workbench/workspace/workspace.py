"""A workspace: the facade that says where everything is.

Opening one loads no parser and nothing of git, so that the interface is painted before: each answer imports
what it needs when it is asked for.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.config import settings as settings_module
from workbench.config.settings import Settings
from workbench.errors import (
    EntryNotFoundError,
    NotCuratableError,
    NotMemoryError,
    NoWorkspaceError,
    OutsideWorkspaceError,
    ReadOnlyError,
    UsageError,
    disk_errors,
)
from workbench.memory.entry import Entry, Kind, RelPath, is_outside, path_of
from workbench.special_files import make_folder, read_regular
from workbench.workspace import layout
from workbench.workspace.agent_layouts import (
    OBSIDIAN,
    OPENCLAW,
    PLAIN,
    AgentLayout,
    existing,
    layouts_named,
    layouts_of,
    limits_said,
)
from workbench.workspace.agent_rules import LoadLimit
from workbench.workspace.files import Files
from workbench.workspace.layout import Layout, MemoryFile, daily_notes_of

if TYPE_CHECKING:
    from workbench.config.settings_report import SettingsProblem
    from workbench.memory.file_edit import FileEdit
    from workbench.memory.markdown import Document
    from workbench.memory.provenance import MarkReader
    from workbench.repository.git_repository import History
    from workbench.workspace.ledger import Ledger
    from workbench.workspace.own_history import OwnPlace
    from workbench.workspace.plan import Plan
    from workbench.workspace.transaction import Operations

_IGNORE_ALL = b"*\n"
LEADER_MARK = "leader:"
"""Stands before the paths and addresses of what is a team leader's."""
_SIGNS = (*OPENCLAW.weak_signs, *OBSIDIAN.signs, "episodes", "graph", layout.SETTINGS_FILE)
"""What a folder holds that is taken for a workspace from anywhere below it."""


class Workspace:
    """One folder of memory. Opening it reads nothing but its settings and executes nothing."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.go_by(settings)
        self.files = Files(root)

    def go_by(self, settings: Settings) -> None:
        """Have these settings count from now on; what is opened on this workspace goes on."""
        self.settings = settings
        self.misread: tuple[SettingsProblem, ...] = ()
        """What of the settings files does not count, where it was opened in spite of that."""
        self.skipped: tuple[SettingsProblem, ...] = ()
        """What of the settings files was passed over: unknown names, and for reading also wrong values."""
        agents = layouts_named(settings.layout) if settings.layout else layouts_of(self.today)
        self.layout = self._laid_out(agents)
        self._is_unknown = not settings.layout and agents == (PLAIN,)

    def recognise(self) -> None:
        """Look again how the folder is laid out, where nothing in it has said so yet: it was empty."""
        if self._is_unknown and (agents := layouts_of(self.today)) != (PLAIN,):
            self.layout = self._laid_out(agents)
            self._is_unknown = False

    def _laid_out(self, agents: tuple[AgentLayout, ...]) -> Layout:
        said = daily_notes_of(self.today, agents), limits_said(self.today, agents)
        return Layout(self.settings.include, self.settings.exclude, agents, *said)

    @property
    def today(self) -> Path:
        """The folder whose layout counts: its own, or where this is the past, that of the present."""
        return self.root

    @property
    def moment(self) -> str:
        """As of when it is shown, for people; empty for today's memory."""
        return ""

    @classmethod
    def open(cls, folder: Path | str, *, anyhow: bool = False, lenient: bool = False) -> Workspace:
        """The workspace at ``folder``. Raises NoWorkspaceError when there is no such folder.

        Raises UsageError where its settings or the person's are wrong; ``anyhow`` their defaults count for
        what is wrong, which ``misread`` says. ``lenient``, for what only reads, they count for values that
        are not strict (``settings.STRICT``), which ``skipped`` says beside the names that there are not.
        """
        root = Path(os.path.realpath(folder))
        if not root.is_dir():
            raise NoWorkspaceError(
                f"{folder} is not a folder", hint="`workbench demo` creates a workspace to try"
            )
        settings, misread, skipped = _settings_of(root / layout.SETTINGS_FILE, anyhow, lenient)
        if layout.STATE_DIR in root.parts:
            from workbench.workspace.snapshot import past_at

            if past := past_at(root, settings):
                return past
        found = cls(root, settings)
        found.misread, found.skipped = misread, skipped
        return found

    @staticmethod
    def nearest_root(folder: Path | str) -> Path:
        """Where the workspace is that ``folder`` is in: the nearest one upwards that shows signs of memory.

        Raises NoWorkspaceError.
        """
        start = Path(os.path.realpath(folder))
        for candidate in (start, *start.parents):
            if any((candidate / sign).exists() for sign in _SIGNS):
                return candidate
            if (candidate / ".git").exists():
                if next(layout.walk(candidate, layout.NOTES), None):
                    return candidate
                break
        raise NoWorkspaceError(
            f"there is no agent memory in {start} or above it",
            hint="`workbench init` sets up a workspace here; `workbench demo` creates one to try",
        )

    @cached_property
    def history(self) -> History:
        """The history of this memory, wherever it is kept. Raises as ``open_history`` does."""
        from workbench.workspace.own_history import open_history

        return open_history(self.root, self.layout)

    def own_place(self) -> OwnPlace:
        """The git directory of ours that history is, or would be, kept in. Raises as ``history`` does."""
        from workbench.workspace.own_history import own_place

        return own_place(self.root, self.layout)

    def go_on_in_repository(self) -> Path:
        """Have history go on in the repository around the workspace; where that of before stays.

        The decisions and sources in its ledger go along. Raises WorkbenchError.
        """
        left = self.own_place().end()
        self.close()
        for name in ("history", "operations", "ledger"):
            self.__dict__.pop(name, None)
        self.ledger.confirm(self.ledger.foreign())
        return left

    @cached_property
    def operations(self) -> Operations:
        """What was done to this memory, and the way to do more. Raises as ``history`` does."""
        from workbench.workspace.transaction import Operations

        return Operations(self)

    @cached_property
    def ledger(self) -> Ledger:
        """What cannot be derived from memory: decisions, proposals, recalls. Works without a repository."""
        from workbench.workspace.ledger import Ledger

        return Ledger(self)

    def finished(self, plan: Plan) -> Plan:
        """The plan with short marks, and with each file as the agent whose it is would write it.

        Raises NotCuratableError for what an agent would refuse, and for a first file of curated memory where
        no agent is known to load one. What only brings back older bytes stays as it is.
        """
        from workbench.workspace.short_marks import shortened

        plan = shortened(plan, self.marks(), self.layout.kind_of)
        if plan.brings_back or plan.action == "init":
            return plan
        return replace(plan, edits=tuple(self._finished(edit) for edit in plan.edits))

    def _finished(self, edit: FileEdit) -> FileEdit:
        agent, after = self.layout.agent_of(edit.path), edit.after
        if not agent or after is None or after == edit.before:
            return edit
        if edit.before is None and not agent.makes_memory and edit.path == self.memory_path():
            raise NotCuratableError(
                f"no file here is always loaded by an agent (layout: {agent.title})",
                hint=f"`workbench init` creates {edit.path}; or set `layout` in workbench.yaml to the "
                "agent of this memory",
            )
        if agent.finish and self.layout.kind_of(edit.path) in (Kind.MEMORY, Kind.BOOTSTRAP):
            after = agent.finish(edit.before, after)
        rules = [rule for pattern, rule in agent.rules if layout.fits(pattern, edit.path)]
        limits = self.layout.limits_of(edit.path)
        reasons = [rule(edit.before, after) for rule in rules]
        reasons += [one.refuses(edit.before, after, self._beside(edit.path, one)) for one in limits]
        if why := next(filter(None, reasons), None):
            raise NotCuratableError(
                f"{edit.path} cannot be changed this way: {why}",
                hint=f"{agent.title} requires it; {agent.document}",
            )
        return replace(edit, after=after)

    def _beside(self, path: str, limit: LoadLimit) -> int:
        """How long the other files are of which ``limit`` is one together, in its unit."""
        if not limit.together:
            return 0
        others = (file.path for file in self.scan() if file.path != path)
        return sum(limit.measure(self.read(other)) for other in others if layout.fits(limit.pattern, other))

    def stop_reading(self) -> None:
        """Have what reads the history in another thread end with StoppedError, now and from then on."""
        if "history" in self.__dict__:
            self.history.stop_reading()

    def close(self) -> None:
        """End the helper processes that reading history started."""
        if "history" in self.__dict__:
            self.history.close()

    @property
    def state_path(self) -> Path:
        """Where ``.workbench/`` is, or would be: it is not made by asking."""
        return self.root / layout.STATE_DIR

    def state_dir(self) -> Path:
        """``.workbench/``, made on demand with mode 0700 and kept out of git.

        Raises ReadOnlyError when it can neither be found nor made, and SpecialFileError.
        """
        with disk_errors():
            make_folder(self.state_path)
            _keep_out_of_git(self.state_path)
        return self.state_path

    def cache_dir(self) -> Path:
        """Where derived things lie that are good at any moment of the workspace; not made by asking."""
        return self.state_path

    def scan(self) -> list[MemoryFile]:
        """All memory files, sorted by path."""
        self.recognise()
        found = layout.scan(self.root, self.layout)
        self._is_unknown = self._is_unknown and not found
        return found

    def read(self, path: str) -> bytes:
        """The bytes of a memory file. Raises NotMemoryError for anything else, however it is spelt.

        What is in quarantine is not memory: an agent reads through this door.
        """
        if not self.layout.holds(path):
            raise NotMemoryError(path)
        return self.files.read(RelPath(path))

    def document(self, path: str) -> Document:
        """A file that may be curated, parsed: memory, or a page of the quarantine.

        Raises NotMemoryError for anything else, OutsideWorkspaceError among it, ReadOnlyError for what is a
        team leader's, and FileNotFoundError.
        """
        if is_outside(path):
            raise OutsideWorkspaceError(path)
        self.require_own(path)
        if not self.layout.may_curate(path):
            raise NotMemoryError(path)
        return self.parsed(RelPath(path), self.files.read(RelPath(path)))

    def marks(self) -> MarkReader:
        """What the short marks of curated memory stand for."""
        return self.ledger.marks()

    def parsed(self, path: RelPath, data: bytes) -> Document:
        """Some bytes of a file, parsed, with what the ledger knows of its short marks."""
        from workbench.memory.markdown import parse_document

        layout = self.layout
        kind, named, is_own = layout.kind_of(path), layout.named(path), layout.is_own_note(path, self.root)
        return parse_document(path, data, kind, self.marks(), named, is_own)

    def is_leaders(self, path: str) -> bool:
        """Whether ``path``, or an address, is in the memory of a team's leader: ``leader:memory/…``.

        A file of one's own that is called so goes before it.
        """
        if not (path.startswith(LEADER_MARK) and self.settings.team_leader):
            return False
        own = path.partition("#")[0]
        return not (self.layout.may_curate(own) and self.files.read_or_none(RelPath(own)) is not None)

    def require_own(self, path: str) -> None:
        """What every action asks of what it is to change. Raises ReadOnlyError for what is a leader's."""
        if self.is_leaders(path):
            raise ReadOnlyError(
                f"{path} is the leader's: memory is read-only for team members",
                hint="`workbench get` and `show` read it; the leader changes it in their own workspace",
            )

    def memory_path(self) -> RelPath:
        """The file of curated memory that an agent always loads: the first of its layout that is there.

        What another agent keeps for its own instructions (GEMINI.md, CLAUDE.md) is not memory of the first.
        """
        agents = self.layout.agents
        is_made = False
        for agent in agents:
            instructions = agent.of_kind(Kind.BOOTSTRAP) if is_made else ()
            for there in existing(self.root, agent.of_kind(Kind.MEMORY)):
                path = str(there.relative_to(self.root))
                if not any(layout.fits(pattern, path) for pattern in instructions):
                    return RelPath(path)
            is_made = is_made or agent.makes_memory
        usual = self.layout.memory_files or OPENCLAW.of_kind(Kind.MEMORY)
        return RelPath(next((agent.new_memory for agent in agents[:1]), "") or usual[0])

    @property
    def memory_budget(self) -> int:
        """Characters that curated memory may have: the setting, but never more than its agent accepts."""
        limits = self.layout.limits_of(self.memory_path())
        accepted = (one.most for one in limits if one.cut == "none" and one.unit == "characters")
        return min([self.settings.memory_budget, *accepted])

    @property
    def budget_is_agents(self) -> bool:
        """Whether the agent itself refuses more than the budget, which no setting raises then."""
        return self.memory_budget < self.settings.memory_budget

    def memory_document(self) -> Document:
        """Curated memory, parsed; an empty document when there is no file yet."""
        path = self.memory_path()
        try:
            return self.document(path)
        except FileNotFoundError:
            return self.parsed(path, b"")

    def locate(self, address: str) -> tuple[Document, Entry]:
        """The entry at ``path#hash`` and the document that it stands in.

        Raises EntryNotFoundError, AmbiguousEntryError or NotMemoryError.
        """
        path = path_of(address)
        if not path:
            raise EntryNotFoundError(address)
        try:
            document = self.document(path)
        except FileNotFoundError:
            raise EntryNotFoundError(address) from None
        return document, document.find(address)

    def find(self, address: str) -> Entry:
        """The entry at ``path#hash``. Raises as ``locate`` does."""
        return self.locate(address)[1]

    def part(self, named: str) -> tuple[str, int, int | None]:
        """The file that ``path``, ``path#L9-L11`` or ``path#hash`` is in, the first line and how many lines.

        None of them: to its end. A path that exists is just that. Raises as ``locate`` does, and UsageError
        for lines in reverse.
        """
        from workbench.memory.entry import LINES

        if self.layout.holds(named) and self.files.read_or_none(RelPath(named)) is not None:
            return named, 1, None
        if found := LINES.fullmatch(named):
            start = int(found["first"])
            last = int(found["last"] or start)
            if last < start:
                raise UsageError(
                    f"{named} ends before it begins", hint=f"use {found['path']}#L{last}-L{start}"
                )
            return found["path"], start, last - start + 1
        if "#" in named:
            entry = self.find(named)
            return entry.path, entry.start_line, entry.end_line - entry.start_line + 1
        return named, 1, None


def _settings_of(
    path: Path, anyhow: bool, lenient: bool
) -> tuple[Settings, tuple[SettingsProblem, ...], tuple[SettingsProblem, ...]]:
    """The settings, what of them makes no sense, and what was passed over."""
    if anyhow:
        try:
            return settings_module.load(path), (), ()
        except UsageError:
            from workbench.config.settings_report import as_far_as_read

            return *as_far_as_read(path), ()
    skipped: list[str] = []
    settings = settings_module.load(path, lenient=lenient, skipped=skipped)
    if not skipped:
        return settings, (), ()
    from workbench.config.settings_report import tell

    return settings, (), tuple(one for one in tell(path).problems if one.name in skipped)


def _keep_out_of_git(folder: Path) -> None:
    """See to it that git ignores all of ``folder``: a disk that was full may have left half of the file."""
    ignore = folder / ".gitignore"
    with contextlib.suppress(FileNotFoundError, ValueError):
        if read_regular(ignore) == _IGNORE_ALL:
            return
    from workbench.workspace.state_files import replace_state

    replace_state(ignore, _IGNORE_ALL)


# -- whose memory a workspace is: the name that USER.md gives ----------------------------------------

_USER_PAGE = RelPath("USER.md")


def owner_page_of(workspace: Workspace) -> str:
    """What USER.md says; empty where it is not there, is a link to elsewhere, or cannot be read."""
    with contextlib.suppress(NotMemoryError, OSError):
        return workspace.files.read(_USER_PAGE).decode("utf-8", "replace")
    return ""


def owner_name_of(workspace: Workspace) -> str:
    """The owner's name; empty where USER.md gives none."""
    from workbench.memory.origin import owner_name

    return owner_name(owner_page_of(workspace))
