"""A job that failed where nobody saw it is told over the panes, until it is well again."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from screens.drawing.safe_text import words
from screens.loading import workspace_model as model
from screens.main import status_monitor
from screens.main.status_monitor import jobs_line
from tests.screens.interface import Interface, opened
from tests.support.workspaces import Sandbox
from workbench.jobs.runs import Job, JobRun, State, StepResult, keep, standings

pytestmark = [
    pytest.mark.promise("From sessions to long-term memory", "a job hangs, or its scheduler is gone"),
]

NOW = datetime.now().astimezone()


def ran(sandbox: Sandbox, job: Job, state: State, *, days: float = 0, failed: str = "") -> None:
    steps = (StepResult(name=failed, state="failed", error="BackupError"),) if failed else ()
    began = NOW - timedelta(days=days)
    run = JobRun(job=job, began=began, ended=began, pid=1, state=state, by_clock=True, steps=steps)
    keep(sandbox.workspace.state_dir(), run)


def banner(interface: Interface) -> str:
    return str(interface.main.banner.text) if interface.main.banner.display else ""


def test_all_well_is_no_line(tmp_path: Path) -> None:
    assert jobs_line([one for one in standings(tmp_path, NOW) if one.wrong]) == ""


async def test_a_failed_job_is_on_the_banner_until_it_is_done(sandbox: Sandbox) -> None:
    ran(sandbox, Job.NIGHTLY, "failed", days=0.5, failed="backup")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("The nightly run failed at backup (BackupError)")
        assert "H shows how to fix it" in banner(interface)
        ran(sandbox, Job.REINDEX, "failed")
        interface.main.status_monitor.look()
        await interface.until(lambda: ", and 1 more" in banner(interface), "both")
        keep(
            sandbox.workspace.state_dir(),
            JobRun(
                job=Job.NIGHTLY,
                began=NOW,
                ended=NOW,
                pid=2,
                state="done",
                steps=(StepResult(name="backup", state="done"),),
            ),
        )
        ran(sandbox, Job.REINDEX, "done")
        interface.main.status_monitor.look()
        await interface.until(lambda: not banner(interface), "all is well")


async def test_an_overdue_job_is_on_the_banner(sandbox: Sandbox) -> None:
    ran(sandbox, Job.NIGHTLY, "done", days=12)
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("The nightly run is overdue: the last run was 12 days ago")


async def test_what_is_in_the_way_of_actions_goes_before_it(sandbox: Sandbox) -> None:
    ran(sandbox, Job.NIGHTLY, "failed", failed="backup")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("failed at backup")
        interface.main.operations.there(there=False)
        await interface.until(lambda: "does not exist now" in banner(interface), "the folder is gone")
        interface.main.status_monitor.look()
        await interface.pilot.pause()
        assert "does not exist now" in banner(interface)


@pytest.mark.parametrize("width", [60, 80, 100])
async def test_a_narrow_title_has_room_for_the_budget(sandbox: Sandbox, width: int) -> None:
    sandbox.write("MEMORY.md", "# Memory\n\n- Likes tea\n")
    async with opened(sandbox.workspace, (width, 24)) as interface:
        await interface.until(lambda: "% of budget" in interface.text.split("\n")[0], "the budget")
        interface.main.title_line.show(words("! index: it is broken"), "warn")
        await interface.until(lambda: "! index" in interface.text.split("\n")[0], "what is wrong")


@pytest.mark.parametrize(
    ("used", "said"), [(700, "70 % of budget"), (1_240, "124 % of budget"), (6_160, "6.2 times its budget")]
)
def test_a_budget_is_told_in_percent_and_what_is_far_over_it_in_times(used: int, said: str) -> None:
    memory = model.MemoryView("MEMORY.md", used=used, limit=1_000)
    assert status_monitor.budget_fact(memory).text == said


async def test_a_commit_of_another_program_is_in_the_title_soon(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_monitor, "LOOK_SECONDS", 1e6)
    sandbox.write("MEMORY.md", "# Memory\n\n- Likes tea\n")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("1 uncommitted")
        sandbox.git("add", "MEMORY.md")
        sandbox.git("commit", "-qm", "by hand")
        await interface.until(lambda: "uncommitted" not in interface.text, "all of it is in a commit")


async def test_a_quiet_memory_has_no_banner(sandbox: Sandbox) -> None:
    ran(sandbox, Job.NIGHTLY, "done")
    async with opened(sandbox.workspace) as interface:
        await interface.until_shown("staging port")
        assert banner(interface) == ""
