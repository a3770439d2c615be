"""How often episodes were of use, by the ledger: no page is written for having been read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.memory.address import path_of
from workbench.memory.clock_doubt import TOLERANCE
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
    seen: set[tuple[str, object, object]] = set()
    counts: dict[str, int] = {}
    scores: dict[str, float] = {}
    last: dict[str, datetime] = {}
    for record in workspace.ledger.read("recalls"):
        entry = record.get("entry")
        if not isinstance(entry, str) or not entry.startswith(FOLDER):
            continue
        path = path_of(entry) or entry
        told = record.get("at"), record.get("query")
        if all(isinstance(one, str) for one in told):
            if (path, *told) in seen:
                continue
            seen.add((path, *told))
        counts[path] = counts.get(path, 0) + 1
        scores[path] = scores.get(path, 0.0) + ledger.share(record.get("score"))
        at = parse_instant(record.get("at"))
        if at is not None and at <= now + TOLERANCE and at > last.get(path, datetime.min.replace(tzinfo=UTC)):
            last[path] = at
    return {path: Mark(count, last.get(path), scores[path] / count) for path, count in counts.items()}


def recalls_of(episode: Episode, marks: Mapping[str, Mark]) -> Mark:
    """What is known of an episode: the ledger's count or its header's, whichever is the higher.

    A header is written with the ledger's count, or came with that of another tool.
    """
    mark = marks.get(episode.path, Mark(0))
    moments = [moment for moment in (mark.last, episode.last_recalled_at) if moment]
    return Mark(max(mark.count, episode.recall_count), max(moments, default=None), mark.score)
