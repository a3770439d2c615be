"""A member of a team at the command line: the leader's memory is read after one's own, and never written."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, LOG, Sandbox


@pytest.fixture
def leader(run: Run, person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """The leader, who knows of a broker; the sandbox is a member."""
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    made = Sandbox(tmp_path / "leader")
    made.write(LOG, "# 2026-03-14\n\n- The broker port is 1883\n")
    made.commit("ports")
    (person / "settings.yaml").write_text(f"model: none\nteam_leader: {made.root}\n")
    for root in (".", str(made.root)):
        assert run("-w", root, "reindex", "--no-vectors").code == 0
    yield made
    made.close()


def test_a_search_has_the_leaders_hits_and_ones_own_in_one_order(run: Run, leader: Sandbox) -> None:
    best = run("search", "broker port", "--json").json["hits"]
    assert (best[0]["scope"], best[0]["snippet"]) == ("leader", "The broker port is 1883")
    scores = [hit["score"] for hit in best]
    assert scores == sorted(scores, reverse=True)
    assert len(run("search", "broker port", "-k", "1", "--json").json["hits"]) == 1
    answer = run("search", "port", "--json").json
    whose = [hit.get("scope") for hit in answer["hits"]]
    assert {None, "leader"} == set(whose)
    assert [hit["rank"] for hit in answer["hits"]] == list(range(1, len(whose) + 1))
    theirs = next(hit for hit in answer["hits"] if hit.get("scope"))
    assert theirs["entry"].startswith(f"leader:{LOG}#")
    assert theirs["root"] == str(leader.root)
    assert "leader:memory/" in run("search", "port").out


def test_what_only_the_leader_knows_is_found(run: Run, leader: Sandbox) -> None:
    answer = run("search", "broker", "--mode", "lexical", "--json").json
    assert answer["hits"][0]["snippet"] == "The broker port is 1883"
    assert answer["state"] == "ok"


def test_a_member_without_an_index_gets_the_leaders_answer(
    run: Run, leader: Sandbox, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(sandbox.root / ".workbench/index")
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    for how in ("lexical", "hybrid"):
        found = run("search", "broker", "--mode", how, "--json")
        assert (found.code, found.json["stale"]) == (
            0,
            "there is no index yet, and read-only mode does not build one",
        )
        assert [hit["snippet"] for hit in found.json["hits"]] == ["The broker port is 1883"]
        assert "this memory could not be searched: there is no index yet" in found.json["notes"]
    given = run("context", "which broker port do we use?", "--json").json
    assert [line["scope"] for line in given["lines"]] == ["leader"]
    assert "there is no index yet, and read-only mode does not build one" in given["notes"]
    shutil.rmtree(leader.root / ".workbench/index")
    for command in (("search", "broker"), ("context", "which broker port do we use?")):
        nobody = run(*command)
        assert nobody.code == 1
        assert "there is no index yet, and read-only mode does not build one" in nobody.err
        assert "run `workbench reindex` where WORKBENCH_READ_ONLY is not set" in nobody.err


def test_the_leader_searches_only_their_own(run: Run, leader: Sandbox) -> None:
    hits = run("-w", str(leader.root), "search", "port", "--json").json["hits"]
    assert hits
    assert not any("scope" in hit for hit in hits)


@pytest.mark.promise(
    "Several workspaces",
    "an action names an entry of the team's leader",
    "refused as read-only; nothing is written there",
    by="`leader:…` addresses",
)
@pytest.mark.parametrize("path", [LOG, "MEMORY.md", "USER.md"])
def test_a_leaders_entry_is_read_by_its_mark_and_no_action_reaches_it(
    run: Run, leader: Sandbox, sandbox: Sandbox, path: str
) -> None:
    if path != LOG:
        leader.write(path, "# 2026-03-14\n\n- The broker port is 1883\n")
        leader.write(LOG, "# 2026-03-14\n\n- Nothing\n")
        leader.commit("elsewhere")
        assert run("-w", str(leader.root), "reindex", "--no-vectors").code == 0
    theirs = run("search", "broker", "--json").json["hits"][-1]["entry"]
    assert theirs.startswith(f"leader:{path}#")
    before = leader.snapshot(), sandbox.snapshot()
    assert run("get", theirs).out.strip() == "- The broker port is 1883"
    assert run("get", f"leader:{path}", "--lines", "1").out.strip() == "# 2026-03-14"
    for action in ("promote", "forget", "pin", "quarantine"):
        result = run(action, theirs)
        assert result.code == 1, action
        assert "read-only" in result.err, action
    assert run("get", "leader:../settings.yaml").code != 0
    assert (leader.snapshot(), sandbox.snapshot()) == before
    assert leader.git("status", "--porcelain") == ""


def test_where_a_leaders_entry_comes_from_is_told_under_its_mark(run: Run, leader: Sandbox) -> None:
    """Each address that is printed can be given to the next command."""
    leader.write("MEMORY.md", f"# Memory\n\n- The broker port is 1883 <!-- wb: src={LOG}#L3 -->\n")
    leader.write("graph/person/sarah.md", "# Sarah\n\n- [role] Runs the broker\n")
    leader.commit("remembered")
    theirs = f"leader:{leader.address('broker', 'MEMORY.md')}"
    before = leader.snapshot(), set(os.listdir(leader.root / ".workbench"))
    shown = run("show", theirs, "--json").json
    assert (shown["entry"], shown["scope"], shown["root"]) == (theirs, "leader", str(leader.root))
    assert shown["text"] == "The broker port is 1883"
    assert shown["origin"]["source"] == f"leader:{LOG}#L3"
    assert run("get", shown["origin"]["source"]).out.strip() == "- The broker port is 1883"
    steps = run("log", theirs, "--json").json
    assert steps == shown["history"]
    addresses = [address for step in steps for address in (*step["before"], *step["after"])]
    assert theirs in addresses
    assert all(address.startswith("leader:") for address in addresses)
    assert theirs in run("show", theirs).out
    assert "remembered" in run("show", f"leader:{steps[0]['commit']}").out
    for target in (theirs, "leader:MEMORY.md"):
        line = run("blame", target, "--json").json[-1]
        assert (line["entry"], line["text"][:28]) == (theirs, "- The broker port is 1883 <!")
    (change,) = run("log", "leader:MEMORY.md", "-n", "1", "--json").json
    assert (change["path"], change["summary"]) == ("leader:MEMORY.md", "remembered")
    kin = run("show", "--related", theirs, "--json").json["related"]
    assert [one["entry"].partition("#")[0] for one in kin] == [f"leader:{LOG}"]
    page = run("graph", "show", "leader:Sarah", "--json").json
    assert (page["page"], page["scope"]) == ("leader:graph/person/sarah.md", "leader")
    assert run("get", page["memories"][0]["entry"]).out.strip() == "- [role] Runs the broker"
    assert "leader:graph/person/sarah.md#" in run("graph", "show", "leader:graph/person/sarah.md").out
    assert run("episodes", "show", f"leader:{EPISODE}", "--json").json["path"] == f"leader:{EPISODE}"
    assert (leader.snapshot(), set(os.listdir(leader.root / ".workbench"))) == before


def test_what_is_suspicious_in_a_leaders_file_is_told_under_its_mark(run: Run, leader: Sandbox) -> None:
    leader.write(LOG, "# 2026-03-14\n\n- Send it\u200b to me\n")
    found = run("check", f"leader:{LOG}", "--strict", "--json")
    assert found.code == 4
    (flag,) = [one for one in found.json["remarks"] if one["rule"] == "hidden text"]
    assert flag["path"] == f"leader:{LOG}"
    assert run("get", flag["entry"]).code == 0


@pytest.mark.parametrize(
    "command",
    [
        ("edit", "ENTRY", "--text", "words"),
        ("merge", "ENTRY", "ENTRY"),
        ("move", "ENTRY", "--heading", "Facts"),
        ("move", "OWN", "--to", "leader:MEMORY.md"),
        ("quarantine", "--release", "ENTRY"),
        ("archive", "ENTRY"),
        ("restore", "ENTRY", "--at", "1d"),
        ("undo", "leader:0a1b2c3d"),
        ("episodes", "pin", f"leader:{EPISODE}"),
        ("episodes", "extend", f"leader:{EPISODE}", "--days", "3"),
        ("graph", "merge", "leader:Sarah", "leader:Tom"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_every_command_that_would_change_it_says_that_it_is_the_leaders(
    run: Run, leader: Sandbox, sandbox: Sandbox, command: tuple[str, ...]
) -> None:
    names = {"ENTRY": f"leader:{leader.address('broker')}", "OWN": sandbox.address("tea", "MEMORY.md")}
    result = run(*(names.get(word, word) for word in command), "--json")
    assert (result.code, result.json["error"]["code"]) == (1, "read-only")
    assert "is the leader's: memory is read-only for team members" in result.json["error"]["message"]


def test_a_file_of_ones_own_that_is_called_so_is_ones_own(
    run: Run, leader: Sandbox, sandbox: Sandbox, person: Path
) -> None:
    (sandbox.root / "workbench.yaml").write_text("include: ['*.md']\n")
    sandbox.write("leader:notes.md", "- My own words\n")
    assert run("get", "leader:notes.md").out.strip() == "- My own words"
    mine = run("blame", "leader:notes.md", "--json").json[0]["entry"]
    assert run("forget", mine).code == 0
    assert b"My own words" not in sandbox.read("leader:notes.md")


def test_the_leaders_memory_as_it_was_is_not_ones_own(run: Run, leader: Sandbox) -> None:
    theirs = f"leader:{leader.address('broker')}"
    for command in ("get", "show", "log", "blame"):
        result = run("--as-of", "2100-01-01", command, theirs)
        assert result.code == 2
        assert "--as-of shows your own memory only" in result.err


def test_a_leader_that_is_gone_is_said_and_ones_own_answers(run: Run, leader: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\nteam_leader: /nowhere/at/all\n")
    answer = run("search", "staging port", "--json").json
    assert answer["hits"][0]["snippet"] == "The staging port is 8443"
    assert any("only your own memory is searched" in note for note in answer["notes"])


def test_a_leader_that_is_gone_does_not_silence_the_hook_of_an_agent(
    run: Run, leader: Sandbox, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / "settings.yaml").write_text("model: none\nteam_leader: /nowhere/at/all\n")
    said = json.dumps({"prompt": "which staging port do we use for the gateway?"})
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(said.encode())))
    result = run("context", "--hook")
    assert result.code == 0
    assert "The staging port is 8443" in result.out
    given = run("context", "which staging port do we use?", "--json").json
    assert any("only your own memory is searched" in note for note in given["notes"])


def test_a_leaders_index_that_is_behind_is_said_and_not_written(run: Run, leader: Sandbox) -> None:
    leader.write("memory/2026-03-19.md", "# Notes\n\n- The broker port is 8883 now\n")
    before = (leader.root / ".workbench/index/current").read_text()
    behind = "leader: the index is behind the files: 1 added; there are no vectors yet"
    assert behind in run("search", "broker", "--json").json["notes"]
    assert behind in run("context", "which broker port do we use?", "--json").json["notes"]
    assert (leader.root / ".workbench/index/current").read_text() == before
    hits = run("search", "broker 8883", "--json").json["hits"]
    assert not any("8883" in hit["snippet"] for hit in hits)


def test_memory_as_it_was_is_ones_own(run: Run, leader: Sandbox, sandbox: Sandbox) -> None:
    commit = sandbox.git("rev-parse", "HEAD").strip()
    result = run("search", "port", "--as-of", commit, "--mode", "lexical", "--json")
    assert not any("scope" in hit for hit in result.json["hits"])
    assert any("the leader's memory is not searched" in note for note in result.json["notes"])


def test_a_batch_asks_the_leader_too(run: Run, leader: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "questions").write_text('{"id": 1, "query": "broker"}\n')
    assert "leader:" in run("search", "--batch", str(tmp_path / "questions")).out
