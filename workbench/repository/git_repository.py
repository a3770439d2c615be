"""The history of a workspace in git, and the only way to add to it.

Only plumbing with fixed argument lists is used: nothing here runs a hook, a filter, an alias or a program
that the workspace's own configuration names. Commits are built from tree objects, so a commit touches its own
paths by construction, whatever the person has staged.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import NoRepositoryError, RepositoryStateError, WriteFailedError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.repository import preconditions, trees
from workbench.repository.git_runner import (
    ask,
    carrier_for,
    configuration,
    configuration_overrides,
    outcome,
    reason,
)
from workbench.repository.index_file import Staging, remove_left_locks, way_out
from workbench.repository.line_blame import line_commits
from workbench.repository.objects import (
    BlobId,
    Commit,
    CommitId,
    ObjectReader,
    ReferenceMove,
    commit_data,
    moment,
    object_name,
    packed,
    parse_commit,
)
from workbench.special_files import read_regular, require_regular_repository

DISCARDED = "refs/workbench/discarded/"
"""Where texts are kept that a person took off the list of conflicts."""
_LARGEST_BATCH = 8_192
_KEPT_COMMITS = 4_096
"""Commits that are kept as they were read: each is asked for its tree, and for what it says of itself."""
_KEPT_TREES = 16
"""Trees that are kept as they were read: what is asked of one commit, and of the next, is in few of them."""
Pair = tuple[CommitId, CommitId]
"""A commit, and one before it."""
FALLBACK_IDENTITY = ("Memory Workbench", "workbench@localhost")


class OwnDirectory(Protocol):
    """The git directory of ours that a history can be kept in instead; see ``workspace/own_history``."""

    def find(self) -> tuple[Path, str] | None:
        """Where it is, and the workspace's place in its trees; None where it is still to be made."""

    def make(self) -> tuple[Path, str]:
        """Make it where it is not there."""

    def is_needed(self) -> bool:
        """Whether the repository around the workspace cannot keep its memory."""

    def is_elsewhere(self, history: History) -> bool:
        """Whether another program has moved the history from where it was opened."""


class _Gathered(threading.local):
    """What one thread gathers, by name; None outside of a block that gathers."""

    objects: dict[str, tuple[str, bytes]] | None = None


