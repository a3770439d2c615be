"""Taking entries out of a document, so that what stands around them stays what it is.

Only the bytes of the entries go. Two things follow from what Markdown is: a part of a long entry leaves
its neighbours the mark or the line end that they lean on, and where two blocks would grow together the
last line end of what stood between them stays, as a blank line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from workbench.errors import NotCuratableError
from workbench.memory.edit import remove
from workbench.memory.entry import Entry, Form, Span
from workbench.memory.markdown import Document, parse_document

_INDIVISIBLE = {Form.CODE: "code block", Form.TABLE: "table", Form.HTML: "HTML block"}
_QUOTE_MARK = re.compile(rb"[ \t]{0,3}> ?")
_LINE_END = re.compile(rb"\r?\n\Z")
_SPACE = re.compile(rb"[ \t\r\n]*")


def take_out(document: Document, entries: Sequence[Entry]) -> bytes:
    """The document's bytes without ``entries``, each of which counts once however often it is named.

    Raises NotCuratableError for single parts of a code block, a table or HTML.
    """
    cuts = _merged(_cuts(document, {entry.span for entry in entries}))
    whole = remove(document.data, cuts)
    if _holds(document, cuts, whole):
        return whole
    apart = [
        cut if _holds(document, [cut], remove(document.data, [cut])) else _shortened(document.data, cut)
        for cut in cuts
    ]
    spaced = remove(document.data, apart)
    return spaced if _holds(document, cuts, spaced) else whole


def _blocks(document: Document) -> Iterator[list[Entry]]:
    """The entries of each block: one, or the parts of a long one."""
    block: list[Entry] = []
    for entry in document.entries:
        if entry.part == 1 and block:
            yield block
            block = []
        block.append(entry)
    if block:
        yield block


def _cuts(document: Document, wanted: set[Span]) -> Iterator[Span]:
    for block in _blocks(document):
        named = [entry for entry in block if entry.span in wanted]
        if not named:
            continue
        if len(named) == len(block):
            yield block[0].block or block[0].span
        elif block[0].form in _INDIVISIBLE:
            what = _INDIVISIBLE[block[0].form]
            raise NotCuratableError(
                f"“{named[0].title}” is a part of a long {what}, which makes no sense without it",
                hint="forget all its parts together: " + " ".join(entry.address for entry in block),
            )
        else:
            for run in _merged(entry.span for entry in named):
                yield _part(document.data, block[0], run)


def _part(data: bytes, first: Entry, run: Span) -> Span:
    """The bytes to cut for some parts of a block, of which others stay."""
    block = first.block or first.span
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


def _holds(document: Document, cuts: Sequence[Span], data: bytes) -> bool:
    """Whether ``data`` has every entry that ``cuts`` do not touch, and a header only where there was one."""
    after = parse_document(document.path, data, document.kind)
    if (after.front_matter is None) != (document.front_matter is None):
        return False
    blocks = (block for block in _blocks(document) if not _touched(block[0].block or block[0].span, cuts))
    return Counter(_sign(entry) for block in blocks for entry in block if _is_stable(entry)) <= Counter(
        _sign(entry) for entry in after.entries
    )


def _touched(block: Span, cuts: Sequence[Span]) -> bool:
    return any(cut.start < block.end and block.start < cut.end for cut in cuts)


def _sign(entry: Entry) -> tuple[Form, str]:
    return entry.form, entry.hash


def _is_stable(entry: Entry) -> bool:
    """Whether it is an entry by itself; a heading is one, or is none, by what stands under it."""
    return entry.form is not Form.HEADING
