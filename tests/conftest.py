"""What every test stands on: a person of its own, and workspaces in real git repositories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.workspaces import Sandbox


@pytest.fixture(autouse=True)
def person(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of their own, so that no test reads or writes the settings of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\n\tname = Test Person\n\temail = test@localhost\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("WORKBENCH_CONFIG", str(home / "settings.yaml"))
    monkeypatch.delenv("WORKBENCH_WORKSPACE", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """A small workspace in a git repository with one commit."""
    made = Sandbox(tmp_path / "workspace")
    yield made
    made.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many calls that change the disk were made to fail."""
    counts = [
        count
        for report in terminalreporter.getreports("passed")
        for name, count in report.user_properties
        if name == "failpoints" and report.when == "call"
    ]
    if counts:
        terminalreporter.write_line(f"failpoints: {sum(counts)} calls failed, in {len(counts)} loops")
