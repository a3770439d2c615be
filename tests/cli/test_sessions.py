"""ingest, flush and watch as they are called."""

from __future__ import annotations

import io
import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import NoReturn

import pytest

from indexing.sync.freshness import freshness
from tests.cli.conftest import Result, Run
from tests.support.sessions import append, claw, plain
from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, MEMORY, Sandbox
from workbench.errors import ModelUnavailableError

BIRTHDAY = "Please remember that my birthday is on 3 May."
DECISION = "We decided to use tantivy for the search of Project Atlas."
SAID = (("user", BIRTHDAY), ("assistant", DECISION), ("user", "We decided to name the release Heron."))


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "t/s91.jsonl"
    path.parent.mkdir()
    path.write_bytes(claw(*SAID))
    return path


def test_flush_saves_once_and_says_where_from(run: Run, sandbox: Sandbox, talk: Path) -> None:
    done = run("flush", str(talk))
    assert done.code == 0
    assert done.out.splitlines()[:2] == [BIRTHDAY, DECISION]
    assert "from s91.jsonl#L2 into memory/2026-03-14.md" in done.err
    assert "undoes it" in done.err
    assert BIRTHDAY in sandbox.read(LOG).decode()
    again = run("flush", str(talk))
    assert (again.code, again.out) == (0, "")
    assert "nothing new since the last flush" in again.err


def test_flush_as_json_and_dry(run: Run, sandbox: Sandbox, talk: Path) -> None:
    before = sandbox.read(LOG)
    dry = run("flush", str(talk), "--dry-run", "--json").json
    assert dry["dry_run"] is True
    assert [line["text"] for line in dry["sessions"][0]["lines"]][:2] == [BIRTHDAY, DECISION]
    assert sandbox.read(LOG) == before
    done = run("flush", str(talk), "--json").json["sessions"][0]
    assert done["session"] == "s91"
    assert done["lines"][0] == {"text": BIRTHDAY, "path": LOG, "source": "s91.jsonl#L2"}
    assert len(done["operations"]) == 1
    run("undo", done["operations"][0])
    assert sandbox.read(LOG) == before


