"""Questions about very many commits at once, each in a few calls of git however long the history is."""

from __future__ import annotations

import os
from collections.abc import Iterable

from workbench.memory.names import BlobId, CommitId, RelPath
from workbench.repository.git_runner import ask
from workbench.repository.history import History

Pair = tuple[CommitId, CommitId]
"""A commit, and one before it."""


def commits_named(history: History, prefix: str, line: str) -> set[CommitId]:
    """The commits that HEAD reaches whose name starts with ``prefix``, or whose message holds ``line``.

    ``prefix`` has at least four hexadecimal digits. Raises RepositoryStateError.
    """
    head = history.head()
    if head is None:
        return set()
    only = ("--fixed-strings", f"--grep={line}", head, "--")
    found = set(ask(history.carrier, "rev_list", *only).decode().split())
    objects = ask(history.carrier, "rev_parse", f"--disambiguate={prefix}").decode().split()
    if objects:  # blobs, trees, and what HEAD does not reach are among them
        found |= set(objects).intersection(ask(history.carrier, "rev_list", head, "--").decode().split())
    return {CommitId(name) for name in found}


def blob_changes(
    history: History, path: RelPath, pairs: Iterable[Pair]
) -> dict[Pair, tuple[BlobId | None, BlobId | None]]:
    """The names of a file's bytes before and after, for pairs of commits that are not in two of them.

    Where both have the same bytes, or neither has a file there, the pair is missing. Raises
    RepositoryStateError.
    """
    full = history.prefix + path
    before = dict(pairs)
    options = ("--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames")
    asked = "".join(f"{new} {old}\n" for new, old in before.items()).encode()
    out = ask(history.carrier, "diff_tree", *options, "--", f":(top,literal){full}", data=asked)
    found: dict[Pair, tuple[BlobId | None, BlobId | None]] = {}
    commit = CommitId("")
    parts = iter(out.split(b"\0"))
    for part in parts:
        if not part.startswith(b":"):
            commit = CommitId(part.decode("ascii", "replace").strip())
        elif next(parts, b"") == os.fsencode(full):
            old_mode, new_mode, old, new = part[1:].decode("ascii").split(" ")[:4]
            found[commit, before[commit]] = _file(old_mode, old), _file(new_mode, new)
    return found


def _file(mode: str, name: str) -> BlobId | None:
    return BlobId(name) if mode.startswith("100") else None
