"""What is needed for a moment is gone afterwards, also where its process was killed."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from workbench.temporary import scratch

_HOLDS = """
import sys, tempfile
from pathlib import Path
from workbench.temporary import scratch

tempfile.tempdir = sys.argv[1]
with scratch("check") as place:
    (place / "MEMORY.md").write_text("private")
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.mark.promise(
    "The interface",
    "a backup is killed while it is being verified",
    "the restored copy is deleted by the next action that needs a temporary folder",
    by="SIGKILL",
)
def test_what_a_killed_one_left_is_taken_away_and_what_lives_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    foreign = tmp_path / "workbench-scratch-link"
    kept = tmp_path / "theirs"
    kept.mkdir()
    foreign.symlink_to(kept)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as holder:  # fmt: skip
        assert holder.stdout is not None
        left = Path(holder.stdout.readline().strip())
        os.utime(left, (0, 0))
        with scratch("import"):
            assert (left / "MEMORY.md").exists()
        holder.send_signal(signal.SIGKILL)
    with scratch("import") as own:
        assert not left.exists()
        assert list(own.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"theirs", "workbench-scratch-link"}


def test_one_that_was_just_left_stays_for_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    new = tmp_path / "workbench-scratch-new"
    new.mkdir()
    os.utime(new, (time.time() + 3_600,) * 2)  # however long this test stands still
    with scratch("check"):
        assert new.exists()


def test_without_locks_it_works_and_takes_away_only_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: int, __: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(fcntl, "flock", unknown)
    other = tmp_path / "workbench-scratch-check-other"
    other.mkdir()
    os.utime(other, (0, 0))
    with scratch("check") as place:
        (place / "MEMORY.md").write_text("private")
    assert list(tmp_path.iterdir()) == [other]
