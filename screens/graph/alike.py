"""Pages that are alike in meaning: asked of a process that has the model, while names are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from screens.frames.services import Desk
from screens.jobs.worker_client import WorkerClient
from workbench.errors import WorkbenchError
from workbench.graph.duplicates import Duplicate, same_key
from workbench.graph.model import Graph
from workbench.ingest.similar_names import why_no_meaning
from workbench.memory.names import RelPath


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pages by their paths, as the process told them; ``cosine`` in [-1, 1], ``names`` in [0, 1]."""

    keep: RelPath
    other: RelPath
    cosine: float
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
        there = {entity.path: entity for entity in graph.entities}
        return tuple(
            Duplicate(
                keep=there[one.keep],
                other=there[one.other],
                cosine=one.cosine,
                names=one.names,
                automatic=one.automatic,
                why=one.why,
            )
            for one in self.pairs
            if one.keep in there
            and one.other in there
            and same_key(there[one.keep], there[one.other]) not in decided
        )


async def ask(desk: Desk) -> Alike:
    """Compare the names of all pages by their meaning. Raises nothing; whoever stops waiting ends it."""
    try:
        if why := await desk.historian.run(lambda place: why_no_meaning(place.settings)):
            return Alike(problem=why)
        said = await WorkerClient("similar-names", desk.workspace.root).run()
        return Alike(tuple(_pair(one) for one in said["pairs"] if one["cosine"] is not None), known=True)
    except WorkbenchError as error:
        return Alike(problem=error.message)
    except OSError as error:
        return Alike(problem=f"the model cannot be asked: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        return Alike(problem="the process that has the model gave no answer")


def _pair(said: Mapping[str, Any]) -> Pair:
    return Pair(
        keep=RelPath(str(said["keep"])),
        other=RelPath(str(said["other"])),
        cosine=float(said["cosine"]),
        names=float(said["names"]),
        automatic=said["automatic"] is True,
        why=str(said["why"]),
    )
