"""When a memory will have faded, said before it has."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.support.workspaces import Sandbox
from workbench.graph.decay import FORGET_BELOW, faded, forget_key, importance_today, will_fade
from workbench.graph.read import read_graph

NONE: dict[str, list[date]] = {}
START = date(2025, 1, 1)
PAGE = """---
name: Sarah Chen
type: person
---
- [observation] Wore a red hat <!-- wb: id=m1 importance={importance} at=2025-01-01 -->
- [identity] Is a surgeon <!-- wb: id=m2 importance=0.2 at=2020-01-01 -->
- [observation] Sat by the window <!-- wb: id=m3 importance=0.11 at=2025-01-01 pinned=2025-01-02 -->
- [observation] Said nothing of days
"""


def write(sandbox: Sandbox, importance: float = 0.11) -> None:
    sandbox.write("graph/person/sarah-chen.md", PAGE.format(importance=importance))


def test_the_day_is_the_first_on_which_it_is_below(sandbox: Sandbox) -> None:
    write(sandbox)
    (found,) = will_fade(read_graph(sandbox.workspace), NONE, today=START, within=60)
    memory = found.held.memory
    assert memory.text == "Wore a red hat"
    assert (
        importance_today(memory, found.on) < FORGET_BELOW <= importance_today(memory, found.on - timedelta(1))
    )


@given(st.floats(0.1, 1), st.integers(0, 400))
def test_the_formula_is_that_of_fading(importance: float, gone: int) -> None:
    import math

    value = faded(importance, START, START + timedelta(gone))
    if value >= FORGET_BELOW:
        days = int(math.log(FORGET_BELOW / value) / math.log(0.995)) + 1
        assert faded(value, START, START + timedelta(days)) < FORGET_BELOW + 1e-12
        assert faded(value, START, START + timedelta(days - 1)) >= FORGET_BELOW - 1e-12


def test_what_has_faded_is_due_today_and_what_is_far_off_is_not_told(sandbox: Sandbox) -> None:
    write(sandbox)
    graph = read_graph(sandbox.workspace)
    later = START + timedelta(90)
    (found,) = will_fade(graph, NONE, today=later, within=0)
    assert found.on == later
    assert found.value < FORGET_BELOW
    write(sandbox, 0.9)
    assert will_fade(read_graph(sandbox.workspace), NONE, today=START, within=30) == ()


def test_what_a_person_kept_is_not_told_again(sandbox: Sandbox) -> None:
    write(sandbox)
    graph = read_graph(sandbox.workspace)
    (found,) = will_fade(graph, NONE, today=START, within=60)
    assert will_fade(graph, NONE, today=START, within=60, decided={forget_key(found.held)}) == ()
