"""What is looked for is found as it stands, half typed or mistyped; and whatever is replaced is said."""

from __future__ import annotations

import pytest

from indexing.lexical.query_rewrite import forgiven
from indexing.search.answer import Query
from tests.indexing.conftest import Memory

LINES = (
    "ERR_CONNECTION_REFUSED again on the broker",
    "NullPointerException: x at y(z.java:12)",
    "see issue #1234 for it",
    "call a.b.c() first",
    "C++ is what Miguel likes",
    "C# is what Omar likes",
    "C is what Lena likes",
    "commit with --no-verify only in a hurry",
    "run java with -Xmx2g",
    "cleaned up with rm -rf /srv/app last time",
    "the broker is at 192.168.0.1:8080",
    "mail sarah.chen@example.org about it",
    "notes in C:\\Users\\sam\\notes.txt",
    "fixed in 3f2a9c81d0e4b7a6 at last",
    "the other hash is deadbeefcafe",
    "read https://example.org/docs/retry?x=1 twice",
    "unpacked with tar -xzf backup.tgz",
    "AKIAIOSFODNN7EXAMPLE was rotated, AKIAIOSFODNN7EXAMPL2 was not",
    "keys of this sort begin with AKIA and letters",
    "the warehouse in Hamburg opens at six",
    "the log of the harbour",
    "logarithmic scale for the chart, logarithmic log paper",
    "logistics are hard",
    'she read "Becoming Nicole" twice',
    "Nicole is becoming a doctor",
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A workspace with these lines, each under a heading of its own so that no neighbour lends its words."""
    memory = Memory(tmp_path_factory.mktemp("finding") / "agent")
    text = "".join(f"# part {chr(97 + n)}\n\n- {line}\n\n" for n, line in enumerate(LINES))
    (memory.root / "MEMORY.md").write_text(text, encoding="utf-8")
    memory.reindex()
    return memory


def snippets(memory: Memory, text: str, *, typing: bool = False) -> list[str]:
    return [hit.snippet for hit in memory.lexical().search(Query(text, prefix=typing)).hits]


def notes(memory: Memory, text: str, *, typing: bool = False) -> tuple[str, ...]:
    return memory.lexical().search(Query(text, prefix=typing)).notes


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        *(("ERR_CONNECTION_REFUSED", 0), ("err_connection_refused", 0), ("#1234", 2), ("a.b.c()", 3)),
        *(("NullPointerException: x at y(z.java:12)", 1), ("z.java", 1), ("C++", 4), ("C#", 5)),
        *(("--no-verify", 7), ("-Xmx2g", 8), ("rm -rf /srv/app", 9), ("192.168.0.1:8080", 10)),
        *(("192.168.0.1", 10), ("sarah.chen@example.org", 11), ("C:\\Users\\sam\\notes.txt", 12)),
        *(("3f2a9c81d0e4b7a6", 13), ("3f2a9c8", 13), ("3F2A9C81", 13), ("deadbeef", 14)),
        *(("https://example.org/docs/retry?x=1", 15), ('"-xzf"', 16), ("AKIAIOSFODNN7EXAMPLE", 17)),
        *(("AKIA", 18), ('"C++"', 4), ('"a.b.c()"', 3)),
    ],
)
def test_identifiers_are_found_as_they_stand(shop: Memory, asked: str, line: int) -> None:
    assert snippets(shop, asked)[0] == LINES[line]


@pytest.mark.parametrize("asked", ["3f2a9c", "deadbe", "#12345"])
def test_less_than_an_identifier_finds_no_identifier(shop: Memory, asked: str) -> None:
    assert snippets(shop, asked) == []


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        *(("ERR_CONN", 0), ("err_", 0), ("the 192.168.", 10), ("sarah.chen@", 11), ("C:\\Us", 12)),
        *(("https://exam", 15), ("3f2a", 13), ("wareh", 19), ("warehouse in ham", 19), ('"becoming nic', 23)),
    ],
)
def test_what_is_typed_half_is_found(shop: Memory, typed: str, line: int) -> None:
    assert LINES[line] in snippets(shop, typed, typing=True)[:2]


def test_a_whole_word_comes_before_those_that_begin_with_it(shop: Memory) -> None:
    assert snippets(shop, "log", typing=True)[0] == LINES[20]
    assert set(snippets(shop, "log", typing=True)) == {LINES[20], LINES[21], LINES[22]}
    assert snippets(shop, "AKIA", typing=True) == [LINES[18], LINES[17]]


def test_of_two_beginnings_the_rarer_word_comes_first(memory: Memory) -> None:
    memory.write("memory/a.md", *(f"carpet number {n}" for n in "abcdefgh"), heading="one")
    memory.write("memory/b.md", "carbon copies", heading="two")
    memory.reindex(vectors=False)
    assert snippets(memory, "car", typing=True)[0] == "carbon copies"


def test_every_word_that_begins_so_is_found_however_many_there_are(memory: Memory) -> None:
    memory.write("memory/a.md", *(f"car{a}{b}" for a in "abcdefgh" for b in "ijklmnop"))
    memory.reindex(vectors=False)
    assert len(memory.lexical().search(Query("car", 100, prefix=True)).hits) == 64


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        *(("wharehouse", "warehouse"), ("warehuose", "warehouse"), ("warehose", "warehouse")),
        *(
            ("wearhouse", "warehouse"),
            ("brokre", "broker"),
            ("hamburk", "hamburg"),
            ("xarehouse", "warehouse"),
        ),
    ],
)
def test_a_mistyped_word_finds_what_was_meant_and_says_so(shop: Memory, asked: str, meant: str) -> None:
    assert meant in snippets(shop, asked)[0].lower()
    assert notes(shop, asked) == (f"nothing has “{asked}”; searched for “{meant}” instead",)


def test_one_mistyped_word_among_others_is_looked_for_too(shop: Memory) -> None:
    assert snippets(shop, "wharehouse hamburg")[0] == LINES[19]
    assert notes(shop, "wharehouse hamburg") == (
        "nothing has “wharehouse”; searched for “warehouse” instead",
    )


def test_beside_words_that_are_right_another_letter_makes_another_word(shop: Memory) -> None:
    assert notes(shop, "the broker of Homburg") == ()
    assert notes(shop, "Homburg") == ("nothing has “Homburg”; searched for “hamburg” instead",)


def test_a_word_that_is_there_is_not_replaced(shop: Memory) -> None:
    assert notes(shop, "warehouse logs doctors hamburg") == ()


@pytest.mark.parametrize(
    "asked", ["3f2a9c91d0e4b7a6", "#1235", "192.168.0.2", "-Xmx3g", "2027", "ERR_CONNECTIN", "lgo"]
)
def test_digits_and_identifiers_are_never_mistyped(shop: Memory, asked: str) -> None:
    assert not any("nothing has" in note for note in notes(shop, asked))


def test_an_unfinished_word_may_be_mistyped(shop: Memory) -> None:
    assert snippets(shop, "wharehou", typing=True)[0] == LINES[19]
    assert notes(shop, "wareh", typing=True) == ()


def test_headings_and_names_are_looked_at_for_what_was_meant(memory: Memory) -> None:
    page = memory.root / "graph/person/maya-lindqvist.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\nname: Maya Lindqvist\n---\n- [fact] Plays the cello\n")
    memory.write("memory/notes.md", "strings only", heading="Repertoire")
    memory.reindex(vectors=False)
    assert snippets(memory, "Lindqvist")[0] == "[fact] Plays the cello"
    assert snippets(memory, "Repetoire")[0] == "strings only"
    assert snippets(memory, "Linqdvist")[0] == "[fact] Plays the cello"


def test_a_phrase_that_stands_nowhere_is_words_and_a_note_says_so(shop: Memory) -> None:
    for search in (shop.lexical(), shop.hybrid()):
        answer = search.search(Query('"hamburg warehouse" opens'))
        assert answer.hits[0].snippet == LINES[19]
        assert answer.notes == ("no entry has “hamburg warehouse” literally; its words were searched for",)


def test_a_phrase_that_stands_somewhere_is_asked_for(shop: Memory) -> None:
    assert snippets(shop, '"becoming nicole"') == [LINES[23]]
    assert snippets(shop, '"becoming nicole" warehouse') == [LINES[23]]


def test_a_phrase_may_stand_in_a_heading_and_never_half_in_it(memory: Memory) -> None:
    memory.write("MEMORY.md", "Use tabs", "See api.example.org", heading="Key Decisions (v2.1)")
    memory.write("memory/notes.md", "the key", "v2.1 is out", heading="Decisions of others")
    memory.reindex(vectors=False)
    for asked in ('"Key Decisions"', '"decisions (v2.1)"', '"v2.1" -path:notes'):
        assert set(snippets(memory, asked)) == {"Use tabs", "See api.example.org"}
        assert notes(memory, asked) == ()
    assert snippets(memory, "v2.1")[0] == snippets(memory, '"v2.1"')[0] == "v2.1 is out"
    assert snippets(memory, 'key -"key decisions"')[0] == "the key"
    assert set(snippets(memory, "path:notes -decisions")) == {"the key", "v2.1 is out"}
    assert "literally" in notes(memory, '"tabs key"')[0]


def test_a_lone_identifier_is_no_letter_of_a_heading_and_leaves_no_file_out(memory: Memory) -> None:
    memory.write("MEMORY.md", "the office is warm", "C++ is for the office", heading="Option C")
    memory.reindex(vectors=False)
    assert snippets(memory, '"C++"') == ["C++ is for the office"]
    assert snippets(memory, 'office -"C++" -memory -option') == ["the office is warm"]


def test_in_a_question_the_phrase_comes_first_and_others_follow(shop: Memory) -> None:
    found = snippets(shop, 'Who is reading "Becoming Nicole"?')
    assert found[:2] == [LINES[23], LINES[24]]


def test_words_and_phrases_are_left_out(shop: Memory) -> None:
    assert LINES[20] not in snippets(shop, "harbour logistics -log")
    assert LINES[22] in snippets(shop, "harbour logistics -log")
    assert LINES[23] not in snippets(shop, 'becoming -"becoming nicole"')


def test_an_exclusion_that_is_an_option_somewhere_is_pointed_out(shop: Memory) -> None:
    assert '"-xzf" is searched for literally' in notes(shop, "tar -xzf")[0]


def test_a_day_in_digits_finds_its_log(filled: Memory) -> None:
    for asked in (
        "2026-03-14",
        "14.3.2026",
        "14 March 2026",
        "March 14, 2026",
        "2026年3月14日",
        "14/03/2026",
    ):
        hits = filled.lexical().search(Query(asked)).hits
        assert {hit.path for hit in hits[:3]} == {"memory/2026-03-14.md"}


def test_a_moment_of_the_past_is_not_passed_over_in_silence(filled: Memory) -> None:
    assert "ignored" in filled.lexical().search(Query("door as-of:2020-01-01")).notes[0]


def test_what_no_entry_has_is_said(filled: Memory) -> None:
    answer = filled.lexical().search(Query("door type:dragon from:s99 path:nowhere user:sam"))
    said = [
        "no entry has type:dragon",
        "no entry has from:s99",
        "no entry has path:nowhere",
        "no entry has user:sam",
    ]
    assert list(answer.notes) == said
    assert not answer.hits


def test_longer_words_are_forgiven_more() -> None:
    assert [forgiven(word) for word in ("log", "logs", "harbour", "harbours", "h4rbour")] == [0, 1, 1, 2, 0]
