"""How often episodes were of use, by the ledger: no page is written for having been read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.memory.clock_doubt import TOLERANCE
from workbench.memory.entry import path_of
from workbench.memory.episode import FOLDER, Episode
from workbench.memory.provenance import parse_instant
from workbench.workspace import ledger
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Mark:
    """Recalls of one episode, and the last of them; None where no moment is told that can be believed.

    ``score`` is the mean of theirs, in [0, 1].
    """

    count: int
    last: datetime | None = None
    score: float = 0.0


def recall_marks(workspace: Workspace, now: datetime) -> Mapping[str, Mark]:
    """The recalls of each episode that has any, by its path.

    A recall that gave several lines of a page counts once: the question is what was of use. Records without
    a moment, or of the future, count and tell no moment.
    """
    recalls: dict[str, dict[object, Mapping[str, object]]] = {}
    for number, record in enumerate(workspace.ledger.read("recalls")):
        entry = record.get("entry")
        if isinstance(entry, str) and entry.startswith(FOLDER):
            told = record.get("at"), record.get("query")
            of = told if all(isinstance(one, str) for one in told) else number
            recalls.setdefault(path_of(entry) or entry, {}).setdefault(of, record)
    return {path: _mark(list(found.values()), now) for path, found in recalls.items()}


def _mark(records: Sequence[Mapping[str, object]], now: datetime) -> Mark:
    moments = [at for one in records if (at := parse_instant(one.get("at"))) and at <= now + TOLERANCE]
    scores = [ledger.share(one.get("score")) for one in records]
    return Mark(len(records), max(moments, default=None), sum(scores) / len(scores))


def recalls_of(episode: Episode, marks: Mapping[str, Mark]) -> Mark:
    """What is known of an episode: the ledger's count or its header's, whichever is the higher.

    A header is written with the ledger's count, or came with that of another tool.
    """
    mark = marks.get(episode.path, Mark(0))
    moments = [moment for moment in (mark.last, episode.last_recalled_at) if moment]
    return Mark(max(mark.count, episode.recall_count), max(moments, default=None), mark.score)
