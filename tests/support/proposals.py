"""Proposals as a dream would make them, for the small workspace of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tests.support.workspaces import LOG, Sandbox
from workbench.dreaming.proposals.decide import plan_accept
from workbench.dreaming.proposals.inbox import Proposed, propose
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry
from workbench.memory.proposal import Action, Gate, Proposal
from workbench.workspace.plan import Book, Operation

NOW = datetime(2026, 3, 20, 14, 20, tzinfo=UTC)
RUN = "d0a1b2c3"
PARTS = {"salience": 0.52, "novelty": 1.0, "recurrence": 1.5, "use": 1.0}


def proposal(
    text: str,
    *,
    action: Action = "add",
    sources: Sequence[Entry] = (),
    section: str = "Project Facts",
    target: str = "",
    run: str = RUN,
    score: float = 0.78,
    key: str = "",
    **more: Any,
) -> Proposal:
    """A proposal with everything that a dream says of one."""
    return Proposal(
        key=key or claim_key(text),
        action=action,
        text=text,
        section=section,
        target=target,
        sources=tuple(f"{entry.path}#L{entry.start_line}" for entry in sources),
        entries=tuple(entry.address for entry in sources),
        score=score,
        parts=PARTS,
        gates=(
            Gate(name="score", reached=score, needed=0.75),
            Gate(name="signals", reached=4, needed=3),
        ),
        trust=more.pop("trust", "agent"),
        why=more.pop("why", "said on 3 days"),
        run=run,
        made_at=NOW,
        **more,
    )


def entry(sandbox: Sandbox, words: str, path: str = LOG) -> Entry:
    """The first entry of a file that holds these words."""
    return next(e for e in sandbox.workspace.document(path).entries if words in e.text)


def of_log(sandbox: Sandbox, words: str, **more: Any) -> Proposal:
    """The proposal to keep a line of the log as it stands there."""
    found = entry(sandbox, words)
    return proposal(found.text, sources=[found], **more)


def put(sandbox: Sandbox, *proposals: Proposal, now: datetime = NOW) -> Proposed:
    """Let them wait."""
    return propose(sandbox.workspace, proposals, now)


def accept(sandbox: Sandbox, *keys: str, now: datetime = NOW, **more: Any) -> Operation:
    """Accept waiting proposals."""
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_accept(place, keys, now=now, **more))


def book(sandbox: Sandbox, name: Book) -> list[dict[str, Any]]:
    """The records of one of the ledger's books."""
    found = sandbox.workspace.ledger.read(name)
    own = ("record", "operation")
    return [{key: value for key, value in record.items() if key not in own} for record in found]
