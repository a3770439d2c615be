"""Memory as it was, asked of the running service: made ready beside today's questions, told how far it is."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from indexing.search.index_search import missing_index, moment_named
from indexing.sync.run import reindex
from tests.support.workspaces import LOG, LOG_TEXT, Sandbox
from workbench.agent import search_task
from workbench.agent.search_service import SearchService
from workbench.agent.search_task import PastSearch, PastSearches, SearchTask
from workbench.errors import OperationNotFoundError
from workbench.workspace.snapshot import PastWorkspace, open_past

PATIENCE_SECONDS = 60.0


@pytest.fixture
def changed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A workspace whose log said something else in its first commit; no model."""
    settings = sandbox.root.parent / "settings.yaml"
    settings.write_text("model: none\n")
    monkeypatch.setenv("WORKBENCH_CONFIG", str(settings))
    sandbox.write(LOG, LOG_TEXT.replace("8443", "9443"))
    sandbox.commit("another port")
    reindex(sandbox.workspace, vectors=False)
    return sandbox


class Asked:
    """The service on a workspace; each question waits for the answer to the one before."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._lines: list[str] = []
        self._more = threading.Condition()
        self._ended = False
        self._out = io.StringIO()
        task = SearchTask(SearchService(sandbox.workspace), self._requests(), self._out)
        self._thread = threading.Thread(target=task.run, daemon=True)
        self._thread.start()

    def _requests(self) -> Iterator[str]:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._lines or self._ended)
                if not self._lines:
                    return
                line = self._lines.pop()
            yield line

    def ask(self, seq: int, **request: object) -> dict[str, object]:
        with self._more:
            self._lines.append(json.dumps({"seq": seq, **request}) + "\n")
            self._more.notify()
        return self.until(lambda said: said.get("seq") == seq and said.get("final") is not False)

    def until(self, fits: Callable[[dict[str, object]], object]) -> dict[str, object]:
        waited = threading.Event()
        for _ in range(int(PATIENCE_SECONDS / 0.02)):
            for line in self._out.getvalue().splitlines():
                said: dict[str, object] = json.loads(line)
                if fits(said):
                    return said
            waited.wait(0.02)
        raise AssertionError(self._out.getvalue())

    def close(self) -> None:
        with self._more:
            self._ended = True
            self._more.notify()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()


@pytest.fixture
def asked(changed: Sandbox) -> Iterator[Asked]:
    made = Asked(changed)
    yield made
    made.close()


def first_commit(sandbox: Sandbox) -> str:
    return sandbox.git("rev-list", "--max-parents=0", "HEAD").strip()


@pytest.mark.parametrize("how", ["as_of", "as-of:"])
def test_a_moment_is_made_ready_and_answers_with_what_was_there_then(
    changed: Sandbox, asked: Asked, how: str
) -> None:
    commit = first_commit(changed)
    question = {"query": "staging port", "as_of": commit}
    if how == "as-of:":
        question = {"query": f"staging port as-of:{commit[:12]}"}
    assert asked.ask(1, **question)["waits_for"] == commit
    asked.until(lambda said: said.get("event") == "moment" and said.get("phase") == "words")
    asked.until(lambda said: said.get("event") == "moment" and said.get("ready"))
    then = asked.ask(2, **question)
    first = asked.until(lambda said: said.get("seq") == 2)
    assert (first["final"], first["mode"], first["hits"]) == (True, "lexical", then["hits"])
    assert "8443" in then["hits"][0]["snippet"]  # type: ignore[index]
    moment = then["moment"]
    assert isinstance(moment, dict)
    assert "8443" in (Path(moment["root"]) / LOG).read_text()
    today = asked.ask(3, query="staging port")
    assert "9443" in today["hits"][0]["snippet"]  # type: ignore[index]
    assert today["moment"] is None


def test_questions_about_today_are_answered_while_a_moment_is_made_ready(
    changed: Sandbox, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    let = threading.Event()

    def slow(workspace: object, at: str) -> PastWorkspace:
        assert let.wait(PATIENCE_SECONDS)
        return open_past(workspace, at)  # type: ignore[arg-type]

    monkeypatch.setattr(search_task, "open_past", slow)
    commit = first_commit(changed)
    assert "waits_for" in asked.ask(1, query="port", as_of=commit)
    assert asked.ask(2, query="staging port")["hits"]
    assert "waits_for" in asked.ask(3, query="port", as_of=commit)
    let.set()
    asked.until(lambda said: said.get("event") == "moment" and said.get("ready"))
    assert asked.ask(4, query="port", as_of=commit)["hits"]


def test_a_moment_that_nobody_knows_is_an_error_with_a_hint(asked: Asked) -> None:
    error = asked.ask(1, query="port", as_of="nonsense")["error"]
    assert isinstance(error, dict)
    assert error["code"] == OperationNotFoundError.code
    assert "2026-03-14" in error["hint"]
    assert asked.ask(2, query="port")["hits"]


@pytest.mark.promise(
    "The search in the interface",
    "a snapshot of the past cannot be made, or is deleted",
    "the reason is shown; it is made again at the next request",
)
def test_what_goes_wrong_in_making_a_moment_ready_is_told(changed: Sandbox, asked: Asked) -> None:
    past = changed.root / ".workbench" / "past"
    past.symlink_to(changed.root.parent)
    asked.ask(1, query="port", as_of=first_commit(changed))
    told = asked.until(lambda said: said.get("event") == "moment" and said.get("problem"))
    assert "is a link" in str(told["problem"])
    past.unlink()
    asked.ask(2, query="port", as_of=first_commit(changed))
    asked.until(lambda said: said.get("event") == "moment" and said.get("ready"))


@pytest.mark.promise(
    "The search in the interface",
    "a snapshot of the past cannot be made, or is deleted",
)
def test_a_moment_that_was_swept_away_is_made_ready_again(changed: Sandbox) -> None:
    said: list[dict[str, object]] = []
    ready = threading.Event()

    def hear(event: dict[str, object]) -> None:
        said.append(event)
        if event.get("ready"):
            ready.set()

    past = PastSearches(SearchService(changed.workspace), hear)
    commit = first_commit(changed)
    assert past.at(commit) == commit
    assert ready.wait(PATIENCE_SECONDS)
    found = past.at(commit)
    assert isinstance(found, PastSearch)
    found.place.root.rename(found.place.root.with_name("gone"))
    ready.clear()
    assert past.at(commit) == commit
    assert ready.wait(PATIENCE_SECONDS)
    assert isinstance(past.at(commit), PastSearch)
    past.close()


def test_only_what_is_missing_of_a_moment_is_indexed(changed: Sandbox) -> None:
    place = open_past(changed.workspace, first_commit(changed))
    assert "indexing 3 files as they were" in (missing_index(place, vectors=False) or "")
    reindex(place, vectors=False)
    assert missing_index(place, vectors=False) is None
    place.close()


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-03-14", "2026-03-14"),
        ("2026-02", "2026-02-28"),
        ("yesterday", "2026-03-19"),
        ("1a2b3c4d5e6f", "1a2b3c4d5e6f"),
        ("nonsense", "nonsense"),
    ],
)
def test_days_in_words_are_moments_too(said: str, meant: str) -> None:
    assert moment_named(said, date(2026, 3, 20)) == meant
