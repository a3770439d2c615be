"""The part of an entry that is shown."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.lexical.terms import terms_of
from indexing.search.answer import SNIPPET_CHARACTERS
from indexing.search.build_answer import found_in, snippet

FILLER = "alpha beta gamma delta " * 40


def marked(text: str, asked: str, *, typing: bool = False) -> list[str]:
    """The stretches of ``text`` that were asked for; those that touch are one."""
    stretches: list[tuple[int, int]] = []
    for start, end, _ in found_in(text, terms_of(asked, prefix=typing)):
        if stretches and start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], end))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


def test_a_short_entry_is_shown_whole() -> None:
    assert snippet("the door code", terms_of("zzz")) == "the door code"


def test_it_shows_where_the_most_of_what_was_asked_for_stands() -> None:
    text = f"the broker was mentioned. {FILLER} the broker port of the harbor is 8443. {FILLER}"
    shown = snippet(text, terms_of("broker port harbor"))
    assert "the broker port of the harbor is 8443" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_no_word_is_cut() -> None:
    text = f"{FILLER} needle {FILLER}"
    words = set(text.split())
    shown = snippet(text, terms_of("needle"))
    assert set(shown.strip("…").split()) <= words
    assert len(shown) <= SNIPPET_CHARACTERS


@pytest.mark.parametrize("piece", ["e\u0301", "👩‍💻", "🇩🇪", "👍🏽", "क्षि", "กำ้"])
@pytest.mark.parametrize("shift", range(6))
def test_nothing_that_is_seen_as_one_character_is_cut(piece: str, shift: int) -> None:
    text = "x" * shift + piece * 800 + "needle" + piece * 800
    shown = snippet(text, terms_of("needle")).strip("…")
    assert not unicodedata.category(shown[0]).startswith("M")
    assert shown[0] not in "\u200d🏽💻"
    before, _, after = shown.partition("needle")
    assert before.removeprefix("x" * shift).replace(piece, "") == ""
    assert after.replace(piece, "") == ""


@given(st.text(max_size=2000), st.text(max_size=20))
def test_any_text_has_a_snippet_that_fits(text: str, asked: str) -> None:
    terms = terms_of(asked, prefix=True)
    shown = snippet(text, terms)
    assert len(shown) <= SNIPPET_CHARACTERS
    assert shown.strip("…").strip() in text
    ranges = found_in(text, terms)
    assert all(0 <= start < end <= len(text) for start, end, _ in ranges)
    assert all(one <= other for one, other in pairwise(ranges))


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("Meetings and a meeting", "meeting", ["Meetings", "meeting"]),
        ("the café, CAFÉ and cafe\u0301", "cafe", ["café", "CAFÉ", "cafe\u0301"]),
        ("使用Docker部署", "docker", ["Docker"]),
        ("登录模块", "登录", ["登录"]),
        ("抹茶を", "茶", ["茶"]),
        ("see ERR_TIMEOUT now", "err_timeout", ["ERR_TIMEOUT"]),
        ("नमस्ते दुनिया", "नमस्ते", ["नमस्ते"]),
        ("nothing here", "else", []),
    ],
)
def test_what_was_asked_for_is_marked(text: str, asked: str, expected: list[str]) -> None:
    assert marked(text, asked) == expected


def test_a_beginning_marks_the_whole_word() -> None:
    assert marked("the warehouse opens", "wareh", typing=True) == ["warehouse"]
