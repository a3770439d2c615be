"""One curation action is one operation is one commit.

``carry_out`` takes a function that plans, not a plan: when another writer changes a file in the last
moment the action is planned anew on what is there now, instead of being forced onto it.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from workbench.errors import (
    BusyError,
    ConflictError,
    NotCuratableError,
    ReadOnlyError,
    RepositoryStateError,
    WorkbenchError,
    WriteFailedError,
    disk_error,
)
from workbench.memory.names import BlobId, CommitId, OperationId, RelPath
from workbench.visible import visible
from workbench.workspace.commits import Commit
from workbench.workspace.displaced import Displaced
from workbench.workspace.files import TEMPORARY_PREFIX, ChangedError, Files, Written
from workbench.workspace.history import History
from workbench.workspace.journal import Intent, Journal, Step
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.locks import hold
from workbench.workspace.plan import FileEdit, Operation, Plan

ATTEMPTS = 8
"""How often an action is planned anew before it gives way to a busier writer."""
_LOCK_SECONDS = 5.0
_SUBJECT_CHARACTERS = 72
_RECOVERY_DEPTH = 1_000
"""Commits that are searched for an operation whose process was killed."""
EXTERNAL_AUTHOR = ("external", "external@localhost")


class Operations:
    """What was done to a workspace's memory, and the one way to do more."""

    def __init__(self, files: Files, history: History, state: Path, prepare: Callable[[], Path]) -> None:
        """``prepare`` makes the folder ``state`` when the first action needs it."""
        self._files = files
        self._history = history
        self._prepare = prepare
        self._lock = state / "operations.lock"
        self._journal = Journal(state)
        self._displaced = Displaced(files, state)

    # -- doing -----------------------------------------------------------------------------------

    def carry_out(self, planner: Callable[[], Plan]) -> Operation:
        """Plan, write and commit one action.

        Raises what ``planner`` raises, BusyError while another action runs, ConflictError when the files
        keep changing, ReadOnlyError, WriteFailedError, RepositoryStateError. In every one of these
        cases no file has changed, but for one: a branch that turns out to be locked after the files were
        written. The error says so then, and the next action records them first.
        """
        with self._exclusive("an action"):
            self._history.require_committable()
            for _ in range(ATTEMPTS):
                plan = planner()
                if not plan.edits:
                    raise NotCuratableError("there is nothing to change", hint=plan.summary)
                for edit in plan.edits:
                    self._files.require_writable(edit.path)
                self._history.require_plain([edit.path for edit in plan.edits])
                try:
                    return self._attempt(plan)
                except ChangedError:
                    continue
        raise ConflictError(
            "the file is being rewritten faster than it can be edited; nothing was changed",
            hint="try again when the other program has finished",
        )

    def recover(self) -> None:
        """Finish what a killed process began and carry late bytes over; nothing where nothing was done."""
        if self._lock.parent.is_dir():
            later = (ReadOnlyError, BusyError, RepositoryStateError)  # the next action says so
            with contextlib.suppress(*later), self._exclusive("recovery"):
                pass

    @contextlib.contextmanager
    def _exclusive(self, purpose: str) -> Iterator[None]:
        try:
            self._prepare()
            self._history.require_untracked(STATE_DIR)
            with hold(self._lock, purpose, wait=_LOCK_SECONDS):
                self._roll_forward()
                self._displaced.sweep()
                yield
        except OSError as error:
            raise disk_error(error) from error

    def _attempt(self, plan: Plan) -> Operation:
        operation = OperationId(secrets.token_hex(6))
        head = self._history.head()
        steps = tuple(self._step(operation, n, edit) for n, edit in enumerate(plan.edits))
        head = self._commit_external(head, steps)
        message = _message(operation, plan)
        changes = {step.path: step.after for step in steps}
        commit = self._history.build_commit(head, changes, message)
        intent = Intent(operation, head, commit, message, steps)
        self._journal.write(intent)
        notes = self._replace_all(intent, plan.edits)
        commit, late = self._record(intent, steps)
        self._journal.clear()
        done = self._operation(self._history.commit(commit))
        assert done is not None
        return replace(done, notes=(*plan.notes, *notes, *late))

    def _step(self, operation: OperationId, number: int, edit: FileEdit) -> Step:
        """Store both versions of one file, so that neither can be lost from here on."""
        before = None if edit.before is None else self._history.store(edit.before)
        after = None if edit.after is None else self._history.store(edit.after)
        return Step(edit.path, before, after, f"{TEMPORARY_PREFIX}{operation}-{number}.tmp")

    def _commit_external(self, head: CommitId | None, steps: Iterable[Step]) -> CommitId | None:
        """Edits found on disk become a commit of their own, so that ours holds only ours."""
        found = {
            step.path: step.before for step in steps if step.before != self._history.blob_id(head, step.path)
        }
        if not found:
            return head
        names = ", ".join(sorted(found))
        message = (
            f"external: {_subject(names)}\n\n"
            f"Operation: {secrets.token_hex(6)}\nAction: external\nActor: external\n"
        )
        commit = self._history.build_commit(head, found, message, author=EXTERNAL_AUTHOR)
        if not self._history.advance(commit, head, "workbench: edits found on disk"):
            raise ChangedError(names)
        self._history.refresh_index(head, commit, found)
        return commit

    def _replace_all(self, intent: Intent, edits: tuple[FileEdit, ...]) -> list[str]:
        """Exchange the files; when one of them has changed or fails, put the earlier ones back."""
        done: list[tuple[Step, FileEdit]] = []
        notes: list[str] = []
        try:
            for step, edit in zip(intent.steps, edits, strict=True):
                written = self._replace(edit.path, edit.before, edit.after, step.temporary)
                done.append((step, edit))
                if not written.durable:
                    notes.append(f"{edit.path} is saved, durability unconfirmed")
        except (ChangedError, WorkbenchError, OSError):
            for step, edit in reversed(done):
                self._put_back(step, edit)
            self._journal.clear()
            raise
        return notes

    def _replace(self, path: RelPath, before: bytes | None, after: bytes | None, temporary: str) -> Written:
        """Replace one file and keep what may still be written to."""
        try:
            written = self._files.replace(path, before, after, temporary=temporary)
        except ChangedError as changed:
            if changed.left is not None:
                self._displaced.keep(path, changed.left, changed.known)
            raise
        if written.displaced is not None:
            self._displaced.keep(path, written.displaced, (before or b"") + written.carried)
        return written

    def _put_back(self, step: Step, edit: FileEdit) -> None:
        """Take one file of a failed operation back; text of somebody else stays."""
        now = self._files.read_or_none(edit.path)
        if edit.after is None:
            target = edit.before if now is None else now
        elif now is not None and now.startswith(edit.after):
            tail = now[len(edit.after) :]
            target = None if edit.before is None and not tail else (edit.before or b"") + tail
        else:
            target = now
        if target != now:
            with contextlib.suppress(ChangedError):
                self._replace(edit.path, now, target, _back(step.temporary))

    def _record(self, intent: Intent, taken: tuple[Step, ...]) -> tuple[CommitId, list[str]]:
        """Move the branch to the operation's commit, on top of whatever was committed meanwhile."""
        parent, commit = intent.parent, intent.commit
        changes = {step.path: step.after for step in taken}
        if taken != intent.steps:
            commit = self._history.build_commit(parent, changes, intent.message)
        for _ in range(ATTEMPTS):
            if self._history.advance(commit, parent, f"workbench: {intent.operation}"):
                note = self._history.refresh_index(parent, commit, changes)
                return commit, [note] if note else []
            parent = self._history.head()
            changes = {step.path: self._merged(step, parent) for step in taken}
            commit = self._history.build_commit(parent, changes, intent.message)
        raise WriteFailedError(
            "the files are written, but the branch could not be moved",
            hint="the next action will record it",
        )

    def _merged(self, step: Step, head: CommitId | None) -> BlobId | None:
        """What the commit gives a file when the branch has moved: what is on disk, if others changed it."""
        if self._history.blob_id(head, step.path) == step.before:
            return step.after
        now = self._files.read_or_none(step.path)
        return None if now is None else self._history.store(now)

    # -- recovery --------------------------------------------------------------------------------

    def _roll_forward(self) -> None:
        """Finish the operation that a killed process left in the journal."""
        intent = self._journal.read()
        if intent is None:
            return
        self._history.require_committable()
        if not self._is_ours(intent):
            self._journal.set_aside()
            return
        recorded = self._find_recorded(intent)
        if recorded is not None:  # the files were done; killed between the branch and the person's index
            self._history.refresh_index(intent.parent, recorded, [step.path for step in intent.steps])
        elif taken := tuple(step for step in intent.steps if self._finish_step(step)):
            self._record(intent, taken)
        self._journal.clear()

    def _is_ours(self, intent: Intent) -> bool:
        """Whether the journal says what its commit says: it is a file, and files can come from anywhere."""
        try:
            commit = self._history.commit(intent.commit)
        except RepositoryStateError:  # there is no such commit
            return False
        return commit.trailer("Operation") == intent.operation and all(
            self._history.blob_id(intent.commit, step.path) == step.after for step in intent.steps
        )

    def _finish_step(self, step: Step) -> bool:
        """Make one file what the operation made it, unless somebody else rewrote it; whether it is so."""
        before, after = self._bytes(step.before), self._bytes(step.after)
        now = self._files.read_or_none(step.path)
        state = _state(now, before, after)
        for name in (step.temporary, _back(step.temporary)):
            foreign = self._settle(step.path, name, now, before, after)
            if foreign and state == "new":
                # Killed between the two swaps of a conflict: the version beside is somebody else's.
                self._files.swap_beside(step.path, name)
                self._displaced.keep(step.path, name, after)
                return False
            if foreign:
                self._displaced.keep(step.path, name, None)
        if state != "old":
            return state == "new"
        tail = (now or b"")[len(before or b"") :]
        target = after if not tail else (after or b"") + tail
        try:
            self._replace(step.path, now, target, step.temporary)
        except ChangedError:
            return False
        return True

    def _settle(
        self, path: RelPath, name: str, now: bytes | None, before: bytes | None, after: bytes | None
    ) -> bool:
        """Put a temporary file that was left behind where it belongs.

        Does nothing and returns True when it holds text that is in neither version.
        """
        content = self._files.read_beside(path, name)
        if content is None:
            return False
        if self._files.is_same_file(path, name):
            self._files.remove_beside(path, name)
            return False
        versions = sorted((v for v in (before, after) if v is not None), key=len, reverse=True)
        if any(version.startswith(content) for version in versions):
            self._displaced.keep(path, name, content)
            return False
        for version in versions:
            if content.startswith(version):
                carried = now is not None and now.endswith(content[len(version) :])
                self._displaced.keep(path, name, content if carried else version)
                return False
        return True

    def _find_recorded(self, intent: Intent) -> CommitId | None:
        newest = islice(self._history.commits(), _RECOVERY_DEPTH)
        return next((c.id for c in newest if c.trailer("Operation") == intent.operation), None)

    def _bytes(self, blob: BlobId | None) -> bytes | None:
        return None if blob is None else self._history.stored(blob)

    # -- reading ---------------------------------------------------------------------------------

    def walk(self, *, path: RelPath | None = None) -> Iterator[Operation]:
        """All operations newest first, plain commits among them, each knowing whether it is undone."""
        undone: set[str] = set()
        for commit in self._history.commits(path=path):
            operation = self._operation(commit)
            if operation.undoes and operation.id not in undone:
                undone.add(operation.undoes)
            yield replace(operation, undone=operation.id in undone)

    def log(self, limit: int = 200, path: RelPath | None = None) -> list[Operation]:
        """The newest ``limit`` operations."""
        out: list[Operation] = []
        for operation in self.walk(path=path):
            if len(out) >= limit:
                break
            out.append(operation)
        return out

    def conflicts(self) -> tuple[Path, ...]:
        """Files with another writer's text that is in no version of any memory file."""
        return self._displaced.conflicts()

    def edits(self, operation: Operation) -> tuple[FileEdit, ...]:
        """What an operation did to each file, from its commit."""
        commit = self._history.commit(operation.commit)
        if commit.cut_off:
            raise RepositoryStateError(
                f"what {operation.id} changed is beyond the end of this shallow clone",
                hint="git fetch --unshallow brings the rest of the history",
            )
        parent = commit.parents[0] if commit.parents else None
        return tuple(
            FileEdit(path, self._history.blob(parent, path), self._history.blob(commit.id, path))
            for path in self._history.changed_paths(commit)
        )

    def _operation(self, commit: Commit) -> Operation:
        """The operation that a commit records; a plain commit counts as one of its author's."""
        ours = commit.trailer("Operation")
        undoes = commit.trailer("Undoes")
        return Operation(
            id=OperationId(ours or commit.id[:12]),
            commit=commit.id,
            action=(commit.trailer("Action") or "commit") if ours else "commit",
            summary=commit.subject,
            when=commit.when,
            actor=(commit.trailer("Actor") or "human") if ours else commit.author,
            entries=tuple(value for key, value in commit.trailers if key == "Entry"),
            became=tuple(value for key, value in commit.trailers if key == "Became") if ours else (),
            paths=self._history.changed_paths(commit),
            reason=commit.trailer("Reason") or "",
            undoes=OperationId(undoes) if ours and undoes else None,
            trailers=commit.trailers,
        )


