"""A question, and what the graph knows of the names in it: a row a finding, its evidence behind it."""

from __future__ import annotations

from screens.drawing.rows import Row, RowPart
from screens.drawing.safe_text import row_text, words
from screens.graph.graph_state import Known, Looking, Sight, Thing
from workbench.graph.search import GraphFinding, search_graph

_MOST = 50


def answer_sight(known: Known, looking: Looking) -> Sight:
    """What the graph says to the question that is looked at, as of the day."""
    day = looking.on(known)
    graph = known.whole.as_of(day) if looking.day else known.whole
    answered = search_graph(graph, looking.question, day, most=_MOST)
    rows = [Row("asked", row_text(looking.question), tone="head", inert=True)]
    rows += [
        Row(f"note:{n}", row_text(note), tone="warn", inert=True) for n, note in enumerate(answered.notes)
    ]
    things: dict[str, Thing] = {}
    for number, one in enumerate(answered.found):
        row_id = f"found:{number}"
        things[row_id] = one
        rows.append(_row(row_id, one))
    if not answered.found:
        rows.append(Row("nothing", words("nothing is known of it: a asks anew"), tone="muted"))
    for number, name in enumerate(answered.suggestions):
        lead = (RowPart(words("known is"), "faint"),)
        rows.append(Row(f"known:{number}", row_text(name), tone="muted", lead=lead, inert=True))
    return Sight(rows=tuple(rows), things=things, title=words("Answer"))


def _row(row_id: str, found: GraphFinding) -> Row:
    score = RowPart(words(f"{found.score:.2f}"), "muted")
    if found.memory is not None:
        memory = found.memory
        return Row(
            id=row_id,
            text=row_text(memory.text),
            lead=(RowPart(row_text(memory.type), "accent"),),
            tail=(RowPart(row_text(found.name), "muted"), score),
            path=memory.entry.path,
            line=memory.entry.start_line,
            address=memory.entry.address,
            entry=memory.entry,
        )
    entry = found.path[-1].link.relation.entry if found.path else None
    return Row(
        id=row_id,
        text=row_text(found.name),
        tail=(score, RowPart(row_text(found.why), "muted")),
        path=entry.path if entry else found.entity.path if found.entity else None,
        address=entry.address if entry else found.entity.path if found.entity else None,
    )
