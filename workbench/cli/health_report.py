"""The command `health`: how a memory is doing as a whole, in words and figures."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from workbench.cli.output import json_option, narrate, say, say_json
from workbench.cli.workspace_options import workspace

if TYPE_CHECKING:
    from workbench.health.finding import Finding
    from workbench.health.report.section import ReportSection

FOUND_WANTING = 4
_COLOURS = {"fine": "green", "info": None, "warning": "yellow", "error": "red", "failed": "red"}
_SHOWN = 5
"""Findings of a section that are shown unless all are asked for."""


@click.command(short_help="How this memory is doing, and what would mend it.")
@click.argument("sections", nargs=-1, metavar="[SECTION]...")
@click.option("--all", "everything", is_flag=True, help="Every finding that is listed, not the first five.")
@json_option
def health(sections: tuple[str, ...], everything: bool, as_json: bool) -> int:
    """How this memory is doing: freshness, recalls, decay, budget, duplicates, secrets, backup …

    Each finding names its entry, what it means, and the command that mends it. Name sections (`index`,
    `budget`, `recalls` …) to look at these alone. The exit code is 4 when there is an error.
    """
    from workbench.health.report.build import survey, topics_named
    from workbench.health.report.subject import Subject
    from workbench.health.subject import CheckSubject

    topics = topics_named(sections)
    found = []
    with workspace() as place:
        subject = Subject(CheckSubject(place), datetime.now().astimezone())
        for section in survey(subject, topics):
            found.append(section)
            if not as_json:
                _say(section, everything=everything)
    grave = any(section.state in ("error", "failed") for section in found)
    if as_json:
        say_json(
            {
                "ok": not grave,
                "workspace": str(subject.workspace.root),
                "sections": [_as_json(section) for section in found],
            }
        )
    return FOUND_WANTING if grave else 0


def _as_json(section: ReportSection) -> dict[str, object]:
    """The section with its state, and with the command of each fix."""
    commands = [[{**asdict(fix), "command": fix.command} for fix in one.fixes] for one in section.concerns]
    said = section.as_json()
    findings = zip(asdict(section)["concerns"], commands, strict=True)
    concerns = [{**one, "fixes": fixes, "repair": None} for one, fixes in findings]
    return {"state": section.state, **said, "concerns": concerns}


def _say(section: ReportSection, *, everything: bool) -> None:
    say(f"{section.title}: {section.seen}", bold=True)
    if section.failed:
        say(f"  failed   {section.failed}", fg="red")
    for name, value in section.facts:
        say(f"  {name:<22}{value}")
    shown = section.concerns if everything else section.concerns[:_SHOWN]
    for one in shown:
        _say_concern(one)
    if section.total > len(shown):
        more = "" if everything else "; --all shows them"
        narrate(f"  {section.total - len(shown):,} more{more}")
    for note in section.notes:
        say(f"  note: {note}")


def _say_concern(one: Finding) -> None:
    where = f"  {one.address}" if one.address else ""
    say(f"  {one.severity:<9}{one.what}{where}", fg=_COLOURS[one.severity])
    if one.meaning:
        say(f"           {one.meaning}")
    if one.do:
        say(f"           → {one.do}")
    for fix in one.fixes:
        say(f"           {fix.label}: {fix.command}")
