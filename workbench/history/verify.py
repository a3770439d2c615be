"""Proof that nothing is lost: every operation's text is there, every reference leads somewhere.

It also reports what was left behind: temporary files, stale locks, an unfinished action, conflicts.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.backup.bundles import remembered, unfinished
from workbench.errors import ReadOnlyError, RepositoryStateError, WorkbenchError
from workbench.frozen import frozen
from workbench.memory.entry import entry_hash
from workbench.memory.file_edit import Hunk, hunks
from workbench.plural import first_few, plural
from workbench.repository import trees
from workbench.repository.git_runner import outcome, reason, references
from workbench.repository.objects import Commit
from workbench.special_files import kind_of_special, special_files
from workbench.workspace.files import TEMPORARY_PREFIX
from workbench.workspace.layout import SET_ASIDE, STATE_DIR, folders
from workbench.workspace.locks import hold
from workbench.workspace.own_history import MAKING
from workbench.workspace.workspace import Workspace


@frozen
class IntegrityProblem:
    """One thing that is not as it should be. ``kind`` is a stable word for programs; ``hint`` a next step.

    Kinds: text (an operation's text is missing or damaged), reference (a branch, tag or object that others
    name), stray (a file that was left behind), special (a named pipe or a device among our files), conflict
    (another writer's text), claim (a trailer that cannot be true), file (a memory file that cannot be read or
    taken apart), stale (the index is behind), index and vectors (the index is not what the files say).
    ``path`` is the file that was left behind, relative to the workspace where it is in one of its folders.
    """

    kind: str
    what: str
    hint: str = ""
    path: str = ""


@frozen
class Check:
    """One part of an audit: what was looked at, in words with counts, and what was found."""

    name: str
    looked_at: str
    flaws: tuple[IntegrityProblem, ...] = ()


LOCK_SECONDS = 600.0
"""A lock of git's that is older has no git behind it, but for an editor that is open since."""
_WAIT_SECONDS = 5.0
_LEFT_BY_GIT = ("*.lock", "refs/**/*.lock", "objects/*/tmp_*", "objects/tmp_*")
_JOURNAL = {
    "journal.json": "an action was interrupted; the next one finishes it",
    "journal.refused": "a journal entry of an interrupted action without a commit",
}


def check_strays(workspace: Workspace) -> list[Check]:
    """Files that were left behind, and kept conflicts. Raises BusyError while an action runs."""
    state = workspace.state_path
    with contextlib.ExitStack() as stack:
        if state.is_dir():
            with contextlib.suppress(ReadOnlyError):  # nothing can be under way on a read-only disk
                stack.enter_context(hold(state / "operations.lock", "verify", wait=_WAIT_SECONDS, keep=True))
        looked_at = {*folders(workspace.root, workspace.layout), *folders(workspace.root, SET_ASIDE)}
        flaws = tuple(_left_behind(workspace, sorted(looked_at)))
        kept = workspace.operations.conflicts()
        late = [one for one in workspace.operations.late() if one.text]
    what, do = "contains text of another writer that is in no memory file", "check it, then remove it"
    disputed = [IntegrityProblem("conflict", f"{one.kept} {what}", do) for one in kept]
    do = "`workbench inbox conflicts --late` shows them, and adds them to their file"
    for one in late:
        what = f"{one.kept} holds {plural(one.lines, 'line')} that are in no memory file"
        disputed.append(IntegrityProblem("conflict", what, do))
    searched = f"{plural(len(looked_at), 'folder')}, the journal, git's locks, the last backup"
    texts = f"{plural(len(kept), 'kept text')} of other writers"
    return [Check("leftovers", searched, flaws), Check("conflicts", texts, tuple(disputed))]


