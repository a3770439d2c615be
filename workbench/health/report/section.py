"""What a part of the report says: its figures, and its findings with what would fix each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

from workbench.health.finding import SEVERITIES, Finding

State = Literal["fine", "info", "warning", "error", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """One part of the report. ``total`` counts all findings, of which ``concerns`` are the gravest.

    ``failed`` says why it could not be looked at; ``notes`` say what of it was not.
    """

    id: str
    title: str
    seen: str
    facts: tuple[tuple[str, str], ...] = ()
    concerns: tuple[Finding, ...] = ()
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
        """The section for a pipe; ``section_from_json`` reads it. Its findings have no ``repair`` then."""
        said = asdict(self)
        for one in said["concerns"]:
            del one["repair"]
        return said


def section_from_json(raw: Mapping[str, Any]) -> ReportSection:
    """The section that ``as_json`` wrote. Raises ValueError for what is none."""
    return msgspec.convert(raw, ReportSection)
