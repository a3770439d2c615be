"""How large memory is: growth over time, and MEMORY.md against its budget."""

from __future__ import annotations

from collections.abc import Callable

from workbench.health.growth import Growth, Measured
from workbench.health.report.section import Chart, Concern, Fix, ReportSection
from workbench.health.report.subject import Subject
from workbench.plural import plural

Series = tuple[float | None, ...]
_NEAR = 0.9
"""Share of the budget from which it is said that it is nearly used up."""


def grown(subject: Subject) -> ReportSection:
    """Characters and entries over time, of the logs and of MEMORY.md."""
    found = subject.growth
    now = found.now
    return ReportSection(
        id="growth",
        title="Growth",
        seen=f"{now.logs.entries:,} in logs, {now.memory.entries:,} curated",
        facts=(
            (
                "logs",
                f"{plural(now.log_files, 'file')}, {plural(now.logs.entries, 'entry')}"
                f", {now.logs.characters:,} characters",
            ),
            (
                "MEMORY.md",
                f"{plural(now.memory.entries, 'entry')}, {now.memory.characters:,} characters",
            ),
        ),
        charts=(
            _chart(found, "entries in logs", "entries", _series(found, lambda m: m.logs.entries)),
            _chart(found, "characters in logs", "characters", _series(found, lambda m: m.logs.characters)),
            _chart(found, "entries in MEMORY.md", "entries", _series(found, lambda m: m.memory.entries)),
        ),
        notes=found.notes,
    )


def budget(subject: Subject) -> ReportSection:
    """MEMORY.md against its budget, now and over time."""
    found, limit = subject.growth, subject.workspace.settings.memory_budget
    path, used = subject.workspace.memory_path(), found.now.memory.characters
    share = used / limit if limit else 0.0
    values = _series(found, lambda measured: measured.memory.characters)
    over = sum(value is not None and value > limit for value in values)
    concerns = []
    if used > limit:
        concerns.append(
            Concern(
                severity="warning",
                what=f"{path} has {used:,} of {limit:,} characters",
                meaning="what is at its end may not be loaded by an agent",
                do="`workbench archive` takes the least valuable entries out; `--dry-run` shows which",
                address=path,
                fixes=(Fix(deed="archive", label="archive the least valuable entries"),),
            )
        )
    elif share >= _NEAR:
        concerns.append(
            Concern(
                severity="info",
                what=f"{path} is nearly full: {share:.0%} of its budget",
                meaning="dreaming proposes less, or to replace what is worth less",
                do="`workbench forget` or `workbench merge` what is not needed",
                address=path,
            )
        )
    return ReportSection(
        id="budget",
        title="Budget of MEMORY.md",
        seen=f"{used:,} of {limit:,}, {share:.0%}",
        facts=(
            ("used", f"{used:,} of {limit:,} characters ({share:.0%})"),
            ("over it", f"in {over} of {len(values)} {found.unit}s" if over else "at no time that is known"),
        ),
        charts=(_chart(found, "characters in MEMORY.md", "characters", values, limit=float(limit)),),
        concerns=tuple(concerns),
        total=len(concerns),
        notes=found.notes,
    )


def _series(found: Growth, read: Callable[[Measured], int]) -> Series:
    return tuple(None if point.measured is None else float(read(point.measured)) for point in found.points)


def _chart(found: Growth, name: str, unit: str, values: Series, *, limit: float | None = None) -> Chart:
    points = found.points
    return Chart(
        name=name,
        unit=unit,
        every=found.unit,
        starts=points[0].start.isoformat() if points else "",
        ends=points[-1].start.isoformat() if points else "",
        values=values,
        limit=limit,
    )
