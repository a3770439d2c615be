"""Edits of one document, as pure functions to its new bytes: whatever is not meant stays what it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.errors import NotCuratableError
from workbench.memory.entry import Entry, Form, Kind, RelPath, Span, encoded
from workbench.memory.invariants import blocks, span_of, stands
from workbench.memory.markdown import (
    Document,
    Heading,
    first_paragraph,
    opening_paragraph,
    parse_document,
    stands_in_code,
)
from workbench.memory.provenance import COMMENT, FIELD, FieldChanges, Fields, Provenance, quoted, spelled_out
from workbench.safety.terminal import visible_line

# -- where a comment stands --------------------------------------------------------------------------

# Our comment stands where other programs read an entry's words as they did. Obsidian takes ``^id`` for the
# name of a block only at the end of it: the comment goes before it. basic-memory reads
# ``- [type] words #tag (context)`` and ``- kind [[Target]]`` to the end of the paragraph, and so do tools for
# tasks: there the comment stands on a line of its own below, which Markdown reads as a block apart.
#
#     - Likes tea <!-- wb: id=m1 -->
#     - Likes tea <!-- wb: id=m1 --> ^tea
#     - works_on [[Atlas]]
#       <!-- wb: id=r1 -->

BLOCK_ID = re.compile(r"(?<=[^ \t])[ \t]+\^(?P<name>[A-Za-z0-9-]+)(?P<end>[ \t\r]*)\Z")
"""The name that Obsidian gives a block, at the end of its line."""
_LONE_ID = re.compile(r"[ \t]*\^[A-Za-z0-9-]+[ \t\r]*\Z")
_BRACKETS = re.compile(r"\[[^\[\]()\n]{1,200}\]\s")
_TAG = re.compile(r"(?:\A|\s)#")
_RELATION = re.compile(r"\]\](?:\s+\([^()\n]*\))?\s*\Z")


def is_read_to_its_end(paragraph: str) -> bool:
    """Whether others read the words of a list item to their end, so that nothing may follow behind them.

    So they do with typed memories and tasks (``[type] words``), relations and words with a ``#tag``. A block
    that Obsidian has a name for is read by that.
    """
    if BLOCK_ID.search(paragraph):
        return False
    typed = _BRACKETS.match(paragraph.lstrip())
    return bool(typed or _TAG.search(paragraph) or _RELATION.search(paragraph))


def behind(line: str, comment: str) -> str:
    """``line`` with the comment behind its words, before the name of its block and the blanks at its end."""
    named = BLOCK_ID.search(line)
    cut = named.start() if named else len(line.rstrip())
    return f"{line[:cut]} {comment}{line[cut:]}"


def commented(lines: Sequence[str], prose: int, comment: str) -> list[str]:
    """The lines of a list item, at its own margin and without its marker, with the comment in its place.

    ``prose`` counts the lines of the paragraph that they begin with; 0 for none.
    """
    opening = list(lines[:prose])
    if not prose or "<!--" in "".join(opening):
        return [*lines, comment]
    if is_read_to_its_end("\n".join(opening)):
        return [*opening, comment, *lines[prose:]]
    opening[-1] = behind(opening[-1], comment)
    return [*opening, *lines[prose:]]


def without_block_ids(text: str) -> str:
    """``text`` less the names that Obsidian gives its blocks: there is one block of each name."""
    kept = (line for line in text.split("\n") if not _LONE_ID.fullmatch(line))
    return "\n".join(BLOCK_ID.sub(lambda found: found["end"], line) for line in kept).rstrip("\n")


def block_id(text: str) -> str:
    """The name of the block that ``text`` is, at the end of its first paragraph; empty where it has none."""
    lines, prose = text.split("\n"), opening_paragraph(text)
    found = BLOCK_ID.search(lines[prose - 1]) if prose else None
    return found["name"] if found else ""


def with_block_id(text: str, name: str) -> str:
    """``text`` with a name for its block, where it begins with a paragraph that can carry it."""
    lines, prose = text.split("\n"), opening_paragraph(text)
    if name and prose:
        lines[prose - 1] = f"{lines[prose - 1].rstrip()} ^{name}"
    return "\n".join(lines)


# -- adding and taking out ---------------------------------------------------------------------------

_INDIVISIBLE = {Form.CODE: "code block", Form.TABLE: "table", Form.HTML: "HTML block"}
_QUOTE_MARK = re.compile(rb"[ \t]{0,3}> ?")
_LINE_END = re.compile(rb"\r?\n\Z")
_SPACE = re.compile(rb"[ \t\r\n]*")


def replaced(data: bytes, changes: Iterable[tuple[Span, bytes]]) -> bytes:
    """``data`` with other bytes in the place of some spans, which must be disjoint: ValueError otherwise."""
    out, at = [], 0
    for span, new in sorted(changes, key=lambda change: change[0].start):
        if not at <= span.start <= span.end <= len(data):
            raise ValueError(f"spans overlap or lie outside of the text at byte {span.start}")
        out += [data[at : span.start], new]
        at = span.end
    return b"".join([*out, data[at:]])


def as_item(text: str, comment: str, lead: str = "- ") -> str:
    """``text`` as one list item that carries ``comment``, if any; lines end with ``\n``.

    ``lead`` goes before the words: margin, marker and gap. The comment ends the paragraph that the text
    begins with, or stands below it. A table, fence or comment ends where its
    line ends, so text that begins with one has the comment on a last line of its own.
    """
    lines = text.split("\n")
    if comment:
        lines = commented(lines, opening_paragraph(text), comment)
    indent = " " * len(lead.expandtabs(4))
    return "\n".join([lead + lines[0], *(indent + line if line else line for line in lines[1:]), ""])


def is_heading(text: str) -> bool:
    """Whether ``text`` can be the words of a heading and is read back as just these."""
    if visible_line(text) != text:
        return False
    document = parse_document(RelPath("heading.md"), f"## {text}\n".encode(), Kind.NOTE)
    return [heading.path for heading in document.headings] == [(text.strip(),)] and bool(text.strip())


def find_section(document: Document, section: str) -> Heading | None:
    """The heading of that name, the first where there are several."""
    wanted = section.strip().casefold()
    return next((h for h in document.headings if h.path[-1].casefold() == wanted), None)


def take_out(document: Document, entries: Sequence[Entry]) -> bytes:
    """The document's bytes without ``entries``, each of which counts once however often it is named.

    Only their bytes go. Two things follow from what Markdown is: a part of a long entry leaves its neighbours
    the mark or the line end that they lean on, and where two blocks would grow together the last line end of
    what stood between them stays, as a blank line. Where that does not keep them apart either, nothing goes.
    Raises NotCuratableError for single parts of a code block, a table or HTML, and where what stands
    around the entries would become something else.
    """
    cuts = _merged(_cuts(document, {entry.span for entry in entries}))
    for chosen in _ways(document, cuts):
        if (data := _without(document, chosen, cuts)) is not None:
            return data
    raise NotCuratableError(
        f"without “{entries[0].plain_title}” the text around it in {document.path} would be parsed "
        "differently; nothing was changed",
        hint="edit the file by hand: separate the text before and after it",
    )


def _ways(document: Document, cuts: list[Span]) -> Iterator[list[Span]]:
    """What may be cut so that ``cuts`` are gone: all of it, or less the line ends that keep others apart."""
    yield cuts
    spaced = [_shortened(document.data, cut) for cut in cuts]
    yield [
        shorter if _without(document, [cut], [cut]) is None else cut
        for cut, shorter in zip(cuts, spaced, strict=True)
    ]
    yield spaced


def _cuts(document: Document, wanted: set[Span]) -> Iterator[Span]:
    for block in blocks(document, headings=True):
        named = [entry for entry in block if entry.span in wanted]
        if not named:
            continue
        if len(named) == len(block):
            yield span_of(block)
        elif block[0].form in _INDIVISIBLE:
            what = _INDIVISIBLE[block[0].form]
            raise NotCuratableError(
                f"“{named[0].plain_title}” is a part of a long {what}, which is incomplete without it",
                hint="forget all its parts at once: " + " ".join(entry.address for entry in block),
            )
        else:
            for run in _merged(entry.span for entry in named):
                yield _part(document.data, block[0], run)


def _part(data: bytes, first: Entry, run: Span) -> Span:
    """The bytes to cut for some parts of a block, of which others stay."""
    block = first.whole
    start, end = run.start, run.end
    ends_line = data[:end].endswith(b"\n")
    if start == first.span.start > block.start:  # right after the list marker, which wants something to mark
        found = _SPACE.match(data, end, block.end) if ends_line else None
        return Span(start, found.end() if found else end)
    if start == 0 or data[start - 1 : start] == b"\n":
        mark = _QUOTE_MARK.match(data, start, end) if first.form is Form.QUOTE and not ends_line else None
        return Span(mark.end() if mark else start, end)
    return _shortened(data, run)


def _shortened(data: bytes, cut: Span) -> Span:
    """``cut`` without the line end that it ends with."""
    found = _LINE_END.search(data, cut.start, cut.end)
    return Span(cut.start, found.start()) if found else cut


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; those that touch are one."""
    out: list[Span] = []
    for span in spans:
        if out and out[-1].end == span.start:
            out[-1] = Span(out[-1].start, span.end)
        else:
            out.append(span)
    return out