def _left_behind(workspace: Workspace, searched: Iterable[str]) -> Iterator[IntegrityProblem]:
    """What was left behind: temporary files in the folders ``searched``, the journal, locks, bundles."""
    root, state, history = workspace.root, workspace.state_path, workspace.history
    for folder in searched:
        with contextlib.suppress(OSError):
            for left in sorted(Path(folder).glob(f"{TEMPORARY_PREFIX}*")):
                path = os.path.relpath(left, root)
                yield IntegrityProblem(
                    "stray",
                    f"{path} was left behind by an action that was killed",
                    "compare it with the file beside it, then remove it",
                    path,
                )
    for name, what in _JOURNAL.items():
        if (state / name).exists():
            yield IntegrityProblem("stray", f"{STATE_DIR}/{name} exists: {what}", path=f"{STATE_DIR}/{name}")
    for special in special_files(state):
        yield IntegrityProblem(
            "special", f"{special} is {kind_of_special(special)}: reading it could block forever", "remove it"
        )
    places = {history.git_dir, history.common_dir}
    locks = {path for place in places for pattern in _LEFT_BY_GIT for path in place.glob(pattern)}
    if history.own:
        locks |= set(history.git_dir.parent.glob(f"{MAKING}*"))
    for lock in filter(_is_old, sorted(locks)):
        yield IntegrityProblem(
            "stray",
            f"{lock} was left behind by a git process that was killed",
            "if no git is running, remove it",
            str(lock),
        )
    last = remembered(workspace)
    if last and last.target.startswith("/"):
        target = Path(last.target)
        for half in unfinished(target if target.is_dir() else target.parent):
            yield IntegrityProblem(
                "stray", f"{half} is an incomplete backup", "the next backup removes it", str(half)
            )


def _is_old(path: Path) -> bool:
    try:
        return abs(time.time() - path.lstat().st_mtime) > LOCK_SECONDS
    except OSError:
        return False


_NAMES_SHOWN = 3
_OBJECT = re.compile(r"[0-9a-f]{40,64}")
_FROM_BACKUP = "`workbench restore` restores a backup, or copy the object from another clone"


def audit(workspace: Workspace) -> list[Check]:
    """Look at operations, references, claims, files and what was left behind. Writes nothing.

    Raises NoRepositoryError and what else opening the history raises, and BusyError while an action runs.
    """
    walked = _walk(workspace)
    return [
        _check_texts(workspace, walked),
        _check_references(workspace, walked),
        _check_claims(workspace, walked),
        _check_files(workspace),
        *check_strays(workspace),
    ]


@dataclass(slots=True)
class _Walked:
    """All commits that could be read, which texts they name, and which objects could not be read.

    ``texts`` holds for each blob where it stands: path, operation, and whether before or after it.
    """

    commits: list[Commit] = field(default_factory=list)
    texts: dict[str, list[tuple[bytes, str, str]]] = field(default_factory=dict)
    broken: list[IntegrityProblem] = field(default_factory=list)
    named: set[str] = field(default_factory=set)

    def note(self, what: str, error: RepositoryStateError) -> None:
        """Something could not be read: the error names the objects."""
        self.broken.append(IntegrityProblem("text", f"{what}: {error}", _FROM_BACKUP))
        self.named |= set(_OBJECT.findall(error.message))


def _walk(workspace: Workspace) -> _Walked:
    walked = _Walked()
    try:
        for commit in workspace.history.commits():
            walked.commits.append(commit)
            if commit.cut_off:
                continue
            who = commit.operation
            try:
                before = workspace.history.commit(commit.parent).tree if commit.parent else None
                for path, old, new in trees.changed(workspace.history.tree, before, commit.tree):
                    for node, side in ((old, "before"), (new, "after")):
                        if node and node.is_file:
                            walked.texts.setdefault(node.id, []).append((path, who, side))
            except RepositoryStateError as error:
                walked.note(f"what operation {who} changed cannot be read", error)
    except RepositoryStateError as error:
        walked.note("the history is incomplete", error)
    return walked


def _check_texts(workspace: Workspace, walked: _Walked) -> Check:
    """Read every text that an operation left or replaced, and hash it anew."""
    size = 0
    for blob, places in walked.texts.items():
        how = "missing or unreadable"
        with contextlib.suppress(RepositoryStateError):
            data = workspace.history.stored(blob)
            size += len(data)
            how = "" if workspace.history.name_of(data) == blob else "damaged"
        if how:
            path = os.fsdecode(places[0][0])
            who = ", ".join(first_few([f"{side} {operation}" for _, operation, side in places], _NAMES_SHOWN))
            what = f"the text of {path} {who} is {how} (blob {blob})"
            walked.broken.append(IntegrityProblem("text", what, _FROM_BACKUP))
            walked.named.add(blob)
    looked = f"{plural(len(walked.commits), 'operation')}, {plural(len(walked.texts), 'text')}"
    looked += f" ({size:,} bytes) read and hashed"
    return Check("operations", looked, tuple(walked.broken))


