"""How the search is doing, in words: no two conditions read alike, and each says what helps."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from screens.actions.key_file import key_map
from screens.actions.keys import use
from screens.drawing.safe_text import words
from screens.jobs.running_jobs import JobStage
from screens.search.engine import KEYWORD_INDEX, IndexChanged
from screens.search.live_search import SearchState, condition, emptiness
from workbench.agent.search_update import FoundHit, SearchUpdate

HIT = FoundHit("memory/a.md#1", "memory/a.md", 3, "log", "2026-03-14", "words", 1.0)
BOTH = SearchUpdate("port", (HIT,), "hybrid")
WORDS = SearchUpdate("port", (HIT,), "keyword")
STALE = SearchUpdate("port", (HIT,), "hybrid", stale="2 files among the hits changed since indexing")
DEGRADED = SearchUpdate("port", (HIT,), "keyword", degraded="the model is missing: keyword search only")

INDEXING = IndexChanged(
    text=words("indexing 25 %"), searchable=False, stage=JobStage(KEYWORD_INDEX, done=1_200, total=4_800)
)
FINE = SearchState(found=BOTH)
CONDITIONS = {
    "fine": FINE,
    "stale": SearchState(found=STALE),
    "degraded": SearchState(found=DEGRADED, missing="the model is missing: keyword search only"),
    "failed": SearchState(found=BOTH, failure="the keyword index cannot be read"),
    "loading": SearchState(found=WORDS, missing="semantic search is starting", loading=True),
    "indexing": SearchState(found=BOTH, building=INDEXING),
    "waiting": SearchState(found=BOTH, turn=1),
    "preparing": SearchState(preparing=words("memory as of 2026-03-01: looking")),
}


@pytest.mark.promise(
    "The search in the interface",
    "hits that changed on disk, a part of the search missing, an index that cannot be read, nothing found",
    "four different answers, each with its mark, its text and the key that helps",
)
def test_no_two_conditions_read_alike_even_without_colour() -> None:
    corners = {name: condition(facts).corner.text for name, facts in CONDITIONS.items()}
    assert len(set(corners.values())) == len(CONDITIONS), corners
    marks = {name: text[0] for name, text in corners.items() if name not in ("fine", "preparing")}
    assert len(set(marks.values())) == len(marks), marks


def test_what_helps_is_told_in_the_keys_of_the_profile() -> None:
    def with_vim() -> str:
        vim, _ = key_map("vim")
        use(lambda: vim)
        return condition(CONDITIONS["stale"]).advice[0].text

    assert "f5 brings the index" in copy_context().run(with_vim).lower()
    assert "ctrl+r brings the index" in condition(CONDITIONS["stale"]).advice[0].text


@pytest.mark.promise(
    "The search in the interface",
    "hits that changed on disk, a part of the search missing, an index that cannot be read, nothing found",
)
@pytest.mark.parametrize("name", ["stale", "degraded", "failed"])
def test_what_asks_for_attention_says_what_helps(name: str) -> None:
    (advice,) = condition(CONDITIONS[name]).advice
    assert name in advice.text
    assert "ctrl+r" in advice.text


@pytest.mark.parametrize("name", ["fine", "loading", "indexing", "waiting"])
def test_what_goes_by_itself_asks_for_nothing(name: str) -> None:
    assert condition(CONDITIONS[name]).advice == ()


def test_hits_of_other_words_are_named_as_such_when_a_search_fails() -> None:
    (advice,) = condition(CONDITIONS["failed"]).advice
    assert "these are the hits of “port”" in advice.text


def test_stale_and_degraded_at_once_are_both_told() -> None:
    said = condition(SearchState(found=STALE, missing="semantic search stopped; starting it again")).advice
    assert ["stale" in said[0].text, "starting it again" in said[1].text] == [True, True]


def test_hints_of_the_command_line_are_given_as_keys() -> None:
    facts = SearchState(failure="there is no index yet", hint="run `workbench reindex`")
    assert emptiness(facts, narrowed=False).split("\n")[1] == "ctrl+r brings the index up to date"
    other = SearchState(
        found=WORDS, missing="the vectors are of another model: keyword search only; run `workbench reindex`"
    )
    assert condition(other).advice[0].text.endswith("another model; ctrl+r brings the index up to date")


def test_what_no_key_does_is_said_as_a_command() -> None:
    missing = "no embedding model was found: keyword search only; run `workbench model download`"
    (advice,) = condition(SearchState(found=WORDS, missing=missing)).advice
    assert "workbench model download" in advice.text


def test_an_empty_list_says_which_emptiness_it_is() -> None:
    nothing = SearchUpdate("port", (), "hybrid")
    said = {
        "empty": emptiness(SearchState(found=nothing), narrowed=False),
        "narrowed": emptiness(SearchState(found=nothing), narrowed=True),
        "by keyword": emptiness(
            SearchState(found=SearchUpdate("port", (), "keyword"), missing="gone"), narrowed=False
        ),
        "loading": emptiness(
            SearchState(found=SearchUpdate("port", (), "keyword"), missing="x", loading=True), narrowed=False
        ),
        "failed": emptiness(SearchState(failure="it cannot be read"), narrowed=False),
        "indexing": emptiness(
            SearchState(failure="there is no index yet", building=INDEXING),
            narrowed=False,
        ),
        "waiting": emptiness(SearchState(), narrowed=False),
        "preparing": emptiness(CONDITIONS["preparing"], narrowed=False),
    }
    assert len(set(said.values())) == len(said)
    assert "remove a filter" in said["narrowed"]
    assert "building the keyword index, 1,200 of 4,800 files" in said["indexing"]
    assert said["failed"].startswith("✗ the search failed")


def test_what_comes_from_a_file_is_shown_and_never_obeyed() -> None:
    facts = SearchState(found=SearchUpdate("a\x1b[2J", (HIT,), "keyword"), failure="bad \x1b]8;;x")
    (advice,) = condition(facts).advice
    assert "\x1b" not in advice.text
