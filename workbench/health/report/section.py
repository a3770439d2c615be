"""What the survey says: sections, their figures, their findings, and what would mend each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
Deed = Literal[
    "reindex",
    "forget",
    "forget-memory",
    "quarantine",
    "edit",
    "merge",
    "archive",
    "pin",
    "extend",
    "expire",
    "repair",
    "settle",
    "backup",
    "migrate",
    "tests",
    "open",
]
"""What a fix does; the interface and the command line know how. ``open`` only shows where to decide."""
Room = Literal["proposals", "contradictions", "conflicts", "settings"]
"""Where something is decided that a survey only counts: ``of`` of a fix that opens it."""
_ROOMS: Mapping[str, tuple[str, ...]] = {
    "proposals": ("proposals", "list"),
    "contradictions": ("graph", "contradictions"),
    "conflicts": ("conflicts",),
    "settings": ("config", "--check"),
}
_COMMANDS: Mapping[Deed, tuple[str, ...]] = {
    "reindex": ("reindex",),
    "forget": ("forget",),
    "forget-memory": ("graph", "forget", "--reason", "not needed any more"),
    "quarantine": ("quarantine",),
    "edit": ("edit",),
    "merge": ("merge",),
    "archive": ("archive",),
    "pin": ("pin",),
    "extend": ("episodes", "extend", "--days", "30"),
    "expire": ("episodes", "expire"),
    "repair": ("doctor", "--fix"),
    "settle": ("graph", "settle"),
    "backup": ("backup",),
    "migrate": ("migrate",),
    "tests": ("check", "--tests-only"),
    "open": (),
}
State = Literal["fine", "info", "warning", "error", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One way to mend a finding: what is done, to which entries or pages.

    ``of`` names a doctor's check, the answer to a contradiction whose key is the address, a ``Room``, or the
    place of a backup where one has to be named yet.
    """

    deed: Deed
    label: str
    addresses: tuple[str, ...] = ()
    of: str = ""

    @property
    def command(self) -> str:
        """The same on the command line."""
        words = _ROOMS[self.of] if self.deed == "open" else _COMMANDS[self.deed]
        answer = (self.of,) if self.deed in ("settle", "backup") and self.of else ()
        return shlex.join(("workbench", *words, *self.addresses, *answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """One finding: what it is, what that means, what to do, where it is, and what would mend it.

    ``address`` is an entry's or a file's, ``also`` are those of the others that it is about. ``secret``: what
    stands there must not be shown.
    """

    severity: Severity
    what: str
    meaning: str = ""
    do: str = ""
    address: str = ""
    line: int = 0
    also: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """One part of the survey. ``total`` counts all findings, of which ``concerns`` are the gravest.

    ``failed`` says why it could not be looked at; ``notes`` say what of it was not.
    """

    id: str
    title: str
    seen: str
    facts: tuple[tuple[str, str], ...] = ()
    concerns: tuple[Concern, ...] = ()
    total: int = 0
    notes: tuple[str, ...] = ()
    failed: str = ""

    @property
    def state(self) -> State:
        """The gravest of what was found."""
        if self.failed:
            return "failed"
        found = {one.severity for one in self.concerns}
        return next((severity for severity in SEVERITIES if severity in found), "fine")

    def as_json(self) -> dict[str, object]:
        """The section as the command line prints it; ``section_from_json`` reads it."""
        commands = [[fix.command for fix in one.fixes] for one in self.concerns]
        said = asdict(self)
        for one, known in zip(said["concerns"], commands, strict=True):
            for fix, command in zip(one["fixes"], known, strict=True):
                fix["command"] = command
        return {"state": self.state, **said}


def section_from_json(raw: Mapping[str, Any]) -> ReportSection:
    """The section that ``as_json`` wrote. Raises KeyError, TypeError or ValueError for what is none."""
    return ReportSection(
        id=str(raw["id"]),
        title=str(raw["title"]),
        seen=str(raw["seen"]),
        facts=tuple((str(name), str(value)) for name, value in raw["facts"]),
        concerns=tuple(_concern(one) for one in raw["concerns"]),
        total=int(raw["total"]),
        notes=tuple(map(str, raw["notes"])),
        failed=str(raw["failed"]),
    )


def _concern(raw: Mapping[str, Any]) -> Concern:
    if raw["severity"] not in SEVERITIES or not all(map(_known, raw["fixes"])):
        raise ValueError("a finding of another version")
    fixes = (
        Fix(deed=fix["deed"], label=fix["label"], addresses=tuple(fix["addresses"]), of=fix["of"])
        for fix in raw["fixes"]
    )
    return Concern(**{**raw, "also": tuple(raw["also"]), "fixes": tuple(fixes)})


def _known(fix: Mapping[str, Any]) -> bool:
    return fix["deed"] in _COMMANDS and (fix["deed"] != "open" or fix["of"] in _ROOMS)


def gravest_first(concerns: Sequence[Concern]) -> list[Concern]:
    """The same, the gravest first; among equals the order stays."""
    return sorted(concerns, key=lambda one: SEVERITIES.index(one.severity))
