"""One entity and what it is related to, as a tree and as a map, at any day; and what is to be settled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.content import Content

from screens.actions.registry import Context, FocusContext, bindings, is_bound
from screens.dialogs.dialog import Dialog
from screens.drawing.clock import today
from screens.drawing.rows import Folds, Row
from screens.drawing.safe_text import grouped, row_text, words
from screens.frames.browse import BrowseScreen
from screens.frames.services import Desk
from screens.graph import alike, messages
from screens.graph.decisions import Deciding
from screens.graph.graph_state import BesideReader, Known, Looking, Sight, Thing, graph_of
from screens.graph.key_actions import Going
from screens.graph.map_view import MapView, spoke_id
from screens.graph.tabs import VIEWS, ViewTabs
from screens.graph.views import SIDES, behind, sight_of
from screens.loading.snapshots import GraphView
from screens.widgets.change_list import ChangeList
from screens.widgets.entry_list import EntryList
from screens.widgets.lines import Banner
from workbench.graph.model import Graph
from workbench.graph.search import Node

ShowDialog = Callable[[Dialog[str], Callable[[str | None], None]], None]
_COUNTED = 2_000
"""Entities up to which what waits in the other views is counted without being asked for."""
_BESIDE_FROM, _STACKED_BELOW, _ROOMY = 110, 76, 20
_AROUND = 5
"""Lines of the screen that are tabs, frames and hints."""


class GraphScreen(BrowseScreen):
    """It composes and routes: what is shown is made by the views, what keys mean stands in ``going``."""

    PLACE = FocusContext.GRAPH
    LEAVES = "graph_view"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(*VIEWS)]

    def __init__(self, desk: Desk, view: GraphView, show_dialog: ShowDialog, at: str = "") -> None:
        """``view`` are the pages that the panes have read so far, ``at`` the page to begin with.

        ``show_dialog`` puts a screen over this one; keys pressed until it is there are for it.
        """
        super().__init__(words("Graph"))
        self.desk = desk
        self.show_dialog = show_dialog
        self.folds = Folds()
        self.looking = Looking(path=at)
        self.view = FocusContext.GRAPH
        self.known: Known | None = None
        self.sight = Sight()
        self.map_wanted: bool | None = None
        self._pages = view
        self._shown: FocusContext | None = None
        """The view that is on the screen."""
        self._built_of: GraphView | None = None
        self._alike = alike.Alike()
        self._compared: Graph | None = None
        """The graph whose names are, or were, compared by their meaning."""
        self._beside = BesideReader()
        self._rights: dict[str, Sequence[Row]] = {}
        self._counts: dict[FocusContext, int] = {}
        self.map, self.tabs, self.banner = MapView(), ViewTabs(), Banner()
        self.left, self.right = ChangeList(id="graph-left"), ChangeList(id="graph-right")
        self.going = Going(self)
        self.deciding = Deciding(self)
        self.commands |= {**self.going.commands(), **self.deciding.commands()}

    def compose_body(self) -> ComposeResult:
        """The views by name, what day it is, the list, and what is behind its row."""
        yield self.tabs
        yield self.banner
        yield from super().compose_body()

    def compose_behind(self) -> ComposeResult:
        """The map over what is told; or two things beside each other."""
        yield self.map
        with Vertical(id="graph-told"):
            yield self.behind
        with Container(id="graph-sides"):
            for side in (self.left, self.right):
                with Vertical(classes="side"):
                    yield side

    def on_mount(self) -> None:
        """Read what is beside the pages, then show."""
        super().on_mount()
        self.reload()

    # -- what is known ---------------------------------------------------------------------------

    def graph_read(self, view: GraphView) -> None:
        """The panes have read more pages, or they changed on disk."""
        self._pages = view
        self.reload()

    def reload(self) -> None:
        """Know it anew; what is shown stays until then."""
        read, total = len(self._pages.entities), self._pages.total
        if read < total:
            self.list.empty = words(f"reading … {grouped(read)} of {grouped(total)} pages")
            self.list.refresh()
            return
        self.work(self._know, "know", exclusive=True)

    async def _know(self) -> None:
        pages, known = self._pages, self.known
        try:
            beside = await self.desk.historian.run(self._beside.read)
            whole = known.whole if known else None
            if known is None or pages is not self._built_of or known.beside.loose is not beside.loose:
                whole = await asyncio.to_thread(graph_of, pages.entities, beside)
            assert whole is not None
        except Exception as error:
            self.post_message(messages.Broken(error))
            return
        self._built_of = pages
        self.post_message(messages.Prepared(Known(whole, beside, today(), self._alike)))

    @on(messages.Prepared)
    def _prepared(self, message: messages.Prepared) -> None:
        """Show it; on a small graph also say what waits elsewhere."""
        self.known = replace(message.known, alike=self._alike)
        self.see()
        if len(message.known.whole.entities) <= _COUNTED:
            self.work(partial(self._count, message.known), "count", exclusive=True)

    async def _count(self, known: Known) -> None:
        for place in (FocusContext.CLAIMS, FocusContext.DUE, FocusContext.PAIRS):
            sight = await asyncio.to_thread(sight_of, place, known, self.looking, self.folds)
            self.post_message(messages.Counted(place, sight.count))

    @on(messages.Counted)
    def _counted(self, message: messages.Counted) -> None:
        """Say it in the tab."""
        self._counts[message.place] = message.count or 0
        self.tabs.show(self.view, self._counts)

    def _compare(self, known: Known) -> None:
        """Ask which names mean the same, once for each graph, when somebody looks at what may be one."""
        if self.view is FocusContext.PAIRS and self._compared is not known.whole:
            self._compared = known.whole
            self._take_up(replace(self._alike, asked=True, problem=""))
            self.work(self._ask_meaning, "meaning", exclusive=True)

    async def _ask_meaning(self) -> None:
        self.post_message(messages.Compared(await alike.ask(self.desk)))

    @on(messages.Compared)
    def _answered(self, message: messages.Compared) -> None:
        """Show it with what names say."""
        self._take_up(message.alike)

    def _take_up(self, said: alike.Alike) -> None:
        self._alike = said
        if self.known is not None:
            self.known = replace(self.known, alike=said)
            self.see()

    @on(messages.Broken)
    def _broken(self, message: messages.Broken) -> None:
        """Say what went wrong, in place of what would be shown."""
        self.sight = Sight()
        self.list.show(self.failed(message.error))
        self.show_hints()

    # -- what is seen ----------------------------------------------------------------------------

    def see(self, go_to: str | None = None) -> None:
        """Make the rows of what is looked at, and show them."""
        if self.known is not None:
            self._compare(self.known)
            self.work(partial(self._see, self.known, self.view, self.looking, go_to), "see", exclusive=True)

    async def _see(self, known: Known, place: FocusContext, looking: Looking, go_to: str | None) -> None:
        try:
            sight = await asyncio.to_thread(sight_of, place, known, looking, self.folds)
        except Exception as error:
            self.post_message(messages.Broken(error))
            return
        self.post_message(messages.Seen(place, looking, sight, go_to))

    @on(messages.Seen)
    def _seen(self, message: messages.Seen) -> None:
        """Show them, if this is still what is looked at."""
        if (message.place, message.looking) != (self.view, self.looking):
            return
        at_first = self._is_at_first()
        sight = self.sight = message.sight
        if sight.entity is not None:
            self.going.arrived(sight.entity)
        if self.view is not FocusContext.GRAPH:
            self._counts[self.view] = sight.count or 0
        self.map.show(sight.node, message.looking.hops)
        self.list.empty = sight.empty
        self.list.show(sight.rows, go_to=message.go_to or self._first(stay=at_first))
        self.lay_out()
        self.show_place()
        self.show_day()
        self.show_hints()
        if self.list.row is not None:  # the same row may stand for something else now
            self.post_message(EntryList.Moved(self.list, self.list.row))

    def _is_at_first(self) -> bool:
        """Whether the cursor is on the likest pair, where likelier ones may come before it."""
        row = self.list.row
        return (
            self.view is FocusContext.PAIRS
            and row is not None
            and row.id == next(iter(self.sight.things), None)
        )

    def _first(self, *, stay: bool) -> str | None:
        """The first row that stands for something, in another view than before or to ``stay`` on it."""
        before, self._shown = self._shown, self.view
        return next(iter(self.sight.things), None) if stay or before is not self.view else None

    def show_place(self) -> None:
        """Where one is: the way here on the frame, the view among the tabs."""
        super().show_place()
        self.query_one("#browse-top").border_title = Content(self.going.title())
        self.tabs.show(self.view, self._counts)

    def show_day(self) -> None:
        """Say it loudly when this is not today."""
        day = self.looking.day
        said = f"AS OF {day:%A} {day.day} {day:%B %Y}: what was true then. T is today again" if day else ""
        self.banner.show(words(said))

    # -- what is behind --------------------------------------------------------------------------

    @property
    def thing(self) -> Thing | None:
        """What the row under the cursor stands for."""
        return self.sight.things.get(self.list.row.id) if self.list.row else None

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """What the row stands for, in full."""
        known, thing = self.known, self.sight.things.get(row.id, self.sight.node)
        if known is None:
            return ()
        first, second = await asyncio.to_thread(behind, thing, known, self.looking)
        self._rights = {row.id: second}
        return first

    def show_behind(self, row: Row, rows: Sequence[Row]) -> None:
        """Show it below, or both sides; bring the neighbour out on the map."""
        second = self._rights.get(row.id, ())
        if self.view in SIDES:
            for side, lines in ((self.left, rows), (self.right, second)):
                side.show(lines)
                side.jump(0)
        else:
            super().show_behind(row, rows)
        thing = self.sight.things.get(row.id)
        self.map.choose(spoke_id(thing) if isinstance(thing, Node) and thing.hop is not None else "")

    def nothing_behind(self) -> None:
        """The list is empty."""
        super().nothing_behind()
        for side in (self.left, self.right):
            side.show(())

    def scroll_behind(self, lines: int) -> None:
        """Scroll all that is behind."""
        super().scroll_behind(lines)
        for side in (self.left, self.right):
            side.jump(side.scroll_offset.y + lines)

    # -- keys ------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One key may mean different things in different views: only those of this one count."""
        if action != "perform":
            return True
        action_id, key = map(str, parameters)
        return is_bound(action_id, key, self.view)

    def context(self) -> Context:
        """What decides which actions are possible now."""
        return Context(
            place=self.view,
            row=self.list.row,
            reading=self._reading,
            refusal=self.desk.refusal(),
            why={**self.going.why(), **self.deciding.why()},
        )

    def back(self) -> None:
        """Out of reading, out of an answer, else out."""
        if not self._reading and self.looking.question and self.view is FocusContext.GRAPH:
            self.going.look(replace(self.looking, question=""))
        else:
            super().back()

    @on(messages.Sourced)
    def _sourced(self, message: messages.Sourced) -> None:
        self.going.sourced(message)

    def on_view_tabs_chosen(self, message: ViewTabs.Chosen) -> None:
        """A tab was clicked."""
        self.going.turn_to(message.place)

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click does what enter does."""
        if message.entry_list is self.list:
            message.prevent_default()
            self.action_perform("open")

    # -- room ------------------------------------------------------------------------------------

    @property
    def map_shown(self) -> bool:
        """Whether the map is seen: where a person wants it, else where there is room for more than it."""
        return (self.map_wanted if self.map_wanted is not None else self._roomy) and not self.map.is_empty

    @property
    def _roomy(self) -> bool:
        width, height = self.app.size.width, self.app.size.height - _AROUND
        return (height if width >= _BESIDE_FROM else height // 2) >= _ROOMY

    def lay_out(self, *, update: bool = True) -> None:
        """What fits."""
        sides, width = self.view in SIDES, self.app.size.width
        classes = {
            "-sides": sides,
            "-beside": not sides and width >= _BESIDE_FROM,
            "-stacked": sides and width < _STACKED_BELOW,
            "-map": self.view is FocusContext.GRAPH and self.map_shown,
            "-map-alone": self.map_shown and not self._roomy,
        }
        self.update_classes(classes, update=update)
        if sides:
            frames = self.query_one("#graph-sides").query(".side")
            for frame, said in zip(frames, SIDES[self.view], strict=True):
                frame.border_title = Content(row_text(said))
