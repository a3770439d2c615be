"""Tags are the content words of a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.topics import MOST_TAGS, concept_tags


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
