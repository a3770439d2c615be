"""Several workspaces from the command line: the list, ``-w NAME``, and a search over all of them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pexpect
import pytest

from tests.cli.conftest import Run
from tests.support.agent_memories import EVERY, PLAIN, write_agent_memory
from tests.support.workspaces import LOG, Sandbox
from workbench.cli import shell_values
from workbench.cli.fleet import say_report
from workbench.cli.program import workbench
from workbench.fleet.run import Failure, FleetReport
from workbench.format_version import FORMAT
from workbench.workspace.locks import hold


@pytest.fixture(autouse=True)
def no_model(person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    (person / "settings.yaml").write_text("model: none\n")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Sandbox]:
    """A second workspace, which also knows of a port."""
    made = Sandbox(tmp_path / "other")
    made.write(LOG, "# 2026-03-14\n\n- The broker port is 1883\n- The staging port is 8443\n")
    made.commit("ports")
    yield made
    made.close()


@pytest.fixture
def both(run: Run, other: Sandbox) -> Sandbox:
    """Both registered and indexed: ``workspace`` and ``other``."""
    for root in (".", str(other.root)):
        assert run("workspaces", "add", root).code == 0
        assert run("-w", root, "reindex", "--no-vectors").code == 0
    return other


def test_the_list_is_empty_at_first_and_says_how_to_begin(run: Run) -> None:
    result = run("workspaces", "list")
    assert (result.code, result.out) == (0, "")
    assert "`workbench workspaces add DIR`" in result.err
    assert run("workspaces", "list", "--json").json["workspaces"] == []


def test_the_nearest_workspace_is_added_where_none_is_named(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sandbox.root / "memory")
    assert run("workspaces", "add", "--json").json == {"name": "workspace", "path": str(sandbox.root)}


def test_the_list_tells_entries_and_freshness(run: Run, both: Sandbox) -> None:
    both.write(LOG, "# 2026-03-14\n\n- changed\n")
    result = run("workspaces", "list", "--json")
    assert result.code == 0
    here, there = result.json["workspaces"]
    assert (here["name"], here["state"]) == ("workspace", "fresh")
    assert here["entries"] > 5
    assert (there["name"], there["state"]) == ("other", "stale")
    assert there["summary"].startswith("1 changed")
    shown = run("workspaces", "list").out
    assert f"{here['entries']} entries  up to date" in shown
    assert str(both.root) in shown


@pytest.mark.promise(
    "Several workspaces",
    "a registered folder is gone, cannot be opened, or was written by a newer version",
    "it is named, with exit code 4, and stays on the list; the others answer",
    by="removed; wrong settings; a higher format",
)
def test_a_vanished_folder_and_a_newer_format_are_told_by_exit_code(run: Run, both: Sandbox) -> None:
    (both.root / "workbench.yaml").write_text(f"format: {FORMAT + 1}\n")
    result = run("workspaces", "list", "--json")
    assert result.code == 4
    assert result.json["workspaces"][1]["newer_format"] == FORMAT + 1
    assert "read-only" in run("workspaces", "list").out
    shutil.rmtree(both.root)
    result = run("workspaces", "list", "--json")
    assert result.code == 4
    assert result.json["workspaces"][1]["state"] == "gone"
    assert run("workspaces", "remove", "other").code == 0
    assert run("workspaces", "list").code == 0


def test_a_workspace_whose_settings_are_wrong_is_told(run: Run, both: Sandbox) -> None:
    (both.root / "workbench.yaml").write_text("exlude: [private/**]\n")
    result = run("workspaces", "list", "--json")
    assert result.code == 4
    assert result.json["workspaces"][1]["state"] == "refused"
    assert "exlude" in result.json["workspaces"][1]["summary"]


def test_removing_touches_nothing_of_the_workspace(run: Run, both: Sandbox) -> None:
    before = both.snapshot()
    assert run("workspaces", "remove", "other", "--json").json == {"name": "other", "path": str(both.root)}
    assert both.snapshot() == before
    result = run("workspaces", "remove", "other")
    assert result.code == 2
    assert "registered: workspace" in result.err


def test_a_name_is_as_good_as_a_folder(run: Run, both: Sandbox, person: Path) -> None:
    assert run("-w", "other", "get", LOG).out == both.read(LOG).decode()
    assert run("-w", "other", "status", "--json").json["workspace"] == str(both.root)
    assert run("-w", "other", "config", "--json").code == 0
    wrong = run("-w", "nobody", "status")
    assert wrong.code == 2
    assert "no workspace is registered by that name" in wrong.err


def test_a_folder_goes_before_a_name_and_that_is_said(run: Run, both: Sandbox, sandbox: Sandbox) -> None:
    shutil.copytree(sandbox.root / "memory", sandbox.root / "other" / "memory")
    result = run("-w", "other", "status", "--json")
    assert result.json["workspace"] == str(sandbox.root / "other")
    assert "other is a folder here" in result.err


def test_actions_by_name_are_done_there(run: Run, both: Sandbox, sandbox: Sandbox) -> None:
    address = both.address("broker")
    here = sandbox.snapshot()
    assert run("-w", "other", "promote", address).code == 0
    assert "broker port" in both.read("MEMORY.md").decode()
    assert sandbox.snapshot() == here


def test_a_search_over_all_names_the_workspace_of_each_hit(run: Run, both: Sandbox, sandbox: Sandbox) -> None:
    answer = run("search", "staging port", "--all", "--json").json
    first, second = answer["hits"][:2]
    assert {first["workspace"], second["workspace"]} == {"workspace", "other"}
    assert first["snippet"] == second["snippet"] == "The staging port is 8443"
    assert first["strength"] == second["strength"]
    assert [hit["rank"] for hit in answer["hits"]] == list(range(1, len(answer["hits"]) + 1))
    assert [one["workspace"] for one in answer["workspaces"]] == ["workspace", "other"]
    lines = run("search", "broker", "--all").out.splitlines()
    assert lines[0].startswith(f" 1. other  {LOG}#")
    assert run("-w", first["root"], "get", first["entry"]).out.strip() == f"- {first['snippet']}"


def test_it_needs_no_workspace_to_stand_in(run: Run, both: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert run("search", "broker", "--all", "--json").json["hits"][0]["workspace"] == "other"


def test_one_that_is_gone_stops_nobody(run: Run, both: Sandbox) -> None:
    shutil.rmtree(both.root)
    result = run("search", "staging port", "--all", "--json")
    assert result.code == 0
    assert {hit["workspace"] for hit in result.json["hits"]} == {"workspace"}
    assert "other: its folder no longer exists" in result.json["degraded"]
    assert "degraded: " in run("search", "port", "--all").err


def test_conditions_batches_and_explanations_are_those_of_one_search(run: Run, both: Sandbox) -> None:
    only = run("search", "port", "--all", "--kind", "memory", "--json").json
    assert only["hits"] == []
    assert only["state"] in ("empty", "degraded")
    explained = run("search", "broker", "--all", "--explain", "--json").json["hits"][0]
    assert explained["parts"]
    assert explained["score"] > 0
    (both.root / "questions").write_text('{"id": 7, "query": "broker", "k": 1}\n{"query": "tea"}\n')
    rows = run("search", "--all", "--batch", str(both.root / "questions")).out.splitlines()
    assert [json.loads(row)["id"] for row in rows] == [7, 2]
    assert [hit["workspace"] for hit in json.loads(rows[0])["hits"]] == ["other"]


def test_a_change_since_indexing_is_said_with_the_name(run: Run, both: Sandbox) -> None:
    both.write(LOG, "# 2026-03-14\n\n- The broker port is 1884\n")
    with hold(both.workspace.state_dir() / "index.lock", "reindex"):
        answer = run("search", "tea", "--all", "--json").json
    assert answer["stale"].startswith("other: the index is behind the files: 1 changed")
    answer = run("search", "1884", "--all", "--json").json
    assert (answer["stale"], answer["hits"][0]["snippet"]) == (False, "The broker port is 1884")


def test_memory_as_it_was_can_be_searched_in_all(run: Run, both: Sandbox) -> None:
    both.write(LOG, "# 2026-03-14\n\n- The broker port is 1884\n")
    both.commit("moved")
    run("-w", "other", "reindex", "--no-vectors")
    before = both.git("rev-parse", "HEAD~1").strip()
    result = run("search", "broker", "--all", "--as-of", before, "--mode", "lexical", "--json")
    assert [(hit["workspace"], hit["snippet"]) for hit in result.json["hits"]][:1] == [
        ("other", "The broker port is 1883")
    ]
    assert "workspace: " in result.json["degraded"]  # it knows no such commit, and says so


def test_without_any_registered_there_is_nothing_to_search(run: Run) -> None:
    result = run("search", "tea", "--all")
    assert result.code == 2
    assert "no workspace is registered" in result.err


def test_a_line_that_makes_no_sense_is_told_by_both(run: Run, both: Sandbox, person: Path) -> None:
    with (person / "workspaces.yaml").open("a") as file:
        file.write("a/b: /nowhere\n")
    assert "skipped in" in run("search", "tea", "--all").err
    result = run("workspaces", "list")
    assert result.code == 4
    assert "a/b" in result.err


def test_a_name_of_a_folder_forges_no_row_and_steers_no_terminal(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path may hold anything but NUL: what is printed of it stays in its row."""
    forged = "a\nforged  9 entries\x1b[31m\u202e"
    made = Sandbox(tmp_path / forged, repository=False)
    made.close()
    shown = "a forged  9 entries␛[31m<U+202E>"
    added = run("workspaces", "add", str(made.root), "--name", "odd").out
    assert added == f"odd  {tmp_path}/{shown}\n"
    rows = run("workspaces", "list").out.splitlines()
    assert [row.split()[0] for row in rows] == ["odd", f"{tmp_path}/a"]
    assert rows[1].endswith(shown)
    (offered,) = shell_values.registered(click.Context(workbench), click.Argument(["name"]), "")
    assert (offered.value, offered.help) == ("odd", f"{tmp_path}/{shown}")
    for command in (("status",), ("doctor",), ("search", "--all", "tea"), ("-w", "odd", "status")):
        said = run(*command)
        assert "\x1b" not in said.out + said.err
        assert not any(line.startswith("forged") for line in (said.out + said.err).splitlines()), command
    assert run("workspaces", "remove", "odd").out.splitlines() == [
        f"odd was unregistered; nothing in {tmp_path}/{shown} was changed"
    ]
    refused = run("-w", f"{made.root}/gone\nforged", "status")
    assert (refused.code, len(refused.err.splitlines())) == (2, 2)
    fleet = FleetReport(uri="x", model="", total=1)
    fleet.failed.append(Failure(forged, str(made.root), f"{made.root} is not a folder", 3))
    say_report(fleet)
    told = capsys.readouterr().err
    assert told == f"failed: {shown}: {tmp_path}/{shown} is not a folder (3 attempts)\n"


