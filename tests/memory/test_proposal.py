"""Proposals and claims: what the ledger keeps of them is what they were."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.claims import KEY_DIGITS, claim_key, claim_words
from workbench.memory.proposal import ACTIONS, Gate, Proposal, proposal_from_json

_numbers = st.integers(-100, 1000).map(lambda n: n / 16)
_texts = st.text(max_size=40)
proposals = st.builds(
    Proposal,
    key=st.text(min_size=1, max_size=20),
    action=st.sampled_from(ACTIONS),
    text=_texts,
    section=_texts,
    target=_texts,
    type=_texts,
    sources=st.lists(_texts, max_size=3).map(tuple),
    entries=st.lists(_texts, max_size=3).map(tuple),
    session=_texts,
    score=_numbers,
    parts=st.dictionaries(_texts, _numbers, max_size=4),
    gates=st.lists(st.builds(Gate, name=_texts, reached=_numbers, needed=_numbers), max_size=3).map(
        lambda gates: tuple({gate.name: gate for gate in gates}.values())
    ),
    trust=st.sampled_from(["owner", "agent", "external", "unknown"]),
    why=_texts,
    run=_texts,
    by=st.text(min_size=1, max_size=9),
    made_at=st.none() | st.just(datetime(2026, 3, 14, tzinfo=UTC)),
)


@given(proposals)
def test_what_is_written_is_read_back(proposal: Proposal) -> None:
    assert proposal_from_json(json.loads(json.dumps(proposal.as_json()))) == proposal


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"key": "", "action": "add", "text": "x"},
        {"key": "k", "action": "execute", "text": "x"},
        {"key": "k", "action": "add"},
        {"key": 7, "action": "add", "text": "x"},
        {"key": "k", "action": ["add"], "text": "x"},
        {"key": "k", "action": "add", "text": "x", "section": 4},
        {"key": "k", "action": "add", "text": "x", "sources": "not a list"},
        {"key": "k", "action": "add", "text": "x", "score": "high"},
        {"key": "k", "action": "add", "text": "x", "score": float("nan")},
        {"key": "k", "action": "add", "text": "x", "score": 10**400},
        {"key": "k", "action": "add", "text": "x", "parts": [1]},
        {"key": "k", "action": "add", "text": "x", "gates": {"a": 1}},
        {"key": "k", "action": "add", "text": "x", "gates": [{}]},
        {"key": "k", "action": "add", "text": "\ud800"},
    ],
)
def test_what_is_no_proposal_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        proposal_from_json(said)


@pytest.mark.parametrize("said", ["soon", "0001-01-01", 7, None])
def test_a_moment_that_no_zone_can_tell_says_nothing(said: object) -> None:
    found = proposal_from_json({"key": "k", "action": "add", "text": "x", "made_at": said})
    assert found == Proposal(key="k", action="add", text="x")


def test_a_gate_that_is_passed_is_no_distance_away() -> None:
    assert Gate(name="score", reached=0.8, needed=0.75).distance == 0
    assert Gate(name="score", reached=0.5, needed=0.75).distance == pytest.approx(0.25)


@pytest.mark.parametrize(
    "same",
    [
        "- Prefers **async** reviews.",
        "prefers async reviews",
        "  * [preference] Prefers async reviews! <!-- wb: id=m1 -->",
        "Prefers “async” reviews",
        "1. Prefers async\n   reviews",
        "- [ ] Prefers async reviews",
    ],
)
def test_the_same_claim_has_the_same_key(same: str) -> None:
    assert claim_key(same) == claim_key("Prefers async reviews")


@pytest.mark.parametrize(
    "other",
    [
        "Prefers no async reviews",
        "Prefers async review",
        "Prefers async reviews 2",
        "The port is 8443",
        "The port is 8444",
        "The port is -8443",
        "version 3.11",
        "version 31.1",
        "async reviews prefers",
    ],
)
def test_another_claim_has_another_key(other: str) -> None:
    others = {"Prefers async reviews", "The port is 8443", "version 3.11"} - {other}
    assert claim_key(other) not in {claim_key(one) for one in others}


@given(st.text(max_size=200))
def test_a_key_is_sixteen_digits_and_blind_to_space(text: str) -> None:
    key = claim_key(text)
    assert len(key) == KEY_DIGITS
    assert set(key) <= set("0123456789abcdef")
    assert claim_words(" ".join(text.split())) == claim_words(text)


@pytest.mark.parametrize("said", ["1" + "0" * 400, "NaN", "Infinity", "-1e999"])
@pytest.mark.parametrize("where", ["score", "parts", "gates"])
def test_numbers_that_cannot_be_written_are_refused(said: str, where: str) -> None:
    number = json.loads(said)
    odd = {"score": number, "parts": {"x": number}, "gates": {"g": {"reached": number, "needed": 1}}}
    with pytest.raises(ValueError):
        proposal_from_json({"key": "a", "action": "add", "text": "t", where: odd[where]})


@pytest.mark.parametrize(
    ("said", "hour"),
    [("2026-03-14T09:00:00", 9), ("2026-03-14T09:00:00+02:00", 7), ("0001-01-01T00:00+14:00", None)],
)
def test_moments_can_be_compared_whatever_zone_they_name(said: str, hour: int | None) -> None:
    moment = proposal_from_json({"key": "a", "action": "add", "text": "t", "made_at": said}).made_at
    assert (moment.hour if moment else None) == hour
    assert moment is None or moment.tzinfo is UTC
