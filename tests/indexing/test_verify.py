"""Verification of the index names exactly what differs from a clean build; faults go through the writers."""

from __future__ import annotations

import dataclasses
import shutil

from indexing.document import entry_key, file_key, kind_code
from indexing.lexical.index import LexicalReader, LexicalWriter
from indexing.sync.entry_vectors import sections, with_context
from indexing.sync.generations import Generation
from indexing.sync.verify import verify_index
from indexing.vectors import Rows, VectorWriter, open_table
from tests.indexing.conftest import Memory
from tests.support.hashing import unavailable
from workbench.history.verify import IntegrityProblem
from workbench.memory.entry import entry_hash

LOG = "memory/2026-03-14.md"


def found(memory: Memory) -> list[IntegrityProblem]:
    checks = verify_index(memory.workspace, model=memory.model.choice)
    return [flaw for check in checks for flaw in check.flaws]


def one(memory: Memory) -> IntegrityProblem:
    flaws = found(memory)
    assert len(flaws) == 1, flaws
    return flaws[0]


def generation(memory: Memory) -> Generation:
    return Generation(memory.generation)


def said(memory: Memory) -> dict[str, str]:
    return {
        check.name: check.looked_at for check in verify_index(memory.workspace, model=memory.model.choice)
    }


def test_an_index_equals_a_clean_build_and_says_how_much_was_compared(filled: Memory) -> None:
    assert found(filled) == []
    assert said(filled)["words"] == "9 entries of 4 files and 9 test queries, compared with a clean build"
    assert said(filled)["vectors"] == "9 vectors for 9 entries; 9 compared of all"


def test_it_still_does_after_many_small_syncs(filled: Memory) -> None:
    for number in range(5):
        filled.write(LOG, f"rewritten {number}", "kept")
        filled.write(f"memory/n{number}.md", "one", "two", "three")
        filled.reindex()
    (filled.root / "memory/n0.md").unlink()
    filled.reindex()
    assert found(filled) == []


def test_no_index_is_no_flaw_and_a_stale_one_is_of_a_kind_of_its_own(memory: Memory) -> None:
    memory.write(LOG, "one")
    assert found(memory) == []
    memory.reindex()
    memory.write(LOG, "one", "two")
    flaw = one(memory)
    assert flaw.kind == "stale"
    assert "1 changed" in flaw.what


def test_missing_vectors_are_stale_not_damage(memory: Memory) -> None:
    memory.write(LOG, "one")
    memory.reindex()
    memory.write("memory/new.md", "two")
    memory.reindex(vectors=False)
    flaws = found(memory)
    assert {flaw.kind for flaw in flaws} == {"stale"}
    assert any("1 entry has no vector yet" in flaw.what for flaw in flaws)


def test_words_alone_are_sound(memory: Memory) -> None:
    memory.write(LOG, "one")
    memory.reindex(vectors=False)
    assert found(memory) == []
    assert said(memory)["vectors"] == "none were made"


def test_a_document_with_another_text_is_named(filled: Memory) -> None:
    snapshot = LexicalReader(generation(filled).lexical).snapshot()
    entries = snapshot.under([LOG], 10)
    changed = dataclasses.replace(entries[1], text=entries[1].text + " and more")
    writer = LexicalWriter(generation(filled).lexical)
    writer.replace(LOG, [entries[0], changed, entries[2]])
    writer.commit()
    writer.close()
    words = [flaw for flaw in found(filled) if flaw.kind == "index"]
    assert [flaw.what for flaw in words] == [f"{entries[1].address} differs from its file"]


def test_a_document_that_is_gone_and_one_too_many_are_named(filled: Memory) -> None:
    snapshot = LexicalReader(generation(filled).lexical).snapshot()
    entries = snapshot.under([LOG], 10)
    ghost = dataclasses.replace(entries[0], text="ghost", hash=entry_hash("ghost"))
    writer = LexicalWriter(generation(filled).lexical)
    writer.replace(LOG, [ghost, *entries[1:]])
    writer.commit()
    writer.close()
    what = {flaw.what for flaw in found(filled) if flaw.kind == "index"}
    assert what == {
        f"{entries[0].address} is missing from the index",
        f"{ghost.address} is in the index but not in its file, or twice",
    }


