"""reindex and search from the command line."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexing.ranking.order import PRESETS
from indexing.search.modes import MODES
from tests.cli.conftest import Run
from tests.support.workspaces import LOG, Sandbox
from workbench.config.settings import FORMER_PRESETS
from workbench.workspace.locks import hold

GARBAGE = ['"', "(", "foo:", "AND", "it's", "[]", "a AND", "\ud800", "* ? ~ ^", "x" * 5000]
GARBAGE += ["path:(((((*", "kind:", "since:99999999-99-99", "path:* " * 1000, "as-of:never", '-"', "\u202e"]
HIT = "rank path start_line end_line kind entry heading date snippet score scores".split()  # noqa: SIM905
ANSWER = ["query", "state", "mode", "took_ms", "generation", "stale", "degraded", "notes", "hits"]


@pytest.fixture(autouse=True)
def no_model(person: Path) -> None:
    """Most tests here are about words: a model would only make them slow."""
    (person / "settings.yaml").write_text("model: none\n")


@pytest.fixture
def tiny_model(person: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A real model, the smallest there is."""
    from tests.support.tiny import make_tiny_model

    folder = make_tiny_model(tmp_path_factory.mktemp("tiny") / "model")
    (person / "settings.yaml").write_text(f"model: {folder}\n")


