"""log, blame, show of an entry, forgetting by session or query, and memory as it was."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, LOG, Sandbox


def test_log_of_an_entry_goes_back_to_the_first_log_line(run: Run, sandbox: Sandbox) -> None:
    log = sandbox.address("staging port")
    run("promote", log)
    run("forget", log)
    copy = sandbox.address("staging port", "MEMORY.md")
    steps = run("log", copy, "--json").json
    assert [(step["what"], step["who"]) for step in steps] == [
        ("forget", "human"),
        ("promote", "human"),
        ("add", "external"),
    ]
    assert (steps[1]["before"], steps[1]["after"]) == ([log], [copy])
    assert set(steps[0]) >= {"operation", "commit", "when", "actor", "session", "text"}
    shown = run("log", log).out
    assert f"from {log}  gone" in shown
    assert f"to   {copy}" in shown


def test_log_of_a_file_follows_its_renames_and_shows_plain_commits_beside_ours(
    run: Run, sandbox: Sandbox
) -> None:
    run("promote", sandbox.address("staging port"))
    sandbox.git("mv", "MEMORY.md", "memory.md")
    sandbox.commit("agent renames")
    rows = run("log", "memory.md", "--json").json
    assert [(row["action"], row["who"], row["renamed_from"]) for row in rows] == [
        ("commit", "external", "MEMORY.md"),
        ("promote", "human", None),
        ("commit", "external", None),
    ]
    shown = run("log", "memory.md").out
    assert "commit: agent renames" in shown
    assert "renamed from MEMORY.md" in shown
    assert "promote: The staging port" in shown
    assert len(run("log", "memory.md", "-n", "1", "--json").json) == 1


def test_log_of_what_matches_words_and_fields(run: Run, sandbox: Sandbox) -> None:
    run("promote", sandbox.address("staging port"))
    run("forget", sandbox.address("tantivy"))
    found = run("log", "--match", "by:human action:promote staging", "--json").json
    assert [row["action"] for row in found] == ["promote"]
    assert run("log", "MEMORY.md", "--match", "action:forget", "--json").json == []
    assert run("log", "--match", "-by:human", "--json").json[0]["action"] == "commit"


def test_redo_of_any_operation_that_is_undone(run: Run, sandbox: Sandbox) -> None:
    operation = run("forget", sandbox.address("tantivy"), "--json").json["operation"]
    run("forget", sandbox.address("Lisbon"))
    run("undo", operation)
    assert b"tantivy" in sandbox.read(LOG)
    run("redo", operation)
    assert b"tantivy" not in sandbox.read(LOG)


def test_blame_tells_each_line_s_operation_and_session(run: Run, sandbox: Sandbox) -> None:
    done = run("promote", sandbox.address("staging port"), "--json").json
    rows = run("blame", "MEMORY.md", "--json").json
    assert [row["line"] for row in rows] == list(range(1, len(rows) + 1))
    brought = next(row for row in rows if "staging port" in row["text"])
    assert (brought["operation"], brought["action"], brought["who"]) == (
        done["operation"],
        "promote",
        "human",
    )
    assert brought["entry"] == sandbox.address("staging port", "MEMORY.md")
    assert brought["origin"]["source"] == f"{LOG}#L6"
    page = run("blame", sandbox.address("on Friday", EPISODE), "--json").json
    assert [row["session"] for row in page] == ["s91"]
    sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- just now\n")
    assert "uncommitted" in run("blame", "MEMORY.md").out.splitlines()[-1]
    assert run("blame", "src/app.py").code == 2


def test_show_of_an_entry_prints_its_text_origin_and_history(run: Run, sandbox: Sandbox) -> None:
    run("promote", sandbox.address("staging port"))
    copy = sandbox.address("staging port", "MEMORY.md")
    shown = run("show", copy).out
    for words in (copy, "The staging port is 8443", "trust agent", f"{LOG}#L6", "promote: "):
        assert words in shown
    run("forget", copy)
    gone = run("show", copy, "--json").json
    assert (gone["standing"], gone["origin"]) == (False, None)
    assert [step["what"] for step in gone["history"]] == ["forget", "promote", "add"]


# -- forget by session or query ------------------------------------------------------------------


def test_forget_of_a_session_shows_the_list_and_needs_a_yes(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    asked = run("forget", "--session", "s91")
    assert asked.code == 2
    assert EPISODE in asked.out
    assert "--yes" in asked.err
    assert sandbox.snapshot() == before
    assert run("forget", "--session", "s91", "--json").json["error"]["code"] == "usage"
    dry = run("forget", "--session", "s91", "--dry-run")
    assert dry.code == 0
    assert EPISODE in dry.out.splitlines()[0]
    assert "-- The release is on Friday" in dry.out
    assert sandbox.snapshot() == before


def test_forget_of_a_session_is_one_operation_and_comes_back_whole(run: Run, sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    run("promote", sandbox.address("on Friday", EPISODE))
    promoted = sandbox.snapshot()
    copy = sandbox.address("on Friday", "MEMORY.md")
    done = run("forget", "--session", "s91", "--yes", "--json").json
    assert set(done["entries"]) == {EPISODE, copy}
    assert EPISODE not in sandbox.snapshot()
    assert sandbox.read("MEMORY.md").count(b"Friday") == 0
    assert run("undo").code == 0
    assert sandbox.snapshot() == promoted != before


def test_forget_on_a_terminal_asks_and_a_no_changes_nothing(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sandbox.snapshot()
    answers = iter([False, True])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda *_, **__: next(answers))
    assert run("forget", "--session", "s91").code == 1
    assert sandbox.snapshot() == before
    assert run("forget", "--session", "s91").code == 0
    assert EPISODE not in sandbox.snapshot()


def test_forget_refuses_when_the_list_is_no_longer_what_was_shown(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def agent_writes_meanwhile(*_: object, **__: object) -> bool:
        sandbox.write("MEMORY.md", sandbox.read("MEMORY.md") + b"- new <!-- wb: session=s91 -->\n")
        return True

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", agent_writes_meanwhile)
    refused = run("forget", "--session", "s91")
    assert refused.code == 1
    assert "the list is out of date" in refused.err
    assert EPISODE in sandbox.snapshot()


def test_forget_of_a_query_takes_what_the_search_finds(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    listed = run("forget", "--query", "staging port", "-k", "1", "--dry-run")
    assert sandbox.address("staging port") in listed.out.splitlines()[0]
    assert run("forget", "--query", "staging port", "-k", "1", "--yes").code == 0
    assert b"staging port" not in sandbox.read(LOG)
    nothing = run("forget", "--query", "zzzz", "--yes")
    assert nothing.code == 2
    assert "nothing" in nothing.err


def test_forget_of_a_query_takes_no_line_that_only_stands_beside_one_with_its_words(
    run: Run, sandbox: Sandbox
) -> None:
    sandbox.write("memory/2026-03-20.md", "- Coffee with Sepp.\n- Glue never above 60 degrees.\n")
    run("reindex", "--no-vectors")
    listed = run("forget", "--query", "sepp", "--dry-run").out.splitlines()
    assert [line.split()[0] for line in listed if line.startswith("memory/")] == [
        sandbox.address("Coffee with Sepp", "memory/2026-03-20.md")
    ]
    beside = run("forget", "--query", "path:2026-03-20", "--dry-run").out.splitlines()
    assert len([line for line in beside if line.startswith("memory/")]) == 2


@pytest.mark.parametrize(
    "arguments",
    [(), ("x#0000dead", "--session", "s"), ("--session", "s", "--query", "q"), ("--session", " ")],
)
def test_forget_wants_exactly_one_way_of_choosing(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("forget", *arguments, "--json").json["error"]["code"] == "usage"


# -- memory as it was ----------------------------------------------------------------------------


@pytest.fixture
def start(run: Run, sandbox: Sandbox) -> str:
    """The first commit; since then one entry was forgotten and another one came."""
    commit = sandbox.git("rev-parse", "HEAD").strip()
    run("forget", sandbox.address("tantivy"))
    sandbox.write(LOG, sandbox.read(LOG) + b"- tantivy came again, later\n")
    sandbox.commit("later")
    run("reindex", "--no-vectors")
    return commit


def test_a_search_as_of_a_moment_finds_what_was_forgotten_and_nothing_that_came_later(
    run: Run, sandbox: Sandbox, start: str
) -> None:
    index = {p: p.read_bytes() for p in (sandbox.root / ".workbench" / "index").rglob("*") if p.is_file()}
    then = run("search", "tantivy", "--as-of", start, "--mode", "lexical", "--json")
    found = [hit["snippet"] for hit in then.json["hits"]]
    assert found[0] == "We decided to use tantivy for search"
    assert not any("later" in snippet for snippet in found)
    assert "as they were" in then.err
    now = run("search", "tantivy", "--mode", "lexical", "--json").json
    assert now["hits"][0]["snippet"] == "tantivy came again, later"
    assert not any("decided" in hit["snippet"] for hit in now["hits"])
    again = run("--as-of", start, "search", "tantivy", "--mode", "lexical", "--json")
    assert again.json["hits"] == then.json["hits"]
    assert "as they were" not in again.err
    assert {
        p: p.read_bytes() for p in (sandbox.root / ".workbench" / "index").rglob("*") if p.is_file()
    } == index


def test_reading_commands_answer_as_of_a_moment(run: Run, sandbox: Sandbox, start: str) -> None:
    old = f"{LOG}#" + next(e.hash for e in sandbox.workspace.document(LOG).entries if "staging" in e.text)
    assert "to use tantivy" in run("--as-of", start, "get", LOG).out
    assert len(run("--as-of", start, "log", "--json").json) == 1
    assert [step["what"] for step in run("--as-of", start, "log", old, "--json").json] == ["add"]
    assert run("--as-of", start, "show", old).code == 0
    assert "later" not in run("--as-of", start, "blame", LOG).out
    status = run("--as-of", start, "status", "--json")
    assert status.json["repository"] == f"at {start[:12]}"
    assert f"({start[:12]})" in status.err


@pytest.mark.parametrize(
    "command", [("promote", "x"), ("forget", "x"), ("undo",), ("init",), ("demo", "d"), ("backup",)]
)
def test_whatever_acts_is_refused_as_of_a_moment(
    run: Run, sandbox: Sandbox, start: str, command: tuple[str, ...]
) -> None:
    before, at = sandbox.snapshot(), sandbox.git("rev-parse", "HEAD")
    refused = run("--as-of", start, *command, "--json")
    assert refused.json["error"]["code"] == "read-only"
    assert refused.json["error"]["message"] == f"`{command[0]}` does not support --as-of"
    assert (sandbox.snapshot(), sandbox.git("rev-parse", "HEAD")) == (before, at)


def test_a_moment_that_is_none_is_wrong_usage(run: Run, start: str) -> None:
    assert start
    for moment in ("xyz", "1066-10-14", "2026-13-01"):
        assert run("--as-of", moment, "status").code == 2


def test_log_of_a_file_that_never_was_says_so(run: Run, sandbox: Sandbox) -> None:
    never = run("log", "memory/2026-03-41.md", "--json")
    assert (never.code, never.json["error"]["code"]) == (2, "not-memory")
    assert run("log", "a" * 5000).code == 2
    sandbox.write("memory/fresh.md", "- not recorded yet\n")
    assert run("log", "memory/fresh.md", "--json").json == []
    sandbox.git("rm", "-q", LOG)
    sandbox.commit("gone")
    assert len(run("log", LOG, "--json").json) == 2


def test_lines_that_version_0_1_added_to_the_ledger_are_no_news(run: Run, sandbox: Sandbox) -> None:
    page = "_system/ledger/recalls-2026-03.jsonl"
    sandbox.write(page, '{"entry": "x"}\n')
    sandbox.git("add", page)
    sandbox.git("commit", "-q", "-m", "ledger: x\n\nOperation: 00112233aabb\nAction: ledger\nActor: external")
    assert [row["action"] for row in run("log", "--json").json] == ["commit"]
    (newest, _) = run("log", "--all", "--json").json
    assert (newest["action"], newest["actor"]) == ("ledger", "external")
    assert [row["action"] for row in run("log", page, "--json").json] == ["ledger"]
    assert "nothing to undo" in run("undo").err
