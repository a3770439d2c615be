"""The transaction of an action: one operation and one commit.

``carry_out`` takes a function that plans, not a plan: when another writer changes a file in the last moment
the action is planned anew on what is there now, instead of being forced onto it.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from workbench.config.read_only import require_more_than_looking
from workbench.errors import (
    BusyError,
    ConflictError,
    NotCuratableError,
    ReadOnlyError,
    RepositoryStateError,
    SecretFoundError,
    WorkbenchError,
    WriteFailedError,
    disk_error,
    disk_errors,
)
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.repository.objects import BlobId, Commit, CommitId, ReferenceMove
from workbench.repository.trees import PROGRAM
from workbench.safety.secrets import masked_line
from workbench.safety.terminal import cut
from workbench.special_files import read_regular
from workbench.workspace.declared_format import require_known_format
from workbench.workspace.external_changes import unrecorded
from workbench.workspace.files import TEMPORARY_PREFIX, ChangedError
from workbench.workspace.journaled_swap import (
    MODE,
    FileStep,
    IncompleteRollbackError,
    Intent,
    Journal,
    Steps,
    private_modes,
    programs,
)
from workbench.workspace.late_writes import Conflict, Displaced, KeptFile
from workbench.workspace.layout import STATE_DIR, SYSTEM
from workbench.workspace.ledger import BOOKS
from workbench.workspace.locks import hold
from workbench.workspace.own_history import pack_loose
from workbench.workspace.plan import Book, Operation, OperationId, Plan
from workbench.workspace.revisions import commit_named
from workbench.workspace.seal import Seal
from workbench.workspace.secrets_gate import left_in_history, require_no_new_secret

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

ATTEMPTS = 8
"""How often an action is planned anew before it gives way to a busier writer."""
_LOCK_SECONDS = 5.0
_SUBJECT_CHARACTERS = 72
_RECOVERY_DEPTH = 1_000
"""Commits that are searched for an operation whose process was killed."""
EXTERNAL_AUTHOR = ("external", "external@localhost")
LEDGER_TRAILER = "Ledger"
"""The trailer that names a book to which an operation added records."""
_OF_WORDS: tuple[Book, ...] = ("provenance",)
_LOST = "git has lost the records of {0}, which was interrupted: repeat its decisions (`workbench log`)"
_BEGUN = "from now on history is kept in {}, outside of any repository: `workbench status` says why"
_HELD_BACK = "{} contains a new secret, so it is not recorded yet: `workbench status --commit` shows where"
_ON_NO_BRANCH = "HEAD is on no branch, so nothing keeps this commit once you switch: run `git switch -c NAME`"


class Operations:
    """What was done to a workspace's memory, and the one way to do more."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._files = workspace.files
        self._history = workspace.history
        self._ledger = workspace.ledger
        state = workspace.state_path
        self._lock = state / "operations.lock"
        self._journal = Journal(state, Seal(workspace.root))
        # The layout follows the settings, which may change while this program runs.
        may_curate = lambda path: workspace.layout.may_curate(path)  # noqa: E731, PLW0108
        self._displaced = Displaced(self._files, state, may_curate)
        self._steps = Steps(self._files, self._history, self._displaced)

    # -- doing -----------------------------------------------------------------------------------

    def carry_out(self, planner: Callable[[], Plan]) -> Operation:
        """Plan, write and commit one action.

        Raises what ``planner`` raises, BusyError while another action runs, ConflictError when the files
        keep changing, SecretFoundError when git would be given a new one, ReadOnlyError, WriteFailedError,
        RepositoryStateError. In every one of these cases no file has changed, but for two: a branch that
        turns out to be locked after the files were written, and a disk that lets files be neither finished
        nor rolled back. The error says so then, and the next action finishes this one first.
        """
        with self._exclusive("an action", commits=True) as found:
            for _ in range(ATTEMPTS):
                plan = self._workspace.finished(planner())
                if not plan.edits and not plan.records:
                    raise NotCuratableError("there is nothing to change", hint=plan.summary)
                for edit in plan.edits:
                    self._files.require_writable(edit.path)
                self._history.require_plain(plan.edits, SYSTEM)
                try:
                    done = self._attempt(plan)
                    return replace(done, notes=(*done.notes, *found))
                except ChangedError:
                    continue
        raise ConflictError(
            "another program keeps rewriting the file; nothing was changed",
            hint="try again when the other program has finished",
        )

    def record(
        self,
        find: Callable[[CommitId | None], Mapping[RelPath, bytes | None]],
        *,
        allow_secrets: bool = False,
        told: Plan | None = None,
    ) -> Operation | None:
        """Commit what other writers left on disk, and nothing else, as one operation of the actor external.

        ``find`` says which files differ from a commit, and their bytes (None: gone). None when no file does.
        ``told`` says what it was, where that is known: its action, summary, actor and trailers are recorded.
        Raises what ``carry_out`` raises; no file is ever changed.
        """
        with self._exclusive("recording", commits=True) as found:
            for _ in range(ATTEMPTS):
                head = self._history.head()
                edits = [FileEdit(path, data, data) for path, data in sorted(find(head).items())]
                if not edits:
                    return None
                self._history.require_plain(edits, SYSTEM)
                self._history.begin()
                if not allow_secrets:
                    require_no_new_secret(edits, partial(self._history.blob, head))
                blobs = {one.path: self._stored(one.after) for one in edits}
                with contextlib.suppress(ChangedError):
                    commit = self._commit_external(head, blobs, told)
                    return replace(self.of(commit), notes=found) if commit else None
        raise ConflictError("the branch changes too fast", hint="try again in a moment")

    def recover(self) -> tuple[str, ...]:
        """Finish what a killed process began and carry late bytes over; nothing where nothing was done.

        Returns what a person should know of it.
        """
        if self._lock.parent.is_dir():
            later = (ReadOnlyError, BusyError, RepositoryStateError)  # the next action says so
            with contextlib.suppress(*later), self._exclusive("recovery") as found:
                return found
        return ()

    @contextlib.contextmanager
    def _exclusive(self, purpose: str, *, commits: bool = False) -> Iterator[tuple[str, ...]]:
        """The lock, once what a killed process left is finished; what a person should know of that.

        Raises RepositoryStateError where that ``commits`` and a merge or the like is unfinished.
        """
        require_more_than_looking()
        require_known_format(self._files.root)
        with disk_errors():
            self._workspace.state_dir()
            self._history.require_untracked(STATE_DIR)
            with hold(self._lock, purpose, wait=_LOCK_SECONDS) as killed:
                if killed and killed.since:
                    self._history.remove_left_locks(killed.since)
                place = self._history.place
                if place and place.is_elsewhere(self._history):
                    raise BusyError(
                        "another program moved the history of this memory; nothing was changed",
                        hint="close this one and open it again",
                    )
                self._journal.sweep()
                found = self._roll_forward()
                try:
                    self._history.require_committable()
                    self._displaced.sweep()
                except RepositoryStateError:
                    if commits:
                        raise
                yield found

    def _attempt(self, plan: Plan) -> Operation:
        operation = OperationId(secrets.token_hex(6))
        begun = self._history.begin()
        head = self._history.head()
        if not plan.allow_secrets:
            edits = (*plan.edits, *plan.record_edits)
            require_no_new_secret(edits, partial(self._history.blob, head), brings_back=plan.brings_back)
        with self._history.gathering():
            steps = tuple(self._step(operation, head, n, edit) for n, edit in enumerate(plan.edits))
            others, waiting = self._others(head, {step.path for step in steps}, whole=begun is not None)
            head = self._commit_external(head, {step.path: step.before for step in steps} | others)
            message = _message(operation, plan, private_modes(steps))
            changes = {step.path: step.after for step in steps}
            commit = self._history.build_commit(head, changes, message, programs=programs(steps))
            records = self._ledger.adding(plan.records, operation)
        self._history.require_movable(_moves(commit, head, records))
        intent = Intent(operation, head, commit, message, steps, records.new if records else None)
        self._journal.write(intent)
        notes = self._replace_all(intent, plan.edits)
        commit, late = self._record(intent, steps)
        with contextlib.suppress(OSError):  # done and recorded: what is left of the journal is found out
            self._journal.clear()
        pack_loose(self._history)
        if self._history.names_no_branch():
            late.append(_ON_NO_BRANCH)
        notes = [*plan.notes, *notes, *late, *waiting, *left_in_history(plan.edits)]
        if begun:
            notes.append(_BEGUN.format(begun))
        return replace(self.of(commit), notes=tuple(notes))

    def _others(
        self, head: CommitId | None, ours: set[RelPath], *, whole: bool
    ) -> tuple[dict[RelPath, BlobId | None], list[str]]:
        """What other writers left on disk, where nobody but us commits: so the past is whole.

        ``whole``: also what they wrote before ``head``. A file with a new secret waits until a person decides
        about it, who is told so.
        """
        others: dict[RelPath, BlobId | None] = {}
        waiting: list[str] = []
        if not self._history.own:
            return others, waiting
        found: Mapping[RelPath, bytes | None] = {}
        with contextlib.suppress(RepositoryStateError):  # nearly all have vanished: no folder is mounted
            found = unrecorded(self._workspace, head, whole=whole).changes
        for path in found.keys() - ours:
            data = found[path]
            try:
                require_no_new_secret([FileEdit(path, data, data)], partial(self._history.blob, head))
                others[path] = self._stored(data)
            except SecretFoundError:
                waiting.append(path)
        return others, [_HELD_BACK.format(", ".join(sorted(waiting)))] if waiting else []

    def _step(self, operation: OperationId, head: CommitId | None, number: int, edit: FileEdit) -> FileStep:
        """Store both versions of one file, so that neither can be lost from here on."""
        before = None if edit.before is None else self._history.name_of(edit.before)
        if edit.before is not None and before != self._history.blob_id(head, edit.path):
            before = self._history.store(edit.before)
        after = self._stored(edit.after)
        mode = self._files.mode(edit.path) if edit.after is None else edit.mode
        return FileStep(edit.path, before, after, f"{TEMPORARY_PREFIX}{operation}-{number}.tmp", mode)

    def _commit_external(
        self,
        head: CommitId | None,
        on_disk: Mapping[RelPath, BlobId | None],
        told: Plan | None = None,
    ) -> CommitId | None:
        """Edits found on disk become a commit of their own, so that ours holds only ours."""
        found = {p: blob for p, blob in on_disk.items() if blob != self._history.blob_id(head, p)}
        if not found:
            return head
        names = ", ".join(sorted(found))
        operation = OperationId(secrets.token_hex(6))
        said = told or Plan(action="external", summary=names, actor="external")
        executable = {path for path in found if (self._files.mode(path) or 0) & 0o100}
        author = None if told else EXTERNAL_AUTHOR
        message = _message(operation, said, ())
        commit = self._history.build_commit(head, found, message, author=author, programs=executable)
        left = tuple(FileStep(path, blob, blob, "") for path, blob in found.items())
        self._history.save()
        if not self._history.own:  # the journal is for the person's index
            self._journal.write(Intent(operation, head, commit, message, left))
        moved = self._history.move_references(_moves(commit, head), "workbench: edits found on disk")
        if moved:
            self._history.refresh_index(head, commit, found)
        with contextlib.suppress(OSError):
            self._journal.clear()
        if not moved:
            raise ChangedError(names)
        return commit

    def _replace_all(self, intent: Intent, edits: tuple[FileEdit, ...]) -> list[str]:
        """Exchange the files; when one of them has changed or fails, all are as they were."""
        try:
            return self._steps.do_all(intent.steps, edits)
        except (ChangedError, WorkbenchError, OSError):
            self._journal.clear()
            raise
        except IncompleteRollbackError as error:
            why = disk_error(error.reason) if isinstance(error.reason, OSError) else error.reason
            raise WriteFailedError(
                f"some files are changed and could not be restored: {why.message}",
                hint="nothing is lost: the next action finishes this one first; free some space for it",
            ) from error

    def _record(self, intent: Intent, taken: tuple[FileStep, ...]) -> tuple[CommitId, list[str]]:
        """Move the branch to the operation's commit, on top of whatever was committed meanwhile."""
        parent, commit = intent.parent, intent.commit
        changes = {step.path: step.after for step in taken}
        if taken != intent.steps:
            commit = self._rebuild(intent, taken, parent, changes)
        for _ in range(ATTEMPTS):
            # Others may have moved the ledger meanwhile, and after a kill it may have the records already.
            records = self._ledger.including(intent.ledger) if intent.ledger else None
            try:
                moves = _moves(commit, parent, records)
                advanced = self._history.move_references(moves, f"workbench: {intent.operation}")
            except RepositoryStateError as error:
                raise RepositoryStateError(
                    f"the files are written, but {error.message}",
                    hint=f"the next action will record it; {error.hint}",
                ) from error
            if advanced:
                note = self._history.refresh_index(parent, commit, changes)
                return commit, [note] if note else []
            if (head := self._history.head()) != parent:
                parent = head
                changes = {step.path: self._merged(step, parent) for step in taken}
                commit = self._rebuild(intent, taken, parent, changes)
        raise WriteFailedError(
            "the files are written, but the branch could not be moved",
            hint="the next action will record it",
        )

    def _rebuild(
        self,
        intent: Intent,
        taken: tuple[FileStep, ...],
        parent: CommitId | None,
        changes: Mapping[RelPath, BlobId | None],
    ) -> CommitId:
        """The operation's commit on another parent; the journal names it before a branch does."""
        commit = self._history.build_commit(parent, changes, intent.message, programs=programs(taken))
        steps = tuple(replace(step, after=changes[step.path]) for step in taken)
        self._journal.write(replace(intent, parent=parent, commit=commit, steps=steps))
        return commit

    def _merged(self, step: FileStep, head: CommitId | None) -> BlobId | None:
        """What the commit gives a file when the branch has moved: what is on disk, if others changed it."""
        if self._history.blob_id(head, step.path) == step.before:
            return step.after
        return self._stored(self._files.read_or_none(step.path))

    def _stored(self, data: bytes | None) -> BlobId | None:
        return None if data is None else self._history.store(data)

    # -- recovery --------------------------------------------------------------------------------

    def _roll_forward(self) -> tuple[str, ...]:
        """Finish the operation that a killed process left in the journal; what to tell of it."""
        intent = self._journal.read()
        if not intent:
            return ()
        self._history.require_committable()
        if not self._is_ours(intent):
            self._journal.set_aside()
            return ()
        is_lost = intent.ledger is not None and not self._ledger.holds(intent.ledger)
        found = (_LOST.format(intent.operation),) if is_lost else ()
        recorded = self._find_recorded(intent)
        if recorded:  # the files were done; killed between the branch and the person's index
            if intent.ledger and not is_lost:
                self._ledger.include(intent.ledger)
            now = self._history.head() or recorded  # by now somebody may have reverted it
            if self._history.refresh_index(intent.parent, now, [step.path for step in intent.steps]):
                return found  # git's index is locked: the next start tries again
        elif not self._history.was_head(intent.commit):  # else the person has left it since, and knew why
            changing = [step for step in intent.steps if step.changes]
            taken = tuple(step for step in changing if self._steps.finish(step))
            if is_lost:
                intent = self._without_records(intent, ())
            elif intent.ledger and len(taken) < len(changing):
                # A decision whose words went elsewhere is none; where words came from holds for those words.
                self._ledger.include(intent.ledger, _OF_WORDS)
                intent = self._without_records(intent, _OF_WORDS)
            if taken or (intent.ledger and not changing):
                self._record(intent, taken)
        self._journal.clear()
        return found

    def _without_records(self, intent: Intent, kept: tuple[Book, ...]) -> Intent:
        """The operation without its records; of their books its commit names those that are ``kept`` only."""
        others = [book for book in BOOKS if book not in kept]
        message = re.sub(
            rf"^{LEDGER_TRAILER}: ({'|'.join(others)})\n", "", intent.message, flags=re.MULTILINE
        )
        left = replace(intent, message=message, ledger=None)
        changes = {step.path: step.after for step in intent.steps}
        return replace(left, commit=self._rebuild(left, intent.steps, intent.parent, changes))

    def _is_ours(self, intent: Intent) -> bool:
        """Whether the journal says what its commit says: it is a file, and files can come from anywhere."""
        try:
            commit = self._history.commit(intent.commit)
        except RepositoryStateError:  # there is no such commit
            return False
        return self._tells(commit, intent)

    def _find_recorded(self, intent: Intent) -> CommitId | None:
        """The commit that records an operation: its own, or one that was made of it by an amend or a
        rebase. A plain commit that only copied its trailers is none."""
        paths = {step.path for step in intent.steps}
        for commit in islice(self._history.commits(), _RECOVERY_DEPTH):
            is_copy = self._tells(commit, intent) and paths <= {*self._history.changed_paths(commit)}
            if is_copy or commit.id == intent.commit:
                return commit.id
        return None

    def _tells(self, commit: Commit, intent: Intent) -> bool:
        """Whether a commit says of itself that it is this operation, and leaves each file as that does."""
        return commit.trailer("Operation") == intent.operation and all(
            self._history.blob_id(commit.id, step.path) == step.after for step in intent.steps
        )

    # -- reading ---------------------------------------------------------------------------------

    def walk(self, *, path: RelPath | None = None) -> Iterator[Operation]:
        """All operations newest first, plain commits among them, each knowing whether it is undone."""
        claims: dict[str, set[str]] = {}
        for commit in self._history.commits(path=path):
            operation = self._operation(commit)
            touched = {*operation.paths, *(LEDGER_TRAILER for _ in commit.trailers_of(LEDGER_TRAILER))}
            # An undo that touches nothing of what its operation did is none, whatever its trailers say.
            undone = not claims.get(operation.id, set()).isdisjoint(touched)
            if operation.undoes and not undone:
                claims.setdefault(operation.undoes, set()).update(touched)
            yield replace(operation, undone=undone)

    def find(self, prefix: str) -> Operation:
        """The operation that is called so; raises as ``commit_named`` does."""
        commit = commit_named(self._history, prefix)
        return next(operation for operation in self.walk() if operation.commit == commit.id)

    def conflicts(self) -> tuple[Conflict, ...]:
        """Texts of other writers that are in no version of any memory file, the oldest first."""
        return self._displaced.conflicts()

    def discard(self, kept: Conflict | KeptFile) -> BlobId:
        """Take a conflict, or a replaced file, off the list: its text stays in git, by the name returned.

        Raises BusyError while a program is writing into it.
        """
        with self._exclusive("discarding a kept file"):
            text = read_regular(kept.kept)
            self._history.begin()
            blob = self._history.store_for_good(text)
            self._displaced.drop(kept, text)
        return blob

    # -- late lines ------------------------------------------------------------------------------

    def carry_late(self) -> None:
        """Add what programs wrote into replaced files to the files that took their place.

        Done without waiting long; where another action runs, a merge is unfinished or nothing may be written,
        it stays for later, and ``late`` names it. Never raises for that.
        """
        if not self._displaced.due():
            return
        with contextlib.suppress(WorkbenchError, OSError):
            require_more_than_looking()
            require_known_format(self._files.root)
            self._history.require_committable()
            self._history.require_untracked(STATE_DIR)
            with hold(self._lock, "adding late lines", keep=True):
                self._displaced.sweep()

    def late(self) -> tuple[KeptFile, ...]:
        """The replaced files that are kept, and what waits in them."""
        return self._displaced.waiting()

    def take_late(self) -> None:
        """Add what waits in replaced files of unknown origin too: the person has agreed.

        Raises UsageError where it is not known which file a text is for, and what ``carry_out`` raises.
        """
        with self._exclusive("adding late lines", commits=True):
            for late in self._displaced.waiting():
                if late.why == "unknown origin" and late.path:
                    self._displaced.adopt(late)
            self._displaced.sweep()

    def of(self, commit: CommitId) -> Operation:
        """The operation that one commit records; whether it is undone is not asked."""
        return self._operation(self._history.commit(commit))

    def edits(self, name: CommitId) -> tuple[FileEdit, ...]:
        """What the operation that a commit records did to each file."""
        commit = self._history.commit(name)
        if commit.cut_off:
            raise RepositoryStateError(
                f"what {commit.operation} changed is not part of this shallow clone",
                hint="git fetch --unshallow fetches the rest of the history",
            )
        parent = commit.parent
        return tuple(
            FileEdit(
                path,
                self._history.blob(parent, path),
                self._history.blob(commit.id, path),
                self._mode_before(commit, parent, path),
            )
            for path in self._history.changed_paths(commit)
        )

    def _mode_before(self, commit: Commit, parent: CommitId | None, path: RelPath) -> int | None:
        """The permission bits that a file had before an operation removed it, as far as they are known."""
        if self._history.blob_id(commit.id, path) is not None:
            return None
        for key, value in commit.trailers:
            bits, _, name = value.partition(" ")
            if key == MODE and name == path and re.fullmatch("[0-7]{3}", bits):
                return int(bits, 8)
        node = self._history.node(parent, path)
        return 0o777 if node and node.mode == PROGRAM else None

    def _operation(self, commit: Commit) -> Operation:
        """The operation that a commit records; a plain commit counts as one of its author's."""
        ours = commit.trailer("Operation")
        undoes = commit.trailer("Undoes")
        return Operation(
            id=OperationId(commit.operation),
            commit=commit.id,
            action=(commit.trailer("Action") or "commit") if ours else "commit",
            summary=commit.subject,
            when=commit.when,
            actor=(commit.trailer("Actor") or "human") if ours else commit.author,
            entries=commit.trailers_of("Entry"),
            became=commit.trailers_of("Became") if ours else (),
            paths=self._history.changed_paths(commit),
            reason=commit.trailer("Reason") or "",
            undoes=OperationId(undoes) if ours and undoes else None,
            trailers=commit.trailers,
        )


def _moves(
    commit: CommitId, parent: CommitId | None, ledger: ReferenceMove | None = None
) -> list[ReferenceMove]:
    """The branch moves from ``parent`` to ``commit``, and the ledger with it."""
    return [ReferenceMove("HEAD", commit, parent), *([ledger] if ledger else [])]


def _message(operation: OperationId, plan: Plan, further: Iterable[tuple[str, str]]) -> str:
    """The commit's message: a subject for people, trailers for the workbench."""
    trailers = [
        ("Operation", operation),
        ("Action", plan.action),
        *(("Entry", address) for address in plan.entries),
        *(("Became", address) for address in plan.became),
        *plan.trailers,
        *further,
        *((LEDGER_TRAILER, book) for book in dict.fromkeys(one.book for one in plan.records)),
        ("Reason", plan.reason),
        ("Actor", plan.actor),
        ("Undoes", plan.undoes),
    ]
    subject = cut(masked_line(f"{plan.action}: {plan.summary}"), _SUBJECT_CHARACTERS)
    return f"{subject}\n\n" + "".join(f"{key}: {masked_line(value)}\n" for key, value in trailers if value)
