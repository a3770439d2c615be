"""Memories of the graph whose importance is running out, before decay proposes to forget them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from workbench.graph.decay import FORGET_BELOW, Fading, read_recalls, will_fade
from workbench.graph.read import read_graph
from workbench.health.corpus import Corpus
from workbench.health.finding import Finding, Fix
from workbench.workspace.decisions import settled_keys
from workbench.workspace.ledger import read
from workbench.workspace.workspace import Workspace

DAYS = 30
"""Days ahead within which it is told."""
_TITLE = 80


def fading(corpus: Corpus) -> Iterator[Finding]:
    """What fades, as `check` tells it: with its file, and without a fix to choose."""
    for one in fading_soon(corpus.workspace, corpus.today):
        yield replace(fading_finding(one, corpus.today), address=one.held.memory.entry.path, fixes=())


def fading_soon(workspace: Workspace, today: date) -> tuple[Fading, ...]:
    """What decay will propose to forget within ``DAYS``, the soonest first."""
    recalls = read_recalls(read(workspace, "recalls"))
    decided = settled_keys(workspace, "let go")
    return will_fade(read_graph(workspace), recalls, today=today, within=DAYS, decided=decided)


def fading_finding(one: Fading, today: date) -> Finding:
    """When it fades, and what keeps it."""
    memory = one.held.memory
    days = (one.on - today).days
    when = "has faded" if days <= 0 else f"fades in {days} day{'s' * (days != 1)}, on {one.on}"
    return Finding(
        rule="fading",
        severity="info",
        what=f"{when}: {memory.text[:_TITLE]}",
        meaning=f"its importance was {memory.importance:.2f} and is {one.value:.2f}; below {FORGET_BELOW} it "
        "is proposed for forgetting, and a person decides. A recall keeps it longer",
        do="`workbench pin` keeps it; `workbench forget` lets it go now",
        address=memory.entry.address,
        line=memory.entry.start_line,
        fixes=(
            Fix(deed="pin", label="pin it: it never fades", addresses=(memory.entry.address,)),
            Fix(deed="forget-memory", label="forget it now", addresses=(memory.entry.address,)),
        ),
    )
