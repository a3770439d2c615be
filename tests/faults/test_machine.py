"""Anything in any order: an agent, a person, plain git, kills, a failing disk and a jumping clock."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.support.actions import contents, scene, settled
from tests.support.failpoints import Fault, KilledError, failing
from workbench.errors import IndexUnavailableError, WorkbenchError, WorkspaceError
from workbench.operations.archive import plan_archive
from workbench.operations.edit import entry_source, plan_edit
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.move import plan_move
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release, quarantined
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.external_changes import record
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

PICK = st.integers(0, 10_000)
MOMENTS = st.integers(1, 70)
ACTIONS = (
    "promote",
    "promote into",
    "forget",
    "forget several",
    "edit",
    "merge",
    "move",
    "pin",
    "quarantine",
    "release",
    "archive",
    "restore",
    "undo",
    "redo",
)


class Memory(RuleBasedStateMachine):
    """A workspace, and a model of it: the words that were ever written, and what each operation did."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.sandbox = scene(self.folder / "w")
        self.root = self.sandbox.root
        self.words: set[str] = set()
        self.in_history: set[str] = set()
        self.effects: dict[str, tuple[dict[str, bytes], dict[str, bytes]]] = {}
        self.made = 0

    @property
    def place(self) -> Workspace:
        return self.sandbox.workspace

    # -- the agent and plain git ------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        self.append(0)

    @rule(pick=PICK)
    def append(self, pick: int) -> None:
        """One line at the end of a file, as agents write."""
        with (self.root / self._path(pick)).open("ab") as file:
            file.write(f"- {self._word()} said by the agent\n".encode())

    @rule(pick=PICK, seed=PICK)
    def rewrite(self, pick: int, seed: int) -> None:
        """The whole file anew, its lines in another order."""
        target = self.root / self._path(pick)
        lines = target.read_bytes().splitlines(keepends=True)
        random.Random(seed).shuffle(lines)
        target.write_bytes(b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines)
                           + f"- {self._word()} rewritten\n".encode())  # fmt: skip

    @rule()
    def commit(self) -> None:
        self.sandbox.git("add", "-A")
        self.sandbox.git("commit", "-q", "--allow-empty", "-m", "plain git")

    @rule(pick=PICK)
    def delete(self, pick: int) -> None:
        """A file goes. Words that nobody has recorded go with it: that is what its deleter wanted."""
        target = self.root / self._path(pick)
        if len(self._paths()) > 2:
            own = {word for word in self.words if word.encode() in target.read_bytes().split()}
            target.unlink()
            self.words -= own - self._known(own)

    @rule(pick=PICK)
    def rename(self, pick: int) -> None:
        new = self.root / f"memory/renamed-{self._number()}.md"
        os.rename(self.root / self._path(pick), new)

    # -- the person -------------------------------------------------------------------------------

    @rule(action=st.sampled_from(ACTIONS), pick=PICK, other=PICK)
    def act(self, action: str, pick: int, other: int) -> None:
        """An action succeeds and is recorded, or is refused and changes nothing."""
        planner = self._planner(action, pick, other)
        before = self._files()
        try:
            operation = self.place.operations.carry_out(planner)
        except (WorkbenchError, FileNotFoundError):
            assert self._files() == before
            return
        after = self._files()
        self.effects[operation.id] = (before, after)
        undone = self.effects.get(operation.undoes or "")
        if undone:
            old, new = undone
            touched = [path for path in old.keys() | new.keys() if old.get(path) != new.get(path)]
            if all(before.get(path) == new.get(path) for path in touched):
                assert all(after.get(path) == old.get(path) for path in touched), operation.summary

    @rule(action=st.sampled_from(ACTIONS), pick=PICK, other=PICK, moment=MOMENTS)
    def killed(self, action: str, pick: int, other: int, moment: int) -> None:
        """The process dies in the middle; the next one finds every file old or new."""
        self._fails(Fault.DEATH, action, pick, other, moment)

    @rule()
    def record(self) -> None:
        before = self._files()
        with contextlib.suppress(WorkspaceError):
            record(self.place)
        assert self._files() == before

    @rule()
    def restart(self) -> None:
        self.place.close()
        self.sandbox.workspace = Workspace.open(self.root)
        self.place.operations.recover()

    @rule(days=st.sampled_from([-20_000, -400, -1, 1, 400, 27_000]), pick=PICK)
    def jump(self, days: int, pick: int) -> None:
        """The clock is wrong for one action, and a file's time of change says what it likes."""
        target = self.root / self._path(pick)
        stamp = max(0, int(time.time()) + days * 86_400)
        os.utime(target, (stamp, stamp))
        now = time.time() + days * 86_400
        day = date.today() + timedelta(days=days)
        before = self._files()
        with mock.patch.object(time, "time", return_value=now):
            entry = self._entry(pick)
            try:
                self.place.operations.carry_out(lambda: plan_promote(self.place, [entry], today=day))
            except WorkbenchError:
                assert self._files() == before

    @rule(pick=PICK)
    def search(self, pick: int) -> None:
        """What is found stands on disk."""
        try:
            reindex(self.place, vectors=False)
        except WorkspaceError:  # nearly all files are gone: it asks first
            reindex(self.place, vectors=False, full=True)
        word = sorted(self.words)[pick % len(self.words)] if self.words else "memory"
        with contextlib.suppress(IndexUnavailableError):
            for hit in IndexSearch(self.place, vectors=False).search(Query(text=word, mode="lexical")).hits:
                assert self.place.find(hit.entry)

    # -- what always holds ------------------------------------------------------------------------

    @invariant()
    def no_word_is_lost(self) -> None:
        assert self.words == self._known(self.words)

    @invariant()
    def nothing_is_left_over(self) -> None:
        assert not [p for p in self.root.rglob(".wb-*") if ".workbench" not in p.parts]

    def teardown(self) -> None:
        try:
            self.place.operations.recover()
            self.no_word_is_lost()
            self.sandbox.git("fsck", "--strict")
            assert len(list(self.place.operations.walk())) >= len(self.effects)
        finally:  # while a failure is made smaller this comes a hundred times
            self.sandbox.close()
            shutil.rmtree(self.folder)

    # -- the means --------------------------------------------------------------------------------

    def _fails(self, fault: Fault, action: str, pick: int, other: int, moment: int) -> None:
        planner = self._planner(action, pick, other)
        before = self._files()
        _ = self.place.operations
        plans: list[Plan] = []

        def plan() -> Plan:
            plans.append(self.place.finished(planner()))
            return plans[-1]

        refusals = (KilledError, WorkbenchError, FileNotFoundError)
        with failing(fault, moment), contextlib.suppress(*refusals):
            self.place.operations.carry_out(plan)
        if fault is Fault.DEATH:
            self.place.close()
            self.sandbox.workspace = Workspace.open(self.root)
        self.place.operations.recover()
        expected = dict(before)
        for edit in plans[-1].edits if plans else ():
            if edit.after is None:
                expected.pop(edit.path, None)
            else:
                expected[edit.path] = settled(edit.after)
        assert self._files() in (before, expected)

    def _planner(self, action: str, pick: int, other: int) -> Callable[[], Plan]:
        place, entry, second = self.place, self._entry(pick), self._entry(other)
        if action == "promote":
            return lambda: plan_promote(place, [entry])
        if action == "promote into":
            return lambda: plan_promote(place, [entry], into=self._entry(other, "MEMORY.md"))
        if action == "forget":
            return lambda: plan_forget(place, [entry])
        if action == "forget several":
            return lambda: plan_forget(place, [entry, second, self._path(pick)])
        if action == "edit":
            new = self._word()
            self.words.discard(new)
            return lambda: self._edit(entry, new)
        if action == "merge":
            return lambda: plan_merge(place, [entry, second])
        if action == "move":
            return lambda: plan_move(place, [entry], to=self._path(other), section="Moved")
        if action == "pin":
            return lambda: plan_pin(place, [entry])
        if action == "quarantine":
            return lambda: plan_quarantine(place, [entry])
        if action == "release":
            return lambda: plan_release(place, self._quarantined(pick))
        if action == "archive":
            return lambda: plan_archive(place, [self._entry(pick, "MEMORY.md")])
        if action == "restore":
            log = list(place.operations.walk())[:30]
            return lambda: plan_restore(place, self._path(pick), log[other % len(log)].commit)
        if action == "undo":
            log = list(place.operations.walk())[:30]
            return lambda: plan_undo(place, log[pick % len(log)].id if other % 2 else None)
        return lambda: plan_redo(place)

    def _edit(self, address: str, new: str) -> Plan:
        document, entry = self.place.locate(address)
        return plan_edit(self.place, address, entry_source(document, entry).rstrip("\n") + f" {new}\n")

    def _quarantined(self, pick: int) -> list[str]:
        found = sorted(str(getattr(item, "address", item)) for item in quarantined(self.place))
        return [found[pick % len(found)]] if found else ["_system/quarantine/none.md#0000"]

    def _paths(self) -> list[str]:
        return [file.path for file in self.place.scan()]

    def _path(self, pick: int) -> str:
        if not self._paths():  # the last one was forgotten: the agent begins a new day
            self.sandbox.write("memory/2026-03-15.md", "# 2026-03-15\n")
        paths = self._paths()
        return paths[pick % len(paths)]

    def _entry(self, pick: int, path: str = "") -> str:
        paths = [path] if path else self._paths()
        found = [e.address for p in paths if (self.root / p).exists() for e in self.place.document(p).entries]
        return found[pick % len(found)] if found else "MEMORY.md#0000"

    def _number(self) -> int:
        self.made += 1
        return self.made

    def _word(self) -> str:
        word = f"word{self._number()}x"
        self.words.add(word)
        return word

    def _files(self) -> dict[str, bytes]:
        return {path: data for path, data in contents(self.root).items() if path.endswith(".md")}

    def _known(self, words: set[str]) -> set[str]:
        """Those of ``words`` that are on disk, kept aside, or in a commit that HEAD reaches."""
        text = b"\n".join(p.read_bytes() for p in self._everything()).decode("utf-8", "replace")
        here = {word for word in words if word in text}
        if missing := words - here - self.in_history:
            shown = self.sandbox.git("log", "-p", "--text", "--no-color", "--format=")
            self.in_history |= {word for word in missing if word in shown}
        return here | (words & self.in_history)

    def _everything(self) -> Iterator[Path]:
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root).as_posix()
            if path.is_file() and not name.startswith((".git/", ".workbench/index")):
                yield path


