"""Edits of one span, as pure functions from bytes to bytes: every other byte stays as it is."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.memory.comment_position import commented
from workbench.memory.entry import Entry, Form, Kind, Span
from workbench.memory.markdown import Document, Heading, opening_paragraph, parse_document
from workbench.memory.names import RelPath
from workbench.memory.provenance import Provenance
from workbench.safety.terminal import visible


def remove(data: bytes, spans: Iterable[Span]) -> bytes:
    """``data`` without these spans, which must be disjoint: ValueError otherwise."""
    kept, at = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        if not at <= span.start <= span.end <= len(data):
            raise ValueError(f"spans overlap or lie outside of the text at byte {span.start}")
        kept.append(data[at : span.start])
        at = span.end
    return b"".join([*kept, data[at:]])


def as_item(text: str, provenance: Provenance, marker: str = "-") -> str:
    """``text`` as one list item that carries its provenance; lines end with ``\\n``.

    The comment ends the paragraph that the text begins with, or stands below it (``memory.commenting``). A
    table, fence or comment ends where its line ends, so text that begins with one has the comment on a last
    line of its own.
    """
    lines = commented(text.split("\n"), opening_paragraph(text), provenance.render())
    indent = " " * (len(marker) + 1)
    body = "\n".join((indent + line if line else line) for line in lines[1:])
    return f"{marker} {lines[0]}\n" + (body + "\n" if body else "")


def is_heading(text: str) -> bool:
    """Whether ``text`` can be the words of a heading and is read back as just these."""
    if visible(text, one_line=True) != text:
        return False
    document = parse_document(RelPath("heading.md"), f"## {text}\n".encode(), Kind.NOTE)
    return [heading.path for heading in document.headings] == [(text.strip(),)] and bool(text.strip())


def insert_item(document: Document, section: str, item: str) -> bytes:
    """The document's bytes with ``item`` added at the end of ``section``, which is made when missing.

    ``section`` is compared without regard to case; line ends follow those of the file.
    """
    data = document.data
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    text = item.encode("utf-8", "surrogateescape").replace(b"\n", newline)
    heading = find_section(document, section)
    if heading is None:
        gap = b"" if not data.strip() else newline * (2 - _trailing_newlines(data))
        return data + gap + b"## " + section.encode() + newline + newline + text
    at, last = _section_end(document, heading)
    before = data[:at]
    if not before.endswith(b"\n"):
        before += newline
    if last is None or last.form is not Form.ITEM:
        before += newline
    rest = data[at:]
    if rest.partition(b"\n")[0].strip():  # else it would go on in the paragraph of the item
        text += newline
    return before + text + rest


def find_section(document: Document, section: str) -> Heading | None:
    """The heading of that name, the first where there are several."""
    wanted = section.strip().casefold()
    return next((h for h in document.headings if h.path[-1].casefold() == wanted), None)


def marker_in(document: Document, section: str) -> str:
    """The bullet that the list at the end of ``section`` uses."""
    heading = find_section(document, section)
    last = _section_end(document, heading)[1] if heading else None
    if last is None or last.form is not Form.ITEM:
        return "-"
    first = document.data[last.span.start : last.span.end].lstrip()[:1].decode("ascii", "ignore")
    return first if first in ("-", "*", "+") else "-"


def _section_end(document: Document, heading: Heading) -> tuple[int, Entry | None]:
    """The byte after the last entry that stands directly under ``heading``, and that entry."""
    own_start = document.line_starts[heading.last]
    following = next((h for h in document.headings if h.first >= heading.last), None)
    end = document.line_starts[following.first] if following else len(document.data)
    inside = [e for e in document.entries if own_start <= e.span.start < end]
    if not inside:
        return own_start, None
    last = inside[-1]
    at = last.span.end
    if not document.data[:at].endswith(b"\n"):  # a part of a long entry: go to the end of its line
        newline = document.data.find(b"\n", at)
        at = len(document.data) if newline < 0 else newline + 1
    return at, last


def _trailing_newlines(data: bytes) -> int:
    stripped = data.replace(b"\r", b"")
    return min(2, len(stripped) - len(stripped.rstrip(b"\n")))
