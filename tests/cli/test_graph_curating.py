"""`workbench graph`: what changes it. Every change is an operation that can be undone."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.indexing.conftest import model_cache, real_model  # noqa: F401
from tests.support.pages import TEAM
from tests.support.workspaces import Sandbox
from workbench.graph.read import read_graph

ALICE = "graph/person/alice.md"


@pytest.fixture(autouse=True)
def team(sandbox: Sandbox) -> None:
    for path, text in TEAM.items():
        sandbox.write(f"graph/{path}.md", text)
    sandbox.commit("team")


def texts(sandbox: Sandbox, name: str) -> list[str]:
    entity = read_graph(sandbox.workspace).entity(name)
    assert entity is not None
    return [memory.text for memory in entity.memories]


def test_a_memory_is_stored_and_the_store_is_undone(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.read(ALICE)
    done = run("graph", "store", "--about", "Alice", "--type", "preference", "Prefers", "tea", "--json")
    assert done.code == 0
    assert "Prefers tea" in texts(sandbox, "Alice")
    assert b"trust=owner" in sandbox.read(ALICE)
    assert run("undo", done.json["operation"]).code == 0
    assert sandbox.read(ALICE) == before


def test_a_relation_is_stored_as_one(run: Run, sandbox: Sandbox) -> None:
    assert run("graph", "store", "--about", "Alice", "--relation", "works on", "Borealis").code == 0
    assert "Alice Moss" in run("graph", "search", "who works on Borealis?").out
    assert (
        run(
            "graph", "store", "--about", "Alice", "--relation", "uses", "NATS", "--happens-at", "2026-01-01"
        ).code
        == 2
    )


def test_a_dry_run_shows_the_diff_and_changes_nothing(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    found = run("graph", "store", "--about", "Alice", "Likes chess", "--dry-run")
    assert "+- [fact] Likes chess" in found.out
    assert sandbox.snapshot() == before


def test_a_memory_is_changed_by_its_id_and_forgotten_by_its_address(run: Run, sandbox: Sandbox) -> None:
    assert run("graph", "update", "m1", "--text", "Lives in Porto").code == 0
    assert "Lives in Porto" in texts(sandbox, "Alice")
    address = sandbox.address("Lives in Porto", ALICE)
    assert run("graph", "forget", address, "--reason", "she asked for it").code == 0
    assert "Lives in Porto" not in texts(sandbox, "Alice")
    assert run("graph", "forget", "m1", "--reason", "again").code == 2


def test_a_todo_is_done_and_no_longer_listed(run: Run, sandbox: Sandbox) -> None:
    address = sandbox.address("Shard the index", "graph/project/atlas-indexer.md")
    assert "Shard the index" in run("graph", "todos").out
    assert run("graph", "update", address, "--done").code == 0
    assert "Shard the index" not in run("graph", "todos").out


def test_nothing_to_change_is_a_usage_error(run: Run) -> None:
    assert run("graph", "update", "m1").code == 2
    assert run("graph", "update", "nobody", "--text", "x").code == 2
    assert run("graph", "forget", "m1").code == 2


def test_what_is_skipped_is_recorded_and_not_stored(run: Run, sandbox: Sandbox) -> None:

    assert run("graph", "skip", "had a coffee", "--reason", "of no use").code == 0
    assert [record["why"] for record in sandbox.workspace.ledger.read("skips")] == ["of no use"]


def test_duplicates_are_named_and_merged_or_kept_apart(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("graph/project/atlas-index.md", "---\nname: Atlas Indexers\n---\n- [fact] Is fast\n")
    sandbox.write("graph/project/borealiss.md", "---\nname: Borealiss\n---\n- [fact] Is cold\n")
    found = run("graph", "duplicates", "--names-only", "--json").json
    pairs = [{one["keep"]["name"], one["other"]["name"]} for one in found["flagged"]]
    assert {"Atlas Indexer", "Atlas Indexers"} in pairs
    assert {"Borealis", "Borealiss"} in pairs
    assert not any(one["automatic"] for one in found["flagged"])
    assert run("graph", "merge", "Atlas Indexer", "Atlas Indexers").code == 0
    assert "Is fast" in texts(sandbox, "Atlas Indexer")
    assert run("graph", "apart", "Borealis", "Borealiss").code == 0
    assert run("graph", "duplicates", "--names-only", "--json").json["flagged"] == []


def test_a_contradiction_is_shown_with_both_sources_and_settled(run: Run, sandbox: Sandbox) -> None:
    sandbox.write(
        "graph/person/carl.md",
        "---\nname: Carl\n---\n"
        "- [fact] Lives in Bremen <!-- wb: occurred_at=2026-01-01 src=memory/a.md#L1 -->\n"
        "- [fact] Lives in Hamburg <!-- wb: occurred_at=2026-02-01 src=memory/b.md#L2 -->\n",
    )
    (found,) = run("graph", "contradictions", "--json").json
    assert (found["old"]["text"], found["new"]["text"]) == ("Lives in Bremen", "Lives in Hamburg")
    assert found["old"]["sources"] + found["new"]["sources"] == ["memory/a.md#L1", "memory/b.md#L2"]
    assert run("graph", "settle", found["key"][:8], "replace").code == 0
    assert run("graph", "contradictions", "--json").json == []
    shown = run("graph", "search", "where does Carl live?")
    assert "Hamburg" in shown.out
    assert "Bremen" not in shown.out
    assert "Bremen" in run("graph", "search", "where does Carl live?", "--on", "2026-01-15").out
    assert run("graph", "settle", found["key"][:8], "keep").code == 2


def test_what_has_faded_is_only_shown(run: Run, sandbox: Sandbox) -> None:
    sandbox.write(
        "graph/person/carl.md",
        "---\nname: Carl\n---\n"
        "- [observation] Wore a hat <!-- wb: occurred_at=2020-01-01 valid_from=2020-01-01 -->\n",
    )
    before = sandbox.snapshot()
    (found,) = run("graph", "fading", "--json").json
    assert found["text"] == "Wore a hat"
    assert sandbox.snapshot() == before
    assert "1 found" in run("graph", "fading").err


def test_the_past_is_not_changed(run: Run, sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD").strip()
    found = run("--as-of", head, "graph", "store", "--about", "Alice", "Likes chess")
    assert found.code == 1
    assert "read-only" in found.err or "past" in found.err


def test_where_nothing_is_found_no_answer_is_asked_for(run: Run) -> None:
    assert run("graph", "contradictions").err == "0 found\n"
    assert run("graph", "duplicates", "--names-only").err.splitlines()[-1] == "0 merged, 0 to look at"


def test_an_entity_without_relations_is_shown_without_a_tree(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("graph/person/zoe.md", "---\nname: Zoe Brook\ntype: person\n---\n- [fact] Plays the oboe\n")
    lines = run("graph", "show", "Zoe Brook").out.splitlines()
    assert lines[0] == "Zoe Brook (person)"
    assert "graph/person/zoe.md#" in lines[-1]


@pytest.mark.model
def test_duplicates_are_found_and_resolved_by_the_real_model(
    run: Run,
    sandbox: Sandbox,
    real_model: Path,  # noqa: F811
) -> None:
    for stem, name in (("pg", "PostgreSQL"), ("pg-2", "Postgresql"), ("my", "MySQL")):
        sandbox.write(
            f"graph/technology/{stem}.md", f"---\nname: {name}\ntype: technology\n---\n- [fact] {stem}\n"
        )
    sandbox.commit("databases")
    shown = run("graph", "duplicates")
    assert "passes every bar: --resolve merges it" in shown.out
    assert "0 merged" in shown.err
    done = run("graph", "duplicates", "--resolve")
    assert "1 merged" in done.err
    assert sorted(path.name for path in (sandbox.root / "graph/technology").iterdir())[0] == "my.md"
    assert {"pg", "pg-2"} <= set(texts(sandbox, "PostgreSQL"))
    assert "0 merged" in run("graph", "duplicates", "--resolve").err


def test_an_appointment_keeps_its_time_and_zone_wherever_it_is_shown(run: Run, sandbox: Sandbox) -> None:
    day = (datetime.now() + timedelta(days=3)).date().isoformat()
    for text, when in (
        ("Board meeting", f"{day}T16:00"),
        ("Dentist", f"{day} 14:30+02:00"),
        ("Hand in the report", day),
    ):
        stored = run(
            "graph", "store", "--about", "Alice", "--type", "event", text.replace(" ", "-"),
            "--happens-at", when, "--occurred-at", "2026-01-02T08:00Z",
        )  # fmt: skip
        assert stored.code == 0, stored.err
    page = sandbox.read(ALICE).decode()
    assert f"happens_at={day}T14:30+02:00" in page
    assert "occurred_at=2026-01-02T08:00Z" in page
    assert "valid_from=2026-01-02 " in page
    shown = [line.split()[:2] for line in run("graph", "events").out.splitlines() if day in line]
    assert shown == [[day, "in"], [day, "14:30+02:00"], [day, "16:00"]]
    found = run("graph", "find", "--happens-within", "5", "--sort", "due", "--json").json
    moments = re.findall(rf'"happens_at": "({day}[^"]*)"', json.dumps(found))
    assert moments == [day, f"{day}T14:30+02:00", f"{day}T16:00"]
    assert f"{day} 14:30+02:00" in run("graph", "bulletin", "context").out


@pytest.mark.parametrize("when", ["2026-04-01T25:00", "2026-04-01 noon", "next week"])
def test_a_time_that_is_none_is_refused_with_an_example(run: Run, sandbox: Sandbox, when: str) -> None:
    before = sandbox.snapshot()
    refused = run("graph", "store", "--about", "Alice", "Dentist", "--happens-at", when)
    assert refused.code == 2
    assert "2026-04-01T14:30+02:00" in refused.err
    assert sandbox.snapshot() == before
