"""Where a memory came from, written and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.provenance import least_trusted, provenance, split_provenance

VALUES = st.binary(min_size=1, max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape"))


@given(VALUES)
def test_any_file_name_is_read_back_as_it_was_written(name: str) -> None:
    written = provenance({"src": name, "trust": "agent"})
    text = written.render()
    assert text.isascii()
    rest, found = split_provenance(f"words {text}")
    assert (rest, found) == ("words", written)


@pytest.mark.parametrize(
    ("said", "least"),
    [
        (("owner", "owner"), "owner"),
        (("owner", "agent"), "agent"),
        (("external", "agent"), "external"),
        (("owner", None), "unknown"),
        (("owner", "highest"), "unknown"),
    ],
)
def test_the_least_trusted_origin_counts(said: tuple[str | None, ...], least: str) -> None:
    assert least_trusted(*said) == least
