"""A program that was running read-only reads everything and writes no memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from screens.search.recent import RecentSearches
from tests.support.workspaces import LOG, Sandbox
from workbench.agent.usage import GivenEntry, record_recalls
from workbench.config.read_only import VARIABLE
from workbench.errors import ReadOnlyError
from workbench.health.checks import examine
from workbench.health.finding import Check, Finding
from workbench.health.subject import CheckSubject
from workbench.operations.edit_settings import set_own
from workbench.operations.forget import plan_forget
from workbench.workspace.state_files import searches


def test_no_operation_is_carried_out(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    before, address = sandbox.snapshot(), sandbox.address("staging port")
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(ReadOnlyError, match="running read-only"):
        sandbox.workspace.operations.carry_out(lambda: plan_forget(sandbox.workspace, [address]))
    assert sandbox.snapshot() == before


def test_nothing_is_appended(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    given = [GivenEntry(sandbox.address("staging port"), "x", 1.0)]
    why = record_recalls(sandbox.workspace, given, query="q", by="inject", now=datetime.now(UTC))
    assert "running read-only" in (why or "")
    assert not (sandbox.root / "_system").exists()
    assert sandbox.read(LOG)


def test_no_setting_is_written_and_nothing_repaired(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "settings.yaml"
    monkeypatch.setenv("WORKBENCH_CONFIG", str(own))
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(ReadOnlyError, match="running read-only"):
        set_own("theme", "light")
    assert not own.exists()
    done: list[str] = []

    def repair() -> str:
        done.append("repaired")
        return "repaired"

    broken = Finding(what="it is broken", repair=repair)
    check = Check("index", "it", lambda _: iter(["", broken]))
    (outcome,) = examine(CheckSubject(sandbox.workspace), fix=True, checks=(check,))
    assert "running read-only" in (outcome.findings[0].refused or "")
    assert done == []


def test_a_search_is_remembered_until_the_end_of_the_run(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    recent = RecentSearches(sandbox.workspace)
    recent.add("staging port")
    assert recent.texts == ("staging port",)
    assert searches(sandbox.workspace.cache_dir()) == ()
