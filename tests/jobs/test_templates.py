"""The templates of jobs, checked by what reads them."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

WORDS = ["-w", "{home}/agent", "jobs", "run", "nightly", "--log"]


def template(name: str) -> str:
    return resources.files("workbench.jobs").joinpath("content", name).read_text("utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a program that writes down what it is called with."""
    program = tmp_path / "a home" / ".local" / "bin" / "workbench"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/said"\n')
    program.chmod(0o755)
    (tmp_path / "a home" / "Library" / "Logs").mkdir(parents=True)
    return tmp_path / "a home"


def said(home: Path, command: list[str]) -> list[str]:
    subprocess.run(command, check=True, env={"PATH": os.defpath, "HOME": str(home)})
    return (home / "said").read_text().splitlines()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_finds_no_fault_with_the_units(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # else it looks at nothing
    monkeypatch.setenv("HOME", str(home))
    service = tmp_path / "memory-workbench-nightly.service"
    timer = tmp_path / "memory-workbench-nightly.timer"
    verify = ["systemd-analyze", "verify", "--user", "--man=no", str(service), str(timer)]
    service.write_text(template("nightly.service").replace("%h", str(home)))
    timer.write_text(template("nightly.timer"))
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    about = [line for line in done.stderr.splitlines() if "memory-workbench" in line]
    assert (done.returncode, about) == (0, [])
    service.write_text("[Service]\nExecStart=nowhere\nNonsense=1\n")
    assert subprocess.run(verify, capture_output=True, check=False).returncode != 0  # it does look


def test_the_units_run_nightly_once_a_day() -> None:
    assert 'ExecStart="%h/.local/bin/workbench" -w "%h/agent" jobs run nightly --log\n' in template(
        "nightly.service"
    )
    assert "OnCalendar=*-*-* 03:30:00\n" in template("nightly.timer")


def test_the_line_of_cron_runs_nightly(home: Path) -> None:
    (line,) = [line for line in template("nightly.cron").splitlines() if not line.startswith("#")]
    *times, command = line.split(" ", 5)
    assert times == ["30", "3", "*", "*", "*"]
    assert "%" not in command, "cron would end the command there"
    assert said(home, ["/bin/sh", "-c", command]) == [word.format(home=home) for word in WORDS]


def test_the_agent_of_launchd_runs_nightly(home: Path) -> None:
    agent = plistlib.loads(template("nightly.plist").encode())
    assert agent["StartCalendarInterval"] == {"Hour": 3, "Minute": 30}
    assert said(home, agent["ProgramArguments"]) == [word.format(home=home) for word in WORDS]
