"""The nightly run: each step reports, none stops the others, and nothing is decided for the person."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.workspaces import Sandbox
from workbench.backup.create import back_up
from workbench.backup.targets import find_target
from workbench.dreaming.proposals.inbox import pending
from workbench.errors import BusyError
from workbench.health.finding import Finding
from workbench.health.machine_checks import jobs
from workbench.health.subject import CheckSubject
from workbench.jobs.nightly import STEPS, NightlyContext, StepOutcome, nightly
from workbench.jobs.runs import Job, standing
from workbench.workspace.locks import hold

NOW = datetime.now(UTC) + timedelta(hours=2)  # a clock that is behind the commits is not believed
YESTERDAY = NOW.date() - timedelta(days=1)
EPISODE = """---
id: {name}
source_id: {name}:0
created_at: 2025-12-01T10:00:00Z
expires_at: {expires}
l0_abstract: "An old session about the harbour."
---

## Summary

An old session about the harbour.
"""


@pytest.fixture
def evening(sandbox: Sandbox) -> Sandbox:
    """A workspace in which each step has something to do."""
    sandbox.write(
        "episodes/2025/12/old.md",
        EPISODE.format(name="old", expires=f"{NOW - timedelta(days=9):%Y-%m-%dT10:00:00Z}"),
    )
    for number in range(5):
        name = f"new{number}"
        sandbox.write(
            f"episodes/2025/12/{name}.md",
            EPISODE.format(name=name, expires=f"{NOW + timedelta(days=9):%Y-%m-%dT10:00:00Z}"),
        )
    sandbox.write("workspace-context.md", "# Context\n\n- the pilot\n")
    then = (NOW - timedelta(hours=5)).timestamp()
    os.utime(sandbox.root / "workspace-context.md", (then, then))
    sandbox.write(
        "graph/person/sarah.md",
        "---\nname: Sarah\ntype: person\n---\n"
        "- [observation] Wore a red hat <!-- wb: id=m1 occurred_at=2024-01-01 valid_from=2024-01-01 -->\n",
    )
    sandbox.write(
        f"memory/{YESTERDAY}.md",
        f"# {YESTERDAY}\n\n- We decided to keep the staging database on port 5433.\n"
        "- User: I live in Osaka since the spring\n",
    )
    sandbox.commit("evening")
    return sandbox


def run(sandbox: Sandbox, *, only: tuple[str, ...] = (), dry_run: bool = False) -> dict[str, StepOutcome]:
    night = NightlyContext(workspace=sandbox.workspace, now=NOW, dry_run=dry_run)
    return {outcome.step: outcome for outcome in nightly(night, only)}


def files(sandbox: Sandbox) -> dict[str, bytes]:
    return {
        os.path.relpath(path, sandbox.root): path.read_bytes()
        for path in sandbox.root.rglob("*")
        if path.is_file() and not {".git", ".workbench"} & set(path.parts)
    }


def test_every_step_does_its_work_and_says_so(evening: Sandbox, tmp_path: Path) -> None:
    memory = evening.read("MEMORY.md")
    back_up(evening.workspace, find_target(str(tmp_path / "kept")))
    found = run(evening)
    assert list(found) == list(STEPS)
    assert {step: outcome.state for step, outcome in found.items()} == dict.fromkeys(STEPS, "done")
    assert not (evening.root / "episodes/2025/12/old.md").exists()
    assert b"the pilot" not in evening.read("workspace-context.md")
    waiting = {one.action for one in pending(evening.workspace, NOW)}
    assert waiting == {"add", "forget"}
    assert evening.read("MEMORY.md") == memory
    assert b"red hat" in evening.read("graph/person/sarah.md")


def test_what_a_night_did_can_be_taken_back(evening: Sandbox) -> None:
    from workbench.operations.undo import plan_undo

    before = files(evening)
    found = run(evening, only=("prune", "context"))
    for outcome in reversed(found.values()):
        evening.workspace.operations.carry_out(
            lambda name=outcome.operation: plan_undo(evening.workspace, name)  # type: ignore[misc]
        )
    assert files(evening) == before


def test_a_second_night_finds_nothing_new(evening: Sandbox) -> None:
    run(evening)
    again = run(evening)
    assert {outcome.state for outcome in again.values()} == {"nothing"}


def test_a_dry_run_writes_nothing_anywhere(evening: Sandbox) -> None:
    before, commits = files(evening), evening.git("log", "--oneline")
    found = run(evening, dry_run=True)
    assert {found[step].state for step in ("prune", "context", "decay", "dream")} == {"would"}
    assert files(evening) == before
    assert evening.git("log", "--oneline") == commits


@pytest.mark.promise(
    "From sessions to long-term memory",
    "one step of the nightly job fails",
    "the other steps are done",
    by="a file in the way",
)
def test_a_step_that_fails_does_not_stop_the_others(evening: Sandbox, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    back_up(evening.workspace, find_target(str(kept)))
    for path in kept.iterdir():
        path.unlink()
    kept.rmdir()
    kept.write_text("in the way")
    evening.write(f"_system/archive/workspace-context-{NOW:%Y-%m}.md/x.md", "a folder where a file should be")
    found = run(evening)
    assert found["context"].state == "failed"
    assert found["backup"].state == "failed"
    assert {found[step].state for step in ("prune", "decay", "dream")} == {"done"}
    assert b"the pilot" in evening.read("workspace-context.md")


def test_a_fault_of_ours_is_the_steps_own(evening: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(night: NightlyContext) -> StepOutcome:
        raise RuntimeError("a bug")

    monkeypatch.setitem(STEPS, "decay", broken)
    found = run(evening)
    assert (found["decay"].state, found["decay"].said) == ("failed", "RuntimeError: a bug")
    assert found["dream"].state == "done"


def test_a_part_of_the_program_that_cannot_be_loaded_is_the_steps_own_fault_too(
    evening: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "workbench.ingest.watch", None)
    assert run(evening, only=("decay",))["decay"].state == "failed"


def test_two_nights_never_overlap(evening: Sandbox) -> None:
    with (
        hold(evening.workspace.state_dir() / "nightly.lock", "another night"),
        pytest.raises(BusyError),
    ):
        run(evening)


def test_only_the_steps_that_are_named_are_done(evening: Sandbox) -> None:
    assert list(run(evening, only=("decay",))) == ["decay"]
    assert (evening.root / "episodes/2025/12/old.md").exists()


def test_without_a_backup_that_could_be_repeated_it_is_said_what_to_do(evening: Sandbox) -> None:
    outcome = run(evening, only=("backup",))["backup"]
    assert outcome.state == "nothing"
    assert "workbench backup" in outcome.hint


def test_what_failed_is_remembered_until_it_is_done(
    evening: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(night: NightlyContext) -> StepOutcome:
        raise ValueError("the key AKIAQ7LMNO5P2RSTUVWX \x1b[2J broke")

    night = NightlyContext(workspace=evening.workspace, now=NOW)
    state = evening.root / ".workbench"
    assert standing(state, Job.NIGHTLY, NOW).state == "never"
    with monkeypatch.context() as patched:
        patched.setitem(STEPS, "decay", breaks)
        steps = nightly(night, ["context", "decay"])
        next(steps)
        assert standing(state, Job.NIGHTLY, NOW).state == "running"
        list(steps)
    told = standing(state, Job.NIGHTLY, NOW)
    assert [(one.name, one.error) for one in told.failed] == [("decay", "ValueError")]
    assert "AKIA" not in (state / "job-nightly.json").read_text()
    _, *found = jobs(CheckSubject(evening.workspace, moment=NOW.astimezone()))
    assert [(one.severity, one.what) for one in found if isinstance(one, Finding)] == [
        ("error", "the nightly run failed at decay (ValueError)")
    ]
    assert "workbench jobs run nightly --only decay" in str(found)
    list(nightly(night, ["context"]))
    assert standing(state, Job.NIGHTLY, NOW).failed, "it was not tried again"
    list(nightly(night, ["decay"]))
    assert standing(state, Job.NIGHTLY, NOW).state == "done"
