"""What the screen knows at a moment: the graph, what was recalled, what was decided; and what it looks at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

import msgspec

from screens.drawing.rows import Row
from screens.frames.services import Desk
from screens.jobs.worker_client import WorkerClient
from workbench.errors import WorkbenchError
from workbench.graph.contradictions import Contradiction
from workbench.graph.decay import RecallDays, importance_today, read_recalls
from workbench.graph.duplicates import Duplicate, same_key
from workbench.graph.memory_query import Due
from workbench.graph.model import Graph, Held
from workbench.graph.read import GraphReader
from workbench.graph.search import EACH, GraphFinding, Node
from workbench.ingest.local_model import why_no_model
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.memory.names import RelPath
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two pages alike in meaning, by their paths; ``cosine`` in [-1, 1], ``names`` in [0, 1]."""

    keep: RelPath
    other: RelPath
    cosine: float | None
    names: float
    automatic: bool
    why: str


@dataclass(frozen=True, slots=True)
class Alike:
    """What is known of meaning: ``pairs``, or the ``problem`` that there are none for; or it is ``asked``."""

    pairs: tuple[Pair, ...] = ()
    problem: str = ""
    asked: bool = False
    known: bool = False
    """Whether an answer came, be it of another moment."""

    def found(self, graph: Graph, decided: frozenset[str]) -> tuple[Duplicate, ...]:
        """The pairs whose pages still stand, and that nobody has answered."""
        pages = ((one, graph.at(one.keep), graph.at(one.other)) for one in self.pairs)
        return tuple(
            Duplicate(
                keep=keep,
                other=other,
                cosine=one.cosine,
                names=one.names,
                automatic=one.automatic,
                why=one.why,
            )
            for one, keep, other in pages
            if keep and other and same_key(keep, other) not in decided
        )


async def ask_meaning(desk: Desk) -> Alike:
    """Compare the names of all pages by their meaning, in a process that has the model. Raises nothing."""
    try:
        if why := await desk.historian.run(lambda place: why_no_model(place.settings)):
            return Alike(problem=why)
        said = await WorkerClient("similar-names", desk.workspace.root).run()
        pairs = msgspec.convert(said["pairs"], tuple[Pair, ...])
        return Alike(tuple(one for one in pairs if one.cosine is not None), known=True)
    except WorkbenchError as error:
        return Alike(problem=error.message)
    except OSError as error:
        return Alike(problem=f"the model cannot be asked: {error.strerror}")
    except (KeyError, msgspec.ValidationError):
        return Alike(problem="the process that has the model gave no answer")


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
    """The rows of a view, each ``of`` a thing, and what is said where there is none."""

    title: str = "Graph"
    rows: tuple[Row, ...] = ()
    count: int | None = None
    """For the tab; None says nothing."""
    empty: str = ""
    entity: Entity | None = None
    node: Node | None = None

    @property
    def first(self) -> str | None:
        """The first row that stands for something."""
        return next((row.id for row in self.rows if row.of is not None), None)


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
