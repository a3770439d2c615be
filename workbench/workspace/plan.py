"""What an action would do, before it is done."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from datetime import datetime

from workbench.memory.names import CommitId, OperationId, RelPath


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file's bytes before and after; None where the file does not exist."""

    path: RelPath
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An action that has been thought through and not carried out.

    ``summary`` is one line for people (a commit's subject, a toast). ``entries`` are the addresses that
    the action is about, as they are before it. ``became`` says where each of them stands afterwards: as
    many addresses as ``entries``, or one for all (a merge), or none (forgotten). ``trailers`` are further
    lines of the commit. ``notes`` are told to the person (what was left out, and why).
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


def unified_diff(edit: FileEdit) -> str:
    """One file's unified diff, as git writes it."""
    before, after = _lines(edit.before), _lines(edit.after)
    old = f"a/{edit.path}" if edit.before is not None else "/dev/null"
    new = f"b/{edit.path}" if edit.after is not None else "/dev/null"
    out: list[str] = []
    for line in difflib.unified_diff(before, after, old, new):
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])
