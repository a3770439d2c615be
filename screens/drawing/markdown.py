"""Markdown as it is drawn: emphasis, code and links of a line; headings, code and tables of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len

from screens.drawing.safe_text import Shown, Tone
from workbench.memory.entry import EMPHASIS

Spans = tuple[tuple[int, int, Tone], ...]
"""Character ranges of a text with a tone of their own."""
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


def _parts(found: re.Match[str], urls: bool) -> Iterator[tuple[str, Tone]]:
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
    """The rows of a table in columns, its head bold; nothing where it is too wide."""
    written = [_BETWEEN.split(row.strip()[1:-1]) for row in rows]
    cells = [[inline(Shown(cell.strip().replace("\\|", "|"))) for cell in row] for row in written]
    columns = max(map(len, cells))
    ruled = [bool(_RULE.fullmatch(row)) for row in rows]
    widths = [
        max(
            (
                cell_len(row[at][0])
                for row, rule in zip(cells, ruled, strict=True)
                if not rule and at < len(row)
            ),
            default=0,
        )
        for at in range(columns)
    ]
    if sum(widths) + 3 * columns > _WIDEST:
        return []
    ways = next((row for row, rule in zip(written, ruled, strict=True) if rule), [])
    right = {
        at for at, way in enumerate(ways) if way.strip().endswith(":") and not way.strip().startswith(":")
    }
    out: list[tuple[Shown, Spans]] = []
    for number, (row, rule) in enumerate(zip(cells, ruled, strict=True)):
        if rule:
            text = "┼".join("─" * (width + 2) for width in widths)
            out.append((Shown(text), ((0, len(text), "faint"),)))
            continue
        text, spans = "", list[tuple[int, int, Tone]]()
        for at, (cell, marks) in enumerate(row):
            blank = " " * (widths[at] - cell_len(cell))
            text += "│ " if at else " "
            if at in right:
                text, blank = text + blank, ""
            head: Spans = ((0, len(cell), "head"),) if number == 0 and any(ruled) else ()
            spans += [(len(text) + first, len(text) + last, tone) for first, last, tone in (*head, *marks)]
            text += cell + blank + " "
        out.append((Shown(text.rstrip()), tuple(spans)))
    return out