class MemoryOnAFailingDisk(Memory):
    """As before, and the disk refuses now and then."""

    @rule(action=st.sampled_from(ACTIONS), pick=PICK, other=PICK, moment=MOMENTS,
          fault=st.sampled_from([Fault.IO_ERROR, Fault.FULL]))  # fmt: skip
    def refused(self, action: str, pick: int, other: int, moment: int, fault: Fault) -> None:
        """The disk refuses in the middle, and is well again afterwards."""
        self._fails(fault, action, pick, other, moment)


def _run(machine: type[Memory], examples: int, steps: int, *, derandomize: bool) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=derandomize,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
            phases=(Phase.generate,),  # a step costs too much to look for a shorter way to a failure
        ),
    )


@pytest.mark.promise(
    "Writing",
    "kills, full disks and errors in any order, mixed with ordinary work",
    "no word is lost, undo is exact, the index matches the files",
    by="Hypothesis state machine",
)
def test_in_whatever_order_things_happen_no_word_is_lost() -> None:
    _run(Memory, 15, 15, derandomize=True)


@pytest.mark.promise("Writing", "kills, full disks and errors in any order, mixed with ordinary work")
def test_on_a_disk_that_fails_now_and_then_no_word_is_lost() -> None:
    _run(MemoryOnAFailingDisk, 15, 15, derandomize=True)


@pytest.mark.faults
def test_in_whatever_order_many_things_happen_no_word_is_lost() -> None:
    _run(Memory, 8, 30, derandomize=False)
