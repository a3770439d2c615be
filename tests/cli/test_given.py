"""What an agent is given, from the command line: inject, bulletin, agents."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from indexing.sync.run import reindex
from tests.cli.conftest import Run
from tests.support.workspaces import Sandbox

ASK = "which staging port was planned with Sarah?"


@pytest.fixture
def indexed(sandbox: Sandbox) -> Sandbox:
    """The sandbox with an index by words."""
    reindex(sandbox.workspace, vectors=False)
    return sandbox


def hear(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put ``text`` on stdin."""
    stdin = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)


def recalls(sandbox: Sandbox) -> list[Any]:
    return list(sandbox.workspace.ledger.read("recalls"))


def test_inject_prints_what_the_agent_reads_and_says_why_beside_it(run: Run, indexed: Sandbox) -> None:
    found = run("context", ASK)
    assert found.code == 0
    assert "The staging port is 8443" in found.out
    assert found.out.startswith("<memory-")
    assert "trust agent" in found.err
    assert "top score" in found.err
    assert recalls(indexed) == []


def test_inject_as_json_has_scores_costs_and_what_was_left_out(run: Run, indexed: Sandbox) -> None:
    found = run("context", ASK, "--json").json
    assert found["match_count"] >= len(found["lines"]) >= 1
    assert found["tokens"] > 0
    assert found["lines"][0]["why"]
    assert found["recorded"] is False


def test_inject_says_why_nothing_is_looked_up(run: Run) -> None:
    found = run("context", "thanks!")
    assert (found.code, found.out) == (0, "")
    assert "nothing was searched: the message has no meaningful word" in found.err


def test_inject_records_only_when_it_is_told_to(run: Run, indexed: Sandbox) -> None:
    assert run("context", ASK, "--record", "--user", "sam", "--session", "s9", "--json").json["recorded"]
    record = recalls(indexed)[0]
    assert (record["by"], record["user"], record["session"]) == ("inject", "sam", "s9")


def test_inject_indexes_a_workspace_never_indexed(run: Run) -> None:
    result = run("context", "which staging port do we use?")
    assert result.code == 0
    assert "indexed by keywords" in result.err
    assert run("context").code == 2