def found(run: Run, *arguments: str) -> list[str]:
    """The snippets of the hits."""
    result = run("search", *arguments, "--json")
    assert result.code == 0, result.err
    return [hit["snippet"] for hit in result.json["hits"]]


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what differs from run to run."""
    return {key: value for key, value in answer.items() if key not in ("took_ms", "generation")}


def test_reindex_prints_the_json_that_is_promised(run: Run) -> None:
    result = run("reindex", "--json")
    assert result.code == 0
    report = result.json
    assert list(report)[:7] == [
        *("files", "entries", "embedded", "from_cache", "seconds", "generation", "fingerprint"),
    ]
    assert report["files"] == {
        **{"seen": 3, "added": 3, "changed": 0, "removed": 0, "unchanged": 0, "failed": [], "waiting": 0},
    }
    assert set(report["entries"]) == {"total", "added", "removed"}
    assert report["entries"]["total"] == report["entries"]["added"] > 0
    assert (report["embedded"], report["from_cache"], report["generation"]) == (0, 0, "gen-1")
    assert isinstance(report["seconds"], float)
    assert report["vectors"] == "embedding is turned off"


def test_search_prints_the_json_that_is_promised(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    answer = run("search", "staging port", "--mode", "lexical", "--json").json
    assert list(answer) == ANSWER
    assert (answer["query"], answer["mode"], answer["generation"]) == ("staging port", "lexical", "gen-1")
    assert (answer["stale"], answer["degraded"]) == (False, None)
    hit = answer["hits"][0]
    assert list(hit) == HIT
    assert {"lexical", "vector", "recency", "boost"} < set(hit["scores"])
    assert hit["entry"] == sandbox.address("staging port")
    assert (hit["rank"], hit["path"], hit["start_line"], hit["end_line"]) == (1, LOG, 6, 6)
    assert (hit["kind"], hit["date"]) == ("log", "2026-03-14")
    assert "planning with Sarah" in hit["heading"]
    assert hit["snippet"] == "The staging port is 8443"
    assert hit["score"] > 0


def test_a_hit_is_what_every_action_takes(run: Run) -> None:
    run("reindex", "--no-vectors")
    entry = run("search", "staging port", "--mode", "lexical", "--json").json["hits"][0]["entry"]
    assert run("promote", entry, "--dry-run").code == 0


def test_people_read_hits_with_where_they_stand(run: Run, sandbox: Sandbox) -> None:
    said = run("reindex", "--no-vectors")
    assert "3 files: 3 added" in said.out
    assert "keyword search only: vectors were left out" in said.err
    shown = run("search", "staging port", "--mode", "lexical")
    assert shown.code == 0
    assert shown.out.startswith(f" 1. {sandbox.address('staging port')}  L6  2026-03-14")
    assert "    The staging port is 8443" in shown.out
    assert shown.err == ""
    assert run("search", "zzzz", "--mode", "lexical").err == "nothing was found\n"


def test_a_query_of_several_words_needs_no_quotes(run: Run) -> None:
    run("reindex", "--no-vectors")
    quoted = run("search", "staging port", "--mode", "lexical", "--explain")
    bare = run("search", "staging", "--mode", "lexical", "port", "--explain")
    assert (bare.code, bare.out) == (0, quoted.out)
    assert "BM25" in bare.out
    assert ": staging, port)" in bare.out  # words as they stand there, not stems


def test_a_batch_answers_one_line_for_each_question(run: Run, tmp_path: Path) -> None:
    run("reindex", "--no-vectors")
    batch = tmp_path / "questions.jsonl"
    rows = [
        '{"id": "a", "query": "staging port", "k": 1}',
        "",
        '{"query": "tea"}',
        '{"id": 7, "query": "zzzz"}',
    ]
    batch.write_text("\n".join(rows) + "\n")
    result = run("search", "--batch", str(batch), "--mode", "lexical")
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert [answer["id"] for answer in answers] == ["a", 3, 7]
    assert all(list(answer) == ["id", *ANSWER] for answer in answers)
    assert len(answers[0]["hits"]) == 1
    assert "tea" in answers[1]["hits"][0]["snippet"]
    assert answers[2]["hits"] == []


def test_each_line_of_a_batch_may_filter_by_itself(run: Run, tmp_path: Path) -> None:
    run("reindex", "--no-vectors")
    batch = tmp_path / "questions.jsonl"
    rows = [
        '{"query": "port"}',
        '{"query": "port", "filters": {"kind": ["log"], "since": "2026-03"}}',
        '{"query": "port", "filters": {"path": "nowhere"}}',
        '{"query": "port", "explain": true, "mode": "lexical"}',
    ]
    batch.write_text("\n".join(rows) + "\n")
    done = run("search", "--batch", str(batch), "--mode", "lexical")
    every, logs, none, explained = (json.loads(line) for line in done.out.splitlines())
    assert len(every["hits"]) >= len(logs["hits"]) > 0
    assert none["hits"] == []
    assert "parts" in explained["hits"][0]


@pytest.mark.parametrize(
    "line",
    [
        *("nonsense", "[1]", '{"id": 1}', '{"query": "x", "k": "many"}', '{"query": "x", "k": 0}'),
        *('{"query": "x", "kind": "log"}', '{"query": "x", "filters": {"kind": "dragon"}}'),
        *('{"query": "x", "k": "2"}', '{"query": "x", "filters": "log"}', '{"query": "x", "limit": 2}'),
    ],
)
def test_a_wrong_line_of_a_batch_is_told_and_the_others_are_answered(
    run: Run, tmp_path: Path, line: str
) -> None:
    run("reindex", "--no-vectors")
    batch = tmp_path / "questions.jsonl"
    batch.write_text(f'{line}\n{{"id": "b", "query": "tea"}}\n')
    result = run("search", "--batch", str(batch), "--mode", "lexical")
    assert result.code == 1
    wrong, right = map(json.loads, result.out.splitlines())
    assert (wrong["id"], wrong["error"]["code"]) == (1, "usage")
    assert (right["id"], list(right)) == ("b", ["id", *ANSWER])


def test_a_question_or_a_batch_but_not_both(run: Run, tmp_path: Path) -> None:
    (tmp_path / "batch").write_text("")
    assert run("search").code == 2
    assert run("search", "x", "--batch", str(tmp_path / "batch")).code == 2
    assert run("search", "--batch", str(tmp_path / "nowhere")).code == 2


def test_kinds_and_days_are_filters(run: Run, sandbox: Sandbox) -> None:
    sandbox.write("memory/2026-03-20.md", "- The staging port moved to Atlas\n")
    run("reindex", "--no-vectors")
    words = ("staging port Atlas release", "--mode", "lexical")

    def kinds(*arguments: str) -> set[tuple[str, str | None]]:
        hits = run("search", *words, *arguments, "--json").json["hits"]
        return {(hit["kind"], hit["date"]) for hit in hits}

    assert {kind for kind, _ in kinds()} == {"memory", "log", "episode"}
    assert {kind for kind, _ in kinds("--kind", "memory")} == {"memory"}
    assert {kind for kind, _ in kinds("--kind", "memory", "--kind", "episode")} == {"memory", "episode"}
    assert kinds("--kind", "log", "--since", "2026-03-15") == {("log", "2026-03-20")}
    assert kinds("--kind", "log", "--until", "2026-03-15") == {("log", "2026-03-14")}
    assert kinds("--since", "2026-03-14", "--until", "2026-03-14", "--kind", "log") == {("log", "2026-03-14")}
    assert kinds("--since", "2027-01-01") == set()


@pytest.mark.parametrize(
    "wrong",
    [
        *(("--kind", "dragon"), ("--since", "soon"), ("--until", "2026-13-01"), ("--mode", "magic")),
        *(("-k", "0"), ("-k", "1001"), ("-k", "ten")),
    ],
)
def test_wrong_options_are_wrong_usage(run: Run, wrong: tuple[str, str]) -> None:
    result = run("search", "x", *wrong, "--json")
    assert result.code == 2
    assert result.json["error"]["code"] == "usage"


def test_k_is_the_most_that_is_shown(run: Run) -> None:
    run("reindex", "--no-vectors")
    assert len(found(run, "same words", "-k", "1", "--mode", "lexical")) == 1


def test_explain_says_how_each_score_came_about(run: Run) -> None:
    run("reindex", "--no-vectors")
    hit = run("search", "staging port", "--mode", "lexical", "--explain", "--json").json["hits"][0]
    assert list(hit) == [*HIT, "explanation", "parts"]
    assert "port" in hit["explanation"]
    shown = run("search", "staging port", "--mode", "lexical", "--explain").out
    assert hit["explanation"].splitlines()[0] in shown


@pytest.mark.promise(
    "The index",
    "any text as a query: control characters, lone surrogates, 100 KB, patterns, thousands of filters",
)
@pytest.mark.parametrize("text", GARBAGE)
def test_no_text_is_an_error(run: Run, text: str) -> None:
    run("reindex", "--no-vectors")
    for mode in ("lexical", "hybrid"):
        result = run("search", "--mode", mode, "--json", "--", text)
        assert result.code == 0
        assert list(result.json) == ANSWER
        assert run("search", "--mode", mode, "--", text).code == 0


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_a_workspace_never_indexed_is_indexed_by_keywords_and_answers(run: Run, mode: str) -> None:
    result = run("search", "staging port", "--mode", mode)
    assert result.code == 0
    assert "The staging port is 8443" in result.out
    assert "indexed by keywords now; `workbench reindex` adds semantic search" in result.err
    again = run("search", "staging port", "--mode", mode, "--json")
    assert again.json["hits"][0]["snippet"] == "The staging port is 8443"
    assert "indexed by keywords" not in again.err


def test_what_an_agent_is_given_from_a_workspace_never_indexed(run: Run) -> None:
    found = run("context", "which staging port do we use?")
    assert found.code == 0
    assert "The staging port is 8443" in found.out
    assert "indexed by keywords" in found.err


def test_a_read_only_search_says_that_the_index_is_missing(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    result = run("search", "tea")
    assert result.code == 1
    assert "there is no index yet, and read-only mode does not build one" in result.err
    assert "run `workbench reindex` where WORKBENCH_READ_ONLY is not set" in result.err
    assert run("search", "tea", "--json").json["error"]["code"] == "index-unavailable"
    assert not (sandbox.root / ".workbench").exists()


def made_by_another_version(sandbox: Sandbox) -> None:
    (manifest,) = sandbox.root.glob(".workbench/index/gen-*/manifest.json")
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(told | {"words": f"schema 1;{told['words'].partition(';')[2]}"}))


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_an_index_of_another_version_is_built_anew_by_keywords_and_answers(
    run: Run, sandbox: Sandbox, mode: str
) -> None:
    run("reindex")
    made_by_another_version(sandbox)
    result = run("search", "staging port", "--mode", mode)
    assert result.code == 0
    assert "The staging port is 8443" in result.out
    assert "there was no index of this version yet: indexed by keywords" in result.err
    assert "indexed by keywords" not in run("search", "staging port", "--mode", mode).err


def test_what_read_only_mode_says_of_an_index_of_another_version_can_be_done(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("reindex")
    made_by_another_version(sandbox)
    monkeypatch.setenv("WORKBENCH_READ_ONLY", "1")
    result = run("search", "tea")
    assert result.code == 1
    said = "another version of the program created the index, and read-only mode does not build one"
    assert said in result.err
    assert "run `workbench reindex` where WORKBENCH_READ_ONLY is not set" in result.err


def test_a_search_while_the_first_index_is_built_says_who_builds_it(run: Run, sandbox: Sandbox) -> None:
    with hold(sandbox.workspace.state_dir() / "index.lock", "reindex"):
        result = run("search", "tea")
    assert result.code == 1
    assert "there is no index yet: it is being built" in result.err
    assert "search again when it has finished" in result.err


@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_without_a_model_words_answer_and_say_so(run: Run, mode: str) -> None:
    assert "keyword search only: embedding is turned off" in run("reindex").err
    result = run("search", "staging port", "--mode", mode)
    assert result.err == "degraded: embedding is turned off: keyword search only\n"
    answer = run("search", "staging port", "--mode", mode, "--json").json
    assert (answer["mode"], answer["degraded"]) == (
        "lexical",
        "embedding is turned off: keyword search only",
    )
    assert answer["hits"][0]["snippet"] == "The staging port is 8443"


def test_a_missing_model_is_said_with_the_way_to_it(run: Run, person: Path) -> None:
    (person / "settings.yaml").write_text("model: owner/nowhere\n")
    assert run("reindex").code == 0
    assert "owner/nowhere is not on this machine" in run("search", "tea").err
    shown = run("model", "show")
    assert (shown.code, shown.out) == (0, "none: owner/nowhere is not on this machine\n")
    assert "workbench model download owner/nowhere" in shown.err


@pytest.mark.usefixtures("tiny_model")
def test_words_and_meaning_together(run: Run, sandbox: Sandbox) -> None:
    report = run("reindex", "--json").json
    assert report["vectors"] is None
    assert report["embedded"] > 0
    assert run("model", "show", "--json").json["form"] == "prepared"
    before = {}
    for mode in ("hybrid", "vector", "lexical"):
        answer = run("search", "staging port", "--mode", mode, "--json").json
        assert (answer["mode"], answer["degraded"], answer["stale"]) == (mode, None, False)
        assert answer["hits"]
        before[mode] = comparable(answer)
    assert before["hybrid"]["hits"][0]["scores"]["vector"] > 0
    explained = run("search", "staging port", "--explain", "--json").json["hits"][0]
    assert "cosine" in explained["explanation"]
    sandbox.write("memory/2026-03-21.md", "- The zeppelin is late\n")
    run("reindex", "--no-vectors")
    assert "1 entry has no vector yet" in run("search", "zeppelin").err
    (sandbox.root / "memory/2026-03-21.md").unlink()
    run("reindex")
    shutil.rmtree(sandbox.root / ".workbench")
    assert run("reindex", "--json").json["generation"] == "gen-1"
    for mode, expected in before.items():
        again = run("search", "staging port", "--mode", mode, "--json").json
        assert comparable(again) == expected


def test_answers_are_the_same_after_the_index_is_deleted(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    asked = [("search", text, "--mode", "lexical", "--json") for text in ("staging port", "Sarah", "tea")]
    before = [comparable(run(*question).json) for question in asked]
    shutil.rmtree(sandbox.root / ".workbench")
    assert run("reindex", "--no-vectors").code == 0
    assert [comparable(run(*question).json) for question in asked] == before


def test_what_changed_since_is_said(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    sandbox.write(LOG, b"new first line\n\n" + sandbox.read(LOG))
    with hold(sandbox.workspace.state_dir() / "index.lock", "reindex"):
        result = run("search", "staging port", "--mode", "lexical")
    assert "L8" in result.out
    assert result.err.startswith("stale: ")
    again = run("search", "first line", "--mode", "lexical")
    assert (again.err, "new first line" in again.out) == ("", True)


def test_a_dry_run_makes_nothing(run: Run, sandbox: Sandbox) -> None:
    result = run("reindex", "--dry-run")
    assert result.code == 0
    assert "3 would be added" in result.out
    assert not (sandbox.root / ".workbench").exists()
    assert run("reindex", "--dry-run", "--json").json["dry_run"] is True


def test_a_second_reindex_is_busy(run: Run, sandbox: Sandbox) -> None:
    from workbench.workspace.locks import hold

    with hold(sandbox.workspace.state_dir() / "index.lock", "another reindex"):
        result = run("reindex", "--no-vectors", "--json")
    assert result.code == 3
    assert "another reindex" in result.json["error"]["message"]


def test_control_characters_of_a_hit_never_reach_the_terminal(run: Run, sandbox: Sandbox) -> None:
    evil = "evil \x1b]52;c;aGk=\x07 \x9b31m \u202e \u200b [/red] \x00 end"
    sandbox.write(f"memory/2026-03-22-{chr(0x1B)}[2J.md", f"# \x1b]0;t\x07 evil heading\n\n- {evil}\n")
    run("reindex", "--no-vectors")
    for arguments in ((), ("--json",), ("--explain",), ("--explain", "--json")):
        result = run("search", "evil \x1b[31m", "--mode", "lexical", *arguments)
        assert result.code == 0
        assert "evil" in result.out
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u200b", "\x00"} & set(result.out + result.err)


@pytest.fixture
def read_only(sandbox: Sandbox) -> Iterator[None]:
    """The workspace on a disk that refuses every write; for whoever may not mount, by permissions."""
    if not os.geteuid():
        bind = ["mount", "--bind", str(sandbox.root), str(sandbox.root)]
        if subprocess.run(bind, capture_output=True, check=False).returncode:
            pytest.skip("neither mounting nor permissions can make a read-only disk here")
        subprocess.run(["mount", "-o", "remount,bind,ro", str(sandbox.root)], check=True)
        yield
        subprocess.run(["umount", "--lazy", str(sandbox.root)], check=True)
        return
    paths = [sandbox.root, *sandbox.root.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    yield
    for path, mode in modes.items():
        path.chmod(mode)


@pytest.fixture
def indexed(run: Run) -> None:
    run("reindex", "--no-vectors")


@pytest.mark.usefixtures("indexed", "read_only")
def test_a_read_only_disk_is_searched_and_not_written(run: Run) -> None:
    for mode in ("hybrid", "lexical"):
        answer = run("search", "staging port", "--mode", mode, "--json").json
        assert answer["hits"][0]["snippet"] == "The staging port is 8443"
        assert answer["stale"] is False
    assert run("status", "--json").json["index"]["state"] == "fresh"
    refused = run("reindex", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "read-only"
    assert "Traceback" not in run("reindex").err
    assert run("reindex", "--dry-run").code == 0


def test_filters_are_options_and_say_what_they_say_in_the_query(run: Run, sandbox: Sandbox) -> None:
    sandbox.write(
        "graph/person/sarah.md",
        "- [decision] Moved the port <!-- wb: src=memory/2026-03-14.md#L6 trust=owner pinned=2026-03-20 -->\n"
        "- [todo] Send the port list <!-- wb: user=sam -->\n",
    )
    run("reindex", "--no-vectors")
    same = {
        ("--type", "decision"): "type:decision",
        ("--from", "2026-03-14"): "from:2026-03-14",
        ("--path", "graph/*"): "path:graph/*",
        ("--trust", "owner"): "trust:owner",
        ("--pinned",): "pinned:yes",
        ("--not-pinned", "--kind", "entity"): "pinned:no kind:entity",
        ("--user", "sam"): "user:sam",
        ("--since", "2026-03", "--until", "2026-03-14"): "since:2026-03 until:2026-03-14",
    }
    for options, said in same.items():
        by_option = found(run, *options, "--mode", "lexical")
        assert by_option
        assert by_option == found(run, said, "--mode", "lexical")
        assert set(found(run, "port", *options, "--mode", "lexical")) <= set(by_option)


def test_notes_are_told_in_both_forms(run: Run) -> None:
    run("reindex", "--no-vectors")
    said = run("search", "stagign kind:dragon", "--mode", "lexical")
    assert "nothing has “stagign”; searched for “staging” instead" in said.err
    assert "kind:dragon is unknown" in said.err
    notes = run("search", "stagign", "--mode", "lexical", "--json").json["notes"]
    assert notes == ["nothing has “stagign”; searched for “staging” instead"]


def test_plain_text_is_words_whatever_it_looks_like(run: Run) -> None:
    run("reindex", "--no-vectors")
    answer = run("search", 'kind:entity "port staging"', "--plain", "--mode", "lexical", "--json").json
    assert "The staging port is 8443" in [hit["snippet"] for hit in answer["hits"]]
    assert answer["notes"] == []


def test_the_past_can_be_named_in_the_query(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    sandbox.write("memory/2026-03-20.md", "- The staging port moved to Atlas\n")
    run("reindex", "--no-vectors")
    today = run("search", "Atlas staging", "--mode", "lexical", "--json").json
    head = sandbox.git("rev-parse", "HEAD").strip()
    past = run("search", f"Atlas staging as-of:{head[:12]}", "--mode", "lexical", "--json").json
    assert "moved to Atlas" in today["hits"][0]["snippet"]
    assert not any("moved to Atlas" in hit["snippet"] for hit in past["hits"])
    assert not any("as-of" in note for note in past["notes"])


def test_the_option_wins_over_the_moment_in_the_query(run: Run, sandbox: Sandbox) -> None:
    head = sandbox.git("rev-parse", "HEAD").strip()
    answer = run("search", "port as-of:nonsense", "--as-of", head, "--mode", "lexical", "--json").json
    assert answer["notes"] == ["as-of:nonsense in the query was ignored: --as-of takes precedence"]


@pytest.mark.promise(
    "The index",
    "a query names a moment that never existed",
    "today's memory is searched, with a note",
)
def test_a_moment_that_there_never_was_is_no_error_in_a_query(run: Run) -> None:
    run("reindex", "--no-vectors")
    result = run("search", "port as-of:nonsense", "--mode", "lexical", "--json")
    assert result.code == 0
    assert "ignored" in result.json["notes"][0]
    assert run("search", "port", "--as-of", "nonsense", "--mode", "lexical").code != 0


def test_the_language_is_told_with_the_help(run: Run) -> None:
    said = run("search", "--help").out
    for sign in (
        '"deploy key"',
        "-staging",
        *(f"{name}:" for name in ("kind", "since", "until", "type", "from")),
    ):
        assert sign in said
    for name in ("path", "trust", "pinned", "user", "as-of"):
        assert f"{name}:" in said


def test_weights_are_chosen_by_preset_by_name_and_by_line_of_a_batch(run: Run, tmp_path: Path) -> None:
    run("reindex", "--no-vectors")
    asked = ["search", "staging port", "--mode", "lexical", "--json", "--explain"]
    assert run(*asked).json["weights"]["vector"] == 0.7
    said = run(*asked, "--preset", "openclaw", "--weight", "recency=on", "--weight", "log=0.5").json
    assert (said["weights"]["vector"], said["weights"]["recency"], said["weights"]["log"]) == (0.7, 1.0, 0.5)
    hit = said["hits"][0]
    assert {part["name"] for part in hit["parts"]} >= {"keyword", "recency", "boost"}
    times = math.prod(part["contribution"] for part in hit["parts"] if part["how"] == "times")
    added = sum(part["contribution"] for part in hit["parts"] if part["how"] == "plus")
    assert added * times == pytest.approx(hit["score"], abs=1e-4)
    batch = tmp_path / "questions.jsonl"
    batch.write_text('{"query": "staging port"}\n{"query": "staging port", "weights": {"log": 0.25}}\n')
    done = run("search", "--batch", str(batch), "--mode", "lexical", "--json")
    plain, less = (json.loads(line)["hits"][0] for line in done.out.splitlines())
    assert less["score"] == pytest.approx(plain["score"] / 4, abs=1e-5)
    batch.write_text('{"query": "staging port", "weights": {"magic": 1}}\n')
    refused = run("search", "--batch", str(batch), "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "usage")
    assert refused.json["id"] == 1


@pytest.mark.usefixtures("tiny_model")
@pytest.mark.parametrize("preset", ["openclaw", "goclaw"])
def test_a_preset_of_another_system_adds_the_cosine_as_it_is(run: Run, preset: str) -> None:
    run("reindex")
    hits = run("search", "staging port", "--preset", preset, "--explain", "--json").json["hits"]
    measured = 0
    for hit in hits:
        if cosine := re.search(r"cosine (-?[0-9.]+)", hit["explanation"]):
            measured += 1
            raw = max(0.0, float(cosine[1]))
            assert hit["score"] == pytest.approx(0.7 * raw + 0.3 * hit["scores"]["lexical"], abs=1e-3)
    assert measured


@pytest.mark.promise("The index", "invalid weights in a request, a batch or an option")
@pytest.mark.parametrize("weight", ["recency", "magic=1", "recency=much", "recency=2", "=1", "dream=-1"])
def test_a_senseless_weight_is_refused_by_name(run: Run, weight: str) -> None:
    run("reindex", "--no-vectors")
    refused = run("search", "port", "--weight", weight, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "usage")


@pytest.mark.parametrize("preset", PRESETS)
def test_all_presets_can_be_chosen(run: Run, preset: str) -> None:
    run("reindex", "--no-vectors")
    assert run("search", "port", "--preset", preset).code == 0


@pytest.mark.parametrize(("former", "now"), FORMER_PRESETS.items())
def test_presets_are_known_by_their_former_names_too(run: Run, tmp_path: Path, former: str, now: str) -> None:
    run("reindex", "--no-vectors")
    chosen = run("search", "port", "--preset", now, "--explain", "--json").json["weights"]
    assert run("search", "port", "--preset", former, "--explain", "--json").json["weights"] == chosen
    batch = tmp_path / "questions.jsonl"
    batch.write_text(json.dumps({"query": "port", "weights": former}))
    assert run("search", "--batch", str(batch), "--explain", "--json").json["weights"] == chosen
    assert run("config", "set", "search_preset", former).code == 0
    assert run("search", "port", "--explain", "--json").json["weights"] == chosen


@pytest.mark.parametrize(("name", "mode"), MODES.items())
def test_modes_are_known_by_the_names_that_agents_use_too(
    run: Run, tmp_path: Path, name: str, mode: str
) -> None:
    run("reindex", "--no-vectors")

    def known(*asked: str) -> list[object]:
        """In which mode it was searched, and what was missing for another one."""
        answer = run("search", *asked, "--json").json
        return [answer["mode"], answer["degraded"], len(answer["hits"])]

    expected = known("port", "--mode", mode)
    assert known("port", "--mode", name) == expected
    batch = tmp_path / "questions.jsonl"
    batch.write_text(json.dumps({"query": "port", "mode": name}))
    assert known("--batch", str(batch)) == expected


@pytest.mark.promise("The index", "the answer is stale, degraded, empty or failed")
def test_an_answer_says_in_one_word_how_far_it_can_be_trusted(run: Run, sandbox: Sandbox) -> None:
    run("reindex", "--no-vectors")
    asked = ["search", "staging port", "--json"]
    assert run(*asked, "--mode", "lexical").json["state"] == "ok"
    assert run("search", "zzzz", "--mode", "lexical", "--json").json["state"] == "empty"
    assert run(*asked).json["state"] == "degraded"
    (sandbox.root / "memory/2026-03-19.md").write_text("# 2026-03-19\n\n- The zeppelin port\n")
    with hold(sandbox.workspace.state_dir() / "index.lock", "reindex"):
        stale = run(*asked, "--mode", "lexical").json
    assert (stale["state"], stale["stale"]) == (
        "stale",
        "the index is behind the files: 1 added; there are no vectors yet; run `workbench reindex`",
    )


PENICILLIN = """# Health

