"""How the graph records what was decided of claims: what was rejected or forgotten does not come back."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.graph.drafts import Draft, EntityDraft, RelationDraft
from workbench.memory.claims import claim_key
from workbench.workspace.decisions import near_key


def decision(
    key: str, said: str, *, claim: str, reason: str, by: str, **more: str
) -> Mapping[str, str | list[str]]:
    """A record for the book `decisions`; of the words of ``claim`` it holds no more than their digests."""
    words = {"claim": claim_key(claim), "near": [near_key(claim)]}
    return {"key": key, "decision": said, **words, "reason": reason, "by": by, **more}


def draft_key(draft: Draft) -> str:
    """The name of the claim that a draft makes; empty for a page, which claims nothing."""
    if isinstance(draft, EntityDraft):
        return ""
    if isinstance(draft, RelationDraft):
        return relation_key(draft.entity, draft.kind, draft.target)
    return claim_key(draft.text)


def relation_key(entity: str, kind: str, target: str) -> str:
    """The name of the claim that a relation makes."""
    return claim_key(f"{entity} {kind.replace('_', ' ')} {target}")


def same_record(key: str, said: str, reason: str, by: str) -> Mapping[str, str | list[str]]:
    """The record that two things are not one."""
    return decision(key, "rejected", claim=said, reason=reason, by=by)
