"""Jobs for the system's own clock, as text: units of systemd, lines of cron, agents of launchd.

Nothing is installed. Each runs the job with ``--log``: what a clock keeps of it holds no text of memory.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from workbench.errors import UsageError
from workbench.jobs.names import Job

Form = Literal["systemd", "cron", "launchd"]
PRINTED = ("nightly", "watch", "reindex")
"""What can be asked for: ``reindex`` follows the files, or runs once a day where a time is said."""
NIGHT = "03:30"
_TIME = re.compile(r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_SLUG = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One job of one workspace.

    ``program``, ``workspace`` and ``metrics`` (or nothing) are absolute paths, ``at`` is local time and means
    nothing for a job that goes on. Raises UsageError for what can stand in no such text.
    """

    job: Job
    program: str
    workspace: str
    at: str = NIGHT
    metrics: str = ""

    def __post_init__(self) -> None:
        if not _TIME.fullmatch(self.at):
            raise UsageError(f"{self.at} is no time of the day", hint="for example 03:30")
        for path in (self.program, self.workspace, self.metrics):
            if any(ord(character) < 32 or ord(character) == 127 for character in path):
                raise UsageError("a path with control characters cannot stand in a job")

    @property
    def name(self) -> str:
        """What the system calls it: two workspaces have no name in common."""
        folder = re.sub(r"[^A-Za-z0-9]+", "-", Path(self.workspace).name)[:_SLUG].strip("-").lower()
        digest = hashlib.blake2b(os.fsencode(self.workspace), digest_size=3).hexdigest()
        return "-".join(filter(None, ("workbench", self.job.value, folder, digest)))

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the program is called with."""
        metrics = ("--metrics", self.metrics) if self.metrics else ()
        return ("-w", self.workspace, *self.job.command.split(), "--log", *metrics)

    @property
    def time(self) -> tuple[int, int]:
        """Hour and minute of ``at``."""
        found = _TIME.fullmatch(self.at)
        assert found is not None
        return int(found["hour"]), int(found["minute"])


def unit(name: str, *, program: str, workspace: str, at: str | None = None, metrics: str = "") -> Unit:
    """The job that ``name`` (of ``PRINTED``) asks for. Raises UsageError."""
    if name not in PRINTED:
        raise UsageError(f"there is no job {name}", hint="known: " + ", ".join(PRINTED))
    if name == "watch" and at is not None:
        raise UsageError("watch runs all the time", hint="--at is for nightly and reindex")
    job = Job.REINDEX_WATCH if name == "reindex" and at is None else Job(name)
    return Unit(job=job, program=program, workspace=workspace, at=at or NIGHT, metrics=metrics)


def as_systemd(unit: Unit) -> str:
    """A service of the user's own systemd, and its timer, each under the name of its file.

    `%` and `$` mean something in a unit (systemd.unit(5), systemd.service(5)); they are doubled, but for `$`
    in the program, which is taken as it is. Raises UsageError for a program that systemd refuses to start.
    """
    if any(mark in unit.program for mark in "\"'\\"):
        raise UsageError("systemd starts no program whose path has quotes or backslashes", hint="--cron can")
    arguments = (_unit_word(word).replace("$", "$$") for word in unit.arguments)
    lasting = unit.job.lasting
    service = [
        f"# ~/.config/systemd/user/{unit.name}.service",
        "[Unit]",
        f"Description=Memory Workbench: {unit.job.command}",
        "",
        "[Service]",
        f"Type={'simple' if lasting else 'oneshot'}",
        f"ExecStart={' '.join((_unit_word(unit.program), *arguments))}",
        "Nice=10",
        *(["Restart=on-failure", "RestartSec=30"] if lasting else []),
    ]
    if lasting:
        return _joined([*service, "", "[Install]", "WantedBy=default.target"], f"{unit.name}.service")
    hour, minute = unit.time
    timer = [
        f"# ~/.config/systemd/user/{unit.name}.timer",
        "[Unit]",
        f"Description=Memory Workbench: {unit.job.command}, once a day",
        "",
        "[Timer]",
        f"OnCalendar=*-*-* {hour:02}:{minute:02}:00",
        "Persistent=true",
        "",
        "[Install]",
        "WantedBy=timers.target",
    ]
    return _joined([*service, "", *timer], f"{unit.name}.timer")


def as_cron(unit: Unit) -> str:
    """A line of crontab(5), where `%` would be a line end."""
    words = " ".join(shlex.quote(word) for word in (unit.program, *unit.arguments))
    hour, minute = unit.time
    when = "@reboot" if unit.job.lasting else f"{minute} {hour} * * *"
    return f"{when} {words}".replace("%", "\\%") + "\n"


def as_launchd(unit: Unit, home: Path) -> str:
    """An agent of launchd (launchd.plist(5)) with the way to load it; its log lies below ``home``.

    Raises UsageError for a path that is no text, which a property list cannot hold.
    """
    label = f"memory-workbench.{unit.name}"
    hour, minute = unit.time
    start: Mapping[str, object] = MappingProxyType(
        {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}, "ThrottleInterval": 30}
        if unit.job.lasting
        else {"StartCalendarInterval": {"Hour": hour, "Minute": minute}}
    )
    agent = {
        "Label": label,
        "ProgramArguments": [unit.program, *unit.arguments],
        **start,
        "Nice": 10,
        "ProcessType": "Background",
        "StandardErrorPath": str(home / "Library" / "Logs" / f"{label}.log"),
    }
    try:
        text = plistlib.dumps(agent, sort_keys=False).decode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("launchd takes no path that is not UTF-8", hint="rename the folder") from error
    place = f"~/Library/LaunchAgents/{label}.plist"
    head, mark, body = text.partition("<plist")
    return f"{head}<!-- {place}, then: launchctl bootstrap gui/$(id -u) {place} -->\n{mark}{body}"


def _joined(lines: list[str], enable: str) -> str:
    todo = f"# then: systemctl --user daemon-reload && systemctl --user enable --now {enable}"
    return "\n".join([*lines, "", todo]) + "\n"


def _unit_word(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
