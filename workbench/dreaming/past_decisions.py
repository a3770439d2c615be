"""What a person decided of a claim: such a claim is not proposed again.

What still waits for a decision is judged anew in every dream, and what the newest one proposes takes the
place of what waits (``propose``), so that a person who does not look finds ten proposals after a month, the
best ones by then, and not three hundred.
"""

from __future__ import annotations

from datetime import date, datetime

from workbench.dreaming.clusters import Cluster, same_claim
from workbench.dreaming.proposals.inbox import Book, waiting
from workbench.workspace.decisions import near_key
from workbench.workspace.workspace import Workspace

_ALIKE = 0.8
"""Share of words in common from which a claim is one that was rejected."""


class Decided:
    """The decisions of the ledger, and the proposals that are deferred, by the words of their claims."""

    def __init__(self, workspace: Workspace, book: Book, now: datetime) -> None:
        self._decisions = book.decisions
        self._deferred: dict[str, date] = {}
        for one in waiting(workspace, now, book=book):
            letting_go = one.proposal.action in ("archive", "forget")
            if one.until is not None and one.hidden(now) and not letting_go:
                for word in (one.proposal.key, near_key(one.proposal.text)):
                    self._deferred[word] = one.until
        self._rejected = [
            proposal.text
            for name, (proposal, _) in book.proposals.items()
            if name[0] == "keep" and (said := book.decisions.newest.get(name)) and said.decision == "rejected"
        ]

    def why(self, cluster: Cluster) -> str | None:
        """Why it is not asked again, in a few words; None where it may be."""
        for word in (*cluster.keys, near_key(cluster.best.text)):
            if found := self._decisions.blocked.get(("keep", word)):
                return f"decided: {found.said}"
            if until := self._deferred.get(word):
                return f"deferred: until {until}"
        for rejected in self._rejected:
            if same_claim(rejected, cluster.best.text, likeness=_ALIKE):
                return "decided: nearly the same was rejected"
        return None
