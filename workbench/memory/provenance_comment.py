"""Marking an entry: the fields of its provenance comment change, its words and all others' do not.

A mark must be read back as the entry's own and be shown by no renderer, so not every block can carry one.
Each place that could take the comment is tried, and proven by reading the file again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.errors import NotCuratableError
from workbench.memory.edit import behind, is_read_to_its_end, replaced
from workbench.memory.entry import Entry, Form, Span, encoded
from workbench.memory.markdown import Document, first_paragraph, stands_in_code
from workbench.memory.provenance import COMMENT, FIELD, Fields, Provenance, quoted, spelled_out

_ITEM = re.compile(r"(?P<marker>[ \t]*(?:[-*+]|\d{1,9}[.)]))(?P<gap>[ \t]*)(?P<rest>[^ \t\r\n]?)")
_CLOSING_HASHES = re.compile(r"[ \t]+#+[ \t\r]*\Z")
_UNCLOSED = re.compile(r"<!--(?!.*?-->)", re.DOTALL)
_LONE_LINE = re.compile(r"(?m)^[ \t>]*<!--\s*wb:[^>]*-->[ \t]*\r?(?:\n|\Z)")
_EMPTY = "<!-- wb: -->"
_NO_PLACE = {
    Form.CODE: "in a code block it would be shown",
    Form.TABLE: "in a table it would be a cell",
    Form.HTML: "in HTML it would be part of the element",
}


def annotate(document: Document, entry: Entry, fields: Mapping[str, str | None]) -> bytes:
    """The document's bytes with these fields in the provenance comment of ``entry``.

    A field that is there is replaced where it stands, a new one is added at the end, None takes it out;
    a comment is made where there is none and goes when nothing is left in it. A part of a long block
    speaks for the whole block. Every byte outside of the block stays, and every entry keeps its address.
    Raises NotCuratableError where no comment can be carried.
    """
    if unsound := [name for name in fields if not re.fullmatch(r"\w+", name)]:
        raise ValueError(f"not the name of a field: {unsound[0]!r}")
    origin = entry.origin.changed(fields)
    if origin == entry.origin:
        return document.data
    found = COMMENT.search(_source(document, entry))
    comment = _edited(found, fields) if found else origin.render()
    return replaced(document.data, [(entry.whole, _carrying(document, entry, comment, origin.fields))])


def with_origins(document: Document, origins: Mapping[str, Provenance]) -> Document:
    """The document with these provenances, by the addresses of their entries, in the place of those there.

    Each is written as ``annotate`` would. Raises NotCuratableError.
    """
    changes = {
        entry.whole.start: (entry.whole, _carrying(document, entry, origin.render(), origin.fields))
        for entry in document.entries
        if (origin := origins.get(entry.address)) is not None and origin != entry.origin
    }
    return document.with_data(replaced(document.data, changes.values())) if changes else document


def with_comments_in_place(document: Document) -> bytes:
    """The document's bytes with each of our comments where ``annotate`` would put it now.

    Those on a line of their own stay, as do those that cannot be moved without changing what stands there.
    Every entry keeps its address, its words and its provenance.
    """
    moved = list(_moved(document))
    data = replaced(document.data, moved)
    if not moved or _says(document, data):
        return data
    kept: list[tuple[Span, bytes]] = []
    for one in moved:
        if _says(document, replaced(document.data, [*kept, one])):
            kept.append(one)
    return replaced(document.data, kept)


def _source(document: Document, entry: Entry) -> str:
    """The lines of an entry's block, its short mark spelled out."""
    return spelled_out(document.source(entry.whole), entry.provenance)


def _carrying(document: Document, entry: Entry, comment: str, wanted: Fields) -> bytes:
    """The block of ``entry`` with this comment, which says ``wanted``, at the first place that carries it."""
    block = entry.whole
    for candidate in _candidates(document, entry, comment):
        changed = encoded(candidate)
        if _is_carried(document, block, replaced(document.data, [(block, changed)]), wanted):
            return changed
    reason = _NO_PLACE.get(entry.form, "it has no place for a mark")
    raise NotCuratableError(
        f"“{entry.plain_title}” cannot carry a mark: {reason}",
        hint="nothing was changed; make it a list item or a paragraph first",
    )


def _candidates(document: Document, entry: Entry, comment: str) -> Iterator[str]:
    """The block with its new comment, at each place that may carry it, the natural one first."""
    source = _source(document, entry)
    if found := COMMENT.search(source):
        if entry.form is Form.CODE or stands_in_code(source, found[0].strip()):
            return
        if not comment:
            yield from _without(source, found)
            comment = _EMPTY  # it hides another comment, which would now be taken for the entry's
        start = found.end() - len(found[0].lstrip(" \t"))
        yield source[:start] + comment + source[found.end() :]
        source = source[: found.start()] + source[found.end() :]
    if entry.form not in _NO_PLACE:
        for candidate in _placed(entry.form, source, comment, document.newline):
            if not stands_in_code(candidate, comment):
                yield candidate


def _without(source: str, found: re.Match[str]) -> Iterator[str]:
    """The block less its comment, with the line that held nothing else."""
    line = next((m for m in _LONE_LINE.finditer(source) if m.start() <= found.start() < m.end()), None)
    if line is not None:
        rest = source[: line.start()], source[line.end() :]
        is_last = not rest[1] and not line[0].endswith("\n")  # its line end came with it
        yield rest[0].removesuffix("\n").removesuffix("\r") if is_last else rest[0] + rest[1]
    yield source[: found.start()] + source[found.end() :]


