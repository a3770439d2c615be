"""One file's bytes before and after an action, and the difference for people."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from workbench.memory.names import RelPath


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file's bytes before and after; None where the file does not exist.

    ``mode`` holds the permission bits of a file that comes into being here, or would when this edit is
    taken back; None asks for what the person's umask gives.
    """

    path: RelPath
    before: bytes | None
    after: bytes | None
    mode: int | None = None


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
