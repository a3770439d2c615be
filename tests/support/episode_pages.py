"""An episode's page read back in full: the program itself reads no more than its header and its entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from workbench.memory.episode import EpisodeLine, EpisodePage, TurnRef, normal, split_turns
from workbench.memory.frontmatter import read_front_matter
from workbench.memory.provenance import split_provenance

_SECTIONS = {"Summary": "summary", "Facts": "facts", "Decisions": "decisions", "Open": "open"}
_TEXTS = ("id", "source_id", "session", "source", "agent", "user", "summary_by")
_MOMENTS = ("started_at", "ended_at", "created_at", "expires_at", "last_recalled_at", "promoted_at")
_COUNTS = ("turns", "recall_count")
_LINE_OF = re.compile(r"#L(\d{1,9})(?:-L?\d{1,9})?\Z")
_BELOW = re.compile(r"[ \t]+<!-- wb: [^<>]*-->[ \t]*")
"""A comment of ours on a line of its own, below what it speaks of (see ``memory.edit``)."""
_HEADING = re.compile(r"## +(\S+) *")
_ANY_HEADING = re.compile(r"#{1,6}(?: |\Z)")


def parse_page(data: bytes) -> EpisodePage:
    """What a page says; what is malformed in it is left out. Raises ValueError where it has no header."""
    header = read_front_matter(data)
    if header is None or header.problem:
        raise ValueError(header.problem if header and header.problem else "no front matter")
    values: dict[str, object] = {name: header.text(name) or "" for name in _TEXTS}
    values |= {name: header.moment(name) for name in _MOMENTS}
    values |= {name: header.count(name) for name in _COUNTS}
    for name, lines in _sections(data[header.body :].decode("utf-8", "replace")):
        values[name] = lines
    return as_read(
        EpisodePage(
            abstract=header.text("l0_abstract") or "",
            topics=header.list("key_topics"),
            pinned=header.flag("pinned"),
            trust=header.text("trust") or "unknown",
            **values,  # type: ignore[arg-type]
        )
    )


def as_read(page: EpisodePage) -> EpisodePage:
    """A page as it is read back: of lines whose comment cannot say where they were said the turns alone."""
    page = normal(page)
    sections: dict[str, Any] = {
        name: _section(getattr(page, name), as_one=name == "summary", sourced=bool(page.source))
        for name in _SECTIONS.values()
    }
    return replace(page, **sections)


def _sections(body: str) -> Iterator[tuple[str, tuple[EpisodeLine, ...]]]:
    """The sections that a page may have; what is written elsewhere on it is no part of an episode."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in body.replace("\r\n", "\n").split("\n"):
        if _ANY_HEADING.match(line):
            heading = _HEADING.fullmatch(line)
            name = _SECTIONS.get(heading[1]) if heading else None
            current = found.setdefault(name, []) if name else None
        elif current and _BELOW.fullmatch(line):
            current[-1] += f" {line.strip()}"
        elif current is not None and line.strip():
            current.append(line)
    return ((name, tuple(_read(lines))) for name, lines in found.items())


def _read(lines: Sequence[str]) -> Iterator[EpisodeLine]:
    """The lines of a section: a comment speaks for its line, and at the end of a paragraph for all of it."""
    read = [_read_line(line) for line in lines]
    turns = [turn for _, numbers, _, _ in read for turn in numbers]
    last = read[-1][2] if read else []
    whole = iter(last) if len(last) == len(turns) and not any(where for _, _, where, _ in read[:-1]) else None
    for text, numbers, where, by_agent in read:
        if whole is not None:
            lines_of = list(islice(whole, len(numbers)))
        else:
            lines_of = where if len(where) == len(numbers) else [0] * len(numbers)
        yield EpisodeLine(text, tuple(map(TurnRef, numbers, lines_of)), by_agent)


def _read_line(line: str) -> tuple[str, tuple[int, ...], list[int], bool]:
    """Its words, its turns, the lines of the transcript that its comment names, and if it is an agent's."""
    words, origin = split_provenance(line)
    text, turns = split_turns(words)
    sources = origin.all("src") if origin else ()
    by_agent = origin is not None and origin.get("trust") == "agent"
    return text, turns, [int(at[1]) for source in sources if (at := _LINE_OF.search(source))], by_agent


def _section(lines: Sequence[EpisodeLine], *, as_one: bool, sourced: bool) -> tuple[EpisodeLine, ...]:
    """The lines as they are read back; ``as_one``: they share one comment, which names all places or none."""
    known = [sourced and all(place.line for place in line.places) for line in lines]
    if as_one:
        known = [all(known)] * len(known)
    return tuple(
        replace(line, by_agent=line.by_agent and not as_one and bool(line.places))
        if sure
        else EpisodeLine(line.text, tuple(TurnRef(place.turn) for place in line.places))
        for line, sure in zip(lines, known, strict=True)
    )
