"""Entries on their way from one place to another: lifted out, marked, and set down whole.

The bytes of a block are moved, not its words, so that nested content, marks and comments arrive as they left.
Wherever a block is taken out or set down, all else must still stand (``memory.invariants``), else it is
refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from workbench.errors import NotCuratableError
from workbench.frozen import frozen
from workbench.memory.edit import annotate, as_item, find_section, take_out
from workbench.memory.entry import Entry, Form, Kind, RelPath, encoded, entry_hash
from workbench.memory.invariants import (
    Block,
    Sign,
    blocks,
    outline,
    plain,
    signs,
    span_of,
    words,
)
from workbench.memory.markdown import Document, Heading, parse_document
from workbench.memory.provenance import FieldChanges, Provenance, provenance, spelled_out

FORM = "form"
"""The field that says what a block was that travels inside of a list item."""
_MARKER = re.compile(rb"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_STAMP = re.compile(rb"<!--\s*wb:[^<>]*-->")
_BLANK_LINE = re.compile(rb"[ \t]*\r?\n")
_LOOSE_PATH = RelPath("passage.md")
_POSITIONS = 6
_RULE = re.compile(rb" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})")
_SIGNATURE = re.compile(rb" {0,3}([*_])(?![*_\s]).*\1\s*")
_WORDS_ALONE = re.compile(rb" {0,3}(?![-+#|<>\s]|[*] |\d{1,9}[.)])")
_MOST_FOOTER = 3
"""Lines of words that may stand below the rule which sets a footer apart."""
FIRST = "-"
_SAID = re.compile(r"(?P<name>-|[0-9a-f]{12}(?:~[0-9]{1,9})?)(?:\+(?P<gap>[0-9]{1,4}))?")


@frozen
class MovedBlock:
    """A block without its file: its whole bytes, lines ending in ``\\n``, at the left margin.

    ``entries`` are the block's entries as they stood: one, or the parts of a long one. ``form`` is what the
    block is now; a table that travels as a list item says in its ``form`` field what it was.
    """

    entries: tuple[Entry, ...]
    form: Form
    source: bytes

    @property
    def origin(self) -> Provenance | None:
        """The provenance that it carries now."""
        return _document(self).entries[0].provenance

    @property
    def title(self) -> str:
        """The first line that holds words, without marks of emphasis."""
        return self.entries[0].plain_title


@frozen
class Destination:
    """Where something can be set down: byte positions, the best first, under ``heading``.

    ``opening`` holds the lines of headings that must be made first; empty where the heading is there.
    ``as_it_stood``: the blank lines around it are there already, and more are added only where it must be.
    """

    heading: tuple[str, ...]
    positions: tuple[int, ...]
    opening: bytes = b""
    as_it_stood: bool = False


def lift(document: Document, entries: Sequence[Entry]) -> list[MovedBlock]:
    """The passages that ``entries`` make up, in the order in which they are named.

    Raises NotCuratableError for a bare heading, and for single parts of a long entry.
    """
    block_of = {entry.span: block for block in blocks(document) for entry in block}
    named = {entry.span for entry in entries}
    found: dict[int, MovedBlock] = {}
    for entry in entries:
        block = block_of.get(entry.span)
        if block is None:
            raise NotCuratableError(
                f"“{entry.plain_title}” is a heading without content, which cannot be moved",
                hint="forget it, or edit the file",
            )
        if any(part.span not in named for part in block):
            raise NotCuratableError(
                f"“{entry.plain_title}” is a part of a long entry, which is moved as a whole",
                hint="give all its parts: " + " ".join(part.address for part in block),
            )
        found.setdefault(block[0].span.start, _lifted(document, block))
    return list(found.values())


def leave(document: Document, passages: Sequence[MovedBlock]) -> Document:
    """The document without these passages. Raises NotCuratableError where others would change by that."""
    data = take_out(document, [entry for passage in passages for entry in passage.entries])
    return document.with_data(data)


def set_down(document: Document, place: Destination, passages: Sequence[MovedBlock]) -> tuple[Document, int]:
    """The document with the passages at ``place``, and which of its blocks the first of them is.

    Raises NotCuratableError when they, or what stands there, would not be read back as themselves.
    """
    stood, headings = signs(document), outline(document)
    starts = [span_of(block).start for block in blocks(document)]
    arrived = [_sign(passage, place.heading) for passage in passages]
    for at in place.positions:
        index = sum(start < at for start in starts)
        following = stood[index:]
        if place.opening and at == _footer(document):  # a footer stands below whatever heading is the last
            following = [(form, plain(place.heading), said, origin) for form, _, said, origin in following]
        expected = [*stood[:index], *arrived, *following]
        for data in dict.fromkeys(_written(document, at, place, passages)):
            after = document.with_data(data)
            is_read_back = after.front_matter == document.front_matter and signs(after) == expected
            if is_read_back and (place.opening or outline(after) == headings):
                return after, index
    raise NotCuratableError(
        f"“{passages[0].title}” would not be an entry of its own in {document.path}: an unclosed block or "
        "a list would contain it",
        hint="nothing was changed; choose another section, or edit the file first",
    )


def item_of(text: str, origin: Provenance, marker: str = "-") -> MovedBlock:
    """``text`` as a passage: one list item that carries ``origin``. Raises NotCuratableError."""
    source = encoded(as_item(text, origin.render(), f"{marker} "))
    found = blocks(parse_document(_LOOSE_PATH, source, Kind.NOTE))
    is_one = len(found) == 1 and found[0][0].form is Form.ITEM and found[0][0].provenance == origin
    if not is_one or (len(found[0]) == 1 and found[0][0].hash != entry_hash(text)):
        raise NotCuratableError(
            "a list item cannot hold this text as one entry", hint="nothing was changed; change the text"
        )
    return MovedBlock(found[0], Form.ITEM, source)


def with_item(document: Document, text: str, origin: Provenance, section: str) -> tuple[Document, Entry]:
    """The document with ``text`` as an item at the end of the section of this name, and its entry.

    The item has the bullet of the list that it joins. Raises NotCuratableError.
    """
    place = named_section(document, section)
    end = [block for block in blocks(document) if span_of(block).end == place.positions[0]]
    joined = document.data[span_of(end[-1]).start :].lstrip()[:1].decode("ascii", "ignore") if end else ""
    marker = joined if end and end[-1][0].form is Form.ITEM and joined in ("-", "*", "+") else "-"
    after, index = set_down(document, place, [item_of(text, origin, marker)])
    return after, blocks(after)[index][0]


# -- places --------------------------------------------------------------------------------------------


def find_path(document: Document, path: Sequence[str]) -> Heading | None:
    """The first heading with exactly this path down to it."""
    wanted = plain(path)
    return next((h for h in document.headings if plain(h.path) == wanted), None)


def section_end(document: Document, heading: Heading | None) -> Destination:
    """The end of what stands directly under ``heading``; None is what stands before the first one."""
    at = document.headings.index(heading) + 1 if heading else 0
    own_start = _openings(document)[at]
    following = next(iter(document.headings[at:]), None)
    end = document.line_starts[following.first] if following else max(own_start, _footer(document))
    ends = [span.end for block in blocks(document) if own_start <= (span := span_of(block)).start < end]
    if blank := _BLANK_LINE.match(document.data, own_start, end):
        own_start = blank.end()
    positions = [*reversed(ends), own_start][:_POSITIONS]
    return Destination(heading.path if heading else (), tuple(positions))


def file_end(document: Document) -> Destination:
    """The end of the last section."""
    return section_end(document, document.headings[-1] if document.headings else None)


def new_section(document: Document, path: Sequence[str]) -> Destination:
    """A section with this path that is not there yet, below as much of the path as there is."""
    known = len(path)
    parent = None
    while known and parent is None:
        known -= 1
        parent = find_path(document, path[:known]) if known else None
    if parent is not None:
        level = parent.level + 1
        following = (h for h in document.headings if h.first >= parent.last and h.level <= parent.level)
        after = next(following, None)
        at = document.line_starts[after.first] if after else _footer(document)
    else:
        level = min((h.level for h in document.headings), default=1 if len(path) > 1 else 2)
        at = _footer(document)
    names = plain(path)[known:]
    lines = [f"{'#' * (level + depth)} {name}\n\n" for depth, name in enumerate(names)]
    return Destination(tuple(path), (at,), encoded("".join(lines)))


def section(document: Document, path: Sequence[str]) -> Destination:
    """The end of the section with this path, made anew where it is not there."""
    heading = find_path(document, path)
    return section_end(document, heading) if heading or not path else new_section(document, path)


def named_section(document: Document, name: str) -> Destination:
    """The end of the first section of this name, whatever its case; made anew below the title if missing.

    Without a name it is what stands before all headings.
    """
    if not name.strip():
        return section_end(document, None)
    if heading := find_section(document, name):
        return section_end(document, heading)
    title = next((h.path for h in reversed(document.headings) if h.level == 1), ())
    return new_section(document, (*title, name.strip()))


def _footer(document: Document) -> int:
    """Where the footer of a file begins, at most three lines of words at its end; else where the file ends.

    It is set apart by a rule, or is one line that is all emphasis (``*Last updated: ...*``).
    """
    lines = document.data[document.header.body :].splitlines(keepends=True)
    full = [number for number, line in enumerate(lines) if line.strip()]
    words: list[int] = []
    while full and _WORDS_ALONE.match(lines[full[-1]]) and not _RULE.fullmatch(lines[full[-1]].rstrip()):
        words.append(full.pop())
    end = len(document.data)
    if not words or not full or len(words) > _MOST_FOOTER:
        return end
    above = full[-1]
    first = words[-1]
    if _RULE.fullmatch(lines[above].rstrip()) and not (above and lines[above - 1].strip()):
        first = above
    elif len(words) > 1 or not _SIGNATURE.fullmatch(lines[first]) or lines[first - 1].strip():
        return end
    at = end - sum(map(len, lines[first:]))
    above = document.block_at(at)
    is_inside = above and document.blocks[above - 1].last > bisect_left(document.line_starts, at)
    return end if is_inside else at  # in a fence, say


# -- places by their neighbours ------------------------------------------------------------------------
# By its neighbour a block finds back to where it stood. ``7d86a1f02b3c+1`` means: behind the block with this
# hash (``~2``: the second one of its file) under the same heading, with one line between them. ``-`` stands
# for the heading itself.


def neighbours(document: Document, passage: MovedBlock) -> Iterator[str]:
    """Behind what in its section a passage of ``document`` stands, the nearest first.

    The nearest says how many lines are between; the heading itself is named where nothing else is.
    """
    start = span_of(passage.entries).start
    opening = max((end for end in _openings(document) if end <= start), default=0)
    before = [block for block in blocks(document) if opening <= span_of(block).start < start]
    gap = document.data.count(b"\n", span_of(before[-1]).end if before else opening, start)
    yield (name_of(before[-1][0]) if before else FIRST) + (f"+{gap}" if gap else "")
    yield from (name_of(block[0]) for block in reversed(before[:-1]))


def name_of(entry: Entry) -> str:
    """What an entry is called beside its neighbours: its hash, with ``~n`` for the nth of its file."""
    return entry.address.rpartition("#")[2]


def behind(document: Document, path: Sequence[str], said: str) -> Destination | None:
    """The place that ``said`` names under the heading ``path``; None when what it names is not there."""
    found = _SAID.fullmatch(said)
    start = _end_of(document, path, found["name"]) if found else None
    if found is None or start is None:
        return None
    starts = [document.line_starts[heading.first] for heading in document.headings]
    starts += [span_of(block).start for block in blocks(document)]
    limit = min((at for at in starts if at >= start), default=len(document.data))
    at = start
    for _ in range(int(found["gap"] or 0)):
        newline = document.data.find(b"\n", at, limit)
        if newline < 0:
            break
        at = newline + 1
    return Destination(tuple(path), tuple(dict.fromkeys((at, start))), as_it_stood=True)


def _end_of(document: Document, path: Sequence[str], name: str) -> int | None:
    """The byte after the block of that name under that heading, or after the heading itself."""
    if name == FIRST:
        heading = find_path(document, path) if path else None
        if path and heading is None:
            return None
        return _openings(document)[document.headings.index(heading) + 1 if heading else 0]
    under = plain(path)
    digits = name.partition("~")[0]
    same = [b for b in blocks(document) if b[0].hash == digits and plain(b[0].heading) == under]
    block: Block | None = next((b for b in same if name_of(b[0]) == name), same[-1] if same else None)
    return span_of(block).end if block else None


def _openings(document: Document) -> list[int]:
    """Where what stands under a heading begins: before the first heading, then under each."""
    return [document.header.body, *map(document.below, document.headings)]


# -- marks ---------------------------------------------------------------------------------------------


def marked(passage: MovedBlock, fields: FieldChanges, *, may_wrap: bool) -> MovedBlock:
    """The passage with these fields in its provenance; None takes one out.

    What cannot carry a comment (a table, code, HTML) becomes a list item that does and holds it,
    if ``may_wrap``. Raises NotCuratableError where neither can be done.
    """
    alone, origin = _document(passage), passage.origin
    if may_wrap and origin and any(origin.get(name) for name in fields):  # theirs must come back as it was
        return _proven(_stamped(passage, fields))
    try:
        source = annotate(alone, alone.entries[0], fields)
    except NotCuratableError:
        if not may_wrap:
            raise
        return _proven(_stamped(passage, fields))
    return _proven(replace(passage, source=source))


def unmarked(passage: MovedBlock, names: Collection[str]) -> MovedBlock:
    """The passage without these fields; what was wrapped or stamped to carry them is itself again."""
    origin = passage.origin
    was = origin.get(FORM) if origin else None
    first, _, rest = passage.source.partition(b"\n")
    marker = _MARKER.match(first)
    stamped = marker and _STAMP.fullmatch(first, marker.end())
    if stamped and was in list(Form):
        source = b"\n".join(line.removeprefix(b"  ") for line in rest.split(b"\n"))
        return _proven(replace(passage, form=Form(was), source=source))
    if marker and stamped and origin and {name for name, _ in origin.fields} <= set(names):
        return _proven(replace(passage, source=marker[0] + rest.removeprefix(b" " * marker.end())))
    return marked(passage, dict.fromkeys(names), may_wrap=False)


def _stamped(passage: MovedBlock, fields: FieldChanges) -> MovedBlock:
    """The passage with a comment of its own before all that it says."""
    marker = _MARKER.match(passage.source) if passage.form is Form.ITEM else None
    if marker:
        comment = encoded(provenance(fields).render())
        gap = b"\n" + b" " * marker.end()
        source = marker[0] + comment + gap + passage.source[marker.end() :]
        return replace(passage, source=source)
    comment = encoded(provenance({**fields, FORM: passage.form.value}).render())
    lines = passage.source.split(b"\n")
    inside = b"\n".join(b"  " + line if line else line for line in lines)
    return replace(passage, form=Form.ITEM, source=b"- " + comment + b"\n" + inside)


# -- reading back --------------------------------------------------------------------------------------


def _lifted(document: Document, block: Block) -> MovedBlock:
    span = span_of(block)
    source = document.data[span.start : span.end].replace(b"\r\n", b"\n")
    if not source.endswith(b"\n"):
        source += b"\n"
    if block[0].form is Form.ITEM:
        margin = len(source) - len(source.lstrip(b" "))
        source = re.sub(rb"(?m)^ {1,%d}" % margin, b"", source) if margin else source
    if b"<!-- wb:" in source:
        source = encoded(spelled_out(source.decode("utf-8", "surrogateescape"), block[0].provenance))
    return _proven(MovedBlock(block, block[0].form, source))


def _proven(passage: MovedBlock) -> MovedBlock:
    """The passage, if it is read back as itself where nothing else stands."""
    found = blocks(_document(passage))
    if len(found) != 1 or found[0][0].form is not passage.form or words(found[0]) != words(passage.entries):
        raise NotCuratableError(
            f"“{passage.title}” is not the same text without the text around it",
            hint="nothing was changed; edit the file by hand",
        )
    return passage


def _document(passage: MovedBlock) -> Document:
    return parse_document(_LOOSE_PATH, passage.source, Kind.NOTE)


def _written(
    document: Document, at: int, place: Destination, passages: Sequence[MovedBlock]
) -> Iterator[bytes]:
    """The document with the passages at ``at``: list items close together, then with blank lines."""
    opening = place.opening
    before, rest = document.data[:at], document.data[at:]
    newline = document.newline.encode()
    if before.strip() and not before.endswith(b"\n"):
        before += newline
    here = [block[0].form for block in blocks(document) if span_of(block).end == at]
    next_form = next((b[0].form for b in blocks(document) if span_of(b).start == at), None)
    is_apart = not before.strip(b"\xef\xbb\xbf \t\r\n") or before.endswith((b"\n\n", b"\n\r\n"))
    if place.as_it_stood:
        yield before + b"".join(p.source for p in passages).replace(b"\n", newline) + rest
    for close in (True, False):
        text = b""
        joins = close and here[-1:] == [Form.ITEM] and passages[0].form is Form.ITEM and not opening
        if not joins and not is_apart:
            text += b"\n"
        text += opening
        for number, passage in enumerate(passages):
            if number and not (close and passage.form is passages[number - 1].form is Form.ITEM):
                text += b"\n"
            text += passage.source
        follows = close and next_form is Form.ITEM and passages[-1].form is Form.ITEM
        if rest and not follows and not rest.lstrip(b" \t").startswith((b"\n", b"\r\n")):
            text += b"\n"
        yield before + text.replace(b"\n", newline) + rest


def _sign(passage: MovedBlock, heading: Sequence[str]) -> Sign:
    """What the passage must be read back as below ``heading``."""
    return passage.form, plain(heading), words(passage.entries), passage.origin