# -- what agents of this machine keep --------------------------------------------------------------------

KEPT = {
    "openclaw": ".openclaw/workspace",
    "claude-code": ".claude/projects/-home-you-atlas/memory",
    "codex": ".codex/memories",
    "gemini-cli": ".gemini",
    "hermes": ".hermes/memories",
    "letta": ".letta/agents/agent-1/memory",
    "nanobot": ".nanobot/workspace",
    "basic-memory": "basic-memory",
    "obsidian": "Documents/vault",
    "claude-project": "code/atlas",
    "openhands-user": ".openhands/memory",
}


@pytest.fixture
def home(person: Path) -> Path:
    """A home in which every agent that has a place of its own keeps memory."""
    (person / ".openclaw/agents/main/sessions").mkdir(parents=True)
    (person / ".claude/projects/-home-you-empty/memory").mkdir(parents=True)
    for memory in EVERY:
        if place := KEPT.get(memory.layout):
            write_agent_memory(memory, person / place, repository=False)
    (person / ".openclaw/openclaw.json").write_text(
        json.dumps({"agents": {"list": [{"id": "main"}, {"id": "two", "workspace": str(person / "two")}]}})
    )
    write_agent_memory(PLAIN, person / "two", repository=False)
    (person / ".config/obsidian").mkdir(parents=True)
    vaults = {"a": {"path": str(person / KEPT["obsidian"]), "open": True}, "b": {"path": "gone"}, "c": 1}
    (person / ".config/obsidian/obsidian.json").write_text(json.dumps({"vaults": vaults}))
    (person / ".basic-memory").mkdir()
    (person / ".basic-memory/config.json").write_text(
        json.dumps({"projects": {"main": str(person / "basic-memory")}})
    )
    (person / "code/empty").mkdir()
    (person / "CLAUDE.md").write_text("- of all of home\n")
    projects: dict[str, dict[str, str]] = {
        str(person / name): {} for name in ("code/atlas", "code/empty", "code/gone", "")
    }
    (person / ".claude.json").write_text(json.dumps({"projects": projects}))
    (person / ".hermes/pending/memory").mkdir(parents=True)
    for name in ("a.json", "b.json"):
        (person / ".hermes/pending/memory" / name).write_text("{}")
    return person


