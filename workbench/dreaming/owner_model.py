"""What an owner's decisions teach: a small correction of the salience model, which stays on this machine."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.features import Features, Floats, Line, Singles, features_of
from workbench.dreaming.proposals.inbox import Book, read_book
from workbench.dreaming.salience import Salience, base_model, in_batches
from workbench.errors import NotCuratableError, WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.episode import FOLDER
from workbench.memory.provenance import parse_instant
from workbench.workspace.decisions import decision_from
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

# -- the correction ----------------------------------------------------------------------------------

LEAST = 10
"""Decisions below which nothing is learned."""
MOST = 400
"""The newest decisions that are learned from."""
HALF_LIFE = 120
"""Days after which a decision weighs half."""
_GRAMS, _COUNTS, _BIAS = 4.0, 0.5, 1.0
"""Variances: how far n-grams, counts and the share of kept lines may move a score, before any decision."""
_SHIFT = 4.0
_FOLDED = 1 << 14
_BLOCKS, _TESTED = 5, 50
_STEPS = 15


@frozen
class Example:
    """A line on which the owner decided, whether it was to be kept, and when."""

    line: Line
    accepted: bool
    day: date | None = None
    what: str = ""
    """What the owner did, in a word: accepted, rejected, promoted, …"""


@frozen_kw_only
class PredictionScore:
    """How well the last decisions would have been foretold from those before them.

    ``right`` and ``base_right`` are shares of the pairs of a kept and a rejected line that were in the right
    order, in [0, 1], None where there is no such pair; ``worse`` whether the correction told them worse than
    the base model by more than chance.
    """

    tested: int = 0
    right: float | None = None
    base_right: float | None = None
    worse: bool = False


@frozen_kw_only
class OwnerModel:
    """The base model with its correction. ``active`` is whether it corrects anything, ``why_not`` why not."""

    base: Salience
    examples: tuple[Example, ...] = ()
    foretold: PredictionScore = PredictionScore()
    why_not: str = ""
    seen: Singles
    """(n, 2^14 + 55 + 1) the features of the examples; see ``_scaled``."""
    pull: Floats
    """(n,) how far each example pulls what is like it: up above 0, down below."""

    @property
    def active(self) -> bool:
        """Whether anything was learned that is used."""
        return not self.why_not

    def logits(self, lines: Sequence[Line]) -> Floats:
        """(n,) the log odds that this owner would keep each line."""
        if not self.active:
            return self.base.logits(lines)
        weights = self.pull @ self.seen
        return in_batches(
            lines, lambda some: self.base.of_features(some) + _weighed(self.base, some, weights)
        )

    def because(self, line: Line) -> tuple[Example, float] | None:
        """The decision that moved a line most, and how far in log odds; None where none did."""
        if not self.active:
            return None
        shares = self.seen @ _scaled(self.base, features_of([line]))[0] * self.pull
        most = int(np.argmax(np.abs(shares)))
        return (self.examples[most], float(shares[most])) if abs(shares[most]) >= 0.1 else None


def learned(base: Salience, examples: Sequence[Example]) -> OwnerModel:
    """What ``examples``, the oldest first, teach. It takes below 0.2 s.

    The correction is a Gaussian process over n-grams and counts whose mean is the base model (C. Rasmussen,
    C. Williams, “Gaussian Processes for Machine Learning”, 2006, algorithm 3.1): with no decisions it is
    zero, and each decision moves what is like it. Old decisions weigh less. Before it is believed it must
    foretell the owner's last decisions, each block from those before it, no worse than the base model does.
    """
    examples = tuple(examples[-MOST:])
    features = features_of([example.line for example in examples])
    seen, pull = _scaled(base, features), np.zeros(len(examples))
    foretold, why = PredictionScore(), ""
    if len(examples) < LEAST:
        why = f"it learns from {LEAST} decisions on"
    else:
        alike = (seen @ seen.T).astype(np.float64)
        answers = np.array([example.accepted for example in examples], np.float64)
        said, weights = base.of_features(features), _weights(examples)
        foretold, pull = _foretold(alike, answers, said, weights), _fitted(alike, answers, said, weights)
        if foretold.worse:
            why = f"it predicts the last {foretold.tested} decisions worse than the base model"
        elif len({*answers}) == 1 and len(examples) < 2 * LEAST:
            why = "all decisions so far are the same"
    return OwnerModel(base=base, examples=examples, foretold=foretold, why_not=why, seen=seen, pull=pull)


def _weights(examples: Sequence[Example]) -> Floats:
    newest = max((example.day for example in examples if example.day), default=None)
    ages = [(newest - example.day).days if newest and example.day else 0 for example in examples]
    return np.asarray(0.5 ** (np.array(ages, np.float64) / HALF_LIFE), np.float64)


def _scaled(base: Salience, features: Features) -> Singles:
    """(n, 2^14 + 55 + 1) n-grams, counts and a constant, so scaled that two lines are as alike as the product
    of their rows: ``4 n-grams · n-grams + 0.5 counts · counts / their number + 1``.
    """
    counts = base.notes.standardised(features.counts)
    share = np.sqrt(_COUNTS / counts.shape[1])
    constant = np.full((len(counts), 1), np.sqrt(_BIAS))
    grams = np.sqrt(_GRAMS) * features.grams.dense(_FOLDED)
    return np.hstack((grams, share * counts, constant), dtype=np.float32, casting="same_kind")


def _weighed(base: Salience, features: Features, weights: Floats) -> Floats:
    """``_scaled(base, features) @ weights``, without the many n-grams that a line does not have."""
    grams, counts = features.grams, base.notes.standardised(features.counts)
    folded = replace(grams, buckets=grams.buckets & (_FOLDED - 1))
    of_grams = folded.weighed((np.sqrt(_GRAMS) * weights[:_FOLDED]).astype(np.float32))
    sums: Floats = np.sqrt(_COUNTS / counts.shape[1]) * (counts @ weights[_FOLDED:-1])
    return sums + of_grams + float(np.sqrt(_BIAS) * weights[-1])


def _fitted(kernel: Floats, answers: Floats, said: Floats, weights: Floats) -> Floats:
    """(n,) the pull of each decision at the most likely correction, by Newton's method."""
    correction = np.zeros(len(answers))
    pull = np.zeros(len(answers))
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(said + correction, -30.0, 30.0)))
        curve = weights * chance * (1.0 - chance) + 1e-6
        target = curve * correction + weights * (answers - chance)
        root = np.sqrt(curve)
        matrix = np.eye(len(answers)) + root[:, None] * kernel * root
        pull = target - root * np.linalg.solve(matrix, root * (kernel @ target))
        before, correction = correction, kernel @ pull
        if np.abs(correction - before).max() < 1e-4:
            break
    return pull


