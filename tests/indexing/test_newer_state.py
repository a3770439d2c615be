"""What a newer program left in `.workbench/` is never misread: it is told, and made again from the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexing.sync.freshness import freshness
from indexing.sync.generations import FORMAT
from tests.indexing.conftest import Memory
from tests.support.workspaces import Sandbox
from workbench.errors import IndexUnavailableError
from workbench.health.checks import CHECKS, examine
from workbench.health.subject import CheckSubject
from workbench.memory.entry import RelPath
from workbench.operations.promote import plan_promote
from workbench.workspace.journaled_swap import FileStep, Intent, Journal
from workbench.workspace.plan import OperationId
from workbench.workspace.seal import Seal


@pytest.fixture
def indexed(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path / "w")
    memory.write("memory/2026-03-14.md", "the staging port is 8443", "likes tea")
    memory.reindex()
    return memory


def newer(path: Path, number: int) -> None:
    found = json.loads(path.read_text())
    found["format"] = number
    found["of a newer program"] = [1, 2]
    path.write_text(json.dumps(found))


@pytest.mark.promise(
    "Formats, and other programs",
    "an index or a journal of a newer version",
    "the index is rebuilt, the journal is set aside",
)
def test_a_newer_index_is_told_and_made_again(indexed: Memory) -> None:
    old = indexed.generation
    newer(old / "manifest.json", FORMAT + 1)
    assert freshness(indexed.workspace).state != "fresh"
    checks = [check for check in CHECKS if (check.family, check.name) == ("index", "manifest")]
    (looked,) = examine(CheckSubject(indexed.workspace), checks=checks)
    (books,) = looked.findings
    assert (
        f"is of the format {FORMAT + 1}, not {FORMAT}: another version of the program made it" in books.what
    )
    report = indexed.reindex()
    assert report.entries == 2
    assert indexed.generation != old
    assert freshness(indexed.workspace).state == "fresh"
    assert indexed.found("staging port") == ["memory/2026-03-14.md"]


@pytest.mark.promise("Formats, and other programs", "an index or a journal of a newer version")
def test_a_newer_journal_is_set_aside_and_no_text_is_lost(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("staging port")]))
    state = place.state_dir()
    commit = place.history.head()
    assert commit is not None
    step = FileStep(RelPath("MEMORY.md"), None, None, ".wb-0123456789ab-0.tmp")
    Journal(state, Seal(place.root)).write(Intent(OperationId("0123456789ab"), None, commit, "m", (step,)))
    (path,) = state.glob("journal*")
    found = json.loads(path.read_text()) | {"since": "a newer program"}
    path.write_text(json.dumps(found))
    before = sandbox.read("MEMORY.md")
    place.operations.carry_out(lambda: plan_promote(place, [sandbox.address("tantivy")]))
    assert sandbox.read("MEMORY.md").startswith(before[:40])
    assert path.with_suffix(".refused").exists()


def test_an_index_of_other_fields_is_told_not_searched_and_made_again(indexed: Memory) -> None:
    path = indexed.generation / "manifest.json"
    found = json.loads(path.read_text())
    found["words"] = "schema 1;" + found["words"].partition(";")[2]
    path.write_text(json.dumps(found))
    told = freshness(indexed.workspace)
    assert (told.state, told.summary) == (
        "outdated",
        "another version of the program created the index; the next reindex rebuilds it",
    )
    with pytest.raises(IndexUnavailableError, match="another version"):
        indexed.found("staging port")
    assert freshness(indexed.workspace).state == "outdated"
    indexed.reindex()
    assert indexed.found("staging port") == ["memory/2026-03-14.md"]
