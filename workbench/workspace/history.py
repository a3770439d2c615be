"""What git knows of a workspace, and the only way to add to it.

Plumbing with fixed argument lists: nothing here runs a hook, a filter, an alias or a program that the
workspace's own configuration names. Commits are built from tree objects, so a commit touches its own
paths by construction, whatever the person has staged.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import Any

from workbench.errors import (
    NoRepositoryError,
    RepositoryStateError,
    WriteFailedError,
)
from workbench.memory.names import BlobId, CommitId, RelPath
from workbench.workspace import trees
from workbench.workspace.carrier import carrier_for, configuration, configuration_overrides, reason
from workbench.workspace.commits import Commit, parse_commit
from workbench.workspace.objects import ObjectReader

_UNFINISHED = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
FALLBACK_IDENTITY = ("Memory Workbench", "workbench@localhost")


@dataclass(frozen=True, slots=True)
class _IndexRow:
    """One line of the index; ``tag`` is S for what a sparse checkout left out."""

    tag: str
    mode: str
    blob: str | None
    stage: str
    path: str


class History:
    """The repository that a workspace lives in. Not for use from two threads at once."""

    def __init__(
        self, carrier: Any, prefix: str, git_dir: Path, algorithm: str, identity: tuple[str, str]
    ) -> None:
        self._git = carrier
        self._prefix = prefix
        self._git_dir = git_dir
        self._digest_size = 32 if algorithm == "sha256" else 20
        self._identity = identity
        self._cut_off: frozenset[str] = frozenset()
        self._objects = ObjectReader(lambda: carrier.cat_file("--batch", as_process=True, istream=PIPE))

    @classmethod
    def open(cls, root: Path) -> History:
        """The repository around ``root``.

        Raises NoGitError, NoRepositoryError, or RepositoryStateError for a bare or foreign repository.
        """
        carrier = carrier_for(root)
        status, out, err = carrier.rev_parse(
            "--absolute-git-dir",
            "--path-format=absolute",
            "--git-common-dir",
            "--is-bare-repository",
            "--show-object-format",
            "--show-prefix",
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
        )
        if status:
            if "dubious ownership" in err:
                raise RepositoryStateError(
                    f"the repository around {root} belongs to somebody else",
                    hint="if you trust it: git config --global --add safe.directory <its folder>",
                )
            raise NoRepositoryError(os.fspath(root))
        lines = os.fsdecode(out).split("\n")
        git_dir, common_dir, bare, algorithm, prefix = (*lines, "", "")[:5]
        if bare == "true":
            raise RepositoryStateError(
                f"{git_dir} is a bare repository: it has no files to curate",
                hint="clone it and open the clone",
            )
        top = os.fspath(root)[: -len(prefix)] if prefix else os.fspath(root)
        carrier.set_persistent_git_options(git_dir=git_dir, work_tree=top or "/")
        configured = configuration(carrier)
        carrier.update_environment(**configuration_overrides(configured))
        identity = tuple(
            configured.get(f"user.{key}") or fallback
            for key, fallback in zip(("name", "email"), FALLBACK_IDENTITY, strict=True)
        )
        history = cls(carrier, prefix, Path(git_dir), algorithm, (identity[0], identity[1]))
        with contextlib.suppress(OSError):
            history._cut_off = frozenset((Path(common_dir) / "shallow").read_text().split())
        return history

    @classmethod
    def create(cls, root: Path) -> History:
        """A new repository in ``root``, without any template."""
        carrier = carrier_for(root)
        carrier.init("--quiet", "--initial-branch=main", "--template=", "--", os.fspath(root))
        return cls.open(root)

    def close(self) -> None:
        """End the long-lived reading process."""
        self._objects.close()

    # -- reading ---------------------------------------------------------------------------------

    def head(self) -> CommitId | None:
        """The commit that HEAD stands on, or None before the first one."""
        status, out, _ = self._git.rev_parse(
            "--verify",
            "--quiet",
            "HEAD^{commit}",
            with_extended_output=True,
            with_exceptions=False,
        )
        return None if status else CommitId(out.strip())

    def require_committable(self) -> None:
        """Raise RepositoryStateError while something unfinished owns the repository."""
        for name, what in _UNFINISHED.items():
            if (self._git_dir / name).exists():
                raise RepositoryStateError(
                    f"{what} is in progress in this repository; nothing was changed",
                    hint="finish or abort it, then try again",
                )

    def require_untracked(self, folder: str) -> None:
        """Raise RepositoryStateError when git holds files below ``folder``, which is ours alone.

        What a clone brought along could otherwise speak in our name.
        """
        if self._index_rows([RelPath(folder)]) or self._node(self.head(), folder):
            raise RepositoryStateError(
                f"{folder}/ is under version control here, but it holds derived files only",
                hint=f"git rm -r --cached {folder} and commit, if it is yours; else do not trust this clone",
            )

    def require_plain(self, paths: Iterable[RelPath]) -> None:
        """Raise RepositoryStateError for files that git stores in another form, or does not agree on.

        Committing their bytes as they are would publish what a filter encrypts, record conflict markers,
        or delete what a sparse checkout only left out.
        """
        wanted = list(paths)
        out = self._run("check_attr", "-z", "filter", "working-tree-encoding", "--", *wanted)
        fields = os.fsdecode(out).split("\0")
        for path, attribute, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            if value not in ("unspecified", "unset"):
                raise RepositoryStateError(
                    f"{path} is stored through git's {attribute} “{value}”; nothing was changed",
                    hint="curate files that git stores as they are, or remove the attribute for this one",
                )
        for row in self._index_rows(wanted):
            if row.stage != "0":
                raise RepositoryStateError(
                    f"{row.path} has an unfinished merge in git's index; nothing was changed",
                    hint="resolve it and `git add` the file, then try again",
                )
            if row.tag == "S":
                raise RepositoryStateError(
                    f"{row.path} is outside this sparse checkout; nothing was changed",
                    hint="git sparse-checkout add its folder first",
                )

    def commit(self, commit: CommitId) -> Commit:
        """A commit's own data."""
        data = self._objects.read(commit, "commit")
        return parse_commit(commit, data, cut_off=commit in self._cut_off)

    def commits(self, *, path: RelPath | None = None, batch: int = 256) -> Iterator[Commit]:
        """All commits that HEAD reaches, newest first; with ``path`` those that changed it."""
        if self.head() is None:
            return
        only = ["--", ":(top,literal)" + self._prefix + path] if path else ["--"]
        skip = 0
        while True:
            out = self._run("rev_list", f"--max-count={batch}", f"--skip={skip}", "HEAD", *only)
            names = out.decode().split()
            yield from (self.commit(CommitId(name)) for name in names)
            if len(names) < batch:
                return
            skip += batch

    def blob(self, commit: CommitId | None, path: RelPath) -> bytes | None:
        """A file's bytes in a commit, or None where it is not there."""
        found = self.blob_id(commit, path)
        return None if found is None else self._objects.read(found, "blob")

    def blob_id(self, commit: CommitId | None, path: RelPath) -> BlobId | None:
        """The name of a file's bytes in a commit."""
        node = self._node(commit, path)
        return BlobId(node.id) if node and node.is_file else None

    def changed_paths(self, commit: Commit) -> tuple[RelPath, ...]:
        """The files below the workspace that a commit changed against its first parent.

        Nothing is known of a commit whose parents a shallow clone does not have.
        """
        if commit.cut_off:
            return ()
        before = self.commit(commit.parents[0]).tree if commit.parents else None
        prefix = os.fsencode(self._prefix)
        changed = trees.changed(self._tree, before, commit.tree)
        return tuple(RelPath(os.fsdecode(path[len(prefix) :])) for path in changed if path.startswith(prefix))

    def stored(self, blob: BlobId) -> bytes:
        """The bytes of a blob."""
        return self._objects.read(blob, "blob")

    # -- writing ---------------------------------------------------------------------------------

    def store(self, data: bytes, kind: str = "blob") -> BlobId:
        """Keep ``data`` in the object database, flushed to the disk, and return its name."""
        options = ("--no-filters",) if kind == "blob" else ()
        return BlobId(self._feed(data, "hash_object", "-t", kind, "-w", *options, "--stdin"))

    def build_commit(
        self,
        parent: CommitId | None,
        changes: Mapping[RelPath, BlobId | None],
        message: str,
        *,
        author: tuple[str, str] | None = None,
    ) -> CommitId:
        """A commit object on ``parent`` with these paths replaced (None: removed). No ref moves."""
        tree = self.commit(parent).tree if parent else None
        for path, blob in changes.items():
            parts = os.fsencode(self._prefix + path).split(b"/")
            tree = trees.splice(self._tree, self._store_tree, tree, parts, blob)
        name, email = self._identity
        by, by_email = author or (name, email)
        environment = {
            "GIT_AUTHOR_NAME": by,
            "GIT_AUTHOR_EMAIL": by_email,
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
        }
        arguments = [tree or self._store_tree({})]
        if parent:
            arguments += ["-p", parent]
        data = message.encode("utf-8", "replace")
        return CommitId(self._feed(data, "commit_tree", *arguments, env=environment))

    def advance(self, commit: CommitId, expected: CommitId | None, why: str) -> bool:
        """Move the current branch to ``commit`` if it still stands at ``expected``.

        Raises RepositoryStateError when it does and yet cannot be moved.
        """
        old = expected or "0" * (self._digest_size * 2)
        status, _, err = self._git.update_ref(
            "-m",
            why,
            "HEAD",
            commit,
            old,
            with_extended_output=True,
            with_exceptions=False,
        )
        if status and self.head() == expected:
            raise RepositoryStateError(
                f"the branch cannot be moved: {reason(err)}",
                hint="if no git is running, remove the stale .lock file that it names",
            )
        return bool(status == 0)

    def refresh_index(self, old: CommitId | None, new: CommitId, paths: Iterable[RelPath]) -> str:
        """Follow the branch in the person's own index for those paths that equalled the old commit.

        Without this their next plain ``git commit`` would take our change back. What they have staged
        stays. Returns "" or a sentence that says why it could not be done.
        """
        wanted = tuple(paths)
        try:
            staged = {row.path: row for row in self._index_rows(wanted)}
        except RepositoryStateError as error:
            return f"git's index was not refreshed: {error.message}"
        lines = []
        for path in wanted:
            row = staged.get(path, _IndexRow("H", "100644", None, "0", path))
            target = self.blob_id(new, path)
            if row.stage != "0" or row.blob != self.blob_id(old, path) or row.blob == target:
                continue
            head = f"{row.mode} {target}" if target else f"0 {'0' * (self._digest_size * 2)}"
            lines.append(os.fsencode(f"{head} 0\t{self._prefix}{path}") + b"\0")
        if not lines:
            return ""
        try:
            self._feed(b"".join(lines), "update_index", "--add", "-z", "--index-info")
        except WriteFailedError:
            return (
                "git's index is locked, so it was not refreshed: run `git reset -q -- "
                + " ".join(wanted)
                + "` before your next plain commit"
            )
        return ""

    def adopt_index(self) -> None:
        """Make the index say what HEAD says (for a repository that was just imported)."""
        self._git.read_tree("HEAD")

    def import_stream(self, stream: bytes) -> None:
        """Take in a ``git fast-import`` stream."""
        self._feed(stream, "fast_import", "--quiet", "--date-format=raw")

    def _index_rows(self, paths: Iterable[RelPath]) -> list[_IndexRow]:
        """What the person's index says of these paths, and of what is below them."""
        names = [":(top,literal)" + self._prefix + path for path in paths]
        out = self._run("ls_files", "-t", "--stage", "-z", "--full-name", "--", *names)
        rows = []
        for record in filter(None, os.fsdecode(out).split("\0")):
            meta, _, full = record.partition("\t")
            tag, mode, blob, stage = meta.split(" ")
            rows.append(_IndexRow(tag, mode, blob, stage, full[len(self._prefix) :]))
        return rows

    # -- objects ---------------------------------------------------------------------------------

    def _tree(self, name: str) -> trees.Tree:
        return trees.parse(self._objects.read(name, "tree"), self._digest_size)

    def _node(self, commit: CommitId | None, path: str) -> trees.Node | None:
        """What stands at a path in a commit."""
        if commit is None:
            return None
        tree = self.commit(commit).tree
        parts = os.fsencode(self._prefix + path).split(b"/")
        for part in parts[:-1]:
            node = self._tree(tree).get(part)
            if node is None or not node.is_tree:
                return None
            tree = node.id
        return self._tree(tree).get(parts[-1])

    def _store_tree(self, tree: trees.Tree) -> str:
        return self.store(trees.render(tree), "tree")

    def _run(self, command: str, *arguments: str) -> bytes:
        """What a reading command prints. Raises RepositoryStateError with git's own reason."""
        status, out, err = getattr(self._git, command)(
            *arguments,
            with_extended_output=True,
            with_exceptions=False,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
        if status:
            raise RepositoryStateError(
                f"git {command.replace('_', '-')} failed: {reason(err)}",
                hint="`git status` and `git fsck` tell more",
            )
        return bytes(out)

    def _feed(self, data: bytes, command: str, *arguments: str, env: Any = None) -> str:
        process = getattr(self._git, command)(*arguments, as_process=True, istream=PIPE, env=env)
        out, err = process.proc.communicate(data)
        if process.proc.returncode:
            raise WriteFailedError(
                f"git {command.replace('_', '-')} failed: {reason(err.decode('utf-8', 'replace'))}",
                hint="nothing was changed; check free space and the repository's health (git fsck)",
            )
        return str(out.decode().strip())
