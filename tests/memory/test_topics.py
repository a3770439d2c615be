"""Topics are the capitalised phrases of a text; tags its content words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.topics import MOST_TAGS, concept_tags, topics

TALK = (
    "We met Ada Lovelace in New York. Then Ada Lovelace flew home. The Project Atlas is late, and Project "
    "Atlas needs Maria's help. Yesterday I slept."
)


def test_the_most_frequent_phrase_comes_first_and_then_the_order_of_the_text() -> None:
    assert topics(TALK) == ("Ada Lovelace", "Project Atlas", "New York", "Maria")


def test_common_words_are_no_topics_because_they_begin_a_sentence() -> None:
    assert topics("The dog sleeps. However, it snores. When I call, nothing happens.") == ()


def test_a_word_that_begins_a_sentence_is_no_topic_where_the_text_has_it_small_too() -> None:
    assert topics("Painting is fun. I like bread. Bread is good.") == ()
    assert topics("Maria moved to Oslo.") == ("Maria", "Oslo")


def test_names_with_small_words_and_signs_stay_whole() -> None:
    assert topics("I read the Bank of England report and met Jean-Luc O'Neill.") == (
        "Bank of England",
        "Jean-Luc O'Neill",
    )


def test_no_more_topics_than_asked_for() -> None:
    assert topics(TALK, most=2) == ("Ada Lovelace", "Project Atlas")
    assert topics(TALK, most=0) == ()


def test_tags_are_content_words_with_names_and_identifiers_first() -> None:
    assert concept_tags("The staging database of Atlas runs on port_2 now") == (
        "atlas",
        "port_2",
        "staging",
        "database",
        "runs",
    )


def test_text_without_content_has_no_tags() -> None:
    assert concept_tags("it is what it is, and so on") == ()


@given(st.text(max_size=300))
def test_tags_are_few_distinct_and_in_lower_case(text: str) -> None:
    tags = concept_tags(text)
    assert len(tags) == len(set(tags)) <= MOST_TAGS
    assert all(tag == tag.casefold() for tag in tags)


@given(st.text(max_size=300))
def test_topics_are_quotations(text: str) -> None:
    assert all(topic in text for topic in topics(text))
