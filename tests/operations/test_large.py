"""What actions cost in a large log and in a long history: counted, not timed."""

from __future__ import annotations

import subprocess
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.errors import AmbiguousOperationError, OperationNotFoundError
from workbench.history.versions import Versions
from workbench.memory import entry, markdown
from workbench.memory.entry import RelPath
from workbench.operations.pin import plan_pin
from workbench.operations.undo import plan_undo
from workbench.repository import git_repository as history
from workbench.repository import objects
from workbench.workspace.workspace import Workspace

COMMITS = 400
LONG_LOG = RelPath("memory/2026-03-15.md")


class Counted:
    """A function that counts how often it is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        return self.function(*arguments, **named)


@pytest.fixture
def commits_read(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted(objects.parse_commit)
    monkeypatch.setattr(history, "parse_commit", counted)
    return counted


@pytest.fixture
def long_history(sandbox: Sandbox) -> Workspace:
    """Each commit is an operation that adds a line, as an agent's plain appends are recorded."""
    lines = [f"- line {number}\n" for number in range(COMMITS)]
    return imported(sandbox, ("# 2026-03-15\n" + "".join(lines[: number + 1]) for number in range(COMMITS)))


def imported(sandbox: Sandbox, texts: Iterable[str]) -> Workspace:
    """The workspace with a further commit for each of these texts of one log."""
    stream = ""
    for number, text in enumerate(texts):
        message = f"append: line {number}\n\nOperation: {number:012x}\nAction: append\nActor: external\n"
        start = "from refs/heads/main^0\n" if not number else ""
        stream += (
            f"commit refs/heads/main\ncommitter a <a@localhost> {1_800_000_000 + number} +0000\n"
            f"data {len(message)}\n{message}{start}"
            f"M 100644 inline {LONG_LOG}\ndata {len(text)}\n{text}\n"
        )
    subprocess.run(["git", "-C", sandbox.root, "fast-import", "--quiet"], input=stream.encode(), check=True)
    sandbox.git("reset", "-q", "--hard")
    return sandbox.workspace


def test_an_unknown_operation_is_unknown_without_reading_the_history(
    long_history: Workspace, commits_read: Counted
) -> None:
    with pytest.raises(OperationNotFoundError):
        plan_undo(long_history, "deadbeef0000")
    assert commits_read.calls <= 2


def test_a_known_operation_is_read_up_to_and_no_further(
    long_history: Workspace, commits_read: Counted
) -> None:
    newest = f"{COMMITS - 1:012x}"
    assert plan_undo(long_history, newest).undoes == newest
    assert plan_undo(long_history, str(long_history.history.head())).undoes == newest
    assert commits_read.calls < COMMITS / 2
    with pytest.raises(AmbiguousOperationError):
        plan_undo(long_history, "00000000001")


def test_versions_that_are_looked_through_again_are_not_read_again(
    long_history: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Counted(long_history.history.stored)
    monkeypatch.setattr(long_history.history, "stored", read)
    versions = Versions(long_history)
    for _ in range(3):
        assert len({versions.data(version.after) for version in versions.of(LONG_LOG)}) == COMMITS
    assert read.calls == COMMITS


def test_long_versions_are_not_all_kept_in_memory(sandbox: Sandbox) -> None:
    size = 1_000_000
    versions = Versions(imported(sandbox, (f"- {number}\n" + "x" * size for number in range(100))))
    tracemalloc.start()
    try:
        assert sum(len(versions.data(version.after)) > size for version in versions.of(LONG_LOG)) == 100
        assert tracemalloc.get_traced_memory()[0] < 80 * size
    finally:
        tracemalloc.stop()


def test_pinning_in_a_long_log_reads_no_further_than_the_entry(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f"## 10:{hour:02d} part\n\n" + "".join(f"- entry {hour} {n}\n" for n in range(50))
        for hour in range(20)
    ]
    sandbox.write(LOG, "# 2026-03-14\n\n" + "\n".join(lines))
    address = sandbox.address("entry 10 25")
    read = Counted(entry.entry_hash)
    monkeypatch.setattr(markdown, "entry_hash", read)
    parsed = Counted(markdown._parser)
    monkeypatch.setattr(markdown, "_parser", parsed)
    plan = plan_pin(sandbox.workspace, [address])
    assert b"- entry 10 25 <!-- wb: pinned=" in (plan.edits[0].after or b"")
    assert 500 <= read.calls < 600
    assert parsed.calls < 10  # the block alone, not the log


def test_what_a_mark_would_change_beside_its_entry_is_seen_in_a_plain_log(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "plain")
    made.write(LOG, "# 2026-03-14\n\n- one `open\n- two\n\nA paragraph\nof two lines\n- three\n")
    for words in ("one", "two", "A paragraph", "three"):
        before = made.workspace.document(LOG)
        plan = plan_pin(made.workspace, [made.address(words)])
        after = markdown.parse_document(before.path, plan.edits[0].after or b"", before.kind)
        assert [one.address for one in after.entries] == [one.address for one in before.entries]
        assert [one.pinned for one in after.entries] == [one.text.startswith(words) for one in before.entries]
    made.close()
