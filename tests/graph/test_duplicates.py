"""Which pages may be of one entity: shown from 0.90 on, merged without asking by every bar and guard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from indexing.embedding.local import open_embedder
from indexing.embedding.port import Embedder
from tests.indexing.conftest import model_cache, real_model  # noqa: F401
from tests.support.hashing import HashingEmbedder
from tests.support.workspaces import Sandbox
from workbench.graph.duplicates import Duplicate, duplicates, likeness, same_key, why_apart
from workbench.graph.model import Graph
from workbench.graph.read import read_graph

TODAY = date(2026, 3, 20)


class AllAlike(HashingEmbedder):
    """Finds every two texts the same: what a model gone wrong would say. The guards must hold even then."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        out = np.zeros((len(texts), self.dimension), np.float32)
        out[:, 0] = 1.0
        return out


def page(sandbox: Sandbox, stem: str, name: str, kind: str, *lines: str) -> None:
    body = "".join(f"- {line}\n" for line in lines)
    sandbox.write(f"graph/{kind}/{stem}.md", f'---\nname: "{name}"\ntype: {kind}\n---\n{body}')


def found(sandbox: Sandbox, embedder: Embedder | None) -> tuple[Duplicate, ...]:
    return duplicates(read_graph(sandbox.workspace), today=TODAY, embedder=embedder)


@pytest.mark.promise(
    "The graph",
    "an embedding model finds everything similar",
    "nothing is merged automatically",
    by="a stand-in model",
)
@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Anna", "Anne", "person"),
        ("Anna Berg", "Anna Bergh", "person"),
        ("Sarah", "Sarah Chen", "person"),
        ("Sarah Chen", "Sarah Cheng", "person"),
        ("Atlas 1", "Atlas", "project"),
        ("Phase II", "Phase III", "project"),
        ("Atlas staging", "Atlas production", "technology"),
        ("Client library", "Server library", "technology"),
        ("Plan A", "Plan B", "concept"),
        ("Old backend", "New backend", "technology"),
    ],
)
def test_two_of_a_kind_are_never_merged_by_themselves(
    sandbox: Sandbox, one: str, other: str, kind: str
) -> None:
    page(sandbox, "one", one, kind)
    page(sandbox, "other", other, kind)
    (duplicate,) = found(sandbox, AllAlike())
    assert not duplicate.automatic
    assert duplicate.why


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Atlas v1", "Atlas v2", "project"),
        ("Room 101", "Room 110", "place"),
        ("Release 2026-03-01", "Release 2026-03-10", "event"),
    ],
)
@pytest.mark.parametrize("embedder", [AllAlike(), None], ids=["meaning", "names"])
def test_two_of_a_row_are_no_question(
    sandbox: Sandbox, one: str, other: str, kind: str, embedder: Embedder | None
) -> None:
    page(sandbox, "one", one, kind)
    page(sandbox, "other", other, kind)
    assert found(sandbox, embedder) == ()


def test_the_same_name_in_another_spelling_is_one(sandbox: Sandbox) -> None:
    page(sandbox, "sarah-chen", "Sarah Chen", "person", "[fact] Speaks Dutch")
    page(sandbox, "sarah-chen-2", "sarah  CHEN", "person")
    (duplicate,) = found(sandbox, HashingEmbedder())
    assert duplicate.automatic
    assert duplicate.keep.path == "graph/person/sarah-chen.md"  # it says more
    assert duplicate.cosine == pytest.approx(1.0)


def test_types_are_not_mixed(sandbox: Sandbox) -> None:
    page(sandbox, "mercury", "Mercury", "project")
    page(sandbox, "mercury", "Mercury", "place")
    assert found(sandbox, AllAlike()) == ()


def test_what_contradicts_itself_is_two(sandbox: Sandbox) -> None:
    page(sandbox, "a", "Sarah Chen", "person", "[fact] Lives in Bremen")
    page(sandbox, "b", "Sarah CHEN", "person", "located_in [[Hamburg]]")
    (duplicate,) = found(sandbox, HashingEmbedder())
    assert (duplicate.automatic, duplicate.why) == (False, "they contradict each other: lives in")


def test_what_is_related_is_two(sandbox: Sandbox) -> None:
    page(sandbox, "a", "Atlas Service", "project", "part_of [[b]]")
    page(sandbox, "b", "Atlas service", "project")
    (duplicate,) = found(sandbox, HashingEmbedder())
    assert (duplicate.automatic, duplicate.why) == (False, "one of them is related to the other")


def test_a_pinned_page_is_the_persons_to_merge(sandbox: Sandbox) -> None:
    page(sandbox, "a", "Atlas", "project")
    sandbox.write("graph/project/b.md", "---\nname: ATLAS\ntype: project\npinned: true\n---\n")
    (duplicate,) = found(sandbox, HashingEmbedder())
    assert not duplicate.automatic


