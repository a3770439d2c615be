"""Text that is safe to draw: its type proves that it passed ``visible`` exactly once. Rows are made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby, zip_longest
from typing import Any, Literal, NamedTuple, NewType, get_args

from rich.cells import cell_len

from workbench.errors import WorkbenchError
from workbench.memory.entry import EMPHASIS, Entry
from workbench.plural import plural as count_with
from workbench.safety.terminal import visible_line

Shown = NewType("Shown", str)
"""Text without anything a terminal would obey."""

_LOOSE = re.compile("\u200d+(?=\\s|$)")
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_UNMEASURED = re.compile(
    f"[\ufe0e\ufe0f]|\u200d+(?=[{_EMOJI}])|(?<=[{_EMOJI}])(?:[\ufe0e\ufe0f]*[\U0001f3fb-\U0001f3ff])"
)
"""What makes one sign of several, or a narrow sign wide: terminals disagree on how many cells that takes."""
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
ROW_LIMIT = 600
"""Characters of a row that can ever be seen; what follows is not even looked at."""


def row_text(text: str) -> Shown:
    """Workspace text for one row of a list, a title or a toast."""
    return _joined(visible_line(text[:ROW_LIMIT]).strip())


def lines_text(lines: Iterable[str]) -> Shown:
    """Lines of a toast, each of workspace text that stays one line; empty ones are left out."""
    return Shown("\n".join(filter(None, map(row_text, lines))))


def sentence(text: str) -> str:
    """``text`` with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def line_text(text: str) -> Shown:
    """One line of a file, tabs expanded, its blanks kept."""
    return _joined(visible_line(text.rstrip("\r\n").expandtabs(4)))


def _joined(text: str) -> Shown:
    """As signs that take as many cells in every terminal as are counted for them here.

    Form selectors, skin tones and joiners between emoji are left out, and a flag is its two letters: `⚠️` is
    one cell to xterm and tmux, two to kitty and to Rich, and what is painted over it leaves letters behind or
    bends the frame. A joiner that joins nothing goes too: a blank behind it would count as no cell.
    """
    if text.isascii():
        return Shown(text)
    text = _FLAG.sub(lambda found: chr(ord(found[0]) - 0x1F1E6 + ord("A")), _UNMEASURED.sub("", text))
    return Shown(_LOOSE.sub("", text))


def said_of(error: BaseException) -> list[str]:
    """What went wrong, and what to do about it where that is known."""
    if isinstance(error, WorkbenchError):
        return [line for line in (error.message, error.hint) if line]
    return [f"{type(error).__name__}: {error}"]


def words(text: str) -> Shown:
    """The program's own words, which are literals or numbers and never come from a file."""
    return Shown(text)


def grouped(number: int) -> Shown:
    """A number as the command line says it, too: ``9,412``."""
    return Shown(f"{number:,}")


def age(day: date, today: date) -> Shown:
    """How long ago a day was, short: ``today``, ``3d``, ``5w``, ``8mo``, ``2y``; ahead: ``in 3d``."""
    days = (today - day).days
    if days == 0:
        return Shown("today")
    span = abs(days)
    if span < 14:
        text = f"{span}d"
    elif span < 70:
        text = f"{span // 7}w"
    elif span < 730:
        text = f"{span // 30}mo"
    else:
        text = f"{span // 365}y"
    return Shown(text if days > 0 else f"in {text}")


def days_until(day: date, today: date) -> Shown:
    """How far ahead a day is, in words: ``today``, ``tomorrow``, ``in 12 days``, ``3 days ago``."""
    days = (day - today).days
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}
    if days in near:
        return Shown(near[days])
    return Shown(f"in {days} days" if days > 0 else f"{-days} days ago")


def plural(number: int, noun: str) -> Shown:
    """``1 entry``, ``3 entries``."""
    return Shown(count_with(number, noun))


def of_all(done: int, total: int, what: str) -> str:
    """How far something is, short: ``216/715 files``; empty once it is done."""
    return f"{grouped(done)}/{grouped(total)} {what}" if done < total else ""


Tone = Literal[
    "text", "muted", "faint", "accent", "good", "warn", "bad", "head", "match", "em", "code", "link", "title"
]
TONES: tuple[Tone, ...] = get_args(Tone)
Spans = tuple[tuple[int, int, Tone], ...]
"""Character ranges of a text with a tone of their own."""
Lines = Iterator[tuple[str, Tone]]
"""Lines of text that may hold anything, for ``line_rows``."""

