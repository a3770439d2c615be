"""Jobs as systemd, cron and launchd take them: checked by what reads them, where that is installed."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import UsageError
from workbench.jobs.unit import Unit, as_cron, as_launchd, as_systemd, unit

ODD = ["it's 50% of $HOME", 'a "quoted" \\ folder', "søster 記憶 🧠", "a  b;c&d`e`$(f)", "-w"]
HOME = Path("/people/ann")


def job(name: str = "nightly", **changes: Any) -> Unit:
    return unit(name, **{"program": "/opt/bin/workbench", "workspace": "/srv/memory", **changes})


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
    made = job(at="4:05")
    units = parts(as_systemd(made))
    assert set(units) == {f"{made.name}.service", f"{made.name}.timer"}
    assert (
        'ExecStart="/opt/bin/workbench" "-w" "/srv/memory" "nightly" "--log"\n'
        in units[f"{made.name}.service"]
    )
    assert "OnCalendar=*-*-* 04:05:00" in units[f"{made.name}.timer"]
    assert f"enable --now {made.name}.timer" in as_systemd(made)


@pytest.mark.parametrize(("name", "command"), [("watch", '"watch"'), ("reindex", '"reindex" "--watch"')])
def test_what_follows_is_a_service_that_is_started_again(name: str, command: str) -> None:
    made = job(name)
    units = parts(as_systemd(made))
    assert set(units) == {f"{made.name}.service"}
    (text,) = units.values()
    assert f'"/srv/memory" {command} "--log"\n' in text
    assert "Restart=on-failure" in text
    assert "WantedBy=default.target" in text


def test_reindex_runs_once_a_day_where_a_time_is_said() -> None:
    made = job("reindex", at="04:00")
    assert made.arguments == ("-w", "/srv/memory", "reindex", "--log")
    assert set(parts(as_systemd(made))) == {f"{made.name}.service", f"{made.name}.timer"}
    assert as_cron(made).startswith("0 4 * * * ")


def test_two_workspaces_have_no_unit_in_common() -> None:
    names = {job(workspace=path).name for path in ("/a/memory", "/b/memory", "/a/記憶", "/a/Memory")}
    assert len(names) == 4
    assert all(re.fullmatch(r"workbench-nightly(-[a-z0-9]+){1,2}", name) for name in names), names


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_finds_no_fault_with_the_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # else it looks at nothing
    program = tmp_path / "a $pro%gram"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    written = []
    for at, odd in enumerate(ODD):
        for name in ("nightly", "watch", "reindex"):
            made = job(name, program=str(program), workspace=f"/srv/{odd}", metrics=f"/srv/{at}%.prom")
            for file, text in parts(as_systemd(made)).items():
                (tmp_path / file).write_text(text)
                written.append(file)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", *(tmp_path / file for file in written)],
        capture_output=True,
        text=True,
        check=False,
    )
    about = [line for line in done.stderr.splitlines() if "workbench-" in line or "a $pro" in line]
    assert (done.returncode, about) == (0, [])
    (tmp_path / written[0]).write_text("[Service]\nExecStart=nowhere\nNonsense=1\n")
    broken = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", tmp_path / written[0]],
        capture_output=True,
        check=False,
    )
    assert broken.returncode != 0  # it does look


def test_systemd_is_given_back_the_words_that_were_meant() -> None:
    """By the rules of systemd.service(5): quotes and backslashes, then `%%` and `$$`."""
    for odd in ODD:
        made = job(workspace=f"/srv/{odd}")
        (line,) = [line for line in as_systemd(made).split("\n") if line.startswith("ExecStart=")]
        words = [
            word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line[len("ExecStart=") :])
        ]
        assert tuple(words) == (made.program, *made.arguments)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["nightly", "watch"])
def test_what_a_line_of_cron_runs_gets_the_words_that_were_meant(tmp_path: Path, odd: str, name: str) -> None:
    """Done as cron does it: `\\%` becomes `%`, and all behind the times goes to `sh -c`."""
    program = tmp_path / f"{odd} bin" / "workbench"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done > "$(dirname "$0")/said"\n')
    program.chmod(0o755)
    made = job(
        name, program=str(program), workspace=str(tmp_path / odd), at="3:30" if name == "nightly" else None
    )
    line = as_cron(made)
    assert line.count("\n") == 1
    times, command = re.fullmatch(r"(@reboot|\d+ \d+ \* \* \*) (.*)\n", line).groups()  # type: ignore[union-attr]
    assert times == ("30 3 * * *" if name == "nightly" else "@reboot")
    assert not re.search(r"(?<!\\)%", command), "cron would end the command there"
    subprocess.run(["/bin/sh", "-c", command.replace("\\%", "%")], check=True, env={"PATH": os.defpath})
    assert tuple((program.parent / "said").read_text().splitlines()) == made.arguments


@pytest.mark.parametrize("odd", [*ODD, "a <tag> & more]]>"])
def test_an_agent_of_launchd_holds_the_words_that_were_meant(odd: str) -> None:
    made = job(workspace=f"/srv/{odd}", at="4:05", metrics="/srv/figures.prom")
    text = as_launchd(made, HOME)
    agent = plistlib.loads(text.encode())
    assert agent["ProgramArguments"] == [made.program, *made.arguments]
    assert agent["StartCalendarInterval"] == {"Hour": 4, "Minute": 5}
    assert agent["Label"] == f"memory-workbench.{made.name}"
    assert agent["StandardErrorPath"] == f"/people/ann/Library/Logs/{agent['Label']}.log"
    assert "KeepAlive" not in agent
    assert f"~/Library/LaunchAgents/{agent['Label']}.plist" in text
    ET.fromstring(text)


@pytest.mark.parametrize("name", ["watch", "reindex"])
def test_what_follows_is_kept_alive_by_launchd(name: str) -> None:
    agent = plistlib.loads(as_launchd(job(name), HOME).encode())
    assert agent["RunAtLoad"] is True
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert "StartCalendarInterval" not in agent


@pytest.mark.parametrize("name", ['a"b', "a'b", "a\\b"])
def test_a_program_that_systemd_would_not_start_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="systemd"):
        as_systemd(job(program=f"/opt/{name}"))


def test_a_path_that_is_no_text_is_refused_by_launchd_alone() -> None:
    made = job(workspace=os.fsdecode(b"/srv/\xff"))
    assert os.fsencode(as_cron(made)).count(b"\xff") == 1
    with pytest.raises(UsageError, match="UTF-8"):
        as_launchd(made, HOME)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("nightly", {"at": "25:00"}),
        ("nightly", {"at": "3"}),
        ("reindex", {"at": "03:60"}),
        ("dinner", {}),
        ("watch", {"at": "03:30"}),
        ("nightly", {"workspace": "/a\nb"}),
        ("nightly", {"metrics": "/a\tb.prom"}),
    ],
)
def test_what_cannot_be_a_job_is_refused(name: str, changes: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        job(name, **changes)
