"""Questions in plain words, and what is said where nothing is known."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import TEAM, graph_of
from workbench.graph.answer import GraphAnswer
from workbench.graph.paths import MAX_HOPS, Path, follow, shortest
from workbench.graph.question_intents import Direction
from workbench.graph.snapshot import Graph
from workbench.graph.traverse import answer
from workbench.memory.graph_page import Entity

TODAY = date(2026, 3, 14)
GRAPH = graph_of(TEAM)


def ask(question: str, graph: Graph = GRAPH, most: int = 10) -> GraphAnswer:
    return answer(graph, question, TODAY, most=most)


def names(question: str, graph: Graph = GRAPH) -> list[str]:
    return [found.name for found in ask(question, graph).found]


def entity(graph: Graph, name: str) -> Entity:
    found = graph.entity(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is Alice working on?", ["Atlas"]),
        ("What does ALICE MOSS work on", ["Atlas"]),
        ("which projects is Alice working on?", ["Atlas"]),
        ("who works on Atlas?", ["Alice Moss", "Bob Ray"]),
        ("who is working on the Atlas Indexer?", ["Bob Ray"]),
        ("who does Alice know?", ["Bob Ray"]),
        ("who knows Bob?", ["Alice Moss"]),
        ("what depends on NATS?", ["Atlas", "Borealis"]),
        ("what does Borealis depend on?", ["Atlas", "NATS JetStream"]),
        ("what uses NATS?", ["Atlas"]),
        ("what is NATS used by?", ["Atlas"]),
        ("what is used by Atlas?", ["NATS JetStream"]),
        ("what is Atlas part of?", ["Acme"]),
        ("what are the parts of Atlas?", ["Atlas Indexer"]),
        ("where is Acme located?", ["Berlin", "Germany"]),
        ("who does Bob mentor?", ["Alice Moss"]),
        ("who mentors Alice?", ["Bob Ray"]),
        ("who is mentoring Alice?", ["Bob Ray"]),
    ],
)
def test_a_relation_is_followed_in_the_direction_that_the_words_mean(
    question: str, expected: list[str]
) -> None:
    assert names(question) == expected


def test_what_is_over_answers_only_questions_for_the_past() -> None:
    assert names("what is Alice working on?") == ["Atlas"]
    assert set(names("what was Alice working on before?")) == {"Atlas", "Borealis"}
    assert "until 2026-01-10" in " ".join(found.why for found in ask("what did Alice work on?").found)


def test_a_graph_of_another_day_answers_for_that_day() -> None:
    found = answer(GRAPH, "what is Alice working on?", date(2025, 6, 1)).found
    assert [item.name for item in found] == ["Borealis"]


def test_a_memory_answers_where_no_relation_does() -> None:
    (found,) = ask("where does Alice live?").found
    assert found.memory is not None
    assert (found.name, found.memory.text) == ("Alice Moss", "Lives in Lisbon")
    assert found.sources == ("memory/2026-02-01.md#L3",)


def test_what_an_entity_is_a_part_of_answers_only_where_nothing_is_said_of_itself() -> None:
    assert names("where does Bob live?") == ["Bob Ray"]
    graph = graph_of({**TEAM, "person/bob": "---\nname: Bob Ray\naliases: [Bob]\n---\n- part_of [[Acme]]\n"})
    found = ask("where does Bob live?", graph).found
    assert [item.name for item in found] == ["Berlin", "Germany"]
    assert found[0].why == "Bob Ray part of Acme · Acme located in Berlin"


def test_every_hop_is_shown_with_its_source() -> None:
    found = next(item for item in ask("who works on Atlas?").found if item.name == "Bob Ray")
    assert [(hop.start, hop.link.relation.kind, hop.end) for hop in found.path] == [
        ("Atlas", "part_of", "Atlas Indexer"),
        ("Atlas Indexer", "works_on", "Bob Ray"),
    ]
    assert found.sources == ("graph/project/atlas-indexer.md#L5", "graph/person/bob.md#L7")
    assert found.as_json()["path"][0]["from"] == "Atlas Indexer"


def test_two_entities_are_connected_by_the_shortest_path() -> None:
    found = ask("how is Alice connected to Acme?").found
    assert {item.why for item in found} == {
        "Alice Moss knows Bob Ray · Bob Ray part of Acme",
        "Bob Ray mentors Alice Moss · Bob Ray part of Acme",
        "Alice Moss works on Atlas, since 2026-01-10 · Atlas part of Acme",
    }


@pytest.mark.parametrize(
    "question",
    ["what is the connection between Alice and Acme?", "Alice and Acme", "is Alice part of Acme?",
     "what do Alice and Acme have in common?"],
)  # fmt: skip
def test_a_connection_is_asked_for_in_several_ways(question: str) -> None:
    assert ask(question).asked == "how Alice Moss and Acme are connected"


def test_entities_too_far_apart_are_said_to_be_unconnected_and_are_described() -> None:
    graph = graph_of(
        {f"person/p{n}": f"---\nname: Person {n}x\n---\n- knows [[Person {n + 1}x]]\n" for n in range(6)}
    )
    found = ask("how is Person 0x connected to Person 5x?", graph)
    assert found.notes == ("no path of at most 3 relations connects Person 0x and Person 5x",)
    assert found.found
    assert len(ask("how is Person 0x connected to Person 3x?", graph).found[0].path) == MAX_HOPS


def test_an_open_question_gives_what_counts_most_first() -> None:
    found = ask("who is Alice?").found
    weights = [item.score for item in found]
    assert weights == sorted(weights, reverse=True)
    assert found[0].memory is not None
    assert found[0].memory.type == "identity"
    assert {item.name for item in found if item.path} == {"Atlas", "Bob Ray"}


def test_a_type_of_memory_can_be_asked_for() -> None:
    found = ask("which decisions are there on Atlas?").found
    assert [item.memory.text for item in found if item.memory] == ["Atlas uses tantivy"]


def test_what_else_is_said_in_an_open_question_decides_what_comes_first() -> None:
    (first, *_) = ask("when does Atlas renew the certificate?").found
    assert first.memory is not None
    assert first.memory.text == "Renew the certificate"


def test_colleagues_are_people_around_where_nothing_names_them() -> None:
    assert names("who works with Alice?") == ["Bob Ray"]
    assert names("who belongs to Acme?") == ["Bob Ray"]


def test_events_that_have_a_page_of_their_own_answer_what_happened() -> None:
    pages = {"event/fire": "---\nname: The Fire\n---\n- located_in [[Berlin]]\n"}
    assert names("what happened in Berlin?", graph_of({**TEAM, **pages})) == ["The Fire"]


def test_a_relation_that_nothing_states_gives_way_to_people_around_and_says_so() -> None:
    found = ask("who knows NATS?")
    assert found.notes == ("nothing says “knows” of NATS JetStream; this is what is known around it",)
    assert [item.name for item in found.found] == ["Alice Moss"]


def test_a_misspelt_name_is_recognised_and_the_answer_says_so() -> None:
    found = ask("what does Borealiss depend on?")
    assert found.notes == ("“Borealiss” is taken for Borealis",)
    assert [item.name for item in found.found][:1] == ["Atlas"]


def test_a_part_of_a_name_is_recognised_and_the_answer_says_so() -> None:
    found = ask("what is Moss working on?")
    assert found.notes == ("“Moss” is taken for Alice Moss",)
    assert [item.name for item in found.found] == ["Atlas"]


def test_an_ambiguous_name_is_answered_for_everybody_who_has_it() -> None:
    pages = {
        "person/a": "---\nname: Sarah Chen\naliases: [Sarah]\n---\n- works_on [[Atlas]]\n",
        "person/b": "---\nname: Sarah Ode\naliases: [Sarah]\n---\n- works_on [[Borealis]]\n",
    }
    found = ask("what is Sarah working on?", graph_of({**TEAM, **pages}))
    assert {item.name for item in found.found} == {"Atlas", "Borealis"}
    assert found.notes == ("“Sarah” may be Sarah Chen (person), Sarah Ode (person)",)


def test_a_name_of_a_hundred_is_answered_for_some_and_the_others_are_counted() -> None:
    pages = {
        f"person/p{n:02}": f"---\nname: Sam {n:02}\naliases: [Sam]\n---\n- [fact] x\n" for n in range(100)
    }
    found = ask("who is Sam?", graph_of(pages))
    assert len(found.entities) == 5
    assert found.notes[0].endswith("Sam 04 (person) or 95 more")


def test_an_unknown_name_is_said_to_be_unknown_with_names_that_are_known() -> None:
    found = ask("what is Zebulon working on?")
    assert found.entities == ()
    assert found.notes == ("nothing in the graph is called Zebulon",)
    assert found.suggestions


def test_where_no_entity_is_named_memories_with_the_words_are_given() -> None:
    found = ask("which port is 4222?")
    assert [item.memory.text for item in found.found if item.memory] == ["Speaks on port 4222"]


def test_an_empty_graph_says_that_it_is_empty() -> None:
    assert "no pages yet" in ask("what is Alice working on?", Graph()).notes[0]


def test_an_entity_that_is_over_is_answered_with_what_held() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: Ann\nvalid_until: 2026-01-01\n---\n- works_on [[Atlas]]\n",
            "project/atlas": "x",
        }
    )
    found = ask("what is Ann working on?", graph)
    assert [item.name for item in found.found] == ["atlas"]
    assert found.notes == ("Ann does not hold any more since 2026-01-01; this is what held",)


@pytest.mark.parametrize(
    "question", ["who is 森田健二?", "森田健二は何をしていますか", "ねえ森田健二について"]
)
def test_a_name_in_a_script_without_blanks_is_recognised(question: str) -> None:
    graph = graph_of({"person/k": "---\nname: Kenji\naliases: [森田健二]\n---\n- [identity] Builds gauges\n"})
    assert [found.name for found in ask(question, graph).entities] == ["Kenji"]
    assert [found.memory.text for found in ask(question, graph).found if found.memory] == ["Builds gauges"]


def test_an_entity_that_is_yet_to_be_is_said_to_be_so() -> None:
    graph = graph_of({"event/x": "---\nname: Expo\nvalid_from: 2026-09-01\n---\n- [fact] In Rome\n"})
    found = ask("what is the Expo?", graph)
    assert [item.memory.text for item in found.found if item.memory] == ["In Rome"]
    assert found.notes == ("Expo does not hold yet; this is what its page tells",)


def test_a_name_with_marks_of_regular_expressions_is_a_name() -> None:
    graph = graph_of(
        {
            "technology/c": "---\nname: C++ (2.*)\n---\n- [fact] Fast\n",
            "project/p": "---\nname: P\n---\n- uses [[C++ (2.*)]]\n",
        }
    )
    assert names("what uses C++ (2.*)?", graph) == ["P"]


def test_cycles_and_relations_to_itself_end() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: Ann\n---\n- depends_on [[Ann]]\n- depends_on [[Ben]]\n",
            "person/b": "---\nname: Ben\n---\n- depends_on [[Cid]]\n",
            "person/c": "---\nname: Cid\n---\n- depends_on [[Ann]]\n- depends_on [[Ben]]\n",
        }
    )
    assert names("what does Ann depend on?", graph) == ["Ben", "Cid"]
    assert names("what depends on Ann?", graph) == ["Cid", "Ben"]


def test_a_page_with_ten_thousand_relations_is_answered_in_part_and_says_so() -> None:
    lines = "".join(f"- works_on [[Project {number}]]\n" for number in range(10_000))
    graph = graph_of({"person/hub": f"---\nname: Hub\n---\n{lines}"})
    found = ask("what is Hub working on?", graph)
    assert len(found.found) == 10
    assert found.notes == ("Hub has too many relations to follow them all; this is a part",)


def test_hubs_that_lead_to_hubs_are_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pages with a thousand relations each to the other make a million paths of two relations."""
    pages = {
        f"project/{one}": f"---\nname: {one}\n---\n" + f"- uses [[{other}]]\n" * 1_000
        for one, other in (("Left", "Right"), ("Right", "Left"))
    }
    near = "---\nname: Zoe\n---\n- works_on [[Left]]\n"
    far = "---\nname: Zed\n---\n- works_on [[Right]]\n"
    graph = graph_of({**pages, "person/z": near, "person/far": far})
    for looked_at, expected in ((1_500, ["Zoe"]), (10_000, ["Zoe", "Zed"])):
        monkeypatch.setattr("workbench.graph.evidence.MAX_LOOKED_AT", looked_at)
        assert names("who knows Left?", graph) == expected


