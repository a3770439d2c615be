"""dream from the command line: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run
from tests.support.workspaces import LOG, Sandbox
from workbench.workspace.workspace import Workspace

FACTS = (
    "We decided to use PostgreSQL 17 for the Atlas project",
    "Sarah prefers async reviews over meetings on Fridays",
)


def episode(day: datetime, name: str) -> str:
    lines = "".join(f"- {fact} (turn {n})\n" for n, fact in enumerate(FACTS, 3))
    return f"""---
id: {name}
source_id: agent:main:{name}:0
session: s-{name}
created_at: {day.isoformat()}
ended_at: {day.isoformat()}
expires_at: {(day + timedelta(days=90)).isoformat()}
l0_abstract: Planned the Atlas release with Sarah and Bob.
trust: owner
---
## Summary

Planned the Atlas release with Sarah and Bob.

## Facts

{lines}"""


@pytest.fixture
def dreamer(sandbox: Sandbox) -> Sandbox:
    """A workspace in which two facts were said in three sessions lately."""
    (sandbox.root / LOG).unlink()  # the first dream looks at all of history
    now = datetime.now(UTC)
    for number in (1, 2, 3):
        day = now - timedelta(days=number)
        sandbox.write(f"episodes/{day:%Y/%m}/e{number}-x.md", episode(day, f"e{number}-x"))
    sandbox.commit("episodes")
    return sandbox


def files(sandbox: Sandbox) -> dict[str, bytes]:
    """Every file but git's and the derived ones."""
    return {
        path.relative_to(sandbox.root).as_posix(): path.read_bytes()
        for path in sorted(sandbox.root.rglob("*"))
        if path.is_file() and not {".git", ".workbench"} & set(path.parts)
    }


@pytest.fixture
def proposed(run: Run, dreamer: Sandbox) -> Result:
    result = run("dream", "--json")
    assert result.code == 0
    assert len(result.json["proposals"]) == 2
    return result


def test_a_dream_proposes_and_long_term_memory_stays_as_it_is(run: Run, dreamer: Sandbox) -> None:
    before = files(dreamer)
    result = run("dream")
    assert result.code == 0
    assert FACTS[0] in result.out
    assert "█" in result.out
    assert "gates salience" in result.out
    assert "2 proposals of this run wait for you" in result.err
    assert all(len(line) <= 80 for line in result.out.splitlines())
    now = files(dreamer)
    assert now == before
    assert len(sandbox_lines(dreamer)) == 2
    assert "proposals  waiting: 2" in run("status").out
    assert run("status", "--json").json["proposals"] == 2


def test_a_dry_run_writes_nothing_at_all(run: Run, dreamer: Sandbox) -> None:
    before = files(dreamer)
    for arguments in ((), ("--json",), ("--apply",), ("--apply", "--json")):
        assert run("dream", "--dry-run", *arguments).code == 0
    assert files(dreamer) == before
    assert dreamer.git("rev-list", "--count", "HEAD").strip() == "2"
    assert "+- We decided to use PostgreSQL 17" in run("dream", "--dry-run", "--apply").out


def test_the_json_has_what_the_paper_says(proposed: Result) -> None:
    said = proposed.json
    assert set(said) >= {"run", "considered", "gated", "proposals", "skipped", "applied"}
    assert said["applied"] is False
    one = said["proposals"][0]
    assert set(one) >= {
        "key",
        "action",
        "text",
        "section",
        "score",
        "parts",
        "gates",
        "sources",
        "trust",
        "diff",
    }
    assert abs(math.prod(one["parts"].values()) - one["score"]) < 0.001
    assert all("#L" in source for source in one["sources"])
    assert one["diff"].startswith("--- a/MEMORY.md\n")
    assert f"+- {one['text']} <!-- wb:" in one["diff"]
    assert all(set(skip) >= {"key", "why"} for skip in said["skipped"])


def test_the_list_of_runs_says_what_was_rejected(run: Run, dreamer: Sandbox) -> None:
    key = run("dream", "--json").json["proposals"][0]["key"]
    assert "rejected" not in run("dream", "--runs").out
    run("inbox", "reject", key)
    assert run("dream", "--runs").out.rstrip().endswith("2 proposed, nothing accepted, 1 rejected")


