"""What an owner's decisions teach a dream, and how that is shown and forgotten."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tests.dreaming.nights import NOW, Nights, rule
from tests.support.proposals import proposal
from workbench.dreaming.owner_model import decided_examples, learning_report, plan_forget_learned
from workbench.dreaming.proposals.decide import plan_accept, plan_reject
from workbench.dreaming.proposals.inbox import propose, read_book
from workbench.memory.claims import claim_key
from workbench.operations.forget import plan_forget
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Plan

LIKED = "The harbour office {n} keeps its charts in drawer {w} of the north room"
DISLIKED = "Rule: we always use {w} for the machine, never anything else"
WORDS = ("amber", "birch", "cedar", "dahlia", "elder", "fennel", "garnet", "hazel", "iris", "juniper", "kelp")


def _same(plan: Plan) -> Plan:
    return plan


def decide(nights: Nights) -> None:
    """Eleven rules are rejected and eleven drawers accepted, one after the other."""
    workspace = nights.workspace
    for number, word in enumerate(WORDS):
        for text, no in ((DISLIKED.format(w=word), True), (LIKED.format(n=number, w=word), False)):
            propose(workspace, [proposal(text)], NOW)
            key = claim_key(text)
            plan = (plan_reject if no else plan_accept)(workspace, [key], now=NOW)
            workspace.operations.carry_out(partial(_same, plan))
    workspace.close()


def test_what_is_like_what_was_rejected_scores_lower_and_says_so(nights: Nights) -> None:
    text = "Rule: we always use myrtle for the machine, never anything else"
    nights.log(0, text)
    before = nights.explained(text)
    decide(nights)
    after = nights.explained(text)
    assert after.parts["salience"] < before.parts["salience"]
    assert "lower: like entries you rejected" in str(after.facts["words"])
    report = learning_report(nights.workspace)
    assert (report.active, report.decisions) == (True, 22)
    assert report.right is not None
    assert report.lowered[0].what == "rejected"


def test_undoing_a_decision_takes_its_example_back_and_a_reset_all_of_them(nights: Nights) -> None:
    workspace = nights.workspace
    nights.episode(0, "e1", rule(0))
    (made,) = propose(workspace, nights.dream().proposals, NOW).added

    def examples() -> list[bool]:
        return [one.accepted for one in decided_examples(workspace, read_book(workspace))]

    operation = workspace.operations.carry_out(lambda: plan_reject(workspace, [made.key], now=NOW))
    assert examples() == [False]
    workspace.operations.carry_out(lambda: plan_undo(workspace, operation.id))
    assert examples() == []
    workspace.operations.carry_out(lambda: plan_accept(workspace, [made.key], now=NOW))
    assert examples() == [True]
    reset = workspace.operations.carry_out(lambda: plan_forget_learned(workspace, NOW))
    assert examples() == []
    workspace.operations.carry_out(lambda: plan_undo(workspace, reset.id))
    assert examples() == [True]
    workspace.close()


def test_what_was_forgotten_is_an_example(nights: Nights) -> None:
    nights.memory(rule(0))
    nights.sandbox.commit("memory")
    workspace = nights.workspace
    address = nights.sandbox.address("tantivy", "MEMORY.md")
    workspace.operations.carry_out(lambda: plan_forget(workspace, [address]))
    (one,) = decided_examples(workspace, read_book(workspace))
    assert (one.accepted, one.what) == (False, "forgot")
    assert "tantivy" in one.line.text
    workspace.close()


def test_what_went_for_lack_of_room_is_no_example_and_what_was_to_stay_is_one(nights: Nights) -> None:
    nights.memory(rule(0), rule(1))
    nights.sandbox.commit("memory")
    workspace = nights.workspace
    for number, plan_decision in enumerate((plan_accept, plan_reject)):
        text = rule(number)
        target = nights.sandbox.address(text[:40], "MEMORY.md")
        one = replace(proposal(text, action="archive", target=target), entries=(target,))
        (made,) = propose(workspace, [one], NOW).added
        workspace.operations.carry_out(partial(_same, plan_decision(workspace, [made.key], now=NOW)))
    examples = decided_examples(workspace, read_book(workspace))
    assert [(one.accepted, one.line.text) for one in examples] == [(True, rule(1))]
    workspace.close()
