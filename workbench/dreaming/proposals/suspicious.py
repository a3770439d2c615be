"""Suspicious lines as proposals: they wait for a person, marked, instead of being dropped unseen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from workbench.dreaming.proposals.inbox import read_book, waiting
from workbench.dreaming.proposals.safety_flags import SUSPECTED_BY
from workbench.frozen import frozen
from workbench.memory.claims import claim_key
from workbench.memory.origin import Origin
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import least_trusted
from workbench.safety.hidden_text import unsafe_in
from workbench.safety.terminal import cut
from workbench.workspace.decisions import name_of
from workbench.workspace.workspace import Workspace

MOST = 20
"""Suspicious lines of one run or source that are listed; how many more there are is said."""
_LONGEST = 600


@frozen
class SuspiciousLine:
    """A line as it stands with the speaker's mark, its place (``path#L12``), entry and origin, and why."""

    text: str
    place: str
    entry: str
    origin: Origin
    why: str


def suspicious_proposals(suspects: Iterable[SuspiciousLine], now: datetime) -> tuple[Proposal, ...]:
    """A proposal for each different text, which names all places where it stands."""
    by_text: dict[str, list[SuspiciousLine]] = {}
    for one in suspects:
        if not unsafe_in(one.text):
            by_text.setdefault(claim_key(one.text), []).append(one)
    return tuple(
        Proposal(
            key=key,
            action="add",
            text=cut(" ".join(some[0].text.split()), _LONGEST),
            type="fact",
            sources=tuple(dict.fromkeys(one.place for one in some))[:MOST],
            entries=tuple(dict.fromkeys(one.entry for one in some))[:MOST],
            trust=least_trusted(*(one.origin for one in some)),
            why="nothing was done with it",
            by=SUSPECTED_BY,
            made_at=now,
        )
        for key, some in by_text.items()
    )


def suspicious_records(
    workspace: Workspace, suspects: Iterable[SuspiciousLine], now: datetime
) -> tuple[Sequence[dict[str, object]], int]:
    """The ledger's records of those that nobody has decided on yet, and how many more are not listed."""
    found = suspicious_proposals(suspects, now)
    if not found:
        return (), 0
    book = read_book(workspace)
    waits = {name_of(one.proposal) for one in waiting(workspace, now, book=book)}
    new = [one for one in found if name_of(one) not in waits and not book.decisions.why_not(one)]
    return [one.as_json() for one in new[:MOST]], max(0, len(new) - MOST)