def _foretold(kernel: Floats, answers: Floats, said: Floats, weights: Floats) -> PredictionScore:
    """The last half of the decisions, 50 at most, in blocks, each foretold from all before it.

    The base model is given the owner's share of kept lines too, so that what is compared is what was learned
    of the lines themselves.
    """
    tested = min(_TESTED, len(answers) // 2)
    places = np.arange(len(answers) - tested, len(answers))
    corrected, shifted = np.zeros(tested), np.zeros(tested)
    for block in np.array_split(np.arange(tested), min(_BLOCKS, tested)):
        before = slice(0, int(places[block[0]]))
        here, count = places[block], before.stop
        pull = _fitted(kernel[before, before], answers[before], said[before], weights[before])
        corrected[block] = said[here] + kernel[here, before] @ pull
        alike = np.full((count, count), _SHIFT)
        shift = _SHIFT * _fitted(alike, answers[before], said[before], weights[before]).sum()
        shifted[block] = said[here] + shift
    truth = answers[places] > 0
    losses = _loss(corrected, truth) - _loss(shifted, truth)
    return PredictionScore(
        tested=tested,
        right=pairs_in_order(corrected, truth),
        base_right=pairs_in_order(said[places], truth),
        worse=bool(losses.mean() > losses.std() / np.sqrt(tested)),
    )


def _loss(logits: Floats, truth: NDArray[np.bool_]) -> Floats:
    return np.logaddexp(0.0, -np.where(truth, logits, -logits))


def pairs_in_order(scores: Floats, truth: NDArray[np.bool_]) -> float | None:
    """The share of pairs of a true and a false one in which the true one scores higher; a tie is half.

    That is the area under the ROC curve; None where there is no such pair.
    """
    true, false = scores[truth], scores[~truth]
    if not len(true) or not len(false):
        return None
    return float(np.mean((true[:, None] > false) + 0.5 * (true[:, None] == false)))


# -- the examples: what an owner's decisions say of lines --------------------------------------------

_FORGOTTEN = "learning_forgotten"
"""The field of a record in the ledger's decisions from which on they count again."""
_KEPT = {"accepted": True, "edited": True, "rejected": False}
_DONE = {"promote": (True, "promoted"), "pin": (True, "pinned"), "forget": (False, "forgot")}
_TOLD = 3


@frozen
class TrainingDecision:
    """A decision that moves what is like it: what was done, to which words."""

    what: str
    text: str


@frozen_kw_only
class LearningReport:
    """What was learned from how many ``decisions``, and how well it would have foretold the last of them.

    ``raised`` and ``lowered`` are the decisions that move what is like them most, each with what was done.
    ``right`` and ``base_right`` are shares of pairs in the right order, with and without what was learned.
    """

    active: bool
    why_not: str
    decisions: int
    tested: int
    right: float | None
    base_right: float | None
    raised: tuple[TrainingDecision, ...]
    lowered: tuple[TrainingDecision, ...]


def owner_model(workspace: Workspace, book: Book) -> OwnerModel:
    """The model with what this owner's decisions teach."""
    return learned(base_model(), decided_examples(workspace, book))


def learning_report(workspace: Workspace) -> LearningReport:
    """What the decisions on this workspace have taught so far."""
    examples = decided_examples(workspace, read_book(workspace))
    model = learned(base_model(), examples)
    strongest = sorted(zip(model.pull.tolist(), model.examples, strict=True), key=lambda one: -abs(one[0]))
    told = [(pull, TrainingDecision(one.what, one.line.text)) for pull, one in strongest if model.active]
    return LearningReport(
        active=model.active,
        why_not=model.why_not,
        decisions=len(examples),
        tested=model.foretold.tested,
        right=model.foretold.right,
        base_right=model.foretold.base_right,
        raised=tuple(said for pull, said in told if pull > 0)[:_TOLD],
        lowered=tuple(said for pull, said in told if pull < 0)[:_TOLD],
    )


def plan_forget_learned(workspace: Workspace, now: datetime) -> Plan:
    """Let no decision until ``now`` teach anything; they go on to hold. It can be undone.

    Raises NotCuratableError where there is nothing to forget.
    """
    if not decided_examples(workspace, read_book(workspace)):
        raise NotCuratableError(
            "nothing has been learned from decisions yet", hint="`workbench dream --learned`"
        )
    return Plan(
        action="forget-learned",
        summary="what dreaming learned from decisions",
        records=ledger_records("decisions", [{_FORGOTTEN: True}], now),
    )


def decided_examples(workspace: Workspace, book: Book) -> list[Example]:
    """What was decided, promoted, pinned or forgotten since learning was forgotten last, the oldest first.

    A person promotes, pins and forgets entries one by one; these are the operations that stand. Nothing else
    is stored: undoing a decision takes its example back. What merely stands in long-term memory is no
    example: by n-grams it would draw the score to what memory says already.
    """
    found: list[Example] = []
    since: date | None = None
    for record in workspace.ledger.read("decisions"):
        moment = parse_instant(record.get("at"))
        day = moment.date() if moment else None
        if record.get(_FORGOTTEN) is True:
            found, since = [], day
            continue
        decision = decision_from(record)
        proposal, _ = book.proposals.get(decision.name, (None, 0)) if decision else (None, 0)
        if decision is None or proposal is None or decision.decision not in _KEPT:
            continue
        is_kept, is_leaving = _KEPT[decision.decision], decision.name[0] == "let go"
        if is_kept and is_leaving:
            continue  # it went for lack of room: that says nothing of its words
        path = proposal.sources[0].partition("#")[0] if proposal.sources else ""
        line = Line(proposal.text, path=path, spoken=path.startswith(FOLDER))
        found.append(Example(line, is_kept or is_leaving, day, decision.decision))
    with contextlib.suppress(WorkbenchError):  # without a repository nothing was done
        for operation in workspace.operations.walk():
            day = operation.when.date()
            if operation.action not in _DONE or operation.undone or len(operation.entries) != 1:
                continue
            if since is None or day > since:
                is_kept, what = _DONE[operation.action]
                words = operation.summary.removeprefix(f"{operation.action}: ")
                found.append(Example(Line(words), is_kept, day, what))
    return sorted(found, key=lambda one: one.day or date.min)
