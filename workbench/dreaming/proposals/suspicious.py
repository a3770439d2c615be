"""Suspicious lines as proposals: they wait for a person, marked, instead of being dropped unseen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from workbench.dreaming.normalisation import ASIDE, template_of
from workbench.dreaming.proposals.inbox import read_book
from workbench.dreaming.proposals.safety_flags import SUSPECTED_BY
from workbench.frozen import frozen
from workbench.memory.claims import claim_key
from workbench.memory.origin import Origin
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import least_trusted
from workbench.operations.sections import heading_for
from workbench.safety.hidden_text import unsafe_in
from workbench.safety.terminal import cut
from workbench.workspace.workspace import Workspace

MOST = 20
"""Suspicious lines of one source that are listed; how many more there are is said."""
_LONGEST = 600


@frozen
class SuspiciousLine:
    """A line as it stands with the speaker's mark, its place (``path#L12``), entry and origin, and why."""

    text: str
    place: str
    entry: str
    origin: Origin
    why: str


def suspicious_proposals(
    workspace: Workspace, suspects: Iterable[SuspiciousLine], now: datetime
) -> tuple[Proposal, ...]:
    """A proposal for each template, in the words of its first line, which names all places of such lines."""
    alike: dict[str, list[SuspiciousLine]] = {}
    for one in suspects:
        if not unsafe_in(one.text):
            alike.setdefault(_template(one.text), []).append(one)
    memory = workspace.memory_document() if alike else None
    return tuple(
        Proposal(
            key=claim_key(some[0].text),
            action="add",
            text=cut(" ".join(some[0].text.split()), _LONGEST),
            section=heading_for(some[0].text, memory) if memory else "",
            type="fact",
            sources=tuple(dict.fromkeys(one.place for one in some))[:MOST],
            entries=tuple(dict.fromkeys(one.entry for one in some))[:MOST],
            trust=least_trusted(*(one.origin for one in some)),
            why="a suspicious line: nothing was learned from it, it waits for your decision",
            by=SUSPECTED_BY,
            made_at=now,
        )
        for some in alike.values()
    )


def _template(text: str) -> str:
    """What a program that repeats itself changes does not count: numbers, and what it adds in brackets."""
    return template_of(ASIDE.sub("", text)) or template_of(text)


def suspicious_records(
    workspace: Workspace, suspects: Iterable[SuspiciousLine], now: datetime
) -> tuple[Sequence[dict[str, object]], int]:
    """The ledger's records of those that nobody has decided on yet, and how many more are not listed."""
    found = suspicious_proposals(workspace, suspects, now)
    if not found:
        return (), 0
    book = read_book(workspace)
    listed = {_template(one.text) for one, _ in book.proposals.values()}
    new = [one for one in found if _template(one.text) not in listed and not book.decisions.why_not(one)]
    return [one.as_json() for one in new[:MOST]], max(0, len(new) - MOST)