@st.composite
def tangled(draw: st.DrawFn) -> Graph:
    """Some entities with any relations among them, to themselves and to nobody."""
    count = draw(st.integers(1, 7))
    kinds = st.sampled_from(["works_on", "part_of", "located_in", "depends_on", "uses", "knows", "likes"])
    edges = draw(st.lists(st.tuples(st.integers(0, count), kinds, st.integers(0, count)), max_size=20))
    lines: dict[int, str] = dict.fromkeys(range(count + 1), "")
    for source, kind, target in edges:
        lines[source] += f"- {kind} [[N{target}]]\n"
    return graph_of({f"person/n{n}": f"---\nname: N{n}\n---\n{lines[n]}" for n in range(count)})


def nodes(path: Path, start: Entity) -> list[str]:
    return [start.name, *(hop.end for hop in path)]


@settings(deadline=None)
@given(
    tangled(), st.sampled_from(["works_on", "depends_on", "located_in", "knows"]), st.sampled_from(Direction)
)
def test_a_walk_never_meets_a_thing_twice(graph: Graph, kind: str, direction: Direction) -> None:
    for start in graph.entities:
        walk = follow(graph, start, (kind,), direction)
        ends = [path[-1].end for path in walk.paths]
        assert len(ends) == len(set(ends))
        for path in walk.paths:
            assert 1 <= len(path) <= MAX_HOPS
            assert len(set(nodes(path, start))) == len(path) + 1
            assert kind in {hop.link.relation.kind for hop in path}
            assert all(one.end == two.start for one, two in pairwise(path))