def test_flush_of_what_is_not_there_or_no_file_fails_with_the_reason(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    done = run("flush", str(tmp_path / "gone.jsonl"), str(tmp_path / "pipe.jsonl"))
    assert done.code == 2
    told = run("flush", str(tmp_path / "gone.jsonl"), "--json")
    assert (told.code, told.json["error"]["code"]) == (2, "usage")
    assert "gone.jsonl: it does not exist" in done.err
    assert "pipe.jsonl: it is a link or not a plain file" in done.err


def test_a_wrong_value_in_the_settings_loses_no_facts(run: Run, sandbox: Sandbox, talk: Path) -> None:
    sandbox.write("workbench.yaml", "memory_budget: lots\n")
    done = run("flush", str(talk))
    assert done.code == 0
    assert "it is ignored" in done.err
    assert BIRTHDAY in sandbox.read(LOG).decode()
    assert run("ingest", str(talk)).code == 0
    assert run("watch", "--once").code == 0
    assert run("jobs", "run", "nightly", "--only", "prune").code == 0


def test_a_job_that_its_settings_stop_is_recorded_as_failed(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("workbench.yaml", "exclude: {\n")
    assert run("jobs", "run", "nightly").code == 2
    assert run("watch", "--once").code == 2
    sandbox.write("workbench.yaml", "")
    jobs = {one["job"]: one["state"] for one in run("jobs", "status", "--json").json["jobs"]}
    assert (jobs["nightly"], jobs["watch"]) == ("failed", "failed")


def test_flush_names_lines_that_cannot_be_read(run: Run, talk: Path) -> None:
    append(talk, b"{oops\n" + plain(("user", "Fine.")))
    done = run("flush", str(talk))
    assert "1 line cannot be read: s91.jsonl:5" in done.err


def test_ingest_takes_a_named_transcript_in(run: Run, sandbox: Sandbox, talk: Path) -> None:
    done = run("ingest", str(talk))
    assert done.code == 0
    assert f"{talk}: 1 episode, " in done.out
    assert "1 source: 1 ingested" in done.out
    again = run("ingest", str(talk), "--json").json
    assert again["counts"] == {"unchanged": 1}
    assert again["sources"][0]["why"] == "nothing new in it"


def test_ingest_says_what_it_found_in_which_nobody_speaks_or_which_is_left_out(
    run: Run, tmp_path: Path
) -> None:
    quiet, cron = tmp_path / "quiet.jsonl", tmp_path / "cron.jsonl"
    quiet.write_bytes(claw() + b'{"role": "tool", "content": "42"}\n')
    cron.write_bytes(b'{"role": "user", "content": "x", "sessionKey": "agent:main:cron:j1"}\n')
    before = run("ingest", str(quiet), str(cron), "--dry-run", "--json").json
    assert before["counts"] == {"unchanged": 1, "excluded": 1}
    done = run("ingest", str(quiet), str(cron))
    assert done.code == 0
    assert done.out == "2 sources: 1 added nothing, 1 left out by your settings\n"
    assert f"{quiet}: no messages in its 2 lines: only those of a user and an assistant" in done.err
    why = "excluded (cron): its key is agent:main:cron:j1; its only turn is left out, as transcript_exclude"
    assert f"{cron}: {why} in your settings says" in done.err
    assert "unchanged" not in done.out + done.err


def test_ingest_alone_reads_the_workspace_and_no_ones_transcripts(
    run: Run, sandbox: Sandbox, person: Path
) -> None:
    folder = person / ".openclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    (folder / "s91.jsonl").write_bytes(claw(*SAID))
    os.utime(folder / "s91.jsonl", (1_773_482_400,) * 2)
    (person / ".openclaw/openclaw.json").write_text(
        json.dumps({"agents": {"defaults": {"workspace": str(sandbox.root)}}})
    )
    done = run("ingest", "--json").json
    outcomes = {one["source"]: one["outcome"] for one in done["sources"]}
    assert outcomes == {LOG: "unchanged", EPISODE: "taken", MEMORY: "unchanged"}
    asked = run("ingest", "--source", "transcript", "--json").json
    (one,) = asked["sources"]
    assert (one["source"], one["outcome"]) == (str(folder / "s91.jsonl"), "taken")
    assert len(one["episodes"]) == 1


@pytest.mark.parametrize("command", [("ingest", "--source", "transcript"), ("watch", "--once")])
def test_sessions_of_an_agent_that_works_elsewhere_are_not_read(
    run: Run, sandbox: Sandbox, person: Path, command: tuple[str, ...]
) -> None:
    folder = person / ".openclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    (folder / "s91.jsonl").write_bytes(claw(*SAID))
    os.utime(folder / "s91.jsonl", (1_773_482_400,) * 2)
    before = sandbox.snapshot()
    refused = run(*command)
    assert refused.code == 2
    assert "OpenClaw's main works in" in refused.err
    line = f'transcripts: {{"{sandbox.root}": "~/.openclaw/agents/main/sessions"}}'
    assert line in refused.err
    assert sandbox.snapshot() == before
    (person / "settings.yaml").write_text(f"{line}\n")
    assert run(*command).code == 0
    now = sandbox.snapshot()
    assert "tantivy" in "".join(now[path].decode() for path in now.keys() - before)


def test_ingest_reads_the_transcripts_that_settings_name(run: Run, talk: Path, person: Path) -> None:
    (person / "settings.yaml").write_text(f"transcripts: ['{talk.parent}']\n")
    os.utime(talk, (1_773_482_400,) * 2)
    done = run("ingest", "--json").json
    assert done["counts"] == {"taken": 2, "unchanged": 3}
    kinds = [one["kind"] for one in done["sources"] if one["outcome"] == "taken"]
    assert kinds == ["transcript", "markdown"]


def test_ingest_shows_what_it_would_do(run: Run, sandbox: Sandbox, talk: Path) -> None:
    sandbox.write(LOG, sandbox.read(LOG) + b"\n- User: I live in Osaka since the spring\n")
    before = sandbox.snapshot()
    done = run("ingest", "--dry-run", str(talk), LOG)
    assert "would summarise" in done.out
    assert "would learn" in done.out
    assert "2 sources: 2 would be ingested" in done.out
    assert sandbox.snapshot() == before


def test_ingest_leaves_with_1_where_a_source_failed_and_takes_the_others(run: Run, talk: Path) -> None:
    done = run("ingest", "no-such-page.md", str(talk))
    assert done.code == 1
    assert "no-such-page.md: failed: " in done.err
    assert f"{talk}: 1 episode" in done.out


@pytest.mark.parametrize("name", ["gone.jsonl", "gone.md"])
def test_ingest_of_what_is_not_there_fails_with_the_reason(run: Run, name: str) -> None:
    done = run("ingest", name)
    assert done.code == 1
    assert f"{name}: " in done.err
    assert "it does not exist" in done.err


def test_pages_are_those_of_the_workspace_as_the_help_says(run: Run, talk: Path) -> None:
    page = talk.parent / "page.md"
    page.write_text("# A page\n")
    assert run("ingest", str(page)).code != 0
    assert run("ingest", str(talk)).code == 0
    said = " ".join(run("ingest", "--help").out.split())
    assert "a transcript (*.jsonl) or a folder of them anywhere, or a page (*.md) of this workspace" in said


@pytest.mark.parametrize(("source", "name"), [("markdown", "a.jsonl"), ("transcript", "memory/a.md")])
def test_ingest_of_a_file_that_is_not_of_the_source_is_wrong_usage(run: Run, source: str, name: str) -> None:
    done = run("ingest", "--source", source, name)
    assert done.code == 2
    assert f"{name} is not a {source}" in done.err


def test_watch_once_looks_and_leaves(run: Run, sandbox: Sandbox, talk: Path, person: Path) -> None:
    (sandbox.root / EPISODE).unlink()  # it expired
    (person / "settings.yaml").write_text(f"transcripts: ['{talk.parent}']\n")
    os.utime(talk, (1_773_482_400,) * 2)
    assert run("ingest", LOG, MEMORY).code == 0
    done = run("watch", "--once", "--json")
    assert done.code == 0
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [(event["event"], event["why"]) for event in events] == [
        ("flushed", "quiet"),
        ("taken", "completed"),
        ("taken", "new lines"),  # of the flush
    ]
    again = run("watch", "--once")
    assert (again.code, again.out) == (0, "")


def test_watch_says_why_it_waits(run: Run, sandbox: Sandbox, talk: Path, person: Path) -> None:
    (sandbox.root / EPISODE).unlink()  # it expired
    (person / "settings.yaml").write_text(f"transcripts: ['{talk.parent}', '{talk.parent}/gone']\n")
    assert run("ingest", LOG).code == 0
    done = run("watch", "--once")
    assert (done.code, done.out) == (0, "")
    assert f"reading transcripts in {talk.parent}, {talk.parent}/gone" in done.err
    assert "gone: it does not exist" in done.err
    assert "3 new messages of 4 lines: waits for more" in done.err


def test_the_past_cannot_be_watched(run: Run) -> None:
    done = run("--as-of", "HEAD", "watch", "--once")
    assert done.code != 0


def test_orders_to_the_terminal_are_shown_and_not_obeyed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(plain(("user", "We decided to use \x1b]0;owned\x07 tantivy for the search of Atlas.")))
    for command in (("flush", str(path), "--dry-run"), ("ingest", str(path))):
        done = run(*command)
        assert "\x1b" not in done.out + done.err
        assert "\x07" not in done.out + done.err


def test_the_name_of_a_file_stays_in_its_line(run: Run, tmp_path: Path, person: Path) -> None:
    (tmp_path / "t").mkdir()
    path = tmp_path / "t/a\nforged: everything is fine.jsonl"
    path.write_bytes(plain(*SAID) + b"bad\n" + plain(*SAID))
    (person / "settings.yaml").write_text(f"transcripts: ['{tmp_path}/t']\n")
    for command in (("flush", str(path)), ("flush", str(path)), ("ingest", str(path)), ("watch", "--once")):
        done = run(*command)
        assert not [line for line in (done.out + done.err).splitlines() if line.startswith("forged")]


class Unopenable:
    """A model whose file broke after it was found."""

    identity, dimension, window = "broken", 3, 256

    def embed(self, texts: object) -> NoReturn:
        raise ModelUnavailableError("the model cannot be opened")


def test_a_model_that_cannot_be_opened_is_done_without(
    run: Run, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = (("user", f"My colleague {name} works on project Atlas.") for name in ("Sarah Chen", "Sara Chen"))
    append(talk, claw(*said))
    monkeypatch.setattr("workbench.cli.sessions.local_model", lambda _: Unopenable())
    (one,) = run("ingest", str(talk), "--json").json["sources"]
    assert (one["outcome"], len(one["episodes"])) == ("taken", 1)
    assert one["memories"] > 0
    assert any("the model cannot be opened" in note for note in one["notes"])


@pytest.mark.parametrize("command", [("ingest",), ("flush", "TALK"), ("watch", "--once")])
def test_where_no_history_can_be_kept_it_is_said_once_with_what_to_do(
    run: Run, tmp_path: Path, talk: Path, command: tuple[str, ...]
) -> None:
    bare = Sandbox(tmp_path / "plain folder")
    bare.git("config", "core.bare", "true")
    try:
        before = bare.read(LOG)
        done = run("-w", str(bare.root), *(str(talk) if word == "TALK" else word for word in command))
        assert (done.code, done.out) == (1, "")
        assert done.err.count("is a bare repository") == 1
        assert "open the clone" in done.err
        assert bare.read(LOG) == before
    finally:
        bare.close()


def test_ingest_says_when_it_did_not_look_for_sessions(run: Run, talk: Path) -> None:
    hint = "--source all"
    assert hint in run("ingest").err
    assert hint not in run("ingest", "--source", "markdown").err
    assert hint not in run("ingest", str(talk)).err


def hooked(run: Run, monkeypatch: pytest.MonkeyPatch, said: bytes) -> Result:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said)))
    return run("flush", "--hook")


