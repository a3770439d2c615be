"""Pages that are alike in meaning: asked of a process that has the model, while names are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from screens.frames.services import Desk
from screens.search import worker_process
from workbench.graph.duplicates import Duplicate, same_key
from workbench.graph.snapshot import Graph
from workbench.ingest.similar_names import why_no_meaning
from workbench.memory.names import RelPath

_MODULE = "workbench.ingest.similar_names"


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
        child = await worker_process.start(_MODULE, desk.workspace.root, with_input=False)
    except OSError as error:
        return Alike(problem=f"the model cannot be asked: {error.strerror}")
    assert child.stdout is not None
    try:
        line = await child.stdout.readline()
    except ValueError:
        return Alike(problem="the model answered with too long a line")
    finally:
        await worker_process.stop(child)
    return _answer(line)


def _answer(line: bytes) -> Alike:
    try:
        said: Mapping[str, Any] = json.loads(line)
        if problem := said.get("problem"):
            return Alike(problem=str(problem))
        pairs: Sequence[Mapping[str, Any]] = said["pairs"]
        return Alike(tuple(_pair(one) for one in pairs if one["cosine"] is not None), known=True)
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
