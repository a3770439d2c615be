"""Jobs for the system's own clock: units of systemd and lines of cron, as text. Nothing is installed."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Literal

from workbench.errors import UsageError

Form = Literal["systemd", "cron"]
JOBS = ("nightly", "watch")
"""``nightly`` runs once a day, ``watch`` all the time."""
_TIME = re.compile(r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job of one workspace. ``program`` and ``workspace`` are absolute paths, ``at`` is local time."""

    name: str
    program: str
    workspace: str
    at: str = "03:30"

    def __post_init__(self) -> None:
        if self.name not in JOBS:
            raise UsageError(f"there is no job {self.name}", hint="known: " + ", ".join(JOBS))
        if not _TIME.fullmatch(self.at):
            raise UsageError(f"{self.at} is no time of the day", hint="for example 03:30")
        for path in (self.program, self.workspace):
            if any(ord(character) < 32 or ord(character) == 127 for character in path):
                raise UsageError("a path with control characters cannot stand in a job")

    @property
    def unit(self) -> str:
        """What systemd calls it."""
        return f"workbench-{self.name}"


def as_systemd(job: Job) -> str:
    """A service of the user's own systemd, and its timer, each under the name of its file.

    `%` and `$` mean something in a unit (systemd.unit(5), systemd.service(5)); they are doubled, but for `$`
    in the program, which is taken as it is. Raises UsageError for a program that systemd refuses to start.
    """
    if any(mark in job.program for mark in "\"'\\"):
        raise UsageError("systemd starts no program whose path has quotes or backslashes", hint="--cron can")
    arguments = (_unit_word(word).replace("$", "$$") for word in ("-w", job.workspace, job.name))
    command = " ".join((_unit_word(job.program), *arguments))
    once = job.name == "nightly"
    service = [
        f"# ~/.config/systemd/user/{job.unit}.service",
        "[Unit]",
        f"Description=Memory Workbench: {job.name}",
        "",
        "[Service]",
        f"Type={'oneshot' if once else 'simple'}",
        f"ExecStart={command}",
        "Nice=10",
        *([] if once else ["Restart=on-failure", "RestartSec=30"]),
    ]
    if not once:
        enable = f"{job.unit}.service"
        return _joined([*service, "", "[Install]", "WantedBy=default.target"], enable)
    timer = [
        f"# ~/.config/systemd/user/{job.unit}.timer",
        "[Unit]",
        f"Description=Memory Workbench: {job.name}, once a day",
        "",
        "[Timer]",
        f"OnCalendar=*-*-* {_padded(job.at)}:00",
        "Persistent=true",
        "",
        "[Install]",
        "WantedBy=timers.target",
    ]
    return _joined([*service, "", *timer], f"{job.unit}.timer")


def as_cron(job: Job) -> str:
    """A line of crontab(5), where `%` would be a line end."""
    words = " ".join(shlex.quote(word) for word in (job.program, "-w", job.workspace, job.name))
    found = _TIME.fullmatch(job.at)
    assert found is not None
    when = f"{int(found['minute'])} {int(found['hour'])} * * *" if job.name == "nightly" else "@reboot"
    return f"{when} {words}".replace("%", "\\%") + "\n"


def _joined(lines: list[str], enable: str) -> str:
    todo = f"# then: systemctl --user daemon-reload && systemctl --user enable --now {enable}"
    return "\n".join([*lines, "", todo]) + "\n"


def _unit_word(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _padded(at: str) -> str:
    hour, _, minute = at.partition(":")
    return f"{int(hour):02}:{minute}"
