"""The one-line widgets around the panes: title, banner, tabs, hints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message

from screens.actions.keys import key_called, types_a_character
from screens.drawing.safe_text import RowPart, Shown, grouped
from screens.widgets.toned import Toned

_NAME, _SHORT_NAME = " Memory Workbench ", " Workbench "
_BETWEEN = " · "
_PLACE = 8
"""Cells that are kept for where the memory is."""
_PLACE_BESIDE = 24
"""Cells that are kept for it where facts stand beside it."""


class Line(Toned, can_focus=False):
    """A line of text in tones."""

    ALLOW_SELECT = False
    SORT = "line"


class TitleLine(Line):
    """The program, the workspace, facts about it, and at the right end how search and index are doing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--name", "line--place", "line--muted", "line--good", "line--busy", "line--warn"
    }  # fmt: skip

    def __init__(self, place: Shown) -> None:
        super().__init__(id="title")
        self._place = place
        self._facts: Sequence[RowPart] = ()
        self._first: RowPart | None = None
        self.status = Shown("")
        self._tone = "busy"

    def retitle(self, place: Shown) -> None:
        """Say where the memory is."""
        self._place = place
        self.refresh()

    def tell(self, facts: Sequence[RowPart], first: RowPart | None = None) -> None:
        """Say this of the memory, as much as there is room for: ``first`` of all, then in their order."""
        if (facts, first) != (self._facts, self._first):
            self._facts, self._first = facts, first
            self.refresh()

    def show(self, status: Shown, tone: str) -> None:
        """Say how the index is doing; ``tone`` is good, busy or warn."""
        if (status, tone) != (self.status, self._tone):
            self.status, self._tone = status, tone
            self.refresh()

    def render(self) -> Text:
        """The line."""
        width = self.size.width
        name, right, least = self._fitting()
        line = Text(no_wrap=True, overflow="crop").append(name, self.tone("name"))
        place = Text(self._place, self.tone("place"))
        room = width - line.cell_len - least - 2 - cell_len(right)
        kept = []
        for fact in sorted(self._facts, key=lambda fact: fact is not self._first):
            room -= cell_len(fact.text) + len(_BETWEEN)
            if room < 0:
                break
            kept.append(fact)
        facts = Text()
        for fact in (fact for fact in self._facts if fact in kept):
            facts.append(fact.text, self.tone(fact.tone)).append(_BETWEEN, self.tone("place"))
        if kept and not right:
            facts.right_crop(len(_BETWEEN) - 1)
        rest = facts.cell_len + cell_len(right)
        place.truncate(max(0, width - line.cell_len - rest - 1), overflow="ellipsis")
        line.append_text(place)
        gap = width - line.cell_len - rest
        if gap >= 0:
            line.append(" " * gap).append_text(facts).append(right, self.tone(self._tone))
        return line

    def _fitting(self) -> tuple[str, str, int]:
        """The program and the index, as long as there is room for, and the cells kept for the place.

        That the index is up to date makes room for the fact that comes first.
        """
        full = f"{self.status} " if self.status else ""
        short = f"{self.status.partition(' · ')[0]} " if self.status else ""
        beside = min(cell_len(self._place), _PLACE_BESIDE)
        ways = [(_NAME, full, _PLACE, 0), (_SHORT_NAME, short, _PLACE, 0)]
        if self._first is not None:
            first = cell_len(self._first.text) + len(_BETWEEN) + 2
            quiet = "" if self._tone == "good" else short
            with_first = [(_NAME, full), (_NAME, short), (_SHORT_NAME, short), (_SHORT_NAME, quiet)]
            ways[:0] = [
                *((name, right, beside, first) for name, right in with_first),
                *((name, quiet, _PLACE, first) for name in (_SHORT_NAME, " ")),
            ]
        for name, right, place, first in ways:
            if cell_len(name) + cell_len(right) + place + first <= self.size.width:
                return name, right, place
        return " ", short, beside


class Banner(Line):
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


