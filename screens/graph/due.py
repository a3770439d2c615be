"""What is due: todos, events and deadlines under the time that they are due in."""

from __future__ import annotations

from screens.drawing.rows import Folds, Row, RowPart, Tone
from screens.drawing.safe_text import grouped, row_text, words
from screens.graph.graph_state import Known, Looking, Sight, Thing
from workbench.graph.memory_query import PERIODS, Due, Period, period_of, upcoming
from workbench.graph.search import Node
from workbench.memory.moment import clock_of

EMPTY = words(
    "nothing is due\n"
    "A line `- [todo] …` on a page of graph/ waits until it is done; happens_at=2026-04-01 in its comment\n"
    "gives it a day. `workbench graph store --type todo --happens-at DAY` writes both."
)
TITLE = words("Todos and events")
_NAMES: dict[Period, tuple[str, Tone]] = {
    "overdue": ("Overdue", "bad"),
    "today": ("Today", "warn"),
    "week": ("In the next seven days", "accent"),
    "later": ("Later", "head"),
    "undated": ("No day", "head"),
}
_SORTS: dict[str, Tone] = {"todo": "accent", "event": "muted", "deadline": "warn"}


def due_sight(known: Known, looking: Looking, folds: Folds) -> Sight:
    """What waits as of the day, and what comes, the soonest first."""
    schedule = upcoming(known.whole, looking.on(known))
    periods: dict[Period, list[Due]] = {period: [] for period in PERIODS}
    for due in (*schedule.overdue, *schedule.upcoming, *schedule.undated):
        periods[period_of(due)].append(due)
    things: dict[str, Thing] = {}
    rows: list[Row] = []
    for period, items in periods.items():
        tasks = schedule.tasks if period == "undated" else ()
        if not items and not tasks:
            continue
        name, tone = _NAMES[period]
        is_open = folds.is_open(f"period:{period}", default=True)
        tail = (RowPart(grouped(len(items) + len(tasks))),)
        rows.append(Row(f"period:{period}", words(name), tone=tone, fold=is_open, tail=tail))
        for due in items if is_open else ():
            row = _row(due, period)
            things[row.id] = due
            rows.append(row)
        for task in tasks if is_open else ():
            row_id = f"task:{task.path}"
            things[row_id] = Node(task.name, task)
            lead = (RowPart(words("task    "), "accent"),)
            rows.append(
                Row(row_id, row_text(task.name), depth=1, lead=lead, path=task.path, address=task.path)
            )
    late = len(periods["overdue"])
    return Sight(rows=tuple(rows), things=things, count=late or None, empty=EMPTY, title=TITLE)


def _row(due: Due, period: Period) -> Row:
    memory = due.held.memory
    tail = [RowPart(row_text(due.held.owner), "muted")]
    day = memory.happens_at
    if day is not None:
        tail.append(RowPart(words(f"{day:%a} {day.day} {day:%b}{clock_of(day)}"), "faint"))
        tone: Tone = "bad" if period == "overdue" else "warn" if period == "today" else "muted"
        tail.append(RowPart(words(due.when), tone))
    return Row(
        id=f"due:{memory.entry.address}",
        text=row_text(memory.text),
        depth=1,
        lead=(RowPart(words(due.sort.ljust(8)), _SORTS[due.sort]),),
        tail=tuple(tail),
        path=memory.entry.path,
        line=memory.entry.start_line,
        address=memory.entry.address,
        entry=memory.entry,
    )
