"""A box to write in, safe for any text, whose keys work in the order in which they are pressed."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widgets import TextArea

from workbench.safety.terminal import visible


class TextBox(TextArea):
    """Several lines of text; a tab goes on to what is next instead of being typed."""

    def __init__(self, text: str, *, id: str) -> None:
        super().__init__(text, id=id, soft_wrap=True, show_line_numbers=False, theme="css", compact=True)

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: also what is pasted reaches the terminal through one door."""
        return Text(visible(self.document.get_line(line_index)), end="", no_wrap=True)

    async def on_key(self, event: events.Key) -> None:
        """Edit: Textual lets these keys go up to the application first, where letters overtake them."""
        for binding in TextArea.BINDINGS:
            if isinstance(binding, Binding) and event.key in binding.key.split(","):
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return
