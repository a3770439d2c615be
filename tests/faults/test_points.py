"""Every call that changes the disk fails once, in every action: by a kill, an I/O error, a full disk."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.actions import (
    ACTIONS,
    EACH_SORT,
    LIKE,
    Action,
    contents,
    files_below,
    plain_files,
    scene,
)
from tests.support.failpoints import Failpoints, Fault, KilledError, failing
from tests.support.workspaces import Sandbox
from workbench.errors import WorkbenchError
from workbench.workspace import files
from workbench.workspace.external_changes import record
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

MOST = 400
"""Calls that no action comes near to: a loop that gets here would never end."""
FLOOR = 15
"""Calls that every action makes at least: below it the seam has lost sight of them."""
FAULTS = (Fault.IO_ERROR, Fault.FULL)
REALLY = ("promote from an episode", "forget in several files", "release")
"""Actions that are killed by the system; the others die by an error that nothing may catch."""
_CHANCE = re.compile(r"[0-9a-f]{8,}")
"""The part of a temporary file's name that is different each time."""


@dataclass(frozen=True)
class Trial:
    """A workspace in which an action is about to happen, and how the files are before and after it."""

    action: Action
    template: Path
    before: dict[str, bytes]
    after: dict[str, bytes]
    status: str
    operations: int
    recovered: set[tuple[object, ...]] = field(default_factory=set, compare=False)
    """States that a kill left and from which it was seen that everything is sound again."""
    tried: set[tuple[object, ...]] = field(default_factory=set, compare=False)
    """States of which it was seen that they are sound and that things go on."""

    def copies(self, folder: Path, moments: range = range(1, MOST)) -> Iterator[tuple[int, Sandbox]]:
        """One copy after another, with its number."""
        for moment in moments:
            root = folder / "copy"
            shutil.copytree(self.template, root)
            sandbox = Sandbox.__new__(Sandbox)
            sandbox.root = root
            sandbox.workspace = Workspace.open(root)
            yield moment, sandbox
            sandbox.close()
            shutil.rmtree(root)
        pytest.fail(f"{self.action} never came to its end")

    def act(self, place: Workspace) -> Operation:
        return place.operations.carry_out(lambda: self.action.plan(place))

    def require_recovery(self, sandbox: Sandbox, where: str) -> None:
        """After a kill, the next one who opens the workspace finds it sound, and things go on.

        A recovery knows the files alone, so each state that a kill leaves is recovered once.
        """
        state = _state(sandbox)
        if state in self.recovered:
            return
        self.recovered.add(state)
        sandbox.workspace.close()
        sandbox.workspace = Workspace.open(sandbox.root)
        sandbox.workspace.operations.recover()
        self.require_sound(sandbox, where)

    def require_sound(self, sandbox: Sandbox, where: str) -> None:
        """The files are wholly old or wholly new, git agrees, nothing is left over, and things go on.

        All of that depends on the files alone, so each state is looked at once.
        """
        assert not (sandbox.root / ".workbench/journal.json").exists(), where
        state = _state(sandbox)
        if state in self.tried:
            return
        self.tried.add(state)
        now = contents(sandbox.root)
        assert now in (self.before, self.after), f"torn {where}: {_difference(now, self)}"
        new = now == self.after
        place = sandbox.workspace
        operations = [o for o in place.operations.walk() if o.action not in ("commit", "external")]
        assert len(operations) == self.operations + new, f"half recorded {where}"
        for operation in operations[:1]:
            place.operations.edits(operation.commit)
        assert sandbox.git("status", "--porcelain") == self.status, where
        assert not place.operations.conflicts(), where
        left = [name for name in now if ".wb-" in name]
        assert not left, f"{where}: {left}"
        sandbox.git("fsck", "--strict")
        self._require_goes_on(sandbox, new, where)

    def _require_goes_on(self, sandbox: Sandbox, new: bool, where: str) -> None:
        """What is old can be done now, and what is new can be taken back."""
        place = sandbox.workspace
        if new:
            place.operations.carry_out(lambda: self.action.back(place))
        else:
            self.act(place)
        assert contents(sandbox.root) == (self.before if new else self.after), where
        assert sandbox.git("status", "--porcelain") == self.status, where