class History:
    """The repository that a workspace lives in.

    Storing and reading objects, moving references and ``require_untracked`` may be done from several threads
    at once, the rest from one. ``own``: it is kept, from the next action on at the latest, in a git directory
    of ours, which is ``other`` as long as it is not; ``beside`` is the person's repository then, and
    ``place`` what knows where it is. ``at`` is the commit that counts as the newest, where this is the past.
    """

    own = False
    other: OwnDirectory | None = None
    place: OwnDirectory | None = None
    beside: History | None = None
    at: CommitId | None = None
    on_close: Callable[[], None] | None = None

    def __init__(self, carrier: Any, git_dir: Path, common_dir: Path, prefix: str, algorithm: str) -> None:
        _use(carrier, git_dir, prefix)
        configured = configuration(carrier)
        carrier.update_environment(**configuration_overrides(configured, carrier.version_info))
        self.carrier = carrier
        """The runner, for what others ask of the repository beside its history."""
        self._root = Path(carrier.working_dir)
        self.prefix = prefix
        """The workspace's place in the repository, empty or with a slash at its end."""
        self.git_dir = git_dir
        """The folder of this checkout's own state (HEAD, the index)."""
        self.algorithm = algorithm
        self._digest_size = hashlib.new(algorithm).digest_size
        name, email = FALLBACK_IDENTITY
        self._identity = configured.get("user.name") or name, configured.get("user.email") or email
        self._autocrlf = configured.get("core.autocrlf", "false")
        self._sees_programs = configured.get("core.filemode", "true") != "false"
        self._cut_off: frozenset[str] = frozenset()
        with contextlib.suppress(OSError, ValueError):
            self._cut_off = frozenset(read_regular(common_dir / "shallow").decode().split())
        self._gathered = _Gathered()
        self._staging = Staging(self)
        self.common_dir = common_dir
        """The folder that all worktrees of the repository share."""
        self._objects = ObjectReader(carrier)
        self._kept_tree = functools.lru_cache(_KEPT_TREES)(
            lambda name: trees.parse(self._objects.read(name, "tree"), self._digest_size)
        )
        self._kept_commit = functools.lru_cache(_KEPT_COMMITS)(
            lambda name: parse_commit(name, self._objects.read(name, "commit"), cut_off=name in self._cut_off)
        )

    @classmethod
    def open(cls, root: Path) -> History:
        """The repository around ``root``.

        Raises NoGitError, NoRepositoryError, or RepositoryStateError for a bare or foreign repository.
        """
        carrier = carrier_for(root)
        found = outcome(
            carrier,
            "rev_parse",
            "--absolute-git-dir",
            "--path-format=absolute",
            "--git-common-dir",
            "--is-bare-repository",
            "--is-inside-work-tree",
            "--show-object-format",
            "--show-prefix",
        )
        if found.status:
            if "dubious ownership" in found.err:
                raise RepositoryStateError(
                    f"the repository around {root} belongs to another user",
                    hint="if you trust it: git config --global --add safe.directory <its folder>",
                )
            raise NoRepositoryError(os.fspath(root))
        git_dir, common_dir, bare, inside, algorithm, prefix, *_ = [*found.text.split("\n"), "", ""]
        if bare == "true":
            raise RepositoryStateError(
                f"{git_dir} is a bare repository: it has no files to curate",
                hint="open one of its worktrees, or clone it and open the clone",
            )
        if inside != "true":
            raise RepositoryStateError(
                f"{git_dir} keeps its files elsewhere (core.worktree)",
                hint="open that folder, or remove the setting",
            )
        return cls(carrier, Path(git_dir), Path(common_dir), prefix, algorithm)

    @classmethod
    def open_own(cls, root: Path, git_dir: Path, prefix: str) -> History:
        """The history of ``root`` in a git directory of ours. Raises NoGitError, RepositoryStateError."""
        require_regular_repository(git_dir)
        carrier = carrier_for(root)
        _use(carrier, git_dir, prefix)
        found = outcome(carrier, "rev_parse", "--show-object-format")
        if found.status:
            hint = "repair it, or move it away: then a new one is created, and no memory file changes"
            raise RepositoryStateError(f"{git_dir} cannot be opened: {reason(found.err)}", hint=hint)
        history = cls(carrier, git_dir, git_dir, prefix, found.text)
        history.own, carrier.own_dir = True, git_dir
        return history

    def begin(self) -> Path | None:
        """Have the git directory of ours where this is to be kept in one; what was made, if anything."""
        if not self.own or not self.other:
            return None
        before = self.git_dir
        self._go_on_in(*self.other.make())
        return self.git_dir if self.git_dir != before else None

    def _go_on_in(self, git_dir: Path, prefix: str) -> None:
        _use(self.carrier, git_dir, prefix)
        self.git_dir = self.common_dir = self.carrier.own_dir = git_dir
        self.prefix, self.other = prefix, None
        self._objects.close()

    @classmethod
    def create(cls, root: Path) -> History:
        """A new repository in ``root``, without any template."""
        carrier = carrier_for(root)
        ask(carrier, "init", "--quiet", "--initial-branch=main", "--template=", "--", os.fspath(root))
        return cls.open(root)

    def stop_reading(self) -> None:
        """Have what reads in another thread end with StoppedError; nothing can be read from then on."""
        self._objects.stop()

    def close(self) -> None:
        """End the long-lived reading process."""
        self._objects.close()
        if self.beside:
            self.beside.close()
        if self.on_close:
            self.on_close()

    @property
    def top(self) -> Path:
        """The folder that the repository keeps its files in: of the workspace, or above it."""
        return _top(self._root, self.prefix)

    @property
    def shallow(self) -> bool:
        """Whether the history ends before its beginning."""
        return bool(self._cut_off)

    # -- reading ---------------------------------------------------------------------------------

    def head(self) -> CommitId | None:
        """The commit that HEAD stands on, or None before the first one."""
        if self.at:
            return self.at
        if self.own and self.other and (made := self.other.find()) and made[0] != self.git_dir:
            self._go_on_in(*made)  # another process made it
        return self.resolve("HEAD")

    def resolve(self, name: str) -> CommitId | None:
        """The commit that a reference stands on at this moment."""
        found = self._objects.resolve(f"{name}^{{commit}}")
        return CommitId(found) if found else None

    def was_head(self, commit: CommitId) -> bool:
        """Whether HEAD has ever stood on a commit, as far as its reflog or a branch remembers."""
        holds = ("for_each_ref", "--count=1", f"--contains={commit}", "refs/heads/", "refs/tags/")
        if self.run(*holds):
            return True
        try:
            return commit in self._names("--walk-reflogs", "HEAD", "--")
        except RepositoryStateError:  # there is no reflog
            return False

    def require_committable(self) -> None:
        """Raise RepositoryStateError while something unfinished owns the repository, or SpecialFileError."""
        require_regular_repository(self._root)
        if not self.own:
            preconditions.require_finished(self.git_dir)

    def remove_left_locks(self, since: float) -> None:
        """Take away what the gits of a killed action of ours, begun at ``since``, locked and nobody holds."""
        branch = outcome(self.carrier, "symbolic_ref", "--quiet", "HEAD").text
        names = ["index.lock", "HEAD.lock", "packed-refs.lock", *([f"{branch}.lock"] if branch else [])]
        ours = (self.common_dir / "refs" / "workbench").rglob("*.lock")
        names += [os.fspath(path.relative_to(self.common_dir)) for path in ours]
        remove_left_locks(self._folders, names, since)

    @property
    def _folders(self) -> list[Path]:
        return list(dict.fromkeys([self.git_dir, self.common_dir, self._root]))  # where a git may be at work

    def require_untracked(self, folder: str) -> None:
        """Raise RepositoryStateError when git holds files below ``folder``, which is ours alone.

        What a clone brought along could otherwise speak in our name.
        """
        if self.beside:
            self.beside.require_untracked(folder)
        if self._staging.rows([RelPath(folder)]) or self.node(self.head(), folder):
            raise RepositoryStateError(
                f"{folder}/ is under version control, but contains only derived files",
                hint=f"git rm -r --cached {folder} and commit, if the clone is yours; otherwise do not "
                "trust it",
            )

    def require_plain(self, edits: Sequence[FileEdit], ours: str) -> None:
        """Raise RepositoryStateError for files on which git and the person would not agree with us.

        That are files of another repository, files that git stores in another form, or left out of a sparse
        checkout, and files with an unfinished merge or with other text staged than they hold. Of a file that
        git ignores only the person may decide that its text enters their repository, but for the folder
        ``ours``, whose text is in others of these files too; where git ignores the memory itself, the history
        is kept in a git directory of ours from then on.
        """
        for edit in edits:
            preconditions.require_own(self._root, edit.path)
        if self.own:
            return
        if not (found := preconditions.ignored_of(self, self._staging, edits, ours, self._autocrlf)):
            return
        if not self.other or not self.other.is_needed():
            path = found[0]
            is_new = not (self._root / path).exists()
            allow = f"add the line `!/{path.split('/')[0]}` to .gitignore" if is_new else f"git add -f {path}"
            raise RepositoryStateError(
                f"git ignores {path}, and an action would store its text in the history "
                "permanently; nothing was changed",
                hint=f"to allow that: {allow}; otherwise use an editor",
            )
        self.own = True

    def ignored(self, paths: Iterable[RelPath]) -> tuple[RelPath, ...]:
        """Those of the paths that stay out of this history because git ignores them."""
        return () if self.own else preconditions.ignored(self.carrier, paths)

    def commit(self, commit: CommitId) -> Commit:
        """A commit's own data."""
        return self._kept_commit(commit)

    def commits(
        self, *, path: RelPath | None = None, saying: str | None = None, batch: int = 256
    ) -> Iterator[Commit]:
        """All commits that HEAD reaches, newest first; with ``path`` those that changed it.

        ``saying`` leaves those whose message holds this very text. Each further batch of commits makes
        git walk from the start again, so each is twice as large, up to 8,192.
        """
        head = self.head()
        if not head:
            return
        said = ["--fixed-strings", f"--grep={saying}"] if saying else []
        # With a path git sorts by their clocks alone, unless told.
        asked = [*said, "--date-order", head, "--", self._literal(path)] if path else [*said, head, "--"]
        skip = 0
        while names := self._names(f"--max-count={batch}", f"--skip={skip}", *asked):
            yield from map(self.commit, names)
            if len(names) < batch:
                return
            skip += batch
            batch = min(2 * batch, max(batch, _LARGEST_BATCH))

    def versions(self, path: RelPath) -> Iterator[tuple[CommitId, list[CommitId]]]:
        """The commits that changed a file, newest first, each with the latest ones before it that did."""
        if head := self.head():
            out = self.run("rev_list", "--date-order", "--parents", head, "--", self._literal(path))
            for line in out.decode().splitlines():
                name, *before = map(CommitId, line.split())
                yield name, before

    def order(self) -> list[CommitId]:
        """The names of all commits that HEAD reaches, none before those that are built on it."""
        return self._names("--topo-order", head, "--") if (head := self.head()) else []

    def everything(self) -> list[CommitId]:
        """The names of all commits that any reference reaches, oldest first."""
        head = self.head()
        return self._names("--topo-order", "--reverse", "--all", *([head] if head else []), "--")

    def _names(self, *arguments: str) -> list[CommitId]:
        return list(map(CommitId, self.run("rev_list", *arguments).decode().split()))

    def _literal(self, path: str) -> str:
        """A path as git takes it that means just this file, whatever marks are in its name."""
        return f":(top,literal){self.prefix}{path}"

    def line_commits(self, commit: CommitId, path: RelPath) -> list[CommitId]:
        """For each line of a file in a commit, the commit that brought it. Raises RepositoryStateError."""
        return line_commits(self.common_dir / "objects", self._cut_off, commit, self.prefix + path)

    def named(self, prefix: str) -> list[Commit]:
        """The commits that are called so, the newest first; a whole name goes before the beginning of one.

        A commit is called by its own name and by the operation that it records. ``prefix`` has at least four
        hexadecimal digits.
        """
        head = self.head()
        if not head:
            return []
        names = self._names("--topo-order", "--fixed-strings", f"--grep=Operation: {prefix}", head, "--")
        objects = self.run("rev_parse", f"--disambiguate={prefix}").decode().split()
        if objects:  # blobs, trees, and what HEAD does not reach are among them
            names += [name for name in self._names(head, "--") if name in objects]
        commits = [self.commit(name) for name in dict.fromkeys(names)]
        whole = [commit for commit in commits if prefix in (commit.id, commit.operation)]
        return whole or [c for c in commits if c.id.startswith(prefix) or c.operation.startswith(prefix)]

    def first_parents(self, most: int = -1) -> list[tuple[CommitId, datetime]]:
        """The newest ``most`` commits on HEAD's line of first parents with their moments, newest first."""
        head = self.head()
        if not head:
            return []
        wanted = ("--first-parent", "--timestamp", f"--max-count={most}", head, "--")
        rows = map(str.split, self.run("rev_list", *wanted).decode("ascii", "replace").splitlines())
        return [(CommitId(name), moment(seconds)) for seconds, name, *_ in rows]

    def blob_changes(
        self, path: RelPath, pairs: Iterable[Pair]
    ) -> dict[Pair, tuple[BlobId | None, BlobId | None]]:
        """The names of a file's bytes before and after, for pairs of commits that are not in two of them.

        Where both have the same bytes, or neither has a file there, the pair is missing.
        """
        full = self.prefix + path
        before = dict(pairs)
        options = ("--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames")
        asked = "".join(f"{new} {old}\n" for new, old in before.items()).encode()
        out = ask(self.carrier, "diff_tree", *options, "--", self._literal(path), data=asked)
        found: dict[Pair, tuple[BlobId | None, BlobId | None]] = {}
        commit = CommitId("")
        parts = iter(os.fsdecode(out).split("\0"))
        for part in parts:
            if not part.startswith(":"):
                commit = CommitId(part.strip())
            elif next(parts, "") == full:
                old_mode, new_mode, old, new = part[1:].split(" ")[:4]
                found[commit, before[commit]] = _file(old_mode, old), _file(new_mode, new)
        return found

    def blob(self, commit: CommitId | None, path: RelPath) -> bytes | None:
        """A file's bytes in a commit, or None where it is not there."""
        found = self.blob_id(commit, path)
        return self._objects.read(found, "blob") if found else None

    def blob_id(self, commit: CommitId | None, path: RelPath) -> BlobId | None:
        """The name of a file's bytes in a commit."""
        node = self.node(commit, path)
        return BlobId(node.id) if node and node.is_file else None

    def changed_paths(self, commit: Commit) -> tuple[RelPath, ...]:
        """The files below the workspace that a commit changed against its first parent.

        Nothing is known of a commit whose parents a shallow clone does not have.
        """
        if commit.cut_off:
            return ()
        before = self.commit(commit.parent).tree if commit.parent else None
        prefix = os.fsencode(self.prefix)
        changed = sorted(path for path, _, _ in trees.changed(self.tree, before, commit.tree))
        below = (path[len(prefix) :] for path in changed if path.startswith(prefix))
        return tuple(map(RelPath, map(os.fsdecode, below)))

    def files_in(
        self, commit: CommitId, enter: Callable[[str, str], bool]
    ) -> Iterator[tuple[RelPath, BlobId]]:
        """The regular files below the workspace in a commit, in the folders for which ``enter`` says yes.

        It is given the folder's path and the name of its tree.
        """
        return trees.files(self.tree, self.commit(commit).tree, self.prefix, enter)

    def stored(self, blob: str, kind: str = "blob") -> bytes:
        """The bytes of a blob, or of another object. Raises RepositoryStateError where there is none."""
        return self._objects.read(blob, kind)

    def name_of(self, data: bytes) -> BlobId:
        """The name that ``data`` has, or would have, as a blob."""
        return BlobId(object_name("blob", data, self.algorithm))

    def names_no_branch(self) -> bool:
        """Whether HEAD is detached."""
        try:
            return not read_regular(self.git_dir / "HEAD").startswith(b"ref:")
        except (OSError, ValueError):  # an old repository has a link there
            return False

    # -- writing ---------------------------------------------------------------------------------

    @contextlib.contextmanager
    def gathering(self) -> Iterator[None]:
        """What this thread stores in it is given to one git, at its end or when ``save`` is called."""
        self._gathered.objects = {}
        try:
            yield
            self.save()
        finally:
            self._gathered.objects = None

    def save(self) -> None:
        """Have what was gathered so far in the object database. Raises WriteFailedError."""
        if self._gathered.objects:
            self.feed(packed(self._gathered.objects.values(), self.algorithm), "unpack_objects", "-q")
            self._gathered.objects = {}

    def store(self, data: bytes, kind: str = "blob") -> BlobId:
        """Keep ``data`` in the object database, flushed to the disk, and return its name."""
        if self._gathered.objects is not None:
            name = BlobId(object_name(kind, data, self.algorithm))
            self._gathered.objects[name] = kind, data
            return name
        options = ("--no-filters",) if kind == "blob" else ()
        return BlobId(self.feed(data, "hash_object", "-t", kind, "-w", *options, "--stdin"))

    def store_for_good(self, data: bytes) -> BlobId:
        """Keep ``data`` under a ref of ours, so that git never drops it, and return its name."""
        blob = self.store(data)
        self.feed(b"", "update_ref", f"{DISCARDED}{blob}", blob)
        return blob

    def build_commit(
        self,
        parent: CommitId | None,
        changes: Mapping[RelPath, BlobId | None],
        message: str,
        *,
        author: tuple[str, str] | None = None,
        programs: Container[RelPath] = (),
    ) -> CommitId:
        """A commit object on ``parent`` with these paths replaced (None: removed). No ref moves.

        A file keeps its mode; those among ``programs`` that are new to git become executable.
        """
        wanted: dict[tuple[bytes, ...], trees.Node | None] = {}
        for path, blob in changes.items():
            mode = trees.PROGRAM if self._sees_programs and path in programs else trees.FILE
            parts = os.fsencode(self.prefix + path).split(b"/")
            wanted[*parts] = trees.Node(mode, blob) if blob else None
        before = self.commit(parent).tree if parent else None
        tree = trees.splice(self.tree, self.store_tree, before, wanted) or self.store_tree({})
        return self.commit_of(tree, (parent,) if parent else (), message, author=author)

    def commit_of(
        self, tree: str, parents: Sequence[CommitId], message: str, *, author: tuple[str, str] | None = None
    ) -> CommitId:
        """A commit object of a tree. No ref moves."""
        data = commit_data(tree, parents, message, self._identity, author or self._identity)
        return CommitId(self.store(data, "commit"))

    def require_movable(self, moves: Sequence[ReferenceMove]) -> None:
        """Raise RepositoryStateError when references, HEAD the first of them, could not be moved so."""
        free = preconditions.are_free(self.git_dir, self.common_dir, [move.name for move in moves[1:]])
        if free and not any(move.aside for move in moves):
            return
        try:
            self.feed(f"start\n{self._moves(moves)}prepare\nabort\n".encode(), "update_ref", "--stdin")
        except WriteFailedError as error:
            if all(map(self._stands, moves)):
                raise RepositoryStateError(
                    f"the branch cannot be moved, so nothing was changed: {error.message}",
                    hint=self._way_out(error.message),
                ) from error

    def move_references(self, moves: Sequence[ReferenceMove], why: str) -> bool:
        """Move references in one transaction, if each of them still stands where it is expected.

        Raises RepositoryStateError when they do and yet cannot be moved.
        """
        self.save()
        wanted = f"start\n{self._moves(moves)}prepare\ncommit\n".encode()
        moved = outcome(self.carrier, "update_ref", "-m", why, "--stdin", data=wanted)
        if moved.status and all(map(self._stands, moves)):
            what = "the branch" if moves[0].name == "HEAD" else moves[0].name
            raise RepositoryStateError(
                f"{what} cannot be moved: {reason(moved.err)}", hint=self._way_out(moved.err)
            )
        return moved.status == 0

    def _stands(self, move: ReferenceMove) -> bool:
        """Whether a reference stands where it is expected."""
        return self.resolve(move.name) == move.old

    def _moves(self, moves: Iterable[ReferenceMove]) -> str:
        nothing = "0" * (self._digest_size * 2)
        lines = [f"update {move.name} {move.new or nothing} {move.old or nothing}\n" for move in moves]
        lines += [f"update {move.aside} {move.old}\n" for move in moves if move.aside]
        return "".join(lines)

    def refresh_index(self, old: CommitId | None, new: CommitId, paths: Iterable[RelPath]) -> str:
        """Follow the branch in the person's own index for those paths that equalled the old commit.

        Returns "" or a sentence that says why it could not be done. A git directory of ours needs no index.
        """
        return "" if self.own else self._staging.follow(old, new, paths)

    # -- objects ---------------------------------------------------------------------------------

    def tree(self, name: str) -> trees.Tree:
        """A tree, which the caller may change."""
        return self._kept_tree(name).copy()

    def node(self, commit: CommitId | None, path: str) -> trees.Node | None:
        """What stands at a path in a commit."""
        if not commit:
            return None
        tree = self.commit(commit).tree
        parts = os.fsencode(self.prefix + path).split(b"/")
        for part in parts[:-1]:
            node = self._kept_tree(tree).get(part)
            if not node or not node.is_tree:
                return None
            tree = node.id
        return self._kept_tree(tree).get(parts[-1])

    def store_tree(self, tree: trees.Tree) -> str:
        """Keep a tree, and return its name."""
        return self.store(trees.render(tree), "tree")

    def run(self, command: str, *arguments: str) -> bytes:
        """What a reading command prints. Raises RepositoryStateError with git's own reason."""
        return ask(self.carrier, command, *arguments)

    def feed(self, data: bytes, command: str, *arguments: str, env: Any = None) -> str:
        """What a writing command prints that is given ``data``. Raises WriteFailedError with its reason."""
        found = outcome(self.carrier, command, *arguments, data=data, env=env)
        if found.status:
            raise WriteFailedError(
                f"git {command.replace('_', '-')} failed: {reason(found.err)}",
                hint="nothing was changed; check free space and the repository (git fsck)",
            )
        return found.out.decode().strip()

    def _way_out(self, reason: str) -> str:
        """What the person can do about a branch that cannot be moved."""
        if "File exists" in str(reason):
            return way_out(reason, self._folders)
        return f"check free space, and whether {self.git_dir} is writable"


def _file(mode: str, name: str) -> BlobId | None:
    return BlobId(name) if mode.startswith("100") else None


def _top(root: Path, prefix: str) -> Path:
    # A workspace may have been moved to a shorter path than the prefix under which its own history was made.
    return [root, *root.parents][: prefix.count("/") + 1][-1]


def _use(carrier: Any, git_dir: Path, prefix: str) -> None:
    """Have every command work on this git directory, on its own index, and on nothing else."""
    carrier.set_persistent_git_options(git_dir=git_dir, work_tree=_top(Path(carrier.working_dir), prefix))
    carrier.update_environment(GIT_INDEX_FILE=os.fspath(git_dir / "index"))
