"""What a person should look at before trusting this memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import click

from workbench.cli import shell_values
from workbench.cli.output import json_option, narrate, say_json, say_row
from workbench.cli.team import Whose, whose
from workbench.cli.workspace_options import workspace
from workbench.errors import NotMemoryError
from workbench.memory.entry import Kind
from workbench.memory.markdown import Document
from workbench.safety.findings import TextFinding
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import masked, secrets_in
from workbench.workspace.layout import ARCHIVE
from workbench.workspace.workspace import Workspace

FLAGGED = 4
"""The exit code when there is a secret or hidden text."""
_TITLE = 80
_COUNTED = {"secret": "secrets", "hidden": "hidden texts", "origin": "without origin"}
"""The concerns, the gravest first, and how many of them are spoken of."""


@dataclass(frozen=True, slots=True)
class _Flag:
    """``concern`` is secret, hidden, or origin; ``shown`` is fit to be shown."""

    concern: str
    rule: str
    path: str
    line: int
    shown: str
    entry: str | None = None
    commit: str | None = None

    @property
    def place(self) -> str:
        where = f"{self.path}:{self.line}"
        return f"{self.commit[:12]} {where}" if self.commit else where


@click.command()
@click.argument("path", required=False, shell_complete=shell_values.memory_paths)
@click.option("--history", "past", is_flag=True, help="Look for secrets in every commit too.")
@click.option("--origin", "origins", is_flag=True, help="List the memories of unknown origin too.")
@json_option
def flagged(path: str | None, past: bool, origins: bool, as_json: bool) -> int:
    """Secrets, hidden text, and memories of unknown origin.

    These are hints with their evidence, not verdicts, the gravest first; those of unknown origin are many
    and only counted unless asked for. The exit code is 4 when there is a secret or hidden text.
    """
    with workspace() as here, whose(path, here) as (there, one):
        place = there.place
        files = [one] if one is not None else [file.path for file in place.scan()]
        flags = [flag for name in files for flag in _in_file(place, name)]
        looked = {"files": len(files)}
        if past:
            flags += _in_history(place, one, looked)
    if there.mark:
        flags = [_marked(flag, there) for flag in flags]
    flags.sort(key=lambda flag: list(_COUNTED).index(flag.concern))
    listed = [flag for flag in flags if origins or flag.concern != "origin"]
    if as_json:
        say_json({"looked_at": looked, "flagged": [_as_json(flag) for flag in flags]})
    else:
        for flag in listed:
            say_row(f"{flag.place}  {flag.rule}: {flag.shown}")
            if flag.entry:
                say_row(f"    {flag.entry}", dim=True)
        counts = ", ".join(f"{count} {what}" for what, count in looked.items())
        narrate(f"{_counted(flags)}; looked at {counts}")
        if len(listed) < len(flags):
            narrate("  → --origin lists those without origin")
        if any(flag.commit for flag in flags):
            narrate("  → docs/purge.md says how to remove a secret from the whole history")
    return FLAGGED if any(flag.concern != "origin" for flag in flags) else 0


def _marked(flag: _Flag, there: Whose) -> _Flag:
    """What was found in the leader's memory, under the name that this person gives it."""
    entry = there.address(flag.entry) if flag.entry else None
    return replace(flag, path=there.address(flag.path), entry=entry)


def _in_file(place: Workspace, path: str) -> Iterator[_Flag]:
    try:
        document = place.document(path)
    except FileNotFoundError:
        raise NotMemoryError(path) from None
    text = document.data.decode("utf-8", "surrogateescape")
    for concern, findings in (("secret", secrets_in(text)), ("hidden", hidden_in(text))):
        for finding, line in _with_lines(text, findings):
            address = _entry_at(document, line)
            yield _Flag(concern, finding.rule, path, line, finding.shown, address)
    if document.kind in (Kind.MEMORY, Kind.ENTITY) or path.startswith(ARCHIVE):
        for entry in document.entries:
            if entry.provenance is None and entry.part == 1:
                title = masked(entry.title)[:_TITLE]
                yield _Flag("origin", "no origin", path, entry.start_line, title, entry.address)


def _in_history(place: Workspace, path: str | None, looked: dict[str, int]) -> Iterator[_Flag]:
    """Secrets in the messages and the memory files of all commits, each text once."""
    seen: set[str] = set()
    looked |= {"commits": 0, "versions": 0}

    def is_new(folder: str, tree: str) -> bool:
        known = f"{tree} {folder}" in seen  # the same folder elsewhere holds files of other names
        seen.add(f"{tree} {folder}")
        return not known

    wanted = place.layout.may_curate if path is None else path.__eq__
    for commit in map(place.history.commit, place.history.everything()):
        looked["commits"] += 1
        for finding, line in _with_lines(commit.message, secrets_in(commit.message)):
            yield _Flag("secret", finding.rule, "(message)", line, finding.shown, None, commit.id)
        for name, blob in place.history.files_in(commit.id, is_new):
            if blob in seen or not wanted(name):
                continue
            seen.add(blob)
            looked["versions"] += 1
            text = place.history.stored(blob).decode("utf-8", "surrogateescape")
            for finding, line in _with_lines(text, secrets_in(text)):
                yield _Flag("secret", finding.rule, name, line, finding.shown, None, commit.id)


def _with_lines(text: str, findings: tuple[TextFinding, ...]) -> Iterator[tuple[TextFinding, int]]:
    """Findings in the order of the text with the lines that they begin on."""
    line, starts = 1, (0, *(finding.start for finding in findings))
    for (before, at), finding in zip(pairwise(starts), findings, strict=True):
        line += text.count("\n", before, at)
        yield finding, line


def _entry_at(document: Document, line: int) -> str | None:
    return next((e.address for e in document.entries if e.start_line <= line <= e.end_line), None)


def _as_json(flag: _Flag) -> dict[str, object]:
    return {
        "concern": flag.concern,
        "rule": flag.rule,
        "path": flag.path,
        "line": flag.line,
        "shown": flag.shown,
        "entry": flag.entry,
        "commit": flag.commit,
    }


def _counted(flags: list[_Flag]) -> str:
    return ", ".join(
        f"{sum(flag.concern == concern for flag in flags)} {name}" for concern, name in _COUNTED.items()
    )
