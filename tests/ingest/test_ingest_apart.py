"""Taking in in a process of its own: stopped between two sources, and gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import plain
from tests.support.workspaces import Sandbox
from workbench.config.read_only import VARIABLE
from workbench.errors import ReadOnlyError
from workbench.ingest.ingest import run
from workbench.workspace.task_context import TaskContext

pytestmark = [
    pytest.mark.promise("The interface", "indexing, ingest or a backup is stopped from the interface"),
]


class StoppedAt(TaskContext):
    """Is stopped when it says that so many are done."""

    def __init__(self, done: int) -> None:
        super().__init__("ingest")
        self._at = done

    def progress(self, phase: str, done: int = 0, total: int = 0) -> None:
        if done == self._at:
            self.stop()
        super().progress(phase, done, total)


def test_what_was_taken_in_before_a_stop_stays_and_the_rest_comes_next(
    sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    for name in ("a", "b", "c"):
        said = (
            ("user", f"We decided to call the service number {name} Heron {name}."),
            ("assistant", "Noted."),
        )
        (folder / f"{name}.jsonl").write_bytes(plain(*said))
    wish = {"files": [str(folder)]}
    first = run(sandbox.root, wish, StoppedAt(1))
    assert (first["stopped"], first["counts"]) == (True, {"taken": 1})
    assert '"phase": "transcripts", "done": 0, "total": 3' in capsys.readouterr().out
    rest = run(sandbox.root, wish, TaskContext("ingest"))
    assert (rest["stopped"], rest["counts"]) == (False, {"unchanged": 1, "taken": 2})
    assert run(sandbox.root, wish, TaskContext("ingest"))["counts"] == {"unchanged": 3}


def test_lines_that_cannot_be_read_are_told_of_with_their_source(sandbox: Sandbox, tmp_path: Path) -> None:
    good = plain(("user", "We decided to call the service number nine Heron nine."), ("assistant", "Noted."))
    talk = tmp_path / "t/s.jsonl"
    talk.parent.mkdir()
    talk.write_bytes(good + b"{oops\n" * 6)
    first = len(good.splitlines()) + 1
    wish = {"files": [str(talk)]}
    found = run(sandbox.root, wish, TaskContext("ingest"))
    named = ", ".join(f"s.jsonl:{line}" for line in range(first, first + 5))
    assert found["counts"] == {"taken": 1}
    assert (found["unreadable"], found["with_unreadable"]) == ([f"6 lines cannot be read: {named}, …"], 1)


def test_who_only_looks_takes_nothing_in(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(ReadOnlyError):
        run(sandbox.root, {}, TaskContext("ingest"))