class TabLine(Line):
    """Panes, views or screens by key and name, each with what waits in it; a click chooses one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--key", "line--tab", "line--current", "line--count"}

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        tabs: TabLine
        index: int

    def __init__(
        self, names: Sequence[str], keys: str = "123456789", *, short: Sequence[str] = (), id: str = "tabs"
    ) -> None:
        """``short`` names stand where there is no room for the others."""
        super().__init__(id=id)
        self._names = names
        self._keys: Sequence[str] = tuple(keys)
        self._short = short or names
        self._current = 0
        self._counts: Mapping[int, str] = {}
        self._away = Shown("")

    def show(
        self, current: int, counts: Mapping[int, str] | None = None, keys: Iterable[str] | None = None
    ) -> None:
        """Bring out the current tab, and say what waits, and by which ``keys`` one gets there."""
        pressed = self._keys if keys is None else tuple(keys)
        if (current, counts or {}, pressed) != (self._current, self._counts, self._keys):
            self._current, self._counts, self._keys = current, counts or {}, pressed
            self.refresh()

    def typing(self, away: Shown) -> None:
        """While keys are text they are not shown; ``away`` says how to get where they are keys."""
        if away != self._away:
            self._away = away
            self.refresh()

    def render(self) -> Text:
        """The line; tabs at its end that there is no room for are left out whole."""
        line = Text(no_wrap=True, overflow="crop")
        for at, tab in enumerate(self._tabs()):
            if line.cell_len + sum(map(cell_len, tab)) > self.size.width:
                break
            tones = ("current", "current", "count") if at == self._current else ("key", "tab", "count")
            for part, tone in zip(tab, tones, strict=True):
                line.append(part, self.tone(tone))
        line.append(f" {self._away}" if self._away else "", self.tone("tab"))
        return line

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        edge = 0
        for at, tab in enumerate(self._tabs()):
            edge += sum(map(cell_len, tab))
            if event.x < edge <= self.size.width:
                self.post_message(self.Chosen(self, at))
                return

    def _tabs(self) -> list[tuple[str, str, str]]:
        """Key, name and count of each; the short names where the others do not fit."""
        every = range(len(self._names))
        counts = [f"{self._counts[at]} " if at in self._counts else "" for at in every]
        keys = ["·"] * len(every) if self._away else [*self._keys, *("" for _ in every)]
        tabs: list[tuple[str, str, str]] = []
        for names in (self._names, self._short):
            tabs = [(f" {keys[at]}", f" {names[at]} ", counts[at]) for at in every]
            if sum(len(part) for tab in tabs for part in tab) <= self.size.width:
                break
        return tabs


BAR = ("│", "")
"""Stands among hints between those that belong together."""
_WAY_OUT = "back"
"""The hint that is left out last of all, but for help."""


class HintLine(Line):
    """The keys that do something here and now, as many as fit; the way out and help always."""

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
        for key, label in self._fitting():
            line.append(f"{key} ", self.tone("key" if label else "label"))
            line.append(f"{label}  " if label else " ", self.tone("label"))
        return line

    def on_click(self, event: events.Click) -> None:
        """A click on a hint presses its key."""
        edge = 1
        for hint in self._fitting():
            edge += self._cells(hint)
            if event.x < edge:
                key = key_called(hint[0]) if event.x and hint[1] else None
                if key is not None:
                    self.app.post_message(events.Key(key, hint[0] if types_a_character(key) else None))
                return

    def _fitting(self) -> Iterator[tuple[str, str]]:
        """Those that there is room for, a bar before the first of each group."""
        *others, last = self.hints or [("", "")]
        kept = [hint for hint in others if hint[1] == _WAY_OUT]
        room = self.size.width - 1 - sum(map(self._cells, (*kept, last)))
        bar, begun = False, False
        for hint in others:
            if hint == BAR:
                bar = begun
                continue
            bar = bar and room >= self._cells(BAR)
            cells = bar * self._cells(BAR) + (hint not in kept) * self._cells(hint)
            if cells <= room:
                if bar:
                    yield BAR
                bar, begun, room = False, True, room - cells
                yield hint
        if bar and room >= self._cells(BAR):
            yield BAR
        yield last

    @staticmethod
    def _cells(hint: tuple[str, str]) -> int:
        return cell_len(hint[0]) + cell_len(hint[1]) + (3 if hint[1] else 2)


_NEARLY_FULL = 0.85


class BudgetMeter(Line):
    """One line: ``━━━━━━╌╌╌╌ 9 412 / 10 000 tight``; a unit other than characters is named."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"meter--good", "meter--warn", "meter--bad", "meter--rest"}
    SORT = "meter"

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
            line.append("━" * filled, self.tone(tone))
            line.append("╌" * (width - filled), self.tone("rest"))
        line.append(numbers if width >= 4 else numbers.strip(), self.tone(tone))
        return line
