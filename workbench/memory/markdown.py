"""The entries of a Markdown file, each with the span of its bytes.

The block structure is read by markdown-it; this module maps its line ranges back to byte spans. Lines
end at ``\\n`` only, so the spans hold for CRLF, lone CR, NUL, form feeds, a BOM and invalid UTF-8 alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from workbench.errors import AmbiguousEntryError, EntryNotFoundError
from workbench.frozen import frozen
from workbench.memory.entry import (
    HASH_DIGITS,
    Entry,
    EntryHash,
    Form,
    Kind,
    RelPath,
    Span,
    encoded,
    entry_hash,
)
from workbench.memory.frontmatter import BOM, FrontMatter, read_front_matter
from workbench.memory.model_window import WINDOW, fits, pieces
from workbench.memory.moment import DatedName, dated_name
from workbench.memory.plain_blocks import FoundBlock, plain_blocks, restart
from workbench.memory.provenance import COMMENT, MarkReader, Provenance, split_provenance

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}> ?", re.MULTILINE)
_STRAY_BYTE = re.compile("[\udc80-\udcff]")
_FORMS = {
    "paragraph_open": Form.PARAGRAPH,
    "table_open": Form.TABLE,
    "fence": Form.CODE,
    "code_block": Form.CODE,
    "blockquote_open": Form.QUOTE,
    "html_block": Form.HTML,
}
_ORDINAL = re.compile(r"[0-9]{1,9}")
SHORTEST_PREFIX = 4
"""Hash digits that an address must give at least."""
_PROBE = "# end\n"
_APART = "\n§\n".encode()
_LEAST_PARSED = 256
"""Bytes that the parser is given at least, where a file is not plain."""
_LISTS = ("bullet_list_open", "ordered_list_open")


@frozen
class Heading:
    """A heading with its level, its own line range (0-based, end excluded) and the path down to it."""

    level: int
    first: int
    last: int
    path: tuple[str, ...]


class Block(NamedTuple):
    """A top-level block or list item: its form, its lines (0-based, end excluded), the headings above it."""

    form: Form
    first: int
    last: int
    heading: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """A memory file as it was read: its bytes, its header, its headings and its entries in order.

    The entries are read from the blocks when they are first asked for: of a log of eighty thousand lines,
    an action needs one.
    """

    path: RelPath
    kind: Kind
    data: bytes
    front_matter: FrontMatter | None
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    line_starts: tuple[int, ...] = (0,)
    """Byte offset of each line, and one more for the end of the file."""
    given: tuple[Entry, ...] | None = None
    """The entries of what is not read as Markdown."""
    is_plain: bool = field(default=False, compare=False)
    """Whether each block is read from its own lines and the one below, whatever else the file says."""
    marks: MarkReader | None = field(default=None, compare=False, repr=False)
    """Who knows the details behind short marks."""
    named: DatedName | None = field(default=None, compare=False, repr=False)
    """The day in its name, where only its workspace can read it."""
    is_own_note: bool = field(default=False, compare=False, repr=False)
    """Whether the agent keeps it as a note of its own, wherever that is."""

    @property
    def header(self) -> FrontMatter:
        """The front matter; where there is none an empty one, behind which the body begins."""
        top = self.line_starts[0]
        return self.front_matter or FrontMatter(top, top, top)

    @cached_property
    def day(self) -> date | None:
        """The day that it speaks of."""
        return file_date(self.path, self.front_matter, self.named)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in the order of the file."""
        if self.given is not None:
            return self.given
        return tuple(numbered(entry for block in self.blocks for entry in _entries(self, block)))

    @property
    def text(self) -> str:
        """All of it; bytes that are not UTF-8 are replaced."""
        return self.data.decode("utf-8", "replace")

    def find(self, address: str) -> Entry:
        """The entry with this address, ``path#hash``; a unique prefix of the hash is enough.

        Raises EntryNotFoundError or AmbiguousEntryError.
        """
        wanted, repeated, ordinal = address.rpartition("#")[2].partition("~")
        if len(wanted) < SHORTEST_PREFIX or (repeated and not _ORDINAL.fullmatch(ordinal)):
            raise EntryNotFoundError(address)
        number = int(ordinal) if repeated else 1
        matching = (entry for entry in self._with_hash(wanted) if entry.ordinal == number)
        found = next(matching, None)
        if found is None:
            raise EntryNotFoundError(address)
        # A whole hash and an ordinal name one entry at most: the rest of a long log need not be read.
        if len(wanted) < HASH_DIGITS and (others := list(matching)):
            raise AmbiguousEntryError(address, [entry.address for entry in (found, *others)])
        return found

    def at_line(self, line: int) -> Entry | None:
        """The entry that stands at a line, counted from 1; None between entries."""
        entries = self.entries
        at = bisect_left(entries, line, key=lambda entry: entry.end_line)
        return entries[at] if at < len(entries) and entries[at].start_line <= line else None

    def text_of(self, entry: Entry) -> str:
        """The text of the whole block of ``entry``, which is more than its own where it is a part."""
        if entry.parts == 1:
            return entry.text
        return _clean(split_provenance(self.source(entry.whole))[0], entry.form, first=True)

    def _with_hash(self, prefix: str) -> Iterator[Entry]:
        """The entries whose hash begins with ``prefix``, in order; the file is read as far as one asks."""
        if self.given is not None or "entries" in self.__dict__:
            return (entry for entry in self.entries if entry.hash.startswith(prefix))
        return numbered(
            entry
            for block in self.blocks
            if (own := _hash(block, self.source(self.span_of(block)))) is None or own.startswith(prefix)
            for entry in _entries(self, block)
            if entry.hash.startswith(prefix)
        )

    def entries_of(self, block: Block) -> tuple[Entry, ...]:
        """The entries that a block of this document is, each as if it were the first of its words."""
        return tuple(_entries(self, block))

    def span_of(self, block: Block) -> Span:
        """The bytes of a block's lines."""
        return Span(self.line_starts[block.first], self.line_starts[block.last])

    def below(self, heading: Heading) -> int:
        """The byte at which what stands under a heading begins."""
        return self.line_starts[min(heading.last, len(self.line_starts) - 1)]

    def source(self, span: Span) -> str:
        """The text of a span; bytes that are not UTF-8 stand in it as surrogates."""
        return self.data[span.start : span.end].decode("utf-8", "surrogateescape")

    @property
    def newline(self) -> str:
        """How its lines end."""
        return "\r\n" if b"\r\n" in self.data else "\n"

    def with_data(self, data: bytes) -> Document:
        """The same file with other bytes."""
        return parse_document(self.path, data, self.kind, self.marks, self.named, self.is_own_note)

    def block_at(self, start: int) -> int:
        """Which block begins at byte ``start``, or is the first one below it."""
        line = bisect_left(self.line_starts, start)
        return bisect_left(self.blocks, line, key=lambda block: block.first)