KINDS: Mapping[str, tuple[str, Tone]] = {
    "log": ("L", "accent"), "memory": ("M", "good"), "note": ("N", "muted"),
    "episode": ("E", "match"), "entity": ("G", "text"),
}  # fmt: skip
"""The letter of each kind of memory, and its tone."""
PROMOTED = Shown("✓")
PINNED = Shown("⚑")
MARKED = Shown("•")
SOURCE = Shown("←")
HIDDEN = Shown("‽")
CURSOR = Shown("▎")
OPEN = Shown("▾")
CLOSED = Shown("▸")
EMPTY = Shown("")
GAP: tuple[str, Tone] = ("\n", "text")
"""An empty line among others; see ``line_rows``."""


class RowPart(NamedTuple):
    """A piece of a row with its tone."""

    text: Shown
    tone: Tone = "muted"


def piece(text: str, tone: Tone = "muted") -> RowPart:
    """A piece of a row. What comes from a file has been through ``row_text``: nothing is cleaned here."""
    return RowPart(Shown(text), tone)


def safe_piece(text: str, tone: Tone = "muted") -> RowPart:
    """A piece of a row, of text that may hold anything."""
    return RowPart(row_text(text), tone)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list.

    ``id`` stays the same through refreshes. ``fold`` is None for a leaf, else whether the row is open.
    ``lead`` stands before the text, ``tail`` at the right edge: its first parts are the first to go
    when room is short. ``emphasis`` are character ranges of ``text`` with a tone of their own. An
    ``inert`` row is passed over by the cursor. ``address`` is what actions take; ``entry`` is there
    when the row is one entry. ``labels`` are the ids of the entries whose text stands in its ``tail``.
    """

    id: str
    text: Shown
    tone: Tone = "text"
    depth: int = 0
    fold: bool | None = None
    lead: tuple[RowPart, ...] = ()
    tail: tuple[RowPart, ...] = ()
    emphasis: Spans = ()
    inert: bool = False
    path: str | None = None
    line: int = 1
    address: str | None = None
    entry: Entry | None = None
    labels: tuple[str, ...] = ()
    done: bool = False
    """Whether the entry already stands in long-term memory."""
    pinned: bool = False
    section: tuple[str, ...] = ()
    """The headings down to the one that the row stands for, in the file ``path``."""
    past: Shown = EMPTY
    """As of when the row is, where that is not today; then it can only be read."""
    root: str = ""
    """The folder of the workspace that ``path`` is in, where that is not today's of the one that is shown."""
    workspace: Shown = EMPTY
    """The name of that workspace, where it is another one; then it can only be read from here."""
    of: Any = field(default=None, compare=False)
    """What it stands for, to the screen that made it."""

    def holds(self, row_id: str) -> bool:
        """Whether it is the row of this id, or shows that one's text as a label."""
        return row_id == self.id or row_id in self.labels

    def at(self, entry: Entry) -> Row:
        """The same row, for this entry in its place."""
        return replace(
            self,
            path=entry.path,
            line=entry.start_line,
            address=entry.address,
            entry=entry,
            pinned=entry.pinned,
        )


def line_rows(lines: Iterable[tuple[str, Tone]], name: str = "fact") -> list[Row]:
    """Lines of text that may hold anything, as rows called ``name:0`` and so on; empty ones are left out."""
    return [
        Row(f"{name}:{number}", row_text(line), tone=tone, inert=line == GAP[0])
        for number, (line, tone) in enumerate(lines)
        if line
    ]


def text_lines(text: str, most: int) -> Lines:
    """The first lines of a text, for ``line_rows``."""
    return ((line, "text") if line else GAP for line in text.split("\n")[:most])


class Folds:
    """Which rows a person opened or closed, over what each is by default."""

    def __init__(self) -> None:
        self._said: dict[str, bool] = {}

    def is_open(self, row_id: str, *, default: bool = False) -> bool:
        """Whether the row with this id shows what is under it."""
        return self._said.get(row_id, default)

    def set(self, row_id: str, value: bool) -> None:
        """Open or close a row."""
        self._said[row_id] = value

    def section(self, row: Row, under: Iterable[Row], *, default: bool = False) -> Iterator[Row]:
        """A row that folds, and what is under it where it is open."""
        row = replace(row, fold=self.is_open(row.id, default=default))
        yield row
        if row.fold:
            yield from under


FENCE = re.compile(r"\s*(?:[-*+] +)?(?:`{3,}[^`]*|~{3,}.*)")
_INLINE = re.compile(
    EMPHASIS.pattern + r"|(?P<wiki>\[\[[^\[\]]{1,300}\]\])"
    r"|\[(?P<label>[^\[\]]{1,300})\]\((?P<url>[^()\s]{1,500})\)"
)
_LINE = re.compile(r"(?P<head>#{1,6} .*)|(?P<comment>\s*<!--.*)|(?P<mark>\s*(?:[-*+]|\d{1,9}[.)])(?= )|\s*>)")
_ROW, _RULE = re.compile(r"\s*\|.*\|\s*"), re.compile(r"[\s|:-]+")
_BETWEEN = re.compile(r"(?<!\\)\|")
"""What stands between cells; a bar that is written ``\\|`` is a part of its cell."""
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})\s*")
"""The line that makes the one above it a heading."""
_WIDEST = 110
"""Cells of a table that is drawn in columns."""


