"""What is thought of single lines: a score, whether it is enough, and why, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.dreaming.features import Line
from workbench.dreaming.owner_model import Example, OwnerModel, learned
from workbench.dreaming.salience import base_model, score_of
from workbench.dreaming.vetoes import veto
from workbench.errors import UsageError
from workbench.safety.key_like import clipped
from workbench.salience.fact_type import classify

_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJudgement:
    """``score`` in (0, 1): how likely a line is worth keeping for months. What is vetoed is never kept."""

    score: float
    kept: bool
    type: str
    why: str


def judge_lines(model: OwnerModel, lines: Sequence[Line]) -> Iterator[LineJudgement]:
    """What the model, and the rules that go before it, think of each line."""
    for line, logit in zip(lines, model.logits(lines).tolist(), strict=True):
        score = score_of(logit)
        vetoed = veto(line.text)
        rule = classify(line.text)
        yield LineJudgement(
            score=score,
            kept=vetoed is None and score >= model.base.floor,
            type=rule.type if rule else "fact",
            why=f"never kept: {vetoed}" if vetoed else why_of(model, line),
        )


def why_of(model: OwnerModel, line: Line) -> str:
    """What weighed most for and against a line, and the decision of its owner that moved it most."""
    for_it, against = model.base.reasons(line)
    said = [f"for it: {', '.join(for_it)}"] if for_it else []
    said += [f"against it: {', '.join(against)}"] if against else []
    if moved := model.because(line):
        example, share = moved
        text = clipped(" ".join(example.line.text.split()), _SHOWN)
        said.append(f"{'higher' if share > 0 else 'lower'} because you {example.what} “{text}”")
    return "; ".join(said) or "nothing in it weighs much"


def judge_records(
    records: Sequence[Mapping[str, Any]], decided: Sequence[Mapping[str, Any]] = ()
) -> Iterator[dict[str, object]]:
    """For each ``{"id", "text", "heading", "path"}`` an ``{"id", "score", "kept", "type", "why"}``.

    ``decided`` are ``{"text", "heading", "path", "accepted"}``, an owner's decisions, the oldest first.
    Raises UsageError for a record without a text.
    """
    examples = [
        Example(_line(one), bool(one.get("accepted")), what="accepted" if one.get("accepted") else "rejected")
        for one in decided
    ]
    judged = judge_lines(learned(base_model(), examples), [_line(record) for record in records])
    for record, found in zip(records, judged, strict=True):
        yield {
            "id": record.get("id"),
            "score": round(found.score, 6),
            "kept": found.kept,
            "type": found.type,
            "why": found.why,
        }


def _line(record: Mapping[str, Any]) -> Line:
    text = record.get("text")
    if not isinstance(text, str):
        raise UsageError(
            'a line to judge has no "text"', hint='give {"id", "text", "heading", "path"} a line'
        )
    return Line(text, str(record.get("heading") or ""), str(record.get("path") or ""))
