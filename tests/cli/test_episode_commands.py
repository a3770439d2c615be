"""The queue from the command line: what is said of it, and what a person does to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, Sandbox
from workbench.memory.episode import EpisodeLine, EpisodePage, render_page


def now() -> datetime:
    """As the program counts days, whatever the hour."""
    return datetime.now(UTC)


def write(sandbox: Sandbox, name: str, left: int, **more: object) -> str:
    path = f"episodes/2026/01/{name}.md"
    values: dict[str, object] = {
        "session": f"s-{name}",
        "created_at": now() - timedelta(days=7),
        "expires_at": now() + timedelta(days=left),
        "abstract": f"The session {name} was about the harbour.",
        "topics": ("Port Ellery", "Walt", "Gauge 7", "Foghorn"),
        "turns": 41,
        "summary": (EpisodeLine("It was about the harbour."),),
    }
    page = EpisodePage(id=name, source_id=f"agent:{name}:0", **(values | more))  # type: ignore[arg-type]
    sandbox.write(path, render_page(page))
    return path


@pytest.fixture(autouse=True)
def queue(sandbox: Sandbox) -> None:
    (sandbox.root / EPISODE).unlink()
    write(sandbox, "soon", 3)
    write(sandbox, "over", -2)
    write(sandbox, "later", 80, pinned=True)
    sandbox.commit("queue")


def ids(said: dict[str, list[dict[str, object]]]) -> list[object]:
    return [one["id"] for one in said["episodes"]]


@pytest.mark.parametrize("group", ["episodes", "inbox"])
def test_a_group_that_has_a_list_shows_it(run: Run, group: str) -> None:
    assert run(group) == run(group, "list")
    assert run(group, "--json").json == run(group, "list", "--json").json
    assert "Usage:" in run(group, "--help").out


@pytest.mark.parametrize("words", [("inbox", "--run", "abc"), ("episodes", "--expiring", "3")])
def test_the_list_that_a_group_shows_takes_its_options(run: Run, words: tuple[str, ...]) -> None:
    group, *options = words
    assert run(*words) == run(group, "list", *options)
    assert run(*words).code == 0


def test_the_list_says_of_each_how_long_it_has_and_of_what_use_it_was(run: Run, sandbox: Sandbox) -> None:
    record = {"query": "q", "entry": "episodes/2026/01/soon.md#aaaaaaaaaaaa"}
    sandbox.workspace.ledger.append("recalls", [record], now())
    lines = run("episodes", "list").out.splitlines()
    assert lines[:4] == [
        "over  The session over was about the harbour.",
        "    7 days old · expired 2 days ago · 41 turns · never recalled · Port Ellery, Walt, Gauge 7"
        " · episodes/2026/01/over.md",
        "soon  The session soon was about the harbour.",
        "    7 days old · expires in 3 days · 41 turns · 1 recall · Port Ellery, Walt, Gauge 7"
        " · episodes/2026/01/soon.md",
    ]
    assert "pinned, never expires" in lines[5]


def test_the_list_can_be_narrowed(run: Run) -> None:
    assert ids(run("episodes", "list", "--json").json) == ["over", "soon", "later"]
    assert ids(run("episodes", "list", "--expiring", "3", "--json").json) == ["over", "soon"]
    assert ids(run("episodes", "list", "--expiring", "0", "--json").json) == ["over"]
    for session in ("s-later", "agent:later:0", "agent:later"):
        assert ids(run("episodes", "list", "--session", session, "--json").json) == ["later"]
    assert run("episodes", "list", "--session", "nobody").out == "no such episodes\n"
    assert run("episodes", "list", "--expiring", "-1").code == 2


def test_json_holds_every_field_of_an_episode(run: Run) -> None:
    one = run("episodes", "show", "soon", "--json").json
    assert (one["days_left"], one["countdown"], one["turns"]) == (3, "expires in 3 days", 41)
    assert one["topics"] == ["Port Ellery", "Walt", "Gauge 7", "Foghorn"]
    assert one["text"].startswith("---\nid: soon\n")
    assert (one["source_id"], one["pinned"], one["promoted_at"]) == ("agent:soon:0", False, None)


def test_an_episode_is_shown_as_it_is_written(run: Run, sandbox: Sandbox) -> None:
    shown = run("episodes", "show", "so")
    assert shown.out.encode() == sandbox.read("episodes/2026/01/soon.md")
    assert "expires in 3 days" in shown.err
    wrong = run("episodes", "show", "nothing")
    assert wrong.code == 2
    assert "episodes list" in wrong.err


def test_pins_are_set_and_taken_off(run: Run) -> None:
    assert run("episodes", "pin", "soon", "over", "--reason", "keep").code == 0
    assert run("episodes", "show", "soon", "--json").json["pinned"] is True
    assert run("episodes", "unpin", "soon").code == 0
    assert run("episodes", "show", "soon", "--json").json["pinned"] is False
    assert run("episodes", "unpin", "soon").code == 2


def test_time_is_given_by_days_or_to_a_day(run: Run) -> None:
    done = run("episodes", "extend", "soon", "--days", "10", "--json").json
    assert done["action"] == "extend"
    assert run("episodes", "show", "soon", "--json").json["days_left"] == 13
    day = (now() + timedelta(days=50)).date().isoformat()
    assert f"expires on {day}" in run("episodes", "extend", "soon", "--until", day).out
    assert run("episodes", "extend", "soon", "--until", "never").code == 2
    assert run("episodes", "extend", "soon").code == 2


def test_what_has_expired_goes_with_a_yes_and_comes_back(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    asked = run("episodes", "expire")
    assert asked.code == 2
    assert "over.md" in asked.out
    assert "--yes" in asked.err
    dry = run("episodes", "expire", "--dry-run")
    assert "+++ /dev/null" in dry.out
    assert sandbox.snapshot() == before
    done = run("episodes", "expire", "--yes", "--json").json
    assert done["entries"] == ["episodes/2026/01/over.md"]
    assert ids(run("episodes", "list", "--json").json) == ["soon", "later"]
    assert "no episode has expired" in run("episodes", "expire", "--yes").err
    assert run("undo", done["operation"]).code == 0
    assert sandbox.snapshot() == before


def test_a_heap_goes_only_by_force(run: Run, sandbox: Sandbox) -> None:
    for number in range(4):
        write(sandbox, f"heap{number}", -5)
    refused = run("episodes", "expire", "--yes", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "doubtful"
    assert "--force" in refused.json["error"]["hint"]
    assert run("episodes", "expire", "--yes", "--force").code == 0
    assert ids(run("episodes", "list", "--json").json) == ["soon", "later"]


def test_no_text_of_an_episode_steers_the_terminal(run: Run, sandbox: Sandbox) -> None:
    header = 'id: "e\\x1b[2J"\nl0_abstract: "a\\x1b]0;x\\x07\\nb"\nkey_topics: ["\\u202e"]\n'
    evil = f"---\n{header}---\n- x \x1b[31m\n"
    sandbox.write("episodes/evil.md", evil)
    for command in (("list",), ("show", "episodes/evil.md")):
        said = run("episodes", *command)
        assert "\x1b" not in said.out + said.err
        assert "\u202e" not in said.out + said.err


def test_an_empty_queue_says_so(run: Run, sandbox: Sandbox) -> None:
    for file in (sandbox.root / "episodes").rglob("*.md"):
        file.unlink()
    assert run("episodes", "list").out == "no episodes\n"
    assert run("episodes", "list", "--json").json == {"episodes": []}