- The waiting room was full
- The form took an hour
- She is allergic to penicillin
- The doctor was friendly <!-- wb: pinned=2026-03-20 -->
- The next visit is in May
"""


@pytest.mark.parametrize("k", ["10", "1"])
def test_a_neighbour_of_a_match_says_so_and_stands_below_it(run: Run, sandbox: Sandbox, k: str) -> None:
    sandbox.write("memory/2026-03-20.md", PENICILLIN)
    run("reindex", "--no-vectors")
    asked = ("search", "penicillin", "--weight", "pin=5", "-k", k, "--explain")
    first, *others = run(*asked, "--json").json["hits"]
    assert first["snippet"] == "She is allergic to penicillin"
    assert "neighbour" not in first
    assert "BM25" in first["explanation"]
    assert len(others) == (4 if k == "10" else 0)
    for hit in others:
        assert hit["neighbour"] is True
        assert "neighbour of a match" in hit["explanation"]
        assert "BM25" not in hit["explanation"]
    for shown in (run(*asked[:-1]).out, run(*asked).out):
        assert shown.count("neighbour of a match") == len(others)
    assert shown.count("BM25") == 1


def test_fetching_a_model_without_the_library_for_it_says_what_to_install(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "huggingface_hub" else find(name)
    )
    done = run("model", "download", "--yes")
    assert (done.code, done.out) == (1, "")
    assert "huggingface_hub, which fetches models, is not installed" in done.err
    assert "install the extra `model`" in done.err


def test_only_relevant_hits_are_given_where_they_are_asked_for(run: Run) -> None:
    run("reindex")
    assert len(found(run, "staging port")) > 1
    assert found(run, "staging port", "--relevant") == ["The staging port is 8443"]
    assert found(run, "kind:log", "--relevant") == found(run, "kind:log") != []


def test_where_no_hit_is_relevant_it_is_said_how_many_are_left_out(run: Run) -> None:
    run("reindex")
    asked = ("search", "staging zebra quagga okapi heron egret")
    count = len(run(*asked, "--json").json["hits"])
    result = run(*asked, "--relevant")
    assert result.out == ""
    assert f"no relevant entry was found; {count} less relevant hits are left out" in result.err
    assert "nothing was found" not in result.err


@pytest.mark.usefixtures("tiny_model")
def test_on_a_terminal_keyword_hits_stand_in_the_place_of_the_answer_until_it_comes(run: Run) -> None:
    assert run("reindex").code == 0
    start = "keyword hits, while semantic search starts:"
    after = shown_on_a_terminal("search", "port").partition(start)[2]
    preview, wipe, answer = re.split(r"\x1b\[(\d+)A\x1b\[J", after)
    assert int(wipe) == preview.count("\n") > 1
    assert " 1. " in preview
    assert re.search(r" 1\. memory/\S+#\w+  L\d+", answer)
    assert "keyword hits" not in shown_on_a_terminal("search", "port", "--json")
    assert "keyword hits" not in shown_on_a_terminal("search", "port", "--mode", "lexical")
    assert "keyword hits" not in (piped := run("search", "port")).out + piped.err
    for without in ("kind:memory", "zzzz"):
        assert "keyword hits" not in shown_on_a_terminal("search", without)
    dumb = shown_on_a_terminal("search", "port", term="dumb")
    assert " 1. memory/" in dumb
    assert "keyword hits" not in dumb


def test_on_a_terminal_no_keyword_hits_are_shown_before_those_of_an_index_without_vectors(run: Run) -> None:
    assert run("reindex", "--no-vectors").code == 0
    shown = shown_on_a_terminal("search", "port")
    assert " 1. memory/" in shown
    assert "keyword hits" not in shown


def shown_on_a_terminal(*arguments: str, term: str = "xterm") -> str:
    """What a command writes on a terminal of 80 x 24."""
    ours, theirs = pty.openpty()
    start = [sys.executable, "-c", "from workbench.cli import main; main()", *arguments]
    env = {**os.environ, "TERM": term, "COLUMNS": "80", "LINES": "24"}
    with subprocess.Popen(start, stdin=theirs, stdout=theirs, stderr=theirs, env=env):
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError), open(ours, "rb", closefd=True, buffering=0) as terminal:
            while part := terminal.read(65_536):
                said += part
    return said.decode().replace("\r\n", "\n")


def test_an_empty_query_is_answered_as_none(run: Run) -> None:
    answers = [run("search", *words) for words in ((), ("",), (" ",))]
    assert {(one.code, one.err) for one in answers} == {(2, answers[0].err)}
    assert "no query was given" in answers[0].err
