"""When a time makes an event of what it is said of, and who is to do what."""

from __future__ import annotations

import pytest

from workbench.salience.facts import facts_in


def kinds(text: str) -> list[str]:
    return [fact.type for fact in facts_in(text)]


@pytest.mark.parametrize(
    "line",
    [
        "The regatta takes place on 2027-06-12 in Kiel.",
        "The board meeting is on Friday in the library.",
        "Paula flies to Oslo on 3 May with her choir.",
        "We sold the boat last spring.",
        "Omar opened a bakery last summer.",
    ],
)
def test_a_day_on_which_something_happens_makes_an_event(line: str) -> None:
    assert kinds(line) == ["event"]


@pytest.mark.parametrize(
    "line",
    [
        "The licence of the map data runs until 2027-06-12.",
        "The archive holds every scan since March 2019.",
        "The pump needs no oil for two years.",
        "One slow case in 2021 cost the insurer 4,000 euros.",
        "Refunds are only possible if the ticket comes back by 3 May.",
    ],
)
def test_a_limit_or_a_span_makes_none(line: str) -> None:
    assert len(kinds(line)) == 1
    assert "event" not in kinds(line)


@pytest.mark.parametrize(
    "line",
    [
        "Paula to order the banners for the stand.",
        "Omar will send the signed lease by Friday.",
        "The float must be replaced before 2027-03-01.",
        "[ ] banners for the stand",
    ],
)
def test_what_somebody_is_to_do_is_a_task(line: str) -> None:
    assert kinds(line) == ["todo"]


def test_words_before_to_that_name_nobody_give_no_task() -> None:
    assert "todo" not in kinds("Access to read replicas costs extra in every region.")