def _edited(found: re.Match[str], fields: Mapping[str, str | None]) -> str:
    """The comment with these fields and whatever else stands in it; empty when nothing is left."""
    text = found["fields"]
    for name, value in fields.items():
        places = [field for field in FIELD.finditer(text) if field[1] == name]
        for field in reversed(places[1:] if value else places):
            text = text[: field.start()].rstrip() + text[field.end() :]
        if value and places:
            text = text[: places[0].start()] + f"{name}={quoted(value)}" + text[places[0].end() :]
        elif value:
            text = f"{text.rstrip()} {name}={quoted(value)}"
    return f"<!-- wb: {text.strip()} -->" if text.strip() else ""


def _placed(form: Form, source: str, comment: str, newline: str) -> Iterator[str]:
    """The block with the comment after its first paragraph, at its end, or on a last line of its own.

    Below the first paragraph of an item, where others read that to its end.
    """
    lines = source.split("\n")
    last = max(at for at, line in enumerate(lines) if line.strip())
    opening = first_paragraph(source)
    if opening and form is Form.ITEM and is_read_to_its_end(_words(lines[opening[0] : opening[1]])):
        at, own = opening[1], _margin(source) + comment
        if at < len(lines):
            yield "\n".join([*lines[:at], own + newline.removesuffix("\n"), *lines[at:]])
        else:
            yield source + newline + own
    places = [opening[1] - 1, last] if opening else []
    if form is Form.HEADING:
        places = list(range(last + 1))  # an underlined heading ends before its underline
    for at in places:
        if not _UNCLOSED.search("\n".join(lines[: at + 1])):
            yield "\n".join([*lines[:at], _with_comment(lines[at], comment, form), *lines[at + 1 :]])
    if form in (Form.ITEM, Form.QUOTE):
        own = ("> " if form is Form.QUOTE else _margin(source)) + comment
        yield source + own + newline if source.endswith("\n") else source + newline + own


def _words(lines: Sequence[str]) -> str:
    """The first paragraph of an item, without the item's marker."""
    marker = _ITEM.match(lines[0])
    first = lines[0][marker.end("gap") :] if marker else lines[0]
    return "\n".join([first, *lines[1:]])


def _with_comment(line: str, comment: str, form: Form) -> str:
    closing = _CLOSING_HASHES.search(line) if form is Form.HEADING else None
    if closing is None:
        return behind(line, comment)
    return f"{line[: closing.start()]} {comment}{line[closing.start() :]}"


def _margin(source: str) -> str:
    """The indentation of a line that belongs to a list item, as its first line tells."""
    first = _ITEM.match(source)
    if first is None:
        return "  "
    marker = len(first["marker"].expandtabs(4))
    content = len((first["marker"] + first["gap"]).expandtabs(4))
    return " " * (content if first["rest"] and content - marker <= 4 else marker + 1)


def _is_carried(document: Document, block: Span, data: bytes, wanted: Fields) -> bool:
    """Whether ``data`` says ``wanted`` of the entries of ``block``, and of all else what was said.

    The bytes around the block are the same, so all else says the same where it is still the same blocks.
    """
    at, lines = document.block_at(block.start), document.line_starts
    # In a plain file the blocks beside it are all that a block could change, unless it is a bare heading.
    if document.is_plain and document.blocks[at].form is not Form.HEADING:
        first, last = max(0, at - 1), min(at + 1, len(document.blocks) - 1)
        start, end = lines[document.blocks[first].first], lines[document.blocks[last].last]
        data = data[start : end + len(data) - len(document.data)]
        document = document.with_data(document.data[start:end])
        at, lines = document.block_at(block.start - start), document.line_starts
    after = document.with_data(data)
    added = len(after.line_starts) - len(lines)
    below = (
        each._replace(first=each.first + added, last=each.last + added) for each in document.blocks[at + 1 :]
    )
    return (
        after.is_plain >= document.is_plain
        and after.front_matter == document.front_matter
        and after.blocks[:at] == document.blocks[:at]
        and after.blocks[at + 1 :] == tuple(below)
        and [(_standing(entry), wanted) for entry in document.entries_of(document.blocks[at])]
        == [
            (_standing(e), e.origin.fields)
            for each in after.blocks[at : at + 1]
            for e in after.entries_of(each)
        ]
    )


def _says(document: Document, data: bytes) -> bool:
    """Whether all entries of the document are read in ``data``, each with what its comment says."""
    after = document.with_data(data)
    return after.front_matter == document.front_matter and [
        (_standing(entry), entry.origin.fields) for entry in document.entries
    ] == [(_standing(entry), entry.origin.fields) for entry in after.entries]


def _standing(entry: Entry) -> Sequence[object]:
    """What an entry is, wherever it stands in its file."""
    return entry.address, entry.form, entry.heading, entry.part, entry.parts


def _moved(document: Document) -> Iterator[tuple[Span, bytes]]:
    """Each block whose comment stands elsewhere than it would now, and its bytes with the comment there."""
    for entry in document.entries:
        if entry.provenance is None or entry.part > 1 or entry.form not in (Form.ITEM, Form.PARAGRAPH):
            continue
        source = document.source(entry.whole)
        found = COMMENT.search(source)
        if found is None or any(m.start() <= found.start() < m.end() for m in _LONE_LINE.finditer(source)):
            continue
        if source[found.end() : found.end() + 1].strip():
            continue  # words go on right behind it: it stands in code, or in the middle of something
        bare = source[: found.start()] + source[found.end() :]
        comment = found[0].strip()
        if COMMENT.search(bare) or stands_in_code(source, comment) or not bare.strip():
            continue
        placed = next(_placed(entry.form, bare, comment, document.newline), source)
        if placed != source:
            yield entry.whole, encoded(placed)
