"""What a check is, and what it finds: one form for the machine, the index and memory itself."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from workbench.health.subject import CheckSubject

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
State = Literal["fine", "finding", "fixed"]
FixKind = Literal[
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
"""What a fix does; the interface knows how. ``open`` only shows where to decide."""
_ROOMS: Mapping[str, tuple[str, ...]] = {
    "proposals": ("proposals", "list"),
    "contradictions": ("graph", "contradictions"),
    "conflicts": ("conflicts",),
    "settings": ("config", "--check"),
}
_COMMANDS: Mapping[FixKind, tuple[str, ...]] = {
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One way to fix a finding: what is done, to which entries or pages.

    ``of`` names a doctor's check, the answer to a contradiction whose key is the address, what to open, or
    the place of a backup where one has to be named yet.
    """

    deed: FixKind
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
class Finding:
    """One thing that is not as it should be: what it is, what that means, what to do, and where it is.

    ``info`` is worth knowing and no reason to act. ``rule`` names what found it. ``address`` is an entry's or
    a file's, ``line`` counts from 1 (0: none), ``also`` are the other places that it is about. ``fixes`` are
    for a person to choose from. ``repair`` puts it right without touching a memory file, and returns what it
    did; it raises WorkbenchError or OSError where it cannot. ``fixed`` is what a repair did, ``refused`` why
    one could not.
    """

    what: str
    severity: Severity = "error"
    meaning: str = ""
    do: str = ""
    rule: str = ""
    address: str = ""
    line: int = 0
    also: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    repair: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    fixed: str | None = None
    refused: str | None = None

    @property
    def remains(self) -> bool:
        """Whether it still is a reason to act."""
        return self.severity != "info" and self.fixed is None

    @property
    def place(self) -> str:
        """``path:line``."""
        return f"{self.address}:{self.line}"

    def as_doctor_json(self) -> dict[str, object]:
        """The finding as `workbench doctor` prints it."""
        return {
            "level": "wrong" if self.severity != "info" else "note",
            "what": self.what,
            "meaning": self.meaning or None,
            "do": self.do or None,
            "fixable": self.repair is not None,
            "fixed": self.fixed,
            "refused": self.refused,
        }

    def as_check_json(self) -> dict[str, object]:
        """The finding as `workbench check` prints it."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.address,
            "line": self.line,
            "what": self.what,
            "do": self.do or None,
            "also": list(self.also),
        }


def gravest_first(findings: Sequence[Finding]) -> list[Finding]:
    """The same, the gravest first; among equals the order stays."""
    return sorted(findings, key=lambda one: SEVERITIES.index(one.severity))


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """The gravest first; among equals by rule, file and line."""
    return sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), one.rule, one.address, one.line))


@dataclass(frozen=True, slots=True)
class Look:
    """What one look saw, in a few words, and what it found wanting."""

    seen: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One entry of the doctor's list: its family, its name, and how it looks."""

    family: str
    name: str
    look: Callable[[CheckSubject], Look]


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What became of one check."""

    check: Check
    seen: str
    findings: tuple[Finding, ...] = ()

    @property
    def state(self) -> State:
        """``finding`` while something remains, ``fixed`` where all of it was put right."""
        if any(finding.remains for finding in self.findings):
            return "finding"
        return "fixed" if any(finding.fixed for finding in self.findings) else "fine"

    def as_json(self) -> dict[str, object]:
        """The outcome as the command line prints it."""
        return {
            "family": self.check.family,
            "check": self.check.name,
            "state": self.state,
            "seen": self.seen,
            "findings": [finding.as_doctor_json() for finding in self.findings],
        }
