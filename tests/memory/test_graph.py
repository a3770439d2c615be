"""What a line of a graph page says."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.pages import page
from workbench.memory.entry import RelPath
from workbench.memory.graph_page import Relation, TypedMemory, name_key, read_memories
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.markdown import parse_document
from workbench.workspace.layout import USUAL


def memory(line: str) -> TypedMemory:
    (found,) = page("person/ann", f"---\nname: Ann\n---\n{line}\n").memories
    return found


def relation(line: str) -> Relation:
    (found,) = page("person/ann", f"---\nname: Ann\n---\n{line}\n").relations
    return found


def test_a_memory_says_all_that_its_comment_holds() -> None:
    found = memory(
        "- [preference] Prefers async reviews <!-- wb: id=m7 confidence=0.9 importance=0.75"
        " occurred_at=2026-03-02 valid_from=2026-03-01 valid_until=2026-05-01 happens_at=2026-04-01"
        " at=2026-03-03 src=episodes/e12.md#L8 src=memory/a.md#L2 session=s91 trust=owner"
        " scene=Working%20style -->"
    )
    assert (found.type, found.text, found.id) == ("preference", "Prefers async reviews", "m7")
    assert (found.confidence, found.importance) == (0.9, 0.75)
    assert found.weight == pytest.approx(0.675)
    assert (found.occurred_at, found.valid_from) == (date(2026, 3, 2), date(2026, 3, 1))
    assert (found.valid_until, found.happens_at) == (date(2026, 5, 1), date(2026, 4, 1))
    assert (found.recorded_at, found.day) == (date(2026, 3, 3), date(2026, 4, 1))
    assert found.sources == ("episodes/e12.md#L8", "memory/a.md#L2")
    assert (found.session, found.trust, found.scene) == ("s91", "owner", "Working style")


@pytest.mark.parametrize(("type_", "importance"), IMPORTANCE.items())
def test_importance_that_is_not_said_is_that_of_the_type(type_: str, importance: float) -> None:
    assert memory(f"- [{type_}] x").importance == importance


@pytest.mark.parametrize("said", ["2", "-0.1", "nan", "inf", "high", ""])
def test_a_figure_that_is_none_is_the_usual_one(said: str) -> None:
    found = memory(f"- [todo] x <!-- wb: confidence={said} importance={said} id=1 -->")
    assert (found.confidence, found.importance) == (1.0, IMPORTANCE["todo"])


def test_no_line_is_more_trusted_than_its_page() -> None:
    text = "---\nname: Ann\ntrust: external\n---\n- [fact] x <!-- wb: trust=owner -->\n- [fact] y\n"
    assert [found.trust for found in page("person/ann", text).memories] == ["external", "external"]


@pytest.mark.parametrize(
    "line",
    [
        "- [todo] [x] Send it",
        "- [todo] ~~Send it~~",
        "- [todo] ✅ Send it",
        "- [todo] Send it ✅ 2026-03-01",
        "- [todo] Send it (done)",
        "- [todo] Send it <!-- wb: done=2026-03-01 -->",
        "- [todo] Send it <!-- wb: status=completed -->",
    ],
)
def test_a_todo_is_done_in_each_way_that_people_mark_it(line: str) -> None:
    assert memory(line).done


@pytest.mark.parametrize(
    "line",
    [
        "- [todo] Send it",
        "- [todo] [ ] Send it",
        "- [todo] Say ~~no~~ yes",
        "- [todo] Ask whether it is done",
        "- [todo] Send it <!-- wb: done=no -->",
    ],
)
def test_a_todo_that_only_speaks_of_it_is_not_done(line: str) -> None:
    assert not memory(line).done


@pytest.mark.parametrize(
    ("line", "kind", "target"),
    [
        ("- works_on [[Atlas]]", "works_on", "Atlas"),
        ("- works on [[Atlas|the project]]", "works_on", "Atlas"),
        ("- Works-On [[ Atlas ]] (since May)", "works_on", "Atlas"),
        ("- mentors [[Bob]]", "mentors", "Bob"),
        ("- arbeitet an [[Übersee]]", "arbeitet_an", "Übersee"),
    ],
)
def test_a_relation_is_read_as_people_write_it(line: str, kind: str, target: str) -> None:
    found = relation(line)
    assert (found.kind, found.target) == (kind, target)


@pytest.mark.parametrize(
    "line", ["- [[Atlas]]", "- see [[Atlas]] and [[Bob]]", "- works_on Atlas", "- a [[]]"]
)
def test_prose_with_links_is_no_relation(line: str) -> None:
    assert page("person/ann", f"---\nname: Ann\n---\n{line}\n").relations == ()


def test_headings_are_the_scene_of_what_stands_under_them() -> None:
    text = "---\nname: Ann\n---\n- [fact] a\n\n# Work\n\n## Reviews\n\n- [fact] b\n"
    assert [found.scene for found in page("person/ann", text).memories] == ["", "Work › Reviews"]


def test_a_memory_longer_than_one_window_is_one_memory_with_all_its_words() -> None:
    words = " ".join(f"word{number} and more of it." for number in range(400))
    found = page("person/ann", f"---\nname: Ann\n---\n- [fact] {words}\n").memories
    assert [one.text for one in found] == [words]


def test_outside_of_the_graph_only_list_items_with_known_types_are_memories() -> None:
    path = RelPath("memory/projects/atlas.md")
    text = "# Atlas\n\n- [decision] Ship it\n- [link] no memory\n- [ ] a box\n\n[todo] prose\n"
    found = read_memories(parse_document(path, text.encode(), USUAL.kind_of(path)))
    assert [(one.type, one.text, one.scene) for one in found] == [("decision", "Ship it", "Atlas")]


@settings(deadline=None)
@given(st.text())
def test_names_that_differ_in_case_blanks_or_normal_form_are_one(name: str) -> None:
    assert name_key(f"  {name} ") == name_key(name) == name_key(name_key(name))
    if len(name) == len(name.upper()) == len(name.upper().lower()) and name.isascii():
        assert name_key(name.upper()) == name_key(name)


def test_an_accent_is_one_name_in_either_normal_form() -> None:
    assert name_key("José") == name_key("Jose\u0301") == name_key("JOSÉ")


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_a_page(data: bytes) -> None:
    path = RelPath("graph/person/x.md")
    parse_document(path, data, USUAL.kind_of(path))
    from workbench.memory.graph_page import read_entity

    entity = read_entity(parse_document(path, data, USUAL.kind_of(path)))
    assert entity.path == path
    assert entity.name
