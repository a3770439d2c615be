"""What several texts say is said once, and nothing of it is lost."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.memory.text_merge import united


@pytest.mark.parametrize(
    ("texts", "whole"),
    [
        (["Likes tea", "Drinks it green"], "Likes tea. Drinks it green"),
        (["Likes tea.", "likes  TEA"], "Likes tea."),
        (["Likes tea. Hates noise.", "Hates noise! Loves boats."], "Likes tea. Hates noise. Loves boats."),
        (["Met Dr. Smith in Rome.", "Met Dr. Who."], "Met Dr. Smith in Rome. Met Dr. Who."),
        (["See No. 5.", "No. 5 is broken. No. 6 too."], "See No. 5. No. 5 is broken. No. 6 too."),
        (["紅茶が好き。", "紅茶が好き。朝に飲む。"], "紅茶が好き。朝に飲む。"),
        (["Ports\n- 80\n- 443", "Ports\n- 443\n- 8443"], "Ports\n- 80\n- 443\n- 8443"),
        (["Ports", "Hosts\n- a"], "Ports. Hosts\n- a"),
        (["one", "```\ncode\n\ncode\n```"], "one\n\n```\ncode\n\ncode\n```"),
        (["| a |\n|---|", "Said so.", "Said so"], "| a |\n|---|\n\nSaid so."),
        (["a", "b", "c"], "a. b. c"),
        (["two\nlines", "more"], "two\nlines. more"),
        (["Moved.", "At:  \nMain St. 5\\\n0123 Oslo"], "Moved. At:  \nMain St. 5\\\n0123 Oslo"),
        (
            ["Rules apply.", "Section 4. Rules apply. See Fig. 3."],
            "Rules apply. Section 4. Rules apply. See Fig. 3.",
        ),
        (["Done.", "See Fig. 3. Done. So"], "Done. See Fig. 3. Done. So"),
    ],
)
def test_the_others_add_what_the_first_does_not_say(texts: list[str], whole: str) -> None:
    assert united(texts[0], texts[1:]) == whole


WORDS = st.lists(
    st.sampled_from(["Likes tea.", "No. 5", "e.g. this", "- item", "  - deep", "```", "x", "\n", "好き。"]),
    min_size=1,
    max_size=6,
).map(lambda words: re.sub(r"\n+", "\n", "\n".join(words)).strip() or "x")


@given(WORDS, st.lists(WORDS, max_size=3))
@settings(max_examples=120, deadline=None)
def test_no_word_is_lost_and_the_first_text_leads(first: str, others: list[str]) -> None:
    whole = united(first, others)
    bag = Counter(re.findall(r"\w+", whole.casefold()))
    for text in (first, *others):
        assert not Counter(set(re.findall(r"\w+", text.casefold()))) - bag
    assert whole.startswith(first.partition("\n")[0])


def test_what_was_taken_up_once_is_not_taken_up_again() -> None:
    first, other = "Likes tea\n- green", "Likes boats, always. Hates noise\n- black"
    whole = united(first, [other])
    assert whole == "Likes tea. Likes boats, always. Hates noise\n- green\n- black"
    assert united(whole, [first, other, whole]) == whole


def test_a_question_is_not_what_it_asks_about() -> None:
    assert united("Sarah agreed?", ["Sarah agreed."]) == "Sarah agreed? Sarah agreed."
