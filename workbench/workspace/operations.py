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
    EntryNotFoundError,
    NotCuratableError,
    ReadOnlyError,
    RepositoryStateError,
    WriteFailedError,
    disk_error,
)
from workbench.memory.names import BlobId, CommitId, OperationId, RelPath
from workbench.visible import visible
from workbench.workspace.displaced import Displaced
from workbench.workspace.files import TEMPORARY_PREFIX, ChangedError, Files, Written
from workbench.workspace.history import Commit, History
from workbench.workspace.journal import Intent, Journal, Step
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
        self._displaced = Displaced(files, state / "displaced")

    # -- doing -----------------------------------------------------------------------------------

    def carry_out(self, planner: Callable[[], Plan]) -> Operation:
        """Plan, write and commit one action.

        Raises what ``planner`` raises, BusyError while another action runs, ConflictError when the files
        keep changing, ReadOnlyError, WriteFailedError, RepositoryStateError. In every one of these
        cases no file has changed.
        """
        with self._exclusive("an action"):
            self._history.require_committable()
            for _ in range(ATTEMPTS):
                plan = planner()
                if not plan.edits:
                    raise NotCuratableError("there is nothing to change", hint=plan.summary)
                for edit in plan.edits:
                    self._files.require_writable(edit.path)
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
            later = (ReadOnlyError, BusyError, RepositoryStateError)  # the next action does it
            with contextlib.suppress(*later), self._exclusive("recovery"):
                pass

    @contextlib.contextmanager
    def _exclusive(self, purpose: str) -> Iterator[None]:
        try:
            self._prepare()
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
        commit, late = self._record(intent)
        self._journal.clear()
        done = self._operation(self._history.commit(commit))
        assert done is not None
        return replace(done, notes=(*notes, *late))

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
                written = self._files.replace(edit.path, edit.before, edit.after, temporary=step.temporary)
                done.append((step, edit))
                self._keep(edit.path, edit.before, written)
                if not written.durable:
                    notes.append(f"{edit.path} is saved, durability unconfirmed")
        except (ChangedError, OSError):
            for step, edit in reversed(done):
                self._put_back(step, edit)
            self._journal.clear()
            raise
        return notes

    def _put_back(self, step: Step, edit: FileEdit) -> None:
        now = self._files.read_or_none(edit.path)
        after = edit.after or b""
        tail = now[len(after) :] if now is not None and now.startswith(after) else None
        if tail is None:
            return  # rewritten by somebody else meanwhile: theirs stays
        target = None if edit.before is None and not tail else (edit.before or b"") + tail
        written = self._files.replace(
            edit.path, now, target, temporary=step.temporary.replace(".tmp", "-back.tmp")
        )
        self._keep(edit.path, now, written)

    def _keep(self, path: RelPath, before: bytes | None, written: Written) -> None:
        if written.displaced is not None:
            known = len(before or b"") + len(written.carried)
            self._displaced.keep(path, written.displaced, known)

    def _record(self, intent: Intent) -> tuple[CommitId, list[str]]:
        """Move the branch to the operation's commit, on top of whatever was committed meanwhile."""
        parent, commit = intent.parent, intent.commit
        changes = {step.path: step.after for step in intent.steps}
        for _ in range(ATTEMPTS):
            if self._history.advance(commit, parent, f"workbench: {intent.operation}"):
                note = self._history.refresh_index(parent, commit, changes)
                return commit, [note] if note else []
            parent = self._history.head()
            commit = self._history.build_commit(parent, changes, intent.message)
        raise WriteFailedError(
            "the files are written, but the branch could not be moved",
            hint="the next action will record it; check for a stale lock in .git/refs",
        )

    def _roll_forward(self) -> None:
        """Finish the operation that a killed process left in the journal."""
        intent = self._journal.read()
        if intent is None:
            return
        self._history.require_committable()
        for step in intent.steps:
            self._finish_step(step)
        recorded = self._find_recorded(intent)
        if recorded is None:
            self._record(intent)
        else:  # killed between the branch and the person's index
            self._history.refresh_index(intent.parent, recorded, [step.path for step in intent.steps])
        self._journal.clear()

    def _finish_step(self, step: Step) -> None:
        before, after = self._bytes(step.before), self._bytes(step.after)
        now = self._files.read_or_none(step.path)
        beside = self._files.read_beside(step.path, step.temporary)
        exchanged = _is_exchanged(now, before, after)
        if beside is not None:
            if exchanged or not (after or b"").startswith(beside):
                known = len(before or b"") if beside.startswith(before or b"") else len(beside)
                self._displaced.keep(step.path, step.temporary, known)
            else:  # our own new version, whole or in part, that never took its place
                self._files.remove_beside(step.path, step.temporary)
        if exchanged:
            return
        tail = b"" if now is None else now[len(before or b"") :]
        target = after if not tail else (after or b"") + tail
        with contextlib.suppress(ChangedError):  # rewritten by somebody else: theirs stays
            written = self._files.replace(step.path, now, target, temporary=step.temporary)
            self._keep(step.path, now, written)

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

    def find(self, prefix: str) -> Operation:
        """The operation (or commit) whose id starts with ``prefix``. Raises EntryNotFoundError."""
        for operation in self.walk():
            if operation.id.startswith(prefix) or operation.commit.startswith(prefix):
                return operation
        raise EntryNotFoundError(prefix)

    def edits(self, operation: Operation) -> tuple[FileEdit, ...]:
        """What an operation did to each file, from its commit."""
        commit = self._history.commit(operation.commit)
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
            paths=self._history.changed_paths(commit),
            reason=commit.trailer("Reason") or "",
            undoes=OperationId(undoes) if ours and undoes else None,
            trailers=commit.trailers,
        )


def _is_exchanged(now: bytes | None, before: bytes | None, after: bytes | None) -> bool:
    """Whether the file on disk is the new version already, or somebody else's altogether.

    Either version may be a prefix of the other, and an agent may have appended to either: so the longer
    of the two decides.
    """
    if now is None or before is None or after is None:
        return now != before
    return now.startswith(after) if len(after) >= len(before) else not now.startswith(before)


def _message(operation: OperationId, plan: Plan) -> str:
    """The commit's message: a subject for people, trailers for the workbench."""
    trailers = [("Operation", operation), ("Action", plan.action)]
    trailers += [("Entry", address) for address in plan.entries]
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
