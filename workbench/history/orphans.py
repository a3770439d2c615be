"""What was left behind: temporary files, stale locks, an unfinished action, text that nobody took up."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from workbench.backup.bundles import remembered, unfinished
from workbench.errors import ReadOnlyError
from workbench.history.verify_flaw import Check, Flaw
from workbench.plural import plural
from workbench.repository.git_runner import ask
from workbench.special_files import kind_of_special, special_files
from workbench.workspace.files import TEMPORARY_PREFIX
from workbench.workspace.layout import SET_ASIDE, STATE_DIR, folders
from workbench.workspace.locks import hold
from workbench.workspace.own_history import MAKING
from workbench.workspace.workspace import Workspace

LOCK_SECONDS = 600.0
"""A lock of git's that is older has no git behind it, but for an editor that is open since."""
_WAIT_SECONDS = 5.0
_JOURNAL = {
    "journal.json": "an action was interrupted; the next one finishes it",
    "journal.refused": "a note of an interrupted action that no commit confirms",
}


def check_strays(workspace: Workspace) -> list[Check]:
    """Files that were left behind, and kept conflicts. Raises BusyError while an action runs."""
    state = workspace.root / STATE_DIR
    with contextlib.ExitStack() as stack:
        if state.is_dir():
            with contextlib.suppress(ReadOnlyError):  # nothing can be under way on a read-only disk
                stack.enter_context(hold(state / "operations.lock", "verify", wait=_WAIT_SECONDS, keep=True))
        looked_at, flaws = _temporary(workspace)
        flaws += [
            Flaw("stray", f"{STATE_DIR}/{name} is there: {what}")
            for name, what in _JOURNAL.items()
            if (state / name).exists()
        ]
        flaws += _special(state)
        flaws += _git_leftovers(workspace)
        flaws += _half_bundles(workspace)
        kept = workspace.operations.conflicts()
        late = [one for one in workspace.operations.late() if one.text]
    disputed = tuple(
        Flaw(
            "conflict",
            f"{path} holds text of another writer that is in no memory file",
            "look, then remove it",
        )
        for path in kept
    )
    disputed += tuple(
        Flaw(
            "conflict",
            f"{one.kept} holds {plural(one.lines, 'line')} of no memory file",
            "`workbench inbox conflicts --late` shows them, and adds them to their file",
        )
        for one in late
    )
    return [
        Check(
            "leftovers",
            f"{plural(looked_at, 'folder')}, the journal, git's locks, the last backup",
            tuple(flaws),
        ),
        Check("conflicts", f"{plural(len(kept), 'kept text')} of other writers", disputed),
    ]


def _special(state: Path) -> list[Flaw]:
    waits = "what wants to read it could wait for ever"
    found = ((path, kind_of_special(path)) for path in special_files(state))
    return [Flaw("special", f"{path} is {kind}: {waits}", "remove it") for path, kind in found]


def _temporary(workspace: Workspace) -> tuple[int, list[Flaw]]:
    root, flaws = workspace.root, []
    looked_at = {*folders(root, workspace.layout), *folders(root, SET_ASIDE)}
    for folder in sorted(looked_at):
        with contextlib.suppress(OSError):
            flaws += [
                Flaw(
                    "stray",
                    f"{os.path.relpath(name, root)} was left behind by an action that was killed",
                    "compare it with the file it stands beside, then remove it",
                )
                for name in sorted(map(str, Path(folder).glob(f"{TEMPORARY_PREFIX}*")))
            ]
    return len(looked_at), flaws


def _git_leftovers(workspace: Workspace) -> list[Flaw]:
    common = ask(workspace.history.carrier, "rev_parse", "--path-format=absolute", "--git-common-dir")
    places = {workspace.history.git_dir, Path(os.fsdecode(common).rstrip("\n"))}
    found = {path for place in places for path in place.glob("*.lock")}
    for place in places:
        found |= set((place / "refs").rglob("*.lock"))
        found |= set(place.glob("objects/*/tmp_*")) | set(place.glob("objects/tmp_*"))
    if workspace.history.own:
        found |= set(workspace.history.git_dir.parent.glob(f"{MAKING}*"))
    return [
        Flaw("stray", f"{path} was left behind by a git that was killed", "if no git is running, remove it")
        for path in sorted(found)
        if _is_old(path)
    ]


def _is_old(path: Path) -> bool:
    try:
        return abs(time.time() - path.lstat().st_mtime) > LOCK_SECONDS
    except OSError:
        return False


def _half_bundles(workspace: Workspace) -> list[Flaw]:
    last = remembered(workspace)
    if last is None or not last.target.startswith("/"):
        return []
    place = Path(last.target)
    folder = place if place.is_dir() else place.parent
    return [
        Flaw("stray", f"{path} is half a backup that was killed", "the next backup removes it")
        for path in unfinished(folder)
    ]