def _state(now: bytes | None, before: bytes | None, after: bytes | None) -> str:
    """Whether a file is ``old``, ``new``, or ``foreign``: something that we never planned on.

    An agent may have appended to either version, and either may be a prefix of the other: the longer one
    that fits decides.
    """
    if now is None:
        return "new" if after is None else "old" if before is None else "foreign"
    fitting = [
        (len(version), name)
        for version, name in ((before, "old"), (after, "new"))
        if version is not None and now.startswith(version)
    ]
    return max(fitting)[1] if fitting else "foreign"


def _back(temporary: str) -> str:
    """The name of the temporary file with which a step is taken back."""
    return temporary.removesuffix(".tmp") + "-back.tmp"


def _message(operation: OperationId, plan: Plan) -> str:
    """The commit's message: a subject for people, trailers for the workbench."""
    trailers = [("Operation", operation), ("Action", plan.action)]
    trailers += [("Entry", address) for address in plan.entries]
    trailers += [("Became", address) for address in plan.became]
    trailers += list(plan.trailers)
    if plan.reason:
        trailers.append(("Reason", plan.reason))
    trailers.append(("Actor", plan.actor))
    if plan.undoes:
        trailers.append(("Undoes", plan.undoes))
    lines = [f"{key}: {' '.join(visible(value, one_line=True).split())}" for key, value in trailers]
    return f"{_subject(f'{plan.action}: {plan.summary}')}\n\n" + "\n".join(lines) + "\n"


def _subject(text: str) -> str:
    line = " ".join(visible(text, one_line=True).split())
    if len(line) <= _SUBJECT_CHARACTERS:
        return line
    return line[: _SUBJECT_CHARACTERS - 1].rstrip() + "…"
