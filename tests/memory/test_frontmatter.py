"""Front matter is read without trust and changed without a rewrite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.safe_yaml import MAX_BYTES
from workbench.memory.frontmatter import read_front_matter, set_front_matter


def test_values_stay_the_text_that_is_written() -> None:
    header = read_front_matter(b"---\na: no\nb: 012\nc: 12:30:45\nd: 2026-03-01\ne: [x, 'y z']\n---\n")
    assert header is not None
    assert header.values == {"a": "no", "b": "012", "c": "12:30:45", "d": "2026-03-01", "e": ["x", "y z"]}


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x\n",
        "a: !!python/object/apply:os.system [true]\n",
        "a: " + "[" * 3000 + "]" * 3000,
        "a: {" * 30 + "}" * 30,
        "? [complex]\n: 1\n",
        "a: b: c\n",
        "\ta: 1\n",
        "x: " + "y" * (MAX_BYTES + 1),
        "a: " + "[" + "1," * 20_000 + "]",
    ],
)
def test_what_front_matter_has_no_business_holding_is_refused_with_a_note(text: str) -> None:
    header = read_front_matter(f"---\n{text}\n---\nbody\n".encode())
    assert header is not None
    assert header.problem
    assert header.values == {}


def test_of_a_key_that_comes_twice_the_first_counts() -> None:
    header = read_front_matter(b"---\na: 1\na: 2\n---\n")
    assert header is not None
    assert header.text("a") == "1"


@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    read_front_matter(b"---\n" + data + b"\n---\n")


def test_only_the_line_of_the_changed_key_is_replaced() -> None:
    data = b"---\r\nid: e1   # keep\r\npromoted_at: \r\nlist: [a,  b]\r\n---\r\nbody\r\n"
    assert set_front_matter(data, "promoted_at", "2026-03-20") == data.replace(
        b"promoted_at: ", b"promoted_at: 2026-03-20"
    )
    assert set_front_matter(data, "new", "1") == data.replace(b"]\r\n---", b"]\r\nnew: 1\r\n---")


def test_without_front_matter_there_is_nothing_to_change() -> None:
    with pytest.raises(ValueError, match="no front matter"):
        set_front_matter(b"body\n", "a", "1")


@pytest.mark.parametrize(
    "between",
    ["\nNotes of the day\n\n- important fact\n\n", "- a\n- b\n", "plain words\n", "*emphasis* here\n"],
)
def test_text_between_thematic_breaks_is_body(between: str) -> None:
    assert read_front_matter(f"---\n{between}---\n\n- other\n".encode()) is None


def test_a_mapping_that_is_malicious_or_too_large_stays_a_header_with_a_problem() -> None:
    for text in ("a: &x [1]\nb: *x\n", "id: e1\n" + "x: yy\n" * MAX_BYTES, "{a: !!tag 1}\n"):
        header = read_front_matter(f"---\n{text}---\nbody\n".encode())
        assert header is not None
        assert header.problem


@pytest.mark.parametrize(
    "header",
    [
        "{id: e9, trust: agent}",
        "id: e9\nabstract: |\n  x\n  y\n ",
        "id: e9\nnested: {\npromoted_at: 1}",
        "id: [\n",
    ],
)
def test_a_header_that_the_change_would_break_is_left_alone(header: str) -> None:
    data = f"---\n{header}\n---\n- fact\n".encode()
    after = set_front_matter(data, "promoted_at", "2026-03-20")
    found = read_front_matter(after)
    assert found is not None
    assert after == data or (found.problem is None and found.text("promoted_at") == "2026-03-20")
    assert found.text("id") == ("e9" if "e9" in header else None)


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("pinned: false # on trial", "pinned: true # on trial"),
        ("pinned: # later", "pinned: true # later"),
        ("pinned: 'a # b'", "pinned: true"),
        ("pinned: a#b", "pinned: true"),
    ],
)
def test_a_comment_behind_a_value_stays_when_the_value_changes(line: str, after: str) -> None:
    data = f"---\nid: x\n{line}\r\n---\ntext\n".encode()
    assert set_front_matter(data, "pinned", "true").decode() == f"---\nid: x\n{after}\r\n---\ntext\n"
