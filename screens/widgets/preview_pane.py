"""The preview: an entry in its surroundings, its facts pinned above, its history below."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip

from screens.shown import Shown
from screens.snapshots import Preview, PreviewLine
from screens.widgets.line_view import LineView
from screens.widgets.row_strip import clipped

_TONES = ("front", "context", "entry", "note", "label", "fact", "warning", "bar", "rule")
_NUMBER = 6
_MARGIN = " " * (_NUMBER + 1)
_MAX_FACT_LINES = 4


class PreviewPane(LineView, can_focus=False, inherit_bindings=False):
    """Lines of a file with the entry brought out."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"preview--{tone}" for tone in _TONES}

    def __init__(self) -> None:
        super().__init__(id="preview")
        self.shown: Preview | None = None
        self.history: tuple[Shown, ...] = ()
        self._head: list[Strip] = []
        self._body: list[tuple[str, str, str]] = []
        """Number, text and tone of each wrapped line; drawn when it comes into view."""
        self._styles: dict[str, Style] = {}
        self._focus_at = 0

    def show(self, preview: Preview | None) -> None:
        """Show ``preview``; the view stays where it is when it is about the same entry as before."""
        same = preview and self.shown and preview.key == self.shown.key
        if not same:
            self.history = ()
        self.shown = preview
        self.border_title = Content(preview.where) if preview else Content("")
        focus = self._focus_at
        self._lay_out()
        if same:
            self.scroll_by(self._focus_at - focus)  # the entry stays where it is, also when lines above it go
        else:
            above = max(0, min(2, (self.size.height - len(self._head)) // 3 - 1))
            self.jump(self._focus_at - above)

    def show_history(self, key: str, lines: tuple[Shown, ...]) -> None:
        """What was done to the entry, newest first; ignored when another entry is shown by now."""
        if self.shown and self.shown.key == key and lines != self.history:
            self.history = lines
            self._lay_out()

    def scroll_by(self, lines: int) -> None:
        """Scroll, without taking the focus."""
        self.jump(self.scroll_offset.y + lines)

    def render_line(self, y: int) -> Strip:
        """Line ``y`` of the view: the pinned head, then the body from where it is scrolled to."""
        if y < len(self._head):
            return self._head[y]
        at = self.scroll_offset.y + y - len(self._head)
        return self._draw(*self._body[at]) if at < len(self._body) else self._plain("", "fact")

    def on_resize(self) -> None:
        """Wrap again."""
        self._lay_out()

    def notify_style_update(self) -> None:
        """Draw again in other colours."""
        super().notify_style_update()
        self._styles = {}
        if self.is_attached and self.shown:
            self.call_after_refresh(self._lay_out)

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    def _style(self, tone: str) -> Style:
        if not self._styles:
            ground = Style.from_color(self.rich_style.color, self.rich_style.bgcolor)
            for name in _TONES:
                own = self.get_component_rich_style(f"preview--{name}", partial=True)
                self._styles[name] = ground + own
        return self._styles[tone]

    def _lay_out(self) -> None:
        preview = self.shown
        self._head, self._body, self._focus_at = [], [], 0
        if preview is not None and self.size.width > _NUMBER + 4:
            self._head = self._facts(preview)
            for at, line in enumerate(preview.lines):
                if at == preview.focus:
                    self._focus_at = len(self._body)
                self._body += self._wrapped(line)
            if self.history:
                self._body.append(("", "", "fact"))
                self._body += [("", _MARGIN + "history  " + text, "fact") for text in self.history]
        self.set_lines(len(self._head) + len(self._body))
        self.refresh()

    def _facts(self, preview: Preview) -> list[Strip]:
        """The facts in as few lines as they fit, warnings, and a rule."""
        label, fact = self._style("label"), self._style("fact")
        room = max(1, min(_MAX_FACT_LINES, self.size.height // 4))
        rows: list[list[Segment]] = [[]]
        used = 0
        for name, value in preview.facts:
            cells = cell_len(name) + cell_len(value) + 4
            if used and used + cells > self._width:
                rows.append([])
                used = 0
            shown = clipped(value, min(cell_len(value), max(4, self._width - cell_len(name) - 3)))
            rows[-1] += [Segment(f" {name} ", label), Segment(shown + "  ", fact)]
            used += cells
        strips = [Strip(row).adjust_cell_length(self._width, fact) for row in rows[:room] if row]
        strips += [
            self._plain(f" ‽ {text}", "warning") for text in preview.warnings[: max(2, self.size.height // 4)]
        ]
        strips.append(Strip([Segment("─" * self._width, self._style("rule"))], self._width))
        return strips

    def _wrapped(self, line: PreviewLine) -> list[tuple[str, str, str]]:
        """A file's line in as many parts as it needs, its number before the first."""
        width = max(4, self._width - _NUMBER - 1)
        number = f"{line.number:>{_NUMBER - 1}} " if line.number else ""
        if len(line.text) <= width and cell_len(line.text) <= width:
            return [(number, line.text, line.role)]
        parts = Content(line.text).wrap(width)
        return [(number if at == 0 else "", part.plain, line.role) for at, part in enumerate(parts)]

    def _draw(self, number: str, text: str, role: str) -> Strip:
        if role == "fact":
            return self._plain(text, role)
        label, style = self._style("label"), self._style(role)
        bar = Segment("▎", self._style("bar")) if role == "entry" else Segment(" ", label)
        strip = Strip([Segment(number.ljust(_NUMBER), label), bar, Segment(text, style)])
        return strip.adjust_cell_length(self._width, style)

    def _plain(self, text: str, tone: str) -> Strip:
        style = self._style(tone)
        return Strip([Segment(clipped(text, self._width), style)]).adjust_cell_length(self._width, style)
