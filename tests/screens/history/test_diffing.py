"""A change is shown whole where it can be, and says where it cannot."""

from __future__ import annotations

from screens.drawing.safe_text import Row, RowPart, words
from screens.history.diff import MAX_BYTES, MAX_FILES, MAX_LINES, diff_rows
from screens.widgets.entry_list import wrapped
from tests.screens.interface import opened
from tests.support.workspaces import LOG, Sandbox
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit

PATH = RelPath("a.md")


def texts(edits: list[FileEdit]) -> list[str]:
    return [row.text for row in diff_rows(edits)]


def test_lines_have_their_signs_and_tones() -> None:
    rows = diff_rows([FileEdit(PATH, b"one\n", b"two\n")])
    assert [(row.text, row.tone) for row in rows][2:] == [
        ("@@ -1 +1 @@", "faint"), ("-one", "bad"), ("+two", "good"),
    ]  # fmt: skip
    assert len({row.id for row in rows}) == len(rows)


def brought_out(before: str, after: str) -> list[list[str]]:
    """Of each line that goes or comes, the words that are brought out."""
    rows = diff_rows([FileEdit(PATH, before.encode(), after.encode())])[3:]
    return [[row.text[first:last] for first, last, _ in row.emphasis] for row in rows]


def test_the_words_that_changed_are_brought_out_and_no_others() -> None:
    assert brought_out("Mon: call Ann at nine\n", "Tue: call Ann at ten\n") == [
        ["Mon", "nine"],
        ["Tue", "ten"],
    ]
    assert brought_out("Lives in Bremen\n", "Lives in Hamburg\n") == [["Bremen"], ["Hamburg"]]
    assert brought_out("Lives in Bremen\n", "Tea: green; no milk\n") == [[], []]


def test_of_long_lines_and_of_many_no_words_are_brought_out() -> None:
    for count, brought in ((99, [["one"], ["two"]]), (100, [[], []])):
        long = "word " * count
        assert brought_out(f"{long}one\n", f"{long}two\n") == brought
    many = brought_out("port 1\n" * 401, "port 2\n" * 401)
    assert sum(map(bool, many)) == 800


def test_a_file_too_large_to_be_compared_says_so() -> None:
    rows = texts([FileEdit(PATH, None, b"x\n" * MAX_BYTES)])
    assert len(rows) == 2
    assert "too many to compare" in rows[1]


def test_too_many_files_and_lines_are_cut_and_said() -> None:
    many = [FileEdit(RelPath(f"{n}.md"), None, b"x\n") for n in range(MAX_FILES + 1)]
    assert texts(many)[-1] == "… the rest is not shown"
    long = [FileEdit(PATH, None, b"x\n" * (MAX_LINES + 10))]
    assert texts(long)[-1] == "… the rest is not shown"


def test_a_long_line_goes_on_in_the_next_row() -> None:
    long = Row("a", words("word " * 40 + "wörter 日本語 " * 10), tone="good", depth=1)
    rows = list(wrapped([long], 40))
    assert len(rows) > 5
    assert "".join("".join(row.text for row in rows).split()) == "".join(long.text.split())
    assert {row.tone for row in rows} == {"good"}
    assert len({row.id for row in rows}) == len(rows)


def test_a_row_with_more_than_text_keeps_to_its_line() -> None:
    row = Row("a", words("word " * 40), tail=(RowPart(words("here")),))
    assert list(wrapped([row], 40)) == [row]


async def test_the_end_of_a_long_line_is_seen_before_a_yes(sandbox: Sandbox) -> None:
    sandbox.write(LOG, "- begins harmless " + "and goes on " * 40 + "until the end\n- other\n")
    async with opened(sandbox.workspace, (100, 40)) as interface:
        await interface.go_to("begins harmless")
        await interface.press("asterisk", "d")
        await interface.until_shown("Forget 2 entries?")
        await interface.until_shown("until the end")


def test_secrets_are_masked_also_where_a_diff_shows_a_part_of_one() -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + str(n) for n in range(10, 22))
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    before = f"- The key is AKIAQ7LMNO5P2RSTUVWX\n\n{key}- one\n".encode()
    after = before.replace(b"- The key is AKIAQ7LMNO5P2RSTUVWX\n", b"").replace(b"- one", b"- two")
    shown = texts([FileEdit(PATH, before, after)])
    assert any(line.startswith("-- The key is AKIA…") for line in shown)
    assert not any("AKIAQ7LMNO5P2RSTUVWX" in line or "MIIEvQ" in line for line in shown)
    assert {"-- one", "+- two"} <= set(shown)
    assert not any("MIIEvQ" in line for line in texts([FileEdit(PATH, before, None)]))
