"""The one-line widgets around the panes: title, banner, tabs, hints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from screens.actions.keys import key_called, types_a_character
from screens.drawing.safe_text import Shown, grouped

_PLACE = 8
"""Cells that are kept for where the memory is."""


class _Line(Widget, can_focus=False):
    """One line of text in the tones of its component classes."""

    ALLOW_SELECT = False

    def tone(self, name: str) -> Style:
        """The style of a component class."""
        return self.get_component_rich_style(f"line--{name}", partial=True)


class TitleLine(_Line):
    """The program, the workspace, and at the right end how search and index are doing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--name", "line--place", "line--good", "line--busy", "line--warn"
    }  # fmt: skip

    def __init__(self, place: Shown) -> None:
        super().__init__(id="title")
        self._place = place
        self.status = Shown("")
        self._tone = "busy"

    def retitle(self, place: Shown) -> None:
        """Say where the memory is."""
        self._place = place
        self.refresh()

    def show(self, status: Shown, tone: str) -> None:
        """Say how the index is doing; ``tone`` is good, busy or warn."""
        if (status, tone) != (self.status, self._tone):
            self.status, self._tone = status, tone
            self.refresh()

    def render(self) -> Text:
        """The line."""
        width = self.size.width
        name, right = " Memory Workbench ", f"{self.status} " if self.status else ""
        if cell_len(name) + cell_len(right) + _PLACE > width:
            name, right = " Workbench ", f"{self.status.partition(' · ')[0]} " if self.status else ""
        if cell_len(name) + cell_len(right) + _PLACE > width:
            name = " "
        line = Text(no_wrap=True, overflow="crop")
        line.append(name, self.tone("name"))
        place = Text(self._place, self.tone("place"))
        place.truncate(max(0, width - cell_len(name) - cell_len(right) - 1), overflow="ellipsis")
        line.append_text(place)
        gap = width - line.cell_len - cell_len(right)
        if gap >= 0:
            line.append(" " * gap)
            line.append(right, self.tone(self._tone))
        return line


class Banner(_Line):
    """What does not work here and what to do about it, in as many lines as that takes. Hidden else."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--text"}

    def __init__(self) -> None:
        super().__init__(id="banner")
        self.text = Shown("")
        self.display = False

    def show(self, text: Shown) -> None:
        """Say it, or nothing."""
        if text != self.text:
            self.text = text
            self.display = bool(text)
            self.refresh(layout=True)

    def render(self) -> Text:
        """The lines."""
        return Text(f"! {self.text}", self.tone("text"))


class TabLine(_Line):
    """Panes or views by key and name, each with what waits in it; a click chooses one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--key", "line--tab", "line--current", "line--count"}

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        index: int

    def __init__(self, names: Sequence[str], keys: str = "123456789", *, short: Sequence[str] = ()) -> None:
        """``short`` names stand where there is no room for the others."""
        super().__init__(id="tabs")
        self._names = names
        self._keys = keys
        self._short = short or names
        self._current = 0
        self._counts: Mapping[int, str] = {}
        self._away = Shown("")

    def show(self, current: int, counts: Mapping[int, str] | None = None) -> None:
        """Bring out the current tab, and say what waits."""
        if (current, counts or {}) != (self._current, self._counts):
            self._current, self._counts = current, counts or {}
            self.refresh()

    def typing(self, away: Shown) -> None:
        """While keys are text they are not shown; ``away`` says how to get where they are keys."""
        if away != self._away:
            self._away = away
            self.refresh()

    def render(self) -> Text:
        """The line."""
        line = Text(no_wrap=True, overflow="crop")
        for at, (name, count) in enumerate(self._tabs()):
            current = at == self._current
            line.append(name[:2], self.tone("current" if current else "key"))
            line.append(name[2:], self.tone("current" if current else "tab"))
            line.append(count, self.tone("count"))
        line.append(f" {self._away}" if self._away else "", self.tone("tab"))
        return line

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        edge = 0
        for at, (name, count) in enumerate(self._tabs()):
            edge += len(name) + len(count)
            if event.x < edge:
                self.post_message(self.Chosen(at))
                return

    def _tabs(self) -> list[tuple[str, str]]:
        """Each with its count; the short names where the others do not fit."""
        counts = [f"{self._counts[at]} " if at in self._counts else "" for at in range(len(self._names))]
        tabs: list[tuple[str, str]] = []
        for names in (self._names, self._short):
            keys = "·" * len(names) if self._away else self._keys
            tabs = [(f" {key} {name} ", count) for key, name, count in zip(keys, names, counts, strict=False)]
            if sum(len(name) + len(count) for name, count in tabs) <= self.size.width:
                break
        return tabs


class HintLine(_Line):
    """The keys that do something here and now, as many as fit; help always last."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--key", "line--label"}

    def __init__(self) -> None:
        super().__init__(id="hints")
        self.hints: Sequence[tuple[str, str]] = ()

    def show(self, hints: Sequence[tuple[str, str]]) -> None:
        """Show these keys with their labels."""
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def render(self) -> Text:
        """The line."""
        line = Text(" ", no_wrap=True, overflow="crop")
        for hint in self._fitting():
            self._append(line, hint)
        return line

    def on_click(self, event: events.Click) -> None:
        """A click on a hint presses its key."""
        edge = 1
        for hint in self._fitting():
            edge += self._cells(hint)
            if event.x < edge:
                key = key_called(hint[0]) if event.x else None
                if key is not None:
                    self.app.post_message(events.Key(key, hint[0] if types_a_character(key) else None))
                return

    def _fitting(self) -> Iterator[tuple[str, str]]:
        """Those that there is room for."""
        *others, last = self.hints or [("", "")]
        room = self.size.width - 1 - self._cells(last)
        for hint in others:
            if self._cells(hint) <= room:
                room -= self._cells(hint)
                yield hint
        yield last

    @staticmethod
    def _cells(hint: tuple[str, str]) -> int:
        return cell_len(hint[0]) + cell_len(hint[1]) + 3

    def _append(self, line: Text, hint: tuple[str, str]) -> None:
        line.append(hint[0], self.tone("key"))
        line.append(f" {hint[1]}  ", self.tone("label"))


_NEARLY_FULL = 0.85


class BudgetMeter(Widget, can_focus=False):
    """One line: ``━━━━━━╌╌╌╌ 9 412 / 10 000 tight``; a unit other than characters is named."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"meter--good", "meter--warn", "meter--bad", "meter--rest"}
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._used = 0
        self._budget = 0
        self._unit = ""

    def show(self, used: int, budget: int, unit: str) -> None:
        """``used`` of ``budget`` of a unit."""
        if (used, budget, unit) != (self._used, self._budget, self._unit):
            self._used, self._budget, self._unit = used, budget, unit
            self.refresh()

    @property
    def word(self) -> str:
        """What the numbers mean: ok, nearly full or over."""
        if self._used > self._budget:
            return "over"
        return "nearly full" if self._used > _NEARLY_FULL * self._budget else "ok"

    def render(self) -> Text:
        """The line, as wide as there is room."""
        if not self._budget:
            return Text()
        tone = {"ok": "good", "nearly full": "warn", "over": "bad"}[self.word]
        unit = "" if self._unit == "characters" else f"{self._unit} "
        numbers = f" {grouped(self._used)} / {grouped(self._budget)} {unit}{self.word}"
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
