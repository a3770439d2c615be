"""The preview: an entry in its surroundings, its facts above, its history and related entries below."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from screens.drawing.safe_text import Shown
from screens.loading.workspace_model import Preview, PreviewLine
from screens.widgets.entry_list import LineView, clipped, wrap
from screens.widgets.lines import Toned

_TONES = (
    "front", "context", "entry", "note", "label", "fact", "warning", "bar", "rule", "match", "here",
    "em", "code", "link", "title", "head", "faint", "accent",
)  # fmt: skip
_OVER = frozenset(_TONES[-7:])
"""What is laid over the tone of a line, which keeps its ground."""
_NUMBER = 6
_MARGIN = " " * (_NUMBER + 1)
_MAX_FACT_LINES = 4
_LOW = 6
"""With fewer lines the entry itself comes first, and what is known of it is below."""
_KEPT = 4000
"""Characters of a line whose parts are remembered."""
SORTS = ("related", "history")
"""What stands beneath the file's lines, in this order."""
_FACTS = ("recalled", "count")
"""What joins the facts above them."""


class DetailLine(NamedTuple):
    """A line under the file's: what it is, what it says, and the entry that it leads to, if any."""

    name: Shown
    text: Shown
    address: str = ""


class Piece(NamedTuple):
    """One line as drawn: a part of line ``at`` of the file from character ``start`` on, or one beneath."""

    number: str
    text: str
    tone: str
    at: int = -1
    start: int = 0
    address: str = ""


