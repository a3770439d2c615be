"""Why a claim is proposed or is not, and where it was left out."""

from __future__ import annotations

import json
import math

import pytest

from tests.dreaming.nights import Nights, rule
from workbench.memory.claims import claim_key

FACT = "The staging port of the gateway is 8443"


def test_what_is_proposed_says_by_which_use(nights: Nights) -> None:
    nights.log(9, FACT)
    nights.recall(FACT, 8, 6, 4, 2, 1, 0)
    known = nights.explained(FACT)
    assert known.proposed
    assert known.verdict == "it is proposed (add)"
    assert str(known.facts["why"]).startswith("recalled 6 times by 6 questions on 6 days")
    assert known.score == pytest.approx(math.prod(known.parts.values()))
    assert (known.facts["recalls"], known.facts["recall_days"]) == (6, 6)
    assert json.loads(json.dumps(known.as_json()))["key"] == claim_key(FACT)


def test_what_is_not_says_how_far_its_words_are_from_the_floor(nights: Nights) -> None:
    nights.log(9, "ok, done")
    known = nights.explained("ok, done")
    assert not known.proposed
    assert known.verdict.startswith("it is not proposed: below the threshold in salience: ")
    (gate,) = (gate for gate in known.gates if gate.distance)
    assert gate.name == "salience"
    assert gate.distance == pytest.approx(gate.needed - known.parts["salience"])


@pytest.mark.parametrize("way", ["words", "part", "key", "prefix", "address"])
def test_a_claim_is_found_by_words_key_or_address(nights: Nights, way: str) -> None:
    path = nights.log(9, "Deploys happen on Tuesdays", FACT)
    address = nights.sandbox.address("staging port", path)
    key = claim_key(FACT)
    named = {
        "words": f"**{FACT}**.",
        "part": "port of the GATEWAY",
        "key": key,
        "prefix": key[:6],
        "address": address,
    }
    assert nights.explained(named[way]).key == key


def test_why_names_the_features_that_weigh_most(nights: Nights) -> None:
    nights.episode(0, "e1", FACT)
    assert "for it: " in str(nights.explained(FACT).facts["words"])


def test_what_was_left_out_early_says_where(nights: Nights) -> None:
    nights.sandbox.write("memory/2026-03-25.md", f"# Day\n\n```\n{FACT}\n```\n")
    assert nights.explained("staging port of the gateway").verdict == "it is not a candidate: no prose: code"


def test_what_passes_and_is_known_says_where_it_stands(nights: Nights) -> None:
    nights.memory(FACT)
    nights.log(9, FACT)
    nights.recall(FACT, 8, 6, 4, 2, 1, 0)
    verdict = nights.explained(FACT).verdict
    assert verdict.startswith("it qualifies but is left out: known: MEMORY.md#")


def test_what_is_beyond_the_limit_says_so(nights: Nights) -> None:
    nights.episode(0, "e1", *map(rule, range(12)))
    left = next(skip for skip in nights.dream().skipped if "(`dream_limit`)" in skip.why)
    assert "(`dream_limit`): score" in nights.explained(left.key).verdict


def test_words_that_stand_nowhere_are_said_to(nights: Nights) -> None:
    assert "no memory file contains it" in nights.explained("unheard of").verdict


@pytest.mark.parametrize("asked", ["`port` of “the gateway”", "**staging** port", "gateway, is 8443"])
def test_marks_around_words_do_not_matter(nights: Nights, asked: str) -> None:
    nights.log(400, 'The "staging" port of `the gateway` is **8443**')
    assert nights.explained(asked).key == claim_key(FACT)


def test_what_is_in_a_file_that_is_no_source_says_where_and_why(nights: Nights) -> None:
    nights.log(0, rule(0))
    nights.memory(rule(1))
    nights.sandbox.write("memory/gateway.md", f"# Gateway\n\n- {FACT}\n")
    note = nights.explained("staging port").verdict
    assert "it is in memory/gateway.md:3; notes are read only where there are no logs" in note
    assert "MEMORY.md:5; a file of the kind memory is no source" in nights.explained(rule(1)).verdict
    address = nights.sandbox.address("staging port", "memory/gateway.md")
    assert "memory/gateway.md:3" in nights.explained(address).verdict


def test_what_was_left_out_early_is_found_by_its_key_too(nights: Nights) -> None:
    nights.sandbox.write("memory/2026-03-25.md", f"# Day\n\n```\n{FACT}\n```\n")
    (skip,) = (one for one in nights.dream().skipped if one.why.startswith("no prose"))
    assert nights.explained(skip.key).verdict == "it is not a candidate: no prose: code"


def test_talk_that_its_episode_chose_needs_less_than_a_note(nights: Nights) -> None:
    nights.episode(0, "e1", "Sarah prefers async reviews over meetings")
    nights.log(0, FACT)
    said = (nights.explained(words) for words in ("Sarah prefers async", FACT))
    talk, note = (next(gate.needed for gate in one.gates if gate.name == "salience") for one in said)
    assert talk < note
