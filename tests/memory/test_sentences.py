"""Sentences stand where they say, lose no word, and take time linear in whatever text they are cut from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.sentences import sentences

PIECES = st.sampled_from(
    [
        *" .!?…\n\t\"'()[]*_`-#>|:;,。！？「」",
        "\r\n",
        "\n\n",
        "e.g.",
        "3.11",
        "Dr.",
        "I",
        "word",
        "Ünder",
        "犬",
        "🎉",
        "- ",
        "1. ",
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=200)


def cut(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@given(TEXTS)
def test_each_sentence_is_a_quotation_in_order_and_disjoint(text: str) -> None:
    at = 0
    for sentence in sentences(text):
        assert at <= sentence.start < sentence.end <= len(text)
        assert sentence.text == text[sentence.start : sentence.end] == sentence.text.strip()
        at = sentence.end


@given(TEXTS)
def test_no_letter_is_lost(text: str) -> None:
    kept = "".join(cut(text))
    assert [c for c in text if c.isalpha()] == [c for c in kept if c.isalpha()]


@given(TEXTS)
def test_only_marks_and_white_space_lie_between_sentences(text: str) -> None:
    at = 0
    for sentence in sentences(text):
        assert not any(c.isalpha() for c in text[at : sentence.start])
        at = sentence.end
    assert not any(c.isalpha() for c in text[at:])


@pytest.mark.parametrize(
    "whole",
    [
        "We run Python 3.11.4 on v2.0 of the image.",
        "Dr. Okafor met Mrs. Lane and J. R. Smith at St. Anne's.",
        "Use a shell, e.g. zsh, i.e. not csh, on approx. ten machines.",
        "The docs are at https://example.org/a.b?c=d.e and in src/app.module.ts for now.",
        "It costs 3.50 euros or $1.2 million.",
        "She said “stop!” and left.",
        "We waited ... and then it rained.",
        "Am 3. Mai ziehen wir um.",
        "Acme Inc. bought it at 5 p.m. yesterday.",
    ],
)
def test_stops_inside_a_sentence_do_not_cut_it(whole: str) -> None:
    assert cut(whole) == [whole]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I moved. I like it! Do you?", ["I moved.", "I like it!", "Do you?"]),
        ("lower case too. second one", ["lower case too.", "second one"]),
        ("(He left.) Then we ate.", ["(He left.)", "Then we ate."]),
        ("Done 🎉 Next week we rest", ["Done 🎉", "Next week we rest"]),
        ("私は東京に住んでいます。犬がいます！", ["私は東京に住んでいます。", "犬がいます！"]),
        ("你好。我对花生过敏。", ["你好。", "我对花生过敏。"]),
        ("- one\n- [ ] two\n1. three\n> four", ["one", "two", "three", "four"]),
        ("hey\nI moved", ["hey", "I moved"]),
        ("# Notes\ntext", ["# Notes", "text"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


def test_a_wrapped_paragraph_is_one_sentence() -> None:
    text = "The contract with the cleaning company has a notice period\nof three months. We know."
    assert cut(text) == [
        "The contract with the cleaning company has a notice period\nof three months.",
        "We know.",
    ]


def test_a_list_item_never_runs_into_the_next() -> None:
    long = "a line of many words that nobody ended with a full stop at all"
    assert cut(f"- {long}\n- {long}") == [long, long]


@pytest.mark.parametrize("unit", [".", "[", ")", ".)", "🎉 ", "> ", "a.b ", '."', "*"])
def test_a_megabyte_of_signs_is_cut(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert sum(len(one) for one in cut(text)) <= len(text)


@pytest.mark.parametrize("unit", [". ", "I. ", "e.g. ", "。", "\n", "\n- \n", "- ", " ", "\u3000"])
def test_a_hundred_thousand_ends_are_cut(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert sum(len(one) for one in cut(text)) <= len(text)