def test_every_agents_memory_on_this_machine_is_found_and_nothing_is_written(run: Run, home: Path) -> None:
    (home / ".openclaw/workspace/MEMORY.md").write_text("- " + "x" * 14_198)
    before = {path: path.lstat().st_mtime_ns for path in home.rglob("*")}
    found = run("workspaces", "--found", "--json").json["found"]
    assert {one["path"]: one["layout"] for one in found} == {
        **{str(home / place): layout for layout, place in (KEPT | {"hermes": ".hermes"}).items()},
        str(home / "two"): "openclaw",
    }
    assert next(one["files"] for one in found if one["path"] == str(home / "two")) == {"note": 1}
    told = {one["layout"]: one for one in found if one["path"] != str(home / "two")}
    for memory in EVERY:
        if memory.layout in told:
            assert told[memory.layout]["files"] == memory.kinds
    assert told["openclaw"]["loaded"][0]["lost"] == 2_200
    assert {layout: one["pending"] for layout, one in told.items() if one["pending"]} == {
        "gemini-cli": 1,
        "hermes": 2,
    }
    assert [one["newest"] for one in found] == sorted((one["newest"] for one in found), reverse=True)
    shown = run("workspaces", "--found")
    assert "MEMORY.md 14,200 of 12,000 characters; the agent is not given 2,200" in shown.out
    assert f"open one with: `workbench {found[0]['path']}`" in shown.err
    assert {path: path.lstat().st_mtime_ns for path in home.rglob("*")} == before


