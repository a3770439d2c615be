"""The queue of episodes that nothing was promoted of."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from tests.dreaming.nights import NOW, TODAY, Nights, ago
from workbench.dreaming import dream
from workbench.dreaming.episode_queue import Waiting, chosen
from workbench.dreaming.proposals.inbox import propose


def waiting(name: str, days: int, **known: object) -> Waiting:
    return Waiting(path=name, created=ago(days), **known)  # type: ignore[arg-type]


def test_the_order_by_hand() -> None:
    assert waiting("a", 0).order(TODAY) == pytest.approx(0.15)
    assert waiting("a", 14).order(TODAY) == pytest.approx(0.075)
    recalled = waiting("a", 14, recalls=4, score=0.6, last=ago(14))
    expected = 0.30 * math.log(5) / math.log(11) + 0.35 * 0.6 + 0.20 * 0.5 + 0.15 * 0.5
    assert recalled.order(TODAY) == pytest.approx(expected)
    assert waiting("a", 0, recalls=500, score=1.0, last=TODAY).order(TODAY) == pytest.approx(1)


def test_at_least_five_must_wait_and_ten_are_looked_at() -> None:
    assert chosen([waiting(f"e{n}", n) for n in range(4)], TODAY) == ()
    found = chosen([waiting(f"e{n:02}", n) for n in range(14)], TODAY)
    assert [one.path for one in found] == [f"e{n:02}" for n in range(10)]


def test_the_facts_of_waiting_episodes_need_no_recalls(nights: Nights) -> None:
    nights.warm()
    for n in range(4):
        nights.episode(n + 1, f"e{n}", f"We decided to use tool{n} for the service number {n}")
    assert nights.proposed() == []
    nights.episode(5, "e4", "We decided to use tool4 for the service number 4")
    assert len(nights.proposed()) == 5


def test_what_was_promoted_of_or_has_expired_does_not_wait(nights: Nights) -> None:
    nights.warm()
    for n in range(6):
        header = {"promoted_at": str(ago(1))} if n == 0 else {"expires_at": str(ago(1))} if n == 1 else {}
        nights.episode(n + 2, f"e{n}", f"We decided to use tool{n} for the service number {n}", **header)
    assert nights.proposed() == []


def test_a_log_line_is_never_taken_from_the_queue(nights: Nights) -> None:
    nights.warm()
    for n in range(6):
        nights.log(n + 1, "We decided to use tantivy for search")
    assert nights.proposed() == []


def test_the_queue_rests_for_ten_minutes_after_a_run(nights: Nights) -> None:
    nights.warm()
    for n in range(6):
        nights.episode(n + 1, f"e{n}", f"We decided to use tool{n} for the service number {n}")
    first = dream(nights.workspace, now=NOW, limit=2)
    propose(nights.workspace, first.proposals, NOW)
    soon = dream(nights.workspace, now=NOW + timedelta(minutes=9))
    assert soon.proposals == ()
    assert any("9 minutes ago" in note for note in soon.notes)
    later = dream(nights.workspace, now=NOW + timedelta(minutes=10))
    assert len(later.proposals) == 6


def test_more_than_ten_episodes_are_told_of(nights: Nights) -> None:
    nights.warm()
    for n in range(12):
        nights.episode(n + 1, f"e{n}", f"We decided to use tool{n} for the service number {n}")
    assert "2 further episodes in the queue; 10 a run are looked at" in nights.dream().notes


def test_what_agents_were_given_of_an_episode_decides_its_place(nights: Nights) -> None:
    """By the ledger: no page is written for having been read."""
    nights.warm()
    paths = [
        nights.episode(n + 1, f"e{n:02}", f"We decided to use tool{n} for service {n}") for n in range(12)
    ]
    oldest = "We decided to use tool11 for service 11"
    assert oldest not in nights.proposed()
    recall = {"entry": f"{paths[11]}#{'a' * 12}", "by": "inject"}
    nights.record(
        *({**recall, "at": f"{ago(n)}T12:00:00+00:00", "query": f"{n:016x}", "score": 1.0} for n in range(10))
    )
    assert oldest in nights.proposed()
