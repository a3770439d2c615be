"""The only place that runs git.

Plumbing with fixed argument lists: nothing here runs a hook, a filter, an alias or a program that the
workspace's own configuration names. Commits are built from tree objects, so a commit touches its own
paths by construction, whatever the person has staged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE
from typing import Any

from workbench.errors import (
    NoGitError,
    NoRepositoryError,
    RepositoryStateError,
    WriteFailedError,
)
from workbench.memory.names import BlobId, CommitId, RelPath
from workbench.workspace import trees
from workbench.workspace.objects import ObjectReader

_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.fsync": "all",
    "core.quotePath": "false",
    "commit.gpgsign": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "maintenance.auto": "false",
    "protocol.allow": "never",
}
_FILTER_KEYS = ("clean", "smudge", "process")
_UNFINISHED = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
FALLBACK_IDENTITY = ("Memory Workbench", "workbench@localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit as it is stored. ``trailers`` are the ``Key: value`` lines of its last paragraph."""

    id: CommitId
    parents: tuple[CommitId, ...]
    tree: str
    author: str
    when: datetime
    subject: str
    message: str
    trailers: tuple[tuple[str, str], ...]

    def trailer(self, key: str) -> str | None:
        """The first trailer of that key."""
        return next((value for name, value in self.trailers if name == key), None)


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
        self._objects = ObjectReader(lambda: carrier.cat_file("--batch", as_process=True, istream=PIPE))

    @classmethod
    def open(cls, root: Path) -> History:
        """The repository around ``root``.

        Raises NoGitError, NoRepositoryError, or RepositoryStateError for a bare or foreign repository.
        """
        carrier = _carrier(root)
        status, out, err = carrier.rev_parse(
            "--absolute-git-dir",
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
        git_dir, bare, algorithm, prefix = (*lines, "", "")[:4]
        if bare == "true":
            raise RepositoryStateError(
                f"{git_dir} is a bare repository: it has no files to curate",
                hint="clone it and open the clone",
            )
        top = os.fspath(root)[: -len(prefix) - 1] if prefix else os.fspath(root)
        carrier.set_persistent_git_options(git_dir=git_dir, work_tree=top or "/")
        configured = _configuration(carrier)
        carrier.update_environment(**_configuration_overrides(configured))
        identity = tuple(
            configured.get(f"user.{key}") or fallback
            for key, fallback in zip(("name", "email"), FALLBACK_IDENTITY, strict=True)
        )
        return cls(carrier, prefix, Path(git_dir), algorithm, (identity[0], identity[1]))

    @classmethod
    def create(cls, root: Path) -> History:
        """A new repository in ``root``, without any template."""
        carrier = _carrier(root)
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

    def commit(self, commit: CommitId) -> Commit:
        """A commit's own data."""
        data = self._objects.read(commit, "commit")
        header, _, body = data.partition(b"\n\n")
        fields: dict[str, list[str]] = {}
        for line in header.decode("utf-8", "replace").split("\n"):
            key, _, value = line.partition(" ")
            fields.setdefault(key, []).append(value)
        who, _, stamp = fields["committer"][0].rpartition("> ")
        author = fields["author"][0].rpartition(" <")[0]
        message = body.decode("utf-8", "replace")
        seconds = int(stamp.split(" ")[0] or 0) if who else 0
        return Commit(
            id=commit,
            parents=tuple(CommitId(parent) for parent in fields.get("parent", ())),
            tree=fields["tree"][0],
            author=author,
            when=datetime.fromtimestamp(seconds, UTC),
            subject=message.partition("\n")[0],
            message=message,
            trailers=_trailers(message),
        )

    def commits(self, *, path: RelPath | None = None, batch: int = 256) -> Iterator[Commit]:
        """All commits that HEAD reaches, newest first; with ``path`` those that changed it."""
        if self.head() is None:
            return
        only = ["--", ":(top,literal)" + self._prefix + path] if path else ["--"]
        skip = 0
        while True:
            out = self._git.rev_list(f"--max-count={batch}", f"--skip={skip}", "HEAD", *only)
            names = out.split()
            yield from (self.commit(CommitId(name)) for name in names)
            if len(names) < batch:
                return
            skip += batch

    def resolve(self, prefix: str) -> CommitId | None:
        """The commit whose name starts with these hexadecimal digits, or None."""
        if not re.fullmatch(r"[0-9a-f]{4,64}", prefix):
            return None
        status, out, _ = self._git.rev_parse(
            "--verify",
            "--quiet",
            "--end-of-options",
            prefix + "^{commit}",
            with_extended_output=True,
            with_exceptions=False,
        )
        return None if status else CommitId(out.strip().splitlines()[-1])

    def blob(self, commit: CommitId | None, path: RelPath) -> bytes | None:
        """A file's bytes in a commit, or None where it is not there."""
        found = self.blob_id(commit, path)
        return None if found is None else self._objects.read(found, "blob")

    def blob_id(self, commit: CommitId | None, path: RelPath) -> BlobId | None:
        """The name of a file's bytes in a commit."""
        if commit is None:
            return None
        tree = self.commit(commit).tree
        parts = os.fsencode(self._prefix + path).split(b"/")
        for part in parts[:-1]:
            node = self._tree(tree).get(part)
            if node is None or not node.is_tree:
                return None
            tree = node.id
        node = self._tree(tree).get(parts[-1])
        return BlobId(node.id) if node and node.is_file else None

    def changed_paths(self, commit: Commit) -> tuple[RelPath, ...]:
        """The files below the workspace that a commit changed against its first parent."""
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
        """Move the current branch to ``commit`` if it still stands at ``expected``."""
        old = expected or "0" * (self._digest_size * 2)
        status, _, _ = self._git.update_ref(
            "-m",
            why,
            "HEAD",
            commit,
            old,
            with_extended_output=True,
            with_exceptions=False,
        )
        return bool(status == 0)

    def refresh_index(self, old: CommitId | None, new: CommitId, paths: Iterable[RelPath]) -> str:
        """Follow the branch in the person's own index for those paths that equalled the old commit.

        Without this their next plain ``git commit`` would take our change back. What they have staged
        stays. Returns "" or a sentence that says why it could not be done.
        """
        wanted = tuple(paths)
        names = [":(top,literal)" + self._prefix + path for path in wanted]
        listing = self._git.ls_files("--stage", "-z", "--full-name", "--", *names, stdout_as_string=False)
        staged = {}
        for record in filter(None, listing.split(b"\0")):
            meta, _, full = record.partition(b"\t")
            mode, blob, stage = meta.decode().split(" ")
            staged[os.fsdecode(full)] = (mode, blob, stage)
        lines = []
        for path in wanted:
            full = self._prefix + path
            mode, blob, stage = staged.get(full, ("100644", None, "0"))
            target = self.blob_id(new, path)
            if stage != "0" or blob != self.blob_id(old, path) or blob == target:
                continue
            head = f"{mode} {target}" if target else f"0 {'0' * (self._digest_size * 2)}"
            lines.append(os.fsencode(f"{head} 0\t{full}") + b"\0")
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

    # -- objects ---------------------------------------------------------------------------------

    def _tree(self, name: str) -> trees.Tree:
        return trees.parse(self._objects.read(name, "tree"), self._digest_size)

    def _store_tree(self, tree: trees.Tree) -> str:
        return self.store(trees.render(tree), "tree")

    def _feed(self, data: bytes, command: str, *arguments: str, env: Any = None) -> str:
        process = getattr(self._git, command)(*arguments, as_process=True, istream=PIPE, env=env)
        out, err = process.proc.communicate(data)
        if process.proc.returncode:
            reason = err.decode("utf-8", "replace").strip().splitlines()
            raise WriteFailedError(
                f"git {command.replace('_', '-')} failed: {reason[-1] if reason else 'no reason given'}",
                hint="nothing was changed; check free space and the repository's health (git fsck)",
            )
        return str(out.decode().strip())


def _carrier(root: Path) -> Any:
    """GitPython's command runner, started in ``root``, with no inherited GIT_* variable."""
    for name in [n for n in os.environ if n.startswith("GIT_") and not n.startswith("GIT_PYTHON_")]:
        del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    import git  # noqa: PLC0415 - 50 ms that browsing does not need

    carrier = git.Git(os.fspath(root))
    try:
        carrier.version_info  # noqa: B018 - asks for the program once
    except (git.GitCommandNotFound, git.GitCommandError):
        raise NoGitError from None
    if not carrier.version_info:
        raise NoGitError
    carrier.update_environment(
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        GIT_NO_REPLACE_OBJECTS="1",
    )
    return carrier


def _configuration(carrier: Any) -> dict[str, str]:
    """The person's identity and the names of all filters, from every level of configuration."""
    status, out, _ = carrier.config(
        "--null",
        "--get-regexp",
        r"^(user\.(name|email)|filter\..*)$",
        with_extended_output=True,
        with_exceptions=False,
    )
    records = [] if status else out.split("\0")
    return dict(record.partition("\n")[::2] for record in records if record)


def _configuration_overrides(configured: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that win over every configuration file.

    Filters are emptied by name: even a plain index update may hash a file that changed in the same
    instant, and would run its clean filter for that.
    """
    filters = {key.rpartition(".")[0] for key in configured if key.startswith("filter.")}
    wanted = dict(_OVERRIDES)
    for name in sorted(filters):
        wanted |= {f"{name}.{key}": "" for key in _FILTER_KEYS} | {f"{name}.required": "false"}
    environment = {"GIT_CONFIG_COUNT": str(len(wanted))}
    for number, (key, value) in enumerate(wanted.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


def _trailers(message: str) -> tuple[tuple[str, str], ...]:
    """The ``Key: value`` lines of the last paragraph, if it holds nothing else."""
    last = message.rstrip("\n").rpartition("\n\n")[2].split("\n")
    found = [re.fullmatch(r"([A-Z][A-Za-z-]*): (.*)", line) for line in last]
    return tuple((m[1], m[2]) for m in found if m) if all(found) else ()
