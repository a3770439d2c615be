"""The rows of each view of the Graph screen, made in a thread from the graph and the state of the view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import msgspec

from indexing.embedding.local import why_no_model
from screens.actions.availability import FocusContext
from screens.actions.keys import key_for
from screens.drawing.safe_text import (
    Folds,
    Row,
    RowPart,
    Shown,
    Tone,
    grouped,
    line_rows,
    piece,
    plural,
    row_text,
    safe_piece,
    words,
)
from screens.frames.overlay_screen import Services
from screens.jobs.worker_client import WorkerClient
from screens.loading.workspace_model import GraphView
from workbench.errors import WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.graph.contradictions import ANSWERS, Contradiction, contradictions
from workbench.graph.decay import RecallDays, importance_today, read_recalls, recalls_of
from workbench.graph.duplicates import Duplicate, duplicates, same_key
from workbench.graph.keyword_search import most_linked
from workbench.graph.memory_query import PERIODS, DueItem, Period, period_of, upcoming
from workbench.graph.model import EntityMemory, Graph, is_over
from workbench.graph.read import GraphReader
from workbench.graph.search import EACH, GraphFinding, Node, neighbourhood, search_graph
from workbench.memory.entry import RelPath
from workbench.memory.graph_page import Entity, Relation, TypedMemory
from workbench.memory.moment import clock_of
from workbench.workspace.decisions import settled_keys
from workbench.workspace.workspace import Workspace

_MOST_FOUND = 50
SELF, RELATIONS, FACTS = "self", "group:relations", "group:facts"
MORE = "more:"
_MOST_FACTS = 500
_NO_ENTITIES = (
    "no entities yet\n"
    "graph/person/sarah.md would be one: `workbench graph store --about Sarah TEXT` makes it\n"
    "{} in the panes adds more from logs, notes and sessions"
)
_NO_CLAIMS = (
    "nothing contradicts itself\n"
    "Facts with one value at a time are compared: where somebody lives, whom they report to, a port."
)
_NOTHING_DUE = (
    "nothing is due\n"
    "A line `- [todo] …` on a page of graph/ waits until it is done; happens_at=2026-04-01 in its comment\n"
    "gives it a day. `workbench graph store --type todo --happens-at DAY` writes both."
)
_PERIODS: dict[Period, tuple[str, Tone]] = {
    "overdue": ("Overdue", "bad"),
    "today": ("Today", "warn"),
    "week": ("In the next seven days", "accent"),
    "later": ("Later", "head"),
    "undated": ("No day", "head"),
}
_SORTS: dict[str, Tone] = {"todo": "accent", "event": "muted", "deadline": "warn"}


_NEAR_DAYS = 182
_DOUBTFUL = 0.5
NOTICEABLE = 0.005
"""Of an importance: what fades by less has not faded."""
_TRUST: dict[str, Tone] = {"owner": "good", "agent": "muted", "external": "warn", "unknown": "warn"}
Line = Entity | Relation | TypedMemory


class View(NamedTuple):
    """A view: the action that turns to it, what its decisions are made of, and what stands over two sides."""

    action: str
    wanted: tuple[type, ...] = ()
    about: str = ""
    decisions: tuple[str, ...] = ()
    sides: tuple[str, str] | None = None


VIEWS: Mapping[FocusContext, View] = {
    FocusContext.GRAPH: View("view_relations"),
    FocusContext.PAIRS: View(
        "view_pairs",
        (Duplicate,),
        "a pair",
        ("merge_pair", "merge_other_way", "keep_apart"),
        ("this page stays", "m makes this one a part of it"),
    ),
    FocusContext.CLAIMS: View(
        "view_claims",
        (Contradiction,),
        "a contradiction",
        tuple(f"settle_{answer}" for answer in ANSWERS),
        ("old: 1 keeps it", "new: 2 replaces the old with it"),
    ),
    FocusContext.DUE: View("view_due", (DueItem,), "a todo, an event or a deadline", ("mark_done",)),
}


def sight_of(known: LoadedGraph, looking: GraphViewState, folds: Folds) -> GraphRows:
    """The rows of the view that is looked at."""
    match looking.view:
        case FocusContext.PAIRS:
            return _pairs(known, looking.alike)
        case FocusContext.CLAIMS:
            return _claims(known, looking)
        case FocusContext.DUE:
            return _due(known, looking, folds)
    return _answer(known, looking) if looking.question else neighbourhood_sight(known, looking, folds)


# -- an entity, its relations as a tree, then what is known of it ------------------------------


def _beginning(known: LoadedGraph, looking: GraphViewState) -> Entity | None:
    """The entity that a person most likely wants to begin with: the one with the most relations."""
    found = most_linked(looking.seen(known), 1) or most_linked(known.whole, 1)
    return known.whole.at(found[0].path) if found else None


def neighbourhood_sight(known: LoadedGraph, looking: GraphViewState, folds: Folds) -> GraphRows:
    """The rows of the entity that is looked at; of the most connected one where that is not there."""
    told = known.whole.at(looking.path) or _beginning(known, looking)
    if told is None:
        return GraphRows(empty=_NO_ENTITIES.format(key_for("ingest")))
    graph, day = looking.seen(known), looking.on(known)
    holds = graph.at(told.path)
    entity, graph = (holds, graph) if holds else (told, known.whole)
    node = neighbourhood(graph, entity, hops=looking.hops, each=looking.each)
    rows = [_self_row(node, entity, known)]
    if holds is None:
        said = f"does not hold on {day:%Y-%m-%d}: this is all that its page tells"
        rows.append(Row("absent", words(said), tone="warn", inert=True))
    if entity.problem:
        said = row_text(f"not read in full: {entity.problem}")
        rows.append(Row("problem", said, tone="bad", inert=True))
    rows += _relation_rows(node, graph.degree(entity), looking, day, folds)
    tail = (piece("importance today", "faint"), RowPart(grouped(len(entity.memories))))
    facts = Row(FACTS, words("What is known"), tone="head", tail=tail)
    rows += folds.section(facts, _fact_rows(entity, day, known), default=True)
    return GraphRows(title=entity.name, rows=tuple(rows), entity=entity, node=node)


def _self_row(node: Node, entity: Entity, known: LoadedGraph) -> Row:
    pinned = (piece("pinned", "accent"),) if entity.pinned else ()
    return replace(
        named_row(entity),
        id=SELF,
        tone="head",
        lead=(safe_piece(entity.type, "accent"),),
        tail=(*pinned, *window_parts(entity, known.today)),
        path=entity.path,
        address=entity.path,
        of=node,
    )


def named_row(entity: Entity) -> Row:
    """An entity by all of its names."""
    name = row_text(entity.name)
    text = row_text(f"{name}  also {', '.join(entity.aliases)}" if entity.aliases else name)
    return Row(entity.path, text, emphasis=((len(name), len(text), "faint"),))


def _relation_rows(node: Node, count: int, looking: GraphViewState, day: date, folds: Folds) -> Iterator[Row]:
    total = len(node.children) + node.left_out
    counted = grouped(count)
    if count != total:
        counted = words(f"{plural(count, 'relation')}, {plural(total, 'neighbour')}")
    hops = "1 relation away" if looking.hops == 1 else f"up to {looking.hops} relations away"
    row = Row(RELATIONS, words("Relations"), tone="head", tail=(piece(hops, "faint"), RowPart(counted)))
    none = words("none" if looking.over else "none that is valid: A includes what is over")
    nobody = [Row("none:relations", none, tone="muted", depth=1, inert=True)]
    yield from folds.section(row, _children(node, 1, day, folds) if total else nobody, default=True)


def _children(node: Node, depth: int, day: date, folds: Folds) -> Iterator[Row]:
    seen: set[str] = set()
    for child in node.children:
        assert child.hop
        relation = child.hop.link.relation
        row_id = f"node:{depth}:{relation.entry.address}:{child.hop.forward}:{child.name}"
        if row_id in seen:
            continue
        seen.add(row_id)
        kind = relation.kind.replace("_", " ")
        lead = row_text(f"{kind} →" if child.hop.forward else f"← {kind}")
        no_page = (piece("no page", "warn"),) if child.entity is None else ()
        row = Row(
            id=row_id,
            text=row_text(child.name),
            depth=depth,
            lead=(RowPart(lead, "accent"),),
            tail=(*stated_parts(relation, day), *no_page),
            tone="muted" if child.entity is None or is_over(relation, day) else "text",
            of=child,
        ).at(relation.entry)
        if child.children or child.left_out:
            yield from folds.section(row, _children(child, depth + 1, day, folds), default=True)
        else:
            yield row
    if node.left_out:
        where = node.entity.path if node.entity else node.name
        text = words(f"… {plural(node.left_out, 'other')}: enter shows them")
        yield Row(f"{MORE}{depth}:{where}", text, tone="faint", depth=depth, of=node)


def _fact_rows(entity: Entity, day: date, known: LoadedGraph) -> Iterator[Row]:
    weighed = [(known.importance(memory), memory) for memory in entity.memories]
    weighed.sort(key=lambda pair: (is_over(pair[1], day) or pair[1].done, -pair[0] * pair[1].confidence))
    for left, memory in weighed[:_MOST_FACTS]:
        yield _fact_row(EntityMemory(entity, memory), left, day)
    if len(weighed) > _MOST_FACTS:
        text = words(f"… {plural(len(weighed) - _MOST_FACTS, 'other')} on its page: o goes there")
        yield Row("more:facts", text, tone="faint", depth=1, inert=True)
    if not weighed:
        none = "it has no facts of its own: `workbench graph store --about` would"
        yield Row("none:facts", words(none), tone="muted", depth=1, inert=True)


def _fact_row(held: EntityMemory, left: float, day: date) -> Row:
    """One typed memory: its type, its words, who stands behind it, how long it holds, its importance.

    ``left`` is what is left of that; an arrow says that it has faded.
    """
    memory = held.memory
    when = (piece(f"on {memory.happens_at}", "accent"),) if memory.happens_at else ()
    if memory.done:
        when = (piece("done", "good"),)
    faded = "↓" if memory.importance - left > NOTICEABLE else " "
    return Row(
        id=f"fact:{memory.entry.address}",
        text=row_text(memory.text),
        tone="muted" if memory.done or is_over(memory, day) else "text",
        depth=1,
        lead=(safe_piece(memory.type, "accent"),),
        tail=(*stated_parts(memory, day), *when, piece(f"{left:.2f}{faded}")),
        of=held,
    ).at(memory.entry)


# -- duplicates ----------------------------------------------------------------------------------


def _pairs(known: LoadedGraph, alike: SimilarPairs) -> GraphRows:
    """The pairs by meaning, then those by names alone, the likest first of each."""
    by_meaning = alike.found(known.whole, known.decided)
    told = {one.key for one in by_meaning}
    by_name = duplicates(known.whole, today=known.today, decided=known.decided)
    rows = [_pair_row(one) for one in (*by_meaning, *(one for one in by_name if one.key not in told))]
    said = row_text(alike.note)
    note = [Row("note", said, tone="faint", inert=True)] if rows and said else []
    return GraphRows(
        title="Duplicates: are these the same?",
        rows=(*rows, *note),
        count=len(rows),
        empty="\n".join(filter(None, ("no two pages look like the same entity", said))),
    )


def _pair_row(one: Duplicate) -> Row:
    meaning = () if one.cosine is None else (piece(f"meaning {one.cosine:.0%}", "accent"),)
    return Row(
        id=f"pair:{one.keep.path}:{one.other.path}",
        text=row_text(f"{one.keep.name} ≟ {one.other.name}"),
        lead=(safe_piece(one.keep.type, "accent"),),
        tail=(*meaning, piece(f"names {one.names:.0%} alike")),
        path=one.keep.path,
        address=one.keep.path,
        of=one,
    )


# -- contradictions ------------------------------------------------------------------------------


def _claims(known: LoadedGraph, looking: GraphViewState) -> GraphRows:
    """The contradictions between what holds on the day."""
    rows: dict[str, Row] = {}
    for one in contradictions(known.whole, day=looking.on(known), decided=known.decided):
        name = row_text(one.entity.name)
        text = row_text(f"{name}: {one.old.text} ≠ {one.new.text}")
        row = Row(
            id=f"claim:{one.key}",
            text=text,
            emphasis=((0, min(len(name), len(text)), "head"),),
            tail=(safe_piece(one.slot),),
            path=one.entity.path,
            address=one.new.addresses[0] if one.new.addresses else one.entity.path,
            of=one,
        )
        rows.setdefault(row.id, row)
    title = "Contradictions: which is right?"
    return GraphRows(title=title, rows=tuple(rows.values()), count=len(rows), empty=_NO_CLAIMS)


# -- what is due ---------------------------------------------------------------------------------


def _due(known: LoadedGraph, looking: GraphViewState, folds: Folds) -> GraphRows:
    """What waits as of the day, and what comes, under the time that it is due in, the soonest first."""
    schedule = upcoming(known.whole, looking.on(known))
    periods: dict[Period, list[Row]] = {period: [] for period in PERIODS}
    for due in (*schedule.overdue, *schedule.upcoming, *schedule.undated):
        period = period_of(due)
        periods[period].append(_due_row(due, period))
    for task in schedule.tasks:
        lead = (piece("task    ", "accent"),)
        row = Row(f"task:{task.path}", row_text(task.name), depth=1, lead=lead, of=Node(task.name, task))
        periods["undated"].append(row)
    rows: list[Row] = []
    for period, items in periods.items():
        name, tone = _PERIODS[period]
        if items:
            row = Row(f"period:{period}", words(name), tone=tone, tail=(RowPart(grouped(len(items))),))
            rows += folds.section(row, items, default=True)
    late = len(periods["overdue"])
    return GraphRows(title="Todos and events", rows=tuple(rows), count=late or None, empty=_NOTHING_DUE)


def _due_row(due: DueItem, period: Period) -> Row:
    memory = due.held.memory
    tail = [safe_piece(due.held.owner)]
    day = memory.happens_at
    if day:
        tone: Tone = "bad" if period == "overdue" else "warn" if period == "today" else "muted"
        tail += [piece(f"{day:%a} {day.day} {day:%b}{clock_of(day)}", "faint"), piece(due.when, tone)]
    return Row(
        id=f"due:{memory.entry.address}",
        text=row_text(memory.text),
        depth=1,
        lead=(piece(due.sort.ljust(8), _SORTS[due.sort]),),
        tail=tuple(tail),
        of=due,
    ).at(memory.entry)


# -- an answer -----------------------------------------------------------------------------------


def _answer(known: LoadedGraph, looking: GraphViewState) -> GraphRows:
    """What the graph knows, as of the day, of the names in a question: a row a finding."""
    day = looking.on(known)
    graph = known.whole.as_of(day) if looking.day else known.whole
    answered = search_graph(graph, looking.question, day, most=_MOST_FOUND)
    rows = [Row("asked", row_text(looking.question), tone="head", inert=True)]
    rows += line_rows(((note, "warn") for note in answered.notes), "note")
    rows += [_found_row(f"found:{number}", one) for number, one in enumerate(answered.found)]
    if not answered.found:
        rows.append(Row("nothing", words("nothing was found about it: a asks again"), tone="muted"))
    for number, name in enumerate(answered.suggestions):
        lead = (piece("known is", "faint"),)
        rows.append(Row(f"known:{number}", row_text(name), tone="muted", lead=lead, inert=True))
    return GraphRows(title="Answer", rows=tuple(rows))


def _found_row(row_id: str, found: GraphFinding) -> Row:
    score = piece(f"{found.score:.2f}")
    if memory := found.memory:
        lead = (safe_piece(memory.type, "accent"),)
        tail = (safe_piece(found.name), score)
        return Row(row_id, row_text(memory.text), lead=lead, tail=tail, of=found).at(memory.entry)
    row = Row(row_id, row_text(found.name), tail=(score, safe_piece(found.why)), of=found)
    return row.at(found.path[-1].link.relation.entry) if found.path else row


# -- how long something holds, how sure it is, who stands behind it -------------------------------


def _day_in_row(day: date, now: date) -> Shown:
    """As short as it can be said: ``2 Mar`` within half a year of ``now``, else ``Mar 2024``."""
    return words(f"{day.day} {day:%b}" if abs((day - now).days) <= _NEAR_DAYS else f"{day:%b %Y}")


def window_parts(line: Line, day: date) -> Iterator[RowPart]:
    """From when on it holds and until when, seen from ``day``; nothing for what always held."""
    if line.valid_until:
        ended = line.valid_until <= day
        word = words(f"{'ended' if ended else 'until'} {_day_in_row(line.valid_until, day)}")
        yield RowPart(word, "warn" if ended else "muted")
    elif line.valid_from and line.valid_from > day:
        yield piece(f"from {_day_in_row(line.valid_from, day)}", "warn")
    elif line.valid_from:
        yield piece(f"since {_day_in_row(line.valid_from, day)}", "faint")


def stated_parts(line: Relation | TypedMemory, day: date) -> Iterator[RowPart]:
    """How sure it is, where that is not certain; who stands behind it, ``?`` where nobody says; how long."""
    if line.confidence < 1:
        yield piece(f"{line.confidence:.0%} sure", "faint" if line.confidence >= _DOUBTFUL else "warn")
    who = "?" if line.trust == "unknown" else line.trust
    yield safe_piece(who, _TRUST.get(line.trust, "warn"))
    yield from window_parts(line, day)


Thing = Node | EntityMemory | Duplicate | Contradiction | DueItem | GraphFinding
"""What a row stands for."""


@frozen_kw_only
class Pair:
    """Two pages alike in meaning, by their paths; ``cosine`` in [-1, 1], ``names`` in [0, 1]."""

    keep: RelPath
    other: RelPath
    cosine: float | None
    names: float
    automatic: bool
    why: str


@frozen
class SimilarPairs:
    """The ``pairs`` by meaning, and a ``note`` that says how far meaning took part."""

    pairs: tuple[Pair, ...] = ()
    note: str = ""

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


async def ask_meaning(services: Services) -> SimilarPairs:
    """Compare the names of all pages by their meaning, in a process that has the model. Raises nothing."""
    try:
        why = await services.history_reader.run(lambda place: why_no_model(place.settings))
        if not why:
            said = await WorkerClient("similar-names", services.workspace.root).run()
            pairs = msgspec.convert(said["pairs"], tuple[Pair, ...])
            by_meaning = tuple(one for one in pairs if one.cosine is not None)
            return SimilarPairs(by_meaning, "names and their meaning are compared")
    except WorkbenchError as error:
        why = error.message
    except OSError as error:
        why = f"the model cannot be used: {error.strerror}"
    except (KeyError, msgspec.ValidationError):
        why = "the process of the model did not answer"
    return SimilarPairs(note=f"names are compared, their meaning is not: {why}")


@frozen
class LoadedGraph:
    """The graph, what was recalled, what was decided. A thread makes rows of it while another is shown."""

    whole: Graph
    recalls: RecallDays
    decided: frozenset[str]
    today: date

    def importance(self, memory: TypedMemory) -> float:
        """What is left of an importance today, in [0, 1]."""
        return importance_today(memory, self.today, recalls_of(memory, self.recalls))


class GraphLoader:
    """Reads it again and again; only what changed is parsed and put together anew."""

    def __init__(self) -> None:
        self._reader: GraphReader | None = None
        self._built: tuple[GraphView, Graph] | None = None
        """The pages that were put together last, and what came of it."""

    def read(self, workspace: Workspace, pages: GraphView, today: date) -> LoadedGraph:
        """What is known now, with these pages; typed memories of no entity are read here.

        Runs in the history_reader's thread alone. Raises WorkbenchError, OSError.
        """
        if self._reader is None:
            self._reader = GraphReader(workspace, pages=False)
        loose = self._reader.read().loose
        if self._built is None or self._built[0] is not pages or self._built[1].loose is not loose:
            ordered = sorted(pages.pages, key=lambda entity: entity.path)
            self._built = pages, Graph(tuple(ordered), loose)
        recalls = read_recalls(workspace.ledger.read("recalls"))
        return LoadedGraph(self._built[1], recalls, settled_keys(workspace), today)


@frozen
class GraphViewState:
    """What is looked at, and how: ``day`` is None for today, ``path`` empty where nothing is chosen yet."""

    path: str = ""
    view: FocusContext = FocusContext.GRAPH
    hops: int = 1
    day: date | None = None
    over: bool = False
    each: int = EACH
    question: str = ""
    alike: SimilarPairs = SimilarPairs()

    def seen(self, known: LoadedGraph) -> Graph:
        """The graph as of the day; with ``over`` all that the pages tell."""
        return known.whole if self.over else known.whole.as_of(self.on(known))

    def on(self, known: LoadedGraph) -> date:
        """The day, which may be today."""
        return self.day or known.today


@frozen_kw_only
class GraphRows:
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
        return next((row.id for row in self.rows if row.of), None)
