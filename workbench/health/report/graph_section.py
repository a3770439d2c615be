"""What contradicts each other on the pages of the graph, where more is known of what a line is about."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.graph.contradiction_answers import Answer
from workbench.graph.contradictions import Contradiction, contradictions
from workbench.graph.read import read_graph
from workbench.health.finding import Finding, Fix
from workbench.health.report.subject import Subject
from workbench.workspace.decisions import settled_keys

_ANSWERS: tuple[tuple[Answer, str], ...] = (
    ("keep", "keep what was there; the new claim is forgotten"),
    ("replace", "the new claim replaces the old one"),
    ("both", "both are right; it is not asked again"),
    ("reject", "neither holds any more"),
)


def contradicting_claims(subject: Subject) -> Iterator[Finding]:
    """A finding for each pair that nobody has answered yet."""
    decided = settled_keys(subject.workspace)
    for one in contradictions(read_graph(subject.workspace), day=subject.today, decided=decided):
        yield _concern(one)


def _concern(one: Contradiction) -> Finding:
    old, new = one.old.entries[0], one.new.entries[0]
    return Finding(
        severity="warning",
        what=one.question,
        meaning="an agent may be given either; the second holds since later, or was said later",
        do=f"answer which holds: `workbench graph settle {one.key[:8]} keep|replace|both|reject`",
        address=old.address,
        line=old.start_line,
        also=(new.address,),
        fixes=(
            *(Fix(deed="settle", label=label, addresses=(one.key,), of=answer) for answer, label in _ANSWERS),
            Fix(
                deed="open",
                label="see both beside each other, with where they come from",
                of="contradictions",
            ),
            Fix(deed="forget-memory", label=f"forget: {one.old.text[:50]}", addresses=one.old.addresses),
            Fix(deed="forget-memory", label=f"forget: {one.new.text[:50]}", addresses=one.new.addresses),
        ),
    )
