"""Which words of a text are searched for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.document import entry_key, file_key, restored, storable
from indexing.lexical.terms import terms_of
from indexing.words import EXACT_CHARACTERS, beyond_english, bigrams, date_words, exact_tokens


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("see https://example.org/a_b?x=1.", "https://example.org/a_b?x=1"),
        ("see https://example.org/a_b?x=1.", "example.org/a_b?x=1"),
        ("see https://example.org/a_b?x=1.", "example.org"),
        ("set `WORKBENCH_CACHE=/tmp/x`", "workbench_cache"),
        ("ERR_CONNECTION_REFUSED: again", "err_connection_refused"),
        ("at commit a1b2c3d4", "a1b2c3d4"),
        ("mail sarah.chen@example.org,", "sarah.chen@example.org"),
        ("call getUserName()", "getusername"),
        ("release v1.2.3!", "v1.2.3"),
        ("C++ or C#.", "c++"),
        ("C++ or C#.", "c#"),
        ("see #1234", "#1234"),
        ("java -Xmx2g", "-xmx2g"),
        ("at 192.168.0.1:8080", "192.168.0.1"),
        ("in C:\\Users\\sam\\notes.txt", "notes.txt"),
        ("call 4915112345678", "4915112345678"),
        ("shipped🚀 it", "🚀"),
        ("flag 🇩🇪", "🇩🇪"),
    ],
)
def test_identifiers_urls_and_codes_are_exact_tokens(text: str, token: str) -> None:
    assert token in exact_tokens(text)


def test_plain_words_and_bare_numbers_are_not_exact_tokens() -> None:
    assert exact_tokens("The door code is 4411, said Sarah.") == []


@given(st.text())
def test_any_text_has_tokens_that_are_short_and_without_blanks(text: str) -> None:
    for token in exact_tokens(text):
        assert 0 < len(token) <= EXACT_CHARACTERS
        assert not any(character.isspace() for character in token)


def test_scripts_without_blanks_become_pairs() -> None:
    assert bigrams("ok 登录模块 x") == ["登录", "录模", "模块", "块"]
    assert bigrams("plain") == []
    assert bigrams("茶") == ["茶"]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("请把学习笔记保存到 Obsidian 里", 0.8, 0.95),
        ("Dockerでサーバーを再起動した", 0.8, 0.95),
        ("напомни про Kubernetes cluster завтра", 0.6, 0.6),
        ("we met 张伟 in the office and talked", 0.05, 0.15),
        ("3.14 …", 0.0, 0.0),
    ],
)
def test_a_long_latin_word_counts_no_more_than_a_word_of_another_script(
    text: str, least: float, most: float
) -> None:
    assert least <= beyond_english(text) <= most


def test_a_date_is_written_as_a_person_would_ask_for_it() -> None:
    assert date_words(date(2026, 3, 14)) == "14 March 2026"
    assert date_words(None) == ""


def test_function_words_count_only_where_there_is_nothing_else() -> None:
    assert terms_of("What is the door code?").stems == ("door", "code")
    assert terms_of("who is it").stems == ("who", "is", "it")


def test_operators_are_words() -> None:
    assert terms_of("NEAR AND (foo OR bar) -x foo:bar").stems[0] == "near"


@given(st.text(max_size=30))
def test_any_path_survives_the_index(text: str) -> None:
    path = text.replace("\0", "")
    raw = path.encode("utf-8", "replace") + b"\xff\xfe"
    name = raw.decode("utf-8", "surrogateescape")
    assert "\x1f" not in storable(name).encode("utf-8").decode()
    assert restored(storable(name)) == name


def test_keys_are_stable_and_fit_a_signed_integer() -> None:
    assert file_key("memory/a.md") == "eb3a2feaf0379840"  # as every index has it
    assert 0 <= entry_key("memory/a.md#0123456789ab") < 2**63
