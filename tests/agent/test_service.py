"""The process that searches also answers what an agent would be given, and records nothing of it."""

from __future__ import annotations

import io
import json
import time
from dataclasses import asdict
from pathlib import Path

import msgspec
import pytest

from indexing.embedding.choice import ModelChoice
from indexing.search.answer import Query
from tests.agent.conftest import TODAY, Given
from tests.support.hashing import HashingEmbedder
from workbench.agent.context import injection_from_json
from workbench.agent.search_service import SearchService
from workbench.agent.search_task import InjectRequest, SearchTask
from workbench.workspace.registry import register

ASK = "what is the staging port of the gateway?"


def serve(
    given: Given, *requests: dict[str, object], model: ModelChoice | None = None
) -> list[dict[str, object]]:
    """What the service says, the event of being ready left out."""
    out = io.StringIO()
    service = SearchService(given.workspace, model=model or given.model.choice)
    lines = [json.dumps(request) + "\n" for request in requests]
    SearchTask(service, lines, out).run()
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    return [message for message in said if "event" not in message]


@pytest.fixture
def filled(given: Given) -> Given:
    given.write("memory/2026-03-15.md", "The staging port of the gateway is 8443", "Gerald the starter rose")
    given.index()
    return given


def asking(message: str) -> dict[str, object]:
    """The line of JSON that asks what is given with a message, as the interface sends it."""
    asked: dict[str, object] = msgspec.to_builtins(InjectRequest(message, TODAY))
    assert json.loads(json.dumps(asked)) == asked
    return asked


def test_the_answer_is_what_inject_gives(filled: Given) -> None:
    request = {"seq": "a", **asking(ASK)}
    (said,) = serve(filled, request)
    assert said["seq"] == "a"
    found = injection_from_json(said["injection"])  # type: ignore[arg-type]
    own = filled.inject(ASK)
    assert found.text == own.text
    assert (found.tokens, found.match_count) == (own.tokens, own.match_count)
    assert [one.entry for one in found.below] == [one.entry for one in own.below]
    assert filled.records("recalls") == []


def test_searches_are_answered_by_the_same_process(filled: Given) -> None:
    (answer,) = serve(filled, {"seq": 7, "query": "gateway"})
    assert answer["seq"] == 7
    assert answer["hits"]


@pytest.mark.parametrize(
    "request_", [{"ask": "inject"}, {"ask": "inject", "message": "x y z", "today": "soon"}]
)
def test_a_request_that_says_too_little_is_answered_with_an_error(
    filled: Given, request_: dict[str, object]
) -> None:
    (said,) = serve(filled, {"seq": 1, **request_})
    assert said["error"]["code"] == "usage"  # type: ignore[index]


def test_what_is_null_is_not_said(filled: Given) -> None:
    asked = {"seq": 1, "ask": "inject", "message": ASK}
    assert serve(filled, {**asked, "today": None, "memory_loaded": None}) == serve(filled, asked)


def test_what_stays_below_the_threshold_is_named_with_its_score(filled: Given) -> None:
    found = filled.inject("does the starter of Gerald like the gateway?")
    assert all(one.score < 0.3 for one in found.below)
    assert all("is below the threshold of 0.30" in one.why for one in found.below)
    assert found.as_json()["below"] == tuple(asdict(one) for one in found.below)


def test_a_members_search_has_the_leaders_hits_after_its_own(given: Given, leader: Given) -> None:
    given.write("memory/2026-03-15.md", "The staging port is 8443")
    leader.write("memory/2026-03-15.md", "The broker port is 1883")
    given.index()
    leader.index()
    (answer,) = serve(given, {"seq": 7, "query": "port", "mode": "hybrid"})
    hits = answer["hits"]
    assert isinstance(hits, list)
    assert [hit["workspace"] for hit in hits] == ["", "leader"]
    assert answer["mode"] == "hybrid"
    assert leader.records("recalls") == given.records("recalls") == []


@pytest.mark.parametrize(
    "asked",
    [asking(ASK), {"query": "port"},
     {"reach": "everywhere", "query": "port"}],
    ids=["inject", "team", "everywhere"],
)  # fmt: skip
def test_whoever_asks_before_the_model_is_loaded_shares_it(
    given: Given, leader: Given, asked: dict[str, object]
) -> None:
    for one in (given, leader):
        one.write("memory/2026-03-15.md", "The staging port of the gateway is 8443")
        one.index()
    register(leader.root, name="chief")
    opened: list[HashingEmbedder] = []

    def slowly() -> HashingEmbedder:
        time.sleep(0.3)  # the question comes in this time
        opened.append(given.model)
        return given.model

    (said,) = serve(given, {"seq": 7, **asked}, model=ModelChoice(given.model.identity, slowly))
    assert "error" not in said
    assert said.get("mode") in (None, "hybrid")
    assert len(opened) == 1


def test_all_registered_workspaces_are_searched_with_the_shown_one(filled: Given, tmp_path: Path) -> None:
    other = Given(tmp_path / "other")
    other.write("memory/2026-03-15.md", "The staging port of the broker is 8444")
    other.index()
    register(other.root)
    request: dict[str, object] = {"seq": 7, "reach": "everywhere", "query": "staging port", "mode": "hybrid"}
    (answer,) = serve(filled, request)
    hits = answer["hits"]
    assert isinstance(hits, list)
    assert {hit["workspace"] for hit in hits} == {"own", "other"}
    assert [answer["mode"], answer["degraded"], answer["notes"]] == ["hybrid", None, []]
    other.sandbox.close()


def test_a_stream_has_keyword_hits_first_and_the_answer_last(filled: Given) -> None:
    first, last = (found.update() for found in filled.service().stream(Query("staging port")))
    assert (first.mode, first.final) == ("lexical", False)
    assert (last.mode, last.final) == ("hybrid", True)
    assert first.hits[0].entry == last.hits[0].entry


@pytest.mark.parametrize(("vectors", "mode"), [(False, "hybrid"), (True, "lexical"), (True, "vector")])
def test_where_nothing_better_follows_a_stream_has_one_answer(
    filled: Given, vectors: bool, mode: str
) -> None:
    service = SearchService(filled.workspace, vectors=vectors, model=filled.model.choice)
    (only,) = service.stream(Query("staging port", mode=mode))  # type: ignore[arg-type]
    assert only.final
    assert only.hits


def test_the_best_hit_is_relevant_before_it_has_a_vector(filled: Given) -> None:
    filled.write("memory/2026-03-19.md", "The harbour gate opens with the code 7741")
    filled.index(vectors=False)
    answer = filled.service().search(Query("code of the harbour gate"))
    assert answer.hits[0].hit.snippet == "The harbour gate opens with the code 7741"
    assert answer.relevant().hits[0] == answer.hits[0]


def test_where_no_hit_is_relevant_nothing_is_said_of_hits_that_are_shown(filled: Given) -> None:
    answer = filled.service().search(Query("zebra quagga okapi"))
    assert any("closest by meaning" in note for note in answer.told.notes)
    (note,) = answer.relevant().told.notes
    assert note.startswith("no relevant entry was found; ")
