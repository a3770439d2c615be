"""The commands of docs/purge.md do what the page says; the test runs them from the page itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, read_page
from tests.support.workspaces import EPISODE, LOG, LOG_TEXT, Sandbox
from workbench.history.verify import audit
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

PAGE = read_page(DOCS / "purge.md")
TOKEN = "ghp_" + "q7Zk2Vx9Lm4T" * 3
OTHER = "pa/ss&w0rd\\1 *[x]$HOME"
"""Every character that a pattern language would take for its own."""


def run(sandbox: Sandbox, script: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=sandbox.root,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(operation: Operation) -> tuple[object, ...]:
    """What is said of an operation; a plain commit is known by its own name, which is another one now."""
    name = None if operation.action == "commit" else operation.id
    return name, operation.action, operation.actor, operation.when, operation.entries, operation.paths


def objects(sandbox: Sandbox) -> str:
    """Every object that git holds, reachable or not."""
    return sandbox.git("cat-file", "--batch-all-objects", "--batch", "--unordered")


@pytest.fixture
def spread(sandbox: Sandbox, person: Path) -> Sandbox:
    """A secret in files, in messages, on another branch, in a tag, in a stash and in the log of a branch."""
    place = sandbox.workspace
    sandbox.write(LOG, f"{LOG_TEXT}- the deploy token is {TOKEN}\n- the other one is {OTHER}\n")
    sandbox.write("notes/binary.bin", b"\0\xff" + TOKEN.encode() + b"\0")
    sandbox.commit(f"the agent's own commit with {TOKEN} in its message")
    sandbox.git("tag", "-a", "-m", f"a tag of {OTHER}", "v1")
    for words in ("staging port", "async reviews"):
        address = sandbox.address(words)
        place.operations.carry_out(lambda address=address: plan_promote(place, [address]))  # type: ignore[misc]
    forgotten = sandbox.address("deploy token")
    place.operations.carry_out(lambda: plan_forget(place, [forgotten]))
    sandbox.git("branch", "side", "HEAD~1")
    sandbox.write(LOG, sandbox.read(LOG) + f"- once more {TOKEN}\n".encode())
    sandbox.git("stash", "--quiet")
    sandbox.git("stash", "drop", "--quiet")
    sandbox.git("commit", "-q", "--allow-empty", "-m", f"never mind {TOKEN}")
    sandbox.git("reset", "-q", "--hard", "HEAD~1")
    place.history.store_for_good(f"dropped by `conflicts --discard`: {TOKEN}\n".encode())
    (person / "purge.txt").write_text(f"{TOKEN}\n{OTHER}\n")
    assert TOKEN in objects(sandbox)
    assert OTHER in objects(sandbox)
    return sandbox


def test_after_the_plain_git_section_no_object_holds_the_secret(spread: Sandbox) -> None:
    assert spread.git("status", "--porcelain") == ""
    run(spread, PAGE.below("3. Make a copy"))
    run(spread, PAGE.below("With plain git"))
    assert TOKEN not in objects(spread)
    assert OTHER not in objects(spread)
    assert TOKEN not in spread.git("log", "--all", "-g", "--format=%B")
    for path in spread.root.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes()
            assert OTHER.encode() not in path.read_bytes()
    assert spread.git("status", "--porcelain") == ""
    spread.git("fsck", "--strict")


def test_the_workspace_opens_and_its_operations_are_listed_and_undone_as_before(spread: Sandbox) -> None:
    before = [told(operation) for operation in spread.workspace.operations.walk()]
    memory, episode = spread.read("MEMORY.md"), spread.read(EPISODE)
    run(spread, PAGE.below("With plain git"))
    spread.workspace.close()
    place = spread.workspace = Workspace.open(spread.root)
    after = list(place.operations.walk())
    assert [told(operation) for operation in after] == before
    assert spread.read("MEMORY.md") == memory
    assert spread.read(EPISODE) == episode
    assert [flaw for check in audit(place) for flaw in check.flaws] == []
    first = next(o for o in reversed(after) if o.action == "promote")
    place.operations.carry_out(lambda: plan_undo(place, first.id))
    assert b"staging port" not in spread.read("MEMORY.md")
    assert b"async reviews" in spread.read("MEMORY.md")
    forgotten = next(o for o in after if o.action == "forget")
    place.operations.carry_out(lambda: plan_undo(place, forgotten.id))
    assert b"the deploy token is xxxx" in spread.read(LOG)
    assert TOKEN.encode() not in spread.read(LOG)


def test_the_page_counts_what_is_left_with_a_command_that_sees_it(spread: Sandbox) -> None:
    """A check that finds nothing before the purge would prove nothing after it."""
    count = next(line for line in PAGE.below("5. Check that it is gone").splitlines() if "grep" in line)
    assert int(run(spread, count)) > 0
    run(spread, PAGE.below("With plain git"))
    assert int(run(spread, f"{count} || true")) == 0


def test_the_last_step_removes_the_copy_and_the_list(spread: Sandbox, person: Path) -> None:
    run(spread, PAGE.below("3. Make a copy"))
    assert (spread.root.parent / "before-purge.git").is_dir()
    run(spread, PAGE.commands[-1].text)
    assert not (spread.root.parent / "before-purge.git").exists()
    assert not (person / "purge.txt").exists()