def parse_document(
    path: RelPath,
    data: bytes,
    kind: Kind,
    marks: MarkReader | None = None,
    named: DatedName | None = None,
    is_own_note: bool = False,
) -> Document:
    """``data`` as its header, headings and blocks. Any bytes are a document; nothing raises.

    Without ``marks``, what short marks say is not known. ``named`` is the day in its name, where that is in a
    form of its workspace; ``is_own_note`` is what the layout says of it.
    """
    header, parts, is_plain = _structure(data)
    return Document(path, kind, data, header, *parts, None, is_plain, marks, named, is_own_note)


# Whoever reads a long file in parts, or plans and then does, parses the same bytes again.
@lru_cache(maxsize=1)
def _structure(
    data: bytes,
) -> tuple[FrontMatter | None, tuple[tuple[Heading, ...], tuple[Block, ...], tuple[int, ...]], bool]:
    header = read_front_matter(data)
    starts = _line_starts(data)
    # A line of `§` stands between entries, as Hermes writes them: for the parser it is a blank one.
    found, is_plain = _found(data.replace(_APART, b"\n  \n"), header.body if header else 0)
    headings, blocks = _headings_and_blocks(data, found, starts)
    return header, (tuple(headings), tuple(blocks), starts), is_plain


def file_date(path: str, header: FrontMatter | None, named: DatedName | None = None) -> date | None:
    """The day a file speaks of: by its name (as ``named`` knows it), else by its front matter."""
    if named := named or dated_name(path):
        return named.day
    if header is None:
        return None
    keys = ("date", "ended_at", "started_at", "created_at", "valid_from")
    return next(filter(None, map(header.day, keys)), None)


def opening_paragraph(text: str) -> int:
    """How many lines the paragraph has that ``text`` begins with; 0 when it begins with something else."""
    first = next(iter(_parsed(text)), None)
    return first.map[1] if first and first.type == "paragraph_open" and first.map else 0


def first_paragraph(block: str) -> tuple[int, int] | None:
    """The lines (0-based, end excluded) of the paragraph that an item, quote or paragraph begins with."""
    tokens = iter(_parsed(block))
    token = next(tokens, None)
    if token and token.type in _LISTS:
        next(tokens)
    if token and token.type in (*_LISTS, "blockquote_open"):
        token = next(tokens)
    if token is None or token.type != "paragraph_open" or token.map is None:
        return None
    return token.map[0], token.map[1]


def stands_in_code(text: str, words: str) -> bool:
    """Whether ``words`` are read as code in a block of ``text``."""
    return any(token.type in ("fence", "code_block") and words in token.content for token in _parsed(text))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 18 ms that showing a file list does not need

    # Reference definitions leave no token behind; as paragraphs they stay visible and curatable.
    return MarkdownIt("commonmark", {"html": True}).enable("table").disable("reference")


