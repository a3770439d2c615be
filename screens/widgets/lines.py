"""Widgets of one line or a few: title, banner, tabs, hints, pieces in tones, and lines to type in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

from screens.actions.keys import key_called, types_a_character
from screens.drawing.clock import today
from screens.drawing.safe_text import EMPTY, TONES, RowPart, Shown, grouped
from workbench.safety.terminal import in_place

_NAME, _SHORT_NAME = " Memory Workbench ", " Workbench "
_BETWEEN = " · "
_PLACE = 8
"""Cells that are kept for where the memory is."""
_PLACE_BESIDE = 24
"""Cells that are kept for it where facts stand beside it."""


_matched: WeakKeyDictionary[Screen[Any], dict[type[Widget], tuple[object, dict[str, Any]]]] = (
    WeakKeyDictionary()
)
"""The component styles of one widget of each class, and the rules that they are of."""


class Toned(Widget):
    """Text in the tones of its component classes, which are called ``<sort>--<tone>``.

    No state of a widget changes them, and all of one class on a screen have the same. To match them anew for
    each, and with each focus and move, would be most of the work of opening a screen.
    """

    SORT: ClassVar[str] = ""
    _sheet: object = None
    """The rules that its tones are of."""

    def tone(self, name: str) -> Style:
        """The style of a component class."""
        return self.get_component_rich_style(f"{self.SORT}--{name}", partial=True)

    # Not public: Textual matches all component classes of a widget whenever its styles are updated.
    def _get_component_classes(self) -> frozenset[str]:  # type: ignore[override] # of this one, not of all
        """Those to be matched: none where its tones, or those of another like it, are of these rules."""
        rules = self.app.stylesheet.rules
        if self._sheet is rules and self._component_styles:
            return frozenset()
        self._sheet = rules
        known = _matched.setdefault(self.screen, {})
        seen, styles = known.get(type(self), (None, {}))
        if seen is rules and styles:
            self._component_styles = styles.copy()
            self.refresh()
            return frozenset()
        known[type(self)] = rules, self._component_styles
        return super()._get_component_classes()


class Line(Toned, can_focus=False):
    """A line of text in tones."""

    ALLOW_SELECT = False
    SORT = "line"


class TitleLine(Line):
    """The program, the workspace, facts about it, and at the right end how search and index are doing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--name", "line--place", "line--muted", "line--good", "line--busy", "line--warn"
    }  # fmt: skip

    place: Reactive[Shown] = Reactive(EMPTY)
    """Where the memory is."""
    facts: Reactive[Sequence[RowPart]] = Reactive(())
    """What is said of it in their order, as much as there is room for, ``first`` of all."""
    first: Reactive[RowPart | None] = Reactive(None)
    status: Reactive[Shown] = Reactive(EMPTY)
    """How the index is doing; ``status_tone`` is good, busy or warn."""
    status_tone: Reactive[str] = Reactive("busy")

    def __init__(self, place: Shown) -> None:
        super().__init__(id="title")
        self.place = place

    def show(self, status: Shown, tone: str) -> None:
        """Say how the index is doing."""
        self.status, self.status_tone = status, tone

    def render(self) -> Text:
        """The line."""
        width = self.size.width
        name, right, least = self._fitting()
        line = Text(no_wrap=True, overflow="crop").append(name, self.tone("name"))
        place = Text(self.place, self.tone("place"))
        room = width - line.cell_len - least - 2 - cell_len(right)
        kept = []
        for fact in sorted(self.facts, key=lambda fact: fact != self.first):
            room -= cell_len(fact.text) + len(_BETWEEN)
            if room < 0:
                break
            kept.append(fact)
        facts = Text()
        for fact in (fact for fact in self.facts if fact in kept):
            facts.append(fact.text, self.tone(fact.tone)).append(_BETWEEN, self.tone("place"))
        if kept and not right:
            facts.right_crop(len(_BETWEEN) - 1)
        rest = facts.cell_len + cell_len(right)
        place.truncate(max(0, width - line.cell_len - rest - 1), overflow="ellipsis")
        line.append_text(place)
        gap = width - line.cell_len - rest
        if gap >= 0:
            line.append(" " * gap).append_text(facts).append(right, self.tone(self.status_tone))
        return line

    def _fitting(self) -> tuple[str, str, int]:
        """The program and the index, as long as there is room for, and the cells kept for the place.

        That the index is up to date makes room for the fact that comes first.
        """
        full = f"{self.status} " if self.status else ""
        short = f"{self.status.partition(' · ')[0]} " if self.status else ""
        beside = min(cell_len(self.place), _PLACE_BESIDE)
        ways = [(_NAME, full, _PLACE, 0), (_SHORT_NAME, short, _PLACE, 0)]
        if self.first is not None:
            first = cell_len(self.first.text) + len(_BETWEEN) + 2
            quiet = "" if self.status_tone == "good" else short
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

    current: Reactive[int] = Reactive(0)
    counts: Reactive[Mapping[int, str]] = Reactive({})
    """What waits, by tab."""
    keys: Reactive[Sequence[str]] = Reactive(())
    """By which one gets there."""
    away: Reactive[Shown] = Reactive(EMPTY)
    """While keys are text they are not shown: this says how to get where they are keys."""

    def __init__(
        self, names: Sequence[str], keys: str = "123456789", *, short: Sequence[str] = (), id: str = "tabs"
    ) -> None:
        """``short`` names stand where there is no room for the others."""
        super().__init__(id=id)
        self._names = names
        self._short = short or names
        self.keys = tuple(keys)

    def render(self) -> Text:
        """The line; tabs at its end that there is no room for are left out whole."""
        line = Text(no_wrap=True, overflow="crop")
        for at, tab in enumerate(self._tabs()):
            if line.cell_len + sum(map(cell_len, tab)) > self.size.width:
                break
            tones = ("current", "current", "count") if at == self.current else ("key", "tab", "count")
            for part, tone in zip(tab, tones, strict=True):
                line.append(part, self.tone(tone))
        line.append(f" {self.away}" if self.away else "", self.tone("tab"))
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
        counts = [f"{self.counts[at]} " if at in self.counts else "" for at in every]
        keys = ["·"] * len(every) if self.away else [*self.keys, *("" for _ in every)]
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

    hints: Reactive[Sequence[tuple[str, str]]] = Reactive(())
    """Keys with their labels."""

    def __init__(self) -> None:
        super().__init__(id="hints")

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
    """One line: ``━━━━━━╌╌╌╌ 9,412 / 10,000 tight``; a unit other than characters is named."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"meter--good", "meter--warn", "meter--bad", "meter--rest"}
    SORT = "meter"

    use: Reactive[tuple[int, int, str]] = Reactive((0, 0, ""))
    """How many are used of how many of a unit."""

    def render(self) -> Text:
        """The line, as wide as there is room."""
        used, budget, unit = self.use
        if not budget:
            return Text()
        word, tone = "ok", "good"
        if used > budget:
            word, tone = "over", "bad"
        elif used > _NEARLY_FULL * budget:
            word, tone = "nearly full", "warn"
        named = "" if unit == "characters" else f"{unit} "
        numbers = f" {grouped(used)} / {grouped(budget)} {named}{word}"
        width = self.content_size.width - len(numbers)
        filled = min(width, round(width * used / budget))
        line = Text(no_wrap=True, overflow="crop")
        if width >= 4:
            line.append("━" * filled, self.tone(tone))
            line.append("╌" * (width - filled), self.tone("rest"))
        line.append(numbers if width >= 4 else numbers.strip(), self.tone(tone))
        return line


class PartsLine(Line):
    """Pieces one after the other, ``between`` them; cut at the edge, or wrapped where they are ``long``."""

    SORT = "part"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"part--{tone}" for tone in TONES}

    def __init__(self, id: str, *, between: str = "", right: bool = False, long: bool = False) -> None:
        super().__init__(id=id)
        self.parts: tuple[RowPart, ...] = ()
        self._between = between
        self._right = right
        self._long = long

    def show(self, parts: Sequence[RowPart]) -> None:
        """Show these pieces."""
        if tuple(parts) != self.parts:
            self.parts = tuple(parts)
            self.refresh(layout=self._long)

    def render(self) -> Text:
        """The pieces in their tones."""
        line = self.drawn(self.parts)
        if self._right:
            line.pad_left(max(0, self.size.width - line.cell_len))
        return line

    def drawn(self, parts: Sequence[RowPart]) -> Text:
        """These pieces as a line."""
        line = Text(no_wrap=not self._long)
        for number, part in enumerate(parts):
            line.append(self._between if number else "").append(part.text, self.tone(part.tone))
        if not self._long:
            line.truncate(self.size.width, overflow="ellipsis")
        return line


SORTS = ("field", "phrase", "not")


async def edit_at_once(field: Widget, event: events.Key, bindings: Iterable[BindingType]) -> None:
    """Do what a key means by the ``bindings`` of Textual's own field, before the application hears of it."""
    for binding in bindings:
        if isinstance(binding, Binding) and event.key in binding.key.split(","):
            event.stop()
            event.prevent_default()
            await field.run_action(binding.action)
            return


