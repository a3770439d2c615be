"""The laws of entries and spans, for all Markdown that real workspaces hold."""

from __future__ import annotations

import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.errors import EntryNotFoundError, NotCuratableError
from workbench.memory.edit import annotate, take_out
from workbench.memory.entry import Entry, Form, Kind, RelPath, Span
from workbench.memory.file_edit import revert
from workbench.memory.frontmatter import BOM
from workbench.memory.invariants import stands
from workbench.memory.markdown import Document, parse_document
from workbench.memory.model_window import WINDOW, fits, word_pieces
from workbench.memory.move import with_item
from workbench.memory.provenance import provenance

PATH = RelPath("memory/2026-03-14-talk.md")
WORDS = (
    "harbour",
    "**Sarah:** prefers async",
    "メモリを整理する",
    "记忆整理",
    "👩‍👩‍👧‍👦 family 🇩🇪",
    "[[Project Atlas|Atlas]]",
    "a|b",
    "cafe\u0301",
    "café",
    "see https://example.org/a?b=1#c",
    "`code` and *stars*",
    "e\u2028f",
    "form\x0cfeed",
    "nul\x00byte",
    "[^1]: a footnote",
    "\u202ereversed",
    "12:30",
    "#tag",
    "100 %",
    "tab\there",
    "<b>bold</b>",
    "\\[escaped\\]",
    "&amp;",
    "- not nested",
    "> arrow",
    "x" * 300,
    "A sentence of words. " * 60,
    "長い文。" * 120,
    "cr\rinside",
    "{{template}}",
    "~~gone~~",
)


def parse(data: bytes) -> Document:
    return parse_document(PATH, data, Kind.LOG)


def lines(*parts: str) -> Callable[[str], list[str]]:
    """A block with a text in it, at the mark ``@``."""
    return lambda text: [part.replace("@", text) for part in parts]


BLOCKS = (
    lines("- @"),
    lines("* @", "* second @"),
    lines("+ @"),
    lines("- @", "  - nested", "    - deeper", "", "  more of it"),
    lines("- @", "\t- by a tab", "\t\tdeep"),
    lines("1. @", "2. two", "   - mixed"),
    lines("7) @", "8) eight"),
    lines("- [ ] @", "- [x] done"),
    lines("- @", "  ```py", "  code()", "  ```"),
    lines("@"),
    lines("@", "second line of it"),
    lines("| a | b |", "|---|---|", "| 1 | @ |"),
    lines("```py", "- @", "", "# no heading", "```"),
    lines("~~~", "@", "~~~"),
    lines("> @", "> - in a quote", "", "after"),
    lines("> > @"),
    lines("<!-- @ -->"),
    lines("<div>", "@", "</div>"),
    lines("[^1]: @"),
    lines("[ref]: https://example.org"),
    lines("## @"),
    lines("### Same heading", "", "@"),
    lines("Setext @", "======"),
    lines("Setext @", "---"),
    lines("---"),
    lines("**@**"),
    lines("- "),
    lines("-"),
    lines("- @ <!-- wb: id=m1 src=memory/a.md#L2 trust=owner -->"),
)
LOOSE = (
    lines("    indented @"),
    lines("```", "never closed @"),
    lines("<!-- never closed @"),
    lines("===",),
    lines("  @"),
    lines("\t@"),
    lines(""),
    lines("\xa0"),
    lines("---", "key: @"),
)  # fmt: skip
NEW = (lines("@"), lines("@", "", "- nested"), lines("```", "@", "```"))
HEADERS = (
    "",
    "---\nid: e1\ntags: [a, b]\n---\n",
    "---\nid: [broken\n---\n",
    "---\nunclosed: yes\n",
    "---\n---\n",
    "---\r\nid: x\r\n...\r\n",
)


@st.composite
def block(draw: st.DrawFn, kinds: tuple[Callable[[str], list[str]], ...] = BLOCKS) -> str:
    return "\n".join(draw(st.sampled_from(kinds))(draw(st.sampled_from(WORDS))))