def inline(text: Shown, *, urls: bool = False) -> tuple[Shown, Spans]:
    """``text`` with its marks drawn instead of written; code keeps them. With ``urls`` links say where to."""
    out: list[str] = []
    spans: list[tuple[int, int, Tone]] = []
    at = length = 0
    for found in _INLINE.finditer(text):
        out.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        for part, tone in _parts(found, urls):
            out.append(part)
            spans.append((length, length + len(part), tone))
            length += len(part)
    if not spans:
        return text, ()
    return Shown("".join([*out, text[at:]])), tuple(spans)


def _parts(found: re.Match[str], urls: bool) -> Lines:
    if found["code"]:
        yield found["code"], "code"
    elif mark := found["mark"]:
        yield found["words"], "faint" if mark == "~~" else "em" if len(mark) == 1 else "head"
    else:
        yield found["wiki"] or found["label"], "link"
        if urls and found["url"]:
            yield f" ({found['url']})", "faint"


def drawn(lines: Sequence[Shown]) -> Iterator[tuple[Shown, Spans]]:
    """Lines of a document, one for one: tables in columns, the rest with its marks drawn."""
    fenced = False
    for is_row, group in groupby(lines, key=lambda line: bool(_ROW.fullmatch(line))):
        block = list(group)
        if is_row and not fenced and len(block) > 1 and (table := _table(block)):
            yield from table
            continue
        headed = False
        for line, following in zip(block, [*block[1:], Shown("")], strict=True):
            edge = bool(FENCE.fullmatch(line))
            if edge or fenced:
                yield line, ((0, len(line), "faint" if edge else "code"),)
            elif headed:
                yield line, ((0, len(line), "faint"),)
                headed = False
                continue
            elif headed := _is_headed(line, following):
                yield line, ((0, len(line), "title"),)
            else:
                yield _line(line)
            fenced ^= edge


def _is_headed(line: Shown, following: Shown) -> bool:
    """Whether a line is a heading because of the one beneath it."""
    words = bool(line.strip()) and not line.startswith("    ") and not _LINE.match(line)
    return words and not _UNDERLINE.fullmatch(line) and bool(_UNDERLINE.fullmatch(following))


def _line(line: Shown) -> tuple[Shown, Spans]:
    found = _LINE.match(line)
    if found and (found["head"] or found["comment"]):
        return line, ((0, len(line), "title" if found["head"] else "faint"),)
    text, spans = inline(line, urls=True)
    return text, ((0, found.end(), "accent"), *spans) if found else spans


def _table(rows: Sequence[Shown]) -> list[tuple[Shown, Spans]]:
    """The rows of a table in columns, its head bold; nothing where it is too wide, or has rules alone."""
    written = [_BETWEEN.split(row.strip()[1:-1]) for row in rows]
    rules = {at for at, row in enumerate(rows) if _RULE.fullmatch(row)}
    cells = [
        [] if at in rules else [inline(Shown(cell.strip().replace("\\|", "|"))) for cell in row]
        for at, row in enumerate(written)
    ]
    columns = zip_longest(*([text for text, _ in row] for row in cells), fillvalue="")
    widths = [max(map(cell_len, column)) for column in columns]
    if not widths or sum(widths) + 3 * len(widths) > _WIDEST:
        return []
    ways = map(str.strip, written[min(rules)] if rules else ())
    right = {at for at, way in enumerate(ways) if way.endswith(":") and not way.startswith(":")}
    out: list[tuple[Shown, Spans]] = []
    for number, row in enumerate(cells):
        text, spans = "", list[tuple[int, int, Tone]]()
        for at, (cell, marks) in enumerate(row):
            blank = " " * (widths[at] - cell_len(cell))
            text += "│ " if at else " "
            if at in right:
                text, blank = text + blank, ""
            head: Spans = ((0, len(cell), "head"),) if number == 0 and rules else ()
            spans += [(len(text) + first, len(text) + last, tone) for first, last, tone in (*head, *marks)]
            text += cell + blank + " "
        if not row:
            text = "┼".join("─" * (width + 2) for width in widths)
            spans.append((0, len(text), "faint"))
        out.append((Shown(text.rstrip()), tuple(spans)))
    return out
