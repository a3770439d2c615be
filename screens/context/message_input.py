"""The line in which a message to the agent is typed, and the messages that were typed before."""

from __future__ import annotations

from textual import events

from screens.drawing.safe_text import row_text
from screens.widgets.query_input import QueryInput

LONGEST = 4_000
"""Characters of a message that can be typed or pasted: as many as are looked for."""
_REMEMBERED = 50


class MessageInput(QueryInput):
    """A line of text; what is pasted becomes one line in which nothing is invisible."""

    def __init__(self) -> None:
        super().__init__(
            placeholder="/ a message as you would send it to the agent",
            compact=True,
            id="message",
            max_length=LONGEST,
            select_on_focus=False,
        )

    def on_paste(self, event: events.Paste) -> None:
        """Put all lines in, one after the other."""
        event.stop()
        event.prevent_default()
        pasted = " ".join(event.text.split())
        whole = " ".join(filter(None, (row_text(pasted[at : at + 500]) for at in range(0, len(pasted), 500))))
        start, end = sorted(self.selection)
        self.replace(whole[: LONGEST - len(self.value) + end - start], start, end)


class Messages:
    """What was typed before, the newest last, and where in it a person is. Lives as long as the program."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._at = 0
        self._typing = ""

    @property
    def last(self) -> str:
        """The newest one; empty where there is none."""
        return self._kept[-1] if self._kept else ""

    def keep(self, text: str) -> None:
        """Remember it as the newest one, once."""
        if text.strip():
            self._kept = [*(one for one in self._kept if one != text), text][-_REMEMBERED:]
        self._at = len(self._kept)

    def older(self, text: str) -> str:
        """The one before; what is being typed is kept for the way back."""
        if self._at == len(self._kept):
            self._typing = text
        self._at = max(0, self._at - 1)
        return self._kept[self._at] if self._kept else text

    def newer(self, text: str) -> str:
        """The one after it, at last what was being typed."""
        if self._at >= len(self._kept):
            return text
        self._at += 1
        return self._typing if self._at == len(self._kept) else self._kept[self._at]
