"""What an owner's decisions say of lines: the examples that the salience model learns its owner from.

They are the decisions of the ledger, and what the owner promoted, pinned or forgot. Nothing else is stored:
undoing a decision takes its example back. What merely stands in long-term memory is no example: by n-grams
it would draw the score to what memory says already.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from workbench.dreaming.features import Line
from workbench.dreaming.owner_model import Example, OwnerModel, learned
from workbench.dreaming.proposals.inbox import Book, read_book
from workbench.dreaming.salience import base_model
from workbench.errors import NotCuratableError, WorkbenchError
from workbench.memory.episode import FOLDER
from workbench.memory.provenance import parse_instant
from workbench.workspace.decisions import decision_from
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

_FORGOTTEN = "learning_forgotten"
"""The field of a record in the ledger's decisions from which on they count again."""
_KEPT = {"accepted": True, "edited": True, "rejected": False}
_DONE = {"promote": (True, "promoted"), "pin": (True, "pinned"), "forget": (False, "forgot")}
_TOLD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
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
    raised: tuple[Taught, ...]
    lowered: tuple[Taught, ...]


@dataclass(frozen=True, slots=True)
class Taught:
    """A decision that moves what is like it: what was done, to which words."""

    what: str
    text: str


def owner_model(workspace: Workspace, book: Book) -> OwnerModel:
    """The model with what this owner's decisions teach."""
    return learned(base_model(), decided_examples(workspace, book))


def learning_report(workspace: Workspace) -> LearningReport:
    """What the decisions on this workspace have taught so far."""
    examples = decided_examples(workspace, read_book(workspace))
    model = learned(base_model(), examples)
    strongest = sorted(zip(model.pull.tolist(), model.examples, strict=True), key=lambda one: -abs(one[0]))
    told = [(pull, Taught(example.what, example.line.text)) for pull, example in strongest if model.active]
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
        raise NotCuratableError("nothing was learned from decisions yet", hint="`workbench dream --learned`")
    return Plan(
        action="forget-learned",
        summary="what dreaming learned from decisions",
        records=ledger_records("decisions", [{_FORGOTTEN: True}], now),
    )


def decided_examples(workspace: Workspace, book: Book) -> list[Example]:
    """What was decided, promoted, pinned or forgotten since learning was forgotten last, the oldest first."""
    found: list[Example] = []
    since: date | None = None
    for record in workspace.ledger.read("decisions"):
        moment = parse_instant(record.get("at"))
        day = moment.date() if moment else None
        if record.get(_FORGOTTEN) is True:
            found, since = [], day
            continue
        decision = decision_from(record)
        proposal = book.proposals.get(decision.name) if decision else None
        if decision is None or proposal is None or decision.decision not in _KEPT:
            continue
        is_kept, is_leaving = _KEPT[decision.decision], decision.name[0] == "let go"
        if is_kept and is_leaving:
            continue  # it went for lack of room: that says nothing of its words
        is_kept = is_kept or is_leaving
        path = next((source.partition("#")[0] for source in proposal[0].sources), "")
        line = Line(proposal[0].text, path=path, spoken=path.startswith(FOLDER))
        found.append(Example(line, is_kept, day, decision.decision))
    found += (one for one in _operations(workspace) if since is None or (one.day and one.day > since))
    return sorted(found, key=lambda one: one.day or date.min)


def _operations(workspace: Workspace) -> Iterator[Example]:
    """The entries that a person promoted, pinned or forgot one by one, by the operations that stand."""
    with contextlib.suppress(WorkbenchError):  # without a repository nothing was done
        for operation in workspace.operations.walk():
            if operation.action in _DONE and not operation.undone and len(operation.entries) == 1:
                accepted, what = _DONE[operation.action]
                words = operation.summary.removeprefix(f"{operation.action}: ")
                yield Example(Line(words), accepted, operation.when.date(), what)