def test_without_a_model_nothing_is_automatic(sandbox: Sandbox) -> None:
    page(sandbox, "a", "Sarah Chen", "person")
    page(sandbox, "b", "sarah chen", "person")
    page(sandbox, "c", "Ben Okafor", "person")
    (duplicate,) = found(sandbox, None)
    assert (duplicate.cosine, duplicate.automatic) == (None, False)


def test_a_name_that_is_another_ones_alias_is_shown(sandbox: Sandbox) -> None:
    sandbox.write("graph/person/a.md", "---\nname: Sarah Chen\ntype: person\naliases: [Sal]\n---\n")
    page(sandbox, "b", "Sal", "person")
    assert len(found(sandbox, None)) == 1
    assert len(found(sandbox, HashingEmbedder())) == 1


def test_what_a_person_has_answered_is_not_shown(sandbox: Sandbox) -> None:
    page(sandbox, "a", "Atlas", "project")
    page(sandbox, "b", "ATLAS", "project")
    graph = read_graph(sandbox.workspace)
    one, other = graph.entities
    assert same_key(one, other) == same_key(other, one)
    assert duplicates(graph, today=TODAY, embedder=HashingEmbedder(), decided={same_key(one, other)}) == ()


def test_facts_that_are_alike_are_no_duplicates(sandbox: Sandbox) -> None:
    page(sandbox, "a", "Atlas", "project", "[fact] The port is 8443", "[fact] The port was 8443")
    assert found(sandbox, AllAlike()) == ()


def test_only_the_pages_asked_about_are_looked_at(sandbox: Sandbox) -> None:
    for stem in ("a", "b"):
        page(sandbox, stem, "Atlas", "project")
    for stem in ("c", "d"):
        page(sandbox, stem, "Borealis", "project")
    graph = read_graph(sandbox.workspace)
    some = duplicates(graph, today=TODAY, embedder=HashingEmbedder(), of={"graph/project/c.md"})
    assert [(d.keep.name, d.other.name) for d in some] == [("Borealis", "Borealis")]


def test_two_thousand_pages_are_compared_once(sandbox: Sandbox) -> None:
    for n in range(40):
        page(sandbox, f"p{n}", f"Project word{n} name{n}", "project")
    entities = read_graph(sandbox.workspace).entities
    many = Graph(entities * 50)  # paths repeat, names too
    embedder = HashingEmbedder()
    duplicates(many, today=TODAY, embedder=embedder)
    assert len(embedder.texts) == 2_000


@given(st.text(max_size=30), st.text(max_size=30))
def test_likeness_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, one) == 1
    assert bool(why_apart(one, other, "person")) == bool(why_apart(other, one, "person"))
    assert why_apart(one, one, "person") == ""


@pytest.mark.model
def test_the_real_model_tells_names_apart(
    sandbox: Sandbox,
    real_model: Path,  # noqa: F811
) -> None:
    names = {
        "person": ["Sarah Chen", "sarah chen", "Anna", "Anne", "Maria Lopez", "Mario Lopez"],
        "project": ["Project Atlas", "project atlas", "Atlas v1", "Atlas v2", "Borealis"],
        "technology": ["PostgreSQL", "Postgresql", "MySQL", "tantivy"],
    }
    for kind, some in names.items():
        for n, name in enumerate(some):
            page(sandbox, f"{n}", name, kind)
    pairs = found(sandbox, open_embedder())
    assert {(d.keep.name.casefold(), d.other.name.casefold()) for d in pairs if d.automatic} == {
        ("sarah chen", "sarah chen"),
        ("project atlas", "project atlas"),
        ("postgresql", "postgresql"),
    }
    assert all(d.cosine is not None and d.cosine >= 0.98 for d in pairs if d.automatic)


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()], ids=["names", "vectors"])
def test_a_person_of_one_name_is_shown_beside_the_only_other_who_has_it(
    sandbox: Sandbox, embedder: Embedder | None
) -> None:
    page(sandbox, "vogt", "Vogt", "person", "[fact] Needs the viola by 5 December.")
    page(sandbox, "henning-vogt", "Henning Vogt", "person", "[fact] Plays in Graz.", "[fact] Is a doctor.")
    page(sandbox, "vogt-verlag", "Vogt Verlag", "organization", "[fact] Prints music.")
    (pair,) = found(sandbox, embedder)
    assert (pair.keep.name, pair.other.name, pair.automatic) == ("Henning Vogt", "Vogt", False)
    assert pair.why == "the name of one is part of the other's, and of no other"
    page(sandbox, "clara-vogt", "Clara Vogt", "person", "[fact] Is his wife.")
    assert not [one for one in found(sandbox, None) if "Vogt" in (one.keep.name, one.other.name)]
