"""The card that a step stands on: it takes no keys and hides nothing that is typed."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class TourCard(Static):
    """A few lines over the hints of the main screen."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, title: str, text: str, leave: str) -> None:
        """Show a step."""
        self.border_title = Content(title)
        self.border_subtitle = Content(leave)
        self.update(Content(text))