class _Outer(list["Token"]):
    """Lets go of what stands inside items, quotes and tables at once: of a long log that is most of it."""

    def append(self, token: Token) -> None:
        if token.level <= 1:
            super().append(token)


def _parsed(text: str, tokens: list[Token] | None = None) -> list[Token]:
    text = text.replace("\r\n", "\n").replace("\r", " ").replace("\0", "\N{REPLACEMENT CHARACTER}")
    tokens = [] if tokens is None else tokens
    parser = _parser()
    parser.block.parse(text, parser, {}, tokens)
    return tokens


def _headings_and_blocks(
    data: bytes, found: Iterable[FoundBlock], starts: tuple[int, ...]
) -> tuple[list[Heading], list[Block]]:
    """The headings, and the blocks that become entries, in the order of the file."""
    headings: list[Heading] = []
    blocks: list[Block] = []
    stack: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    for form, first, last, level, title in found:
        if form is Form.HEADING:
            stack = [item for item in stack if item[0] < level]
            stack.append((level, split_provenance(title)[0].strip()))
            path = tuple(text for _, text in stack)
            headings.append(Heading(level, first, last, path))
        while last - 1 > first and not data[starts[last - 1] : starts[last]].strip():
            last -= 1  # noqa: PLW2901 - a list item's range includes the blank lines after it
        blocks.append(Block(form, first, last, path))
    return headings, [
        block
        for at, block in enumerate(blocks)
        if block.form is not Form.HEADING or _stands_alone(blocks, at)
    ]


def _found(data: bytes, body: int) -> tuple[list[FoundBlock], bool]:
    """All blocks from byte ``body`` on, and whether each of them is a plain one; others the parser reads."""
    line = data.count(b"\n", 0, body)
    at = body + len(BOM) if data.startswith(BOM, body) else body
    found: list[FoundBlock] = []
    least, is_plain = _LEAST_PARSED, True
    while at < len(data):
        plain = plain_blocks(data, at, line)
        found += plain.blocks
        # Where plain blocks are few, more is parsed at once.
        least = _LEAST_PARSED if plain.blocks else 2 * least
        at, line = plain.end, plain.line
        while at < len(data):
            is_plain = False
            end = restart(data, min(at + least, len(data)))
            lines = data.count(b"\n", at, end)
            text = data[at:end].decode("utf-8", "replace")
            tokens = _parsed(text if end == len(data) else text + _PROBE, _Outer())
            if end == len(data) or _is_closed(tokens, lines):
                found += _parsed_blocks(tokens if end == len(data) else tokens[:-3], line)
                at, line = end, line + lines
                break
            least *= 2
    return found, is_plain


def _is_closed(tokens: Sequence[Token], lines: int) -> bool:
    """Whether the probe below so many lines was read as the heading that it is: nothing above is open."""
    heading = tokens[-3] if len(tokens) >= 3 else None
    return heading is not None and heading.type == "heading_open" and heading.map == [lines, lines + 1]


def _parsed_blocks(tokens: Sequence[Token], above: int) -> Iterator[FoundBlock]:
    inside_list = False
    for at, token in enumerate(tokens):
        if token.level == 0 and token.type in _LISTS:
            inside_list = True
        elif token.level == 0:
            inside_list = inside_list and not token.type.endswith("_list_close")
        if token.map is None:
            continue
        first, last = token.map[0] + above, token.map[1] + above
        if token.type == "heading_open" and token.level == 0:
            yield Form.HEADING, first, last, int(token.tag[1:]), tokens[at + 1].content
        elif inside_list and token.level == 1 and token.type == "list_item_open":
            yield Form.ITEM, first, last, 0, ""
        elif token.level == 0 and token.type in _FORMS:
            yield _FORMS[token.type], first, last, 0, ""


def _stands_alone(blocks: Sequence[Block], at: int) -> bool:
    """Whether a heading is an entry: only when nothing stands under it and it is no title."""
    block = blocks[at]
    if at == 0 and len(block.heading) == 1:
        return False
    if at + 1 == len(blocks):
        return True
    following = blocks[at + 1]
    return following.form is Form.HEADING and len(following.heading) <= len(block.heading)


def _words(block: Block, source: str) -> tuple[str, Provenance | None, EntryHash]:
    """What a block says, where it came from, and the hash of its words."""
    if block.form is Form.HEADING:
        text = block.heading[-1]
        return text, split_provenance(source)[1], entry_hash(text)
    return (_read_before if len(source) <= WINDOW else _read)(block.form, source)


