"""What the screen knows at a moment: the graph, what was recalled, what was decided; and what it looks at."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date

import msgspec

from indexing.embedding.local_model import why_no_model
from screens.actions.availability import FocusContext
from screens.drawing.safe_text import Row
from screens.frames.services import Desk
from screens.history.history_reader import Historian
from screens.jobs.worker_client import WorkerClient
from screens.loading.snapshots import GraphView
from workbench.errors import WorkbenchError
from workbench.graph.contradictions import Contradiction
from workbench.graph.decay import RecallDays, importance_today, read_recalls
from workbench.graph.duplicates import Duplicate, same_key
from workbench.graph.memory_query import Due
from workbench.graph.model import Graph, Held
from workbench.graph.read import GraphReader
from workbench.graph.search import EACH, GraphFinding, Node
from workbench.memory.graph_page import Entity, TypedMemory
from workbench.memory.names import RelPath
from workbench.workspace.decisions import settled_keys
from workbench.workspace.workspace import Workspace

Thing = Node | Held | Duplicate | Contradiction | Due | GraphFinding
"""What a row stands for."""


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
        return tuple(
            Duplicate(
                keep=keep,
                other=other,
                cosine=one.cosine,
                names=one.names,
                automatic=one.automatic,
                why=one.why,
            )
            for one in self.pairs
            if (keep := graph.at(one.keep))
            and (other := graph.at(one.other))
            and same_key(keep, other) not in decided
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
        return Alike(problem=f"the model cannot be used: {error.strerror}")
    except (KeyError, msgspec.ValidationError):
        return Alike(problem="the process of the model did not answer")


@dataclass(frozen=True, slots=True)
class Known:
    """The graph, what was recalled, what was decided. A thread makes rows of it while another is shown."""

    whole: Graph
    recalls: RecallDays
    decided: frozenset[str]
    today: date
    alike: Alike = Alike()

    def importance(self, memory: TypedMemory) -> float:
        """What is left of an importance today, in [0, 1]."""
        return importance_today(memory, self.today, self.recalls.of(memory))


class KnownReader:
    """Reads it again and again; only what changed is parsed and put together anew."""

    def __init__(self, historian: Historian) -> None:
        self._historian = historian
        self._reader: GraphReader | None = None
        self._built: tuple[GraphView, Graph] | None = None
        """The pages that were put together last, and what came of it."""

    async def read(self, pages: GraphView, today: date) -> Known:
        """What is known now, with these pages. Raises WorkbenchError, OSError."""
        loose, recalls, decided = await self._historian.run(self._read_beside)
        built = self._built
        if built is None or built[0] is not pages or built[1].loose is not loose:
            ordered = sorted(pages.entities, key=lambda entity: entity.path)
            built = self._built = pages, await asyncio.to_thread(Graph, tuple(ordered), loose)
        return Known(built[1], recalls, decided, today)

    def _read_beside(
        self, workspace: Workspace
    ) -> tuple[tuple[TypedMemory, ...], RecallDays, frozenset[str]]:
        """In the historian's thread: typed memories of no entity, recalls, and what was decided."""
        if self._reader is None:
            self._reader = GraphReader(workspace, pages=False)
        recalls = read_recalls(workspace.ledger.read("recalls"))
        return self._reader.read().loose, recalls, settled_keys(workspace)


@dataclass(frozen=True, slots=True)
class Looking:
    """What is looked at, and how: ``day`` is None for today, ``path`` empty where nothing is chosen yet."""

    path: str = ""
    view: FocusContext = FocusContext.GRAPH
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
