"""What a backup that is killed leaves in the temporary folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from workbench.backup.trial import trial

_HOLDS = """
import sys, tempfile
from pathlib import Path
from workbench.backup.trial import trial

tempfile.tempdir = sys.argv[1]
with trial() as place:
    (place / "MEMORY.md").write_text("private")
    print(place, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_one_left_is_taken_away_and_what_lives_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    foreign = tmp_path / "workbench-check-link"
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
        with trial():
            assert (left / "MEMORY.md").exists()
        holder.send_signal(signal.SIGKILL)
    with trial() as own:
        assert not left.exists()
        assert list(own.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"theirs", "workbench-check-link"}


def test_one_that_was_just_left_stays_for_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    new = tmp_path / "workbench-check-new"
    new.mkdir()
    os.utime(new, (time.time() + 3_600,) * 2)  # however long this test stands still
    with trial():
        assert new.exists()
