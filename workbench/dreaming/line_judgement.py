"""What is thought of single lines: a score, whether it is enough, why, and what sort of memory it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.dreaming.features import Line, with_recurring
from workbench.dreaming.owner_model import Example, OwnerModel, learned
from workbench.dreaming.salience import base_model, score_of
from workbench.dreaming.vetoes import veto
from workbench.errors import UsageError
from workbench.frozen import frozen_kw_only
from workbench.safety.secrets import clipped

_TYPES = {
    "decision": re.compile(
        r"\b(?:decided|decision|agreed (?:on|to)|chose|settled on|we(?:'ll| will) use|going with|entschieden"
        r"|beschlossen|vereinbart|decidimos|hemos decidido|avons décidé|décidé de|decidiu|decidimos|решили)\b"
        r"|决定|決定|決めた|決まった",
        re.IGNORECASE,
    ),
    "preference": re.compile(
        r"\b(?:prefers?|favou?rite|dislikes?|(?:i|user|he|she|they) (?:really )?(?:likes?|loves?|hates?)"
        r"|bevorzugt?|am liebsten|prefiere|le gusta|préfère|prefere|предпочита\w+)\b|^(?:always|never)\b"
        r"|喜欢|偏好|好き|嫌い",
        re.IGNORECASE,
    ),
    "identity": re.compile(
        r"\b(?:born (?:in|on)|birthday|pronouns|lives in|works (?:at|as|for)|is married|my name is|geboren"
        r"|wohnt in|arbeitet (?:bei|als)|vive en|trabaja en)\b|生日|誕生日|住在|住んで",
        re.IGNORECASE,
    ),
}


def fact_type(text: str) -> str:
    """The type of typed memory that ``text`` would be: the first whose words stand in it, else ``fact``."""
    return next((name for name, words in _TYPES.items() if words.search(text)), "fact")


_SHOWN = 60
_NAMED, _LEAST_NAMED = 3, 0.05
"""Reasons that are named, and the log odds that each of them weighs at least."""
NOTE_FLOOR_SHARE, _TALK_FLOOR_SHARE = 0.72, 0.5
"""The share of the model's own floor, from which a line alone is worth keeping, that is enough for a rank.

What was said in a session has been through the choice of its lines before, which asks for this much.
"""


@frozen_kw_only
class LineJudgement:
    """``score`` in (0, 1): how likely a line is worth keeping for months. ``floor`` is enough."""

    score: float
    floor: float
    vetoed: str | None = None

    @property
    def kept(self) -> bool:
        """Whether it may be kept; what is vetoed never is."""
        return self.vetoed is None and self.score >= self.floor


def floor_of(model: OwnerModel, *, spoken: bool) -> float:
    """The score from which a line may be proposed: low, as its rank decides."""
    return (_TALK_FLOOR_SHARE if spoken else NOTE_FLOOR_SHARE) * model.base.floor


def judged(
    model: OwnerModel, lines: Sequence[Line], *, floor: float | None = None
) -> Iterator[LineJudgement]:
    """What is thought of each line: by the model, and before it by the rules of what is never kept.

    ``floor`` is another score than usual from which it is kept.
    """
    for line, logit in zip(lines, model.logits(lines).tolist(), strict=True):
        least = floor_of(model, spoken=line.spoken) if floor is None else floor
        yield LineJudgement(score=score_of(logit), floor=least, vetoed=veto(line.text))


def why_of(model: OwnerModel, line: Line) -> str:
    """What weighed most for and against a line, and the decision of its owner that moved it most."""
    told = model.base.reasons(line)
    said = []
    for side, sign in (("for", 1), ("against", -1)):
        if names := [name for share, name in told if sign * share >= _LEAST_NAMED][:_NAMED]:
            said.append(f"{side} it: {', '.join(names)}")
    if moved := model.because(line):
        example, share = moved
        text = clipped(" ".join(example.line.text.split()), _SHOWN)
        said.append(f"{'higher' if share > 0 else 'lower'}: like entries you {example.what}, e.g. “{text}”")
    return "; ".join(said) or "no feature has much weight"


def judge_records(
    records: Sequence[Mapping[str, Any]], decided: Sequence[Mapping[str, Any]] = ()
) -> Iterator[dict[str, object]]:
    """For each ``{"id", "text", "heading", "path"}`` an ``{"id", "score", "kept", "type", "why"}``.

    ``"spoken": true`` says that the text is a sentence of a conversation. The records are taken to be of one
    memory. ``decided`` are ``{"text",
    "heading", "path", "accepted"}``, an owner's decisions, the oldest first.
    Raises UsageError for a record without a text.
    """
    examples = [
        Example(_line(one), bool(one.get("accepted")), what="accepted" if one.get("accepted") else "rejected")
        for one in decided
    ]
    model, lines = learned(base_model(), examples), with_recurring([_line(record) for record in records])
    every = judged(model, lines, floor=model.base.floor)
    for record, line, found in zip(records, lines, every, strict=True):
        yield {
            "id": record.get("id"),
            "score": round(found.score, 6),
            "kept": found.kept,
            "type": fact_type(line.text),
            "why": f"never kept: {found.vetoed}" if found.vetoed else why_of(model, line),
        }


def _line(record: Mapping[str, Any]) -> Line:
    text = record.get("text")
    if not isinstance(text, str):
        raise UsageError(
            'a line to judge has no "text"', hint='give {"id", "text", "heading", "path"} a line'
        )
    heading, path = str(record.get("heading") or ""), str(record.get("path") or "")
    return Line(text, heading, path, spoken=record.get("spoken") is True)
