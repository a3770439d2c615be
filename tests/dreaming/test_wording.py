"""Words of a model: believed only where they lose and invent nothing and point at sources that exist."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.dreaming.nights import Nights
from workbench.llm.language_model import LanguageModelError, Message, Schema

ONE = "We decided to use tantivy 0.25 for the search of project Atlas because it needs no server at all"
OTHER = (
    "We decided to use tantivy 0.25 for the search of project Atlas because it needs no server at all, indeed"
)
MERGED = "Project Atlas decided to use tantivy 0.25 for search because it needs no server at all"


class Scripted:
    """A model that answers as it is told, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[Sequence[Message]] = []

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, timeout: float, schema: Schema | None = None
    ) -> str:
        """See ``LanguageModel``."""
        self.asked.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)


def claims(text: str, *sources: str, name: str = "c1") -> dict[str, Any]:
    return {"claims": [{"name": name, "text": text, "sources": list(sources or ("c1.1", "c1.2"))}]}


@pytest.fixture
def twice(nights: Nights) -> Nights:
    """A claim in two wordings, by two episodes."""
    nights.episode(1, "e1", ONE)
    nights.episode(0, "e2", OTHER)
    return nights


def test_without_a_model_the_words_are_those_of_a_source(twice: Nights) -> None:
    (proposal,) = twice.dream().proposals
    assert proposal.text in (ONE, OTHER)
    assert len(proposal.sources) == 2


def test_a_model_may_word_what_is_said_in_two_ways(twice: Nights) -> None:
    model = Scripted(claims(MERGED))
    result = twice.dream(model=model)
    (proposal,) = result.proposals
    assert proposal.text == MERGED
    assert proposal.trust == "agent"
    assert "worded by scripted, from episodes/" in proposal.why
    assert "1 of 1 proposals are in the words of scripted" in result.notes
    shown = model.asked[0][1].text
    assert ONE in shown
    assert OTHER in shown


def test_memory_is_tidied_while_a_model_is_waited_for(twice: Nights) -> None:
    class Watching(Scripted):
        def complete(self, *arguments: Any, **options: Any) -> str:
            tidied.append(gc.isenabled())
            return super().complete(*arguments, **options)

    tidied: list[bool] = []
    twice.dream(model=Watching(claims(MERGED)))
    assert tidied == [True]


def test_its_key_stays_that_of_the_claim(twice: Nights) -> None:
    """Or else every new wording of what was rejected would be another claim."""
    (plain,) = twice.dream().proposals
    (worded,) = twice.dream(model=Scripted(claims(MERGED))).proposals
    assert worded.key == plain.key


def test_the_least_trusted_source_of_the_words_counts(nights: Nights) -> None:
    nights.episode(1, "e1", ONE)
    nights.log(4, f"{OTHER} <!-- wb: trust=external -->")
    (proposal,) = nights.dream(model=Scripted(claims(MERGED))).proposals
    assert proposal.trust == "external"
    assert sorted(source.partition("/")[0] for source in proposal.sources) == ["episodes", "memory"]
    (only,) = nights.dream(model=Scripted(claims(MERGED, "c1.1"))).proposals
    assert (only.trust, len(only.sources)) == ("agent", 1)


@pytest.mark.promise("From sessions to long-term memory", "a language model invents, inverts or drops")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (claims(MERGED.replace("0.25", "0.26")), "drops 0.25"),
        (claims(MERGED.replace("Atlas", "it")), "drops Atlas"),
        (claims(MERGED.replace("no server at all", "a server")), "drops or adds a negation"),
        (claims(f"{MERGED} and Sarah Chen agreed"), "invents Sarah"),
        (claims(MERGED, "c1.1", "c9.9"), "cites c9.9"),
        (claims(f"{MERGED} " * 10), "too long"),
        (claims(f"{MERGED}\u202e"), "hidden characters"),
        (claims("Is tantivy 0.25 of project Atlas without a server?"), "not a fact"),
        (claims(MERGED, name="c7"), "omitted it"),
        ({"claims": []}, "omitted it"),
    ],
)
def test_an_answer_that_loses_or_invents_is_not_believed(twice: Nights, answer: object, why: str) -> None:
    result = twice.dream(model=Scripted(answer))
    (proposal,) = result.proposals
    assert proposal.text in (ONE, OTHER)
    assert any("keeps its original text" in note and why in note for note in result.notes)


@pytest.mark.promise(
    "From sessions to long-term memory",
    "a language model times out, answers nothing, too much, no JSON or another format, is cut off, "
    "redirects, or answers byte by byte",
)
@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no json",
        '{"claims": "none"}',
        '{"claims": [{"name": "c1"}]}',
        LanguageModelError("the model did not answer within 30 s"),
    ],
)
def test_a_model_that_fails_costs_nothing_but_its_words(twice: Nights, answer: object) -> None:
    result = twice.dream(model=Scripted(answer))
    (proposal,) = result.proposals
    assert proposal.text in (ONE, OTHER)
    assert any(note.startswith("without the model, in the words of the sources: ") for note in result.notes)


def test_what_is_said_in_one_way_is_not_sent_to_a_model(nights: Nights) -> None:
    nights.episode(1, "e1", ONE)
    model = Scripted()
    assert len(nights.dream(model=model).proposals) == 1
    assert model.asked == []


def test_a_merge_keeps_what_the_entry_says(nights: Nights) -> None:
    nights.memory("Sarah prefers async reviews")
    nights.episode(0, "e1", "Sarah prefers async reviews over meetings on Tuesdays")
    both = "Sarah prefers async reviews over meetings on Tuesdays, always"
    (good,) = nights.dream(model=Scripted(claims(both))).proposals
    assert (good.action, good.text) == ("merge", both)
    (bad,) = nights.dream(model=Scripted(claims("He prefers async reviews over meetings"))).proposals
    assert bad.text == "Sarah prefers async reviews over meetings on Tuesdays"
