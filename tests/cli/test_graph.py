"""`workbench graph` as a person and a program call it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.pages import TEAM
from tests.support.workspaces import Sandbox

ON = ("--on", "2026-03-14")


@pytest.fixture(autouse=True)
def team(sandbox: Sandbox) -> None:
    for path, text in TEAM.items():
        sandbox.write(f"graph/{path}.md", text)
    sandbox.commit("team")


def test_a_question_is_answered_with_its_way_and_sources(run: Run) -> None:
    found = run("graph", "search", "what is Alice working on?", *ON)
    assert found.code == 0
    assert found.out.splitlines()[:3] == [
        "1.00  Atlas (project)",
        "      Alice Moss works on Atlas, since 2026-01-10",
        "      from memory/2026-01-10.md#L4",
    ]
    assert "read as: what is known of Alice Moss" in found.err


def test_words_need_no_quotes(run: Run) -> None:
    found = run("graph", "search", "--json", *ON, "who", "works", "on", "Atlas").json
    assert [one["name"] for one in found["found"]][:2] == ["Alice Moss", "Bob Ray"]
    assert found["found"][1]["path"][1]["relation"] == "works_on"


def test_the_index_ranks_what_is_related_where_there_is_one(run: Run) -> None:
    assert run("reindex", "--no-vectors").code == 0
    found = run("graph", "search", "--json", *ON, "who mentored Alice?").json["found"]
    assert (found[0]["name"], found[0]["path"][0]["relation"]) == ("Bob Ray", "mentors")
    assert found[0]["score"] > 2 * found[1]["score"]


def test_an_unknown_name_is_answered_with_names_that_are_known(run: Run) -> None:
    found = run("graph", "search", "what is Zebulon working on?", *ON)
    assert found.code == 0
    assert "nothing was found about it" in found.out
    assert "known names:" in found.out
    assert "nothing in the graph is called Zebulon" in found.err


def test_show_draws_what_stands_around_an_entity(run: Run) -> None:
    found = run("graph", "show", "alice", "--hops", "2", *ON)
    assert "Alice Moss (person)" in found.out
    assert "[fact] Lives in Lisbon (from 2026-02-01; importance 0.60, confidence 0.80)" in found.out
    assert "├── works on → Atlas" in found.out
    assert "Borealis" in found.out  # two hops away: it depends on Atlas
    assert "works on → Borealis" not in found.out
    assert "works on → Borealis" in run("graph", "show", "alice", "--all").out


def test_show_says_what_there_is_where_nothing_is_called_so(run: Run) -> None:
    found = run("graph", "show", "Atlantis", "--json")
    assert found.code == 2
    assert found.json["error"]["message"] == "nothing in the graph is called Atlantis"
    assert "Atlas" in found.json["error"]["hint"]


def test_show_asks_which_where_several_are_called_so(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("graph/person/alice-2.md", "---\nname: Alice Moss\n---\n")
    found = run("graph", "show", "Alice Moss")
    assert found.code == 2
    assert "graph/person/alice-2.md" in found.err
    assert run("graph", "show", "graph/person/alice-2.md").code == 0


def test_find_narrows_and_sorts(run: Run) -> None:
    found = run("graph", "find", "--type", "todo", "--state", "pending", "--sort", "due", "--json", *ON).json
    assert [one["text"] for one in found["memories"]][:2] == [
        "Renew the certificate",
        "Write the release notes",
    ]
    assert found["total"] == 5


def test_find_shows_the_memories_of_a_scene(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("memory/notes/atlas.md", "# Launch\n\n- [decision] Ship on Fridays\n- [goal] Ship at all\n")
    found = run("graph", "find", "--scene", "launch", *ON)
    lines = [line for line in found.out.splitlines() if not line.startswith("  ")]
    assert ["Ship at all" in lines[0], "Ship on Fridays" in lines[1]] == [True, True]
    assert len(lines) == 2


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "\x1b[2J"])
def test_a_day_that_is_none_is_refused(run: Run, day: str) -> None:
    found = run("graph", "todos", "--on", day)
    assert found.code == 2
    assert "write it as 2026-03-14" in found.err
    assert "\x1b" not in found.err


def test_todos_and_events_are_told_by_day(run: Run) -> None:
    found = run("graph", "todos", *ON).out
    assert (
        found.index("Upcoming")
        < found.index("in 6 days")
        < found.index("Overdue")
        < found.index("overdue by 4")
    )
    assert found.index("Without a day") < found.index("Shard the index")
    assert run("graph", "events", *ON).out == "nothing is due\n"


def test_stats_are_text_and_json(run: Run) -> None:
    assert "entities   8" in run("graph", "stats").out
    figures = run("graph", "stats", "--json", *ON).json
    assert (figures["entities"], figures["unresolved"]) == (8, 1)
    assert figures["expired"] == 0  # of what held on that day nothing was over


def test_search_finds_entities_and_lines_without_an_index(run: Run) -> None:
    found = run("graph", "search", "atlas", "--json", *ON).json
    assert [one["name"] for one in found["entities"]] == ["Atlas"]
    assert "Atlas uses tantivy" in [one["text"] for one in found["memories"]]
    begun = run("graph", "search", "boreal", "--json", *ON).json
    assert [one["name"] for one in begun["entities"]] == ["Borealis"]
    nothing = run("graph", "search", "zzzz")
    assert "the question names no entity of the graph" in nothing.err
    assert "known names:" in nothing.out


def test_the_graph_of_a_past_commit_can_be_asked(run: Run, sandbox: Sandbox) -> None:
    """`--as-of` asks git what the memory said; `--on` asks today's memory what was true."""
    sandbox.write(
        "graph/person/carl.md", "---\nname: Carl\nvalid_from: 2026-01-01\n---\n- works_on [[Atlas]]\n"
    )
    sandbox.commit("carl")
    before = sandbox.git("rev-parse", "HEAD~1").strip()
    ask = ("graph", "search", "who works on Atlas?", "--on")
    assert "Carl" in run(*ask, "2026-02-01").out
    assert "Carl" not in run("--as-of", before, *ask, "2026-02-01").out
    assert "Carl" not in run(*ask, "2025-02-01").out


