"""The Graph screen: relations of an entity on any day, as a tree and a map, and open questions."""

from __future__ import annotations

import asyncio
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from screens.actions.registry import FocusContext
from screens.dialogs.dialog import ChooseScreen, as_typed
from screens.drawing.clock import now, today
from screens.drawing.safe_text import Row, RowPart, grouped, piece, plural, row_text, words
from screens.frames.overlay_screen import BESIDE_FROM, OverlayScreen, Services
from screens.graph.detail import behind, sources_behind
from screens.graph.map_view import MapView, spoke_id
from screens.graph.views import (
    MORE,
    SELF,
    VIEWS,
    GraphLoader,
    GraphRows,
    GraphViewState,
    LoadedGraph,
    Thing,
    ask_meaning,
    named_row,
    sight_of,
)
from screens.loading.workspace_model import GraphView
from screens.main.request import Request, declared_request
from screens.widgets.entry_list import SideBySide
from screens.widgets.lines import Banner, TabLine
from workbench.graph import operations
from workbench.graph.contradictions import ANSWERS, Answer, Contradiction, plan_settle
from workbench.graph.duplicates import Duplicate
from workbench.graph.keyword_search import most_linked, named_like
from workbench.graph.memory_query import DueItem
from workbench.graph.model import Graph
from workbench.graph.search import EACH, GraphFinding, Node
from workbench.memory.graph_page import Entity, name_key

_MOST = 200


# -- choosing an entity by any of its names, and a day -------------------------------------------


class EntityScreen(ChooseScreen):
    """A dialog to choose an entity; it returns the path of the entity's page, or None."""

    def __init__(self, graph: Graph) -> None:
        """Those with the most relations first."""
        super().__init__(
            "Which entity?",
            entity_rows(graph, most_linked(graph, _MOST)),
            placeholder="type a name, or a part of it",
            empty="nothing in the graph has that name",
            chooses="goes there",
        )
        self._graph = graph

    def found(self, wanted: str) -> Sequence[Row]:
        """Those with a name that holds it, else all of its words: named so first, then the most linked."""
        return entity_rows(self._graph, matching(self._graph, wanted, _MOST)) if wanted else self._rows


def matching(graph: Graph, text: str, most: int) -> Sequence[Entity]:
    """At most ``most`` entities with ``text`` in a name, else those with all of its words in a name.

    Names that are ``text`` come first, then those that begin with it, then those with a word that does; among
    equals, the most linked entity comes first.
    """
    typed = name_key(text)

    def order(entity: Entity) -> tuple[object, ...]:
        keys = entity.keys
        begins = any(key.startswith(typed) for key in keys)
        has_word = any(f" {typed}" in key for key in keys)
        return typed not in keys, not begins, not has_word, -graph.degree(entity), entity.path

    found = sorted((one for one in graph.entities if any(typed in key for key in one.keys)), key=order)
    return found[:most] or named_like(graph, text, most)


def entity_rows(graph: Graph, entities: Sequence[Entity]) -> list[Row]:
    """A row each: type, name, the other names, how much is known."""
    return [
        replace(
            named_row(entity),
            lead=(piece(row_text(entity.type).ljust(12), "accent"),),
            tail=(
                RowPart(plural(len(entity.memories), "fact"), "faint"),
                RowPart(plural(graph.degree(entity), "relation")),
            ),
        )
        for entity in entities
    ]


def day_rows(text: str) -> list[Row]:
    """The day that is meant by ``2026-03-14``, or by ``2026-03``; or why none is."""
    try:
        day = date.fromisoformat(f"{text}-01" if text.count("-") == 1 else text)
    except ValueError:
        none = words("not a day: write it as 2026-03-14, or 2026-03 for the first of a month")
        return [Row("no day", none, tone="bad", inert=True)]
    return [Row(day.isoformat(), words(f"{day:%A}, {day.day} {day:%B %Y}"), tone="good")]