def test_terms_that_differ_are_noticed_though_no_document_shows_them(filled: Memory) -> None:
    """Deleted entries count in the statistics until they are compacted away; ask for one that is there."""
    folder = generation(filled).lexical
    snapshot = LexicalReader(folder).snapshot()
    entries = snapshot.under([LOG], 10)
    writer = LexicalWriter(folder)
    writer.replace(LOG, [dataclasses.replace(entry, heading=("Elsewhere",)) for entry in entries])
    writer.commit()
    writer.close()
    assert {flaw.kind for flaw in found(filled)} == {"index"}


def test_a_vector_that_was_dropped_is_named(filled: Memory) -> None:
    table = open_table(generation(filled).vectors)
    address = LexicalReader(generation(filled).lexical).snapshot().under([LOG], 10)[1].address
    table.delete(f"key = {entry_key(address)}")
    flaw = one(filled)
    assert (flaw.kind, flaw.what) == ("vectors", f"{address} has no vector")


def test_a_vector_of_another_text_is_named(filled: Memory) -> None:
    entries = LexicalReader(generation(filled).lexical).snapshot().under([LOG], 10)
    texts = filled.model.embed([entry.text for entry in entries[:-1]] + ["something else entirely"])
    vectors = with_context(texts, sections(entries))
    vectors[:-1] = with_context(filled.model.embed([entry.text for entry in entries]), sections(entries))[:-1]
    rows = Rows(
        keys=[entry_key(entry.address) for entry in entries],
        files=[file_key(entry.path) for entry in entries],
        kinds=[kind_code(entry.kind) for entry in entries],
        days=[entry.date.toordinal() if entry.date else 0 for entry in entries],
        vectors=vectors,
    )
    VectorWriter(generation(filled).vectors, filled.model.dimension).replace([file_key(LOG)], rows)
    flaw = one(filled)
    assert flaw.what == f"the vector of {entries[-1].address} is not that of its text"


def test_vectors_of_no_entry_and_vectors_twice_are_named(filled: Memory) -> None:
    table = open_table(generation(filled).vectors)
    row = table.to_arrow().slice(0, 1)
    table.add(row)
    assert "has 2 vectors" in one(filled).what
    filled.reindex(full=True)
    table = open_table(generation(filled).vectors)
    row = table.to_arrow().slice(0, 1).to_pylist()[0]
    VectorWriter(generation(filled).vectors, filled.model.dimension).replace(
        [], Rows([7], [file_key("gone.md")], [0], [0], filled.model.embed(["gone"]))
    )
    assert one(filled).what == "1 vectors belong to no entry"


def test_without_its_cache_texts_are_embedded_anew_and_without_a_model_that_is_said(filled: Memory) -> None:
    for path in (filled.root / ".workbench").glob("embeddings.sqlite*"):
        path.unlink()
    filled.model.texts.clear()
    assert found(filled) == []
    assert filled.model.texts
    checks = verify_index(filled.workspace, model=unavailable())
    assert [flaw for check in checks for flaw in check.flaws] == []
    assert checks[-1].looked_at.endswith("their model cannot be opened)")


def test_a_damaged_store_is_a_finding_and_not_a_failure(filled: Memory) -> None:
    shutil.rmtree(generation(filled).vectors)
    assert one(filled).kind == "vectors"
    for path in generation(filled).lexical.glob("*.store"):
        path.write_bytes(b"garbage")
    assert {flaw.kind for flaw in found(filled)} <= {"index", "vectors"}
    assert found(filled)


def test_verifying_writes_nothing_into_the_index(filled: Memory) -> None:
    def everything() -> dict[str, bytes]:
        places = (filled.index.rglob("*"), filled.root.glob("memory/*"))
        return {str(p): p.read_bytes() for place in places for p in place if p.is_file()}

    before = everything()
    found(filled)
    assert everything() == before