@st.composite
def markdown(draw: st.DrawFn) -> bytes:
    """A file as agents, people and programs leave it."""
    kinds = BLOCKS + LOOSE if draw(st.booleans()) else BLOCKS
    pieces = draw(st.lists(st.tuples(block(kinds), st.sampled_from(["\n\n", "\n", "\n\n\n"])), max_size=9))
    text = draw(st.sampled_from(HEADERS)) + "".join(piece + gap for piece, gap in pieces)
    data = text.encode("utf-8", "surrogateescape")
    ends = draw(st.sampled_from(["lf", "lf", "crlf", "mixed"]))
    if ends == "crlf":
        data = data.replace(b"\n", b"\r\n")
    elif ends == "mixed":
        chance = random.Random(draw(st.integers(0, 99)))
        data = b"".join(line + chance.choice([b"\n", b"\r\n"]) for line in data.split(b"\n"))
    if draw(st.booleans()):
        data = data.rstrip(b"\r\n")
    if draw(st.integers(0, 9)) == 0 and data:
        at = draw(st.integers(0, len(data)))
        data = (
            data[:at]
            + draw(st.sampled_from([b"\xff\xfe", b"\x80", b"\xed\xa0\x80", b"\x00", b"\r"]))
            + data[at:]
        )
    return (BOM if draw(st.integers(0, 9)) == 0 else b"") + data


def block_of(entry: Entry) -> Span:
    return entry.whole


def signs(document: Document) -> Counter[tuple[Form, str]]:
    return Counter((e.form, e.hash) for e in document.entries if e.form is not Form.HEADING)


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "invalid UTF-8, NUL, BOM, CRLF, CR, mixed, no final newline, form feed, U+2028",
    "every byte outside of the changed lines stays",
)
@given(markdown())
@settings(max_examples=150, deadline=None)
def test_spans_are_disjoint_in_order_and_give_every_byte_back(data: bytes) -> None:
    document = parse(data)
    rendered, at = b"", 0
    for entry in document.entries:
        assert at <= entry.span.start < entry.span.end <= len(data)
        rendered += data[at : entry.span.start] + data[entry.span.start : entry.span.end]
        at = entry.span.end
        assert data.count(b"\n", 0, entry.span.start) == entry.start_line - 1
    assert rendered + data[at:] == data
    assert parse(data) == document
    assert len({entry.address for entry in document.entries}) == len(document.entries)


@given(markdown())
@settings(max_examples=150, deadline=None)
def test_no_word_of_a_file_is_outside_of_entries_headings_and_header(data: bytes) -> None:
    document = parse(data)
    header = document.front_matter.body if document.front_matter else 0
    covered = [(e.span.start, e.span.end) for e in document.entries]
    covered += [(document.line_starts[h.first], document.line_starts[h.last]) for h in document.headings]
    covered.append((0, header))
    marks = sorted(covered)
    gaps = [data[a[1] : b[0]] for a, b in pairwise([(0, 0), *marks, (len(data), 0)])]
    for gap in gaps:
        # Between them are blank lines, thematic breaks, marks of lists without words, comments of ours.
        rest = re.sub(rb"<!-- wb:[^>]*-->", b"", gap.removeprefix(BOM)).decode("utf-8", "replace")
        assert not re.search(r"[^\s\-*_+=>#|`~.\d)]", rest), rest


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "invalid UTF-8, NUL, BOM, CRLF, CR, mixed, no final newline, form feed, U+2028",
)
@given(markdown(), st.data())
@settings(max_examples=150, deadline=None)
def test_taking_an_entry_out_leaves_every_byte_outside_of_it(data: bytes, choice: st.DataObject) -> None:
    document = parse(data)
    if not document.entries:
        return
    entry = choice.draw(st.sampled_from(document.entries))
    try:
        after = take_out(document, [entry])
    except NotCuratableError:
        span = block_of(entry)  # only where what stands around it would really be read as something else
        without = parse(data[: span.start] + data[span.end :])
        assert entry.parts > 1 or not stands(document, without, [span])
        return
    span = block_of(entry)
    assert after.startswith(data[: span.start])
    assert after.endswith(data[span.end :])
    left = after[span.start : len(after) - (len(data) - span.end)]
    if entry.parts == 1:
        assert not left.strip(b"\r\n")
    else:
        outside = data[span.start : entry.span.start] + data[entry.span.end : span.end]
        kept = iter(left)
        assert all(byte in kept for byte in b"".join(outside.split()))  # in its order, whatever parts it now


