"""The language of the search box."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.query.question import MAX_PIECES, MAX_VALUES, Filters, Question, understand
from workbench.memory.entry import Kind

TODAY = date(2026, 3, 20)


def read(text: str, *, typing: bool = False) -> Question:
    return understand(text, TODAY, prefix=typing)


def words(question: Question) -> str:
    return " ".join(question.text.split())


def test_words_phrases_exclusions_and_fields_are_told_apart() -> None:
    question = read('harbor "deploy key" -staging -"on hold" kind:log,note since:2026-03 -kind:dream')
    assert words(question) == "harbor deploy key"
    assert question.phrases == ("deploy key",)
    assert question.excluded == ("staging", "on hold")
    assert question.within == Filters(kinds=frozenset({Kind.LOG, Kind.NOTE}), since=date(2026, 3, 1))
    assert question.without == Filters(kinds=frozenset({Kind.DREAM}))
    assert question.notes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("type:decision,todo", Filters(types=frozenset({"decision", "todo"}))),
        ('from:"team call",s91', Filters(sources=frozenset({"team call", "s91"}))),
        ("path:Research path:*.md", Filters(paths=frozenset({"research", "*.md"}))),
        ("trust:owner", Filters(trusts=frozenset({"owner"}))),
        ("trust:untrusted", Filters(trusts=frozenset({"external", "unknown"}))),
        ("pinned:", Filters(pinned=True)),
        ("pinned:no", Filters(pinned=False)),
        ("user:Sam", Filters(users=frozenset({"sam"}))),
        ('user:""', Filters(users=frozenset({""}))),
        ("since:2026-01 until:yesterday", Filters(since=date(2026, 1, 1), until=date(2026, 3, 19))),
        ("since:2026-01 since:2026-02", Filters(since=date(2026, 2, 1))),
        ("KIND:lo", Filters(kinds=frozenset({Kind.LOG}))),
        ("kind:memories,entities", Filters(kinds=frozenset({Kind.MEMORY, Kind.ENTITY}))),
        ("until:03/04/2026", Filters(until=date(2026, 4, 3))),
        ("path:“my notes”", Filters(paths=frozenset({"my notes"}))),
    ],
)
def test_a_field_says_what_its_values_mean(text: str, expected: Filters) -> None:
    question = read(text)
    assert question.within == expected
    assert words(question) == ""


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ('"deploy key"', "deploy key"),
        ("“deploy key”", "deploy key"),
        ("„deploy key“ now", "deploy key"),
        ("«deploy key»", "deploy key"),
        ("「超时问题」について", "超时问题"),
        ('the ("deploy key"), then', "deploy key"),
        ('"deploy key".', "deploy key"),
    ],
)
def test_a_phrase_stands_in_quotes_of_any_kind(text: str, phrase: str) -> None:
    assert read(text).phrases == (phrase,)


@pytest.mark.parametrize(
    "text", ['5" nails and 6" nails', 'say"nothing"now', '"', '""', '" ', '" "', '-"  "']
)
def test_a_quote_that_encloses_nothing_is_a_character(text: str) -> None:
    question = read(text)
    assert (question.phrases, question.notes) == ((), ())


def test_in_a_question_a_quoted_phrase_is_better_to_have_and_not_asked_for() -> None:
    question = read('What did she say about "Becoming Nicole"?')
    assert (question.phrases, question.preferred) == ((), ("Becoming Nicole",))
    assert not question.narrows
    assert "question" in question.notes[0]
    assert read('"Becoming Nicole"?').phrases == ("Becoming Nicole",)


@pytest.mark.parametrize(
    "text",
    [
        *("ERR_CONNECTION_REFUSED", "NullPointerException: x at y(z.java:12)", "wb: id=m7f3a", "#1234"),
        *("a.b.c()", "C++", "C#", "--no-verify", "rm -rf /srv/app", '"foo', "192.168.0.1:8080", "- -- ---"),
        *(
            "sam@example.org",
            "https://example.org/a?b=c",
            "C:\\Users\\sam",
            "type: foo",
            "note:this",
            "a -1 b",
        ),
    ],
)
def test_what_only_looks_like_syntax_is_looked_for_as_it_stands(text: str) -> None:
    question = read(text)
    assert question.text == text
    assert not question.narrows


def test_an_option_of_a_program_is_no_exclusion_and_a_note_says_so() -> None:
    question = read("java -Xmx2g")
    assert (question.text, question.excluded) == ("java -Xmx2g", ())
    assert '-"Xmx2g"' in question.notes[0]
    assert read('java -"Xmx2g"').excluded == ("Xmx2g",)


@pytest.mark.parametrize("word", ["staging", "ERR_TIMEOUT", "well-known", "Straße", "sam@example.org", "a.b"])
def test_a_minus_before_a_word_leaves_it_out(word: str) -> None:
    assert read(f"harbor -{word}").excluded == (word,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind:dragon", "use one of memory, log"),
        ("since:soon", "write 2026-03-14"),
        ("since:99999999-99-99", "not a date"),
        ("until:2026-02-31", "not a date"),
        ("pinned:perhaps", "must be yes or no"),
        ("trust:nobody", "owner"),
        ("-since:2026", "until:"),
        ('from:"open', "not closed"),
        ('where is "the deploy key', "not closed"),
        ("path:" + "x" * 300, "characters"),
    ],
)
def test_what_cannot_be_understood_is_words_and_a_note_says_so(text: str, said: str) -> None:
    question = read(text)
    assert question.text == text
    assert not question.narrows
    assert said in question.notes[0]


def test_two_readings_of_a_day_leave_more_and_a_note_says_so() -> None:
    question = read("since:03/04/2026")
    assert question.within == Filters(since=date(2026, 3, 4))
    assert "two dates" in question.notes[0]


@pytest.mark.parametrize(
    "text", ["kind:", "kind:x", "since:soo", "since:20", 'from:"a b', 'the "deploy k', "-Xmx2"]
)
def test_what_is_not_finished_is_no_mistake_while_typing(text: str) -> None:
    assert read(text, typing=True).notes == ()


def test_only_the_last_word_is_a_beginning() -> None:
    assert read("kind:log harb", typing=True).prefix
    assert not read("harbor kind:lo", typing=True).prefix
    assert not read('the "deploy key"', typing=True).prefix
    assert read('the "deploy k', typing=True).prefix


def test_a_moment_is_told_and_is_no_word() -> None:
    question = read('harbor as-of:"last week"')
    assert (question.as_of, words(question)) == ("2026-03-15", "harbor")
    assert [read(f"as-of:{said}").as_of for said in ("yesterday", "2026-03", "7f3a", "2026")] == [
        *("2026-03-19", "2026-03-20", "7f3a", "2026"),
    ]


def test_plain_text_has_no_syntax() -> None:
    text = 'kind:log "a b" -c'
    assert understand(text, TODAY, plain=True) == Question(text=text)


def test_there_is_a_most_of_everything_and_a_note_says_so() -> None:
    many = read(
        " ".join(f'"a{n} b"' for n in range(100)) + " " + " ".join(f"-word{'x' * n}" for n in range(100))
    )
    assert (len(many.phrases), len(many.excluded)) == (MAX_PIECES, MAX_PIECES)
    assert any("used" in note for note in many.notes)
    values = read("path:" + ",".join(f"p{n}" for n in range(100)))
    assert len(values.within.paths) == MAX_VALUES
    assert "100 values" in values.notes[0]


_PIECES = st.sampled_from(
    [
        "kind:",
        "since:",
        "path:",
        "from:",
        "as-of:",
        "pinned:",
        "-",
        '"',
        "“",
        "log",
        ",",
        " ",
        "*",
        "2026",
        "\0",
    ]
)


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(_PIECES, max_size=40).map("".join)), st.booleans())
def test_any_text_is_understood(text: str, typing: bool) -> None:
    question = understand(text, TODAY, prefix=typing)
    assert all(question.phrases)
    assert all(question.excluded)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters='"“”„‟«»「」『』＂〝〞〟:-'))
)
def test_text_without_signs_of_the_language_stays_as_it_is(text: str) -> None:
    assert understand(text, TODAY) == Question(text=text)
