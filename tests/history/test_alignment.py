"""Lines of two versions, and when text counts as the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.history.text_similarity import SAME_ENTRY, SAME_FILE, entry_likeness, file_likeness
from workbench.history.versions import loses, surroundings
from workbench.memory.file_edit import hunks, kept_lines, split_lines

VERSION = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"- c\r\n", b"\xff\n"]), max_size=9).map(b"".join)
OPEN = st.builds(lambda data, end: data + end, VERSION, st.sampled_from([b"", b"a", b"z"]))


@given(OPEN, OPEN)
def test_a_kept_line_is_the_same_line_and_order_is_kept(before: bytes, after: bytes) -> None:
    old, new = split_lines(before), split_lines(after)
    kept = kept_lines(before, after)
    assert len(kept) == len(new)
    assert all(old[at] == line for at, line in zip(kept, new, strict=True) if at is not None)
    places = [at for at in kept if at is not None]
    assert places == sorted(set(places))


@given(OPEN, OPEN)
def test_every_line_that_is_not_kept_is_in_a_change(before: bytes, after: bytes) -> None:
    found = hunks(before, after)
    kept = kept_lines(before, after)
    assert {n for hunk in found for n in range(hunk.at, hunk.at + len(hunk.new))} == {
        n for n, at in enumerate(kept) if at is None
    }
    lost = set(range(len(split_lines(before)))) - {at for at in kept if at is not None}
    assert {n for hunk in found for n in range(hunk.was, hunk.was + len(hunk.old))} == lost


@given(OPEN, OPEN)
def test_likeness_is_the_same_both_ways_and_whole_for_the_same_text(one: bytes, other: bytes) -> None:
    assert file_likeness(one, other) == file_likeness(other, one)
    assert file_likeness(one, one) == (1.0 if one.strip() else 0.0)
    text = one.decode("utf-8", "replace")
    assert entry_likeness(text, text) == 1.0


def test_the_measures_say_what_a_person_would() -> None:
    assert entry_likeness("Likes tea", "Likes green tea") >= SAME_ENTRY
    assert entry_likeness("The staging port is 8443", "The staging port is now 9000") >= SAME_ENTRY
    assert entry_likeness("The staging port is 8443", "Lisbon was sunny and warm") < SAME_ENTRY
    assert entry_likeness("会議は月曜日です", "会議は火曜日です") >= SAME_ENTRY
    assert entry_likeness("会議は月曜日です", "猫が好きな人") < SAME_ENTRY
    assert file_likeness(b"a\nb\nc\nd\n", b"a\nb\nc\nx\n") > SAME_FILE
    assert file_likeness(b"a\nb\nc\n", b"a\nx\ny\n") < SAME_FILE


def test_the_same_lines_between_other_neighbours_may_be_another_entry() -> None:
    before, after = b"- a\n- b\n- c\n", b"- a\n- b\n  - nested\n- c\n"
    assert surroundings(before, [b"- b"]) != surroundings(after, [b"- b"])
    far = b"- new\n- x\n- y\n" + before
    assert surroundings(far, [b"- b"]) == surroundings(before, [b"- b"])


def test_lost_lines_are_known_by_their_hash_and_kept_ones_are_not() -> None:
    from workbench.memory.entry import entry_hash

    assert loses(b"- a\n- gone <!-- wb: id=1 -->\n", b"- a\n", entry_hash("gone"))
    assert not loses(b"- a\n- gone\n", b"- gone\n- a\n- b\n", entry_hash("b"))