@pytest.mark.parametrize("named", ["~", "~/\0", "\ud800", "~/" + "x" * 5_000, "relative", "~/out"])
def test_an_odd_place_in_the_settings_of_an_agent_is_not_walked(
    run: Run, person: Path, tmp_path: Path, named: str
) -> None:
    for path in ("CLAUDE.md", "deep/er/CLAUDE.md", "deep/notes.md", ".openclaw/workspace-two/MEMORY.md"):
        (person / path).parent.mkdir(parents=True, exist_ok=True)
        (person / path).write_text("- Likes tea\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/MEMORY.md").write_text("- Likes tea\n")
    (person / "out").symlink_to(tmp_path / "elsewhere")
    (person / ".openclaw/workspace-three").symlink_to(tmp_path / "elsewhere")
    agents = {"list": [{"id": "main", "workspace": named}, {"id": "two"}]}
    (person / ".openclaw/openclaw.json").write_text(json.dumps({"agents": agents}))
    answer = run("workspaces", "--found", "--json")
    assert answer.code == 0, answer.err
    found = {one["path"]: one["files"] for one in answer.json["found"]}
    assert found.pop(str(person / ".openclaw/workspace-two")) == {"memory": 1}
    assert found == ({str(person): {"note": 1}} if named == "~" else {})


def test_a_home_with_a_bracket_in_its_name_is_looked_through(
    run: Run, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = person / "a[b]*"
    write_agent_memory(PLAIN, home / ".codex/memories", repository=False)
    write_agent_memory(PLAIN, home / "basic-memory", repository=False)
    monkeypatch.setenv("HOME", str(home))
    found = run("workspaces", "--found", "--json").json["found"]
    assert {one["layout"] for one in found} == {"codex", "basic-memory"}


def test_a_machine_without_agents_and_one_with_settings_that_cannot_be_read_say_so(
    run: Run, person: Path
) -> None:
    assert "no agent's memory was found" in run("workspaces", "--found").err
    assert run("workspaces", "--found", "--json").json == {"found": []}
    root = write_agent_memory(PLAIN, person / ".codex/memories", repository=False)
    (root / "workbench.yaml").write_text("exclude: {broken\n")
    (person / ".openclaw").mkdir()
    (person / ".openclaw/openclaw.json").write_text("{broken")
    (one,) = run("workspaces", "--found", "--json").json["found"]
    assert "workbench.yaml" in one["problem"]
    assert "workbench.yaml" in run("workspaces", "--found").out


def test_without_a_workspace_the_program_lists_what_it_finds(home: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[2])}
    program = pexpect.spawn(
        sys.executable, ["-m", "workbench"], encoding="utf-8", timeout=60, cwd=str(empty), env=environment
    )
    program.expect(pexpect.EOF)
    shown = str(program.before)
    program.close()
    assert program.exitstatus == 0
    assert f"Hermes  {home / '.hermes'}\x1b" in shown
    assert "open one with" in shown
    assert not list(empty.iterdir())


def test_a_folder_inside_a_workspace_says_which_it_is_part_of(run: Run, sandbox: Sandbox) -> None:
    said = f"is a folder of the workspace {sandbox.root}; `-w {sandbox.root}` opens all of it"
    assert said in run("-w", str(sandbox.root / "memory"), "status").err
    assert said in run("audit", str(sandbox.root / "memory"), "--quick").err
    assert "is a folder of" not in run("-w", str(sandbox.root), "status").err
    (sandbox.root / "photos").mkdir()
    assert "is a folder of" not in run("-w", str(sandbox.root / "photos"), "status").err, "no memory of it"
    (sandbox.root / "memory/.workbench").mkdir()  # somebody uses it by itself
    assert "is a folder of" not in run("-w", str(sandbox.root / "memory"), "status").err
