"""Accept, reject, defer, withdraw, undo and redo in any order: the ledger and memory always say the same."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.support.proposals import NOW, entry, proposal
from tests.support.workspaces import LOG, Sandbox
from workbench.dreaming.proposals.decide import plan_accept, plan_defer, plan_reject, plan_withdraw
from workbench.dreaming.proposals.inbox import pending, propose, waiting
from workbench.memory.proposal import Proposal
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.plan import Plan

pytestmark = [
    pytest.mark.promise(
        "Dreaming and proposals",
        "accept, reject, defer, withdraw, undo and redo in any order",
        "decisions and text always agree",
        by="Hypothesis state machine",
    ),
]

CLAIMS = 5
PICK = st.integers(0, CLAIMS - 1)


@dataclass
class Done:
    """An operation that decided on some claims, as the model remembers it."""

    id: str
    decision: str
    claims: tuple[int, ...]
    stands: bool = True


class Proposals(RuleBasedStateMachine):
    """The model: decisions in their order; the newest that stands is the state of a claim."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.done: list[Done] = []
        self.undone: list[Done] = []
        self.theirs = 0

    @initialize()
    def begin(self) -> None:
        self.sandbox = Sandbox(Path(self.folder.name) / "workspace")
        lines = "".join(f"- Claim number {n} stands in the log\n" for n in range(CLAIMS))
        self.sandbox.write(LOG, lines)
        self.sandbox.commit("log")
        self.claims: list[Proposal] = [
            proposal(e.text, sources=[e], run=f"run-{n % 2}")
            for n in range(CLAIMS)
            for e in (entry(self.sandbox, f"number {n} "),)
        ]
        propose(self.sandbox.workspace, self.claims, NOW)
        self.start = self.sandbox.read("MEMORY.md")

    # -- what the model says ---------------------------------------------------------------------

    def state(self, claim: int) -> str:
        said = [one.decision for one in self.done if one.stands and claim in one.claims]
        return said[-1] if said else "waits"

    def is_kept(self, claim: int) -> bool:
        return any(o.stands and o.decision == "accepted" and claim in o.claims for o in self.done)

    def can_decide(self, claim: int) -> bool:
        return self.state(claim) in ("waits", "deferred") and not self.is_kept(claim)

    # -- rules -------------------------------------------------------------------------------------

    def do(self, decision: str, claims: tuple[int, ...]) -> None:
        place = self.sandbox.workspace
        keys = [self.claims[n].key for n in claims]

        def planner() -> Plan:
            if decision == "accepted":
                return plan_accept(place, keys, now=NOW)
            if decision == "rejected":
                return plan_reject(place, keys, now=NOW)
            if decision == "deferred":
                return plan_defer(place, keys, date(2026, 4, 1), now=NOW)
            return plan_withdraw(place, keys, now=NOW)

        operation = place.operations.carry_out(planner)
        self.done.append(Done(operation.id, decision, claims))
        self.undone.clear()

    @rule(claim=PICK, decision=st.sampled_from(["accepted", "accepted", "rejected", "deferred"]))
    def decide(self, claim: int, decision: str) -> None:
        if self.can_decide(claim):
            self.do(decision, (claim,))

    @rule(one=PICK, other=PICK)
    def accept_two(self, one: int, other: int) -> None:
        if one != other and self.can_decide(one) and self.can_decide(other):
            self.do("accepted", (one, other))

    @rule(claim=PICK)
    def withdraw(self, claim: int) -> None:
        if self.state(claim) != "withdrawn":
            self.do("withdrawn", (claim,))

    @precondition(lambda self: any(one.stands for one in self.done))
    @rule(pick=st.integers(0, 99))
    def undo_any(self, pick: int) -> None:
        standing = [one for one in self.done if one.stands]
        one = standing[pick % len(standing)]
        place = self.sandbox.workspace
        place.operations.carry_out(lambda: plan_undo(place, one.id))
        one.stands = False
        self.undone.append(one)

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        place = self.sandbox.workspace
        one = self.undone.pop()
        if one.decision == "accepted" and any(self.is_kept(claim) for claim in one.claims):
            self.undone.append(one)
            return
        place.operations.carry_out(lambda: plan_redo(place))
        one.stands = True

    @rule()
    def propose_again(self) -> None:
        """Whatever waits, or was accepted or rejected, is not added once more; a withdrawn one would be."""
        place = self.sandbox.workspace
        again = [self.claims[n] for n in range(CLAIMS) if self.state(n) != "withdrawn"]
        assert propose(place, again, NOW).added == ()

    @rule()
    def an_agent_appends(self) -> None:
        self.theirs += 1
        self.sandbox.write("MEMORY.md", self.sandbox.read("MEMORY.md") + b"- theirs %d\n" % self.theirs)

    # -- what always holds ---------------------------------------------------------------------------

    @invariant()
    def what_waits_is_what_the_model_says(self) -> None:
        if not hasattr(self, "claims"):
            return
        place = self.sandbox.workspace
        expected = [
            self.claims[n].key
            for n in (*range(0, CLAIMS, 2), *range(1, CLAIMS, 2))  # run by run
            if self.state(n) == "waits" and not self.is_kept(n)
        ]
        assert [one.key for one in pending(place, NOW)] == expected
        deferred = {
            c.key for n, c in enumerate(self.claims) if self.state(n) == "deferred" and not self.is_kept(n)
        }
        assert {w.proposal.key for w in waiting(place, NOW) if w.until} == deferred

    @invariant()
    def memory_holds_what_was_accepted_once_and_all_that_others_wrote(self) -> None:
        if not hasattr(self, "claims"):
            return
        text = self.sandbox.read("MEMORY.md").decode()
        for n in range(CLAIMS):
            assert text.count(f"- Claim number {n} stands in the log") == self.is_kept(n)
        for n in range(1, self.theirs + 1):
            assert text.count(f"- theirs {n}\n") == 1
        if not any(self.is_kept(n) for n in range(CLAIMS)) and not self.theirs:
            assert text.encode() == self.start

    def teardown(self) -> None:
        if hasattr(self, "sandbox"):
            self.sandbox.close()
        self.folder.cleanup()


Proposals.TestCase.settings = settings(
    max_examples=12, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
TestProposals = Proposals.TestCase