class PreviewPane(LineView, Toned, can_focus=False, inherit_bindings=False):
    """Lines of a file with the entry brought out."""

    SORT = "preview"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"preview--{tone}" for tone in _TONES}

    @dataclass
    class Followed(Message):
        """A line that leads to an entry was clicked."""

        address: str

    def __init__(self) -> None:
        super().__init__(id="preview")
        self.shown: Preview | None = None
        self.beneath: dict[str, Sequence[DetailLine]] = {}
        """What stands beneath the file's lines, by sort."""
        self._ahead: tuple[str, Mapping[str, Sequence[DetailLine]]] = ("", {})
        """What was told of an entry before it was shown: on a busy machine its lines may come later."""
        self.matches: Sequence[TextMatch] = ()
        self.match = 0
        self._sought = ""
        self._head: list[Strip] = []
        self._body: list[Piece] = []
        """Each wrapped line; drawn when it comes into view."""
        self._styles: dict[str, Style] = {}
        self._width = 1
        """Columns that the lines are laid out for."""
        self._focus_at = 0
        self._room = 0
        """Lines of the file that there was room for when they were laid out."""

    def show(self, preview: Preview | None) -> None:
        """Show ``preview``; the view stays where it is when it is about the same entry as before."""
        same = preview and self.shown and preview.key == self.shown.key
        if not same:
            key, ahead = self._ahead
            self.beneath = {}
            if preview and preview.key == key:
                self.beneath, self._ahead = dict(ahead), ("", {})
        self.shown = preview
        self.border_title = Content(preview.where) if preview else Content("")
        focus = self._focus_at
        self._lay_out()
        if self._sought:
            self.find(self._sought)
        elif same:
            self.scroll_by(self._focus_at - focus)  # the entry stays where it is, also when lines above it go
        else:
            self.jump(self._focus_at - self._above())

    def show_beneath(self, key: str, **more: Sequence[DetailLine]) -> None:
        """What else is known of the entry, by sort; kept until the entry is shown."""
        if self.shown is None or self.shown.key != key:
            told, ahead = self._ahead
            self._ahead = key, {**ahead, **more} if told == key else more
        elif not more.items() <= self.beneath.items():
            self.beneath.update(more)
            self._lay_out()

    # -- finding ---------------------------------------------------------------------------------

    def find(self, sought: str) -> None:
        """Bring out every place where this stands, and go to the first one from the entry on."""
        self._sought = sought
        lines = self.shown.lines if self.shown else ()
        self.matches = matches_in([line.text for line in lines], sought)
        focus = self.shown.focus if self.shown else 0
        self.match = next((at for at, match in enumerate(self.matches) if match.line >= focus), 0)
        self._show_match()

    def step(self, steps: int) -> None:
        """Go to another match, round and round."""
        if self.matches:
            self.match = (self.match + steps) % len(self.matches)
            self._show_match()

    def _show_match(self) -> None:
        said = ""
        if self._sought:
            said = f"{self.match + 1}/{len(self.matches)}" if self.matches else "not here"
            said += " in this part of the file" if self.shown and self.shown.partial else ""
        self.border_subtitle = Content(said)
        if self.matches:
            line = self._line_of(self.matches[self.match])
            top, height = self.scroll_offset.y, self.size.height - len(self._head)
            if not top <= line < top + height - 1:
                self.jump(line - height // 3)
        self.refresh()

    def _line_of(self, match: TextMatch) -> int:
        """The drawn line that a match begins in."""
        pieces = (
            at for at, piece in enumerate(self._body)
            if piece.at == match.line and match.start < piece.start + max(1, len(piece.text))
        )  # fmt: skip
        return next(pieces, 0)

    def scroll_by(self, lines: int) -> None:
        """Scroll, without taking the focus."""
        self.jump(self.scroll_offset.y + lines)

    def render_line(self, y: int) -> Strip:
        """Line ``y`` of the view: the pinned head, then the body from where it is scrolled to."""
        if y < len(self._head):
            return self._head[y]
        at = self.scroll_offset.y + y - len(self._head)
        return self._draw(self._body[at]) if at < len(self._body) else self._plain("", "fact")

    def on_click(self, event: events.Click) -> None:
        """A line that leads somewhere is followed."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < len(self._head):
            return
        below = self._body[self.scroll_offset.y + offset.y - len(self._head) :]
        if below and below[0].address:
            self.post_message(self.Followed(below[0].address))

    def on_resize(self) -> None:
        """Wrap again; what a person reads stays: the entry where it is in view, else the line at the top."""
        above, room, top = self._focus_at - self.scroll_offset.y, self._room, self.scroll_offset.y
        first = self._body[top] if top < len(self._body) else None
        self._lay_out()
        if not room or 0 <= above < room:
            fits = room and above < self._room - 1
            self.jump(self._focus_at - (above if fits else self._above()))
        elif first is not None and first.tone != "fact":
            lines = ((at, piece) for at, piece in enumerate(self._body) if piece.at == first.at)
            self.jump(next((at for at, piece in lines if piece.start + len(piece.text) > first.start), top))

    def _above(self) -> int:
        """How many lines are shown above an entry: as there is room."""
        return max(0, min(2, self._room // 3 - 1))

    def notify_style_update(self) -> None:
        """Draw again in other colours."""
        super().notify_style_update()
        self._styles = {}
        if self.is_attached and self.shown:
            self.call_after_refresh(self._lay_out)

    def _style(self, tone: str) -> Style:
        if not self._styles:
            ground = Style.from_color(self.rich_style.color, self.rich_style.bgcolor)
            for name in _TONES:
                own = self.tone(name)
                self._styles[name] = own if name in _OVER else ground + own
        return self._styles[tone]

    def _lay_out(self) -> None:
        preview = self.shown
        self._width = max(1, self.scrollable_content_region.width)
        if preview is not None and not self.size.width:
            return  # it is not shown at all now: where one reads is known when it is again
        self._head, self._body, self._focus_at = [], [], 0
        if preview is not None and self.size.width > _NUMBER + 4:
            low = self.size.height < _LOW
            self._head = self._warnings(preview) if low else self._facts(preview)
            for at, line in enumerate(preview.lines):
                if at == preview.focus:
                    self._focus_at = len(self._body)
                self._body += self._wrapped(line, at)
            for name, value in self._known(preview) if low else ():
                self._body.append(Piece("", f"{_MARGIN}{name:<8} {value}", "fact"))
            for name in SORTS:
                lines = self.beneath.get(name, ())
                if lines:
                    self._body.append(Piece("", "", "fact"))
                for line_beneath in lines:
                    text = f"{_MARGIN}{line_beneath.name:<9}{line_beneath.text}"
                    self._body.append(Piece("", text, "fact", address=line_beneath.address))
        self._room = max(0, self.size.height - len(self._head))
        self.set_lines(len(self._head) + len(self._body))
        self.refresh()

    def _known(self, preview: Preview) -> list[tuple[str, str]]:
        return [
            *preview.facts,
            *((one.name, one.text) for sort in _FACTS for one in self.beneath.get(sort, ())),
        ]

    def _warnings(self, preview: Preview) -> list[Strip]:
        most = max(2, self.size.height // 4)
        return [self._plain(f" ‽ {text}", "warning") for text in preview.warnings[:most]]

    def _facts(self, preview: Preview) -> list[Strip]:
        """The facts in as few lines as they fit, warnings, and a rule."""
        label, fact = self._style("label"), self._style("fact")
        room = max(1, min(_MAX_FACT_LINES, self.size.height // 4))
        rows: list[list[Segment]] = [[]]
        used = 0
        for name, value in self._known(preview):
            cells = cell_len(name) + cell_len(value) + 4
            if used and used + cells > self._width:
                rows.append([])
                used = 0
            shown = clipped(value, min(cell_len(value), max(4, self._width - cell_len(name) - 3)))
            rows[-1] += [Segment(f" {name} ", label), Segment(shown + "  ", fact)]
            used += cells
        strips = [Strip(row).adjust_cell_length(self._width, fact) for row in rows[:room] if row]
        strips += self._warnings(preview)
        strips.append(Strip([Segment("─" * self._width, self._style("rule"))], self._width))
        return strips

    def _wrapped(self, line: PreviewLine, at: int) -> list[Piece]:
        """A file's line in as many parts as it needs, its number before the first."""
        width = max(4, self._width - _NUMBER - 1)
        number = f"{line.number:>{_NUMBER - 1}} " if line.number else ""
        if len(line.text) <= width and cell_len(line.text) <= width:
            return [Piece(number, line.text, line.role, at)]
        parts = (wrap if len(line.text) <= _KEPT else wrap.__wrapped__)(line.text, width)
        return [
            Piece("" if n else number, text, line.role, at, start) for n, (start, text) in enumerate(parts)
        ]

    def _draw(self, piece: Piece) -> Strip:
        if piece.tone == "fact":
            return self._plain(piece.text, piece.tone)
        label, style = self._style("label"), self._style(piece.tone)
        bar = Segment("▎", self._style("bar")) if piece.tone == "entry" else Segment(" ", label)
        text = Text(piece.text, end="")
        text.stylize(style)
        for start, end, mark in self.shown.lines[piece.at].spans if self.shown and piece.at >= 0 else ():
            text.stylize(self._style(mark), max(0, start - piece.start), max(0, end - piece.start))
        here = self.matches[self.match] if self.matches else None
        for match in matches_on(self.matches, piece.at):
            start, end = max(0, match.start - piece.start), max(0, match.end - piece.start)
            text.stylize(self._style("here" if match is here else "match"), start, end)
        segments = [Segment(piece.number.ljust(_NUMBER), label), bar, *text.render(self.app.console)]
        return Strip(segments).adjust_cell_length(self._width, style)

    def _plain(self, text: str, tone: str) -> Strip:
        style = self._style(tone)
        return Strip([Segment(clipped(text, self._width), style)]).adjust_cell_length(self._width, style)


MOST = 10_000
"""Matches that are counted; nobody steps through more."""


class TextMatch(NamedTuple):
    """Characters ``start`` up to ``end`` of line ``line``."""

    line: int
    start: int
    end: int


def matches_in(lines: Sequence[str], sought: str) -> tuple[TextMatch, ...]:
    """Every place where ``sought`` stands; capitals count only where it has some itself."""
    if not sought.strip():
        return ()
    pattern = re.compile(re.escape(sought), 0 if sought != sought.lower() else re.IGNORECASE)
    found = (
        TextMatch(at, *match.span()) for at, line in enumerate(lines) for match in pattern.finditer(line)
    )
    return tuple(islice(found, MOST))


def matches_on(matches: Sequence[TextMatch], line: int) -> Sequence[TextMatch]:
    """Those of these matches, which are in order, that stand in this line."""
    return matches[bisect_left(matches, (line,)) : bisect_left(matches, (line + 1,))]
