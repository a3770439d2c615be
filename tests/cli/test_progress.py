"""The progress bar of the command line: on a terminal alone, one line, wiped at the end."""

from __future__ import annotations

import os
import pty
import select
import sys

import pyte
import pytest

from indexing.sync.report import SyncProgress
from workbench.cli.console import Bar

ROWS = 4


def written(terminal: int) -> bytes:
    """All that was written so far: a terminal may hand it out in several pieces."""
    said = b""
    while select.select([terminal], [], [], 0.2)[0]:
        said += os.read(terminal, 65_536)
    return said


def test_each_phase_is_drawn_on_a_terminal_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = pyte.Screen(80, ROWS)
    stream = pyte.ByteStream(screen)
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as terminal, Bar() as bar:
        monkeypatch.setattr(sys, "stderr", terminal)
        for progress, shown in (
            (SyncProgress("scan", 0, 0), "scan"),
            (SyncProgress("words", 5, 20), "25%"),
            (SyncProgress("words", 10, 20), "50%"),
            (SyncProgress("embed", 3, 4), "75%"),
        ):
            bar.follow(progress)
            terminal.flush()
            stream.feed(written(leader))
            assert screen.display[0].startswith(progress.phase)
            assert shown in screen.display[0]
        bar.clear()
        terminal.flush()
        stream.feed(written(leader))
        assert [line.strip() for line in screen.display] == [""] * ROWS
    os.close(leader)


def test_nothing_is_drawn_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    with Bar() as bar:
        bar.follow(SyncProgress("words", 5, 20))
    assert capfd.readouterr() == ("", "")
