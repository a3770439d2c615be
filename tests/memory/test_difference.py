"""Taking a change back from a later version."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.memory.difference import OverlapError, revert, split_lines

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"\r\n", b"\n"]), max_size=12).map(b"".join)
ENDS = st.sampled_from([b"", b"end"])
FILES = st.tuples(LINES, ENDS).map(b"".join)


@given(FILES, FILES)
@settings(max_examples=400)
def test_an_untouched_change_is_taken_back_byte_for_byte(before: bytes, after: bytes) -> None:
    assert revert(before, after, after) == before


@given(FILES, FILES, LINES)
@settings(max_examples=400)
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
