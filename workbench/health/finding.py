"""What a check of the doctor is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from workbench.health.subject import CheckSubject

Level = Literal["wrong", "note"]
State = Literal["fine", "finding", "fixed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """One thing that is not as it should be: what it is, what that means, and what a person can do.

    A ``note`` is worth knowing and no reason to act. ``repair`` puts it right, without touching a memory
    file, and returns what it did; it raises WorkbenchError or OSError where it cannot. ``fixed`` is what a
    repair did, ``refused`` why one could not.
    """

    what: str
    meaning: str = ""
    do: str = ""
    level: Level = "wrong"
    repair: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    fixed: str | None = None
    refused: str | None = None

    @property
    def remains(self) -> bool:
        """Whether it still is a reason to act."""
        return self.level == "wrong" and self.fixed is None

    def as_json(self) -> dict[str, object]:
        """The finding as the command line prints it."""
        return {
            "level": self.level,
            "what": self.what,
            "meaning": self.meaning or None,
            "do": self.do or None,
            "fixable": self.repair is not None,
            "fixed": self.fixed,
            "refused": self.refused,
        }


@dataclass(frozen=True, slots=True)
class Look:
    """What one look saw, in a few words, and what it found wanting."""

    seen: str
    findings: tuple[DoctorFinding, ...] = ()


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
    findings: tuple[DoctorFinding, ...] = ()

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
            "findings": [finding.as_json() for finding in self.findings],
        }
