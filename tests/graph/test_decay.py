"""What fades is proposed for forgetting, by figures that anybody can check; nothing goes by itself."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.workspaces import Sandbox
from workbench.dreaming.proposals.decide import plan_reject
from workbench.dreaming.proposals.inbox import propose
from workbench.graph.decay import (
    FORGET_BELOW,
    faded,
    fading_in,
    importance_today,
    read_recalls,
    recalls_of,
)
from workbench.graph.read import read_graph
from workbench.graph.write import plan_forget_memory
from workbench.memory.claims import claim_key
from workbench.memory.proposal import Proposal, proposal_from_json

START = date(2025, 1, 1)
PAGE = """---
name: Sarah Chen
type: person
---
- [observation] Wore a red hat <!-- wb: id=m1 at=2025-01-01 src=memory/2025-01-01.md#L3 -->
- [identity] Is a surgeon <!-- wb: id=m2 importance=0.2 at=2020-01-01 -->
- [observation] Sat by the window <!-- wb: id=m3 at=2025-01-01 pinned=2025-01-02 -->
- [todo] Send the contract <!-- wb: id=m4 importance=0.11 at=2025-01-01 -->
- [event] Flies to Oslo <!-- wb: id=m5 importance=0.11 happens_at=2026-12-01 at=2025-01-01 -->
- [observation] Said nothing of days
- [preference] Prefers tea <!-- wb: id=m6 at=2025-12-01 -->
"""


def proposals(sandbox: Sandbox, today: date) -> tuple[Proposal, ...]:
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    return fading_in(sandbox.workspace, now=now)


def test_the_figures_are_those_of_the_paper() -> None:
    assert faded(0.6, START, START) == 0.6
    assert faded(0.6, START, START + timedelta(1)) == pytest.approx(0.6 * 0.995)
    assert faded(0.6, START, START + timedelta(100)) == pytest.approx(0.6 * 0.995**100)
    recalled = faded(0.6, START, START + timedelta(2), [START])
    assert recalled == pytest.approx((0.6 * 0.995 + 0.01) * 0.995)


@given(
    st.floats(0, 1),
    st.integers(0, 300),
    st.lists(st.integers(-5, 310), max_size=40),
)
def test_it_equals_rewriting_every_night(importance: float, nights: int, recalled: list[int]) -> None:
    value = importance
    for night in range(nights):
        value = min(1.0, value * 0.995 + (0.01 if night in recalled else 0.0))
    days = [START + timedelta(n) for n in recalled]
    assert faded(importance, START, START + timedelta(nights), days) == pytest.approx(value, abs=1e-9)


@given(st.floats(0, 1), st.integers(0, 5_000), st.integers(0, 5_000))
def test_a_missed_night_changes_nothing(importance: float, one: int, two: int) -> None:
    middle, end = START + timedelta(one), START + timedelta(one + two)
    at_once = faded(importance, START, end)
    assert faded(faded(importance, START, middle), middle, end) == pytest.approx(at_once, abs=1e-9)
    assert 0 <= at_once <= importance


def test_a_clock_set_back_fades_nothing(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE)
    memory = read_graph(sandbox.workspace).entities[0].memories[0]
    assert importance_today(memory, date(1999, 1, 1)) == memory.importance


def test_only_what_has_faded_and_may_go_is_proposed(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE)
    today = date(2025, 12, 31)
    assert 0.3 * 0.995 ** (today - START).days < FORGET_BELOW
    (found,) = proposals(sandbox, today)
    assert (found.action, found.by, found.text) == ("forget", "decay", "Wore a red hat")
    assert found.sources == ("memory/2025-01-01.md#L3",)
    assert found.section == "person/Sarah Chen"
    assert "0.30 to 0.05 in 364 days; never recalled" in found.why
    assert sum(found.parts.values()) == pytest.approx(1 - found.score)
    assert found.gates[0].distance == 0
    assert proposal_from_json(found.as_json()).key == found.key


def test_what_is_recalled_stays(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE)
    today = date(2025, 12, 31)
    for n in range(0, 360, 6):
        at = datetime(2025, 1, 1, 12, tzinfo=UTC) + timedelta(n)
        sandbox.workspace.ledger.append("recalls", [{"claim": claim_key("Wore a red hat"), "score": 0.5}], at)
    assert proposals(sandbox, today) == ()


def test_recalls_count_by_the_address_too(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE)
    memory = read_graph(sandbox.workspace).entities[0].memories[0]
    recalls = read_recalls(
        [{"at": "2025-03-01T10:00:00+00:00", "entry": memory.entry.address}, {"at": "x"}, {}]
    )
    assert recalls_of(memory, recalls) == {date(2025, 3, 1)}


def test_what_a_person_kept_is_not_proposed_again(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE)
    (found,) = proposals(sandbox, date(2025, 12, 31))
    place, now = sandbox.workspace, datetime(2025, 12, 31, tzinfo=UTC)
    propose(place, [found], now)
    place.operations.carry_out(lambda: plan_reject(place, [found.key], now=now))
    assert proposals(sandbox, date(2025, 12, 31)) == ()


def test_the_preview_is_the_diff_and_nothing_has_happened(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE)
    sandbox.commit("page")
    before = sandbox.snapshot()
    (found,) = proposals(sandbox, date(2025, 12, 31))
    plan = plan_forget_memory(
        sandbox.workspace, [found.target], reason=found.why, now=datetime(2025, 12, 31, tzinfo=UTC)
    )
    assert "-- [observation] Wore a red hat" in plan.diff()
    assert sandbox.snapshot() == before


def test_a_pinned_page_fades_not(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE.replace("type: person", "type: person\npinned: true"))
    assert proposals(sandbox, date(2030, 1, 1)) == ()
