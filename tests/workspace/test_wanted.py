"""A filter of operations takes any text, and finds what was meant."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.memory.entry import RelPath
from workbench.repository.objects import CommitId
from workbench.workspace.plan import Operation, OperationId
from workbench.workspace.revisions import wanted

DONE = Operation(
    id=OperationId("00112233aabb"),
    commit=CommitId("ff" * 20),
    action="promote",
    summary="promote: The staging port is 8443",
    when=datetime(2026, 3, 14, 12, tzinfo=UTC),
    actor="human",
    reason="asked for twice",
    entries=("memory/2026-03-14.md#abc",),
    paths=(RelPath("MEMORY.md"),),
)
PLAIN = Operation(
    id=OperationId("ffffffffffff"), commit=CommitId("ee" * 20), action="commit", summary="by hand",
    when=datetime(2026, 3, 14, 12, tzinfo=UTC), actor="Sarah",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "staging", "STAGING port", '"staging port"', "by:hum", "action:promote", "path:memory.md",
     "on:2026-03", "twice", "0011", "-tantivy", "by:human action:promote staging", "BY:human",
     "nonsense: -x staging"],
)  # fmt: skip
def test_found(text: str) -> None:
    assert wanted(text).holds(DONE) is (text != "nonsense: -x staging")


@pytest.mark.parametrize(
    "text",
    ["tantivy", '"port staging"', "by:agent", "action:forget", "path:logs", "on:2026-04", "-staging", "22"],
)
def test_left_out(text: str) -> None:
    assert not wanted(text).holds(DONE)


def test_a_plain_commit_is_called_git() -> None:
    assert wanted("action:git by:sarah").holds(PLAIN)
    assert not wanted("action:git").holds(DONE)


@given(st.text())
def test_any_text_is_a_filter(text: str) -> None:
    assert wanted(text).holds(DONE) in (True, False)
