"""Everything that counts is indexed: all of the workspace, and beside it what its owner names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexing.search.answer import Query
from indexing.sync.freshness import freshness
from indexing.sync.sources import MARKDOWN_LIMIT, IndexSources
from indexing.sync.verify import verify_index
from tests.indexing.conftest import Memory, Owner
from tests.support.sessions import append, claw, code, jsonl, plain
from workbench.errors import NotMemoryError, UsageError
from workbench.memory.entry import Kind
from workbench.repository.objects import CommitId
from workbench.workspace.snapshot import PastWorkspace


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("MEMORY.md", Kind.MEMORY),
        ("memory/2026-03-14.md", Kind.LOG),
        ("memory/2026-03-14-a-talk.md", Kind.EPISODE),
        ("memory/projects/deep/atlas.md", Kind.NOTE),
        ("episodes/2026/03/e1.md", Kind.EPISODE),
        ("graph/person/sarah.md", Kind.ENTITY),
        ("DREAMS.md", Kind.DREAM),
        ("memory/dreaming/light.md", Kind.DREAM),
        ("_system/dreaming/20260314-consolidated.md", Kind.DREAM),
        ("_system/archive/2026-03.md", Kind.NOTE),
        ("workspace-context.md", Kind.CONTEXT),
        ("SOUL.md", Kind.BOOTSTRAP),
        ("USER.md", Kind.BOOTSTRAP),
        ("README.md", Kind.NOTE),
    ],
)
def test_each_sort_of_memory_is_found_by_words_and_by_meaning(memory: Memory, path: str, kind: Kind) -> None:
    memory.write("memory/other.md", "Nothing of interest")
    memory.write(path, "[preference] The quokka likes figs")
    memory.reindex()
    for mode in ("lexical", "vector"):
        hit = memory.hybrid().search(Query("quokka figs", mode=mode)).hits[0]
        assert (hit.path, hit.kind) == (path, kind)


def test_observations_and_relations_of_a_page_are_entries_of_their_own(memory: Memory) -> None:
    memory.write("graph/person/sarah.md", "[preference] Prefers async reviews", "works_on [[Project Atlas]]")
    memory.reindex()
    assert memory.asked("async").hits[0].snippet == "[preference] Prefers async reviews"
    assert memory.asked("Atlas").hits[0].snippet == "works_on [[Project Atlas]]"


@pytest.mark.parametrize(
    "path",
    ["MEMORY.json", "_system/quarantine/x.md", "_system/ledger/x.md", "skills/x.md", "memory/.x.md", "a.txt"],
)
def test_what_is_no_memory_is_not_indexed(memory: Memory, path: str) -> None:
    memory.write(path, "The quokka likes figs")
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    assert not memory.found("quokka")


def test_an_extra_folder_is_searched_and_addressed_by_its_absolute_path(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes])
    memory.write("MEMORY.md", "Tea")
    assert memory.reindex().added == 2
    hit = memory.asked("quokka").hits[0]
    assert hit.path == str(notes / "garden.md")
    assert hit.entry.startswith(f"{notes}/garden.md#")
    assert (hit.kind, hit.start_line, hit.heading) == (Kind.NOTE, 3, ("Garden",))
    assert freshness(memory.workspace).state == "fresh"


def test_only_the_index_knows_of_what_is_beside(owner: Owner, notes: Path, sessions: Path) -> None:
    memory = owner.opens(extra_paths=[notes], transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    assert [file.path for file in memory.workspace.scan()] == ["MEMORY.md"]
    with pytest.raises(NotMemoryError):
        memory.workspace.read(str(notes / "garden.md"))
    with pytest.raises(NotMemoryError, match="outside of the workspace and read-only"):
        memory.workspace.find(f"{notes}/garden.md#0123456789ab")


@pytest.mark.parametrize("key", ["extra_paths", "transcripts"])
def test_a_workspace_cannot_make_us_read_elsewhere(memory: Memory, notes: Path, key: str) -> None:
    (memory.root / "workbench.yaml").write_text(f"{key}: [{notes}]\n")
    with pytest.raises(UsageError, match="only your own settings"):
        Memory(memory.root)


@pytest.mark.parametrize("pattern", ["/etc/*.md", "../notes/*.md", "memory/../../notes/*.md"])
def test_no_pattern_of_a_workspace_leads_out_of_it(memory: Memory, notes: Path, pattern: str) -> None:
    (memory.root / "workbench.yaml").write_text(f"include: ['{pattern}', '{notes}/*.md']\n")
    memory = Memory(memory.root)
    assert IndexSources(memory.workspace).scan().files == ()
    with pytest.raises(NotMemoryError):
        IndexSources(memory.workspace).read(str(notes / "garden.md"))


@pytest.mark.parametrize(
    "named", ["{notes}", "{notes}/", "{notes}/*.md", "{notes}/garden.md", "../notes", "~/link"]
)
def test_an_extra_path_is_a_folder_a_pattern_a_file_or_a_link_to_one(
    owner: Owner, notes: Path, person: Path, named: str
) -> None:
    (person / "link").symlink_to(notes)
    memory = owner.opens(extra_paths=[named.format(notes=notes)])
    memory.reindex(vectors=False)
    assert memory.found("quokka") == [str(notes / "garden.md")]


def test_a_file_in_two_sources_is_indexed_once(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes, notes / "garden.md", notes.parent])
    memory.write("MEMORY.md", "Tea")
    memory.reindex(vectors=False)
    assert memory.found("quokka") == [str(notes / "garden.md")]
    assert memory.found("tea") == ["MEMORY.md"]


@pytest.mark.promise(
    "The index",
    "links, pipes and hidden files in an extra path; a file that becomes a link",
    "ignored, never followed",
)
def test_links_hidden_files_and_special_files_beside_are_left_alone(owner: Owner, notes: Path) -> None:
    outside = notes.parent / "secret.md"
    outside.write_text("- a quokka elsewhere\n")
    (notes / "link.md").symlink_to(outside)
    (notes / "folder").symlink_to(notes.parent)
    (notes / ".hidden.md").write_text("- a hidden quokka\n")
    (notes / "node_modules").mkdir()
    (notes / "node_modules" / "x.md").write_text("- a packaged quokka\n")
    os.mkfifo(notes / "pipe.md")
    memory = owner.opens(extra_paths=[notes])
    report = memory.reindex(vectors=False)
    assert (report.added, report.failed) == (1, {})
    assert memory.found("quokka") == [str(notes / "garden.md")]


@pytest.mark.promise(
    "The index",
    "links, pipes and hidden files in an extra path; a file that becomes a link",
)
def test_a_file_that_became_a_link_is_not_read_through_it(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes])
    memory.reindex(vectors=False)
    secret = notes.parent / "secret.md"
    secret.write_text("- quokka secrets\n")
    (notes / "garden.md").unlink()
    (notes / "garden.md").symlink_to(secret)
    assert not memory.asked("quokka").hits
    with pytest.raises(NotMemoryError):
        IndexSources(memory.workspace).read(str(notes / "garden.md"))


@pytest.mark.promise("The index", "one file cannot be read, or is far too large")
def test_a_file_without_measure_is_named_and_left_out(owner: Owner, notes: Path) -> None:
    with (notes / "huge.md").open("wb") as file:
        file.truncate(MARKDOWN_LIMIT + 1)
    memory = owner.opens(extra_paths=[notes])
    report = memory.reindex(vectors=False)
    assert report.failed == {str(notes / "huge.md"): "it is larger than 64 MB"}
    assert (report.added, freshness(memory.workspace).state) == (1, "fresh")


def test_what_becomes_excluded_leaves_the_index_wherever_it_is(
    owner: Owner, notes: Path, sessions: Path
) -> None:
    both = {"extra_paths": [notes], "transcripts": [sessions]}
    memory = owner.opens(**both)
    memory.write("memory/private/a.md", "My own quokka")
    memory.reindex()
    assert len(memory.found("quokka")) == 2
    memory = owner.opens(**both, exclude=["memory/private/**", "garden.md", f"{sessions}/*"])
    assert not memory.found("quokka"), "it answers no more, also before the index follows"
    assert memory.reindex().removed == 3
    assert not memory.found("axolotl")
    assert freshness(memory.workspace).entries == 0


def test_what_is_left_out_answers_no_more_though_its_file_did_not_change(
    owner: Owner, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexing.sync.run.RACY_NS", 0)  # its stamp alone vouches for it
    memory = owner.opens(extra_paths=[notes])
    memory.write("MEMORY.md", "My own quokka")
    memory.reindex()
    assert len(memory.found("quokka")) == 2
    memory = owner.opens(extra_paths=[notes], exclude=["garden.md"])
    assert memory.found("quokka") == ["MEMORY.md"]
    assert memory.asked("quokka").stale


def test_a_workspace_cannot_take_in_what_its_owner_leaves_out(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes], exclude=["garden.md"])
    (memory.root / "workbench.yaml").write_text("exclude: ['memory/x/**']\n")
    memory = Memory(memory.root)
    memory.reindex(vectors=False)
    assert not memory.found("quokka")


@pytest.mark.parametrize("pattern", ["main/sessions", "*/sessions/*.jsonl", "*/sessions", "**/*.jsonl", ""])
def test_sessions_are_searched_in_every_form(owner: Owner, sessions: Path, pattern: str) -> None:
    (sessions / "code.jsonl").write_bytes(code(("user", "Feed the axolotl"), ("assistant", "Fed")))
    (sessions / "plain.jsonl").write_bytes(plain(("user", "An axolotl is a salamander")))
    memory = owner.opens(transcripts=[sessions.parent.parent / pattern])
    assert memory.reindex().added == 3
    hits = memory.asked("axolotl").hits
    assert {Path(hit.path).name for hit in hits} == {"s91.jsonl", "code.jsonl", "plain.jsonl"}
    hit = next(hit for hit in hits if hit.path.endswith("s91.jsonl"))
    assert (hit.kind, hit.start_line, hit.heading) == (Kind.TRANSCRIPT, 2, ("s91",))
    assert str(hit.date) == "2026-03-14"
    assert hit.snippet == "User: Where is the axolotl?"


def test_transcripts_are_a_kind_to_ask_for(owner: Owner, sessions: Path) -> None:
    memory = owner.opens(transcripts=[sessions])
    memory.write("memory/pets.md", "The axolotl is called Tina")
    memory.reindex()
    for mode in ("lexical", "hybrid", "vector"):
        kinds = [hit.kind for hit in memory.hybrid().search(Query("axolotl kind:transcript", mode=mode)).hits]
        assert kinds
        assert set(kinds) == {Kind.TRANSCRIPT}


def test_an_answer_is_found_by_the_words_of_its_question(owner: Owner, sessions: Path) -> None:
    memory = owner.opens(transcripts=[sessions])
    memory.reindex()
    assert [hit.snippet for hit in memory.asked("axolotl").hits][1] == "Assistant: In the pond"


def test_lines_that_cannot_be_read_are_counted_and_named(owner: Owner, sessions: Path) -> None:
    append(sessions / "s91.jsonl", b"{broken\n[]\n" + claw(("user", "A heron came")) + b'{"role": "us')
    memory = owner.opens(transcripts=[sessions])
    report = memory.reindex(vectors=False)
    assert report.bad_lines == {str(sessions / "s91.jsonl"): (4, 5)}
    assert report.failed == {}
    assert memory.found("heron")
    said = report.as_json()["bad_lines"]
    assert said == [{"path": str(sessions / "s91.jsonl"), "count": 2, "first": [4, 5]}]


@pytest.mark.promise("The index", "a transcript of 100 MB", "read in blocks")
def test_a_transcript_of_100_megabytes_is_read_in_blocks(owner: Owner, sessions: Path) -> None:
    output = jsonl({"type": "message", "message": {"role": "toolResult", "content": "x" * 1_000_000}})
    with (sessions / "large.jsonl").open("wb") as file:
        for number in range(100):
            file.write(output)
            file.write(plain(("user", f"Saw heron number {number}")))
    memory = owner.opens(transcripts=[sessions])
    report = memory.reindex(vectors=False)
    assert (report.added, report.failed, report.entries) == (2, {}, 102)
    hit = memory.asked('"heron number 99"').hits[0]
    assert hit.start_line == 200


@pytest.mark.promise(
    "The index",
    "an extra path that is not mounted, or an empty mount point",
    "its entries are kept in the index and not found, with a note; nothing is embedded again when it returns",
)
def test_a_folder_that_is_not_mounted_keeps_its_entries_and_says_so(
    owner: Owner, notes: Path, sessions: Path
) -> None:
    memory = owner.opens(extra_paths=[notes], transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    away = notes.rename(notes.with_name("away"))
    memory.model.texts.clear()
    report = memory.reindex()
    assert report.removed == 0
    assert report.absent == {str(notes): "it does not exist; 1 of its files stay indexed"}
    state = freshness(memory.workspace)
    assert (state.state, state.entries) == ("fresh", 5)
    absent = {source.source: (source.absent, source.indexed) for source in state.sources}
    assert absent == {str(notes): ("it does not exist", 1), str(sessions): (None, 1)}
    answer = memory.asked("quokka")
    assert not answer.hits, "what is not there does not answer"
    assert answer.stale is None, "no reindex would bring it back"
    assert answer.notes == (f"{notes} cannot be read; 1 of its files would be among the hits",)
    away.rename(notes)
    assert memory.reindex().unchanged == 3
    assert memory.found("quokka")
    assert memory.model.texts == []


@pytest.mark.promise("The index", "an extra path that is not mounted, or an empty mount point")
def test_an_empty_mount_point_keeps_its_entries_until_it_is_meant(owner: Owner, notes: Path) -> None:
    (notes / "pond.md").write_text("- The axolotl sleeps\n")
    memory = owner.opens(extra_paths=[notes])
    memory.write("MEMORY.md", "Tea")
    memory.reindex(vectors=False)
    for file in notes.iterdir():
        file.unlink()
    report = memory.reindex(vectors=False)
    assert (report.removed, report.entries) == (0, 4)
    assert "--full" in report.absent[str(notes)]
    assert memory.reindex(vectors=False, full=True).entries == 1


def test_one_of_several_files_beside_may_go(owner: Owner, notes: Path) -> None:
    (notes / "pond.md").write_text("- The axolotl sleeps\n")
    memory = owner.opens(extra_paths=[notes])
    memory.reindex(vectors=False)
    (notes / "garden.md").unlink()
    report = memory.reindex(vectors=False)
    assert (report.removed, report.absent) == (1, {})


def test_a_source_that_is_named_no_more_leaves_the_index(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    memory = owner.opens()
    assert not memory.found("quokka")
    assert (memory.reindex().removed, freshness(memory.workspace).entries) == (1, 1)


@pytest.mark.promise(
    "The index",
    "the workspace itself is gone, and there are large extra paths",
    "refused",
)
def test_the_workspace_itself_still_counts_as_vanished_beside_large_sources(
    owner: Owner, notes: Path
) -> None:
    for number in range(200):
        (notes / f"{number}.md").write_text(f"- note {number}\n")
    owner.opens().write("MEMORY.md", "Tea")
    memory = owner.opens(extra_paths=[notes])
    for day in range(1, 26):
        memory.write(f"memory/2026-03-{day:02}.md", f"Day {day}")
    memory.reindex(vectors=False)
    (memory.root / "memory").rename(memory.root / "elsewhere")
    with pytest.raises(Exception, match="25 of 26 indexed files are missing"):
        memory.reindex(vectors=False)


def test_a_place_in_the_workspace_is_no_extra_path(owner: Owner, memory: Memory) -> None:
    memory.write("skills/a.md", "The quokka likes figs")
    again = owner.opens(extra_paths=[memory.root / "skills"])
    report = again.reindex(vectors=False)
    assert report.added == 0
    assert "include" in report.absent[str(memory.root / "skills")]


def test_a_hit_beside_is_checked_against_the_disk(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes])
    memory.reindex(vectors=False)
    garden = notes / "garden.md"
    garden.write_text("\n\n" + garden.read_text())
    answer = memory.asked("quokka")
    assert answer.hits[0].start_line == 5
    assert answer.stale
    garden.unlink()
    assert not memory.asked("quokka").hits


def test_verify_builds_the_same_from_all_sources(owner: Owner, notes: Path, sessions: Path) -> None:
    memory = owner.opens(extra_paths=[notes], transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    checks = verify_index(memory.workspace, model=memory.model.choice)
    assert [flaw for check in checks for flaw in check.flaws] == []
    assert "3 files" in checks[0].looked_at


def test_what_is_beside_is_no_part_of_the_past(owner: Owner, notes: Path, tmp_path: Path) -> None:
    settings = owner.opens(extra_paths=[notes]).workspace.settings
    root = tmp_path / "agent/.workbench/past/0123456789ab"
    root.mkdir(parents=True)
    past = PastWorkspace(root, settings, CommitId("0" * 40))
    assert [source.sort for source in IndexSources(past).all] == ["workspace"]


def test_status_tells_of_each_source(owner: Owner, notes: Path) -> None:
    memory = owner.opens(extra_paths=[notes, "/nowhere"])
    memory.reindex(vectors=False)
    assert freshness(memory.workspace).as_json()["sources"] == [
        {"source": str(notes), "sort": "extra", "files": 1, "indexed": 1, "absent": None},
        {"source": "/nowhere", "sort": "extra", "files": 0, "indexed": 0, "absent": "it does not exist"},
    ]
