"""Lines to type in: keys in their order; the one that is searched with draws conditions in their tones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from itertools import takewhile
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

from screens.drawing.clock import today
from workbench.safety.terminal import in_place

SORTS = ("field", "phrase", "not")


async def edit_at_once(field: Widget, event: events.Key, bindings: Iterable[BindingType]) -> None:
    """Do what a key means by the ``bindings`` of Textual's own field, before the application hears of it."""
    for binding in bindings:
        if isinstance(binding, Binding) and event.key in binding.key.split(","):
            event.stop()
            event.prevent_default()
            await field.run_action(binding.action)
            return


class QueryInput(Input):
    """A line of text whose editing keys work in the order in which they are pressed.

    Textual lets them go all the way up to the application first, where letters overtake them.
    """

    @property
    def _value(self) -> Text:
        """What is drawn of the text: also what is pasted reaches the terminal through one door."""
        if self.password:
            return super()._value
        text = Text(in_place(self.value), no_wrap=True, overflow="ignore", end="")
        return text if self.highlighter is None else self.highlighter(text)

    async def on_key(self, event: events.Key) -> None:
        """Edit."""
        await edit_at_once(self, event, Input.BINDINGS)


class LanguageInput(QueryInput):
    """The line that is searched with. ``going_on`` answers how a text goes on, None for nowhere."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"query--{sort}" for sort in SORTS}

    def __init__(self, placeholder: str) -> None:
        super().__init__(
            placeholder=placeholder,
            compact=True,
            id="query",
            highlighter=_Marking(self._style_of),
            suggester=_Continuing(self._continued),
            select_on_focus=False,
        )
        self.going_on: Callable[[str], Awaitable[str | None]] | None = None
        self._instead = "", ""

    async def _continued(self, text: str) -> str | None:
        """What is drawn behind the text; where it is no addition, the key puts it in the text's place."""
        self._instead = "", ""
        whole = await self.going_on(text) if self.going_on else None
        kept = takewhile(lambda pair: pair[0] == pair[1], zip(text, whole or "", strict=False))
        added = (whole or "")[sum(1 for _ in kept) :]
        if whole is None or in_place(added) != added:
            return None  # nobody would know what they take with the key
        if whole.startswith(text):
            return whole
        self._instead = text, whole
        return None

    def action_cursor_right(self, select: bool = False) -> None:
        """Take what is offered at the end of the line; elsewhere go on by one."""
        before, whole = self._instead
        if whole and before == self.value and self.cursor_at_end and self.selection.is_empty and not select:
            self.value = whole
            self.cursor_position = len(whole)
        else:
            super().action_cursor_right(select)

    def _style_of(self, sort: str) -> Style:
        return self.get_component_rich_style(f"query--{sort}", partial=True)


class _Marking(Highlighter):
    """Draws what is a condition and no word."""

    def __init__(self, style: Callable[[str], Style]) -> None:
        self._style = style

    def highlight(self, text: Text) -> None:
        """Style the ranges in place."""
        from screens.search.parsed_query import marked  # noqa: PLC0415 - not before the first paint

        for start, end, sort in marked(text.plain, today()) if text.plain.strip() else ():
            text.stylize(self._style(sort), start, end)


class _Continuing(Suggester):
    """Offers the end of a field's name or value; the box takes it with →."""

    def __init__(self, continued: Callable[[str], Awaitable[str | None]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._continued = continued

    async def get_suggestion(self, value: str) -> str | None:
        """The whole text, continued."""
        return await self._continued(value)


class NarrowLine(QueryInput):
    """One line, hidden until it is opened. What is typed stays when it is left."""

    def __init__(self, placeholder: str, *, id: str) -> None:
        super().__init__(
            placeholder=placeholder, compact=True, id=id, classes="narrow", select_on_focus=False
        )
        self.display = False
