"""Taking a change back from a later version."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.memory.file_edit import OverlapError, revert, split_lines

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"\r\n", b"\n"]), max_size=12).map(b"".join)
ENDS = st.sampled_from([b"", b"end"])
FILES = st.tuples(LINES, ENDS).map(b"".join)


@given(FILES, FILES)
@settings(max_examples=150)
def test_an_untouched_change_is_taken_back_byte_for_byte(before: bytes, after: bytes) -> None:
    assert revert(before, after, after) == before


@given(FILES, FILES, LINES)
@settings(max_examples=150)
def test_lines_added_later_survive(before: bytes, after: bytes, later: bytes) -> None:
    added = b"".join(b"new " + line for line in split_lines(later))
    current = (after if after.endswith(b"\n") or not after else after + b"\n") + added
    try:
        result = revert(before, after, current)
    except OverlapError:
        return
    kept = split_lines(result)
    for line in split_lines(added):
        assert line in kept or line.rstrip(b"\n") in kept


def test_an_added_line_goes_although_lines_were_added_right_beside_it() -> None:
    assert revert(b"a\n", b"a\nP\n", b"a\nP\nQ\n") == b"a\nQ\n"


def test_a_removed_line_returns_beside_its_old_neighbour() -> None:
    assert revert(b"a\nx\nb\n", b"a\nb\n", b"new\na\nmore\nb\n") == b"new\na\nx\nmore\nb\n"


def test_a_removed_line_returns_although_both_neighbours_are_gone() -> None:
    assert revert(b"a\nx\nb\n", b"a\nb\n", b"q\n") in (b"x\nq\n", b"q\nx\n")


def test_a_block_that_moved_as_a_whole_is_found() -> None:
    assert revert(b"a\nb\n", b"a\nP\nb\n", b"b\nzz\nP\n") == b"b\nzz\n"


def test_an_edited_line_is_never_overwritten() -> None:
    with pytest.raises(OverlapError):
        revert(b"a\n", b"a\nP\n", b"a\nP edited\n")


def test_a_missing_last_line_end_is_given_where_lines_follow() -> None:
    assert revert(b"a\nx", b"a\n", b"a\nnew\n") == b"a\nx\nnew\n"


@st.composite
def operations_and_later_edits(
    draw: st.DrawFn, alphabet: st.SearchStrategy[str] | None = None
) -> tuple[list[str], list[str], list[str]]:
    """A file before an operation, after it, and after a person added to it and moved blocks around."""
    count = draw(st.integers(3, 8))
    before = [f"line {n}\n" for n in range(count)]
    if alphabet is not None:
        before = draw(st.lists(alphabet, min_size=3, max_size=8))
    after = list(before)
    for n in range(draw(st.integers(0, 2))):
        after.insert(
            draw(st.integers(0, len(after))), f"written {n}\n" if alphabet is None else draw(alphabet)
        )
    for _ in range(draw(st.integers(0, 2))):
        del after[draw(st.integers(0, len(after) - 1))]
    current = list(after)
    for n in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            current.insert(draw(st.integers(0, len(current))), f"person {n}\n")
        elif current:
            first = draw(st.integers(0, len(current) - 1))
            block = current[first : first + draw(st.integers(1, 4))]
            del current[first : first + len(block)]
            to = draw(st.integers(0, len(current)))
            current[to:to] = block
    return before, after, current


def taken_back(before: list[str], after: list[str], current: list[str]) -> list[str]:
    files = ["".join(lines).encode() for lines in (before, after, current)]
    return [line.decode() for line in split_lines(revert(*files))]


@given(operations_and_later_edits())
@settings(max_examples=600, deadline=None)
def test_undo_takes_what_was_written_returns_what_was_removed_and_keeps_all_else_in_order(
    versions: tuple[list[str], list[str], list[str]],
) -> None:
    before, after, current = versions
    try:
        result = taken_back(before, after, current)
    except OverlapError:
        return
    removed = [line for line in before if line not in after]
    assert [line for line in result if line not in removed] == [
        line for line in current if not line.startswith("written")
    ]
    assert sorted(line for line in result if line in removed) == sorted(removed)


@given(operations_and_later_edits(st.sampled_from(["a\n", "b\n", "c\n", "\n", "## H\n"])))
@settings(max_examples=150, deadline=None)
def test_undo_keeps_the_count_of_every_line_also_where_lines_repeat(
    versions: tuple[list[str], list[str], list[str]],
) -> None:
    before, after, current = map(Counter, versions)
    try:
        result = Counter(taken_back(*versions))
    except OverlapError:
        return
    expected = Counter(current)
    expected.update(before)
    expected.subtract(after)
    assert +result == +expected


def test_undo_finds_each_of_two_changes_when_their_sections_changed_places() -> None:
    before = b"# M\n\n## A\n\n- a1\n\n## B\n\n- b1\n"
    after = b"# M\n\n## A\n\n- a1\n- pa\n\n## B\n\n- b1\n- pb\n"
    current = b"# M\n\n## B\n\n- b1\n- pb\n\n## A\n\n- a1\n- pa\n- newer\n"
    assert revert(before, after, current) == b"# M\n\n## B\n\n- b1\n\n## A\n\n- a1\n- newer\n"


def test_an_equal_line_that_the_operation_did_not_write_is_never_taken() -> None:
    before = b"## A\n- same\n- a\n\n## B\n- b\n"
    with pytest.raises(OverlapError):
        revert(before, before + b"- same\n", before + b"- mine\n")


def test_a_removed_line_returns_to_its_section_after_the_sections_changed_places() -> None:
    before = b"## A\n\n- a1\n- a2\n- a3\n\n## B\n\n- x\n- y\n"
    after = b"## A\n\n- a1\n- a2\n- a3\n\n## B\n\n- y\n"
    current = b"## B\n\n- y\n\n## A\n\n- a1\n- a2\n- a3\n"
    assert revert(before, after, current) == b"## B\n\n- x\n- y\n\n## A\n\n- a1\n- a2\n- a3\n"


def test_what_stood_below_a_rewritten_line_does_not_return_into_the_middle_of_its_block() -> None:
    before = b"- one\n  continued\n- two\n"
    after = b"- one\n  continued\n"
    current = b"- one\n  continued, and changed\n"
    assert revert(before, after, current) == current + b"- two\n"
    spaced = b"first\nsecond\n\nquote\n\n\n"
    assert revert(spaced, b"first\nsecond\n\n\n\n", b"first\nnew\n\n\n\n") == (b"first\nnew\n\nquote\n\n\n")


def test_lines_added_to_two_sections_go_although_newer_ones_stand_between_them() -> None:
    after = b"# M\n\n## A\n\n- a\n\n## B\n\n- b\n"
    current = after.replace(b"- a\n", b"- a\n- newer a\n") + b"- newer b\n"
    assert revert(b"", after, current) == b"- newer a\n- newer b\n"


def test_a_line_that_was_put_between_two_of_one_paragraph_is_in_the_way() -> None:
    with pytest.raises(OverlapError):
        revert(b"", b"one\ntwo\n", b"one\nnewer\ntwo\n")


@given(
    st.lists(st.sampled_from(["w", "", "w", "## H"]), min_size=1, max_size=8),
    st.lists(st.integers(0, 8), max_size=3),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_of_an_insertion_all_goes_and_nothing_newer_with_it(
    kinds: list[str], newer: list[int], stands_alone: bool
) -> None:
    added = [f"{kind} {n}\n" if kind else "\n" for n, kind in enumerate(kinds)]
    around = [] if stands_alone else ["above\n", "\n", "below\n"]
    before, after = around, [*around[:2], *added, *around[2:]]
    current = list(after)
    for n, at in enumerate(newer):
        current.insert(at, f"newer {n}\n")
    try:
        result = taken_back(before, after, current)
    except OverlapError:
        return
    assert [line for line in result if line.strip()] == [
        line for line in current if line.startswith(("newer", "above", "below"))
    ]
