"""How full long-term memory is: a bar, the numbers, and a word."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from screens.drawing.safe_text import grouped

_TIGHT = 0.85


class BudgetMeter(Widget, can_focus=False):
    """One line: ``━━━━━━╌╌╌╌ 9 412 / 10 000 tight``."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"meter--good", "meter--warn", "meter--bad", "meter--rest"}
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._used = 0
        self._budget = 0

    def show(self, used: int, budget: int) -> None:
        """``used`` of ``budget`` characters."""
        if (used, budget) != (self._used, self._budget):
            self._used, self._budget = used, budget
            self.refresh()

    @property
    def word(self) -> str:
        """What the numbers mean: ok, tight or over."""
        if self._used > self._budget:
            return "over"
        return "tight" if self._used > _TIGHT * self._budget else "ok"

    def render(self) -> Text:
        """The line, as wide as there is room."""
        if not self._budget:
            return Text()
        tone = {"ok": "good", "tight": "warn", "over": "bad"}[self.word]
        numbers = f" {grouped(self._used)} / {grouped(self._budget)} {self.word}"
        width = self.content_size.width - len(numbers)
        filled = min(width, round(width * self._used / self._budget))
        line = Text(no_wrap=True, overflow="crop")
        if width >= 4:
            line.append("━" * filled, self._style(f"meter--{tone}"))
            line.append("╌" * (width - filled), self._style("meter--rest"))
        line.append(numbers if width >= 4 else numbers.strip(), self._style(f"meter--{tone}"))
        return line

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name, partial=True)
