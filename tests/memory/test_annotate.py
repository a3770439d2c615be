"""A mark is carried by its entry alone, and costs no byte of anything else."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.errors import NotCuratableError
from workbench.memory.edit import annotate, as_item
from workbench.memory.entry import Form, Kind, RelPath
from workbench.memory.markdown import Document, parse_document
from workbench.memory.provenance import provenance

MARK = {"pinned": "2026-03-20"}
SHOWN = "<!-- wb: pinned=2026-03-20 -->"
WORDS = " ".join(f"Sentence number {n} tells of the harbour at dawn." for n in range(60))
NESTED = "- first line\n" + "".join(f"  - nested {n} with some more words here\n" for n in range(60))


def parse(data: str | bytes, kind: Kind = Kind.NOTE) -> Document:
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
    return parse_document(RelPath("memory/a.md"), raw, kind)


def marked(text: str, at: int = 0, **fields: str | None) -> str:
    document = parse(text)
    return annotate(document, document.entries[at], fields or MARK).decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- a\n- b\n", "- a @\n- b\n"),
        ("- a", "- a @"),
        ("- a  \n", "- a @  \n"),
        ("- a\r\n- b\r\n", "- a @\r\n- b\r\n"),
        ("\ufeff- a\n", "\ufeff- a @\n"),
        ("- a\n  more\n  - nested\n", "- a\n  more @\n  - nested\n"),
        ("- a\n\n  second\n", "- a @\n\n  second\n"),
        ("-\n  a\n", "-\n  a @\n"),
        ("- `open\n  close`\n", "- `open\n  close` @\n"),
        ("- a\nlazy\n- b\n", "- a\nlazy @\n- b\n"),
        ("- bad \udcff\n", "- bad \udcff @\n"),
        ("1. one\n2. two\n", "1. one @\n2. two\n"),
        ("- [ ] task\n", "- [ ] task\n  @\n"),
        ("- [ ] task", "- [ ] task\n  @"),
        ("- [ ] task\r\n- b\r\n", "- [ ] task\r\n  @\r\n- b\r\n"),
        ("- a\r\n- [ ] task", "- a @\r\n- [ ] task"),
        ("1. works_on [[Atlas]] (since May)\n", "1. works_on [[Atlas]] (since May)\n   @\n"),
        ("- [fact] a #tag (said)\n  - nested\n", "- [fact] a #tag (said)\n  @\n  - nested\n"),
        ("- likes\n  tea #drink\n- b\n", "- likes\n  tea #drink\n  @\n- b\n"),
        ("- likes tea ^tea1\n", "- likes tea @ ^tea1\n"),
        ("- [fact] a ^a1\r\n- b\r\n", "- [fact] a @ ^a1\r\n- b\r\n"),
        ("words of it ^w-1  \n\nnext\n", "words of it @ ^w-1  \n\nnext\n"),
        ("- ```\n  code\n  ```\n- b\n", "- ```\n  code\n  ```\n  @\n- b\n"),
        ("- ```\n  code\n  ```", "- ```\n  code\n  ```\n  @"),
        ("- | a |\r\n  |---|\r\n", "- | a |\r\n  |---|\r\n  @\r\n"),
        ("10)  - x\n", "10)  - x\n     @\n"),
        ("-     code\n", "-     code\n  @\n"),
        ("-\t- x\n", "-\t- x\n    @\n"),
        ("- words <!-- open\n  more\n", "- words <!-- open\n  more\n  @\n"),
        ("- words <!-- closed --> more\n", "- words <!-- closed --> more @\n"),
        ("one\ntwo\n\nthree\n", "one\ntwo @\n\nthree\n"),
        ("> said\n> so\n\nnext\n", "> said\n> so @\n\nnext\n"),
        ("> - x\n", "> - x\n> @\n"),
        ("text\n\n## A\n\n## B\n", "text\n\n## A @\n\n## B\n"),
        ("text\n## A ##\n## B\n", "text\n## A @ ##\n## B\n"),
        ("text\n\nA\n---\n\nB\n---\nx\n", "text\n\nA @\n---\n\nB\n---\nx\n"),
    ],
)
def test_the_comment_stands_where_the_entry_s_first_paragraph_ends(before: str, after: str) -> None:
    at = 1 if before.startswith("text") else 0
    assert marked(before, at) == after.replace("@", SHOWN)
    document = parse(after.replace("@", SHOWN))
    assert annotate(document, document.entries[at], {"pinned": None}) == before.encode(
        "utf-8", "surrogateescape"
    )


@pytest.mark.parametrize(
    "text", ["plain", "first\n- nested", "`open\nclose`", "```\ncode\n```", "| a |\n|---|"]
)
def test_a_mark_stands_where_a_promotion_would_have_put_it(text: str) -> None:
    bare = as_item(text, provenance(MARK).render()).replace(f" {SHOWN}", "").replace(SHOWN, "")
    assert marked(bare.rstrip() + "\n") == as_item(text, provenance(MARK).render())


def test_fields_are_replaced_where_they_stand_and_added_at_the_end() -> None:
    text = "- a <!-- wb: id=m1 trust=agent day=2026-01-01 -->\n"
    assert marked(text, trust="owner", by="human") == (
        "- a <!-- wb: id=m1 trust=owner day=2026-01-01 by=human -->\n"
    )
    assert marked(text, trust=None, id=None) == "- a <!-- wb: day=2026-01-01 -->\n"
    assert marked(text, trust="", id=None, day=None) == "- a\n"


def test_whatever_else_stands_in_the_comment_stays() -> None:
    text = "- a <!--wb: see id=m1 src=x%20y.md#L1 src=z.md#L2 (twice)-->\n"
    assert (
        marked(text, by="human")
        == "- a <!-- wb: see id=m1 src=x%20y.md#L1 src=z.md#L2 (twice) by=human -->\n"
    )
    assert marked(text, src="a b") == "- a <!-- wb: see id=m1 src=a%20b (twice) -->\n"


def test_a_second_comment_never_becomes_the_entry_s() -> None:
    text = "- a <!-- wb: id=m1 --> b <!-- wb: id=m2 -->\n"
    assert marked(text, id=None) == "- a <!-- wb: --> b <!-- wb: id=m2 -->\n"


def test_what_says_nothing_new_changes_nothing() -> None:
    assert marked("- a <!--wb:  id=m1-->\n", id="m1", by=None) == "- a <!--wb:  id=m1-->\n"
    assert marked("- a\n", by=None) == "- a\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```\ncode\n```\n", "code block"),
        ("    code\n", "code block"),
        ("```\n<!-- wb: id=m1 -->\ncode\n```\n", "code block"),
        ("| a |\n|---|\n| 1 |\n", "table"),
        ("<div>\nx\n</div>\n", "HTML"),
        ("words <!-- open\n", "no place"),
        ("- ```\n  never closed\n", "no place"),
    ],
)
def test_what_cannot_carry_a_mark_says_why(text: str, reason: str) -> None:
    with pytest.raises(NotCuratableError, match=reason):
        marked(text)


def test_a_mark_that_stands_in_a_table_is_changed_there() -> None:
    text = "| a |\n|---|\n| 1 <!-- wb: id=m1 --> |\n"
    assert marked(text, by="human") == "| a |\n|---|\n| 1 <!-- wb: id=m1 by=human --> |\n"


@pytest.mark.parametrize("text", [NESTED, f"- {WORDS}\n", f"> {WORDS}\n", f"{WORDS}\n"])
@pytest.mark.parametrize("which", [0, 1, -1])
def test_a_part_of_a_long_block_marks_the_block_and_no_part_moves(text: str, which: int) -> None:
    document = parse(text + "\n- after\n")
    parts = [entry for entry in document.entries if entry.parts > 1]
    assert len(parts) > 1
    after = parse(annotate(document, parts[which], MARK))
    assert [entry.address for entry in after.entries] == [entry.address for entry in document.entries]
    assert [bool(entry.provenance) for entry in after.entries] == [True] * len(parts) + [False]


def test_a_name_that_is_no_field_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="name of a field"):
        annotate(parse("- a\n"), parse("- a\n").entries[0], {"a b": "c"})


LINES = st.sampled_from(
    [
        *("- item", "- other", "  - nested", "1. one", "# H", "## G", "```", "| a |", "|---|", "> q", "---"),
        *("===", "", "", "text", "more\\", "bad \udcff", "- it <!-- wb: id=m1 by=x -->", "<!-- open", "-->"),
        *("t <!-- wb: by=y pinned=z -->", "    deep", "-", "<div>", "  <!-- wb: id=m2 -->", "日本語。"),
    ]
)
FIELDS = st.dictionaries(
    st.sampled_from(["by", "pinned", "id", "src"]),
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    min_size=1,
)


@given(
    lines=st.lists(LINES, min_size=1, max_size=12),
    ends=st.sampled_from(["\n", "\r\n"]),
    closed=st.booleans(),
    mark=st.booleans(),
    fields=FIELDS,
    data=st.data(),
)
@settings(max_examples=150, deadline=None)
def test_a_mark_is_read_back_and_every_other_byte_and_entry_stays(
    lines: list[str], ends: str, closed: bool, mark: bool, fields: dict[str, str | None], data: st.DataObject
) -> None:
    document = parse("\ufeff" * mark + ends.join(lines) + (ends if closed else ""))
    assume(document.entries)
    entry = data.draw(st.sampled_from(document.entries))
    try:
        changed = annotate(document, entry, fields)
    except NotCuratableError:
        return
    block = entry.whole
    assert changed.startswith(document.data[: block.start])
    assert changed.endswith(document.data[block.end :])
    after = parse(changed)
    assert [(e.address, e.form, e.heading) for e in after.entries] == [
        (e.address, e.form, e.heading) for e in document.entries
    ]
    own = after.entries[document.entries.index(entry)].provenance
    for name, value in fields.items():
        assert (own.get(name) if own else None) == (value or None)
    for old, new in zip(document.entries, after.entries, strict=True):
        if old.block != entry.block or old.span != entry.span:
            assert old.provenance == new.provenance


def test_every_form_but_code_tables_and_html_can_be_marked() -> None:
    text = "- a\n\ntext\n\n> q\n\n## H\n\n```\nx\n```\n\n| a |\n|---|\n\n<b>\n"
    document = parse(text)
    able = set()
    for entry in document.entries:
        try:
            annotate(document, entry, MARK)
        except NotCuratableError:
            continue
        able.add(entry.form)
    assert able == {Form.ITEM, Form.PARAGRAPH, Form.QUOTE}
