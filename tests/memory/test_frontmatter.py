"""Front matter is read without trust and changed without a rewrite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.frontmatter import MAX_BYTES, read_front_matter, set_front_matter


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
        "- not\n- a mapping\n",
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
