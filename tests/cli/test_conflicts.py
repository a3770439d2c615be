"""What another writer wrote in the same moment is listed, shown and let go, and never lost."""

from __future__ import annotations

import io
import sys

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox

LATE = b"# all by the agent, which held the file open\n\x1b]0;title\x07\n"


@pytest.fixture
def conflict(run: Run, sandbox: Sandbox) -> None:
    """An agent that rewrote MEMORY.md through a descriptor from before a promotion."""
    with (sandbox.root / "MEMORY.md").open("r+b", buffering=0) as agent:
        assert run("promote", sandbox.address("staging port")).code == 0
        agent.truncate(0)
        agent.write(LATE)
    sandbox.workspace.operations.recover()


@pytest.mark.usefixtures("conflict")
def test_a_conflict_is_named_by_status_listed_and_shown_against_the_file_as_it_is(run: Run) -> None:
    warnings = run("status", "--json").json["warnings"]
    assert any(
        "workbench inbox conflicts --show 1" in warning and "MEMORY.md" in warning for warning in warnings
    )
    (row,) = run("inbox", "conflicts", "--json").json
    assert (row["number"], row["path"]) == (1, "MEMORY.md")
    assert "MEMORY.md  # all by the agent" in run("inbox", "conflicts").out
    shown = run("inbox", "conflicts", "--show", "1")
    assert "+# all by the agent, which held the file open" in shown.out
    assert "-- The staging port is 8443" in shown.out
    assert "\x1b" not in shown.out


@pytest.mark.usefixtures("conflict")
def test_a_discarded_conflict_leaves_the_list_and_stays_in_git(run: Run, sandbox: Sandbox) -> None:
    done = run("inbox", "conflicts", "--discard", "1", "--yes", "--json")
    assert done.code == 0
    sandbox.git("gc", "-q", "--prune=now")
    assert sandbox.git("cat-file", "blob", done.json["discarded"]).encode() == LATE
    assert run("inbox", "conflicts", "--json").json == []
    assert run("inbox", "conflicts").out == "no conflicts\n"
    assert not any("conflict" in warning for warning in run("status", "--json").json["warnings"])
    assert sandbox.git("status", "--porcelain") == ""


@pytest.mark.usefixtures("conflict")
def test_discarding_asks_first_and_no_means_no(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    asked = run("inbox", "conflicts", "--discard", "1")
    assert "all by the agent" in asked.out
    assert len(run("inbox", "conflicts", "--json").json) == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert run("inbox", "conflicts", "--discard", "1").code == 0
    assert run("inbox", "conflicts", "--json").json == []


@pytest.mark.usefixtures("conflict")
@pytest.mark.parametrize("options", [("--show", "2"), ("--discard", "7"), ("--show", "1", "--discard", "1")])
def test_what_is_not_there_is_wrong_usage_with_a_hint(run: Run, options: tuple[str, ...]) -> None:
    result = run("inbox", "conflicts", *options, "--json")
    assert result.code == 2
    assert result.json["error"]["hint"]


def test_a_conflict_whose_file_is_not_known_any_more_is_shown_all_the_same(
    run: Run, sandbox: Sandbox
) -> None:
    folder = sandbox.workspace.state_dir() / "conflicts"
    folder.mkdir()
    (folder / "abc-0-MEMORY.md").write_bytes(b"- old\n")
    assert run("inbox", "conflicts", "--json").json[0]["path"] is None
    assert "+- old" in run("inbox", "conflicts", "--show", "1").out
