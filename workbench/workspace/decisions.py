"""Decisions on claims: a claim that was rejected, or accepted once, never returns by itself.

A decision is about a claim, not about a line of the ledger: it holds in another month, in another run, and
for the same words with other articles and fillers around them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from workbench.frozen import frozen_kw_only
from workbench.memory.claims import KEY_DIGITS, claim_key, claim_words
from workbench.memory.entry import path_of
from workbench.memory.proposal import Action, Proposal
from workbench.workspace.workspace import Workspace

Decided = Literal["accepted", "edited", "rejected", "deferred", "withdrawn"]
FINAL = frozenset({"accepted", "edited", "rejected"})
"""After these a claim is not proposed again, until the decision is undone or withdrawn."""
Family = Literal["keep", "let go", "change"]
"""To keep a claim and to let an entry that makes it go are different questions about the same words."""
Name = tuple[Family, str]
"""What a decision is about: the family of the action, and the key of the claim."""
_LETTING_GO: frozenset[Action] = frozenset({"archive", "forget"})
_FILLER_WORDS = """a an the is are am be been being that this it its of and as has have do does
also really still now currently just please very actually already so then well"""
_FILLERS = frozenset(_FILLER_WORDS.split())


def family_of(action: str) -> Family:
    """Whether an action keeps a claim, lets an entry go, or changes what an entry says of itself."""
    if action == "update":
        return "change"
    return "let go" if action in _LETTING_GO else "keep"


def name_of(proposal: Proposal) -> Name:
    """What a decision on this proposal is about."""
    return family_of(proposal.action), proposal.key


def near_of(proposal: Proposal, text: str = "") -> str:
    """The key of near wordings of what a proposal is about; ``text`` is another wording of its own.

    The same words about somebody else, or in another file, are another claim, and an update is nothing but
    itself.
    """
    if proposal.action == "update":
        return proposal.key
    about = f"{proposal.section} " if proposal.action == "store" else ""
    if proposal.action in _LETTING_GO:
        about = f"{path_of(proposal.target)} "
    return near_key(about + (text or proposal.text))


def near_key(text: str) -> str:
    """As ``claim_key``, blind to articles, fillers and a plural or third person's `s` too.

    The order of the words counts, and so does every number, name and negation. Text of nothing else but
    fillers is named by these.
    """
    words = claim_words(text)
    kept = [_folded(word) for word in words if word not in _FILLERS] or list(words)
    return hashlib.sha256(" ".join(kept).encode("utf-8", "surrogatepass")).hexdigest()[:KEY_DIGITS]


def decision(
    key: str, said: str, *, claim: str, reason: str, by: str, **more: str
) -> Mapping[str, str | list[str]]:
    """A record for the book `decisions`; of the words of ``claim`` it holds no more than their digests."""
    words = {"claim": claim_key(claim), "near": [near_key(claim)]}
    return {"key": key, "decision": said, **words, "reason": reason, "by": by, **more}


def _folded(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    plural = len(word) > 3 and word.isalpha() and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


@frozen_kw_only
class Decision:
    """One record of the book of decisions.

    ``claim`` is the key of the text that was decided on; after an edit that is not the text which was
    proposed. ``near`` are the keys of near wordings of both (``near_key``). ``seen`` is how many times it had
    been proposed by then: what is proposed after a withdrawal waits again. ``until`` is the day up to which
    it is deferred.
    """

    key: str
    decision: Decided
    action: str = ""
    claim: str = ""
    near: tuple[str, ...] = ()
    seen: int = 0
    reason: str = ""
    until: date | None = None
    run: str = ""
    by: str = ""
    at: str = ""

    @property
    def name(self) -> Name:
        """What it is about."""
        return family_of(self.action), self.key

    @property
    def said(self) -> str:
        """The decision in a few words, with its day and reason."""
        because = f": {self.reason}" if self.reason else ""
        return f"{self.decision} on {self.at[:10] or 'a day not known'}{because}"


def decision_from(record: Mapping[str, Any]) -> Decision | None:
    """The decision that a record of the ledger holds; None where it holds none."""
    import msgspec  # noqa: PLC0415 - not before a ledger is read

    try:
        found = msgspec.convert({name: value for name, value in record.items() if value != ""}, Decision)
    except msgspec.ValidationError:
        return None
    return found if found.key else None


def decision_record(
    proposal: Proposal,
    decision: Decided,
    *,
    seen: int,
    text: str = "",
    reason: str = "",
    until: date | None = None,
    by: str = "human",
) -> dict[str, object]:
    """The record of a decision, for the ledger. ``text`` is another wording that was decided on."""
    import msgspec  # noqa: PLC0415 - as above

    words = text or proposal.text
    made = Decision(
        key=proposal.key,
        decision=decision,
        action=proposal.action,
        claim=claim_key(words),
        near=tuple(dict.fromkeys((near_of(proposal), near_of(proposal, words)))),
        seen=seen,
        reason=reason,
        until=until,
        run=proposal.run,
        by=by,
    )
    return {name: value for name, value in msgspec.to_builtins(made).items() if value not in ("", None)}


class Decisions:
    """The newest decision on each claim, and which words are blocked by one that is final."""

    def __init__(self, newest: Mapping[Name, Decision]) -> None:
        self.newest = newest
        self.blocked: dict[Name, Decision] = {}
        for decision in filter(_blocks, newest.values()):
            kind, key = decision.name
            for word in (key, decision.claim, *decision.near):
                if word:
                    self.blocked.setdefault((kind, word), decision)

    def closed(self, name: Name, proposed: int) -> bool:
        """Whether nothing waits under a name that was proposed so many times."""
        decision = self.newest.get(name)
        if not decision or decision.decision == "deferred":
            return False
        return _blocks(decision) or proposed <= decision.seen

    def why_not(self, proposal: Proposal) -> str | None:
        """Why a claim may not be proposed again; None where nothing final was decided of it."""
        kind = family_of(proposal.action)
        for word in (proposal.key, near_of(proposal)):
            if found := self.blocked.get((kind, word)):
                return found.said
        return None


def _blocks(decision: Decision) -> bool:
    """Whether it holds for ever: what was let go or changed once may have to be again."""
    return decision.decision == "rejected" or (decision.decision in FINAL and decision.name[0] == "keep")


def read_decisions(workspace: Workspace) -> Decisions:
    """All that was decided, by the ledger. Lines that are no decisions say nothing."""
    found = filter(None, map(decision_from, workspace.ledger.read("decisions")))
    return Decisions({decision.name: decision for decision in found})  # the last one on a claim counts


def rejected_keys(workspace: Workspace) -> frozenset[str]:
    """The keys of claims that a person rejected or forgot, and those of their near wordings (``near_key``).

    To refuse that an entry is let go is no word against what it says.
    """
    return frozenset(
        key
        for decision in read_decisions(workspace).newest.values()
        if decision.decision == "rejected" and decision.name[0] == "keep"
        for key in (decision.name[1], decision.claim, *decision.near)
        if key
    )


def settled_keys(workspace: Workspace, kind: Family = "keep") -> frozenset[str]:
    """The keys of all that is not asked again: what is final and was not withdrawn."""
    return frozenset(word for family, word in read_decisions(workspace).blocked if family == kind)
