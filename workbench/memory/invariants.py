"""What stands in a document, and the proof that all of it still stands after something else has changed.

Two blocks of Markdown grow together when what stood between them goes, and a block that is not closed
swallows the text after it. So the file is read again after an edit, and every block that was not meant must
be there with its form, heading, words and provenance, in its order, and nothing new beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from workbench.memory.entry import Entry, Form, Span
from workbench.memory.markdown import Document
from workbench.memory.provenance import Provenance

Block = tuple[Entry, ...]
"""The entries of one block: one, or the parts of a long one."""
Sign = tuple[Form, tuple[str, ...], str, Provenance | None]
"""What a block is, wherever in its section it stands: form, heading path, words, provenance."""


def blocks(document: Document, *, headings: bool = False) -> list[Block]:
    """The blocks of a document; no bare headings, which are entries or none by what stands under them."""
    out: list[Block] = []
    for entry in document.entries:
        if entry.form is Form.HEADING and not headings:
            continue
        if entry.part > 1 and out:
            out[-1] = (*out[-1], entry)
        else:
            out.append((entry,))
    return out


def span_of(block: Sequence[Entry]) -> Span:
    """The bytes of the whole block that this entry, or these parts, belong to."""
    return block[0].whole


def sign(block: Sequence[Entry]) -> Sign:
    """What must stay the same of a block that is not meant."""
    first = block[0]
    return first.form, plain(first.heading), words(block), first.provenance


def signs(document: Document) -> list[Sign]:
    """The signs of all blocks, in the order of the file."""
    return [sign(block) for block in blocks(document)]


def words(block: Iterable[Entry]) -> str:
    """What a block says, blind to white space, however its parts are cut."""
    return "".join("".join(entry.text for entry in block).split())


def plain(path: Sequence[str]) -> tuple[str, ...]:
    """A heading path with each name on one line."""
    return tuple(" ".join(name.split()) for name in path)


def stands(before: Document, after: Document, cuts: Collection[Span], written: Collection[Span] = ()) -> bool:
    """Whether ``after`` is ``before`` without ``cuts`` and with ``written``: all else stands in its order.

    Of a block that is cut in part something may be left, whatever it is.
    """
    touched = [block for block in blocks(before) if _touched(span_of(block), cuts)]
    whole = all(_inside(span_of(block), cuts) for block in touched)
    stay = [sign(block) for block in blocks(before) if block not in touched]
    now = [sign(block) for block in blocks(after) if not _inside(span_of(block), written)]
    return (
        before.front_matter == after.front_matter
        and (now == stay if whole else _in_order(stay, now))
        and outline(after, written) == outline(before, cuts)
    )


def outline(document: Document, cuts: Collection[Span] = ()) -> list[tuple[int, str]]:
    """The level and name of each heading that ``cuts`` do not touch."""
    return [
        (heading.level, plain(heading.path)[-1])
        for heading in document.headings
        if not _touched(Span(document.line_starts[heading.first], document.below(heading)), cuts)
    ]


def _touched(span: Span, cuts: Collection[Span]) -> bool:
    return any(cut.start < span.end and span.start < cut.end for cut in cuts)


def _inside(span: Span, places: Collection[Span]) -> bool:
    return any(place.start <= span.start and span.end <= place.end for place in places)


def _in_order(wanted: Sequence[Sign], found: Iterable[Sign]) -> bool:
    """Whether all of ``wanted`` are among ``found``, in this order."""
    rest = iter(found)
    return all(any(one == other for other in rest) for one in wanted)
