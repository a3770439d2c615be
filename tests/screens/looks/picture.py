"""A screen as a picture: a small SVG that a browser shows, git compares line by line, and a test reads back.

One line of the file is one row of the screen. Colours are classes: ``c8fb3ff`` is that colour, ``a12`` the
terminal's own colour 12, ``ink`` and ``ground`` what it writes with and on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape, unescape

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

WIDTH, HEIGHT = 9, 18
"""Of a cell, in pixels."""
_FONT = "DejaVu Sans Mono,Menlo,Consolas,monospace"
_PALETTE = (
    *("#000000", "#cd0000", "#00a000", "#a08000", "#3465d8", "#b000b0", "#00a0a0", "#d0d0d0"),
    *("#808080", "#f04040", "#40d040", "#d0c020", "#6c8cff", "#e060e0", "#40d0d0", "#ffffff"),
)
_NAMED = {"ink": "#d0d0d0", "ground": "#101010", **{f"a{n}": hue for n, hue in enumerate(_PALETTE)}}
_ATTRIBUTES = {
    "b": "font-weight:bold", "d": "opacity:.6", "i": "font-style:italic", "u": "text-decoration:underline"
}  # fmt: skip
_RUN = re.compile(r'<tspan x="([\d.]+)"(?: class="([^"]*)")?>([^<]*)</tspan>')
_GROUND = re.compile(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)" height="18" class="(\w+)"/>')
_HEAD = re.compile(r'<svg [^>]*data-cells="(\d+)x(\d+)" data-ground="(\w+)"')


@dataclass(frozen=True, slots=True)
class Run:
    """Text from the cell ``x`` on, in one style."""

    x: int
    text: str
    ink: str
    ground: str
    attributes: str = ""

    @property
    def cells(self) -> int:
        """How wide it is."""
        return cell_len(self.text)


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of runs, each row as wide as the screen."""

    width: int
    rows: tuple[tuple[Run, ...], ...]

    @property
    def lines(self) -> list[str]:
        """What can be read."""
        return ["".join(run.text for run in row) for row in self.rows]


def of_strips(strips: Iterable[Strip], width: int) -> Picture:
    """What the compositor would send to the terminal."""
    return Picture(width, tuple(tuple(_runs(strip)) for strip in strips))


def _runs(segments: Iterable[Segment]) -> Iterable[Run]:
    at = 0
    kept: Run | None = None
    for segment in segments:
        run = _run(at, segment.text, segment.style or Style.null())
        at += run.cells
        if kept and (kept.ink, kept.ground, kept.attributes) == (run.ink, run.ground, run.attributes):
            kept = Run(kept.x, kept.text + run.text, run.ink, run.ground, run.attributes)
        else:
            if kept:
                yield kept
            kept = run
    if kept:
        yield kept


def _run(x: int, text: str, style: Style) -> Run:
    ink, ground = _named(style.color, "ink"), _named(style.bgcolor, "ground")
    if style.reverse:
        ink, ground = ground, ink
    said = (("b", style.bold), ("d", style.dim), ("i", style.italic), ("u", style.underline))
    return Run(x, text, ink, ground, "".join(letter for letter, on in said if on))


def _named(color: Color | None, default: str) -> str:
    if color is None or color.is_default:
        return default
    if color.number is not None and color.triplet is None:
        return f"a{color.number}"
    red, green, blue = color.get_truecolor()
    return f"c{red:02x}{green:02x}{blue:02x}"


# -- as a file ---------------------------------------------------------------------------------------


def to_svg(picture: Picture, title: str) -> str:
    """The file. The ground that most cells have is not written for each."""
    spread: Counter[str] = Counter()
    for row in picture.rows:
        for run in row:
            spread[run.ground] += run.cells
    base = spread.most_common(1)[0][0] if spread else "ground"
    body = [line for y, row in enumerate(picture.rows) for line in _row(row, y, base)]
    wide, high = f"{picture.width * WIDTH:g}", len(picture.rows) * HEIGHT
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
            f'data-cells="{picture.width}x{len(picture.rows)}" data-ground="{base}">',
            f"<title>{escape(title)}</title>",
            f"<style>{style_sheet(picture.rows)}</style>",
            f'<rect width="100%" height="100%" class="{base}"/>',
            *body,
            "</svg>\n",
        )
    )


