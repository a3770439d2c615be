"""What automation proposes: one change of memory, with its reasons and its sources."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Any, Literal, get_args

from workbench.memory.provenance import parse_instant

Action = Literal["add", "merge", "supersede", "archive", "forget", "store", "update", "patch"]
"""``add`` to MEMORY.md, ``merge`` into or ``supersede`` its entry ``target``, ``archive`` or ``forget`` the
entry ``target``, ``store`` a typed memory on the graph page of ``section`` (`type/name`), ``update`` the
memory ``target`` of the graph by ``marks`` (its `text` and `type` among them); ``text`` says it in words.
``patch`` the files ``section`` as another agent proposes in its own queue."""
ACTIONS: tuple[Action, ...] = get_args(Action)
QUEUE = "queue"
"""The mark that names the file of another agent's queue in which a proposal waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One threshold: what was reached of what is needed. ``distance`` is 0 where it is passed."""

    name: str
    reached: float
    needed: float

    @property
    def distance(self) -> float:
        """How much is missing, in the gate's own unit."""
        return max(0.0, self.needed - self.reached)


@dataclass(frozen=True, slots=True, kw_only=True)
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
        said["score"] = round(self.score, 4)
        said["parts"] = {name: round(value, 4) for name, value in self.parts.items()}
        said["gates"] = gates_json(self.gates)
        said["sources"] = list(self.sources)
        said["entries"] = list(self.entries)
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
    key, action, text = _word(said.get("key")), said.get("action"), said.get("text")
    if not key or action not in ACTIONS or not isinstance(text, str):
        raise ValueError("not a proposal")
    return Proposal(
        key=key,
        action=action,
        text=_word(text),
        **{name: _word(said.get(name)) for name in ("section", "target", "type", "session", "why", "run")},
        trust=_word(said.get("trust")) or "unknown",
        by=_word(said.get("by")) or "dreaming",
        sources=_words(said.get("sources")),
        entries=_words(said.get("entries")),
        score=_number(said.get("score")),
        parts={name: _number(value) for name, value in _items(said.get("parts"))},
        gates=tuple(
            Gate(name=name, reached=_number(value.get("reached")), needed=_number(value.get("needed")))
            for name, value in _items(said.get("gates"))
            if isinstance(value, dict)
        ),
        made_at=_moment(said.get("made_at")),
        marks={name: _word(value) for name, value in _items(said.get("marks"))},
    )


def _word(value: object) -> str:
    """A text; a half of a surrogate pair, which no file can hold, raises UnicodeEncodeError, a ValueError."""
    if not isinstance(value, str):
        return ""
    value.encode("utf-8", "surrogateescape")
    return value


def _words(value: object) -> tuple[str, ...]:
    return tuple(map(_word, value)) if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _items(value: object) -> list[tuple[str, Any]]:
    return [(str(name), one) for name, one in value.items()] if isinstance(value, dict) else []


def _number(value: object) -> float:
    try:
        number = float(value) if isinstance(value, (int, float)) else 0.0
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _moment(value: object) -> datetime | None:
    moment = parse_instant(value)
    return moment if moment and MINYEAR < moment.year < MAXYEAR else None  # else some zone cannot tell it