def month_from(day: date, months: int) -> date:
    """The same day of another month, or the last one that it has; within the years there are."""
    at = day.year * 12 + day.month - 1 + months
    year, month = min(max(at // 12, 1), 9999), at % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


# -- the screen ----------------------------------------------------------------------------------

_COUNTED = 2_000
"""Entities up to which what waits in the other views is counted without being asked for."""
_MORE = 1_000
"""Neighbours of one entity that are shown besides, each time that somebody asks for the others."""
_STACKED_BELOW, _ROOMY = 76, 20
_AROUND = 5
"""Lines of the screen that are tabs, frames and hints."""
_STEPS_SHOWN = 3


class GraphScreen(OverlayScreen):
    """Four views of the graph; their rows are made in a thread from the graph and the state of the view."""

    PLACES = tuple(VIEWS)
    LEAVES = "graph_view"
    SIDES = True

    def __init__(self, services: Services, view: GraphView, at: str) -> None:
        """``view`` are the pages that the panes have read so far, ``at`` the page to begin with."""
        super().__init__(services, "Graph")
        self.looking = GraphViewState(path=at)
        self.known: LoadedGraph | None = None
        self.sight = GraphRows()
        self._trail: list[tuple[str, str]] = []
        """The pages that were left, the oldest first, each with the row that its cursor was on."""
        self._map_wanted: bool | None = None
        self._pages = view
        self._shown: FocusContext | None = None
        """The view that is on the screen."""
        self._compared: Graph | None = None
        """The graph whose names are, or were, compared by their meaning."""
        self._reader = GraphLoader()
        self._counts: dict[FocusContext, int] = {}
        self.map, self.sides, self.banner = MapView(), SideBySide(), Banner()
        names = ("Relations", "Duplicates", "Contradictions", "Schedule")
        self.tabs = TabLine(names, "NDCS", short=("Relations", "Dupl.", "Contrad.", "Sched."))
        self.commands |= {
            **{one.action: partial(self.turn_to, place) for place, one in VIEWS.items()},
            **{f"settle_{answer}": partial(self._settle, answer) for answer in ANSWERS},
            "next_view": lambda: self._turn(1),
            "previous_view": lambda: self._turn(-1),
            **{
                action: partial(self.look, hops=hops, question="", each=EACH)
                for hops, action in enumerate(("one_hop", "two_hops", "three_hops"), 1)
            },
            "to_source": lambda: self._go_to_source(left=False),
            "to_other_source": lambda: self._go_to_source(left=True),
            "month_before": lambda: self._month(-1),
            "month_after": lambda: self._month(1),
            "as_of_today": lambda: self.look(day=None),
            "what_is_over": lambda: self.look(over=not self.looking.over),
            "merge_pair": lambda: self._merge(other_way=False),
            "merge_other_way": lambda: self._merge(other_way=True),
        }

    def compose_over(self) -> ComposeResult:
        """The views by name, and what day it is."""
        yield self.tabs
        yield self.banner

    def compose_behind(self) -> ComposeResult:
        """The map over what is told; or two things beside each other."""
        yield self.map
        with Vertical(id="graph-told"):
            yield self.behind
        yield self.sides

    @property
    def place(self) -> FocusContext:
        """The view that is looked at: one key may mean different things in different views."""
        return self.looking.view

    # -- what is known ---------------------------------------------------------------------------

    def graph_read(self, view: GraphView) -> None:
        """The panes have read more pages, or they changed on disk."""
        self._pages = view
        self.reload()

    def reload(self) -> None:
        """Know it anew; what is shown stays until then."""
        read, total = len(self._pages.pages), self._pages.total
        if read < total:
            self.list.empty = f"reading … {grouped(read)} of {grouped(total)} pages"
            self.list.refresh()
        else:
            run = self.history_reader.run
            self.load(partial(run, self._reader.read, self._pages, today()), self._known, "know")

    def _known(self, known: LoadedGraph) -> None:
        """Show it; on a small graph also say what waits elsewhere."""
        self.known = known
        self.draw()
        if len(known.whole.entities) <= _COUNTED:
            self.work(partial(self._count, known), "count", exclusive=True)

    async def _count(self, known: LoadedGraph) -> None:
        """So much waits in the other views."""
        for view in (FocusContext.CLAIMS, FocusContext.DUE, FocusContext.PAIRS):
            looking = replace(self.looking, view=view)
            sight = await asyncio.to_thread(sight_of, known, looking, self.folds)
            self._counts[view] = sight.count or 0
            self.call_later(self._show_tabs)

    def _show_tabs(self) -> None:
        """The views by name, with what waits in each."""
        late = {FocusContext.DUE: " late"}
        self.tabs.current = self.PLACES.index(self.place)
        self.tabs.counts = {
            self.PLACES.index(view): f"{grouped(count)}{late.get(view, '')}"
            for view, count in self._counts.items()
            if count
        }

    def _compare(self, known: LoadedGraph) -> None:
        """Ask which names mean the same, once for each graph, when somebody looks at what may be one."""
        if self.place is FocusContext.PAIRS and self._compared is not known.whole:
            self._compared = known.whole
            asked = replace(self.looking.alike, note="names are compared; comparing their meaning …")
            self.looking = replace(self.looking, alike=asked)
            self.load(partial(ask_meaning, self.services), lambda alike: self.look(alike=alike), "meaning")

    def fails(self, error: Exception) -> None:
        """Say what went wrong, in place of what would be shown."""
        self.sight = GraphRows()
        super().fails(error)

    # -- what is seen ----------------------------------------------------------------------------

    def look(self, go_to: str | None = None, **changes: Any) -> None:
        """Look at something else: ``changes`` to what is looked at, see ``GraphViewState``."""
        self.looking = replace(self.looking, **changes)
        self.draw(go_to)

    def draw(self, go_to: str | None = None) -> None:
        """Make the rows of what is looked at, and show them."""
        if self.known is None:
            return
        self._compare(self.known)
        looking = self.looking

        def show(sight: GraphRows) -> None:
            if looking == self.looking:  # else this is not looked at any more
                self._show(sight, go_to)

        self.load(partial(asyncio.to_thread, sight_of, self.known, looking, self.folds), show, "see")

    def _show(self, sight: GraphRows, go_to: str | None) -> None:
        first = self.row is not None and self.row.id == self.sight.first
        stay = self.place is FocusContext.PAIRS and first  # likelier pairs may come before the likest
        anew = self._shown is not self.place
        self.sight, self._shown = sight, self.place
        if sight.entity:
            path, name = sight.entity.path, sight.entity.name
            if self.looking.path not in ("", path):
                self.warn(f"{self.looking.path} no longer exists; this is {name}")
            self.looking = replace(self.looking, path=path)
        if self.place is not FocusContext.GRAPH:
            self._counts[self.place] = sight.count or 0
        self.map.show(sight.node, self.looking.hops)
        self.show_rows(sight.rows, go_to=go_to or (sight.first if stay or anew else None), empty=sight.empty)
        self.lay_out()
        day = self.looking.day  # said loudly when it is not today
        said = f"AS OF {day:%A} {day.day} {day:%B %Y}: what was true then. T is today again" if day else ""
        self.banner.show(words(said))
        self.look_behind()  # the same row may stand for something else now

    def show_place(self) -> None:
        """Where one is: the way here on the frame, the view among the tabs."""
        super().show_place()
        title = self.sight.title
        if self.place is FocusContext.GRAPH and not self.looking.question:
            over = " · with what is over" if self.looking.over else ""
            title = f"{self._way_here()}{title}{over}"
        self.entitle(title)
        self._show_tabs()

    def _way_here(self) -> str:
        """``Sarah › Atlas › ``: the last pages by their names, those that are gone left out."""
        pages = (self.known.whole.at(path) for path, _ in self._trail) if self.known else ()
        names = [page.name for page in pages if page]
        more = "… › " if len(names) > _STEPS_SHOWN else ""
        return more + "".join(f"{name} › " for name in names[-_STEPS_SHOWN:])

    # -- what is behind --------------------------------------------------------------------------

    @property
    def _thing(self) -> Thing | None:
        """What the row under the cursor stands for."""
        return self.list.of

    def look_behind(self) -> None:
        """Bring the neighbour out on the map, too."""
        thing = self._thing
        self.map.chosen = spoke_id(thing) if isinstance(thing, Node) and thing.hop else ""
        super().look_behind()

    async def read_behind(self, row: Row) -> tuple[Sequence[Row], Sequence[Row]]:
        """What the row stands for in full, or both sides of it."""
        assert self.known
        thing = row.of if row.of is not None else self.sight.node
        return await asyncio.to_thread(behind, thing, self.known, self.looking)

    def show_behind(self, told: tuple[Sequence[Row], Sequence[Row]]) -> None:
        """Show what was told, or two things beside each other."""
        if VIEWS[self.place].sides:
            self.sides.show(*told)
        else:
            super().show_behind(told[0])

    def scroll_behind(self, lines: int) -> None:
        """Scroll all that is behind."""
        super().scroll_behind(lines)
        self.sides.scroll(lines)

    # -- keys ------------------------------------------------------------------------------------

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        thing, view = self._thing, VIEWS[self.place]
        why: dict[str, str] = {}
        if not self._trail:
            why["walk_back"] = "there is nothing to go back to"
        if self.looking.day is None:
            why["as_of_today"] = "this is today"
        if isinstance(thing, Node) and thing.entity is None:
            why["open"] = "it has no page"
        if thing is None:
            why["to_source"] = "select something with a source first"
        if self.map.is_empty:
            why["map"] = "it has no neighbours to draw"
        if self.looking.day:
            why |= dict.fromkeys(view.decisions, "this shows another day: T goes back to today")
        elif not isinstance(thing, view.wanted):
            why |= dict.fromkeys(view.decisions, f"select {view.about} first")
        return why

    def action_back(self) -> None:
        """Out of reading, out of an answer, else out."""
        if not self._reading and self.looking.question and self.place is FocusContext.GRAPH:
            self.look(question="")
        else:
            super().action_back()

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        self.turn_to(self.PLACES[message.index])

    def turn_to(self, place: FocusContext) -> None:
        """Another view."""
        self.look(view=place, question="")

    def _turn(self, step: int) -> None:
        self.turn_to(self.PLACES[(self.PLACES.index(self.place) + step) % len(self.PLACES)])

    def walk_to(self, path: str) -> None:
        """To another entity; the way back is remembered."""
        row, looking = self.row, self.looking
        beside = self.place is not FocusContext.GRAPH or bool(looking.question)
        if looking.path and not (beside and looking.path == path):
            self._trail.append((looking.path, row.id if row and not beside else SELF))
        self.look(SELF, view=FocusContext.GRAPH, path=path, question="", each=EACH)

    def action_walk_back(self) -> None:
        """Back to the entity that one came from."""
        path, row_id = self._trail.pop()
        self.look(row_id, path=path, question="", each=EACH)

    def action_open(self) -> None:
        """To the entity that the row leads to; else to read what is behind it."""
        row = self.row
        if row is None:
            return
        if row.id.startswith(MORE):
            self.look(row.id, each=self.looking.each + _MORE)
        elif row.id != SELF and (path := _leads_to(row.of)):
            self.walk_to(path)
        else:
            super().action_open()

    # -- what is asked for -----------------------------------------------------------------------

    def action_find_entity(self) -> None:
        """Go to an entity by any of its names."""
        if self.known:
            self.services.show_dialog(EntityScreen(self.known.whole), self.walk_to)

    def action_ask_graph(self) -> None:
        """Ask in plain words."""
        hint = "who works on Atlas? · how is Alice connected to Bob?"
        dialog = ChooseScreen(
            "Ask the graph", (), as_typed("ask"), placeholder=hint, empty="type a question", chooses="asks"
        )
        look = partial(self.look, "found:0", view=FocusContext.GRAPH)
        self.services.show_dialog(dialog, lambda question: look(question=question))

    def action_as_of_day(self) -> None:
        """What was true on a day that is typed."""

        def chosen(day: str) -> None:
            self.look(day=date.fromisoformat(day) if day else None)

        title, rows = "As of which day?", [Row("", words("today"))]
        self.services.show_dialog(
            ChooseScreen(title, rows, day_rows, placeholder="2026-03-14", chooses="goes there"), chosen
        )

    def _month(self, months: int) -> None:
        if self.known:
            day = month_from(self.looking.on(self.known), months)
            self.look(day=None if day == self.known.today else day)

    def _go_to_source(self, *, left: bool) -> None:
        """To the first source that is still there."""
        sources = sources_behind(self._thing, left=left) if self._thing else ()
        if sources:
            self.go_to_first(sources, f"Its source was not found: there is no entry {sources[0]}")

    # -- what is decided: each one operation -----------------------------------------------------

    def _merge(self, *, other_way: bool) -> None:
        if isinstance(pair := self._thing, Duplicate):
            keep, other = (pair.other, pair.keep) if other_way else (pair.keep, pair.other)
            request = declared_request(operations.MERGE, keep.path, other=other.path)
            self.services.ask(replace(request, addresses=(keep.path, other.path)))

    def action_keep_apart(self) -> None:
        """They are two, and it is not asked again."""
        if isinstance(pair := self._thing, Duplicate):
            one, other = pair.keep.path, pair.other.path
            request = declared_request(operations.APART, one, other=other)
            self.services.do(replace(request, action="settle", addresses=(one, other)))

    def _settle(self, answer: Answer) -> None:
        if isinstance(claims := self._thing, Contradiction):
            addresses = (*claims.old.addresses, *claims.new.addresses)
            self.services.do(
                Request(
                    action="settle",
                    addresses=addresses,
                    planner=lambda workspace, _: plan_settle(workspace, claims, answer, now=now()),
                )
            )

    def action_mark_done(self) -> None:
        """The todo or the deadline is done."""
        if isinstance(due := self._thing, DueItem):
            self.services.do(declared_request(operations.UPDATE, due.held.memory.entry.address, done=True))

    # -- room ------------------------------------------------------------------------------------

    def action_map(self) -> None:
        """Draw a map, or take it away."""
        self._map_wanted = not self._map_shown
        self.lay_out()

    @property
    def _map_shown(self) -> bool:
        """Whether the map is seen: where a person wants it, else where there is room for more than it."""
        wanted = self._roomy if self._map_wanted is None else self._map_wanted
        return wanted and not self.map.is_empty

    @property
    def _roomy(self) -> bool:
        width, height = self.app.size.width, self.app.size.height - _AROUND
        return (height if width >= BESIDE_FROM else height // 2) >= _ROOMY

    def lay_out(self, *, update: bool = True) -> None:
        """What fits."""
        sides, width = VIEWS[self.place].sides, self.app.size.width
        classes = {
            "-sides": sides is not None,
            "-beside": sides is None and width >= BESIDE_FROM,
            "-stacked": sides is not None and width < _STACKED_BELOW,
            "-map": self.place is FocusContext.GRAPH and self._map_shown,
            "-map-alone": self._map_shown and not self._roomy,
        }
        self.update_classes(classes, update=update)
        if sides:
            self.sides.entitle(*sides)


def _leads_to(thing: Thing | None) -> str:
    """The page that enter goes to; empty where it goes nowhere."""
    entity = None
    if isinstance(thing, (Node, GraphFinding)):
        entity = thing.entity
    elif isinstance(thing, DueItem):
        entity = thing.held.entity
    return entity.path if entity else ""
