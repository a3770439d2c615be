"""What the rows of the dream review stand for, and what is behind each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from screens.drawing.clock import now
from screens.drawing.rows import EMPTY, Row
from screens.drawing.safe_text import days_until, row_text
from screens.history.history_reader import Historian
from screens.review import detail
from screens.review.proposal_list import (
    DEFERRED,
    OUT,
    REASON,
    RUN,
    SETTLED,
    SOURCE,
    Agenda,
    group_of,
    name_of,
    skip_of,
)
from workbench.dreaming.proposals.inbox import Waiting
from workbench.dreaming.proposals.overview import Overview, Settled
from workbench.dreaming.proposals.preview import foretold
from workbench.dreaming.proposals.source_quotes import Quotation, quotations, surroundings
from workbench.dreaming.result import Explanation


@dataclass(slots=True)
class ReviewRows:
    """The agenda of this moment, looked up by row."""

    agenda: Agenda
    _waiting: Mapping[str, Waiting] = field(default_factory=dict)
    _settled: Mapping[str, Settled] = field(default_factory=dict)

    def take(self, agenda: Agenda) -> None:
        """The agenda was read anew."""
        seen: Overview = agenda.overview
        self.agenda = agenda
        self._waiting = {name_of(one.proposal): one for one in (*seen.waits, *seen.deferred)}
        self._settled = {name_of(one.proposal): one for one in seen.settled}

    def waits(self, name: str) -> bool:
        """Whether the proposal of this name waits, or is put off."""
        return name in self._waiting

    def case_of(self, row: Row | None) -> Waiting | None:
        """The proposal that waits, or is put off, that a row stands for."""
        return self._waiting.get(row.address) if row and row.address else None

    def settled_of(self, row: Row | None) -> Settled | None:
        """The proposal that was decided on that a row stands for."""
        return self._settled.get(row.id.removeprefix(SETTLED)) if row and row.id.startswith(SETTLED) else None

    def quotation_of(self, row: Row | None) -> Quotation | None:
        """The source that a row beneath a proposal stands for."""
        if row is None or not row.id.startswith(SOURCE):
            return None
        number, _, row_id = row.id.removeprefix(SOURCE).partition("|")
        sources = self.agenda.sources.get(row_id, ())
        return sources[int(number)] if int(number) < len(sources) else None

    def run_of(self, row: Row | None) -> str | None:
        """The run of dreaming that a row belongs to."""
        if row is None:
            return None
        if row.id.startswith(RUN):
            name = row.id.removeprefix(RUN)
            return None if name.startswith("by ") else name
        if one := self.case_of(row) or self.settled_of(row):
            return one.proposal.run or None
        return row.id.removeprefix(SETTLED) if row.id.startswith(SETTLED) else None

    def key_of(self, row: Row | None) -> str:
        """The key of the claim that a row stands for; empty where it stands for none."""
        if one := self.case_of(row) or self.settled_of(row):
            return one.proposal.key
        skip = skip_of(self.agenda, row) if row else None
        return skip.key if skip else ""

    async def quotations_of(self, row: Row, historian: Historian) -> Sequence[Quotation]:
        """The sources of the proposal that a row stands for. Raises WorkbenchError, OSError."""
        one = self.case_of(row)
        return () if one is None else await historian.run(lambda place: quotations(place, one.proposal))

    async def behind(
        self, row: Row, historian: Historian, explained: Mapping[str, Explanation]
    ) -> Sequence[Row]:
        """What accepting a proposal would do and why it is proposed; a source in its place; a run.

        ``explained`` are the claims that were asked about, by key. Raises WorkbenchError, OSError.
        """
        if one := self.case_of(row):
            moment = now()
            seen = await historian.run(lambda place: foretold(place, one, moment))
            later = days_until(one.until, moment.date()) if one.until and one.hidden(moment) else ""
            return detail.case_rows(one, seen, row_text(f"back {later}") if later else EMPTY)
        if quotation := self.quotation_of(row):
            lines = await historian.run(lambda place: surroundings(place, quotation))
            return detail.place_rows(quotation, lines)
        if skip := skip_of(self.agenda, row):
            known = explained.get(skip.key)
            return detail.explanation_rows(known) if known else detail.skip_rows(skip)
        if settled := self.settled_of(row):
            return detail.settled_rows(settled)
        if row.id.startswith((OUT, REASON)) and self.agenda.outcome is not None:
            return detail.outcome_rows(self.agenda.outcome)
        return self._group(row)

    def _group(self, row: Row) -> Sequence[Row]:
        """A run, or everything that is put off."""
        seen = self.agenda.overview
        if row.id == DEFERRED:
            return detail.run_rows(row.text, "", seen.deferred, ())
        name = row.id.removeprefix(RUN).removeprefix(SETTLED)
        waits = [one for one in seen.waits if group_of(one.proposal) == name]
        settled = [one for one in seen.settled if group_of(one.proposal) == name]
        return detail.run_rows(row.text, name, waits, settled)