class _Drawn(Highlighter):
    """Has a line draw its own text."""

    def __init__(self, line: QueryInput) -> None:
        self._line = line

    def highlight(self, text: Text) -> None:
        self._line.highlight(text)


class QueryInput(Input):
    """A line of text whose editing keys work in the order in which they are pressed.

    Textual lets them go all the way up to the application first, where letters overtake them.
    """

    def on_mount(self) -> None:
        """Draw it."""
        self.highlighter = _Drawn(self)

    def highlight(self, text: Text) -> None:
        """What is drawn of the text: also what is pasted reaches the terminal through one door."""
        text.plain = in_place(self.value)

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
            suggester=_Continuing(self._continued),
            select_on_focus=False,
        )
        self.going_on: Callable[[str], Awaitable[str | None]] | None = None
        self._instead = "", ""

    def highlight(self, text: Text) -> None:
        """What is a condition and no word is drawn in its tone."""
        from screens.search.parsed_query import marked  # noqa: PLC0415 - not before the first paint

        super().highlight(text)
        for start, end, sort in marked(text.plain, today()) if text.plain.strip() else ():
            text.stylize(self.get_component_rich_style(f"query--{sort}", partial=True), start, end)

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

    def __init__(self, placeholder: str = "", *, id: str, select_on_focus: bool = False) -> None:
        super().__init__(
            placeholder=placeholder, compact=True, id=id, classes="narrow", select_on_focus=select_on_focus
        )
        self.display = False
