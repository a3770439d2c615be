"""Edits of one document, as pure functions to its new bytes: whatever is not meant stays what it is.

When entries are taken out only their bytes go. Two things follow from what Markdown is: a part of a long
entry leaves its neighbours the mark or the line end that they lean on, and where two blocks would grow
together the last line end of what stood between them stays, as a blank line. Where that does not keep them
apart either, nothing is taken out.

Where our comment stands beside the words of an entry, so that other programs read these as they did.

Obsidian takes ``^id`` for the name of a block only at the end of it: the comment goes before it. basic-memory
reads ``- [type] words #tag (context)`` and ``- kind [[Target]]`` to the end of the paragraph, and so do tools
for tasks: there the comment stands on a line of its own below, which Markdown reads as a block apart. ::

    - Likes tea <!-- wb: id=m1 -->
    - Likes tea <!-- wb: id=m1 --> ^tea
    - works_on [[Atlas]]
      <!-- wb: id=r1 -->
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.errors import NotCuratableError
from workbench.memory.entry import Entry, Form, Kind, RelPath, Span
from workbench.memory.invariants import blocks, span_of, stands
from workbench.memory.markdown import Document, Heading, opening_paragraph, parse_document
from workbench.safety.terminal import visible_line

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
