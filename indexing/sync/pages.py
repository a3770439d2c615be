"""A file beside the workspace as a person reads it: Markdown as it is, a transcript as what was said."""

from __future__ import annotations

from dataclasses import dataclass

from indexing.sync.sources import Sources
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.transcript import transcript_document


@dataclass(frozen=True, slots=True)
class SourcePage:
    """``lines`` are those of the file, from number 1 on; of a transcript each is one turn, or None."""

    document: Document
    lines: tuple[str | None, ...]


def page(sources: Sources, path: str) -> SourcePage:
    """What is in the file ``path``. Raises NotMemoryError for one that no source holds, and OSError."""
    if not sources.is_transcript(path):
        document = sources.document(path)
        text = document.data.decode("utf-8", "surrogateescape")
        return SourcePage(document, tuple(text.removesuffix("\n").split("\n")))
    transcript = sources.transcript(path)
    lines: list[str | None] = [None] * transcript.lines
    for turn in transcript.turns:
        lines += [None] * (turn.line - len(lines))  # the last one may have no end yet
        lines[turn.line - 1] = turn.said
    return SourcePage(transcript_document(RelPath(path), transcript), tuple(lines))
