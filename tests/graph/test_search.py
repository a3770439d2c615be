"""What is known of what a question names, and what is said where nothing is known."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import TEAM, graph_of
from workbench.graph.keyword_search import most_linked
from workbench.graph.model import Graph
from workbench.graph.search import MAX_HOPS, GraphAnswer, Path, search_graph, shortest
from workbench.memory.entry import Entry
from workbench.memory.graph_page import Entity

TODAY = date(2026, 3, 14)
GRAPH = graph_of(TEAM)


def ask(question: str, graph: Graph = GRAPH, most: int = 10) -> GraphAnswer:
    return search_graph(graph, question, TODAY, most=most)


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
        ("what depends on NATS?", ["Borealis"]),
        ("what does Borealis depend on?", ["Atlas"]),
        ("what uses NATS?", ["Atlas"]),
        ("what are the parts of Atlas?", ["Atlas Indexer", "Acme"]),
        ("where is Acme located?", ["Berlin", "Germany"]),
        ("who does Bob mentor?", ["Alice Moss"]),
        ("who mentors Alice?", ["Bob Ray"]),
    ],
)
def test_what_the_words_of_a_question_say_of_its_names_comes_first(
    question: str, expected: list[str]
) -> None:
    assert names(question)[: len(expected)] == expected


def test_names_are_known_in_any_language() -> None:
    assert set(names("woran arbeitet Alice?")[:2]) == {"Atlas", "Bob Ray"}


def test_the_search_engine_decides_where_there_is_one() -> None:
    def mentors(entry: Entry, words: str) -> float:
        return float("mentors" in words and entry.text.endswith("[[Alice Moss]]"))

    found = search_graph(GRAPH, "wer betreut Alice?", TODAY, relevance=mentors).found
    assert (found[0].name, found[0].why, found[0].score) == ("Bob Ray", "Bob Ray mentors Alice Moss", 1.0)
    assert max(one.score for one in found[1:]) < 0.2


def test_what_is_over_is_left_out_unless_it_is_asked_for() -> None:
    direct = [one for one in ask("what is Alice working on?").found if len(one.path) == 1]
    assert "Borealis" not in {one.name for one in direct}
    past = search_graph(GRAPH, "what is Alice working on?", TODAY, past=True).found
    assert {one.name for one in past[:2]} == {"Atlas", "Borealis"}
    assert "until 2026-01-10" in " ".join(one.why for one in past)


def test_a_graph_of_another_day_answers_for_that_day() -> None:
    found = search_graph(GRAPH, "what is Alice working on?", date(2025, 6, 1)).found
    assert found[0].name == "Borealis"


def test_a_memory_answers_where_its_words_do() -> None:
    found = ask("where does Alice live?").found[0]
    assert found.memory is not None
    assert (found.name, found.memory.text) == ("Alice Moss", "Lives in Lisbon")
    assert found.sources == ("memory/2026-02-01.md#L3",)


def test_every_hop_is_shown_with_its_source() -> None:
    found = next(item for item in ask("who works on Atlas?").found if item.name == "Bob Ray")
    assert [(hop.forward, hop.link.relation.kind, hop.end) for hop in found.path] == [
        (False, "part_of", "Atlas Indexer"),
        (False, "works_on", "Bob Ray"),
    ]
    assert found.sources == ("graph/project/atlas-indexer.md#L5", "graph/person/bob.md#L7")
    assert found.as_json()["path"][0]["from"] == "Atlas Indexer"


@pytest.mark.parametrize(
    "question",
    ["how is Alice connected to Acme?", "Alice and Acme", "was haben Alice und Acme gemeinsam?"],
)
def test_two_entities_are_connected_by_the_shortest_path(question: str) -> None:
    found = ask(question).found
    assert {item.why for item in found[:3]} == {
        "Alice Moss knows Bob Ray · Bob Ray part of Acme",
        "Bob Ray mentors Alice Moss · Bob Ray part of Acme",
        "Alice Moss works on Atlas, since 2026-01-10 · Atlas part of Acme",
    }


def test_entities_too_far_apart_are_said_to_be_unconnected_and_are_described() -> None:
    graph = graph_of(
        {f"person/p{n}": f"---\nname: Person {n}x\n---\n- knows [[Person {n + 1}x]]\n" for n in range(6)}
    )
    found = ask("how is Person 0x connected to Person 5x?", graph)
    assert found.notes == ("no path of at most 3 relations connects Person 0x and Person 5x",)
    assert found.found
    assert len(ask("how is Person 0x connected to Person 3x?", graph).found[0].path) == MAX_HOPS


def test_an_open_question_gives_what_counts_most_first() -> None:
    found = ask("who is Alice?", most=30).found
    weights = [item.score for item in found]
    assert weights == sorted(weights, reverse=True)
    own = [item.memory.type for item in found if item.memory and item.name == "Alice Moss"]
    assert own[0] == "identity"
    assert {item.name for item in found if len(item.path) == 1} == {"Atlas", "Bob Ray"}


def test_a_type_of_memory_can_be_asked_for() -> None:
    found = ask("which decisions are there on Atlas?").found
    assert found[0].memory is not None
    assert found[0].memory.text == "Atlas uses tantivy"


def test_what_else_is_said_decides_what_comes_first() -> None:
    (first, *_) = ask("when does Atlas renew the certificate?").found
    assert first.memory is not None
    assert first.memory.text == "Renew the certificate"


def test_a_misspelt_name_is_recognised_and_the_answer_says_so() -> None:
    found = ask("what does Borealiss depend on?")
    assert found.notes == ("“Borealiss” is taken for Borealis",)
    assert [item.name for item in found.found][:1] == ["Atlas"]


def test_a_part_of_a_name_is_recognised_and_the_answer_says_so() -> None:
    found = ask("what is Moss working on?")
    assert found.notes == ("“Moss” is taken for Alice Moss",)
    assert found.found[0].name == "Atlas"


def test_an_ambiguous_name_is_answered_for_everybody_who_has_it() -> None:
    pages = {
        "person/a": "---\nname: Sarah Chen\naliases: [Sarah]\n---\n- works_on [[Atlas]]\n",
        "person/b": "---\nname: Sarah Ode\naliases: [Sarah]\n---\n- works_on [[Borealis]]\n",
    }
    found = ask("what is Sarah working on?", graph_of({**TEAM, **pages}))
    assert {item.name for item in found.found[:2]} == {"Atlas", "Borealis"}
    assert found.notes == ("“Sarah” may be Sarah Chen (person), Sarah Ode (person)",)


def test_a_name_of_a_hundred_is_answered_for_some_and_the_others_are_counted() -> None:
    pages = {
        f"person/p{n:02}": f"---\nname: Sam {n:02}\naliases: [Sam]\n---\n- [fact] x\n" for n in range(100)
    }
    found = ask("who is Sam?", graph_of(pages))
    assert len(found.entities) == 5
    assert found.notes[0].endswith("Sam 04 (person) or 95 more")


def test_of_pages_that_are_linked_alike_the_one_with_more_memories_comes_first() -> None:
    graph = graph_of(
        {
            "project/a": "---\nname: A\n---\n- [fact] one\n",
            "project/b": "---\nname: B\n---\n- [fact] one\n- [fact] two\n",
        }
    )
    assert [found.name for found in most_linked(graph, 2)] == ["B", "A"]


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
    assert found.notes == ("Ann has been invalid since 2026-01-01; this is what was valid",)


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
    assert found.notes == ("Expo is not valid yet; this is what its page says",)


def test_a_name_with_marks_of_regular_expressions_is_a_name() -> None:
    graph = graph_of(
        {
            "technology/c": "---\nname: C++ (2.*)\n---\n- [fact] Fast\n",
            "project/p": "---\nname: P\n---\n- uses [[C++ (2.*)]]\n",
        }
    )
    assert names("what uses C++ (2.*)?", graph)[0] == "P"


@pytest.mark.promise(
    "The graph",
    "cycles, relations to itself, hubs of ten thousand",
    "a partial answer, with a note",
)
def test_cycles_and_relations_to_itself_end() -> None:
    graph = graph_of(
        {
            "person/a": "---\nname: Ann\n---\n- depends_on [[Ann]]\n- depends_on [[Ben]]\n",
            "person/b": "---\nname: Ben\n---\n- depends_on [[Cid]]\n",
            "person/c": "---\nname: Cid\n---\n- depends_on [[Ann]]\n- depends_on [[Ben]]\n",
        }
    )
    assert set(names("what does Ann depend on?", graph)) == {"Ben", "Cid"}


@pytest.mark.promise("The graph", "cycles, relations to itself, hubs of ten thousand")
def test_a_page_with_ten_thousand_relations_is_answered_in_part_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.graph.search.MAX_CONSIDERED", 5_000)
    lines = "".join(f"- works_on [[Project {number}]]\n" for number in range(10_000))
    graph = graph_of({"person/hub": f"---\nname: Hub\n---\n{lines}"})
    found = ask("what is Hub working on?", graph)
    assert len(found.found) == 10
    assert found.notes == ("Hub has too many relations to read all of them; this is a part",)


def test_hubs_that_lead_to_hubs_are_looked_at_in_part() -> None:
    """Two pages with 300 relations each to the other make 90,000 paths of two relations."""
    pages = {
        f"project/{one}": f"---\nname: {one}\n---\n" + f"- uses [[{other}]]\n" * 300
        for one, other in (("Left", "Right"), ("Right", "Left"))
    }
    graph = graph_of({**pages, "person/z": "---\nname: Zoe\n---\n- works_on [[Left]]\n"})
    assert names("who works on Left?", graph)[0] == "Zoe"


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
@given(tangled())
def test_a_shortest_path_is_as_long_in_both_directions(graph: Graph) -> None:
    for first in graph.entities:
        for second in graph.entities:
            (there, _), (back, _) = shortest(graph, first, second), shortest(graph, second, first)
            assert {len(path) for path in there} == {len(path) for path in back}
            for path in there:
                assert nodes(path, first)[-1] == second.name
                assert len(set(nodes(path, first))) == len(path) + 1


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=80)
    | st.sampled_from(["@ and @", "who", "?" * 5000, "Alice " * 800, "what is Atlas of @"])
)
def test_any_question_gets_an_answer_or_is_told_why_not(question: str) -> None:
    found = ask(question)
    assert found.found or found.notes
    assert found.as_json()["question"] == question


def test_hostile_names_are_data_in_answers(capsys: pytest.CaptureFixture[str]) -> None:
    from workbench.cli.graph import say_answer

    graph = graph_of(
        {"person/evil": '---\nname: "Evil \\e]52;c;eA\\a \u202egnp [/bold]"\n---\n- [fact] \x1b[2Jx\n'}
    )
    say_answer(ask("tell me about evil", graph))
    shown = capsys.readouterr().out
    assert "Evil" in shown
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_entities_with_a_name_of_everyday_words_do_not_answer_for_them() -> None:
    graph = graph_of({**TEAM, "concept/on": "---\nname: On\n---\n", "concept/who": "---\nname: Who\n---\n"})
    assert names("who works on Atlas?", graph)[:2] == ["Alice Moss", "Bob Ray"]


def test_of_a_name_that_nobody_has_nothing_is_told_that_others_do() -> None:
    graph = graph_of({"person/ana": "---\nname: Ana Ruiz\n---\n- [identity] Ana lives in Oslo\n"})
    found = ask("where does Bob live", graph)
    assert found.found == ()
    assert found.notes == ("nothing in the graph is called Bob",)
