"""What a check is, and what it finds: one form for the machine, the index and memory itself."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from workbench.frozen import frozen, frozen_kw_only
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.health.subject import CheckSubject

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
State = Literal["fine", "finding", "fixed"]
Family = Literal["status", "memory", "tests", "machine", "workspace", "model", "index"]
DOCTOR: tuple[Family, ...] = ("machine", "workspace", "model", "index")
"""The families that `workbench doctor` looks at; "memory" and "tests" are `workbench check`'s."""
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
_SCREENS = {
    "proposals": "inbox list",
    "contradictions": "graph contradictions",
    "conflicts": "inbox conflicts",
    "settings": "config --check",
}
_COMMANDS = {
    "forget-memory": "graph forget --reason 'no longer needed'",
    "extend": "episodes extend --days 30",
    "expire": "episodes expire",
    "repair": "doctor --fix",
    "settle": "graph settle",
    "migrate": "doctor --fix",
    "tests": "check --tests-only",
}
"""The commands of fixes that are not called like the fix."""


@frozen
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
        words = _SCREENS[self.of] if self.deed == "open" else _COMMANDS.get(self.deed, self.deed)
        answer = (self.of,) if self.deed in ("settle", "backup") and self.of else ()
        return f"workbench {words} {shlex.join((*self.addresses, *answer))}".rstrip()


@frozen
class Finding:
    """One thing that is not as it should be: what it is, what that means, what to do, and where it is.

    ``info`` is worth knowing and no reason to act. ``rule`` names what found it in memory, ``path``, ``line``
    (from 1, 0: none) and ``entry`` (an address) say where; ``also`` are the other places that it is about as
    ``path:line``, ``others`` the addresses of the entries there; ``commit`` is set for what is in the history
    only. ``fixes`` are for a person to choose from. ``repair`` puts it right and returns what it did; it
    raises WorkbenchError or OSError where it cannot. ``fixed`` is what a repair did, ``refused`` why one
    could not.
    """

    what: str
    meaning: str = ""
    do: str = ""
    severity: Severity = "error"
    rule: str = ""
    path: str = ""
    line: int = 0
    entry: str = ""
    also: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    commit: str = ""
    fixes: tuple[Fix, ...] = ()
    repair: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    fixed: str | None = None
    refused: str | None = None

    @property
    def remains(self) -> bool:
        """Whether it still is a reason to act."""
        return self.severity != "info" and self.fixed is None

    @property
    def address(self) -> str:
        """The entry that it is about, else the file; empty where it is about neither."""
        return self.entry or self.path

    @property
    def place(self) -> str:
        """``path:line``, behind the commit that has it where no file does."""
        return f"{self.commit[:12]} {self.path}:{self.line}".lstrip()


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """The gravest first; among equals by rule, file and line."""
    return sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), one.rule, one.path, one.line))


class SkippedError(Exception):
    """Raised by a check that cannot look now, or has nothing to look at: the message says why."""


Look: TypeAlias = "Iterator[str | Finding]"
"""What one look at something yields: what was seen, in a few words, and what was found."""


@frozen_kw_only
class CheckLabel:
    """A check by its name, under which ``section`` it is shown, and whether it is over in a moment."""

    name: str
    section: str
    quick: bool


@frozen
class Check:
    """One entry of the list: its family, its name, how it looks, and whether that is over in a moment."""

    family: Family
    name: str
    look: Callable[[CheckSubject], Look]
    quick: bool = False

    @property
    def label(self) -> CheckLabel:
        """What the health screen calls it: the doctor's checks stand together, others by themselves."""
        section = self.family if self.family in DOCTOR else self.name
        return CheckLabel(name=self.name, section=section, quick=self.quick)


@frozen_kw_only
class CheckResult:
    """What became of one check. ``total`` counts the findings where not all of them are here."""

    name: str
    family: Family
    seen: str
    findings: tuple[Finding, ...] = ()
    total: int = 0

    @property
    def state(self) -> State:
        """``finding`` while something remains, ``fixed`` where all of it was put right."""
        if any(finding.remains for finding in self.findings):
            return "finding"
        return "fixed" if any(finding.fixed for finding in self.findings) else "fine"


def counted(findings: Sequence[Finding]) -> str:
    """How many findings of each severity there are, in words; "none" for none."""
    counts = Counter(one.severity for one in findings)
    said = [plural(counts[level], level) for level in ("error", "warning") if counts[level]]
    if counts["info"]:
        said.append(f"{counts['info']:,} info")
    return ", ".join(said) or "none"
