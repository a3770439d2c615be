"""What stands around an entity, as a tree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.test_search import tangled
from tests.support.pages import TEAM, graph_of
from workbench.graph.model import Graph
from workbench.graph.search import Node, neighbourhood


def around(name: str, hops: int = 1, each: int = 12, graph: Graph | None = None) -> Node:
    graph = graph or graph_of(TEAM)
    entity = graph.entity(name)
    assert entity is not None
    return neighbourhood(graph, entity, hops=hops, each=each)


def drawn(node: Node) -> list[str]:
    return ["  " * depth + one.name for depth, one in node.lines()]


def test_relations_of_both_directions_stand_around_an_entity() -> None:
    assert {child.name for child in around("Atlas").children} == {
        "Acme", "Alice Moss", "Atlas Indexer", "Borealis", "NATS JetStream",
    }  # fmt: skip


def test_two_hops_show_what_stands_around_those_each_thing_once() -> None:
    lines = drawn(around("Acme", hops=2))
    names = [line.strip() for line in lines]
    assert names[0] == "Acme"
    assert len(names) == len(set(names))
    assert {"Germany", "Alice Moss"} <= set(names)


def test_what_is_more_than_can_be_drawn_is_counted() -> None:
    lines = "".join(f"- knows [[P{number:04}]]\n" for number in range(10_000))
    node = around("Hub", each=5, graph=graph_of({"person/hub": f"---\nname: Hub\n---\n{lines}"}))
    assert [child.name for child in node.children] == [f"P{number:04}" for number in range(5)]
    assert node.left_out == 9_995
    assert node.as_json()["left_out"] == 9_995


@settings(deadline=None)
@given(tangled(), st.integers(0, 5), st.integers(1, 4))
def test_a_tree_shows_nothing_twice_and_is_as_deep_as_asked(graph: Graph, hops: int, each: int) -> None:
    for entity in graph.entities:
        lines = list(neighbourhood(graph, entity, hops=hops, each=each).lines())
        assert len({node.name for _, node in lines}) == len(lines)
        assert max(depth for depth, _ in lines) <= min(hops, 3)
        assert all(len(node.children) <= each for _, node in lines)
