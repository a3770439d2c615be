"""`workbench fleet` as a person and a script use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.fleet.workspaces import make_fleet, write
from workbench.cli.program import workbench
from workbench.errors import IndexUnavailableError, UsageError


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    agents = make_fleet(tmp_path / "agents", 3)
    file = tmp_path / "fleet.txt"
    file.write_text("".join(f"{agent.path}\t{agent.name}\n" for agent in agents))
    return file


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return str(tmp_path / "table")


def fleet(*arguments: str) -> Result:
    done = CliRunner().invoke(workbench, ["fleet", *arguments], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done


def answer(*arguments: str) -> tuple[int, Any]:
    done = fleet(*arguments, "--json")
    return done.return_value or 0, json.loads(done.stdout)


def test_the_four_commands_agree(roster: Path, uri: str, tmp_path: Path) -> None:
    listed = ("--workspaces", str(roster), "--uri", uri)
    here = (*listed, "--workers", "0", "--no-vectors")
    report_file = tmp_path / ("r" * 250 + ".json")  # as long as names can be
    code, report = answer("reindex", *here, "--report", str(report_file))
    assert (code, report["written"], report["failed"]) == (0, 3, [])
    assert json.loads(report_file.read_text()) == report
    code, told = answer("status", *listed)
    assert (code, told["states"], told["rows"]) == (0, {"fresh": 3}, report["rows"])
    code, found = answer("search", "door", "code", "--uri", uri, "--in", "agent-00001")
    assert [hit["workspace"] for hit in found["hits"]] == ["agent-00001"] * len(found["hits"])
    assert found["hits"][0]["snippet"] == "The door code of agent 1 is 4001"
    assert "no vectors in this table" in found["degraded"]
    assert answer("check", *listed)[0] == 0
    with pytest.raises(UsageError, match="no workspace agent-9"):
        fleet("search", "door", "--uri", uri, "--in", "agent-9")

    write(tmp_path / "agents/agent-00002", "MEMORY.md", "# Memory\n\n- Likes tea\n")
    with roster.open("a") as file:
        file.write(f"{tmp_path / 'nowhere'}\tgone\n")
    code, told = answer("status", *listed)
    assert (code, told["states"]) == (4, {"fresh": 2, "behind": 1, "unreadable": 1})
    code, checked = answer("check", *listed)
    assert (code, {one["fault"] for one in checked["findings"]}) == (4, {"stale", "unreadable"})
    code, report = answer("reindex", *here, "--retries", "0")
    assert (code, report["written"], [one["name"] for one in report["failed"]]) == (4, 1, ["gone"])


def test_people_are_told_in_words_that_cannot_steer_a_terminal(
    roster: Path, uri: str, tmp_path: Path
) -> None:
    write(tmp_path / "agents/agent-00001", "MEMORY.md", "# Memory\n\n- An \x1b[31mevil quokka\n")
    done = fleet("reindex", "--workspaces", str(roster), "--uri", uri, "--workers", "0", "--no-vectors")
    assert "3 workspaces: 3 written, 0 unchanged, 0 failed" in done.stdout
    done = fleet("search", "quokka", "--uri", uri)
    assert "agent-00001  MEMORY.md:3" in done.stdout
    assert "\x1b[31mevil" not in done.stdout
    done = fleet("status", "--workspaces", str(roster), "--uri", uri)
    assert "3 fresh" in done.stdout


def test_what_cannot_be_asked_is_refused(roster: Path, uri: str) -> None:
    with pytest.raises(IndexUnavailableError, match="nothing has been indexed there yet"):
        fleet("search", "tea", "--uri", uri)
    with pytest.raises(UsageError, match="--ray"):
        fleet("reindex", "--workspaces", str(roster), "--workers", "0", "--ray", "auto")


def test_the_own_model_makes_the_vectors_and_asks_with_them(
    roster: Path, uri: str, own_model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(own_model_cache))
    code, report = answer("reindex", "--workspaces", str(roster), "--uri", uri, "--workers", "0")
    assert (code, report["lacking"], report["embedded"]) == (0, 0, report["rows"])
    code, found = answer("search", "how does one get through the entrance?", "--uri", uri, "--mode", "vector")
    assert (code, found["degraded"], found["mode"]) == (0, None, "vector")
    assert "door code" in found["hits"][0]["snippet"]
