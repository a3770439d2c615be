"""Duplicates are merged right after learning by every bar alone; each merge is an operation of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tests.support.hashing import HashingEmbedder
from tests.support.workspaces import Sandbox
from workbench.errors import ModelUnavailableError
from workbench.graph.merge import resolve
from workbench.graph.read import read_graph
from workbench.ingest.ingest import Ingest
from workbench.operations.undo import plan_undo

NOW = datetime(2026, 3, 20, 9, tzinfo=UTC)


def page(sandbox: Sandbox, stem: str, name: str, *lines: str, kind: str = "project") -> None:
    body = "".join(f"- {line}\n" for line in lines)
    sandbox.write(f"graph/{kind}/{stem}.md", f"---\nname: {name}\ntype: {kind}\n---\n{body}")


def names(sandbox: Sandbox) -> list[str]:
    return [entity.name for entity in read_graph(sandbox.workspace).entities]


def test_each_merge_is_an_operation_that_can_be_undone_alone(sandbox: Sandbox) -> None:
    page(sandbox, "atlas", "Project Atlas", "[fact] It is blue")
    page(sandbox, "atlas-2", "project ATLAS", "[fact] It is round")
    page(sandbox, "borealis", "Borealis Engine", "uses [[project ATLAS]]")
    page(sandbox, "borealis-2", "borealis engine")
    sandbox.commit("pages")
    before = sandbox.snapshot()
    place = sandbox.workspace
    done = resolve(place, now=NOW, embedder=HashingEmbedder())
    assert [operation.actor for operation in done.merged] == ["ingest", "ingest"]
    assert all("cosine 1.000" in operation.reason for operation in done.merged)
    assert names(sandbox) == ["Project Atlas", "Borealis Engine"]
    atlas = read_graph(place).entity("project atlas")
    assert atlas is not None
    assert [memory.text for memory in atlas.memories] == ["It is blue", "It is round"]
    for operation in reversed(done.merged):
        place.operations.carry_out(partial(plan_undo, place, operation.id))
    assert sandbox.snapshot() == before


def test_without_a_model_all_is_for_a_person(sandbox: Sandbox) -> None:
    page(sandbox, "atlas", "Project Atlas")
    page(sandbox, "atlas-2", "project ATLAS")
    done = resolve(sandbox.workspace, now=NOW)
    assert (done.merged, len(done.flagged)) == ((), 1)


def test_a_dry_run_merges_nothing(sandbox: Sandbox) -> None:
    page(sandbox, "atlas", "Project Atlas")
    page(sandbox, "atlas-2", "project ATLAS")
    before = sandbox.snapshot()
    done = resolve(sandbox.workspace, now=NOW, embedder=HashingEmbedder(), dry_run=True)
    assert (done.merged, len(done.flagged)) == ((), 1)
    assert sandbox.snapshot() == before


def test_versions_are_flagged_never_merged(sandbox: Sandbox) -> None:
    page(sandbox, "a", "the big Atlas engine of record 1")
    page(sandbox, "b", "the big Atlas engine of record 2")
    done = resolve(sandbox.workspace, now=NOW, embedder=HashingEmbedder())
    assert done.merged == ()
    assert names(sandbox) == ["the big Atlas engine of record 1", "the big Atlas engine of record 2"]


def test_three_of_one_are_one_after_two_runs(sandbox: Sandbox) -> None:
    for stem in ("a", "b", "c"):
        page(sandbox, stem, "Project Atlas", f"[fact] From {stem}")
    sandbox.commit("pages")
    for _ in range(2):
        resolve(sandbox.workspace, now=NOW, embedder=HashingEmbedder())
    (atlas,) = read_graph(sandbox.workspace).entities
    assert {memory.text for memory in atlas.memories} == {"From a", "From b", "From c"}


def test_a_merge_that_fails_is_a_note_and_changes_nothing(sandbox: Sandbox) -> None:
    sandbox.write("graph/project/project-atlas.md", "- [fact] One\n- [fact] Two\n")  # no header for a name
    sandbox.write(
        "graph/project/b.md", "---\nname: project atlas\ntype: project\naliases: [PA]\n---\n- [fact] Three\n"
    )
    before = sandbox.snapshot()
    done = resolve(sandbox.workspace, now=NOW, embedder=HashingEmbedder())
    assert (done.merged, len(done.flagged)) == ((), 1)
    assert "were not merged: the header of graph/project/project-atlas.md" in done.notes[0]
    assert sandbox.snapshot() == before


def test_a_model_that_fails_leaves_the_names(sandbox: Sandbox) -> None:
    class Failing(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise ModelUnavailableError("the model is broken")

    page(sandbox, "atlas", "Project Atlas")
    page(sandbox, "atlas-2", "project ATLAS")
    done = resolve(sandbox.workspace, now=NOW, embedder=Failing())
    assert (done.merged, len(done.flagged)) == ((), 1)
    assert done.notes == ("names were compared without embeddings: the model is broken",)


def test_ingest_resolves_right_after_learning(sandbox: Sandbox) -> None:
    page(sandbox, "atlas-engine", "Atlas-Engine", "[fact] It is blue", "[fact] It is round")
    sandbox.write("memory/2026-03-15.md", "- User: Sarah Chen works on Atlas Engine these days\n")
    sandbox.commit("log")
    ingest = Ingest(sandbox.workspace, now=NOW, embedder=HashingEmbedder())
    (taken,) = [one for one in ingest.markdown() if one.source == "memory/2026-03-15.md"]
    assert [operation.action for operation in taken.operations] == ["learn", "merge"]
    atlas = read_graph(sandbox.workspace).entity("Atlas Engine")
    assert atlas is not None
    assert (atlas.name, atlas.aliases) == ("Atlas-Engine", ("Atlas Engine",))
    sarah = read_graph(sandbox.workspace).entity("Sarah Chen")
    assert sarah is not None
    assert [relation.target for relation in sarah.relations] == ["Atlas-Engine"]