def style_sheet(rows: Iterable[Sequence[Run]]) -> str:
    """What the classes of these rows look like."""
    runs = [run for row in rows for run in row]
    names = sorted({run.ink for run in runs} | {run.ground for run in runs})
    letters = sorted({letter for run in runs for letter in run.attributes})
    return (
        f"text{{font:15px {_FONT};white-space:pre}}"
        + "".join(f".{name}{{fill:{colour(name)}}}" for name in names)
        + "".join(f".{letter}{{{_ATTRIBUTES[letter]}}}" for letter in letters)
    )


def colour(name: str) -> str:
    """The colour of a class."""
    return _NAMED.get(name) or f"#{name[1:]}"


def _row(row: Sequence[Run], y: int, base: str) -> Iterable[str]:
    """The grounds of a row that differ, in one line, and what is written on them, in the next."""
    if grounds := "".join(_grounds(row, y, base)):
        yield grounds
    if text := written(row):
        yield f'<text y="{y * HEIGHT + 13}">{text}</text>'


def _grounds(row: Sequence[Run], y: int, base: str) -> Iterable[str]:
    start = 0
    for at, run in enumerate(row):
        if at + 1 < len(row) and row[at + 1].ground == run.ground:
            continue
        cells = run.x + run.cells - start
        if run.ground != base:
            x, wide = f"{start * WIDTH:g}", f"{cells * WIDTH:g}"
            yield f'<rect x="{x}" y="{y * HEIGHT}" width="{wide}" height="18" class="{run.ground}"/>'
        start += cells


def written(row: Sequence[Run]) -> str:
    """What a row says, its pieces placed one by one, so that no font can push them out of line."""
    out = []
    for run in row:
        at = run.x
        for piece in re.split(r"( {2,})", run.text):
            blank = not piece.strip(" ") and "u" not in run.attributes
            if piece and not blank:
                classes = " ".join((run.ink, *run.attributes))
                out.append(
                    f'<tspan x="{at * WIDTH:g}" class="{classes}">{escape(piece, quote=False)}</tspan>'
                )
            at += cell_len(piece)
    return "".join(out)


# -- read back, to tell what differs -------------------------------------------------------------------

Cells = list[list[tuple[str, str, str]]]
"""For each cell its character, what it is written with, and its ground."""


def cells_of(svg: str) -> Cells:
    """The cells of a file; what a blank would be written with is not kept in it."""
    head = _HEAD.search(svg)
    if head is None:
        return []
    width, height, base = int(head[1]), int(head[2]), head[3]
    cells = [[(" ", "", base)] * width for _ in range(height)]
    for found in _GROUND.finditer(svg):
        y = int(re.search(r'y="(\d+)"', found[0])[1]) // HEIGHT  # type: ignore[index]
        first, wide = round(float(found[1]) / WIDTH), round(float(found[2]) / WIDTH)
        for x in range(first, min(width, first + wide)):
            cells[y][x] = (" ", "", found[3])
    for line in re.finditer(r'<text y="(\d+)">(.*)</text>', svg):
        row = cells[(int(line[1]) - 13) // HEIGHT]
        for found in _RUN.finditer(line[2]):
            x = round(float(found[1]) / WIDTH)
            for character in unescape(found[3]):
                if x < width:
                    row[x] = (character, found[2], row[x][2])
                x += cell_len(character)
    return cells


def differences(before: str, after: str, most: int = 12) -> list[str]:
    """What differs between two files, row by row, as a person would say it."""
    old, new = cells_of(before), cells_of(after)
    if [len(old), len(old[0]) if old else 0] != [len(new), len(new[0]) if new else 0]:
        return ["the screen has another size"]
    told: list[str] = []
    for y, (was, now) in enumerate(zip(old, new, strict=True), 1):
        if was == now:
            continue
        texts = ["".join(cell[0] for cell in row).rstrip() for row in (was, now)]
        if texts[0] != texts[1]:
            told += [f"row {y:>2} was │{texts[0]}", f"       is  │{texts[1]}"]
        looks = [x for x in range(len(was)) if was[x][1:] != now[x][1:]]
        if looks and texts[0] == texts[1]:
            x = looks[0]
            told.append(
                f"row {y:>2}, cells {x + 1} to {looks[-1] + 1}: {now[x][0]!r} was {' on '.join(was[x][1:])}, "
                f"is {' on '.join(now[x][1:])}"
            )
    return [*told[:most], f"… and {len(told) - most} more"] if len(told) > most else told