@settings(deadline=None)
@given(tangled())
def test_a_shortest_path_is_as_long_in_both_directions(graph: Graph) -> None:
    for first in graph.entities:
        for second in graph.entities:
            there, back = shortest(graph, first, second).paths, shortest(graph, second, first).paths
            assert {len(path) for path in there} == {len(path) for path in back}
            for path in there:
                assert nodes(path, first)[-1] == second.name
                assert len(set(nodes(path, first))) == len(path) + 1


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=80)
    | st.sampled_from(["@ and @", "who", "?" * 5000, "Alice " * 800, "what is Atlas of @"])
)
def test_any_question_gets_an_answer_or_is_told_why_not(question: str) -> None:
    found = ask(question)
    assert found.found or found.notes
    assert found.as_json()["question"] == question


def test_hostile_names_are_data_in_answers(capsys: pytest.CaptureFixture[str]) -> None:
    from workbench.cli.graph_text import say_answer

    graph = graph_of(
        {"person/evil": '---\nname: "Evil \\e]52;c;eA\\a \u202egnp [/bold]"\n---\n- [fact] \x1b[2Jx\n'}
    )
    say_answer(ask("tell me about evil", graph))
    shown = capsys.readouterr().out
    assert "Evil" in shown
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_entities_with_a_name_of_everyday_words_do_not_answer_for_them() -> None:
    graph = graph_of({**TEAM, "concept/on": "---\nname: On\n---\n", "concept/who": "---\nname: Who\n---\n"})
    assert names("who works on Atlas?", graph) == ["Alice Moss", "Bob Ray"]


def test_of_a_name_that_nobody_has_nothing_is_told_that_others_do() -> None:
    graph = graph_of({"person/ana": "---\nname: Ana Ruiz\n---\n- [identity] Ana lives in Oslo\n"})
    found = ask("where does Bob live", graph)
    assert found.found == ()
    assert found.notes == ("nothing in the graph is called Bob",)
