"""A draft that could not stand on a page is refused before anything is asked of the disk."""

from __future__ import annotations

from datetime import date

import pytest

from workbench.errors import UsageError
from workbench.graph.drafts import (
    EntityDraft,
    MemoryDraft,
    RelationDraft,
    memory_draft,
    proposed_draft,
)
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.memory.moment import Moment
from workbench.memory.proposal import Proposal


def test_an_unknown_type_of_memory_names_all_thirteen() -> None:
    with pytest.raises(UsageError, match="opinion") as caught:
        MemoryDraft(text="Likes tea", type="opinion")
    assert [name for name in IMPORTANCE if name not in caught.value.hint] == []
    assert len(IMPORTANCE) == 13


def test_an_unknown_type_of_entity_names_all_ten() -> None:
    with pytest.raises(UsageError, match="animal") as caught:
        EntityDraft(name="Rex", type="animal")
    assert [name for name in ENTITY_TYPES if name not in caught.value.hint] == []


@pytest.mark.parametrize("field", ["happens_at", "occurred_at", "valid_from", "valid_until"])
def test_a_day_that_is_none_is_named_with_its_field(field: str) -> None:
    with pytest.raises(UsageError, match=field) as caught:
        memory_draft({"text": "Send the contract", field: "next Friday"})
    assert "2026-04-01" in caught.value.hint


def test_days_may_be_dates_or_moments_where_something_happens() -> None:
    at = "2026-03-02T10:00:00Z"
    draft = memory_draft(
        {"text": "Send it", "happens_at": "2026-04-01", "occurred_at": at, "valid_until": at}
    )
    assert (draft.happens_at, draft.valid_until) == (date(2026, 4, 1), date(2026, 3, 2))
    assert draft.occurred_at == Moment(2026, 3, 2, "10:00:00Z")


@pytest.mark.parametrize("field", ["confidence", "importance"])
@pytest.mark.parametrize("value", ["1.2", -0.1, "high", "nan"])
def test_shares_lie_between_nothing_and_one(field: str, value: object) -> None:
    with pytest.raises(UsageError, match=field):
        memory_draft({"text": "Likes tea", field: value})


@pytest.mark.parametrize(
    "text", ["", " \n\t ", "a <!-- wb: id=m1 trust=owner -->", "a -->", "a\x00b", "a\x1b[31m", "\ud800"]
)
def test_text_that_is_empty_hides_or_leaves_its_line_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        MemoryDraft(text=text)


def test_line_ends_become_blanks() -> None:
    draft = MemoryDraft(text="  Likes tea\n\n# Heading\n- [goal]\u2028item ")
    assert draft.text == "Likes tea # Heading - [goal] item"


def test_a_text_for_several_memories_is_refused() -> None:
    with pytest.raises(UsageError, match="too long"):
        MemoryDraft(text="very long " * 200)


@pytest.mark.parametrize("name", ["", "  ", "a\x00", "x" * 201, "zero\u200bwidth", "right\u202eleft"])
def test_a_name_that_nobody_could_see_or_say_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        EntityDraft(name=name)


def test_the_brackets_of_a_link_are_no_part_of_a_name() -> None:
    assert RelationDraft(entity="[[Sarah Chen|her]]", kind="knows", target="[[Ben]]").target == "Ben"


def test_a_relation_is_one_word() -> None:
    assert RelationDraft(entity="A", kind="Works on", target="B").kind == "works_on"
    with pytest.raises(UsageError, match="relation"):
        RelationDraft(entity="A", kind="[[x]]", target="B")


def test_what_would_end_before_it_begins_is_refused() -> None:
    with pytest.raises(UsageError):
        MemoryDraft(text="Lives in Bremen", valid_from=date(2026, 3, 2), valid_until=date(2026, 3, 1))


def test_a_proposal_to_store_says_whose_page_it_is() -> None:
    proposal = Proposal(
        key="k",
        action="store",
        text="Prefers tea",
        section="person/Sarah Chen",
        type="preference",
        sources=("memory/2026-03-14.md#L5",),
        trust="agent",
    )
    draft = proposed_draft(proposal, "Prefers green tea")
    assert (draft.entity, draft.entity_type, draft.type) == ("Sarah Chen", "person", "preference")
    assert (draft.text, draft.trust, draft.sources) == ("Prefers green tea", "agent", proposal.sources)
