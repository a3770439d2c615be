"""What keys mean in the graph: where to go, which day, what to ask, what to settle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from screens.actions.availability import FocusContext
from screens.dialogs.dialog import Dialog
from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown, row_text, words
from screens.graph.entity_picker import EntityScreen
from screens.graph.graph_state import Looking
from screens.graph.messages import Sourced
from screens.graph.prompt import PromptScreen, day_of, heard_day, heard_question, month_from
from screens.graph.sources import address_of, sources_behind
from screens.graph.tabs import VIEWS
from screens.graph.trail import Trail
from screens.graph.tree import MORE, SELF
from screens.main.movement import Command
from workbench.errors import WorkbenchError
from workbench.graph.memory_query import Due
from workbench.graph.search import EACH, GraphFinding, Node
from workbench.memory.graph_page import Entity
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.graph.neighbourhood import GraphScreen

_MORE = 1_000
"""Neighbours of one entity that are shown besides, each time that somebody asks for the others."""
_ORDER = tuple(VIEWS)


class Going:
    """Commands by action id, and why some cannot be done now."""

    def __init__(self, screen: GraphScreen) -> None:
        self._screen = screen
        self.trail = Trail()

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        turn = {
            FocusContext.GRAPH: "relations",
            FocusContext.PAIRS: "pairs",
            FocusContext.CLAIMS: "claims",
            FocusContext.DUE: "due",
        }
        return {
            **{f"view_{name}": partial(self.turn_to, place) for place, name in turn.items()},
            "next_view": partial(self._turn, 1),
            "previous_view": partial(self._turn, -1),
            "open": self._open,
            "unfold": self._unfold,
            "fold": self._fold,
            "find_entity": self._find,
            "ask_graph": self._ask,
            "one_hop": partial(self._hops, 1),
            "two_hops": partial(self._hops, 2),
            "three_hops": partial(self._hops, 3),
            "walk_back": self._walk_back,
            "what_is_over": self._over,
            "map": self._map,
            "to_source": self._source,
            "to_other_source": partial(self._source, left=True),
            "as_of_day": self._type_day,
            "month_before": partial(self._month, -1),
            "month_after": partial(self._month, 1),
            "as_of_today": lambda: self.look(replace(self._looking, day=None)),
        }

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        screen, thing, looking = self._screen, self._screen.thing, self._looking
        why: dict[str, str] = {}
        if not self.trail:
            why["walk_back"] = "this is where you began"
        if looking.day is None:
            why["as_of_today"] = "this is today"
        if isinstance(thing, Node) and thing.entity is None:
            why["open"] = "it has no page: there is nowhere to go"
        if thing is None:
            why["to_source"] = "put the cursor on what has a source first"
        if screen.sight.node is None or not screen.sight.node.children:
            why["map"] = "there are no neighbours to be drawn"
        return why

    def title(self) -> Shown:
        """What stands on the frame: the way here, and how it is looked at."""
        screen = self._screen
        title = screen.sight.title or words("Graph")
        if screen.view is not FocusContext.GRAPH or self._looking.question:
            return title
        over = " · with what is over" if self._looking.over else ""
        return words(f"{self.trail.said(self._name_of)}{title}{over}")

    # -- where to go -----------------------------------------------------------------------------

    def look(self, looking: Looking, go_to: str | None = None) -> None:
        """Look at this."""
        self._screen.looking = looking
        self._screen.see(go_to)

    def turn_to(self, place: FocusContext) -> None:
        """Another view."""
        screen = self._screen
        screen.view = place
        screen.looking = replace(screen.looking, question="")
        screen.see()

    def walk_to(self, path: str) -> None:
        """To another entity; the way back is remembered."""
        screen = self._screen
        row = screen.list.row
        if screen.view is FocusContext.GRAPH and not self._looking.question:
            self.trail.leave(self._looking.path, row.id if row else SELF)
        elif self._looking.path != path:
            self.trail.leave(self._looking.path, SELF)
        screen.view = FocusContext.GRAPH
        self.look(replace(self._looking, path=path, question="", each=EACH), SELF)

    def arrived(self, entity: Entity) -> None:
        """An entity is shown: that which was looked for, or another where it is gone."""
        looking = self._looking
        if looking.path and looking.path != entity.path:
            text = row_text(f"{looking.path} is not there any more; this is {entity.name}")
            self._screen.desk.say(text, "warning")
        self._screen.looking = replace(looking, path=entity.path)

    def _turn(self, step: int) -> None:
        self.turn_to(_ORDER[(_ORDER.index(self._screen.view) + step) % len(_ORDER)])

    def _open(self) -> None:
        screen = self._screen
        row, thing = screen.list.row, screen.thing
        if row is None:
            return
        if row.id.startswith(MORE):
            self.look(replace(self._looking, each=self._looking.each + _MORE), row.id)
        elif row.id != SELF and (path := _leads_to(thing)):
            self.walk_to(path)
        elif thing is None and row.fold is not None:
            self._set_fold(row, is_open=not row.fold)
        elif thing is not None:
            screen.read()

    def _unfold(self) -> None:
        row = self._screen.list.row
        if row is not None and row.fold is False:
            self._set_fold(row, is_open=True)

    def _fold(self) -> None:
        rows = self._screen.list
        if rows.row is None:
            return
        if rows.row.fold:
            self._set_fold(rows.row, is_open=False)
            return
        above = range(rows.cursor - 1, -1, -1)
        rows.go(next((at for at in above if rows.rows[at].depth < rows.row.depth), rows.cursor))

    def _set_fold(self, row: Row, *, is_open: bool) -> None:
        self._screen.folds.set(row.id, is_open)
        self._screen.see()

    def _find(self) -> None:
        known = self._screen.known
        if known is not None:
            self._prompt(EntityScreen(known.whole), self.walk_to)

    def _ask(self) -> None:
        def asked(question: str) -> None:
            if question:
                self._screen.view = FocusContext.GRAPH
                self.look(replace(self._looking, question=question), "found:0")

        said = self._looking.question
        self._prompt(PromptScreen(words("Ask the graph"), "who works on Atlas?", heard_question, said), asked)

    def _hops(self, hops: int) -> None:
        self.look(replace(self._looking, hops=hops, question="", each=EACH))

    def _walk_back(self) -> None:
        step = self.trail.back()
        self.look(replace(self._looking, path=step.path, question="", each=EACH), step.row_id)

    def _over(self) -> None:
        self.look(replace(self._looking, over=not self._looking.over))

    def _map(self) -> None:
        self._screen.map_wanted = not self._screen.map_shown
        self._screen.lay_out()

    # -- days ------------------------------------------------------------------------------------

    def _type_day(self) -> None:
        day = self._looking.day
        value = day.isoformat() if day else ""
        prompt = PromptScreen(words("As of which day? Empty is today"), "2026-03-14", heard_day, value)
        self._prompt(prompt, lambda text: self.look(replace(self._looking, day=day_of(text))))

    def _month(self, months: int) -> None:
        known = self._screen.known
        if known is not None:
            day = month_from(self._looking.on(known), months)
            self.look(replace(self._looking, day=None if day == known.today else day))

    # -- sources ---------------------------------------------------------------------------------

    def _source(self, *, left: bool = False) -> None:
        thing = self._screen.thing
        sources = sources_behind(thing, left=left) if thing is not None else ()
        if sources:
            self._screen.work(partial(self._go_to, sources), "source", exclusive=True)

    async def _go_to(self, sources: tuple[str, ...]) -> None:
        """The first source that is still there."""

        def found(workspace: Workspace) -> str:
            failed: WorkbenchError | None = None
            for source in sources:
                try:
                    return address_of(workspace, source)
                except WorkbenchError as error:
                    failed = failed or error
            assert failed is not None
            raise failed

        try:
            self._screen.post_message(Sourced(await self._screen.desk.historian.run(found)))
        except Exception as error:
            self._screen.post_message(Sourced("", error))

    def sourced(self, message: Sourced) -> None:
        """To the panes, where it is there."""
        error = message.error
        if error is None:
            self._screen.desk.go_to(message.address)
        else:
            said = error.message if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}"
            self._screen.desk.say(row_text(f"Its source is not to be found: {said}"), "warning")

    # -- what it stands on -----------------------------------------------------------------------

    @property
    def _looking(self) -> Looking:
        return self._screen.looking

    def _name_of(self, path: str) -> str | None:
        known = self._screen.known
        entity = known.whole.at(path) if known else None
        return entity.name if entity else None

    def _prompt(self, dialog: Dialog[str], answered: Callable[[str], None]) -> None:
        def closed(answer: str | None) -> None:
            if answer is not None:
                answered(answer)

        self._screen.show_dialog(dialog, closed)


def _leads_to(thing: object) -> str:
    """The page that enter goes to; empty where it goes nowhere."""
    if isinstance(thing, (Node, GraphFinding)):
        return thing.entity.path if thing.entity else ""
    if isinstance(thing, Due):
        return thing.held.entity.path if thing.held.entity else ""
    return ""