def test_apply_is_one_operation_that_rollback_takes_back(run: Run, dreamer: Sandbox) -> None:
    before = dreamer.snapshot()
    done = run("dream", "--apply", "--json")
    assert done.code == 0
    assert done.json["applied"] is True
    assert done.json["operation"]
    assert all(fact.encode() in dreamer.read("MEMORY.md") for fact in FACTS)
    (row,) = [row for row in run("log", "--json").json if row["action"] == "dream"]
    assert row["actor"] == "dreaming"
    name = done.json["run"]
    assert name in run("dream", "--runs").out
    assert "-- We decided" in run("dream", "--rollback", name, "--dry-run").out
    assert run("dream", "--rollback", name).code == 0
    assert dreamer.snapshot() == before
    assert len(run("inbox", "list", "--json").json) == 2
    again = run("dream", "--rollback", name, "--json")
    assert again.code == 2
    assert "already undone" in again.json["error"]["message"]


@pytest.mark.promise(
    "Dreaming and proposals",
    "a run is rolled back after newer edits",
    "the text in the way is shown, and nothing is overwritten",
)
def test_a_rollback_with_newer_text_in_the_way_fails_and_says_what_stays(run: Run, dreamer: Sandbox) -> None:
    name = run("dream", "--apply", "--json").json["run"]
    dreamer.write("MEMORY.md", dreamer.read("MEMORY.md").replace(b"PostgreSQL 17", b"PostgreSQL 18"))
    result = run("dream", "--rollback", name, "--json")
    assert result.code == 1
    assert result.json["operations"] == []
    assert "newer text" in result.json["refused"][0]["why"]
    assert b"PostgreSQL 18" in dreamer.read("MEMORY.md")
    assert "stays:" in run("dream", "--rollback", name).err


def test_a_second_dream_proposes_nothing_twice(run: Run, proposed: Result, sandbox: Sandbox) -> None:
    assert len(sandbox_lines(sandbox)) == 2
    again = run("dream")
    assert again.code == 0
    assert len(run("inbox", "list", "--json").json) == 2
    assert len(sandbox_lines(sandbox)) == 2


def sandbox_lines(sandbox: Sandbox) -> list[bytes]:
    reference = sandbox.workspace.ledger.reference
    return sandbox.git("show", f"{reference}:proposals.jsonl").encode().splitlines()


def test_apply_takes_what_waits_since_an_earlier_dream_and_rolls_back_by_its_own_run(
    run: Run, proposed: Result, sandbox: Sandbox
) -> None:
    before = sandbox.snapshot()
    done = run("dream", "--apply", "--json").json
    assert done["applied"] is True
    assert run("inbox", "list", "--json").json == []
    assert run("dream", "--rollback", done["run"]).code == 0
    assert sandbox.snapshot() == before
    assert len(run("inbox", "list", "--json").json) == len(proposed.json["proposals"])
    for one in proposed.json["proposals"]:
        run("inbox", "reject", one["key"])
    nothing = run("dream", "--apply")
    assert nothing.code == 0
    assert "proposes nothing new" in nothing.err


def test_what_was_rejected_is_not_proposed_by_the_next_dream(run: Run, proposed: Result) -> None:
    key = proposed.json["proposals"][0]["key"]
    assert run("inbox", "reject", key[:6], "--reason", "private").code == 0
    again = run("dream", "--json").json
    assert key not in [one["key"] for one in again["proposals"]]
    assert "private" in next(skip["why"] for skip in again["skipped"] if skip["key"] == key)
    assert run("undo").code == 0
    assert key in [one["key"] for one in run("inbox", "list", "--json").json]


def test_explain_says_why_with_parts_and_gates(run: Run, proposed: Result) -> None:
    one = proposed.json["proposals"][0]
    shown = run("dream", "--explain", one["key"])
    assert shown.code == 0
    assert "gate salience " in shown.out
    said = run("dream", "--explain", one["key"], "--json").json
    assert said["key"] == one["key"]
    assert set(said) >= {"verdict", "parts", "gates", "score"}


@pytest.mark.parametrize("both", [("--apply", "--explain", "x"), ("--rollback", "x", "--runs")])
def test_two_wishes_at_a_time_are_wrong_usage(run: Run, both: tuple[str, ...]) -> None:
    assert run("dream", *both).code == 2


