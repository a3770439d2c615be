"""Writing the sample workspace, with its history, in one go."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

from workbench.errors import WriteFailedError
from workbench.memory.entry import RelPath
from workbench.repository.git_repository import History
from workbench.workspace.demo import DemoCommit, demo_commits
from workbench.workspace.files import Files
from workbench.workspace.workspace import Workspace

_MARK = "workbench-demo"


def is_demo(target: Path) -> bool:
    """Whether ``target`` is a sample workspace that was made here."""
    return (target / ".git" / _MARK).is_file()


def write_demo(target: Path, today: date | None = None) -> tuple[int, int]:
    """Make the sample workspace in ``target``; how many commits and files it has."""
    commits = demo_commits(today or datetime.now(UTC).date())
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailedError(f"{target} cannot be made: {error.strerror}") from error
    root = target.resolve()
    history = History.create(root)
    try:
        history.feed(b"".join(_stream(commits)), "fast_import", "--quiet", "--date-format=raw")
        newest = {path: data for commit in commits for path, data in commit.files.items()}
        final = {path: data for path, data in newest.items() if data is not None}
        files = Files(root)
        for path, data in final.items():
            files.lay(RelPath(path), data)
        history.run("read_tree", "HEAD")  # the index says what HEAD says
    finally:
        history.close()
    with closing(Workspace.open(root)) as place:
        added = place.ledger.adding([one for commit in commits for one in commit.records], "")
        if added and added.new:
            place.ledger.include(added.new)
    (root / ".git" / _MARK).touch()
    return len(commits), len(final)


def _stream(commits: tuple[DemoCommit, ...]) -> list[bytes]:
    """The commits as ``git fast-import`` reads them."""
    out = []
    for commit in commits:
        message = commit.message.encode()
        name, email = commit.author
        committer = f"{name} <{email}> {int(commit.when.timestamp())} +0000".encode()
        out.append(
            b"commit refs/heads/main\ncommitter %s\ndata %d\n%s\n" % (committer, len(message), message)
        )
        for path, data in commit.files.items():
            if data is None:
                out.append(b"D %s\n" % os.fsencode(path))
            else:
                out.append(b"M 100644 inline %s\ndata %d\n%s\n" % (os.fsencode(path), len(data), data))
    return out
