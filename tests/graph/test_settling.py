"""Each answer to a contradiction is one operation, and what was answered is not asked again."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tests.support.workspaces import Sandbox
from workbench.errors import ConflictError
from workbench.graph.contradictions import ANSWERS, Answer, Contradiction, contradictions, plan_settle
from workbench.graph.duplicates import duplicates
from workbench.graph.merge import plan_keep_apart
from workbench.graph.read import read_graph
from workbench.memory.claims import claim_key
from workbench.operations.undo import plan_undo
from workbench.workspace.decisions import rejected_keys, settled_keys
from workbench.workspace.plan import Operation

NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)
PATH = "graph/person/sarah-chen.md"
PAGE = """---
name: Sarah Chen
type: person
---
- [fact] Lives in Bremen <!-- wb: id=m1 valid_from=2025-01-01 src=a.md#L1 -->
- located_in [[Bremen]] <!-- wb: id=r1 valid_from=2025-01-01 src=a.md#L1 -->
- [fact] Lives in Hamburg <!-- wb: id=m2 valid_from=2026-02-01 src=b.md#L1 -->
- [fact] Speaks Dutch <!-- wb: id=m3 -->
"""


def asked(sandbox: Sandbox) -> tuple[Contradiction, ...]:
    place = sandbox.workspace
    return contradictions(read_graph(place), day=NOW.date(), decided=settled_keys(place))


def answer(sandbox: Sandbox, said: Answer) -> Operation:
    sandbox.write(PATH, PAGE)
    sandbox.commit("page")
    (one,) = asked(sandbox)
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_settle(place, one, said, now=NOW, reason="I asked her"))


def ends(sandbox: Sandbox) -> dict[str, date | None]:
    entity = read_graph(sandbox.workspace).entity("Sarah Chen")
    assert entity is not None
    found = {memory.text: memory.valid_until for memory in entity.memories}
    return found | {relation.target: relation.valid_until for relation in entity.relations}


def test_keep_forgets_the_new_one_and_it_stays_away(sandbox: Sandbox) -> None:
    operation = answer(sandbox, "keep")
    assert ends(sandbox) == {"Lives in Bremen": None, "Speaks Dutch": None, "Bremen": None}
    assert claim_key("Lives in Hamburg") in rejected_keys(sandbox.workspace)
    assert claim_key("Lives in Bremen") not in rejected_keys(sandbox.workspace)
    assert operation.reason == "I asked her"


def test_replace_ends_the_old_one_where_the_new_one_began(sandbox: Sandbox) -> None:
    answer(sandbox, "replace")
    assert ends(sandbox) == {
        "Lives in Bremen": date(2026, 2, 1),
        "Bremen": date(2026, 2, 1),
        "Lives in Hamburg": None,
        "Speaks Dutch": None,
    }
    then = read_graph(sandbox.workspace).as_of(date(2025, 6, 1)).entity("Sarah Chen")
    assert then is not None
    assert [memory.text for memory in then.memories if "Lives" in memory.text] == ["Lives in Bremen"]


def test_both_changes_no_page(sandbox: Sandbox) -> None:
    operation = answer(sandbox, "both")
    assert sandbox.read(PATH).decode() == PAGE
    assert operation.paths == ()


def test_reject_ends_both(sandbox: Sandbox) -> None:
    answer(sandbox, "reject")
    today = NOW.date()
    assert ends(sandbox) == {
        "Lives in Bremen": today,
        "Bremen": today,
        "Lives in Hamburg": today,
        "Speaks Dutch": None,
    }


@pytest.mark.parametrize("said", ANSWERS)
def test_every_answer_is_recorded_once_and_not_asked_again(sandbox: Sandbox, said: Answer) -> None:
    answer(sandbox, said)
    assert asked(sandbox) == ()
    sandbox.write(PATH, PAGE)  # somebody writes both again
    assert asked(sandbox) == ()
    record = next(iter(sandbox.workspace.ledger.read("decisions")))
    assert (record["answer"], record["by"], record["reason"]) == (said, "human", "I asked her")


@pytest.mark.parametrize("said", ANSWERS)
def test_undo_takes_the_answer_and_its_record_back(sandbox: Sandbox, said: Answer) -> None:
    operation = answer(sandbox, said)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert sandbox.read(PATH).decode() == PAGE
    assert len(asked(sandbox)) == 1
    assert rejected_keys(place) == frozenset()


@pytest.mark.promise("The graph", "a contradiction changes while it is settled", "nothing is changed")
def test_an_answer_to_what_has_changed_meanwhile_changes_nothing(sandbox: Sandbox) -> None:
    sandbox.write(PATH, PAGE)
    sandbox.commit("page")
    (one,) = asked(sandbox)
    sandbox.write(PATH, PAGE.replace("Hamburg", "Kiel"))
    with pytest.raises(ConflictError, match="in the meantime"):
        plan_settle(sandbox.workspace, one, "keep", now=NOW)


def test_two_that_are_not_one_are_not_shown_again(sandbox: Sandbox) -> None:
    sandbox.write("graph/project/atlas.md", "---\nname: Atlas\ntype: project\n---\n")
    sandbox.write("graph/project/atlass.md", "---\nname: Atlass\ntype: project\n---\n")
    place = sandbox.workspace

    def pairs() -> int:
        return len(duplicates(read_graph(place), today=NOW.date(), decided=settled_keys(place)))

    assert pairs() == 1
    operation = place.operations.carry_out(lambda: plan_keep_apart(place, "Atlas", "Atlass", now=NOW))
    assert pairs() == 0
    place.operations.carry_out(lambda: plan_undo(place, operation.id))
    assert pairs() == 1