def _state(sandbox: Sandbox) -> tuple[object, ...]:
    """What a fault can leave: memory, commits, and what lies in git's folder and ours, but for objects.

    Of the ledger its commits are counted. A lock says who holds it, which is a digit longer now and then.
    """
    left = (
        (
            folder,
            _CHANCE.sub("", name),
            path.stat().st_size if path.suffix != ".lock" else bool(path.stat().st_size),
        )
        for folder in (".git", ".workbench")
        for name, path in files_below(sandbox.root / folder, {"objects"})
        if path.name != "index"
    )
    files = sorted((_CHANCE.sub("", name), data) for name, data in plain_files(sandbox.root).items())
    return (
        tuple(files),
        tuple(left),
        sandbox.git("ls-files", "-s"),
        sandbox.git("rev-list", "--count", "--all"),
    )


def _difference(now: dict[str, bytes], trial: Trial) -> dict[str, bytes | None]:
    """What is neither old nor new; the ledger counts where it was read."""
    expected = (trial.before.keys() | trial.after.keys()) - {"ledger"}
    return {
        path: now.get(path)
        for path in sorted(now.keys() | expected)
        if now.get(path) not in (trial.before.get(path), trial.after.get(path))
    }


@pytest.fixture(params=EACH_SORT, ids=str)
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> Trial:
    """Each sort of action in turn."""
    return prepare(request.param, tmp_path)


def prepare(action: Action, folder: Path) -> Trial:
    sandbox = scene(folder / "template")
    place = sandbox.workspace
    for step in action.first:
        place.operations.carry_out(lambda: step(place))  # noqa: B023
    before, status = contents(sandbox.root), sandbox.git("status", "--porcelain")
    operations = sum(o.action not in ("commit", "external") for o in place.operations.walk())
    sandbox.close()
    shutil.copytree(sandbox.root, folder / "done")
    done = Workspace.open(folder / "done")
    done.operations.carry_out(lambda: action.plan(done))
    done.close()
    after = contents(folder / "done")
    assert after != before
    return Trial(action, sandbox.root, before, after, status, operations)


def named(name: str) -> Action:
    return next(action for action in ACTIONS if action.name == name)


Record = Callable[[str, object], None]


@pytest.mark.promise("Writing", "killed at any call of any action that changes the disk")
@pytest.mark.parametrize("name", LIKE)
def test_an_action_that_is_not_tried_makes_the_calls_of_one_that_is(name: str, tmp_path: Path) -> None:
    made = []
    for at in (name, LIKE[name]):
        trial = prepare(named(at), tmp_path / at)
        _, sandbox = next(trial.copies(tmp_path / at))
        _ = sandbox.workspace.operations
        with failing(Fault.NONE) as points:
            trial.act(sandbox.workspace)
        made.append(points.calls)
    assert made[0] == made[1]


def killed(trial: Trial, folder: Path) -> Failpoints:
    """Kill the action at each of its calls; the calls of the pass that was clean."""
    for moment, sandbox in trial.copies(folder):
        place = sandbox.workspace
        _ = place.operations
        with failing(Fault.DEATH, moment) as points, contextlib.suppress(KilledError):
            trial.act(place)
        trial.require_recovery(sandbox, f"after a kill at call {moment}, {points.calls[-1]}")
        if not points.struck:
            return points
    raise AssertionError


@pytest.mark.promise(
    "Writing",
    "killed at any call of any action that changes the disk",
    "each file is wholly old or wholly new, the log is readable, temporary files are removed, the action "
    "can be repeated",
    by="failpoint, each sequence of calls that actions make; a real SIGKILL for some",
)
@pytest.mark.parametrize(
    "trial", [one for one in EACH_SORT if one.name not in REALLY], ids=str, indirect=True
)
def test_killed_at_any_call_every_file_is_wholly_old_or_wholly_new(
    trial: Trial, tmp_path: Path, record_property: Record
) -> None:
    points = killed(trial, tmp_path)
    assert len(points.calls) >= FLOOR
    record_property("failpoints", len(points.calls))


