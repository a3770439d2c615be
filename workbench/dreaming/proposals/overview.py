"""All proposals at a look, from one reading of the ledger: what waits, and what became of the others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from workbench.dreaming.proposals.inbox import Waiting, read_book, waiting
from workbench.dreaming.proposals.safety_flags import flags_of
from workbench.memory.proposal import Proposal
from workbench.workspace.decisions import FINAL, Decided, name_of
from workbench.workspace.workspace import Workspace

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A proposal that does not wait: ``decision`` is None where ``said`` tells why without one."""

    proposal: Proposal
    decision: Decided | None = None
    said: str = "long-term memory says it already"

    @property
    def kept(self) -> bool:
        """Whether it became memory."""
        return self.decision in ("accepted", "edited")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What waits and can be seen, what is deferred, what is settled; each the oldest first.

    ``flagged`` are the keys of those that wait and hold something that is not accepted unseen.
    """

    waits: tuple[Waiting, ...] = ()
    deferred: tuple[Waiting, ...] = ()
    settled: tuple[Settled, ...] = ()
    flagged: frozenset[str] = frozenset()

    @property
    def newest_run(self) -> str:
        """The run of dreaming that proposed last; empty where none did."""
        made = [one for one in self.proposals if one.run]
        return max(made, key=lambda one: one.made_at or _NEVER).run if made else ""

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All of them."""
        waits = (one.proposal for one in (*self.waits, *self.deferred))
        return (*waits, *(one.proposal for one in self.settled))

    @property
    def returns(self) -> date | None:
        """The day on which the next deferred one waits again."""
        return min((one.until for one in self.deferred if one.until), default=None)


def overview(workspace: Workspace, now: datetime) -> Overview:
    """What waits, what is deferred, and what became of the others."""
    book = read_book(workspace)
    every = waiting(workspace, now, book=book)
    names = {name_of(one.proposal) for one in every}
    settled = []
    for name, (proposal, _) in book.proposals.items():
        if name in names:
            continue
        newest = book.decisions.newest.get(name)
        if newest is not None and (newest.decision in FINAL or newest.decision == "withdrawn"):
            settled.append(Settled(proposal=proposal, decision=newest.decision, said=newest.said))
        elif name in book.replaced:
            settled.append(Settled(proposal=proposal, said="a later dream did not propose it again"))
        else:
            settled.append(Settled(proposal=proposal))
    return Overview(
        waits=tuple(one for one in every if not one.hidden(now)),
        deferred=tuple(one for one in every if one.hidden(now)),
        settled=tuple(settled),
        flagged=frozenset(one.proposal.key for one in every if flags_of(one.proposal)),
    )