def test_a_hook_flushes_the_transcript_that_it_names_and_is_silent_when_nothing_is_new(
    run: Run, sandbox: Sandbox, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {
        "session_id": "s91",
        "transcript_path": str(talk),
        "hook_event_name": "PreCompact",
        "trigger": "auto",
    }
    done = hooked(run, monkeypatch, json.dumps(said).encode())
    assert (done.code, done.out) == (0, "")
    assert "saved before compaction" in done.err
    assert BIRTHDAY in sandbox.read(LOG).decode()
    again = hooked(run, monkeypatch, json.dumps(said).encode())
    assert (again.code, again.out, again.err) == (0, "", "")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"{",
        b"[]",
        b'{"session_id": "s91"}',
        b'{"transcript_path": 5}',
        b'{"transcript_path": "/nowhere/at/all.jsonl"}',
        b'{"transcript_path": "\\u0000"}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_hook_with_nothing_to_flush_never_fails_the_agent(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    before = sandbox.snapshot()
    done = hooked(run, monkeypatch, said)
    assert (done.code, done.out) == (0, "")
    assert done.err
    assert sandbox.snapshot() == before


def test_flush_wants_a_transcript(run: Run) -> None:
    done = run("flush")
    assert done.code == 2
    assert "--hook" in done.err


def test_a_note_teaches_the_graph_when_it_is_named_and_long_term_memory_always(
    run: Run, sandbox: Sandbox
) -> None:
    sandbox.write("memory/people.md", "# People\n\n- [[Maria Lopez]] works at Harbour Freight.\n")
    sandbox.write("MEMORY.md", "# Memory\n\n- [[Atlas]] always uses tantivy for its search.\n")
    alone = {one["source"] for one in run("ingest", "--json").json["sources"]}
    assert alone == {LOG, EPISODE, MEMORY}
    (one,) = run("ingest", "memory/people.md", "--json").json["sources"]
    assert (one["outcome"], one["memories"] > 0) == ("taken", True)
    for path, words in (("memory/people.md", "Harbour Freight"), (MEMORY, "tantivy")):
        graph = "".join(page.read_text() for page in (sandbox.root / "graph").rglob("*.md"))
        assert words in graph
        (again,) = run("ingest", "--source", "markdown", path, "--json").json["sources"]
        assert (again["outcome"], again["why"]) == ("unchanged", "nothing in it is new to the graph")


def test_pages_that_nobody_named_and_that_teach_nothing_are_only_counted(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-15.md", "# 2026-03-15\n\n- nothing much\n")
    done = run("ingest", "--source", "markdown", "--dry-run")
    assert ": 3 added nothing" in done.out
    assert "memory/2026-03-15.md" not in done.out + done.err
    named = run("ingest", "memory/2026-03-15.md", "--dry-run")
    assert "memory/2026-03-15.md: nothing in it is new to the graph" in named.err


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("graph/person/maria.md", "it is a page of the graph itself"),
        ("DREAMS.md", "a dream diary repeats other memory"),
        ("memory/templates/day.md", "templates are not memory"),
        ("SOUL.md", "bootstrap files are loaded by the agent as they are"),
        ("_system/archive/2026-03.md", "it was archived"),
    ],
)
def test_a_page_that_is_no_source_is_refused_with_the_reason(
    run: Run, sandbox: Sandbox, path: str, why: str
) -> None:
    sandbox.write(path, "# A page\n\n- I live in Osaka\n")
    done = run("ingest", path)
    assert done.code == 1
    assert f"{path}: refused: not a source: {why}" in done.err


