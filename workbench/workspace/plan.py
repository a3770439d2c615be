"""What an action would do, before it is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.memory.names import CommitId, OperationId, RelPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An action that has been thought through and not carried out.

    ``summary`` is one line for people (a commit's subject, a toast). ``entries`` are the addresses that
    the action is about, as they are before it. ``became`` says where each of them stands afterwards: as
    many addresses as ``entries``, or one for all (a merge), or none (forgotten). ``trailers`` are further
    lines of the commit. ``notes`` are told to the person (what was left out, and why). ``allow_secrets``:
    the person said that a secret which git does not hold yet may be recorded.
    """

    action: str
    summary: str
    edits: tuple[FileEdit, ...]
    entries: tuple[str, ...] = ()
    became: tuple[str, ...] = ()
    reason: str = ""
    actor: str = "human"
    undoes: OperationId | None = None
    trailers: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    allow_secrets: bool = False

    @property
    def brings_back(self) -> bool:
        """Whether the texts after it are the history's own: an undo, a redo, a restore."""
        return self.undoes is not None or self.action == "restore"

    def diff(self) -> str:
        """The unified diff of all files; bytes that are not UTF-8 as surrogates."""
        return "".join(unified_diff(edit) for edit in self.edits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An action that was carried out: one commit.

    ``undone`` says whether its effect is taken back at present. ``notes`` holds what went differently
    than planned but not wrong (a locked git index, an unconfirmed flush).
    """

    id: OperationId
    commit: CommitId
    action: str
    summary: str
    when: datetime
    actor: str
    entries: tuple[str, ...] = ()
    became: tuple[str, ...] = ()
    paths: tuple[RelPath, ...] = ()
    reason: str = ""
    undoes: OperationId | None = None
    undone: bool = False
    trailers: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
