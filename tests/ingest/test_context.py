"""Clearing workspace-context.md: every word of it is kept, and what an agent still uses is left alone."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.workspaces import Sandbox
from workbench.errors import NotCuratableError
from workbench.ingest.workspace_context import CONTEXT, plan_clear_context
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

NOW = datetime(2026, 3, 20, 3, 30, tzinfo=UTC)
ARCHIVE = "_system/archive/workspace-context-2026-03.md"
TEXT = "# Context\n\n## In progress\n\n- the pilot\n\n## Finished today\n\n- gauge 7\n"


def written(sandbox: Sandbox, text: str | bytes, *, ago: timedelta = timedelta(hours=3)) -> None:
    path = sandbox.write(CONTEXT, text)
    then = (NOW - ago).timestamp()
    os.utime(path, (then, then))


def clear(sandbox: Sandbox, now: datetime = NOW) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_clear_context(place, now=now))


def test_its_words_are_archived_and_its_headings_stay(sandbox: Sandbox) -> None:
    written(sandbox, TEXT)
    clear(sandbox)
    assert sandbox.read(CONTEXT) == b"# Context\n\n## In progress\n\n## Finished today\n\n"
    assert sandbox.read(ARCHIVE).decode() == f"# 2026-03-20 03:30\n\n{TEXT}"


def test_each_night_is_added_to_the_archive_of_its_month(sandbox: Sandbox) -> None:
    written(sandbox, TEXT)
    clear(sandbox)
    written(sandbox, "- other", ago=timedelta(hours=2))
    clear(sandbox)
    archive = sandbox.read(ARCHIVE).decode()
    assert archive.startswith(f"# 2026-03-20 03:30\n\n{TEXT}")
    assert archive.endswith("# 2026-03-20 03:30\n\n- other\n")


def test_undo_brings_it_back(sandbox: Sandbox) -> None:
    written(sandbox, TEXT)
    operation = clear(sandbox)
    sandbox.workspace.operations.carry_out(lambda: plan_undo(sandbox.workspace, operation.id))
    assert sandbox.read(CONTEXT).decode() == TEXT
    assert not (sandbox.root / ARCHIVE).exists()


@pytest.mark.parametrize("text", ["", "# Context\n", "---\na: 1\n---\n\n# Context\n\n## In progress\n"])
def test_what_is_clear_is_left_as_it_is(sandbox: Sandbox, text: str) -> None:
    written(sandbox, text)
    with pytest.raises(NotCuratableError, match="already empty"):
        clear(sandbox)


def test_without_the_file_there_is_nothing_to_do(sandbox: Sandbox) -> None:
    with pytest.raises(NotCuratableError, match="there is no"):
        clear(sandbox)


def test_what_was_just_written_is_left_to_its_writer(sandbox: Sandbox) -> None:
    written(sandbox, TEXT, ago=timedelta(minutes=10))
    with pytest.raises(NotCuratableError, match="recently"):
        clear(sandbox)
    assert sandbox.read(CONTEXT).decode() == TEXT


def test_a_clock_that_went_back_keeps_nothing_for_ever(sandbox: Sandbox) -> None:
    written(sandbox, TEXT, ago=-timedelta(days=400))
    clear(sandbox)
    assert b"the pilot" not in sandbox.read(CONTEXT)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["# A", "## B", "- c", "words", "", "```", "> q", "| a |", "---", "\r"]), max_size=9
    )
)
def test_no_line_is_lost_whatever_the_file_looks_like(lines: list[str]) -> None:
    import tempfile
    from pathlib import Path

    text = "\n".join(lines).encode()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "MEMORY.md").write_text("# M\n")
        (root / CONTEXT).write_bytes(text)
        os.utime(root / CONTEXT, (0, 0))
        place = Workspace.open(root)
        try:
            plan = plan_clear_context(place, now=NOW)
        except NotCuratableError:
            return
        archive, context = plan.edits
        assert archive.after is not None
        assert context.after is not None
        assert text in archive.after
        assert set(context.after.split()) <= set(text.split())