@pytest.mark.parametrize("command", [("jobs", "run", "nightly", "--only", "ingest"), ("watch", "--once")])
def test_a_todo_in_a_log_reaches_the_bulletin_and_the_index(
    run: Run, sandbox: Sandbox, person: Path, command: tuple[str, ...]
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    assert run("reindex").code == 0
    log = f"memory/{date.today()}.md"
    sandbox.write(log, "# Today\n\n- User: I have to renew the quayside permit tomorrow.\n")
    done = run(*command)
    assert done.code == 0
    assert "quayside permit" in run("context", "--bulletin", "context").out
    found = run("search", "quayside", "--json").json
    assert found["stale"] is False
    assert {hit["path"].partition("/")[0] for hit in found["hits"]} == {"graph", "memory"}
    commits = sandbox.git("log", "--oneline")
    run(*command)
    assert sandbox.git("log", "--oneline") == commits  # nothing is new
    sandbox.write(log, sandbox.read(log) + b"- User: I have to call the harbour master tomorrow.\n")
    run(*command)
    assert "harbour master" in run("context", "--bulletin", "context").out


@pytest.mark.parametrize("command", [("jobs", "run", "nightly", "--only", "ingest"), ("watch", "--once")])
def test_a_line_that_teaches_nothing_is_indexed_all_the_same(
    run: Run, sandbox: Sandbox, person: Path, command: tuple[str, ...]
) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    assert run("reindex").code == 0
    run(*command)
    sandbox.write(LOG, sandbox.read(LOG) + b"- fog\n")
    assert freshness(sandbox.workspace).state == "stale"
    assert run(*command).code == 0
    assert freshness(sandbox.workspace).state == "fresh"


def test_what_a_night_prunes_leaves_the_index_too(run: Run, sandbox: Sandbox, person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    sandbox.write(
        EPISODE, EPISODE_TEXT.replace("2026-06-12", "2020-06-12").replace("2026-03-14", "2020-03-14")
    )
    assert run("reindex").code == 0
    assert run("jobs", "run", "nightly", "--only", "prune").code == 0
    assert not (sandbox.root / EPISODE).exists()
    assert freshness(sandbox.workspace).state == "fresh"
