"""What contradicts each other on the pages of the graph, where more is known of what a line is about."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.graph.contradictions import Contradiction, contradictions
from workbench.graph.reading import read_graph
from workbench.health.survey.section import Concern, Fix
from workbench.health.survey.subject import Subject
from workbench.workspace.decisions import settled_keys


def contradicting_claims(subject: Subject) -> Iterator[Concern]:
    """A finding for each pair that nobody has answered yet."""
    decided = settled_keys(subject.workspace)
    for one in contradictions(read_graph(subject.workspace), day=subject.today, decided=decided):
        yield _concern(one)


def _concern(one: Contradiction) -> Concern:
    old, new = one.old.entries[0], one.new.entries[0]
    return Concern(
        severity="warning",
        what=one.question,
        meaning="an agent may be given either; the second holds since later, or was said later",
        do=f"G and its contradictions answer it, or `workbench graph settle {one.key[:8]} "
        "keep|replace|both|reject`",
        address=old.address,
        line=old.start_line,
        also=(new.address,),
        fixes=(
            Fix(deed="forget-memory", label=f"forget: {one.old.text[:50]}", addresses=one.old.addresses),
            Fix(deed="forget-memory", label=f"forget: {one.new.text[:50]}", addresses=one.new.addresses),
        ),
    )