def _without(document: Document, chosen: Iterable[Span], cuts: Sequence[Span]) -> bytes | None:
    """The bytes without the ``chosen`` spans; None where more than ``cuts`` would no longer stand."""
    data = replaced(document.data, ((span, b"") for span in chosen))
    return data if stands(document, document.with_data(data), cuts) else None


# -- marking an entry: its provenance comment changes, its words and all others do not --------------

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


def annotate(document: Document, entry: Entry, fields: FieldChanges) -> bytes:
    """The document's bytes with these fields in the provenance comment of ``entry``.

    A field that is there is replaced where it stands, a new one is added at the end, None takes it out;
    a comment is made where there is none and goes when nothing is left in it. A part of a long block
    speaks for the whole block. Every byte outside of the block stays, and every entry keeps its address.
    The comment must be read back as the entry's own and be shown by no renderer, so not every block can carry
    one: each place that could is tried, and proven by reading the file again. Raises NotCuratableError where
    none can.
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
            yield from _uncommented(source, found)
            comment = _EMPTY  # it hides another comment, which would now be taken for the entry's
        start = found.end() - len(found[0].lstrip(" \t"))
        yield source[:start] + comment + source[found.end() :]
        source = source[: found.start()] + source[found.end() :]
    if entry.form not in _NO_PLACE:
        for candidate in _placed(entry.form, source, comment, document.newline):
            if not stands_in_code(candidate, comment):
                yield candidate


def _uncommented(source: str, found: re.Match[str]) -> Iterator[str]:
    """The block less its comment, with the line that held nothing else."""
    line = next((m for m in _LONE_LINE.finditer(source) if m.start() <= found.start() < m.end()), None)
    if line is not None:
        rest = source[: line.start()], source[line.end() :]
        is_last = not rest[1] and not line[0].endswith("\n")  # its line end came with it
        yield rest[0].removesuffix("\n").removesuffix("\r") if is_last else rest[0] + rest[1]
    yield source[: found.start()] + source[found.end() :]


def _edited(found: re.Match[str], fields: FieldChanges) -> str:
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
