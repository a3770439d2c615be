"""Whether a workspace is at peace: nothing in it is disputed, so that what is saved is what is meant."""

from __future__ import annotations

import os
import re

from workbench.errors import RepositoryStateError
from workbench.repository.git_runner import ask
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

_FENCE = re.compile(rb" {0,3}(```+|~~~+)")
_OURS, _BETWEEN, _THEIRS = (re.compile(rb"%s(?:[ \r]|$)" % (mark * 7)) for mark in (rb"<", rb"=", rb">"))


def require_peace(workspace: Workspace) -> tuple[str, ...]:
    """Raise RepositoryStateError naming what is disputed: it would be saved as if it were settled.

    An interrupted action is finished first; returns what a person should know of that.
    """
    finished = workspace.operations.recover()
    history = workspace.history
    history.require_committable()
    if history.shallow:
        raise RepositoryStateError(
            "this is a shallow clone: a backup of it would not be whole",
            hint="git fetch --unshallow brings the rest of the history",
        )
    if (workspace.root / STATE_DIR / "journal.json").exists():
        raise RepositoryStateError(
            "an action was interrupted and could not be finished yet",
            hint="any action tries again and says what is in the way",
        )
    unmerged = os.fsdecode(ask(history.carrier, "ls_files", "--unmerged", "-z", "--", ":(top)"))
    if unmerged:
        path = unmerged.split("\0")[0].partition("\t")[2]
        raise RepositoryStateError(
            f"{path} has an unfinished merge in git's index", hint="resolve it and `git add` the file"
        )
    for kept in workspace.operations.conflicts():
        raise RepositoryStateError(
            f"{kept} holds text of another writer that is in no memory file",
            hint="put what you need of it where it belongs, then remove it",
        )
    for file in workspace.scan():
        if line := marked_line(workspace.files.read_or_none(file.path) or b""):
            raise RepositoryStateError(
                f"{file.path} has the marks of an unfinished merge from line {line} on",
                hint="keep what is right of both sides, and take the marks out",
            )
    return finished


def marked_line(data: bytes) -> int:
    """The line (from 1) on which an unresolved merge begins; 0 where there is none.

    All three marks must follow each other; what is quoted in a code block tells of a merge and is none.
    """
    fence = b""
    begun, wanted = 0, _OURS
    for number, line in enumerate(data.split(b"\n"), 1):
        mark = _FENCE.match(line)
        if mark and not begun:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = b""
        if fence or not wanted.match(line):
            continue
        if wanted is _THEIRS:
            return begun
        begun = begun or number
        wanted = _BETWEEN if wanted is _OURS else _THEIRS
    return 0