def test_a_message_may_come_from_stdin(run: Run, indexed: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    hear(monkeypatch, ASK)
    assert "8443" in run("context", "-").out


def test_a_hook_gets_the_text_alone_and_its_session_is_recorded(
    run: Run, indexed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear(monkeypatch, json.dumps({"session_id": "abc", "hook_event_name": "UserPromptSubmit", "prompt": ASK}))
    found = run("context", "--hook", "--record")
    assert found.code == 0
    assert found.out.startswith("<memory-")
    assert found.out.rstrip().endswith(">")
    assert recalls(indexed)[0]["session"] == "abc"


@pytest.mark.promise(
    "Agents",
    "a hook gets invalid input, or there is no workspace",
    "the prompt is never blocked",
)
@pytest.mark.parametrize("said", ["", "not json", "[]", "{}", '{"prompt": 7}', "[" * 100_000, "\udcff"])
def test_a_hook_never_keeps_a_message_from_the_agent(
    run: Run, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    hear(monkeypatch, said)
    found = run("context", "--hook", "--record")
    assert (found.code, found.out) == (0, "")
    assert found.err


def test_a_hook_makes_a_missing_index_and_without_a_workspace_fails_no_message(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hear(monkeypatch, json.dumps({"prompt": ASK}))
    found = run("context", "--hook")
    assert found.code == 0
    assert "8443" in found.out
    assert "indexed by keywords" in found.err
    monkeypatch.chdir(tmp_path)
    hear(monkeypatch, json.dumps({"prompt": ASK}))
    assert run("context", "--hook").code == 0


def test_inject_with_memory_gives_what_the_agent_does_not_load(run: Run, indexed: Sandbox) -> None:
    message = "what is the project called: Atlas?"
    assert run("context", message, "--json").json["lines"] == []
    (line,) = run("context", message, "--with-memory", "--json").json["lines"]
    assert line["path"] == "MEMORY.md"


def test_bulletins_as_text_and_as_json(run: Run, sandbox: Sandbox) -> None:
    page = (
        "---\nid: e1\nname: Atlas\ntype: project\n---\n"
        "- [decision] Use tantivy <!-- wb: id=d1 trust=owner -->\n"
        "- [todo] Send the contract <!-- wb: id=t1 trust=owner -->\n"
    )
    sandbox.write("graph/project/atlas.md", page)
    memory = run("context", "--bulletin")
    assert "## Decisions\n- Atlas: Use tantivy" in memory.out
    assert "1 lines" in memory.err or "1 line" in memory.err
    context = run("context", "--bulletin", "context", "--json").json
    assert context["bulletin"] == "context"
    assert [line["text"] for section in context["sections"] for line in section["lines"]] == [
        "Send the contract"
    ]
    assert run("context", "--bulletin", "nonsense").code == 2


@pytest.mark.parametrize("name", ["", "a b", "x" * 61, "\x1b[2J", "a\nb"])
def test_a_name_that_is_none_serves_nobody(run: Run, name: str) -> None:
    assert run("mcp", "--name", name).code == 2


def test_connect_prints_how_to_add_the_memory(run: Run, sandbox: Sandbox) -> None:
    every = run("connect").out
    added = next(line for line in every.splitlines() if line.startswith("claude mcp add"))
    command, *args = shlex.split(added.partition(" -- ")[2])
    assert args == ["-w", str(sandbox.root), "mcp", "--name", "claude-code"]
    assert Path(command).is_absolute()
    assert os.access(command, os.X_OK)  # an agent that knows nothing of this shell's PATH finds it
    server = json.loads(run("connect", "mcp.json").out)["mcpServers"]["memory"]
    assert server == {"command": command, "args": ["-w", str(sandbox.root), "mcp"]}
    words = shlex.split(run("connect", "openclaw").out)
    assert words[:4] == ["openclaw", "mcp", "set", "memory"]
    assert json.loads(words[4])["command"] == command
    assert json.loads(words[4])["args"][-2:] == ["--name", "openclaw"]
    hooks = run("connect", "claude-code").out
    settings = json.loads(hooks[hooks.index("{") :])
    begun = [hook["command"] for hook in settings["hooks"]["SessionStart"][0]["hooks"]]
    assert all(one.startswith(f"{shlex.quote(command)} -w ") for one in begun)
    assert [one.rpartition(" context ")[2] for one in begun] == [
        "--hook --with-memory --bulletin memory",
        "--hook --bulletin context",
    ]
    (compacting,) = settings["hooks"]["PreCompact"][0]["hooks"]
    assert compacting["command"] == f"{shlex.quote(command)} -w {shlex.quote(str(sandbox.root))} flush --hook"
    assert settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"].endswith(
        "context --hook --with-memory --record"
    )


def test_hooks_for_a_memory_that_claude_code_loads_itself_leave_it_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".claude" / "projects" / "-home-you-atlas" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- [User](user.md) — who they are\n")
    done = run("-w", str(folder), "connect", "claude-code")
    command, _, hooks = done.out.partition("\n")
    assert shlex.split(command)[:4] == ["claude", "mcp", "add", "memory"]
    assert "UserPromptSubmit" in json.loads(hooks)["hooks"]  # what is copied stands by itself
    assert "--with-memory" not in done.out
    assert ".claude/settings.json" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("context", "--hook", "--no-such-option"),
        ("context", "--hook", "--bulletin", "memory"),
        ("context", "--hook"),
        ("flush", "--hook"),
    ],
)
def test_no_hook_blocks_an_agent(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    sandbox.write("workbench.yaml", "exclude: {\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    done = run(*words)
    assert (done.code, done.out) == (0, "")
    assert done.err
    assert run("-w", str(sandbox.root / "gone"), *words).code == 0


def test_a_bulletin_without_a_graph_says_what_fills_it(run: Run) -> None:
    assert "`workbench ingest` fills it" in run("context", "--bulletin").err


@pytest.mark.parametrize("name", ["codex", "gemini-cli", "hermes", "cursor", "vscode", "windsurf", "zed"])
def test_connect_prints_the_snippet_in_the_programs_own_format(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    root = sandbox.root.parent / 'my "agent" 🦉'
    sandbox.root.rename(root)
    monkeypatch.chdir(root)
    done = run("connect", name)
    readers: dict[str, Callable[[str], Any]] = {"codex": tomllib.loads, "hermes": yaml.safe_load}
    read = readers.get(name, json.loads)
    keys = {"codex": "mcp_servers", "hermes": "mcp_servers", "vscode": "servers", "zed": "context_servers"}
    server = read(done.out)[keys.get(name, "mcpServers")]["memory"]
    assert server["args"] == ["-w", str(root), "mcp", "--name", name]
    assert os.access(server["command"], os.X_OK)
    assert {"vscode": "stdio"}.get(name) == server.get("type")
    files = {
        "codex": ".codex/config.toml",
        "gemini-cli": "~/.gemini/settings.json",
        "hermes": "~/.hermes/config.yaml",
        "windsurf": "mcp_config.json",
        "zed": "settings.json",
    }
    assert files.get(name, "mcp.json") in done.err


def test_a_bulletin_begins_with_what_is_known_of_the_user(run: Run, sandbox: Sandbox) -> None:
    for name, mails, day in (("Ada", "short", "2026-01-02"), ("Bob", "long", "2026-03-02")):
        line = f"- [preference] Likes {mails} mails <!-- wb: id=p{day[6]} occurred_at={day} trust=owner -->\n"
        sandbox.write(
            f"graph/person/{name.lower()}.md", f"---\nid: e{name}\nname: {name}\ntype: person\n---\n{line}"
        )
    for user, first in (("ada", "short"), ("Bob", "long")):
        said = run("context", "--bulletin", "memory", "--user", user, "--json").json
        preferences = next(one for one in said["sections"] if one["title"] == "Preferences")
        assert preferences["lines"][0]["text"] == f"Likes {first} mails"
    unknown = run("context", "--bulletin", "memory", "--user", "Nobody")
    assert unknown.code == 0
    assert "no page of 'Nobody'" in unknown.err
