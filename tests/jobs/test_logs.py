"""No word of memory gets into what a clock keeps: the log, the records, the figures; also not in an error."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import indexing.sync.run
from indexing.sync.watch import IndexFollower
from indexing.sync.watch import SyncRun as Kept
from tests.cli.conftest import Result, Run, run
from tests.support.sessions import plain
from tests.support.workspaces import EPISODE, Sandbox
from workbench.errors import IndexUnavailableError, WorkbenchError
from workbench.ingest import watch as follower
from workbench.jobs.nightly import STEPS, NightlyContext, StepOutcome

pytestmark = [
    pytest.mark.promise(
        "From sessions to long-term memory",
        "an error quotes an entry",
        "log, record and metrics contain only the class of the error",
        by="errors of five kinds",
    ),
]

__all__ = ["run"]
CANARY = "Xylophone"
ENTRY = f"- I decided that the {CANARY} stays in the harbour office on port 8443"
FAULTS: list[Callable[[], Exception]] = [
    lambda: IndexUnavailableError(f"cannot read {ENTRY}", hint=f"look at {ENTRY}"),
    lambda: RuntimeError(ENTRY),
    lambda: OSError(errno.ENOSPC, "No space left on device", f"/srv/{CANARY}/x"),
    lambda: OSError(ENTRY),
    lambda: UnicodeDecodeError("utf-8", ENTRY.encode(), 0, 1, ENTRY),
]


@pytest.fixture
def figures(sandbox: Sandbox, person: Path, tmp_path: Path) -> Path:
    """A memory that is full of the word, and the file that figures go to."""
    (person / "t").mkdir()
    lines = plain(("user", ENTRY.removeprefix("- ")), *(("user", f"Fine, {CANARY}."),) * 16)
    (person / "t" / "a.jsonl").write_bytes(lines)
    (person / "settings.yaml").write_text(f"model: none\ntranscripts: ['{person}/t']\n")
    sandbox.write("MEMORY.md", f"# {CANARY}\n\n{ENTRY}\n")
    sandbox.write("memory/2026-03-15.md", f"# {CANARY}\n\n## {CANARY}\n\n{ENTRY}\n")
    episode = (sandbox.root / EPISODE).read_text().replace("2026-06-12", "2026-03-20")
    sandbox.write(EPISODE, episode.replace("Atlas", CANARY))
    context = sandbox.write("workspace-context.md", f"# Context\n\n{ENTRY}\n")
    sandbox.commit("evening")
    then = time.time() - 5 * 3600
    os.utime(context, (then, then))
    (tmp_path / "figures").mkdir()
    return tmp_path / "figures" / "workbench.prom"


def kept(sandbox: Sandbox, figures: Path, done: Result) -> str:
    """All that a clock keeps of a run."""
    assert done.out == ""
    records = list((sandbox.root / ".workbench").glob("job-*.json"))
    assert records
    return done.err + "".join(path.read_text() for path in (*records, figures))


def raising(fault: Callable[[], Exception]) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise fault()

    return fail


def test_a_night_of_real_work(run: Run, sandbox: Sandbox, figures: Path) -> None:
    done = run("jobs", "run", "nightly", "--log", "--metrics", str(figures))
    text = kept(sandbox, figures, done)
    assert "nightly: context done\n" in done.err
    assert "nightly: done after" in done.err
    assert CANARY not in text
    assert CANARY in run("log", "--json").out  # of what was done there is something to tell


@pytest.mark.parametrize("fault", FAULTS)
def test_a_step_whose_error_quotes_an_entry(
    run: Run, sandbox: Sandbox, figures: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[], Exception]
) -> None:
    monkeypatch.setitem(STEPS, "decay", raising(fault))
    done = run("jobs", "run", "nightly", "--only", "decay", "--log", "--metrics", str(figures))
    assert done.code == 1
    assert "nightly: decay failed (" in done.err
    assert "nightly: failed after" in done.err
    assert CANARY not in kept(sandbox, figures, done)
    told = run("jobs", "status")
    assert told.code == 4
    assert "the nightly run failed at decay (" in told.out
    assert CANARY not in told.out + told.err + run("status", "--json").out
    assert (
        CANARY in run("jobs", "run", "nightly", "--only", "decay").out
    )  # which is for a person, and says why


def test_notes_of_a_step_are_not_logged(
    run: Run, sandbox: Sandbox, figures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noted(_: NightlyContext) -> StepOutcome:
        return StepOutcome(step="decay", state="done", said=ENTRY, notes=(ENTRY,), hint=ENTRY)

    monkeypatch.setitem(STEPS, "decay", noted)
    done = run("jobs", "run", "nightly", "--only", "decay", "--log", "--metrics", str(figures))
    assert CANARY not in kept(sandbox, figures, done)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_index_whose_error_quotes_an_entry(
    run: Run, sandbox: Sandbox, figures: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[], Exception]
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(indexing.sync.run, "reindex", raising(fault))
        done = run("reindex", "--log", "--metrics", str(figures))
    assert done.code == 1
    assert "reindex: failed (" in done.err
    assert "Traceback" not in done.err
    assert CANARY not in kept(sandbox, figures, done)
    done = run("reindex", "--log", "--metrics", str(figures))
    assert done.code == 0
    assert CANARY not in kept(sandbox, figures, done)


def test_following_the_files(
    run: Run, sandbox: Sandbox, figures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs(_: IndexFollower) -> Iterator[Kept]:
        yield Kept("start", error=IndexUnavailableError(ENTRY))
        yield Kept("change", report=indexing.sync.run.reindex(sandbox.workspace, vectors=False))
        yield Kept("change", error=WorkbenchError(ENTRY))

    monkeypatch.setattr(IndexFollower, "runs", runs)
    done = run("reindex", "--watch", "--log", "--metrics", str(figures))
    assert "reindex --watch: not done (IndexUnavailableError)\n" in done.err
    assert " entries, " in done.err
    assert CANARY not in kept(sandbox, figures, done)


def test_following_sessions(
    run: Run, sandbox: Sandbox, figures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("watch", "--once", "--log", "--metrics", str(figures))
    assert "watch: flushed\n" in done.err
    assert CANARY not in kept(sandbox, figures, done)
    (Path(os.environ["HOME"]) / "t" / "b.jsonl").write_bytes(plain(*(("user", ENTRY),) * 16))
    monkeypatch.setattr(follower, "flush_reading", raising(FAULTS[1]))
    done = run("watch", "--once", "--log", "--metrics", str(figures))
    assert "watch: failed (RuntimeError)\n" in done.err
    assert CANARY not in kept(sandbox, figures, done)
    assert 'error": "RuntimeError"' in (sandbox.root / ".workbench/job-watch.json").read_text()


def test_who_runs_already_is_said_in_a_log_too(run: Run, sandbox: Sandbox) -> None:
    from workbench.workspace.locks import hold

    with hold(sandbox.workspace.state_dir() / "nightly.lock", "the nightly run"):
        done = run("jobs", "run", "nightly", "--log")
    assert (done.code, done.out) == (3, "")
    assert f"nightly: busy: the nightly run (process {os.getpid()})" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("jobs", "run", "nightly", "--log", "--json"),
        ("jobs", "run", "nightly", "--log", "--dry-run"),
        ("jobs", "run", "nightly", "--metrics", "x.prom", "--dry-run"),
        ("reindex", "--log", "MEMORY.md"),
        ("reindex", "--metrics", "x.prom", "--dry-run"),
        ("--as-of", "COMMIT", "reindex", "--log"),
        ("watch", "--log", "--json"),
    ],
)
def test_what_a_log_cannot_be_is_refused(run: Run, sandbox: Sandbox, arguments: tuple[str, ...]) -> None:
    head = sandbox.git("rev-parse", "HEAD").strip()
    done = run(*(head if word == "COMMIT" else word for word in arguments))
    assert done.code == 2
    assert "--log" in done.err + done.out
    assert not list((sandbox.root / ".workbench").glob("job-*"))
