"""Whether a file may be committed as it stands: where git would store other bytes, or the person has
said something else about the file, an action is refused before anything is done.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import RepositoryStateError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.repository.git_runner import ask, outcome, reason
from workbench.repository.index_file import IndexRow, Staging
from workbench.repository.objects import BlobId
from workbench.special_files import read_regular

if TYPE_CHECKING:
    from workbench.repository.git_repository import History

_ATTRIBUTES = ("filter", "working-tree-encoding", "ident", "text", "eol", "crlf")
_FEW = 100
"""Paths of which git finds out by itself fast enough whether it tracks them."""
_ABSENT = ("unspecified", "unset")
_LONE_CR = re.compile(rb"\r(?!\n)")
_UNFINISHED = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or `git am`",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert of several commits",
    "BISECT_LOG": "a bisect",
}


def require_finished(git_dir: Path) -> None:
    """Raise RepositoryStateError while something unfinished owns the repository."""
    for name, what in _UNFINISHED.items():
        if (git_dir / name).exists():
            raise RepositoryStateError(
                f"{what} is in progress in this repository; nothing was changed",
                hint="finish or abort it, then try again",
            )


def are_free(git_dir: Path, common_dir: Path, references: Iterable[str]) -> bool:
    """Whether the branch and ``references`` are unlocked files in folders that can be written.

    A git that moves them would meet that first. Where only git can tell, as of packed references and those
    that stand for another one, False.
    """
    try:
        branch = (git_dir / "HEAD").read_text().removeprefix("ref: ").strip()
        files = [common_dir / name for name in (branch, *references)]
        if any(read_regular(file).startswith(b"ref:") for file in files):
            return False
    except (OSError, ValueError):
        return False
    return branch.startswith("refs/heads/") and all(
        os.access(file.parent, os.W_OK) and not os.path.lexists(f"{file}.lock")
        for file in (git_dir / "HEAD", *files)
    )


def require_own(root: Path, path: RelPath) -> None:
    """Raise RepositoryStateError when a folder on the way to ``path`` is a repository of its own."""
    folder = root
    for part in path.split("/")[:-1]:
        folder /= part
        if (folder / ".git").exists():
            raise RepositoryStateError(
                f"{folder.relative_to(root)} is a separate repository (a submodule or a clone); "
                "nothing was changed",
                hint="open the workspace inside it instead",
            )


def ignored_of(
    history: History, index: Staging, edits: Sequence[FileEdit], ours: str, autocrlf: str
) -> Sequence[RelPath]:
    """Those of these files that git ignores; see ``History.require_plain`` for what this raises else."""
    paths = [edit.path for edit in edits]
    rows = {row.path: row for row in index.rows(paths)}
    # What git tracks is never ignored.
    unknown = [path for path in paths if path not in rows and not path.startswith(ours)]
    if found := ignored(history.carrier, unknown, certain=True):
        return found
    said = attributes(history.carrier, paths)
    head = history.head()
    for edit in edits:
        row = rows.get(edit.path)
        if row:
            require_settled(row, edit)
        index.require_nothing_else(head, row, edit)
        versions = tuple(data for data in (edit.before, edit.after) if data is not None)
        has_crlf = any(b"\r\n" in data for data in versions)
        kept = history.stored(BlobId(row.blob)) if has_crlf and row else b""
        require_same_bytes(edit.path, said[edit.path], autocrlf, versions, kept)
    return ()


def ignored(carrier: Any, paths: Iterable[RelPath], *, certain: bool = False) -> tuple[RelPath, ...]:
    """Those of the paths that git ignores, as far as it can tell.

    ``certain`` raises RepositoryStateError where it cannot, as of files in another repository.
    """
    if not (asked := set(paths)):
        return ()
    # What git tracks is never ignored; git would look for each path in the whole index to find that out.
    tracked = outcome(carrier, "ls_files", "-z", "--", ".").text.split("\0") if len(asked) > _FEW else ()
    names = b"".join(os.fsencode(f"./{path}\0") for path in sorted(asked.difference(tracked)))
    if not names:
        return ()
    found = outcome(carrier, "check_ignore", "-z", "--stdin", data=names)
    if certain and found.status not in (0, 1):
        raise RepositoryStateError(f"git check-ignore failed: {reason(found.err)}")
    return tuple(RelPath(name.removeprefix("./")) for name in os.fsdecode(found.out).split("\0") if name)


def require_settled(row: IndexRow, edit: FileEdit) -> None:
    """Raise RepositoryStateError when the index has no one version of a file that is there."""
    if row.stage != "0":
        raise RepositoryStateError(
            f"{row.path} has an unfinished merge in git's index; nothing was changed",
            hint="resolve it and `git add` the file, then try again",
        )
    if row.is_skipped and edit.before is None:
        raise RepositoryStateError(
            f"{row.path} is outside this sparse checkout; nothing was changed",
            hint="git sparse-checkout add its folder first",
        )


def attributes(carrier: Any, paths: Iterable[RelPath]) -> dict[RelPath, dict[str, str]]:
    """What git's attributes say of each path about the form in which it is stored."""
    names = b"".join(os.fsencode(f"{path}\0") for path in paths)
    fields = os.fsdecode(ask(carrier, "check_attr", "-z", "--stdin", *_ATTRIBUTES, data=names)).split("\0")
    found: dict[RelPath, dict[str, str]] = {}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        found.setdefault(RelPath(path), {})[name] = value
    return found


def require_same_bytes(
    path: RelPath, attributes: Mapping[str, str], autocrlf: str, versions: tuple[bytes, ...], kept: bytes
) -> None:
    """Raise RepositoryStateError when git would store other bytes than those of ``versions``.

    ``kept`` is what git has of the file so far. Committing the bytes as they are would publish what a
    filter encrypts; and line ends that git converts would show every line as changed, now or at the
    person's next commit.
    """
    for name in ("filter", "working-tree-encoding"):
        if attributes[name] not in _ABSENT:
            raise RepositoryStateError(
                f"{path} is stored through git's {name} “{attributes[name]}”; nothing was changed",
                hint="use files that git stores unchanged, or remove the attribute for this one",
            )
    if attributes["ident"] == "set" and any(b"$Id" in data for data in versions):
        raise RepositoryStateError(
            f"git rewrites the $Id$ in {path}; nothing was changed",
            hint="remove the attribute `ident` for this file",
        )
    conversion = _conversion(attributes, autocrlf)
    if any(_converts(conversion, data, kept) for data in versions):
        raise RepositoryStateError(
            f"{path} has CRLF line ends, which git would store as LF here; nothing was changed",
            hint=f"to keep CRLF add `{path} -text` to .gitattributes; or save the file with LF",
        )


def _conversion(attributes: Mapping[str, str], autocrlf: str) -> str:
    """What git does to CRLF on the way in: "always", "auto" (in text, unless stored so) or "never"."""
    text = attributes["text"] if attributes["text"] != "unspecified" else attributes["crlf"]
    if text == "auto":
        return "auto"
    if text == "unset":
        return "never"
    if text != "unspecified" or attributes["eol"] not in _ABSENT:
        return "always"
    return "auto" if autocrlf in ("true", "input") else "never"


def _converts(conversion: str, data: bytes, kept: bytes) -> bool:
    if conversion == "never" or b"\r\n" not in data:
        return False
    binary = b"\0" in data or _LONE_CR.search(data) is not None
    return conversion == "always" or not (binary or b"\r\n" in kept)
