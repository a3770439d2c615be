"""The figures for Prometheus, read back by Prometheus' own reader."""

from __future__ import annotations

import os
import re
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from indexing.sync.run import reindex
from tests.cli.conftest import Run, run
from tests.support.workspaces import Sandbox
from workbench.errors import ReadOnlyError, UsageError
from workbench.health.metrics import MetricsFile
from workbench.jobs.runs import Job, State, StepResult, keep
from workbench.jobs.runs import JobRun as Kept
from workbench.workspace.registry import register

__all__ = ["run"]
NOW = datetime(2026, 3, 15, 3, 30, tzinfo=UTC)
ENDED = NOW - timedelta(hours=1)
Figures = dict[tuple[str, str], float]


@pytest.fixture
def file(tmp_path: Path, person: Path) -> Path:
    (person / "settings.yaml").write_text("model: none\n")
    (tmp_path / "figures").mkdir()
    return tmp_path / "figures" / "workbench.prom"


def read(file: Path, workspace: str = "workspace") -> Figures:
    """Every figure by its name and what is labelled besides the workspace."""
    found: Figures = {}
    for family in text_string_to_metric_families(file.read_text()):
        assert family.type == "gauge"
        assert family.documentation
        for sample in family.samples:
            labels = dict(sample.labels)
            assert labels.pop("workspace") == workspace
            assert re.fullmatch("[0-9a-f]{12}", labels.pop("id"))
            found[sample.name.removeprefix("workbench_"), ",".join(labels.values())] = sample.value
    return found


def written(sandbox: Sandbox, file: Path, now: datetime = NOW) -> Figures:
    MetricsFile.at(str(file), sandbox.workspace).write(now)
    return read(file)


def test_a_memory_without_index_and_jobs_says_what_is_known_and_no_zeros(
    sandbox: Sandbox, file: Path
) -> None:
    share = len((sandbox.root / "MEMORY.md").read_text()) / 10_000
    files = float(len(sandbox.workspace.scan()))
    assert written(sandbox, file) == {
        ("files", ""): files,
        ("index_usable", ""): 0.0,
        ("memory_budget_share", ""): share,
        ("proposals_pending", ""): 0.0,
    }


def test_the_index_is_told_with_what_it_is_behind(sandbox: Sandbox, file: Path) -> None:
    report = reindex(sandbox.workspace, vectors=False)
    sandbox.write("memory/2026-03-20.md", "# Later\n\n- A later day\n")
    found = written(sandbox, file)
    assert found["index_usable", ""] == 1.0
    assert found["index_entries", ""] == report.entries
    assert found["index_stale_files", ""] == 1.0


def test_jobs_are_told_by_their_last_success_failure_and_duration(sandbox: Sandbox, file: Path) -> None:
    state = sandbox.workspace.state_dir()
    results: tuple[tuple[int, State], ...] = ((50, "done"), (26, "failed"))
    for hours, result in results:
        began = NOW - timedelta(hours=hours)
        step = StepResult(
            name="backup", state="failed" if result == "failed" else "done", error="BackupError"
        )
        ended = began + timedelta(seconds=90)
        keep(
            state,
            Kept(
                job=Job.NIGHTLY, began=began, ended=ended, pid=1, state=result, by_clock=True, steps=(step,)
            ),
        )
    keep(state, Kept(job=Job.REINDEX, began=ENDED, ended=ENDED, pid=1, state="done", by_clock=True))
    found = written(sandbox, file)
    night = (NOW - timedelta(hours=26)).timestamp()
    assert found["job_last_success_timestamp_seconds", "nightly"] == night - 24 * 3600 + 90
    assert found["job_last_failure_timestamp_seconds", "nightly"] == night + 90
    assert found["job_last_start_timestamp_seconds", "nightly"] == night
    assert found["job_last_duration_seconds", "nightly"] == 90.0
    assert found["job_failing", "nightly"] == 1.0
    assert found["job_step_failing", "nightly,backup"] == 1.0
    assert found["job_failing", "reindex"] == 0.0
    assert found["job_running", "reindex"] == 0.0
    assert ("job_last_failure_timestamp_seconds", "reindex") not in found
    assert not any("watch" in labels for _, labels in found)


def test_the_name_that_the_person_gave_the_workspace_is_its_label(sandbox: Sandbox, file: Path) -> None:
    register(sandbox.root, "atlas")
    MetricsFile.at(str(file), sandbox.workspace).write(NOW)
    assert read(file, "atlas")
    assert str(sandbox.root) not in file.read_text()


