"""The graph of a workspace: every page, names, relations both ways, and what is broken."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import TEAM, graph_of
from tests.support.workspaces import Sandbox
from workbench.graph.model import Graph
from workbench.graph.read import GraphReader, read_graph


def write(sandbox: Sandbox, pages: dict[str, str]) -> None:
    for path, text in pages.items():
        sandbox.write(f"graph/{path}.md", text)


def links(graph: Graph, name: str) -> list[tuple[str, str]]:
    entity = graph.entity(name)
    assert entity is not None
    return [(link.relation.kind, link.name) for link in graph.relations_of(entity)]


def test_a_graph_holds_every_page_and_the_typed_lines_of_curated_files(sandbox: Sandbox) -> None:
    write(sandbox, TEAM)
    sandbox.write("MEMORY.md", "# Memory\n\n## Choices\n\n- [decision] Ship on Fridays\n- Likes tea\n")
    sandbox.write("memory/projects/x.md", "- [todo] Call Bob\n")
    graph = read_graph(sandbox.workspace)
    assert len(graph.entities) == len(TEAM)
    assert {(held.entity, held.memory.text) for held in graph.memories() if held.entity is None} == {
        (None, "Ship on Fridays"),
        (None, "Call Bob"),
    }


@pytest.mark.parametrize(
    "path",
    ["memory/2026-03-15.md", "episodes/2026/03/e9.md", "_system/dreaming/20260315-consolidated.md",
     "_system/archive/2026-03.md", "_system/quarantine/bad.md", "DREAMS.md"],
)  # fmt: skip
def test_what_the_graph_is_made_from_or_made_of_it_is_no_part_of_it(sandbox: Sandbox, path: str) -> None:
    sandbox.write(path, "- [fact] Lives on the moon\n")
    assert list(read_graph(sandbox.workspace).memories()) == []


def test_an_entity_is_found_by_id_path_name_alias_and_file_name() -> None:
    graph = graph_of(TEAM)
    for name in (
        "e-alice",
        "graph/person/alice.md",
        "Alice Moss",
        "ALICE  moss",
        "alice",
        "graph/person/alice",
    ):
        found = graph.entity(name)
        assert found is not None, name
        assert found.path == "graph/person/alice.md"
    assert graph.entity("atlas-indexer") == graph.entity("Atlas Indexer")
    assert graph.entity("nobody") is None
    assert graph.candidates("nobody") == ()


def test_a_name_in_the_other_normal_form_is_the_same_name() -> None:
    graph = graph_of({"person/jose": "---\nname: José\n---\n"})
    assert graph.entity(unicodedata.normalize("NFD", "JOSÉ")) is graph.entities[0]


def test_an_ambiguous_name_means_all_who_have_it_and_resolves_to_none() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: Sarah\n---\n",
            "person/b": "---\nname: sarah\n---\n",
            "person/c": "---\nname: Sarah Chen\naliases: [Sarah]\n---\n",
            "person/d": "---\nname: Dan\n---\n- knows [[Sarah]]\n",
        }
    )
    assert [found.path[-4:] for found in graph.candidates("SARAH")] == ["a.md", "b.md", "c.md"]
    assert graph.entity("Sarah") is None
    (link,) = graph.unresolved()
    assert link.target is None
    assert len(link.candidates) == 3


def test_pages_whose_paths_differ_in_case_alone_are_told_apart_by_their_paths() -> None:
    graph = graph_of({"person/Ann": "---\nname: Ann\n---\n", "person/ann": "---\nname: Ann\n---\n"})
    for entity in graph.entities:
        assert graph.entity(entity.path) is entity
        assert graph.candidates(entity.path) == (entity,)
    assert graph.entity("Ann") is None


def test_a_name_of_its_own_goes_before_anothers_alias() -> None:
    graph = graph_of(
        {"project/a": "---\nname: Atlas\n---\n", "project/b": "---\nname: Atlas Two\naliases: [Atlas]\n---\n"}
    )
    assert graph.entity("Atlas") is graph.entities[0]
    assert graph.candidates("Atlas") == graph.entities


def test_relations_are_known_from_both_ends() -> None:
    graph = graph_of(TEAM)
    assert links(graph, "Bob") == [
        ("works_on", "Atlas Indexer"),
        ("part_of", "Acme"),
        ("mentors", "Alice Moss"),
    ]
    atlas = graph.entity("Atlas")
    assert atlas is not None
    assert {(link.source.name, link.relation.kind) for link in graph.relations_to(atlas)} == {
        ("Alice Moss", "works_on"),
        ("Atlas Indexer", "part_of"),
        ("Borealis", "depends_on"),
    }
    assert graph.degree(atlas) == 5


def test_a_relation_to_no_page_is_kept_as_unresolved() -> None:
    graph = graph_of(TEAM)
    assert [(link.source.name, link.name, link.target) for link in graph.unresolved()] == [
        ("Berlin", "Germany", None)
    ]


@pytest.mark.parametrize(
    "target",
    ["Atlas#Goals", "Atlas^block", "graph/project/atlas", "graph/project/atlas.md", "atlas|the project"],
)
def test_a_link_resolves_in_each_way_that_people_write_it(target: str) -> None:
    graph = graph_of({**TEAM, "person/zed": f"---\nname: Zed\n---\n- works_on [[{target}]]\n"})
    zed = graph.entity("Zed")
    assert zed is not None
    (link,) = graph.relations_of(zed)
    assert link.target is graph.entity("Atlas")


def test_a_broken_header_is_told_and_its_lines_are_kept(sandbox: Sandbox) -> None:
    write(sandbox, {"person/ann": "---\nname: [Ann\n---\n- [fact] Lives in Oslo\n"})
    graph = read_graph(sandbox.workspace)
    (ann,) = graph.broken
    assert (ann.name, ann.type) == ("ann", "person")
    assert [memory.text for memory in ann.memories] == ["Lives in Oslo"]
    assert ann.problem


@pytest.mark.promise(
    "The graph",
    "a page cannot be read, or vanishes meanwhile",
    "it is listed with its problem; the others are read",
)
def test_a_page_that_cannot_be_read_is_there_with_its_problem(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(sandbox, TEAM)
    real = type(sandbox.workspace.files).read

    def refusing(self: object, path: str) -> bytes:
        if path.endswith("bob.md"):
            raise PermissionError(13, "Permission denied")
        return real(sandbox.workspace.files, path)  # type: ignore[arg-type]

    monkeypatch.setattr(type(sandbox.workspace.files), "read", refusing)
    graph = read_graph(sandbox.workspace)
    assert [(entity.name, entity.problem) for entity in graph.broken] == [("bob", "Permission denied")]
    assert len(graph.entities) == len(TEAM)


@pytest.mark.promise("The graph", "a page cannot be read, or vanishes meanwhile")
def test_a_page_that_goes_away_while_it_is_read_is_none(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(sandbox, TEAM)
    scanned = sandbox.workspace.scan()
    (sandbox.root / "graph/person/bob.md").unlink()
    monkeypatch.setattr(sandbox.workspace, "scan", lambda: scanned)
    graph = read_graph(sandbox.workspace)
    assert graph.entity("Bob") is None
    assert graph.broken == ()


def test_a_reader_gives_the_same_graph_until_a_file_changes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(sandbox, TEAM)
    monkeypatch.setattr("workbench.graph.read.RACY_NS", 0)
    reader = GraphReader(sandbox.workspace)
    first = reader.read()
    assert reader.read() is first
    sandbox.write("graph/person/carl.md", "---\nname: Carl\n---\n")
    second = reader.read()
    assert second.entity("Carl") is not None
    (sandbox.root / "graph/person/carl.md").unlink()
    third = reader.read()
    assert third == first
    assert third is not second


def test_a_file_that_just_changed_is_read_again_though_its_stamp_is_the_same(sandbox: Sandbox) -> None:
    path = sandbox.write("graph/person/ann.md", "---\nname: Ann\n---\n- [fact] one\n")
    reader = GraphReader(sandbox.workspace)
    assert [held.memory.text for held in reader.read().memories()] == ["one"]
    with path.open("r+b") as file:  # the same size and inode, perhaps in the same tick of the clock
        file.seek(-4, os.SEEK_END)
        file.write(b"two\n")
    assert [held.memory.text for held in reader.read().memories()] == ["two"]


def test_links_and_devices_are_no_pages(sandbox: Sandbox, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("---\nname: Outside\n---\n")
    (sandbox.root / "graph/person").mkdir(parents=True)
    (sandbox.root / "graph/person/link.md").symlink_to(outside)
    os.mkfifo(sandbox.root / "graph/person/pipe.md")
    assert read_graph(sandbox.workspace).entities == ()


HOSTILE = st.text(max_size=20) | st.sampled_from(
    ["..", "]]", "[[", "\u202egnp", "a|b", "#", "-rf", "\x1b]52;c;eA\x07"]
)


@settings(deadline=None)
@given(st.lists(st.tuples(HOSTILE, HOSTILE), max_size=5))
def test_every_name_resolves_to_nothing_one_or_several_and_never_raises(names: list[tuple[str, str]]) -> None:
    pages = {
        f"person/p{number}": f"---\nname: {name!r}\n---\n- knows [[{other}]]\n"
        for number, (name, other) in enumerate(names)
    }
    graph = graph_of(pages)
    for name, other in names:
        for asked in (name, other):
            found = graph.candidates(asked)
            assert graph.entity(asked) in (None, *found)
            assert len({entity.path for entity in found}) == len(found)
    for entity in graph.entities:
        assert graph.entity(entity.path) is entity
        for link in graph.relations_of(entity):
            assert link.target is None or link in graph.relations_to(link.target)