@given(markdown(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_mark_on_an_entry_changes_no_byte_outside_of_it_and_no_address(
    data: bytes, choice: st.DataObject
) -> None:
    document = parse(data)
    if not document.entries:
        return
    entry = choice.draw(st.sampled_from(document.entries))
    try:
        after = annotate(document, entry, {"pinned": "2026-03-14"})
    except NotCuratableError:
        return
    span = block_of(entry)
    assert after.startswith(data[: span.start])
    assert after.endswith(data[span.end :])
    assert [e.address for e in parse(after).entries] == [e.address for e in document.entries]


@given(markdown(), block(NEW), st.sampled_from(["Facts", "Same heading", "harbour"]))
@settings(max_examples=150, deadline=None)
@example(b"# Facts\nTitle\n===\n", "new", "Facts")
@example(b"# Facts\n- a\n# Title\n", "new", "Facts")
def test_a_new_item_keeps_every_byte_and_every_other_entry(data: bytes, text: str, section: str) -> None:
    text = text.replace("\r", " ").replace("\x00", " ").strip()
    document = parse(data)
    try:
        after = with_item(document, text, provenance({"id": "m000001"}), section)[0].data
    except NotCuratableError:
        return
    start = next(
        (n for n, (a, b) in enumerate(zip(data, after, strict=False)) if a != b), min(len(data), len(after))
    )
    assert len(after) > len(data)
    assert any(after.endswith(data[at:]) and after.startswith(data[:at]) for at in range(start, -1, -1))
    found = parse(after)
    mine = [e for e in found.entries if e.provenance and e.provenance.get("id") == "m000001"]
    if any(e.form is Form.ITEM for e in mine):
        lost = signs(document) - signs(found)
        assert not lost, lost
        assert {h.path[-1] for h in document.headings} <= {h.path[-1] for h in found.headings}


ALONE = st.lists(block(BLOCKS), max_size=5).map(lambda blocks: "".join(f"{piece}\n\n" for piece in blocks))


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "edits elsewhere in the file",
    "an address finds its entry or nothing, never another text",
)
@given(ALONE, block(), ALONE, ALONE, ALONE, st.booleans())
@settings(max_examples=150, deadline=None)
def test_an_address_finds_its_entry_after_edits_elsewhere_or_nothing(
    before: str, own: str, after: str, new_before: str, new_after: str, keep: bool
) -> None:
    """Other blocks come, go and change places: the same text is found, or nothing, never another text."""
    document = parse(f"{before}{own}\n\n{after}".encode())
    parts = [new_before, own + "\n\n" if keep else "", new_after]
    edited = parse("".join(parts).encode())
    for entry in document.entries:
        try:
            found = edited.find(entry.address)
        except EntryNotFoundError:
            continue
        assert found.hash == entry.hash
        assert " ".join(found.text.split()) == " ".join(entry.text.split()) or not found.text.isascii()


@given(st.lists(st.sampled_from(["same", "same", "other"]), min_size=1, max_size=6), st.data())
@settings(max_examples=100, deadline=None)
def test_of_equal_entries_each_address_means_one_or_none_and_always_that_text(
    words: list[str], choice: st.DataObject
) -> None:
    """Equal texts are counted from the top. When one of them goes, the last number of them means nothing."""
    document = parse("".join(f"- {word}\n" for word in words).encode())
    gone = choice.draw(st.sampled_from(document.entries))
    edited = parse(take_out(document, [gone]))
    equal = [e for e in document.entries if e.hash == gone.hash]
    with pytest.raises(EntryNotFoundError):
        edited.find(equal[-1].address)
    for entry in document.entries:
        if entry.hash != gone.hash:
            assert edited.find(entry.address).text == entry.text
    assert len({edited.find(e.address).span for e in equal[:-1]}) == len(equal) - 1


@given(markdown(), markdown(), st.data())
@settings(max_examples=120, deadline=None)
def test_taking_a_removal_back_gives_every_byte_back_also_after_an_agent_appended(
    data: bytes, more: bytes, choice: st.DataObject
) -> None:
    document = parse(data)
    if not document.entries:
        return
    try:
        after = take_out(document, [choice.draw(st.sampled_from(document.entries))])
    except NotCuratableError:
        return
    assert revert(data, after, after) == data
    if after.endswith(b"\n") and data.endswith(b"\n"):
        appended = revert(data, after, after + b"- appended\n")
        assert appended.count(b"- appended\n") == 1
        assert appended.replace(b"- appended\n", b"") == data


def work(action: Callable[[], object]) -> int:
    """How many functions ``action`` calls: a measure of its work that no clock and no load can change."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls


SHAPES: dict[str, Callable[[int], bytes]] = {
    "brackets": lambda n: b"[" * n,
    "link openers": lambda n: b"[a](" * n,
    "emphasis": lambda n: b"*a **b " * n,
    "nested lists in one line": lambda n: b"- " * n + b"deep",
    "nested lists in many lines": lambda n: b"".join(b"  " * k + b"- x\n" for k in range(math.isqrt(n))),
    "nested quotes": lambda n: b"> " * n + b"deep",
    "nested quotes and lists": lambda n: b"> - " * n + b"deep",
    "backticks": lambda n: b"`" * n + b"a",
    "open comments": lambda n: b"<!-- " * n,
    "table cells": lambda n: b"|" + b"a|" * n + b"\n|" + b"-|" * n + b"\n",
    "headings": lambda n: b"# a\n" * n,
    "items": lambda n: b"".join(b"- item %d\n" % k for k in range(n)),
    "equal items": lambda n: b"- same\n" * n,
    "blank lines": lambda n: b"\n" * n,
    "carriage returns": lambda n: b"a\r" * n,
    "one long word": lambda n: b"x" * (10 * n),
    "one long line": lambda n: b"word " * n,
    "blanks": lambda n: b"- a" + b" " * n + b"b <!-- wb: id=m1 -->",
    "blanks in a comment": lambda n: b"- a <!--" + b" " * n + b"wb:",
    "sentence ends": lambda n: b"." * n + b"'" * n + b"x",
    "provenance comments": lambda n: b"- a " + b"<!-- wb: id=m1 " * n,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_at_most_about_twice_the_work(shape: str) -> None:
    make = SHAPES[shape]
    assert parse(make(30_000)).data
    small, large = (work(lambda: parse(make(size))) for size in (2_000, 4_000))  # noqa: B023
    assert large <= 2.6 * small + 2_000, f"{small} calls became {large}"


def test_forgetting_many_entries_reads_the_file_a_bounded_number_of_times() -> None:
    document = parse(b"".join(b"* item %d\n\ntext %d\n\n" % (k, k) for k in range(400)))
    few, many = (
        work(lambda: take_out(document, [e for e in document.entries if e.form is Form.ITEM][:count]))  # noqa: B023
        for count in (10, 200)
    )
    assert many <= 6 * few  # twenty times as many


@given(st.text(min_size=WINDOW, max_size=3 * WINDOW) | st.text("ab1.é漢 \n", min_size=WINDOW, max_size=900))
def test_a_text_fits_the_window_by_its_word_pieces_alone(text: str) -> None:
    assert fits(text) == (len(text) <= WINDOW or word_pieces(text) <= WINDOW)


@pytest.mark.promise("Names, encodings, paths, clocks", "a million lines, 200 MB, a line of 5 MB")
def test_a_line_of_five_megabytes_of_words_is_divided_without_loss() -> None:
    data = b"- " + b"word and more. " * 333_334 + b"\n"
    document = parse(data)
    assert b"".join(data[e.span.start : e.span.end] for e in document.entries) == data[2:]
    assert len(document.entries) > 1_000


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "a million lines, 200 MB, a line of 5 MB",
    "read completely, nothing is dropped",
)
@pytest.mark.faults
def test_a_million_lines_are_read_whole() -> None:
    data = b"".join(b"- item %d\n" % n + b"  more of it\n" * 49 for n in range(20_000))
    document = parse(data)
    assert len(document.entries) == 20_000
    assert document.entries[-1].end_line == 1_000_000
    assert sum(e.span.end - e.span.start for e in document.entries) == len(data)


@pytest.mark.promise("Names, encodings, paths, clocks", "a million lines, 200 MB, a line of 5 MB")
@pytest.mark.faults
def test_a_file_of_two_hundred_megabytes_is_read_whole() -> None:
    line = b"w" * 990 + b"\n"  # to count the words of so much text takes longer than to read it
    data = b"".join(line * 1_000 + b"\n" for _ in range(202))
    document = parse(data)
    assert len(data) >= 200_000_000
    assert sum(e.span.end - e.span.start for e in document.entries) == len(data) - 202


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("**Brake pads:** worn", "Brake pads: worn"),
        ("*a*, __b__ and ~~c~~", "a, b and c"),
        ("**a *b* c**", "a b c"),
        ("***all***", "all"),
        ("`__init__` and **x**", "`__init__` and x"),
        ("2*3*4, snake_case_name, path/_part_/x", "2*3*4, snake_case_name, path/_part_/x"),
        ("**open, and * a star * too", "**open, and * a star * too"),
    ],
)
def test_a_title_for_people_has_no_marks_of_emphasis(line: str, plain: str) -> None:
    (entry,) = parse_document(RelPath("memory/a.md"), f"- {line}\n".encode(), Kind.NOTE).entries
    assert (entry.title, entry.plain_title) == (line, plain)