def test_two_workspaces_of_one_name_have_series_of_their_own(tmp_path: Path, file: Path) -> None:
    """As where one node exporter collects the files of both, which may be of two people."""
    seen: list[set[tuple[str, str]]] = []
    for person_of in ("anna", "bert"):
        made = Sandbox(tmp_path / person_of / "agent")
        MetricsFile.at(str(file), made.workspace).write(NOW)
        made.close()
        samples = [s for f in text_string_to_metric_families(file.read_text()) for s in f.samples]
        assert {sample.labels["workspace"] for sample in samples} == {"agent"}
        seen.append({(sample.name, str(sorted(sample.labels.items()))) for sample in samples})
        assert person_of not in file.read_text()
    assert seen[0]
    assert seen[0].isdisjoint(seen[1])


@pytest.mark.parametrize("name", ['quo"te', "back\\slash", "new\nline", "søster 🧠", "\x1b[2Jred"])
def test_a_folder_of_any_name_stays_one_label(tmp_path: Path, file: Path, name: str) -> None:
    made = Sandbox(tmp_path / name)
    MetricsFile.at(str(file), made.workspace).write(NOW)
    made.close()
    text = file.read_text()
    assert "\x1b" not in text
    labels = {s.labels["workspace"] for f in text_string_to_metric_families(text) for s in f.samples}
    assert len(labels) == 1


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(sandbox: Sandbox, file: Path) -> None:
    file.write_text("half of it")
    before = os.stat(file).st_ino
    written(sandbox, file)
    assert os.stat(file).st_ino != before
    assert list(file.parent.iterdir()) == [file]
    assert stat.S_IMODE(os.stat(file).st_mode) & 0o400


@pytest.mark.parametrize(
    "name", ["MEMORY.md", "figures.txt", "nowhere/x.prom", "WORKSPACE/x.prom", "LINK/x.prom"]
)
def test_what_is_no_file_of_metrics_is_never_written(sandbox: Sandbox, file: Path, name: str) -> None:
    (file.parent / "link").symlink_to(sandbox.root / "memory")
    before = sandbox.snapshot()
    places = {"WORKSPACE": str(sandbox.root), "LINK": str(file.parent / "link")}
    head, _, tail = name.rpartition("/")
    place = Path(places.get(head, str(file.parent / head))) / tail
    if name == "MEMORY.md":
        place = sandbox.root / name
    with pytest.raises(UsageError):
        MetricsFile.at(str(place), sandbox.workspace)
    assert sandbox.snapshot() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_is_closed_is_an_error_with_its_reason(sandbox: Sandbox, file: Path) -> None:
    file.parent.chmod(0o500)
    with pytest.raises(ReadOnlyError):
        MetricsFile.at(str(file), sandbox.workspace).write(NOW)


def test_a_run_that_cannot_leave_its_figures_says_so_and_was_done(
    run: Run, sandbox: Sandbox, file: Path
) -> None:
    file.mkdir()
    (file / "in the way").touch()
    done = run("jobs", "run", "nightly", "--only", "decay", "--metrics", str(file))
    assert done.code == 1
    assert "decay" in done.out
    assert "workbench.prom" in done.err
    assert '"state": "done"' in (sandbox.root / ".workbench/job-nightly.json").read_text()
    assert run("jobs", "run", "nightly", "--metrics", str(file.parent / "x.txt")).code == 2


@pytest.mark.parametrize(
    ("job", "arguments"),
    [("nightly", ("--only", "prune")), ("reindex", ("--no-vectors",)), ("watch", ("--once",))],
)
def test_each_job_leaves_figures(
    run: Run, file: Path, person: Path, job: str, arguments: tuple[str, ...]
) -> None:
    (person / "t").mkdir()
    (person / "settings.yaml").write_text(f"model: none\ntranscripts: ['{person}/t']\n")
    command = ("jobs", "run", job) if job == "nightly" else (job,)
    assert run(*command, *arguments, "--metrics", str(file)).code == 0
    found = read(file)
    assert found["job_failing", job] == 0.0
    assert found["job_running", job] == 0.0
    assert found["job_last_success_timestamp_seconds", job] > NOW.timestamp()
    assert found["job_last_duration_seconds", job] >= 0.0