def test_an_unknown_run_is_wrong_usage(run: Run, sandbox: Sandbox) -> None:
    result = run("dream", "--rollback", "20200101-000000", "--json")
    assert result.code == 2
    assert "there is no run" in result.json["error"]["message"]


def test_without_a_repository_proposals_are_accepted_and_undone(run: Run, dreamer: Sandbox) -> None:
    import shutil

    shutil.rmtree(dreamer.root / ".git")
    before = dreamer.read("MEMORY.md")
    assert run("dream").code == 0
    key = run("inbox", "list", "--json").json[0]["key"]
    assert run("inbox", "accept", key).code == 0
    assert dreamer.read("MEMORY.md") != before
    assert run("undo").code == 0
    assert dreamer.read("MEMORY.md") == before
    assert not (dreamer.root / ".git").exists()


@pytest.fixture
def unwritable(dreamer: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk refuses every write of a file."""
    from workbench.workspace import files as layer

    def refuse(*arguments: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(layer, "_append", refuse)


@pytest.mark.usefixtures("unwritable")
def test_a_read_only_workspace_dreams_only_dry(run: Run) -> None:
    refused = run("dream", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "read-only"
    assert "--dry-run" in refused.json["error"]["hint"]
    assert len(run("dream", "--dry-run", "--json").json["proposals"]) == 2


def test_memory_of_the_past_is_not_dreamt_over(run: Run, dreamer: Sandbox) -> None:
    refused = run("--as-of", "2026-03-14", "dream")
    assert refused.code == 1
    assert "`dream` does not support --as-of" in refused.err


def test_hostile_words_never_reach_the_terminal(run: Run, sandbox: Sandbox) -> None:
    from tests.support.proposals import proposal, put

    evil = "evil \x1b]52;c;aGk=\x07 \x9b31m \u202e \u200b [/red] end"
    put(sandbox, proposal(evil, section=evil, run=evil, why=evil, session=evil, key="e" * 16))
    for arguments in (("list", "--all"), ("show", "eeee"), ("list", "--json"), ("show", "eeee", "--json")):
        result = run("inbox", *arguments)
        assert result.code == 0
        assert "evil" in result.out
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u200b"} & set(result.out + result.err)


def test_a_line_of_a_log_is_explained_by_its_place(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-01.md", "# Day\n\n- The staging `port` of the gateway is 8443\n")
    told = run("dream", "--explain", "memory/2026-03-01.md:3")
    assert told.code == 0
    assert "The staging `port` of the gateway is 8443" in told.out
    assert run("dream", "--explain", "memory/2026-03-01.md:9").code == 2
    assert "no memory file contains it" in run("dream", "--explain", "See memory/2026-03-01.md:9").out


def test_a_dream_that_proposes_nothing_says_why(run: Run, sandbox: Sandbox) -> None:
    (sandbox.root / "memory/2026-03-14.md").write_text("# Day\n\n- ok, done\n- Is it late?\n- Was it?\n")
    (sandbox.root / "episodes/2026/03/e1.md").unlink()
    said = run("dream").err
    assert "nothing is proposed; left out: 2 of 3: a question; `workbench dream --explain WORDS`" in said


def test_a_workspace_without_anything_dreams_of_nothing(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = sandbox.root / "empty"
    empty.mkdir()
    result = run("-w", str(empty), "dream")
    assert result.code == 0
    assert "nothing is proposed; no log, note or episode has any text; `workbench ingest`" in result.err
    assert Workspace.open(empty).scan() == []


def test_a_workspace_whose_notes_are_no_sources_says_why(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "notes"
    place.mkdir()
    (place / "notes.md").write_text("# Notes\n\n- Rule: we always use tantivy for the search\n")
    said = run("-w", str(place), "dream").err
    assert "nothing is proposed; left out: 1: a template, or a note outside the memory folders" in said


def test_what_policy_does_not_take_is_named_and_goes_on_waiting(run: Run, dreamer: Sandbox) -> None:
    dreamer.write("workbench.yaml", "memory_budget: 60\n")
    dreamer.write("MEMORY.md", "# Memory\n\n- Written by hand, and long enough to fill all of it\n")
    before = dreamer.read("MEMORY.md")
    said = run("dream", "--apply", "--json")
    assert said.code == 0
    assert said.json["applied"] is False
    assert dreamer.read("MEMORY.md") == before
    assert len(run("inbox", "list", "--json").json) >= 2
    told = run("dream", "--apply")
    assert "nothing was applied" in told.err
    assert "too little in it may be archived without review" in told.err
    assert "workbench archive" in told.err


def test_nothing_is_explained_where_nothing_was_named(run: Run, sandbox: Sandbox) -> None:
    assert run("dream", "--explain", " ").code == 2


LINES = [
    {
        "id": 1,
        "text": "- Staging runs on port 8443, `deploy/staging.yaml`",
        "heading": "Setup",
        "path": "memory/a.md",
    },
    {"id": 2, "text": "Read HEARTBEAT.md if it exists. HEARTBEAT_OK", "heading": "", "path": "memory/a.md"},
]


def jsonl(path: Path, records: Iterable[Mapping[str, object]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_judge_scores_lines_without_a_workspace(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    file = jsonl(elsewhere / "lines.jsonl", LINES)
    monkeypatch.chdir(elsewhere)
    found = [json.loads(line) for line in run("dream", "--judge", file).out.splitlines()]
    assert [one["id"] for one in found] == [1, 2]
    assert found[0].keys() == {"id", "score", "kept", "type", "why"}
    assert found[0]["kept"]
    assert not found[1]["kept"]
    assert "heartbeat" in found[1]["why"]
    assert [path.name for path in elsewhere.iterdir()] == ["lines.jsonl"]


def test_judge_learns_from_decisions_and_says_which(run: Run, tmp_path: Path) -> None:
    decided = [
        {"text": f"- Staging runs on port {n}", "heading": "Setup", "path": "memory/a.md", "accepted": False}
        for n in range(8000, 8010)
    ] + [
        {"text": f"- Ana likes {what}", "heading": "People", "path": "memory/a.md", "accepted": True}
        for what in ("tea", "rye", "jazz", "maps", "rain", "snow", "salt", "figs", "owls", "ink")
    ]
    mixed: list[dict[str, object]] = [
        one for pair in zip(decided[:10], decided[10:], strict=True) for one in pair
    ]
    file, told = jsonl(tmp_path / "l", LINES), jsonl(tmp_path / "d", mixed)
    cold = json.loads(run("dream", "--judge", file).out.splitlines()[0])
    warm = json.loads(run("dream", "--judge", file, "--decided", told).out.splitlines()[0])
    assert warm["score"] < cold["score"]
    assert "lower: like entries you rejected" in warm["why"]


@pytest.mark.parametrize("bad", ["not json", "[1]", '{"id": 1}'])
def test_judge_says_which_line_is_wrong(run: Run, tmp_path: Path, bad: str) -> None:
    (tmp_path / "l").write_text(bad + "\n", encoding="utf-8")
    result = run("dream", "--judge", str(tmp_path / "l"))
    assert result.code == 2
    assert "line" in result.err


def test_the_command_line_says_what_was_learned(run: Run, sandbox: Sandbox) -> None:
    shown = run("dream", "--learned")
    assert "0 decisions to learn from" in shown.out
    assert "not used: it learns from 10 decisions on" in shown.out
    assert run("dream", "--learned", "--json").json["decisions"] == 0
    refused = run("dream", "--forget-learned")
    assert refused.code != 0
    assert "nothing has been learned" in refused.err


def test_the_last_dream_is_the_last_that_proposed_something(run: Run, dreamer: Sandbox) -> None:
    assert re.search(r"(?m)^last dream never$", run("-w", str(dreamer.root), "status").out)
    made = run("-w", str(dreamer.root), "dream", "--json").json["proposals"][0]["made_at"]
    shown = datetime.fromisoformat(made).astimezone().strftime("%Y-%m-%d %H:%M")
    assert f"last dream {shown}\n" in run("-w", str(dreamer.root), "status").out
    assert datetime.fromisoformat(run("-w", str(dreamer.root), "status", "--json").json["dreamt_at"]) == (
        datetime.fromisoformat(made)
    )
