"""Which commit brought each line of a file: git's blame, in a repository that holds nothing but a pointer.

Blame is porcelain: it reads configuration (``blame.ignoreRevsFile``, which may name a pipe), attributes (a
``textconv`` is a program), mailmaps and grafts. So it runs in an empty repository of its own, made for the
occasion, which borrows the objects of the real one and knows nothing else of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from workbench.errors import RepositoryStateError, disk_errors
from workbench.repository.git_runner import ask, carrier_for
from workbench.repository.objects import CommitId
from workbench.temporary import scratch

_HEADER = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+) (\d+)")
_CONFIG = "[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}"
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"


def line_commits(objects: Path, shallow: Iterable[str], commit: CommitId, path: str) -> list[CommitId]:
    """For each line of the file ``path`` in ``commit`` the commit that it came with.

    ``objects`` is the object folder of the repository, ``path`` counts from the repository's top, and
    ``shallow`` names the commits that a shallow clone ends with: lines from before are said to be theirs.
    Raises RepositoryStateError when git cannot tell.
    """
    with disk_errors(), scratch("blame") as folder:
        prepare_empty(folder, algorithm="sha256" if len(commit) == 64 else "sha1", objects=objects)
        if ends := "".join(f"{name}\n" for name in shallow):
            (folder / "shallow").write_text(ends)
        return _blame(folder, commit, path)


def prepare_empty(folder: Path, *, algorithm: str, objects: Path | None = None) -> None:
    """Make an empty folder the least that git takes for a repository. Raises OSError.

    It borrows what is in ``objects``, the object folder of another repository.
    """
    sha256 = algorithm == "sha256"
    for name in ("objects/info", "refs"):
        (folder / name).mkdir(parents=True)
    extension = _SHA256 if sha256 else ""
    (folder / "config").write_text(_CONFIG.format(version=1 if sha256 else 0, extension=extension))
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    if objects:
        (folder / "objects" / "info" / "alternates").write_bytes(_quoted(os.fsencode(objects)) + b"\n")


def _quoted(path: bytes) -> bytes:
    """A path as git quotes it in this file, where it may hold any byte then."""
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _blame(folder: Path, commit: CommitId, path: str) -> list[CommitId]:
    carrier = carrier_for(folder)
    carrier.set_persistent_git_options(git_dir=os.fspath(folder))
    carrier.update_environment(GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull)
    said = ("--incremental", "--root", commit, "--", path)
    try:
        out = ask(carrier, "blame", *said)
    except RepositoryStateError:
        # A partial clone may lack a file that was removed, and could be this one under its earlier name.
        out = ask(carrier, "blame", "--no-follow", *said)
    brought: dict[int, CommitId] = {}
    for line in out.split(b"\n"):
        if found := _HEADER.fullmatch(line):
            name, first, count = CommitId(found[1].decode()), int(found[3]), int(found[4])
            brought |= dict.fromkeys(range(first, first + count), name)
    return [brought[number] for number in sorted(brought)]
