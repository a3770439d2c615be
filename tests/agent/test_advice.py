"""Errors as agents are told them: what happened, and what to do next."""

from __future__ import annotations

import errno

import pytest

from tests.agent.conftest import Given, Person
from workbench.agent.federated_search import READ_ONLY
from workbench.agent.tools.tool import ToolError, advice, call_tool
from workbench.errors import (
    AmbiguousEntryError,
    BusyError,
    ConflictError,
    EntryNotFoundError,
    IndexUnavailableError,
    NoGitError,
    NoRepositoryError,
    NotMemoryError,
    ReadOnlyError,
    UsageError,
    WorkbenchError,
    disk_error,
)
from workbench.workspace import transaction
from workbench.workspace.locks import hold

TOLD = [
    (EntryNotFoundError("memory/a.md#abcd"), "Call memory_search or memory_graph_query again"),
    (AmbiguousEntryError("a#1", ["a#12", "a#13"]), "a#12, a#13"),
    (NotMemoryError("/etc/passwd"), "Use a path of a memory_search result"),
    (BusyError("undo (process 7) holds operations.lock"), "Wait a few seconds and call again"),
    (disk_error(OSError(errno.EROFS, "read-only file system", "graph")), "Nothing can be stored here"),
    (
        disk_error(OSError(errno.ENOSPC, "no space left", "graph")),
        "Tell the person that writing to disk failed",
    ),
    (NoGitError(), "nothing can be stored without git"),
    (NoRepositoryError("/srv/agent"), "`workbench init`"),
    (
        IndexUnavailableError("there is no index yet", hint="run `workbench reindex`"),
        "Until then use memory_get",
    ),
    (ConflictError("newer text is in the way"), "Read it again, then decide"),
]


@pytest.mark.parametrize(("error", "following"), TOLD, ids=[type(error).__name__ for error, _ in TOLD])
def test_each_error_says_what_to_do_next(error: WorkbenchError, following: str) -> None:
    told = advice(error)
    assert following in told
    assert error.message.split("\n")[0][:20] in told


def test_what_was_not_changed_is_said_where_something_would_have_been() -> None:
    error = UsageError("that makes no sense")
    assert advice(error, writes=True) == "that makes no sense. Nothing was changed."
    assert advice(error) == "that makes no sense."


def test_hints_for_people_are_not_passed_on_to_agents() -> None:
    error = WorkbenchError("it holds a secret", hint="`workbench promote --allow-secret` promotes it anyway")
    assert "--allow-secret" not in advice(error)


def test_a_member_is_told_exactly_this() -> None:
    assert advice(ReadOnlyError(READ_ONLY)) == "memory is read-only for team members"


def test_what_an_error_quotes_is_visible_and_masked() -> None:
    told = advice(UsageError("bad name \x1b[2J\u202e AKIAIOSFODNN7EXAMPLE\nsecond line"))
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "IOSFODNN7" not in told
    assert len(told.splitlines()) == 1
    assert len(advice(UsageError("x" * 100_000))) <= 1_000


def test_a_workspace_that_somebody_else_writes_is_told_as_busy(
    given: Given, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.sets(agent_writes="store")
    given.reopen()
    monkeypatch.setattr(transaction, "_LOCK_SECONDS", 0.0)
    with (
        hold(given.workspace.state_dir() / "operations.lock", "reindex"),
        pytest.raises(ToolError) as refused,
    ):
        call_tool(given.session(), "memory_graph_store", {"text": "Likes tea"})
    assert "reindex (process" in str(refused.value)
    assert "call again, at most three times" in str(refused.value)
    assert call_tool(given.session(), "memory_graph_store", {"text": "Likes tea"})["status"] == "stored"
