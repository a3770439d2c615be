"""Nothing that a terminal would obey, and nothing invisible, gets through."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.safety.terminal import cut, hidden, in_place, visible, visible_line

INVISIBLE = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")


def test_every_control_and_format_character_of_unicode_is_shown() -> None:
    loose = [
        f"U+{code:04X}"
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in INVISIBLE
        and chr(code) not in "\n\t"
        and chr(code) in visible(f"a{chr(code)}b")
    ]
    assert loose == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\u202eb", "a<U+202E>b"),
        ("a\u200bb", "a<U+200B>b"),
        ("\U000e0041", "<U+E0041>"),
        ("caf\udcff", "caf<FF>"),
        ("[/ [@click=app.quit] [[x]]", "[/ [@click=app.quit] [[x]]"),
        ("👩‍💻 ❤️ 日本語 می‌خواهم", "👩‍💻 ❤️ 日本語 می‌خواهم"),
    ],
)
def test_text_shows_as_itself_and_tricks_show_as_what_they_are(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_row_has_no_line_ends() -> None:
    assert visible_line("a\r\nb\nc\td") == "a b c d"
    assert visible("a\nb\tc") == "a\nb\tc"


def test_hidden_names_each_invisible_character_once() -> None:
    assert hidden("a\u200bb\u200bc\u202e👩‍💻") == ("U+200B", "U+202E")


@given(st.text())
def test_it_never_changes_what_it_has_shown(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text(max_size=60), st.integers(min_value=1, max_value=60))
def test_a_line_that_is_cut_fits_and_holds_no_half_of_a_picture(text: str, characters: int) -> None:
    line = visible_line(text)
    short = cut(line, characters)
    assert len(short) <= characters
    assert short == line or (short.endswith("…") and line.startswith(short[:-1]))


@pytest.mark.parametrize("characters", range(4, 13))
def test_a_picture_is_shown_whole_or_not_at_all(characters: int) -> None:
    short = cut(visible("abc\u200bdef ghi"), characters)
    assert short == "abc…" if characters < 12 else short.startswith("abc<U+200B>")


def test_in_place_every_character_stays_where_it_was() -> None:
    text = "a\x1b[2Jb\u202ec\td\ne\u200bf\x9b👨\u200d👩"
    shown = in_place(text)
    assert len(shown) == len(text)
    assert shown == "a␛[2Jb�c d e�f�👨\u200d👩"