def _read(form: Form, source: str) -> tuple[str, Provenance | None, EntryHash]:
    body, origin = split_provenance(source)
    text = _clean(body, form, first=True)
    return text, origin, entry_hash(text)


# An action reads its files again and again, to see that all else still stands: most blocks are the same.
_read_before = lru_cache(maxsize=4_096)(_read)


def _hash(block: Block, source: str) -> EntryHash | None:
    """The hash of the one entry that a block is; None where it is too long to be one."""
    simple = len(source) <= WINDOW and source.isascii() and "<!--" not in source and "\r" not in source
    if simple and block.form is Form.ITEM:
        # A hash is blind to white space: all that ``_words`` takes away of such an item is its marker.
        marker = _MARKER.match(source)
        return entry_hash(source[marker.end() :] if marker else source)
    text, _, name = _words(block, source)
    return name if fits(text) else None


def _entries(document: Document, block: Block) -> Iterator[Entry]:
    span = document.span_of(block)
    text, origin, name = _words(block, document.source(span))
    if not text:
        return
    origin = origin and origin.of(name, document.marks)
    whole = Entry(
        path=document.path,
        kind=document.kind,
        form=block.form,
        span=span,
        start_line=block.first + 1,
        end_line=block.last,
        heading=block.heading[:-1] if block.form is Form.HEADING else block.heading,
        date=_own_date(document.kind, document.day, origin) if origin else document.day,
        text=text,
        hash=name,
        provenance=origin,
    )
    if fits(text):
        yield whole
    else:
        yield from _parts(whole, document.source(span))


def _own_date(kind: Kind, day: date | None, origin: Provenance) -> date | None:
    names = ("happens_at", "occurred_at") if kind is Kind.ENTITY else ("occurred_at", "at")
    return next((own for name in names if (own := origin.day(name))), day)


def _parts(whole: Entry, source: str) -> Iterator[Entry]:
    """A long entry as parts that fit the window and divide its content between them."""
    begin = 0
    if whole.form is Form.ITEM and (marker := _MARKER.match(source)):
        begin = marker.end()  # the marker stays with whatever part comes first
    ranges = pairwise([begin, *(begin + end for end in _ends(source[begin:]))])
    texts = ((a, b, _clean(split_provenance(source[a:b])[0], whole.form, first=False)) for a, b in ranges)
    kept = [(a, b, text) for a, b, text in texts if text]
    end, at, line = whole.span.start, 0, whole.start_line
    for number, (a, b, text) in enumerate(kept, 1):
        line += source.count("\n", at, a)
        start = end + len(encoded(source[at:a]))
        end = start + len(encoded(source[a:b]))
        yield replace(
            whole,
            span=Span(start, end),
            start_line=line,
            end_line=line + source.count("\n", a, b - 1),
            text=text,
            hash=entry_hash(text),
            part=number,
            parts=len(kept),
            block=whole.span,
        )
        at, line = b, line + source.count("\n", a, b)


def _ends(body: str) -> Iterator[int]:
    """Where each part ends. A ``wb:`` comment counts for nothing: no action moves the words between parts."""
    comments = [found.span() for found in COMMENT.finditer(body)]
    passed = 0
    for _, end in pieces(COMMENT.sub("", body)):
        while comments and comments[0][0] <= end + passed:
            start, stop = comments.pop(0)
            passed += stop - start
        yield end + passed


def _clean(source: str, form: Form, *, first: bool) -> str:
    """The words of a block: no list marker, no quote marks, no indentation of the block itself."""
    text = source.replace("\r\n", "\n") if "\r" in source else source
    if form is Form.QUOTE:
        text = _QUOTE_MARK.sub("", text)
    elif form is Form.ITEM:
        marker = _MARKER.match(text) if first else None
        head, newline, rest = text[marker.end() if marker else 0 :].partition("\n")
        text = head + newline + _dedent(rest) if rest else head
    if not text.isascii() and _STRAY_BYTE.search(text):
        text = encoded(text).decode("utf-8", "replace")
    if "\n" not in text[:-1]:
        return text.rstrip()
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _dedent(text: str) -> str:
    """``text`` less the indentation that all of its lines share."""
    lines = text.split("\n")
    margin = min((len(x) - len(x.lstrip(" \t")) for x in lines if x.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)


def numbered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries with their ordinals: the nth entry of the file with the same text."""
    seen: dict[str, int] = {}
    for entry in entries:
        count = seen[entry.hash] = seen.get(entry.hash, 0) + 1
        yield entry if count == 1 else replace(entry, ordinal=count)


def _line_starts(data: bytes) -> tuple[int, ...]:
    starts = [len(BOM) if data.startswith(BOM) else 0]  # the mark belongs to no entry
    starts += (found.end() for found in re.finditer(rb"\n", data))
    if starts[-1] != len(data):
        starts.append(len(data))
    return tuple(starts)
