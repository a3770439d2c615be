"""That the threshold means something: measured with the real model on the demo workspace."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from workbench.agent.context import inject
from workbench.agent.search_service import SearchService
from workbench.workspace.workspace import Workspace

ABOUT_MEMORY = (
    "what port does the lighthouse API use on staging?",
    "when does the pilot with Port Ellery start?",
    "can you write a reply to Aroha about the alert screens",
    "does Tessa take penicillin?",
    "remind me which dose Biscuit gets for his hip",
    "how should I write a commit message here",
    "who owns the sender in Foghorn",
    "please schedule a call with the harbour board tomorrow morning",
    "the gauge seven false alarm, what caused it?",
    "draft an e-mail to the harbour board about the contract",
    "which postgres version is on staging",
    "what did we decide about the drift threshold",
    "is it ok to deploy the firmware this friday afternoon",
    "Juno's birthday party planning",
    "help me learn some kanji today",
    "what is Jonas working on for Foghorn right now",
    "fix the flaky test in the broker reconnect code",
    "coffee order for 16:00",
)
ABOUT_SOMETHING_ELSE = (
    "what is the capital of Mongolia and how many people live there",
    "write a haiku about penguins wearing hats",
    "convert 350 fahrenheit to celsius please",
    "explain how quicksort works with an example in rust",
    "who won the 1998 football world cup final",
    "translate good evening to Portuguese and Swahili",
    "tell me about the history of the roman empire",
    "recommend a science fiction movie from the nineties",
    "what are the symptoms of altitude sickness",
    "generate lorem ipsum of three hundred words",
    "how do I unclog a kitchen sink drain",
    "solve the integral of x squared times sine x",
    "compare electric guitars under five hundred dollars",
    "why is the sky blue during daytime",
    "list all prime numbers below one hundred",
    "my dishwasher leaks water, suggestions?",
    "what year did Napoleon invade Russia",
)
THRESHOLD = 0.3


@pytest.fixture(scope="module")
def threshold(tmp_path_factory: pytest.TempPathFactory) -> SearchService:
    """The demo workspace, indexed with the model that is installed."""
    from workbench.workspace.demo_writer import write_demo

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_CONFIG", str(tmp_path_factory.mktemp("home") / "settings.yaml"))
        root = tmp_path_factory.mktemp("demo") / "agent"
        write_demo(root)
        place = Workspace.open(root)
        reindex(place)
        return SearchService(place)


def top(service: SearchService, message: str) -> float:
    return inject(service, message, now=datetime.now(UTC), memory_loaded=False).top_score


@pytest.mark.model
def test_messages_about_memory_reach_the_threshold_and_others_do_not(threshold: SearchService) -> None:
    assert threshold.workspace.settings.inject_threshold == THRESHOLD
    about = {message: top(threshold, message) for message in ABOUT_MEMORY}
    other = {message: top(threshold, message) for message in ABOUT_SOMETHING_ELSE}
    assert {message for message, score in about.items() if score < THRESHOLD} == set()
    assert {message for message, score in other.items() if score >= THRESHOLD} == set()
    mean = sum(about.values()) / len(about), sum(other.values()) / len(other)
    assert mean[0] > 2 * mean[1]


@pytest.mark.model
def test_the_score_of_the_search_could_not_tell_them_apart(threshold: SearchService) -> None:
    from indexing.search.answer import Query

    best = [
        max(hit.score for hit in threshold.index.search(Query(message, plain=True)).hits)
        for message in ABOUT_SOMETHING_ELSE
    ]
    assert max(best) > 1.4 * THRESHOLD


FOREIGN = {
    "我们的服务器在东京，系统是乌本图": ("服务器在哪里，系统是什么？", "罗马帝国的历史很长吗？"),
    "Сервер проекта стоит в Москве, система Дебиан": (
        "в каком городе стоит сервер проекта?",
        "почему небо днём голубое?",
    ),
    "サーバーは東京にあり、毎週金曜日に再起動する": (
        "サーバーはいつ再起動する？",
        "ローマ帝国の歴史を教えて",
    ),
    "Der Webserver steht in Hamburg und wird freitags neu gestartet": (
        "Wann wird der Webserver neu gestartet?",
        "Wie heißt die Hauptstadt der Mongolei?",
    ),
    "O servidor do projeto fica no Porto e reinicia na sexta": (
        "Onde fica o servidor do projeto?",
        "Quem ganhou a copa do mundo de futebol?",
    ),
}


@pytest.mark.model
def test_in_languages_that_the_model_does_not_read_words_decide(tmp_path: Path, person: Path) -> None:
    log = "".join(f"- {line}\n" for line in FOREIGN)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-15.md").write_text(f"# Notes\n\n{log}", "utf-8")
    place = Workspace.open(tmp_path)
    reindex(place)
    service = SearchService(place)
    now = datetime.now(UTC)
    for line, (known, unknown) in FOREIGN.items():
        assert [one.text for one in inject(service, known, now=now).lines] == [line]
        assert inject(service, unknown, now=now).lines == (), unknown
