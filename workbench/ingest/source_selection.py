"""Which sources are taken in: those that somebody names, or those that the settings do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.errors import UsageError
from workbench.ingest.ingest import Ingest, Taken
from workbench.safety.terminal import visible
from workbench.workspace.workspace import Workspace


def take_in(
    run: Ingest, place: Workspace, files: Sequence[str], source: str | None = None
) -> Iterator[Taken]:
    """Take in each of ``files`` (pages end in .md), else what there is of ``source``, one after the other.

    ``source`` is markdown, transcript or all; None for the workspace's own pages, and for transcripts where
    the settings name some. Raises UsageError where a file is of the other sort.
    """
    pages = [name for name in files if name.endswith(".md")]
    transcripts = [name for name in files if name not in pages]
    for sort, others in (("markdown", transcripts), ("transcript", pages)):
        if source == sort and others:
            raise UsageError(f"{visible(others[0], one_line=True)} is no {sort}", hint="leave --source out")
    if files:
        if transcripts:
            yield from run.transcripts(transcripts)
        if pages:
            yield from run.markdown(pages)
        return
    if source in ("transcript", "all") or (source is None and place.settings.transcripts):
        yield from run.transcripts()
    if source != "transcript":
        yield from run.markdown()
