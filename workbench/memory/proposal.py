"""What automation proposes: one change of memory, with its reasons and its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Any, Literal, get_args

from workbench.frozen import frozen_kw_only
from workbench.memory.provenance import parse_instant

Action = Literal["add", "merge", "supersede", "archive", "forget", "store", "update", "patch"]
"""``add`` to MEMORY.md, ``merge`` into or ``supersede`` its entry ``target``, ``archive`` or ``forget`` the
entry ``target``, ``store`` a typed memory on the graph page of ``section`` (`type/name`), ``update`` the
memory ``target`` of the graph by ``marks`` (its `text` and `type` among them); ``text`` says it in words.
``patch`` the files ``section`` as another agent proposes in its own queue."""
ACTIONS: tuple[Action, ...] = get_args(Action)
QUEUE = "queue"
"""The mark that names the file of another agent's queue in which a proposal waits."""


@frozen_kw_only
class Gate:
    """One threshold: what was reached of what is needed. ``distance`` is 0 where it is passed."""

    name: str
    reached: float
    needed: float

    @property
    def distance(self) -> float:
        """How much is missing, in the gate's own unit."""
        return max(0.0, self.needed - self.reached)


@frozen_kw_only
class Proposal:
    """One change that waits for a person.

    ``key`` names the claim (``claims.claim_key`` of ``text``; for an archive, forgetting or a merge of
    entities, of what it is about): what was rejected is known by it. ``text`` is what would be written, one
    entry without marker or provenance. ``sources`` are ``path#L12-L14``, ``entries`` the addresses of the
    entries there. ``parts`` make ``score`` by addition. ``by`` says who proposes: `dreaming`, `decay`, or
    `agent:NAME`. ``marks`` are what else a memory of the graph would say of itself: `happens_at`, ….
    """

    key: str
    action: Action
    text: str
    section: str = ""
    target: str = ""
    type: str = ""
    sources: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    session: str = ""
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    gates: tuple[Gate, ...] = ()
    trust: str = "unknown"
    why: str = ""
    run: str = ""
    by: str = "dreaming"
    made_at: datetime | None = None
    marks: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """As the ledger keeps it and the command line prints it; fields that say nothing are left out."""
        said: dict[str, object] = {"key": self.key, "action": self.action, "text": self.text}
        for name in ("section", "target", "type", "session", "trust", "why", "run", "by"):
            if value := getattr(self, name):
                said[name] = value
        said |= {
            "score": round(self.score, 4),
            "parts": {name: round(value, 4) for name, value in self.parts.items()},
            "gates": gates_json(self.gates),
            "sources": list(self.sources),
            "entries": list(self.entries),
        }
        if self.marks:
            said["marks"] = dict(self.marks)
        if self.made_at is not None:
            said["made_at"] = self.made_at.isoformat()
        return said


def gates_json(gates: Sequence[Gate]) -> dict[str, dict[str, float]]:
    """How far each gate is, by its name, as it is printed."""
    return {
        gate.name: {
            "reached": round(gate.reached, 4),
            "needed": gate.needed,
            "distance": round(gate.distance, 4),
        }
        for gate in gates
    }


def proposal_from_json(said: Mapping[str, Any]) -> Proposal:
    """The proposal in a record of the ledger. Raises ValueError where it is none."""
    import msgspec  # noqa: PLC0415 - not before a ledger is read

    made_at = parse_instant(said.get("made_at"))
    # Some zone cannot tell the first and the last days of time.
    record = {**said, "made_at": made_at if made_at and MINYEAR < made_at.year < MAXYEAR else None}
    try:
        gates = msgspec.convert(said.get("gates", {}), dict[str, dict[str, float]])
        record["gates"] = [{**gate, "name": name} for name, gate in gates.items()]
        proposal = msgspec.convert(record, Proposal)
    except msgspec.ValidationError as error:
        raise ValueError("not a proposal") from error
    if not proposal.key:
        raise ValueError("not a proposal: it has no key")
    # Neither NaN nor a half of a surrogate pair can be written down again: each raises a ValueError.
    json.dumps(proposal.as_json(), ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogateescape")
    return proposal
