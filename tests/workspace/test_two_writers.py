"""Two writers during every action: no word of either is ever lost, whatever the other one does, and when."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pytest

from tests.support.actions import EACH_SORT, Action, files_below, scene
from tests.support.workspaces import Sandbox
from workbench.errors import WorkbenchError
from workbench.workspace import files
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

DOINGS = (
    "append",
    "rewrite",
    "rewrite by rename",
    "delete",
    "rename away",
    "append to what it holds open",
    "rewrite what it holds open",
)
MOMENTS = ("before the plan", "after the plan", "before the exchange", "after the exchange")
ADDED_ONCE = ("append", "append to what it holds open")


def _cases() -> list[Any]:
    """Everything at every moment; the two most likely in the worst one are tried in every run."""
    fast = {("append", "before the exchange"), ("rewrite", "before the exchange")}
    return [
        pytest.param(doing, moment, marks=[] if (doing, moment) in fast else [pytest.mark.faults])
        for doing in DOINGS
        for moment in MOMENTS
    ]


class Agent:
    """Another program that does one thing to some files, once, and later ends what it holds open."""

    def __init__(self, root: Path, doing: str, paths: list[str], stack: ExitStack) -> None:
        self.root, self.doing, self.paths = root, doing, paths
        self.tokens: list[str] = []
        self.did = False
        self.opened: list[IO[bytes]] = [
            stack.enter_context((root / path).open("r+b" if "rewrite" in doing else "ab", buffering=0))
            for path in paths
            if "open" in doing and (root / path).exists()
        ]

    def token(self) -> bytes:
        self.tokens.append(f"agent{len(self.tokens)}token")
        return f"- {self.tokens[-1]}\n".encode()

    def act(self) -> None:
        """The one thing, to each of the files that is there."""
        if self.did:
            return
        self.did = True
        if self.opened:
            for file in self.opened:
                if "rewrite" in self.doing:
                    file.truncate(0)
                    file.seek(0)
                file.write(self.token())
            return
        for path in self.paths:
            target = self.root / path
            if not target.exists():
                continue
            if self.doing == "append":
                with target.open("ab") as appended:
                    appended.write(self.token())
            elif self.doing == "rewrite":
                target.write_bytes(b"# All anew\n\n" + self.token())
            elif self.doing == "rewrite by rename":
                fresh = target.with_suffix(".new")
                fresh.write_bytes(b"# All anew\n\n" + self.token())
                fresh.replace(target)
            elif self.doing == "delete":
                target.unlink()
            elif self.doing == "rename away":
                target.rename(target.with_suffix(".moved.md"))

    def end(self) -> None:
        """Write once more into what was opened long ago."""
        for file in self.opened:
            file.write(self.token())


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Action], Path]:
    """Each action's workspace, made once and copied for every test."""
    made: dict[str, Path] = {}

    def template(action: Action) -> Path:
        if action.name not in made:
            root = tmp_path_factory.mktemp("template") / "workspace"
            sandbox = scene(root)
            for planner in action.first:
                sandbox.workspace.operations.carry_out(lambda: planner(sandbox.workspace))  # noqa: B023
            sandbox.close()
            made[action.name] = root
        return made[action.name]

    return template


def words(data: bytes) -> set[bytes]:
    return set(re.findall(rb"[\w]+", data))


def on_disk(root: Path) -> bytes:
    found = files_below(root, {".git"})
    kept = [path for name, path in found if not name.startswith(".workbench/") or "conflicts" in path.parts]
    return b"\n".join(path.read_bytes() for path in kept)


@pytest.mark.promise(
    "Two writers",
    "an agent appends, rewrites in place or by rename, deletes, renames away or holds open, before "
    "the plan, after it, at and after the exchange, during actions of each sort",
    "no line is lost; what fits nowhere is kept aside and shown",
    by="the other writer acts at the seam of each moment",
)
@pytest.mark.parametrize(("doing", "moment"), _cases())
@pytest.mark.parametrize("action", EACH_SORT, ids=str)
def test_no_word_of_two_writers_is_lost(
    action: Action,
    doing: str,
    moment: str,
    templates: Callable[[Action], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(templates(action), root)
    place = Workspace.open(root)
    planned = action.plan(place)
    written = words(on_disk(root))
    with ExitStack() as stack:
        agent = Agent(root, doing, [edit.path for edit in planned.edits], stack)

        def plan() -> Plan:
            made = action.plan(place)
            if moment == "after the plan":
                agent.act()
            return made

        if moment == "before the plan":
            agent.act()
        with monkeypatch.context() as patch:
            _around_exchanges(patch, moment, agent.act)
            try:
                place.operations.carry_out(plan)
                done = True
            except (WorkbenchError, OSError, StopIteration):
                done = False
        agent.end()
    if done and agent.did:
        written |= {word for edit in planned.edits for word in words(edit.after or b"")} - _ids(planned)
    place.operations.recover()
    place.operations.recover()

    disk = on_disk(root)
    sandbox = Sandbox.__new__(Sandbox)
    sandbox.root = root
    committed = sandbox.git("log", "--all", "-m", "-p", "--text", "--no-color").encode(
        "utf-8", "surrogateescape"
    )
    known = words(disk) | words(committed)
    assert agent.did
    assert [token for token in agent.tokens if token.encode() not in known] == []
    assert written - known == set()
    if doing in ADDED_ONCE:
        assert [token for token in agent.tokens if disk.count(token.encode()) > 1] == []
    assert not [name for name, _ in files_below(root, {".git", ".workbench"}) if ".wb-" in name]
    shown = {one.kept.name for one in place.operations.conflicts()}
    assert shown == {p.name for p in (root / ".workbench/conflicts").glob("*") if p.suffix != ".json"}
    place.close()


def _around_exchanges(patch: pytest.MonkeyPatch, moment: str, act: Callable[[], None]) -> None:
    """Let the other writer act right before, or right after, the first file changes its place."""

    def around(real: Callable[..., object], *, only: str = "") -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            ours = not only or str(arguments[1]).endswith(only)
            if ours and moment == "before the exchange":
                act()
            result = real(*arguments, **options)
            if ours and moment == "after the exchange":
                act()
            return result

        return call

    patch.setattr(files, "swap", around(files.swap))
    patch.setattr(files, "place", around(files.place))
    patch.setattr(os, "rename", around(os.rename, only=".tmp"))


def _ids(plan: Plan) -> set[bytes]:
    """The words that differ from one plan to the next by design."""
    return {
        word
        for edit in plan.edits
        for mark in re.findall(rb"(?:id|at)=(\S+)", edit.after or b"")
        for word in words(mark)
    }
