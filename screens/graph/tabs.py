"""The views of the screen by their keys, with how much waits in each; a click chooses one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from screens.actions.availability import FocusContext
from screens.drawing.safe_text import Shown, grouped, words

VIEWS: Mapping[FocusContext, tuple[str, Shown]] = {
    FocusContext.GRAPH: ("N", words("Relations")),
    FocusContext.PAIRS: ("D", words("Duplicates")),
    FocusContext.CLAIMS: ("C", words("Contradictions")),
    FocusContext.DUE: ("S", words("Schedule")),
}
"""The views in their order, each with its key and name."""
_SHORT: Mapping[FocusContext, Shown] = {
    FocusContext.GRAPH: words("Relations"),
    FocusContext.PAIRS: words("Dupl."),
    FocusContext.CLAIMS: words("Contrad."),
    FocusContext.DUE: words("Sched."),
}
_ROOMY = 70


class ViewTabs(Widget, can_focus=False):
    """One line: `N Relations  D Duplicates 3  C Contradictions 1  S Schedule 2 late`."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--key", "tabs--tab", "tabs--current", "tabs--count"}

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, place: FocusContext) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(id="graph-tabs")
        self.current = FocusContext.GRAPH
        self.counts: dict[FocusContext, int] = {}

    def show(self, current: FocusContext, counts: Mapping[FocusContext, int]) -> None:
        """Bring out the current one, and say what waits."""
        self.current, self.counts = current, dict(counts)
        self.refresh()

    def render(self) -> Text:
        """The line."""
        line = Text(" ", no_wrap=True, overflow="crop")
        for place, pieces in self._pieces():
            current = place is self.current
            for text, tone in pieces:
                line.append(text, self._tone("current" if current and tone == "tab" else tone))
        return line

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        edge = 1
        for place, pieces in self._pieces():
            edge += sum(len(text) for text, _ in pieces)
            if event.x < edge:
                self.post_message(self.Chosen(place))
                return

    def _pieces(self) -> Iterator[tuple[FocusContext, list[tuple[str, str]]]]:
        names = {place: name for place, (_, name) in VIEWS.items()} if self.size.width >= _ROOMY else _SHORT
        for place, (key, _) in VIEWS.items():
            count = self.counts.get(place)
            late = " late" if place is FocusContext.DUE and self.size.width >= _ROOMY else ""
            said = f" {grouped(count)}{late}" if count else ""
            yield place, [(key, "key"), (" ", "tab"), (names[place], "tab"), (said, "count"), ("  ", "key")]

    def _tone(self, name: str) -> Style:
        return self.get_component_rich_style(f"tabs--{name}", partial=True)
