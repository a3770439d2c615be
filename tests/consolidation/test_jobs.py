"""Jobs as systemd and cron take them: checked by systemd itself where it is installed."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from workbench.consolidation.jobs import Job, as_cron, as_systemd
from workbench.errors import UsageError


def job(**changes: str) -> Job:
    said = {"name": "nightly", "program": "/opt/bin/workbench", "workspace": "/srv/memory", **changes}
    return Job(**said)


def parts(text: str) -> dict[str, str]:
    """The files of the units, by their names."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.split("\n"):
        if line.startswith("# ~/"):
            name = line.rpartition("/")[2]
            found[name] = []
        elif name and not line.startswith("# then"):
            found[name].append(line)
    return {name: "\n".join(lines) + "\n" for name, lines in found.items()}


def test_a_nightly_job_is_a_service_and_a_timer() -> None:
    units = parts(as_systemd(job(at="4:05")))
    assert set(units) == {"workbench-nightly.service", "workbench-nightly.timer"}
    assert 'ExecStart="/opt/bin/workbench" "-w" "/srv/memory" "nightly"' in units["workbench-nightly.service"]
    assert "OnCalendar=*-*-* 04:05:00" in units["workbench-nightly.timer"]
    assert "enable --now workbench-nightly.timer" in as_systemd(job())


def test_a_watch_is_a_service_that_is_started_again() -> None:
    units = parts(as_systemd(job(name="watch")))
    assert set(units) == {"workbench-watch.service"}
    assert "Restart=on-failure" in units["workbench-watch.service"]
    assert "WantedBy=default.target" in units["workbench-watch.service"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("name", ["nightly", "watch"])
def test_systemd_finds_no_fault_with_the_units(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # else it looks at nothing
    program = tmp_path / "a $pro%gram"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit, text in parts(
        as_systemd(job(name=name, program=str(program), workspace="/srv/50% of $HOME"))
    ).items():
        (tmp_path / unit).write_text(text)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", tmp_path / unit],
            capture_output=True,
            text=True,
            check=False,
        )
        about = [line for line in done.stderr.splitlines() if unit in line or "a $pro" in line]
        assert (done.returncode, about) == (0, [])


def test_a_line_of_cron_runs_once_a_day_and_survives_odd_paths() -> None:
    line = as_cron(job(at="03:30", workspace="/srv/it's 50%"))
    assert line.startswith("30 3 * * * ")
    assert line.count("\n") == 1
    command = line.split(" ", 5)[5].replace("\\%", "%")
    assert shlex.split(command) == ["/opt/bin/workbench", "-w", "/srv/it's 50%", "nightly"]
    assert "%" not in line.replace("\\%", "")


@pytest.mark.parametrize("name", ['a"b', "a'b", "a\\b"])
def test_a_program_that_systemd_would_not_start_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="systemd"):
        as_systemd(job(program=f"/opt/{name}"))


@pytest.mark.parametrize(
    "changes", [{"at": "25:00"}, {"at": "3"}, {"at": "03:60"}, {"name": "dinner"}, {"workspace": "/a\nb"}]
)
def test_what_cannot_be_a_job_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        job(**changes)
