"""What the screen knows at a moment: the graph, what was recalled, what was decided; and what it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from screens.drawing.rows import Row
from screens.drawing.safe_text import Shown, words
from screens.graph.alike import Alike
from workbench.graph.contradictions import Contradiction
from workbench.graph.decay import RecallDays, importance_today, read_recalls
from workbench.graph.duplicates import Duplicate
from workbench.graph.memory_query import Due
from workbench.graph.model import Graph, Held
from workbench.graph.read import GraphReader
from workbench.graph.search import EACH, GraphFinding, Node
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.workspace.decisions import settled_keys
from workbench.workspace.workspace import Workspace

Thing = Node | Held | Duplicate | Contradiction | Due | GraphFinding
"""What a row stands for."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What is read beside the pages: typed memories of no entity, recalls, and what was decided."""

    loose: tuple[TypedMemory, ...] = ()
    recalls: RecallDays = field(default_factory=lambda: RecallDays({}))
    decided: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Known:
    """Immutable, so that a thread may make rows of it while another is shown."""

    whole: Graph
    beside: Beside
    today: date
    alike: Alike = field(default_factory=Alike)

    def importance(self, memory: TypedMemory) -> float:
        """What is left of an importance today, in [0, 1]."""
        return importance_today(memory, self.today, self.beside.recalls.of(memory))


@dataclass(frozen=True, slots=True)
class Looking:
    """What is looked at, and how: ``day`` is None for today, ``path`` empty where nothing is chosen yet."""

    path: str = ""
    hops: int = 1
    day: date | None = None
    over: bool = False
    each: int = EACH
    question: str = ""

    def seen(self, known: Known) -> Graph:
        """The graph as of the day; with ``over`` all that the pages tell."""
        return known.whole if self.over else known.whole.as_of(self.on(known))

    def on(self, known: Known) -> date:
        """The day, which may be today."""
        return self.day or known.today


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The rows of a view, what each stands for, and what is said where there is none."""

    rows: tuple[Row, ...] = ()
    things: Mapping[str, Thing] = field(default_factory=dict)
    count: int | None = None
    """For the tab; None says nothing."""
    empty: Shown = words("")  # noqa: RUF009 - immutable
    title: Shown = words("")  # noqa: RUF009
    entity: Entity | None = None
    node: Node | None = None


class BesideReader:
    """Reads it again and again in one thread; only files that changed are parsed anew."""

    def __init__(self) -> None:
        self._reader: GraphReader | None = None

    def read(self, workspace: Workspace) -> Beside:
        """As it is now. Raises WorkbenchError, OSError."""
        if self._reader is None:
            self._reader = GraphReader(workspace, pages=False)
        return Beside(
            self._reader.read().loose, read_recalls(workspace.ledger.read("recalls")), settled_keys(workspace)
        )


def graph_of(entities: Iterable[Entity], beside: Beside) -> Graph:
    """The graph of pages that were read before."""
    return Graph(tuple(sorted(entities, key=lambda entity: entity.path)), beside.loose)
