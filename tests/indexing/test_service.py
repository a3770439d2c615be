"""Search and reindex as processes of their own, spoken to in JSON lines."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.search.answer import Query
from indexing.search.index_search import LOADING, IndexSearch
from tests.indexing.conftest import Memory
from tests.support.hashing import unavailable
from workbench.agent.federated_search import FederatedAnswer
from workbench.agent.search_service import SearchService
from workbench.agent.search_task import SearchTask
from workbench.agent.search_update import Reach

ROOT = Path(__file__).parents[2]


def service_of(memory: Memory) -> SearchService:
    return SearchService(memory.workspace, model=memory.model.choice)


def serve(memory: Memory, *requests: object) -> list[dict[str, object]]:
    """What the service says to these requests, the event of being ready left out."""
    out = io.StringIO()
    SearchTask(service_of(memory), [json.dumps(request) + "\n" for request in requests], out).run()
    said = [json.loads(line) for line in out.getvalue().splitlines()]
    return [message for message in said if "event" not in message]


def test_a_request_is_answered_with_its_number(filled: Memory) -> None:
    (answer,) = serve(filled, {"seq": 7, "query": "door code", "k": 2})
    assert answer["seq"] == 7
    assert answer["hits"][0]["path"] == "MEMORY.md"  # type: ignore[index]


class Gate(SearchService):
    """A search whose first answer waits until it is let go."""

    entered = threading.Event()
    opened = threading.Event()

    def search(self, query: Query, reach: Reach = "team") -> FederatedAnswer:
        self.entered.set()
        assert self.opened.wait(60)
        return super().search(query, reach)


def test_only_the_newest_waiting_request_is_answered(filled: Memory) -> None:
    search = Gate(filled.workspace, model=filled.model.choice)

    def requests() -> Iterator[str]:
        yield '{"seq": 1, "query": "door"}\n'
        assert search.entered.wait(60)
        for number in (2, 3, 4):
            yield json.dumps({"seq": number, "query": "door"}) + "\n"
        search.opened.set()

    out = io.StringIO()
    SearchTask(search, requests(), out).run()
    said = [json.loads(line) for line in out.getvalue().splitlines() if "event" not in line]
    assert [m["seq"] for m in said if m.get("dropped")] == [2, 3]
    assert [m["seq"] for m in said if "hits" in m] == [1, 4]


def test_nonsense_is_answered_with_an_error_and_the_service_goes_on(filled: Memory) -> None:
    out = io.StringIO()
    lines = ["not json\n", "[1]\n", "\n", '{"seq": 5}\n']
    SearchTask(service_of(filled), lines, out).run()
    said = [json.loads(line) for line in out.getvalue().splitlines() if "event" not in line]
    assert [message["error"]["code"] for message in said] == ["usage", "usage", "usage"]
    assert said[-1]["seq"] == 5


@pytest.mark.promise(
    "The search in the interface",
    "any input to the search process",
    "it is answered, and so is the next query",
)
def test_whatever_a_line_holds_the_service_goes_on(filled: Memory) -> None:
    lines = [
        "{" * 100_000 + "\n",
        '{"seq": [1], "query": "door"}\n',
        '{"seq": 2, "query": "door", "k": 1e999}\n',
        '{"seq": 3, "query": "door", "filters": {"kind": 5, "since": []}}\n',
        '{"seq": 4, "query": "door", "weights": {"recency": "much"}}\n',
        '{"seq": 5, "query": "door \\ud800", "as_of": {"a": 1}}\n',
        '{"seq": 6, "query": "door", "user": 7, "mode": []}\n',
    ]

    def one_by_one() -> Iterator[str]:
        for number, line in enumerate(lines, 1):
            yield line
            while out.getvalue().count("seq") < number:
                threading.Event().wait(0.01)

    out = io.StringIO()
    SearchTask(service_of(filled), one_by_one(), out).run()
    said = [json.loads(line) for line in out.getvalue().splitlines() if "event" not in line]
    assert [message["seq"] for message in said] == [None, [1], 2, 3, 4, 5, 6]
    assert all("error" in message for message in said[2:])


def test_a_request_may_weigh_otherwise_and_ask_why(filled: Memory) -> None:
    (plain,) = serve(filled, {"seq": 1, "query": "door code sarah", "k": 3})
    (weighed,) = serve(
        filled, {"seq": 1, "query": "door code sarah", "k": 3, "explain": True, "weights": {"memory": 0.0}}
    )
    assert plain["hits"][0]["parts"] == []  # type: ignore[index]
    assert plain["hits"][0]["kind"] == "memory"  # type: ignore[index]
    assert weighed["hits"][0]["kind"] != "memory"  # type: ignore[index]
    assert weighed["hits"][0]["parts"][0]["name"] == "keyword"  # type: ignore[index]


def test_words_answer_until_the_model_is_loaded(filled: Memory) -> None:
    search = IndexSearch(filled.workspace, model=filled.model.choice, load_on_demand=False)
    assert search.search(Query("door")).degraded == LOADING
    assert search.load() is None
    assert search.search(Query("door")).degraded is None


def test_being_ready_says_whether_vectors_take_part(filled: Memory) -> None:
    for search, expected in (
        (service_of(filled), True),
        (SearchService(filled.workspace, model=unavailable()), "the model is broken: keyword search only"),
    ):
        out = io.StringIO()
        SearchTask(search, [], out)._load()
        assert json.loads(out.getvalue()) == {"event": "ready", "vectors": expected}


def test_no_index_is_an_answer_too(memory: Memory) -> None:
    (answer,) = serve(memory, {"seq": 1, "query": "x"})
    assert answer["error"]["code"] == "index-unavailable"  # type: ignore[index]


@pytest.mark.model
@pytest.mark.usefixtures("real_model")
def test_the_processes_work_together_with_the_real_model(memory: Memory) -> None:
    memory.write("MEMORY.md", "The feline slept on the rug", "Stocks fell sharply on Monday")
    command = [sys.executable, "-m", "workbench.worker", "reindex", str(memory.root)]
    done = subprocess.run(command, cwd=ROOT, input="{}\n", capture_output=True, text=True, check=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    phases = [event["phase"] for event in events[:-1]]
    assert list(dict.fromkeys(phases)) == [one for one, _ in itertools.groupby(phases)]
    assert set(phases) - {"prepare"} == {"scan", "words", "embed"}
    assert events[-1]["event"] == "done"
    assert events[-1]["report"]["embedded"] == 2
    service = subprocess.Popen(
        [sys.executable, "-m", "workbench.worker", "search", str(memory.root)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert service.stdin
    assert service.stdout
    service.stdin.write("{}\n")
    service.stdin.flush()
    assert json.loads(service.stdout.readline()) == {"event": "ready", "vectors": True}
    service.stdin.write('{"seq": 1, "query": "a cat on a carpet", "mode": "hybrid"}\n')
    service.stdin.flush()
    answer = json.loads(service.stdout.readline())
    assert answer["seq"] == 1
    assert (answer["stale"], answer["degraded"]) == (None, None)
    assert any("closest by meaning" in note for note in answer["notes"])
    assert "feline" in answer["hits"][0]["snippet"]
    service.stdin.close()
    assert service.wait(60) == 0
