"""A damaged, foreign or unfinished index is found, repaired, and answers like one built from nothing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tantivy import Document, Index, SchemaBuilder

from indexing.storage import shape
from indexing.sync.generations import CACHE_FILE, Generation
from tests.health.conftest import Ward
from tests.support.workspaces import Sandbox
from workbench.health.finding import Finding

Treat = Callable[..., list[Finding]]


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garbage(path: Path) -> None:
    path.write_bytes(b"\x13\x37" * 64)


def zero(path: Path) -> None:
    path.write_bytes(b"")


def remove(path: Path) -> None:
    path.unlink()


def unseen(path: Path) -> None:
    """Garbage of the same size and time: only reading can tell."""
    before = path.stat()
    path.write_bytes(b"\x55" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.promise(
    "Doctor",
    "the manifest, the pointer or a segment of the keyword index is truncated, garbage, empty or gone",
    "reported and rebuilt; every answer is that of a clean build",
)
@pytest.mark.parametrize("damage", [truncate, garbage, zero, remove])
@pytest.mark.parametrize(
    ("what", "check"),
    [
        ("manifest.json", "manifest"),
        ("../current", "manifest"),
        ("lexical/meta.json", "words"),
        ("lexical/*.store", "words"),
        ("lexical/*.term", "words"),
        ("lexical/*.idx", "words"),
    ],
)
def test_damage_is_found_repaired_and_the_answers_are_those_of_a_clean_build(
    ward: Ward, treated: Treat, what: str, check: str, damage: Callable[[Path], None]
) -> None:
    hurt = list(ward.generation.glob(what))
    assert hurt
    for path in hurt:
        damage(path)
    assert ward.findings(check)
    treated()
    assert ward.answers() == ward.clean_answers()


@pytest.mark.promise(
    "Doctor",
    "a file of the index is replaced by garbage of the same size and date",
    "found by reading the files",
)
def test_damage_that_only_reading_shows_is_found_and_repaired(ward: Ward, treated: Treat) -> None:
    for path in ward.generation.glob("lexical/*.store"):
        unseen(path)
    assert "read" in ward.findings("words")[0].what
    treated()
    assert ward.answers() == ward.clean_answers()


def test_what_a_search_met_is_found_and_repaired(ward: Ward, treated: Treat) -> None:
    Generation(ward.generation).suspect()
    assert "found damage" in ward.findings("manifest")[0].what
    treated("found damage")
    assert ward.answers() == ward.clean_answers()


def test_a_manifest_with_a_name_that_no_file_can_have_is_damaged(ward: Ward, treated: Treat) -> None:
    path = ward.generation / "manifest.json"
    found = json.loads(path.read_bytes())
    found["files"]["memory/\ud800.md"] = next(iter(found["files"].values()))
    path.write_text(json.dumps(found))
    assert [finding.what.partition("/")[2] for finding in ward.findings("manifest")] == [
        "manifest.json lacks required fields"
    ]
    treated("manifest.json")
    assert ward.answers() == ward.clean_answers()


@pytest.mark.promise("Doctor", "a keyword index with other fields; an index of another version")
@pytest.mark.parametrize("field", ["format", "words"])
def test_an_index_of_another_version_is_named_and_built_anew(ward: Ward, treated: Treat, field: str) -> None:
    path = ward.generation / "manifest.json"
    found = json.loads(path.read_bytes())
    found[field] = 1 if field == "format" else "schema 0;chunker 0"
    path.write_text(json.dumps(found))
    assert "another version" in ward.findings("manifest")[0].what
    treated("another version")
    assert ward.answers() == ward.clean_answers()


@pytest.mark.promise(
    "Doctor",
    "a keyword index with other fields; an index of another version",
    "reported and rebuilt",
)
def test_a_word_index_with_other_fields_is_found_and_built_anew(ward: Ward, treated: Treat) -> None:
    lexical = ward.generation / "lexical"
    shutil.rmtree(lexical)
    lexical.mkdir()
    builder = SchemaBuilder()
    builder.add_text_field("words", stored=True)
    index = Index(builder.build(), path=str(lexical))
    writer = index.writer()
    writer.add_document(Document(words="staging port"))
    writer.commit()
    writer.wait_merging_threads()
    manifest = json.loads((ward.generation / "manifest.json").read_bytes())
    manifest["shapes"]["lexical"] = shape(lexical)
    (ward.generation / "manifest.json").write_text(json.dumps(manifest))
    assert "other fields" in ward.findings("words")[0].what
    treated("other fields")
    assert ward.answers() == ward.clean_answers()


@pytest.mark.promise(
    "Doctor",
    "`.workbench` copied from another workspace",
    "reported and set aside; a new index is built",
)
@pytest.mark.parametrize("names", ["the same", "other"])
def test_an_index_that_was_copied_from_another_workspace_is_set_aside(
    ward: Ward, treated: Treat, tmp_path: Path, names: str
) -> None:
    other = Sandbox(tmp_path / "other")
    for path in ward.sandbox.snapshot():
        (other.root / path).unlink()
        target = path if names == "the same" else f"memory/of-another-{path.replace('/', '-')}"
        other.write(target, f"# A day\n\n- of somebody else, {path}\n")
    elsewhere = Ward(other, ward.settings)
    elsewhere.reindex()
    clean = ward.answers()
    shutil.rmtree(ward.state)
    shutil.copytree(elsewhere.state, ward.state)
    found = ward.findings()
    assert any("another workspace" in finding.what for finding in found)
    done = treated("another workspace")
    assert any("set-aside" in (finding.fixed or "") for finding in done)
    assert ward.answers() == clean


def test_a_workspace_whose_files_were_all_edited_keeps_its_index(ward: Ward) -> None:
    for path in ward.sandbox.snapshot():
        with (ward.root / path).open("a") as file:
            file.write("\n- one more line\n")
    assert ward.findings("workspace") == []


def test_the_index_of_a_copy_of_this_workspace_is_its_own(ward: Ward, tmp_path: Path) -> None:
    shutil.copytree(ward.root, tmp_path / "copy")
    copy = Ward(Sandbox.__new__(Sandbox), ward.settings)
    copy.sandbox.root = tmp_path / "copy"
    assert copy.findings("workspace") == []


@pytest.mark.promise("Doctor", "the memory is not mounted", "reported; its index is kept")
def test_a_memory_that_is_not_mounted_is_no_reason_to_drop_its_index(ward: Ward) -> None:
    before = sorted(ward.index.rglob("*"))
    for path in ward.sandbox.snapshot():
        (ward.root / path).unlink()
    (finding,) = ward.findings("workspace")
    assert "mount" in finding.do
    assert finding.repair is None
    ward.fix()
    assert sorted(ward.index.rglob("*")) == before


@pytest.mark.promise("Doctor", "a reindex was killed, in the middle or in its first build", "it is finished")
def test_a_reindex_that_was_interrupted_is_found_and_finished(ward: Ward, treated: Treat) -> None:
    ward.sandbox.write("memory/2026-03-15.md", "# A day\n\n- The staging port is 9443 now\n")
    Generation(ward.generation).announce(["memory/2026-03-15.md"])
    assert "interrupted" in ward.findings("sync")[0].what
    treated("interrupted")
    assert ward.answers() == ward.clean_answers()


@pytest.mark.promise("Doctor", "a reindex was killed, in the middle or in its first build")
def test_a_build_that_was_interrupted_is_found_and_finished(ward: Ward, treated: Treat) -> None:
    (ward.index / "gen-7").mkdir(mode=0o700)
    assert ward.findings("sync")
    treated("interrupted")
    assert len(list(ward.index.glob("gen-*"))) == 1


def test_being_behind_is_worth_a_note_and_no_finding(ward: Ward) -> None:
    ward.sandbox.write("memory/2026-03-15.md", "# A day\n\n- something new\n")
    (note,) = ward.outcomes("sync")["sync"].findings
    assert note.severity == "info"
    assert "1 added" in note.what
    assert ward.findings() == []


@pytest.mark.promise("Doctor", "a damaged cache of vectors", "it is set aside")
def test_a_damaged_cache_of_vectors_is_set_aside(ward: Ward, treated: Treat) -> None:
    path = ward.state / CACHE_FILE
    path.write_bytes(b"SQLite format 3\0" + os.urandom(8_192))
    path.chmod(0o600)
    assert "damaged" in ward.findings("embedding cache")[0].what
    treated(CACHE_FILE)
    with sqlite3.connect(ward.state / "fresh.sqlite") as base:
        base.execute("CREATE TABLE other (x)")
    os.replace(ward.state / "fresh.sqlite", path)
    path.chmod(0o600)
    assert "no such table" in ward.findings("embedding cache")[0].what
    treated(CACHE_FILE)


@pytest.mark.promise(
    "Doctor",
    "an index from the future; files from the future",
    "reported; no time stamp is trusted until every file was read",
)
def test_an_index_from_the_future_trusts_no_stamp_until_every_file_was_read(
    ward: Ward, treated: Treat
) -> None:
    path = ward.generation / "manifest.json"
    found = json.loads(path.read_bytes())
    found["synced_ns"] = time.time_ns() + 86_400 * 10**9
    path.write_text(json.dumps(found))
    assert "in the future" in ward.findings("clock")[0].what
    treated("in the future")
    assert json.loads(path.read_bytes())["synced_ns"] == 0
    ward.reindex()
    assert ward.answers() == ward.clean_answers()


@pytest.mark.promise("Doctor", "an index from the future; files from the future")
def test_files_from_the_future_are_named(ward: Ward) -> None:
    ward.now = time.time() - 86_400  # the clock went back a day
    (finding, *_) = ward.findings("clock")
    assert "changed in the future" in finding.what
    assert "nothing is lost" in finding.meaning


def test_while_a_reindex_runs_the_index_is_not_judged(ward: Ward) -> None:
    from workbench.workspace.locks import hold

    (ward.generation / "manifest.json").write_text("{")
    with hold(ward.state / "index.lock", "reindex"):
        assert ward.findings("manifest", "words", "vectors", "workspace", "sync") == []
    assert ward.findings("manifest")
