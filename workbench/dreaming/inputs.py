"""The survey: everything a run knows of memory before it chooses, read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from workbench.dreaming.candidates import CandidateScan, candidates
from workbench.dreaming.clusters import Cluster, folded
from workbench.dreaming.episode_queue import chosen, too_soon, unpromoted
from workbench.dreaming.gates import Gates
from workbench.dreaming.judge import Judge, Judged
from workbench.dreaming.progress import EVERY, DreamProgress, OnProgress, unheard
from workbench.dreaming.proposals.inbox import Book, read_book
from workbench.dreaming.semantic_clusters import Alike, alike_in_meaning
from workbench.dreaming.signals import ClaimRecallIndex, read_recalls
from workbench.dreaming.skips import Skips
from workbench.memory.entry import Kind
from workbench.plural import plural
from workbench.workspace.episode_recalls import recall_marks
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was read and how each cluster is judged, in the order in which the claims were first read."""

    today: date
    gates: Gates
    cold: bool
    found: CandidateScan
    recalls: ClaimRecallIndex
    book: Book
    judged: tuple[Judged, ...]
    skips: Skips
    notes: tuple[str, ...]


def survey(
    workspace: Workspace,
    now: datetime,
    gates: Gates,
    *,
    skips: Skips | None = None,
    tell: OnProgress = unheard,
) -> Survey:
    """Read all that can be a source, and judge every claim in it. What is left out goes to ``skips``."""
    today = now.date()
    skips = Skips() if skips is None else skips
    book = read_book(workspace)
    first = not any(proposal.by == "dreaming" for proposal, _ in book.proposals.values())
    found = candidates(workspace, today, None if first else gates.days, skips, tell=tell)
    tell(DreamProgress("folding"))
    meaning = _meaning(workspace, found)
    clusters = folded(found.mentions, meaning.pairs)
    tell(DreamProgress("recalls"))
    recalls = _recalls(workspace, now, clusters)
    since = today - timedelta(days=gates.days)
    cold = sum(since <= day <= today for day in recalls.days) < gates.context
    queue, queue_note = _queue(workspace, found, book, now) if not cold else (frozenset[str](), "")
    judge = Judge(today, gates, cold)
    judged = tuple(
        judge.by_rule(
            cluster,
            recalls.of.get(cluster.mentions[0].key),
            queued=any(m.kind is Kind.EPISODE and m.path in queue for m in cluster.mentions),
        )
        for cluster in _counted(clusters, tell)
    )
    notes = (*_notes(found, recalls, gates, cold=cold), *meaning.notes, *([queue_note] if queue_note else []))
    return Survey(
        today=today,
        gates=gates,
        cold=cold,
        found=found,
        recalls=recalls,
        book=book,
        judged=judged,
        skips=skips,
        notes=notes,
    )


def _counted(clusters: Sequence[Cluster], tell: OnProgress) -> Iterator[Cluster]:
    """The clusters, and a word now and then on how many there were."""
    for number, cluster in enumerate(clusters):
        if number % EVERY == 0:
            tell(DreamProgress("judging", number, len(clusters)))
        yield cluster


def _meaning(workspace: Workspace, found: CandidateScan) -> Alike:
    """Claims in other words: of those only that are all that their entry says, the index has a vector."""
    whole = {mention.key: mention for mention in found.mentions if mention.whole}
    texts = {key: mention.context for key, mention in whole.items()}
    return alike_in_meaning(workspace, texts, {key: mention.text for key, mention in whole.items()})


def _recalls(workspace: Workspace, now: datetime, clusters: Sequence[Cluster]) -> ClaimRecallIndex:
    """The recalls of the clusters, each by the key of its first mention."""
    claims: dict[str, str] = {}
    entries: dict[str, list[str]] = {}
    for cluster in clusters:
        name = cluster.mentions[0].key
        claims.update(dict.fromkeys(cluster.keys, name))
        for mention in cluster.mentions:
            names = entries.setdefault(mention.entry.rpartition("#")[2].partition("~")[0], [])
            if name not in names:
                names.append(name)
    return read_recalls(workspace, now, claims, entries)


def _queue(
    workspace: Workspace, found: CandidateScan, book: Book, now: datetime
) -> tuple[frozenset[str], str]:
    """The episodes whose facts need no recalls in this run, and what to tell of the queue."""
    waiting = unpromoted(found.episodes, recall_marks(workspace, now), now.date())
    if last := too_soon((proposal for proposal, _ in book.proposals.values()), now):
        return frozenset(), f"the queue of episodes was looked at {_minutes(now - last)} ago; it rests for 10"
    queue = chosen(waiting, now.date())
    left = len(waiting) - len(queue) if queue else 0
    note = f"{plural(left, 'further episode')} in the queue; 10 a run are looked at" if left else ""
    return frozenset(one.path for one in queue), note


def _minutes(span: timedelta) -> str:
    minutes = int(span.total_seconds() // 60)
    return f"{minutes} minutes" if minutes > 1 else "a minute" if minutes else "less than a minute"


def _notes(found: CandidateScan, recalls: ClaimRecallIndex, gates: Gates, *, cold: bool) -> list[str]:
    notes = []
    if cold:
        notes.append(
            f"recalls are known of {plural(len(recalls.days), 'day')}, too few to tell what is of use: "
            "claims are judged by what they say and who says it (grounding)"
        )
    if found.old:
        notes.append(f"not considered, as more than {gates.days} days before the newest log: {found.old:,}")
    if found.unread:
        more = f" and {len(found.unread) - 3} more" if len(found.unread) > 3 else ""
        notes.append(f"could not be read: {', '.join(found.unread[:3])}{more}")
    if recalls.bad:
        notes.append(f"no records in the book of recalls: {plural(recalls.bad, 'line')}")
    if recalls.ahead:
        notes.append(f"dated after now and not counted: {plural(recalls.ahead, 'recall')}")
    if recalls.gone:
        notes.append(f"of entries that stand in no source (any more): {plural(recalls.gone, 'recall')}")
    return notes