def _check_references(workspace: Workspace, walked: _Walked) -> Check:
    """HEAD, branches and tags, and that all they lead to is there."""
    history = workspace.history
    flaws = []
    head = history.head()
    named = outcome(history.carrier, "rev_parse", "--verify", "--quiet", "HEAD")
    if head is None and not named.status:
        what = f"HEAD points to {named.text}, which is not an existing commit"
        flaws.append(IntegrityProblem("reference", what))
        walked.named.add(named.text)
    fsck = outcome(history.carrier, "fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    for line in dict.fromkeys([*fsck.text.splitlines(), *fsck.err.splitlines()]) if fsck.status else ():
        about = set(_OBJECT.findall(line))
        is_news = line.startswith(("missing ", "error: ", "fatal: ", "bad ")) or "invalid" in line
        if is_news and not about & walked.named:
            flaws.append(IntegrityProblem("reference", reason(line), "`git fsck` shows more"))
            walked.named |= about if line.startswith("missing ") else set()
    if fsck.status and not flaws and not walked.named:
        what = f"git fsck: {reason(fsck.err or fsck.text)}"
        flaws.append(IntegrityProblem("reference", what, "`git fsck` shows more"))
    where = f"at {head[:12]}" if head else "without commits"
    counted = plural(len(references(history.carrier, "refs/")), "reference")
    return Check("references", f"HEAD {where}, {counted} and all objects they reach", tuple(flaws))


def _check_claims(workspace: Workspace, walked: _Walked) -> Check:
    """Trailers say which operation a commit is and which one it takes back; anybody can write a trailer."""
    flaws = []
    claims: dict[str, list[Commit]] = defaultdict(list)
    undos: list[tuple[Commit, str]] = []
    for commit in walked.commits:
        if name := commit.trailer("Operation"):
            claims[name].append(commit)
            if (undoes := commit.trailer("Undoes")) is not None:
                undos.append((commit, undoes))
    for name, claiming in claims.items():
        if len(claiming) > 1 and not _are_copies(workspace, claiming):
            what = f"{plural(len(claiming), 'commit')} claim to be operation {name}: "
            what += ", ".join(commit.id[:12] for commit in claiming)
            hint = "they change different lines, so one of them is forged; undo accepts commits too"
            flaws.append(IntegrityProblem("claim", what, hint))
    known = {*claims, *(commit.id[:12] for commit in walked.commits)}
    for commit, undoes in undos:
        if undoes not in known and not workspace.history.shallow:
            what = f"commit {commit.id[:12]} claims to undo {undoes}, but there is no such operation"
            hint = "the history was rewritten, or the trailer is forged"
            flaws.append(IntegrityProblem("claim", what, hint))
    looked = f"{plural(len(claims), 'operation id')}, {plural(len(undos), 'undo')}"
    return Check("history", looked, tuple(flaws))


def _are_copies(workspace: Workspace, commits: list[Commit]) -> bool:
    """Whether commits change the same lines, as those that a cherry-pick or a rebase copied do."""
    history = workspace.history

    def change(commit: Commit) -> dict[str, list[Hunk]]:
        before = commit.parent
        return {
            path: [
                Hunk(0, hunk.old, hunk.new)  # wherever they stand
                for hunk in hunks(history.blob(before, path) or b"", history.blob(commit.id, path) or b"")
            ]
            for path in history.changed_paths(commit)
        }

    try:
        first, *others = map(change, commits)
    except RepositoryStateError:
        return False
    return all(other == first for other in others)


def _check_files(workspace: Workspace) -> Check:
    """Every memory file can be read, and its entries lie in it in order and have the hash of their text."""
    flaws = []
    files = workspace.scan()
    entries = 0
    for file in files:
        try:
            document = workspace.document(file.path)
        except FileNotFoundError:  # removed meanwhile
            continue
        except (OSError, WorkbenchError) as error:
            flaws.append(IntegrityProblem("file", f"{file.path} cannot be read: {error}"))
            continue
        entries += len(document.entries)
        end = 0
        for entry in document.entries:
            inside = end <= entry.span.start <= entry.span.end <= len(document.data)
            if not inside or entry_hash(entry.text) != entry.hash:
                flaws.append(IntegrityProblem("file", f"{entry.address} is not at its position in the file"))
                break
            end = entry.span.end
    looked = f"{plural(len(files), 'memory file')}, {plural(entries, 'entry')} parsed"
    return Check("files", looked, tuple(flaws))