def test_two_questions_about_time_are_not_mixed(run: Run) -> None:
    assert run("graph", "show", "alice", "--all", *ON).code == 2


def test_hostile_text_does_nothing_to_the_terminal(run: Run, sandbox: Sandbox) -> None:
    name = "Evil \\e]52;c;eA\\a \\u202egnp"
    sandbox.write(
        "graph/person/evil.md",
        f'---\nname: "{name}"\nvalid_from: 2026-01-01\n---\n'
        "- [todo] \x1b[2J [/bold] [[x]]\n- \u202eknows [[\x1b]8;;x]]\n",
    )
    for command in (
        ["show", "evil"],
        ["todos"],
        ["search", "who is evil?"],
        ["search", "bold"],
        ["stats"],
        ["find"],
    ):
        found = run("graph", *command)
        assert found.code == 0, command
        assert not set(found.out + found.err) & {"\x1b", "\x07", "\u202e", "\x9b"}
    assert "[/bold]" in run("graph", "todos").out


def test_many_open_boxes_are_cut_and_counted(run: Run, sandbox: Sandbox) -> None:
    boxes = "".join(f"- [ ] Send letter {n}\n" for n in range(30))
    sandbox.write("memory/2026-03-10.md", f"# Day\n\n{boxes}")
    out = run("graph", "todos", *ON).out
    assert "memory/2026-03-10.md: Send letter" in out
    assert "more; --json lists them" in out
    assert len(out.splitlines()) < 30
    assert len(run("graph", "todos", *ON, "--json").json["undated"]) >= 30


def test_an_empty_graph_is_said_to_be_empty(run: Run, sandbox: Sandbox) -> None:
    import shutil

    shutil.rmtree(sandbox.root / "graph")
    assert "no pages yet" in run("graph", "search", "who works on Atlas?").err
    assert "no pages yet" in run("graph", "show", "Alice").err
    assert run("graph", "todos").out == "nothing is due\n"
