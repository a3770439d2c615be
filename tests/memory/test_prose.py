"""What programs write is known by its form; a sentence about a program is still a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ingest.statements import bare, is_foreign, is_question, unfinished
from workbench.safety.machine_output import machine_made


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("git rebase -i HEAD~3", "a shell command"),
        ("$ docker compose up", "a shell command"),
        ("PORT=3000 npm start", "a shell command"),
        ("TypeError: x is undefined", "program output"),
        ("2026-03-14 10:22:07 ERROR worker.py:12 lost the connection", "program output"),
        ("@@ -1,4 +1,6 @@ def load():", "program output"),
        ("    return cache[key]", "code"),
        ("const answer = 42;", "code"),
        ("SELECT name FROM users", "code"),
        ("Session ID: 4f2a", "metadata"),
        ("HEARTBEAT_OK", "metadata"),
        ("## Decisions", "a heading"),
        ("| name | age |", "a table"),
        ("https://example.org/a", "only an address"),
        ("/var/log/syslog", "only a path"),
        ("----------", "no words"),
        ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0", "encoded data"),
    ],
)
def test_what_programs_write_is_named(line: str, reason: str) -> None:
    assert machine_made(line) == reason


@pytest.mark.parametrize(
    "line",
    [
        "Git is the only thing we deploy from.",
        "Go to the office on Elm Street for the keys.",
        "The error was caused by a missing index on the orders table.",
        "- **DB:** Postgres 16 on port 5433",
        "import duties rose to 12 percent in May.",
        "We return every unsold copy at the end of the year.",
        "Find me in the garden after lunch on Sundays.",
        "Date night is always on Thursday.",
    ],
)
def test_sentences_about_programs_are_sentences(line: str) -> None:
    assert machine_made(line) is None


@pytest.mark.parametrize(
    "line", ["Wo wohnst du?", "what time is it", "Do you like it", "明日は来ますか？", "any plans for friday"]
)
def test_questions_are_known_without_their_mark(line: str) -> None:
    assert is_question(line)


def test_a_statement_that_begins_like_a_question_is_none() -> None:
    assert not is_question("What I like most is the view.")


@pytest.mark.parametrize(
    "line",
    [
        "and then the",
        "the reason is that the",
        ", which was late",
        "we met the (old",
        "of the three",
        "Notes:",
    ],
)
def test_half_sentences_are_known(line: str) -> None:
    assert unfinished(line) is not None


@pytest.mark.parametrize(
    "line",
    ["Ich wohne in Bonn und arbeite dort.", "Mi hermano vive en Sevilla.", "私は犬です。", "Я живу в Риге."],
)
def test_other_languages_are_not_judged_by_english_grammar(line: str) -> None:
    assert is_foreign(line)


def test_english_with_a_foreign_name_stays_english() -> None:
    assert not is_foreign("Zoë and José moved to Düsseldorf in May.")


def test_marks_of_a_list_and_of_emphasis_are_no_part_of_the_words() -> None:
    assert bare("- [x] **Ana** likes tea") == "Ana likes tea"


@given(st.text(max_size=200))
def test_any_line_is_judged(line: str) -> None:
    plain = bare(line)
    assert machine_made(line) != ""
    assert isinstance(is_question(plain), bool)
