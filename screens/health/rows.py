"""The checks as rows: sections with their findings under them, and all that is behind each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from screens.actions.active import key_for
from screens.drawing.rows import GAP, Folds, Row, RowPart, Tone, line_rows, piece
from screens.drawing.safe_text import grouped, line_text, row_text, words
from screens.widgets.row_strip import clipped
from workbench.health.finding import SEVERITIES, CheckResult, Finding
from workbench.safety.secrets import masked

_STATES: Mapping[str, tuple[str, Tone]] = {
    "ok": ("✓ ok", "good"),
    "info": ("· info", "muted"),
    "warning": ("! warn", "warn"),
    "error": ("✗ error", "bad"),
    "waiting": ("  waits", "faint"),
    "looking": ("… check", "accent"),
}
"""The mark and word of a section; those of a finding are among them."""
_STATE_CELLS = 7
_SHOWN_LINES = 40
_NAME_CELLS = 18
"""Cells of a page's name beside a finding: a long one would leave the finding no words."""
OLDER = words("before your last action")
Lines = Iterator[tuple[str, Tone]]


@dataclass(frozen=True, slots=True)
class Section:
    """A row of the screen: the ``results`` of its checks that have looked, of ``count`` that there are."""

    name: str
    count: int
    results: tuple[CheckResult, ...] = ()
    older: bool = False
    """Whether something was done since they looked."""
    looking: bool = False

    @property
    def title(self) -> str:
        """Its name for a person."""
        return self.name[:1].upper() + self.name[1:]

    @property
    def findings(self) -> tuple[tuple[CheckResult, Finding], ...]:
        """What its checks found, the gravest first."""
        every = [(result, finding) for result in self.results for finding in result.findings]
        return tuple(sorted(every, key=lambda one: SEVERITIES.index(one[1].severity)))

    @property
    def state(self) -> str:
        """The gravest of what was found, while nothing is under way."""
        if not self.results and not self.looking:
            return "waiting"
        if self.looking or len(self.results) < self.count:
            return "looking"
        return self.findings[0][1].severity if self.findings else "ok"

    @property
    def seen(self) -> str:
        """What was seen: of several checks, how many are well."""
        if self.count == 1:
            return self.results[0].seen
        well = sum(result.state != "finding" for result in self.results)
        return f"{well} of {self.count} ok"


def section_rows(sections: Sequence[Section], folds: Folds) -> Iterator[Row]:
    """A row for every section, in order, with its findings under it where it is open.

    What is wrong or needs a look is open by itself; what is only worth knowing is not.
    """
    for section in sections:
        mark, tone = _STATES[section.state]
        lead = (piece(mark.ljust(_STATE_CELLS), tone),)
        findings, name = section.findings, row_text(section.title)
        if not section.results:
            yield Row(section.name, name, tone="muted", depth=1, lead=lead)
            continue
        tail = [RowPart(row_text(section.seen), "muted")]
        if section.older:
            tail.insert(0, RowPart(OLDER, "faint"))
        if not findings:  # it stands where another row has its mark of folding
            yield Row(section.name, name, depth=1, lead=lead, tail=tuple(tail))
            continue
        open_ = folds.is_open(section.name, default=findings[0][1].severity != "info")
        yield Row(section.name, name, lead=lead, tail=tuple(tail), fold=open_)
        if open_:
            yield from _finding_rows(section)


def _finding_rows(section: Section) -> Iterator[Row]:
    same: Counter[tuple[str, str]] = Counter()
    for result, one in section.findings:
        # the same name as long as it says the same of the same place
        row_id = f"{section.name}/{one.address}/{one.what}/{same[one.address, one.what]}"
        same[one.address, one.what] += 1
        mark, tone = _STATES[one.severity]
        name: str = row_text(one.path.rpartition("/")[2])
        name = clipped(name, min(cell_len(name), _NAME_CELLS))
        where = f"{name}:{one.line}" if one.line else name
        of = f"{result.name}: " if section.count > 1 else ""
        yield Row(
            id=row_id,
            text=row_text(of + one.what),
            depth=2,
            of=one,
            lead=(piece(mark.ljust(_STATE_CELLS), tone),),
            tail=(RowPart(row_text(where), "faint"),) if where else (),
            tone="muted" if one.severity == "info" else "text",
        )
    more = sum(result.total - len(result.findings) for result in section.results)
    if more > 0:
        text = words(f"… and {grouped(more)} more: `workbench check --all` lists all of memory's")
        yield Row(f"{section.name}/more", text, depth=2, tone="faint")


def behind_section(section: Section) -> Iterator[Row]:
    """What each check of a section saw."""
    return iter(line_rows(_section_lines(section)))


def _section_lines(section: Section) -> Lines:
    mark, tone = _STATES[section.state]
    yield f"{section.title}  {mark.strip()}", "head"
    room = max((len(result.name) for result in section.results), default=0) if section.count > 1 else 0
    for result in section.results:
        yield f"{result.name.ljust(room)}  {result.seen}" if room else result.seen, "text" if room else tone
    if not section.findings:
        yield GAP, "text"
        yield "No action needed.", "good"


def behind_finding(one: Finding, texts: Collection[tuple[str, str]]) -> list[Row]:
    """All that a finding says, what `f` would do, and the text of its entries (address, text).

    A secret is masked wherever it stands in them.
    """
    rows = line_rows(_finding_lines(one))
    for number, (address, text) in enumerate(texts):
        rows += line_rows([(GAP, "text"), (address, "muted")], f"text:{number}")
        lines = masked(text).split("\n")
        for at, line in enumerate(lines[:_SHOWN_LINES]):
            rows.append(Row(f"text:{number}:{at}", line_text(line[:2_000]), depth=1))
        if len(lines) > _SHOWN_LINES:
            more = words(f"… {grouped(len(lines) - _SHOWN_LINES)} more lines")
            rows.append(Row(f"text:{number}:more", more, depth=1, tone="faint"))
    return rows


def _finding_lines(one: Finding) -> Lines:
    mark, tone = _STATES[one.severity]
    yield f"{mark} · {one.what}", tone if one.severity != "info" else "head"
    yield f"Why it matters: {one.meaning}" if one.meaning else "", "text"
    yield f"What to do: {one.do}" if one.do else "", "text"
    yield GAP, "text"
    if one.fixes:
        yield f"{key_for('health_fix')} fixes it:", "muted"
        for fix in one.fixes:
            yield f"  {fix.label}", "accent"
            yield f"    {fix.command}", "faint"
    else:
        yield "No key fixes this: see what to do.", "muted"