def refused(trial: Trial, folder: Path, fault: Fault) -> tuple[int, list[str]]:
    """Let calls of the action fail; how many it makes, and what was wrong afterwards.

    The two faults take turns from call to call, and the actions begin with one or the other: each call fails
    in each sort of action, and what actions have in common fails in both ways.
    """
    wrong = []
    first = 1 + (len(trial.action.name) + FAULTS.index(fault)) % len(FAULTS)
    for moment, sandbox in trial.copies(folder, range(first, MOST, len(FAULTS))):
        place = sandbox.workspace
        _ = place.operations
        error: BaseException | None = None
        notes: tuple[str, ...] = ()
        with failing(fault, moment) as points:
            try:
                notes = trial.act(place).notes
            except Exception as raised:
                error = raised
        where = f"after {fault.value} at call {moment}, {points.calls[min(moment, len(points.calls)) - 1]}"
        try:
            if error is not None:
                assert isinstance(error, WorkbenchError), f"{error!r} {where}"
                assert error.message, where
                assert error.hint, where
            torn = _difference(plain_files(sandbox.root), trial)
            assert not torn or (sandbox.root / ".workbench/journal.json").exists(), f"torn {where}: {torn}"
            place.operations.recover()
            for note in notes:
                if advice := re.search("`git (reset -q -- .*)`", note):
                    sandbox.git(*advice[1].split())  # what the person is told to do is enough
            trial.require_sound(sandbox, where)
        except (AssertionError, WorkbenchError) as failure:
            wrong.append(f"{where}: {failure!r}"[:600])
        if not points.struck:
            return len(points.calls), wrong
    raise AssertionError


@pytest.mark.promise(
    "Writing",
    "an I/O error or a full disk at any call that changes the disk",
    "the old text is intact, a clear message is shown, a retry works",
    by="failpoint: EIO, ENOSPC",
)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.value)
def test_refused_at_any_call_the_old_text_is_intact_and_a_retry_works(
    trial: Trial, tmp_path: Path, record_property: Record, fault: Fault
) -> None:
    covered, wrong = refused(trial, tmp_path, fault)
    assert not wrong, "\n".join(wrong)
    assert covered >= FLOOR
    record_property("failpoints", covered // len(FAULTS))


@pytest.mark.promise(
    "Writing",
    "a kill on a system that cannot exchange two file names",
    "the same",
    by="failpoint, `renameat2` taken away",
)
def test_a_kill_where_the_system_has_no_exchange_leaves_files_old_or_new(
    tmp_path: Path, record_property: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_system_call", lambda: None)
    covered = 0
    for name in ("forget in several files", "undo a forgotten page"):
        covered += len(killed(prepare(named(name), tmp_path / name), tmp_path / name).calls)
    record_property("failpoints", covered)


@pytest.mark.promise("Writing", "killed at any call of any action that changes the disk")
@pytest.mark.faults
@pytest.mark.parametrize("name", REALLY)
def test_a_process_that_is_really_killed_at_any_call_loses_nothing(
    name: str, tmp_path: Path, record_property: Record
) -> None:
    trial = prepare(named(name), tmp_path)
    covered = 0
    for moment, sandbox in trial.copies(tmp_path):
        child = os.fork()
        if child == 0:
            with failing(Fault.SIGKILL, moment):
                trial.act(Workspace.open(sandbox.root))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        trial.require_recovery(sandbox, f"after SIGKILL at call {moment}")
        covered += 1
    assert covered >= FLOOR
    record_property("failpoints", covered)


@pytest.mark.promise(
    "Writing",
    "killed while recording what an agent wrote",
    "recorded completely or not at all",
    by="failpoint",
)
def test_recording_what_an_agent_wrote_is_whole_or_absent_at_any_kill(
    tmp_path: Path, record_property: Record
) -> None:
    template = scene(tmp_path / "template")
    template.write("memory/2026-03-15.md", "- new words\n")
    template.write("MEMORY.md", template.read("MEMORY.md") + b"- more words\n")
    template.close()
    before = contents(template.root)
    for moment in range(1, MOST):
        root = tmp_path / "copy"
        shutil.copytree(template.root, root)
        sandbox = Sandbox.__new__(Sandbox)
        sandbox.root = root
        place = Workspace.open(root)
        _ = place.operations
        with failing(Fault.DEATH, moment) as points, contextlib.suppress(KilledError):
            record(place)
        place.close()
        place = Workspace.open(root)
        place.operations.recover()
        record(place)
        assert contents(root) == before
        assert sandbox.git("show", "HEAD:memory/2026-03-15.md") == "- new words\n"
        assert sandbox.git("show", "HEAD:MEMORY.md").encode() == sandbox.read("MEMORY.md")
        assert "memory" not in sandbox.git("status", "--porcelain").lower()
        assert sum(o.action == "external" for o in place.operations.walk()) == 1
        sandbox.git("fsck", "--strict")
        place.close()
        shutil.rmtree(root)
        if not points.struck:
            break
    assert len(points.calls) >= 8
    record_property("failpoints", len(points.calls))
