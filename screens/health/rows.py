"""The survey as rows: sections with their findings under them, and all that is behind each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len

from screens.actions.active import key_for
from screens.drawing.rows import Folds, Row, RowPart, Tone
from screens.drawing.safe_text import Shown, grouped, line_text, row_text, words
from screens.widgets.row_strip import clipped
from workbench.health.finding import Finding
from workbench.health.report.section import ReportSection
from workbench.health.report.topics import TITLES
from workbench.safety.secrets import masked

_STATES: Mapping[str, tuple[str, Tone]] = {
    "fine": ("✓ fine", "good"),
    "info": ("· note", "muted"),
    "warning": ("! look", "warn"),
    "error": ("✗ wrong", "bad"),
    "failed": ("✗ failed", "bad"),
    "waiting": ("  waits", "faint"),
    "looking": ("… looks", "accent"),
}
_STATE_CELLS = 8
_SEVERITIES: Mapping[str, tuple[str, Tone]] = {
    "error": ("✗ error", "bad"),
    "warning": ("! warn", "warn"),
    "info": ("· note", "muted"),
}
_SEVERITY_CELLS = 7
_SHOWN_LINES = 40
_NAME_CELLS = 18
"""Cells of a page's name beside a finding: a long one would leave the finding no words."""
_LOUD = frozenset({"error", "warning"})
OLDER = words("before your last action")


def overview_rows(
    sections: Mapping[str, ReportSection],
    folds: Folds,
    *,
    looking: str = "",
    older: frozenset[str] = frozenset(),
) -> list[Row]:
    """A row for every section, in order, with its findings under it where it is open.

    What is wrong or needs a look is open by itself; what is only worth knowing is not.
    """
    rows: list[Row] = []
    for topic, title in TITLES.items():
        section = sections.get(topic)
        if section is None:
            state = "looking" if topic == looking else "waiting"
            rows.append(Row(topic, words(title), tone="muted", depth=1, lead=(_state(state),)))
            continue
        shown = folds.is_open(topic, default=any(one.severity in _LOUD for one in section.concerns))
        open_ = shown if section.concerns else None
        tail = [RowPart(row_text(section.seen), "muted")]
        if topic in older:
            tail.insert(0, RowPart(OLDER, "faint"))
        state = "looking" if topic == looking else section.state
        depth = 1 if open_ is None else 0  # where another row has its mark of folding
        row = Row(topic, words(title), depth=depth, lead=(_state(state),), tail=tuple(tail), fold=open_)
        rows.append(row)
        if open_:
            rows += _concern_rows(section)
    return rows


def _concern_rows(section: ReportSection) -> Iterator[Row]:
    for row_id, one in concern_ids(section):
        mark, tone = _SEVERITIES[one.severity]
        name: str = row_text((one.address.rpartition("#")[0] or one.address).rpartition("/")[2])
        name = clipped(name, min(cell_len(name), _NAME_CELLS))
        where = f"{name}:{one.line}" if one.line else name
        yield Row(
            id=row_id,
            text=row_text(one.what),
            depth=2,
            lead=(RowPart(words(mark.ljust(_SEVERITY_CELLS)), tone),),
            tail=(RowPart(row_text(where), "faint"),) if where else (),
            tone="muted" if one.severity == "info" else "text",
        )
    if section.total > len(section.concerns):
        more = section.total - len(section.concerns)
        text = words(f"… and {grouped(more)} more: `workbench check --all` lists all of memory's")
        yield Row(f"{section.id}/more", text, depth=2, tone="faint")


def concern_ids(section: ReportSection) -> Iterator[tuple[str, Finding]]:
    """The findings with the names of their rows: the same as long as they say the same of the same place."""
    same: Counter[tuple[str, str]] = Counter()
    for one in section.concerns:
        yield f"{section.id}/{one.address}/{one.what}/{same[one.address, one.what]}", one
        same[one.address, one.what] += 1


def _state(state: str) -> RowPart:
    mark, tone = _STATES[state]
    return RowPart(words(mark.ljust(_STATE_CELLS)), tone)


def section_rows(section: ReportSection) -> Iterator[Row]:
    """All that a section says: figures, and what was not looked at."""
    mark, tone = _STATES[section.state]
    yield Row("title", row_text(f"{section.title}  {mark.strip()}"), tone="head")
    yield Row("seen", row_text(section.seen), tone=tone if section.state != "info" else "text")
    if section.failed:
        yield Row("failed", row_text(f"It could not be looked at: {section.failed}"), tone="bad")
        yield Row("failed:do", words(f"{key_for('health_again')} looks again"), tone="muted")
    yield _gap("facts")
    room = max((len(name) for name, _ in section.facts), default=0)
    for number, (name, value) in enumerate(section.facts):
        yield Row(f"fact:{number}", row_text(f"{name.ljust(room)}  {value}"))
    for number, note in enumerate(section.notes):
        if not number:
            yield _gap("notes")
        yield Row(f"note:{number}", row_text(f"Note: {note}"), tone="warn")
    if not section.concerns and not section.failed:
        yield _gap("nothing")
        yield Row("nothing", words("Nothing here needs a hand."), tone="good")


def concern_rows(one: Finding, texts: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """All that a finding says, what `f` would do, and the text of its entries (address, text).

    A secret is masked wherever it stands in them.
    """
    mark, tone = _SEVERITIES[one.severity]
    yield Row("what", row_text(f"{mark} · {one.what}"), tone=tone if one.severity != "info" else "head")
    if one.meaning:
        yield Row("meaning", row_text(f"It means: {one.meaning}"))
    if one.do:
        yield Row("do", row_text(f"To do: {one.do}"))
    yield _gap("fixes")
    if one.fixes:
        yield Row("fixes", words(f"{key_for('health_fix')} fixes it:"), tone="muted")
        for number, fix in enumerate(one.fixes):
            yield Row(f"fix:{number}", row_text(f"  {fix.label}"), tone="accent")
            yield Row(f"fix:{number}:command", row_text(f"    {fix.command}"), tone="faint")
    else:
        yield Row("fixes", words("No key mends this: see what is to do."), tone="muted")
    for number, (address, text) in enumerate(texts):
        yield _gap(f"text:{number}:gap")
        yield Row(f"text:{number}", row_text(address), tone="muted")
        lines = masked(text).split("\n")
        for at, line in enumerate(lines[:_SHOWN_LINES]):
            yield Row(f"text:{number}:{at}", line_text(line[:2_000]), depth=1)
        if len(lines) > _SHOWN_LINES:
            more = words(f"… {grouped(len(lines) - _SHOWN_LINES)} more lines")
            yield Row(f"text:{number}:more", more, depth=1, tone="faint")


def _gap(id: str) -> Row:
    return Row(f"gap:{id}", Shown(""), inert=True)
