"""`workbench status --json` is what its schema says, in every state that a memory can be in."""

from __future__ import annotations

import copy
import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from msgspec.structs import replace

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox
from workbench.cli import main
from workbench.cli.status import STATUS_VERSION
from workbench.jobs.runs import Job, StepResult, StepState, keep, running
from workbench.jobs.runs import JobRun as Kept

SCHEMA = json.loads(resources.files("workbench.cli").joinpath("schemas/status.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker())


@pytest.fixture(autouse=True)
def words_only(person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")


def empty(sandbox: Sandbox, run: Run) -> None:
    """Nothing but a folder and a commit."""
    sandbox.git("rm", "-q", "-r", ".")
    (sandbox.root / "MEMORY.md").write_text("")


def fresh(sandbox: Sandbox, run: Run) -> None:
    assert run("reindex").code == 0


def stale(sandbox: Sandbox, run: Run) -> None:
    fresh(sandbox, run)
    sandbox.write("memory/2026-04-01.md", "# New\n\n- new\n")


def damaged(sandbox: Sandbox, run: Run) -> None:
    fresh(sandbox, run)
    (manifest,) = (sandbox.root / ".workbench/index").glob("*/manifest.json")
    manifest.write_text("garbage")


def backed_up(sandbox: Sandbox, run: Run) -> None:
    assert run("backup", "../kept").code == 0
    sandbox.write("MEMORY.md", "# Memory\n\n- more\n")
    assert run("status", "--commit").code == 0


def without_git(sandbox: Sandbox, run: Run) -> None:
    (sandbox.root / ".git").rename(sandbox.root / "not-git")


def unborn(sandbox: Sandbox, run: Run) -> None:
    sandbox.git("update-ref", "-d", "HEAD")


def odd_memory(sandbox: Sandbox, run: Run) -> None:
    (sandbox.root / "MEMORY.md").unlink()
    (sandbox.root / "MEMORY.md").mkdir()
    sandbox.write("MEMORY.json", "{}")


def crowded(sandbox: Sandbox, run: Run) -> None:
    """Sources beside the workspace, one of them absent, a dream, and a proposal."""
    home = Path(os.environ["HOME"])
    (home / "notes").mkdir()
    (home / "notes" / "a.md").write_text("# A\n\n- a note\n")
    (home / "settings.yaml").write_text(f"model: none\nextra_paths: ['{home}/notes', '{home}/none']\n")
    sandbox.write("_system/dreaming/2026-03-14.md", "# Dream\n")
    assert run("forget", "--help").code == 0
    fresh(sandbox, run)


def busy(sandbox: Sandbox, run: Run) -> None:
    """Jobs in each state."""
    state = sandbox.workspace.state_dir()
    now = datetime.now().astimezone()
    steps: tuple[tuple[str, StepState, str | None], ...] = (
        ("backup", "failed", "BackupError"),
        ("prune", "nothing", None),
    )
    told = tuple(StepResult(name=name, state=how, error=error) for name, how, error in steps)
    night = Kept(
        job=Job.NIGHTLY, began=now - timedelta(days=9), ended=now, pid=1, state="failed", by_clock=True
    )
    keep(state, replace(night, steps=told))
    keep(state, Kept(job=Job.WATCH, began=now, pid=1))
    keep(state, Kept(job=Job.REINDEX, began=now, ended=now, pid=1, state="done", counts={"entries": 3}))


STATES: list[Callable[[Sandbox, Run], None]] = [
    empty, fresh, stale, damaged, backed_up, without_git, unborn, odd_memory, crowded, busy,
]  # fmt: skip
EXPECTED = {
    "fresh": "fresh", "stale": "stale", "damaged": "damaged", "empty": "missing", "busy": "missing",
}  # fmt: skip


def valid(run: Run, *arguments: str) -> dict[str, Any]:
    done = run(*arguments, "status", "--json")
    assert done.code == 0, done.out
    VALIDATOR.validate(done.json)
    found: dict[str, Any] = done.json
    return found


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_the_answer_is_what_the_schema_says(
    run: Run, sandbox: Sandbox, state: Callable[[Sandbox, Run], None]
) -> None:
    state(sandbox, run)
    found = valid(run)
    assert found["version"] == STATUS_VERSION == SCHEMA["properties"]["version"]["const"]
    assert found["index"]["state"] == EXPECTED.get(state.__name__, found["index"]["state"])
    if state is crowded:
        assert [bool(source["absent"]) for source in found["index"]["sources"]] == [False, True]
    if state is backed_up:
        assert found["last_backup"]["operations_since"] == 1
    if state is busy:
        assert {job["job"]: job["state"] for job in found["jobs"]} == {
            "nightly": "failed",
            "watch": "killed",
            "reindex": "done",
        }


def test_a_job_that_runs_is_in_the_answer(run: Run, sandbox: Sandbox) -> None:
    with running(sandbox.workspace.state_dir(), Job.REINDEX_WATCH) as job:
        job.tell({"entries": 3}, "OSError")
        (told,) = valid(run)["jobs"]
    assert (told["state"], told["error"], told["counts"]) == ("failing", "OSError", {"entries": 3})


def test_a_lock_without_a_record_is_a_job_that_runs(run: Run, sandbox: Sandbox) -> None:
    from workbench.workspace.locks import hold

    with hold(sandbox.workspace.state_dir() / "watch.lock", "watch"):
        (told,) = valid(run)["jobs"]
    assert (told["state"], told["began"]) == ("running", None)


def test_the_past_is_told_in_the_same_form(run: Run, sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD").strip()
    assert head[:7] in valid(run, "--as-of", head)["as_of"]


def test_a_folder_that_may_only_be_read_is_told_in_the_same_form(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.config.read_only import VARIABLE

    monkeypatch.setenv(VARIABLE, "1")
    valid(run)
    assert not (sandbox.root / ".workbench").exists()


def objects(
    schema: dict[str, Any], at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every object of the schema that names its fields, with the way to it."""
    if schema.get("properties"):
        yield at, schema
        for name, deep in schema["properties"].items():
            yield from objects(deep, (*at, name))
    for deep in (*schema.get("anyOf", ()), *filter(None, [schema.get("items")])):
        yield from objects(deep, (*at, "*"))


def test_the_schema_is_one_and_names_every_field(run: Run) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    found = list(objects(SCHEMA))
    assert len(found) >= 7
    for at, one in found:
        assert one["additionalProperties"] is False, at
        assert set(one["required"]) == set(one["properties"]), at
    assert run("status", "--schema").json == SCHEMA


def test_an_unknown_or_missing_field_is_refused_wherever_it_stands(run: Run, sandbox: Sandbox) -> None:
    busy(sandbox, run)
    backed_up(sandbox, run)
    crowded(sandbox, run)
    answer = valid(run)
    places: list[Callable[[Any], dict[str, Any]]] = [
        lambda found: found,
        lambda found: found["budget"],
        lambda found: found["index"],
        lambda found: found["index"]["files"],
        lambda found: found["index"]["sources"][0],
        lambda found: found["jobs"][0],
        lambda found: found["jobs"][0]["failed_steps"][0],
        lambda found: found["last_backup"],
    ]
    for place in places:
        more = copy.deepcopy(answer)
        place(more)["surprise"] = 1
        assert not VALIDATOR.is_valid(more)
        for name in place(answer):
            less = copy.deepcopy(answer)
            del place(less)[name]
            assert not VALIDATOR.is_valid(less), name
    worded = copy.deepcopy(answer)
    worded["jobs"][0]["error"] = "it cannot read what Sarah said"
    assert not VALIDATOR.is_valid(worded)


def test_the_answer_needs_no_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The schema is printed where there is no workspace at all."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["workbench", "status", "--schema"])
    with pytest.raises(SystemExit) as leave:
        main()
    assert not leave.value.code
    assert json.loads(capsys.readouterr().out)["$schema"].endswith("2020-12/schema")
