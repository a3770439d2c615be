"""A member of a team at the command line: the leader's memory is read after one's own, and never written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox


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


def test_a_search_has_the_leaders_hits_after_ones_own(run: Run, leader: Sandbox) -> None:
    answer = run("search", "port", "--json").json
    whose = [hit.get("scope") for hit in answer["hits"]]
    assert whose == sorted(whose, key=lambda scope: scope == "leader")
    assert {None, "leader"} == set(whose)
    assert [hit["rank"] for hit in answer["hits"]] == list(range(1, len(whose) + 1))
    theirs = next(hit for hit in answer["hits"] if hit.get("scope"))
    assert theirs["entry"].startswith(f"leader:{LOG}#")
    assert theirs["root"] == str(leader.root)
    assert "leader:memory/" in run("search", "port").out


def test_what_only_the_leader_knows_is_found(run: Run, leader: Sandbox) -> None:
    answer = run("search", "broker", "--mode", "lexical", "--json").json
    assert answer["hits"][-1]["snippet"] == "The broker port is 1883"
    assert answer["state"] == "ok"


def test_the_leader_searches_only_their_own(run: Run, leader: Sandbox) -> None:
    hits = run("-w", str(leader.root), "search", "port", "--json").json["hits"]
    assert hits
    assert not any("scope" in hit for hit in hits)


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


def test_a_leader_that_is_gone_is_said_and_ones_own_answers(run: Run, leader: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\nteam_leader: /nowhere/at/all\n")
    answer = run("search", "staging port", "--json").json
    assert answer["hits"][0]["snippet"] == "The staging port is 8443"
    assert any("only your own memory is asked" in note for note in answer["notes"])


def test_memory_as_it_was_is_ones_own(run: Run, leader: Sandbox, sandbox: Sandbox) -> None:
    commit = sandbox.git("rev-parse", "HEAD").strip()
    result = run("search", "port", "--as-of", commit, "--mode", "lexical", "--json")
    assert not any("scope" in hit for hit in result.json["hits"])
    assert any("the leader's memory is not asked" in note for note in result.json["notes"])


def test_a_batch_asks_the_leader_too(run: Run, leader: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "questions").write_text('{"id": 1, "query": "broker"}\n')
    assert "leader:" in run("search", "--batch", str(tmp_path / "questions")).out
