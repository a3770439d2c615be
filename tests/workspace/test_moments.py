"""A moment is an operation, a commit or a day, and names one commit or says why it does not."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.support.workspaces import LOG, Sandbox
from workbench.errors import AmbiguousOperationError, OperationNotFoundError, UsageError, WorkbenchError
from workbench.operations.forget import plan_forget
from workbench.workspace.plan import Operation
from workbench.workspace.revisions import commit_at


@pytest.fixture(autouse=True)
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A clock nine hours ahead of UTC, so that a local day differs from the same day in UTC."""
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def commit_on(sandbox: Sandbox, when: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A commit with that date as committer date; its id."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", when)
    sandbox.git("commit", "-q", "--allow-empty", "-m", when)
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    return sandbox.git("rev-parse", "HEAD").strip()


@pytest.fixture
def dated(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A history of its own: commits on 1, 3 and, by the local clock, 4 March 2020."""
    sandbox.git("checkout", "-q", "--orphan", "other")
    days = ("2020-03-01T12:00:00+09:00", "2020-03-03T23:59:59+09:00", "2020-03-03T15:00:00+00:00")
    return [commit_on(sandbox, day, monkeypatch) for day in days]


def forget(sandbox: Sandbox, words: str) -> Operation:
    place = sandbox.workspace
    return place.operations.carry_out(lambda: plan_forget(place, [sandbox.address(words)]))


@pytest.mark.parametrize(
    ("day", "number"),
    [("2020-03-01", 0), ("2020-03-02", 0), ("2020-03-03", 1), ("2020-03-04", 2), ("9999-12-31", 2)],
)
def test_a_day_means_the_last_commit_by_its_local_end(
    sandbox: Sandbox, dated: list[str], day: str, number: int
) -> None:
    assert commit_at(sandbox.workspace.history, day).id == dated[number]


def test_a_day_before_the_history_says_when_it_begins(sandbox: Sandbox, dated: list[str]) -> None:
    with pytest.raises(UsageError, match="begins on 2020-03-01"):
        commit_at(sandbox.workspace.history, "2020-02-29")


def test_a_day_follows_the_branch_and_not_what_was_merged_into_it(
    sandbox: Sandbox, dated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.git("checkout", "-q", "-b", "side", dated[0])
    commit_on(sandbox, "2020-03-02T12:00:00+09:00", monkeypatch)
    sandbox.git("checkout", "-q", "other")
    sandbox.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    assert commit_at(sandbox.workspace.history, "2020-03-02").id == dated[0]


def test_an_operation_or_commit_is_named_by_its_first_digits(sandbox: Sandbox) -> None:
    first, second = forget(sandbox, "staging port"), forget(sandbox, "tantivy")
    history = sandbox.workspace.history
    for name in (first.id, first.id[:8], first.commit, first.commit[:8].upper(), f" {first.id} "):
        assert commit_at(history, name).id == first.commit
    assert commit_at(history, second.id).id == second.commit


def test_digits_that_fit_several_are_refused_with_the_candidates(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter(["abcd11111111", "abcd22222222"])
    monkeypatch.setattr("workbench.workspace.transaction.secrets.token_hex", lambda _: next(ids))
    forget(sandbox, "staging port")
    forget(sandbox, "tantivy")
    with pytest.raises(AmbiguousOperationError) as several:
        commit_at(sandbox.workspace.history, "abcd")
    assert "abcd11111111" in several.value.hint
    assert "abcd22222222" in several.value.hint


@pytest.mark.parametrize("name", ["", "abc", "HEAD", "--all", "HEAD~1", "deadbeef0000", "yesterday"])
def test_what_names_no_moment_is_said_to_be_none(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(OperationNotFoundError, match="operation"):
        commit_at(sandbox.workspace.history, name)


def test_a_day_that_is_in_no_calendar_is_wrong_usage(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="calendar"):
        commit_at(sandbox.workspace.history, "2026-02-30")


def test_a_history_without_commits_has_no_moments(sandbox: Sandbox) -> None:
    sandbox.git("update-ref", "-d", "HEAD")
    for moment in ("2026-03-14", "abcdef"):
        with pytest.raises(WorkbenchError):
            commit_at(sandbox.workspace.history, moment)
    assert sandbox.read(LOG)
