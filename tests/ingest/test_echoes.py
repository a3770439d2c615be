"""What an agent says back is left out, what it adds or denies is not."""

from __future__ import annotations

import pytest

from tests.support.talk import talk
from workbench.ingest.llm_session import choose
from workbench.ingest.statements import ECHOED, hear, is_borne_out
from workbench.ingest.summary import summarise

RENT = "The rent of the second workshop is 640 euros a month, from 1 January 2027."


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        (RENT, "Noted: the rent of the second workshop is 640 euros a month."),
        ("Der Lieferant fürs Ahornholz ist jetzt Pahler in Garmisch.", "Lieferant für Ahorn ist Pahler."),
        ("La humedad debe quedarse entre 45 y 55 por ciento.", "Entendido: humedad entre 45 y 55."),
        ("We never sand walnut in here.", "Understood: never sand walnut in here."),
    ],
)
def test_an_answer_that_says_the_same_is_an_echo(told: str, answer: str) -> None:
    assert is_borne_out(answer, told, share=ECHOED)


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("The viola must be ready by the 5th.", "The viola must be ready by 5 December 2026."),
        ("The staging port is 8443.", "The staging port is not 8443."),
        ("The staging port is 8443.", "The staging port is 8443 behind the gateway of Hetzner."),
        ("The build fails on main.", "The build fails because the cache key has no lock file in it."),
        ("We use Kafka.", ""),
    ],
)
def test_an_answer_that_adds_or_denies_something_is_none(told: str, answer: str) -> None:
    assert not is_borne_out(answer, told, share=ECHOED)


def test_an_episode_and_a_flush_keep_the_persons_own_words() -> None:
    lease = "The lease is kept in the folder contracts and ends in 2031."
    session = talk(RENT, f"agent: OK, {RENT[0].lower()}{RENT[1:]}", f"agent: {lease}")
    kept = ["The rent of the second workshop is 640 euros a month, from 1 January 2027.", lease]
    assert [line.text for line in summarise(session).page.facts] == kept
    assert [fact.text for fact in choose(hear(session), None)[0]] == kept


def test_what_was_only_asked_is_answered_and_not_echoed() -> None:
    session = talk(
        "Does the staging broker run on port 4222?", "agent: The staging broker runs on port 4222."
    )
    assert [line.text for line in summarise(session).page.facts] == ["The staging broker runs on port 4222."]


def test_what_the_person_said_counts_until_they_speak_again() -> None:
    session = talk(RENT, "agent: Noted.", "The lamp is broken since Monday.", f"agent: {RENT}")
    assert [fact.text for fact in choose(hear(session), None)[0]].count(RENT) == 2


def test_the_page_tells_whose_words_a_line_has() -> None:
    session = talk("The gate code of the depot changes in May.", "agent: The depot opens at 7 on weekdays.")
    assert [(line.text[:9], line.by_agent) for line in summarise(session).page.facts] == [
        ("The gate ", False),
        ("The depot", True),
    ]
