"""The memory of every agent, written after the document of its layout: opened, found, promoted, undone."""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.agent_memories import (
    BASIC_MEMORY,
    CLAUDE_CODE,
    CLAUDE_PROJECT,
    CODEX,
    EVERY,
    GEMINI_CLI,
    HERMES,
    LETTA,
    MEMORY_BANK,
    NANOBOT,
    OBSIDIAN,
    OPENCLAW,
    OPENHANDS,
    PLAIN,
    SERENA,
    AgentMemory,
    write_agent_memory,
)
from tests.support.workspaces import Sandbox
from workbench.memory.entry import Kind
from workbench.workspace.agent_layouts import LAYOUTS
from workbench.workspace.workspace import Workspace

PORT = "The staging port is 8443"
every = pytest.mark.parametrize("memory", EVERY, ids=lambda one: one.layout)
with_source = pytest.mark.parametrize(
    "memory", [one for one in EVERY if one.memory], ids=lambda one: one.layout
)


@pytest.fixture(autouse=True)
def no_model(person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")


def written(root: Path) -> dict[str, bytes]:
    """All files but those that only a program needs."""
    names = (path for path in root.rglob("*") if path.is_file())
    beside = (".git", ".workbench", "_system")
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in names
        if path.relative_to(root).parts[0] not in beside
    }


def address(root: Path, path: str, words: str) -> str:
    place = Workspace.open(root)
    try:
        return next(entry.address for entry in place.document(path).entries if words in entry.text)
    finally:
        place.close()


def test_every_layout_has_a_fixture() -> None:
    assert {one.layout for one in EVERY} == {one.name for one in LAYOUTS}
    assert all(one.document for one in LAYOUTS)


@every
def test_a_layout_is_recognised_and_each_file_is_what_it_is(
    run: Run, tmp_path: Path, memory: AgentMemory
) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    report = run("-w", str(root), "status", "--json").json
    assert report["layouts"][0]["name"] == memory.layout
    assert report["files"] == memory.kinds
    assert not memory.memory or report["budget"]["path"] == memory.memory
    assert report["warnings"] == []
    title = report["layouts"][0]["title"]
    assert re.search(rf"(?m)^layout +{re.escape(title)}\b", run("-w", str(root), "status").out)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


@every
def test_what_it_says_is_found(run: Run, tmp_path: Path, memory: AgentMemory) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    found = run("-w", str(root), "search", "staging port", "--json").json["hits"]
    assert any(PORT in hit["snippet"] for hit in found)
    assert not run("-w", str(root), "search", "quokka", "--json").json["hits"]


PLACES = {
    "claude-code": ".claude/projects/-home-you-atlas/memory",
    "codex": ".codex/memories",
    "letta": ".letta/agents/agent-1/memory",
}


@every
def test_what_the_agent_noted_is_given_with_a_message(run: Run, tmp_path: Path, memory: AgentMemory) -> None:
    root = write_agent_memory(memory, tmp_path / PLACES.get(memory.layout, "place"))
    given = run("-w", str(root), "context", "where does the staging port listen")
    assert (PORT in given.out) is (memory not in (BASIC_MEMORY, GEMINI_CLI, HERMES, PLAIN)), given.err


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("clip.md", "permalink: x"),
        ("system/x.md", "description: x"),
        ("note.md", "name: x\ndescription: x\ntype: project"),
    ],
)
def test_a_file_from_elsewhere_makes_no_note_the_agents_own(
    run: Run, tmp_path: Path, path: str, header: str
) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "place", repository=False)
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(f"---\n{header}\n---\n\n# X\n")
    (root / "Atlas.md").write_text("# Atlas\n\n- Bob said that the Zephyr gateway needs the unsafe flag\n")
    given = run("-w", str(root), "context", "which flag does the Zephyr gateway need")
    assert given.out == ""
    assert "it is of unknown origin" in given.err


@with_source
def test_a_line_is_quarantined_and_undone_to_the_last_byte(
    run: Run, tmp_path: Path, memory: AgentMemory
) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    before = written(root)
    done = run("-w", str(root), "quarantine", address(root, memory.source, PORT))
    assert done.code == 0, done.err
    assert PORT not in written(root)[memory.source].decode()
    assert PORT in run("-w", str(root), "quarantine", "--list").out
    assert run("-w", str(root), "undo").code == 0
    assert written(root) == before


def test_what_nanobot_has_git_ignore_is_archived_quarantined_and_accepted_all_the_same(
    run: Run, tmp_path: Path
) -> None:
    root = write_agent_memory(NANOBOT, tmp_path / "place", repository=False)
    (root / ".gitignore").write_text("/*\n!memory/\n!.gitignore\n")
    (root / f"memory/{date.today()}.md").write_text("- Decided: the staging port is 8443 from now on\n")
    write_agent_memory(AgentMemory("", {}, {}, "", ""), root)
    before = written(root)
    for action, path, words in (
        ("archive", "memory/MEMORY.md", "tea"),
        ("quarantine", "memory/ports.md", PORT),
    ):
        assert run("-w", str(root), action, address(root, path, words)).code == 0
    assert run("-w", str(root), "dream").code == 0
    key = run("-w", str(root), "inbox", "list", "--json").json[0]["key"]
    assert run("-w", str(root), "inbox", "accept", key).code == 0
    tracked = subprocess.check_output(["git", "-C", str(root), "ls-files", "_system"], text=True)
    assert [name.split("/")[1] for name in tracked.split()] == ["archive", "dreaming", "quarantine"]
    assert all(run("-w", str(root), "undo").code == 0 for _ in range(3))
    assert written(root) == before
    store = ("-w", str(root), "graph", "store", "--about", "Ana", "Ana lives in Lisbon")
    assert "add the line `!/graph` to .gitignore" in run(*store).err
    (root / ".gitignore").write_text("/*\n!memory/\n!.gitignore\n!/graph\n")
    assert run(*store).code == 0


def test_a_line_of_a_memory_bank_is_moved_to_a_new_file_of_it(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(MEMORY_BANK, tmp_path / "place")
    before = written(root)
    entry = address(root, "memory-bank/systemPatterns.md", "NATS")
    done = run("-w", str(root), "move", entry, "--to", "memory-bank/queues.md")
    assert done.code == 0, done.err
    assert "Uses NATS" in (root / "memory-bank/queues.md").read_text()
    assert run("-w", str(root), "undo").code == 0
    assert written(root) == before


@with_source
def test_a_line_is_promoted_and_undone_to_the_last_byte(
    run: Run, tmp_path: Path, memory: AgentMemory
) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    before = written(root)
    done = run("-w", str(root), "promote", address(root, memory.source, PORT))
    assert done.code == 0, done.err
    after = written(root)
    assert PORT in after[memory.memory].decode()
    assert {path for path in after if after[path] != before.get(path)} == {memory.memory}
    run("-w", str(root), "promote", address(root, memory.source, PORT))  # it is there already
    assert written(root) == after
    assert run("-w", str(root), "undo").code == 0
    assert written(root) == before


@every
def test_an_entry_is_edited_and_undone_to_the_last_byte(
    run: Run, tmp_path: Path, memory: AgentMemory
) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    path = memory.source
    before = written(root)
    done = run("-w", str(root), "edit", address(root, path, PORT), "--text", "The staging port is 9443")
    assert done.code == 0, done.err
    assert written(root) == before | {path: before[path].replace(b"port is 8443", b"port is 9443")} or (
        memory is BASIC_MEMORY
    )
    assert run("-w", str(root), "undo").code == 0
    assert written(root) == before


@pytest.mark.parametrize("memory", [BASIC_MEMORY, OBSIDIAN, PLAIN, SERENA], ids=lambda one: one.layout)
def test_where_no_agent_loads_a_file_promoting_says_what_to_do(
    run: Run, tmp_path: Path, memory: AgentMemory
) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    before = written(root)
    where = address(root, memory.source, PORT)
    for further in ((), ("--dry-run",)):
        refused = run("-w", str(root), "promote", where, *further)
        assert refused.code == 2
        assert "workbench init" in refused.err
    assert written(root) == before
    assert run("-w", str(root), "init", "--yes").code == 0
    assert run("-w", str(root), "promote", where).code == 0
    assert PORT in (root / "MEMORY.md").read_text()


def test_a_plain_folder_in_git_is_opened_from_anywhere_in_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_agent_memory(PLAIN, tmp_path / "place")
    monkeypatch.chdir(root / "cooking")
    assert run("status", "--json").json["workspace"] == str(root)
    monkeypatch.chdir(tmp_path)
    assert "no agent memory" in run("status").err


def test_the_layout_can_be_said_in_the_settings(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(PLAIN, tmp_path / "place")
    (root / "workbench.yaml").write_text("layout: [codex, obsidian]\n")
    report = run("-w", str(root), "status", "--json").json
    assert [one["name"] for one in report["layouts"]] == ["codex", "obsidian"]
    (root / "workbench.yaml").write_text("layout: obsidain\n")
    refused = run("-w", str(root), "promote", "x.md#123456")
    assert refused.code == 2
    assert "obsidain" in refused.err
    assert "obsidian" in refused.err


def test_several_layouts_hold_in_one_folder(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(OPENCLAW, tmp_path / "place", repository=False)
    write_agent_memory(CLAUDE_PROJECT, root, repository=False)
    write_agent_memory(OBSIDIAN, root)
    report = run("-w", str(root), "status", "--json").json
    assert [one["name"] for one in report["layouts"]] == ["openclaw", "claude-project", "obsidian"]
    assert report["budget"]["path"] == "MEMORY.md"
    place = Workspace.open(root)
    kinds: dict[str, Kind] = {file.path: file.kind for file in place.scan()}
    place.close()
    assert kinds["memory/2026-02-06-2012.md"] is Kind.EPISODE
    assert kinds["api/CLAUDE.md"] is Kind.BOOTSTRAP
    assert kinds["Daily/2026-02-05.md"] is Kind.LOG
    assert kinds["src/readme.md"] is Kind.NOTE


@pytest.mark.parametrize(
    ("files", "layouts", "loaded"),
    [
        ("CLAUDE.md memory/MEMORY.md memory/feedback_style.md", "claude-project", "memory/MEMORY.md"),
        ("CLAUDE.md api/CLAUDE.md", "claude-project", "CLAUDE.md"),
        (".claude/rules/style.md", "claude-project", "CLAUDE.md"),
        ("memory/MEMORY.md", "nanobot", "memory/MEMORY.md"),
        ("SOUL.md memory/MEMORY.md", "openclaw nanobot", "memory/MEMORY.md"),
        ("CLAUDE.md SOUL.md MEMORY.md memory/x.md", "openclaw claude-project", "MEMORY.md"),
        ("CLAUDE.md memory-bank/progress.md", "claude-project memory-bank", "CLAUDE.md"),
        ("memory_bank/a.md memory_bank/systemPatterns.md", "memory-bank", "memory_bank/systemPatterns.md"),
        ("replit.md src/README.md", "replit", "replit.md"),
        ("AGENTS.md .openhands/memory/MEMORY.md", "openhands", ".openhands/memory/MEMORY.md"),
        ("src/README.md .memory/MEMORY.md", "plain", ".memory/MEMORY.md"),
        ("CLAUDE.md .memory/MEMORY.md .memory/ports.md", "claude-project", ".memory/MEMORY.md"),
        (".kilocode/rules/memory-bank/tech.md", "memory-bank", ".kilocode/rules/memory-bank/tech.md"),
        ("memory/2026-03-14.md GEMINI.md", "openclaw gemini-cli", "MEMORY.md"),
        ("SOUL.md .claude/CLAUDE.md .claude/rules/a.md", "openclaw claude-project", "MEMORY.md"),
        ("SOUL.md replit.md", "openclaw replit", "MEMORY.md"),
        ("GEMINI.md CLAUDE.md", "gemini-cli claude-project", "GEMINI.md"),
    ],
)
def test_a_memory_folder_is_whose_it_is_by_what_stands_beside_it(
    run: Run, tmp_path: Path, files: str, layouts: str, loaded: str
) -> None:
    memory = AgentMemory("", dict.fromkeys(files.split(), "- Tea\n"), {}, "", "")
    report = run("-w", str(write_agent_memory(memory, tmp_path / "place")), "status", "--json").json
    assert [one["name"] for one in report["layouts"]] == layouts.split()
    assert report["budget"]["path"] == loaded


def test_the_inbox_says_which_proposals_a_full_memory_has_no_room_for(run: Run, tmp_path: Path) -> None:
    line = "- Rule: we always use Redis for the sessions, never anything else\n"
    files = {"SOUL.md": "- Calm\n", "memory/2026-03-14.md": line, "memories/MEMORY.md": "Tea\n§\nMint\n"}
    root = write_agent_memory(AgentMemory("", files, {}, "", ""), tmp_path / "place")
    run("-w", str(root), "dream")
    assert "memory is full" not in run("-w", str(root), "inbox", "list").err
    (root / "memories/MEMORY.md").write_text(f"Tea\n§\n{'Mint ' * 436}\n")
    said = run("-w", str(root), "inbox", "list").err
    assert "1 proposal cannot be accepted; the shortest needs 63 characters and 13 are free" in said


def test_what_is_promoted_makes_the_memory_of_the_agent_whose_log_it_is(run: Run, tmp_path: Path) -> None:
    files = dict.fromkeys(("memory/2026-03-14.md", "GEMINI.md", "workspace/MEMORY.md"), "- Likes green tea\n")
    root = write_agent_memory(AgentMemory("", files, {}, "", ""), tmp_path / "place")
    assert "workspace/MEMORY.md has: `-w " in run("-w", str(root), "status").out
    assert run("-w", str(root), "promote", "memory/2026-03-14.md:1").code == 0
    assert "Likes green tea" in (root / "MEMORY.md").read_text()
    assert (root / "GEMINI.md").read_text() == "- Likes green tea\n"
    assert "workspace/MEMORY.md has" not in run("-w", str(root), "status").out


@pytest.mark.parametrize("folder", [".claude/memory", ".memory", "memory"])
def test_logs_of_a_project_are_named_by_their_day_alone_but_for_folders_of_logs(
    tmp_path: Path, folder: str
) -> None:
    logs = ("2026-03-14.md", "logs/2026-03-14.md", "logs/2026-03-14-night.md", "daily/2026-03-14-night.md")
    names = (*logs, "2026-03-14-decision.md", "decisions/2026-03-14.md")
    files = dict.fromkeys(("CLAUDE.md", *(f"{folder}/{name}" for name in names)), "- Tea\n")
    place = Workspace.open(write_agent_memory(AgentMemory("", files, {}, "", ""), tmp_path / "place"))
    found = {file.path for file in place.scan() if file.kind is Kind.LOG}
    place.close()
    assert found == {f"{folder}/{name}" for name in logs}


@pytest.mark.parametrize(
    ("layout", "place"),
    [
        ("claude-code", ".claude/projects/-home-you-atlas/memory"),
        ("letta", ".letta/lc-local-backend/memfs/agent-1/memory"),
    ],
)
def test_an_agents_own_folder_is_known_by_where_it_is(
    run: Run, person: Path, layout: str, place: str
) -> None:
    root = person / place
    root.mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    assert run("-w", str(root), "status", "--json").json["layouts"][0]["name"] == layout
    assert place in run("workspaces", "--found").out


@pytest.mark.parametrize(
    "text",
    [
        "---\ntype: project\n---\nText.\n",
        "---\nname: x\n---\n\ndescription: y\ntype: project\n\n---\n",
        "---\nname: x\ndescription: y\ntype: project\n",
        "---\ndescription: y\ntype: projects\nname: x\n---\n",
        "---\ntitle: x\n---\npermalink: a/b\n---\n",
    ],
)
def test_a_page_is_no_sign_of_an_agent_for_a_word_of_its_header_or_text(
    run: Run, tmp_path: Path, text: str
) -> None:
    root = write_agent_memory(AgentMemory("", {"index.md": text}, {}, "", ""), tmp_path / "place")
    assert [one["name"] for one in run("-w", str(root), "status", "--json").json["layouts"]] == ["plain"]


def test_the_lines_of_a_header_may_stand_in_any_order_and_with_crlf(run: Run, tmp_path: Path) -> None:
    text = "---\r\nmetadata:\r\n  type: user\r\ndescription: y\r\nname: x\r\n---\r\nText.\r\n"
    root = write_agent_memory(AgentMemory("", {}, {}, "", ""), tmp_path / "place", repository=False)
    root.mkdir()
    (root / "who.md").write_bytes(text.encode())
    assert run("-w", str(root), "status", "--json").json["layouts"][0]["name"] == "claude-code"


def test_an_empty_folder_is_recognised_when_something_is_in_it(tmp_path: Path) -> None:
    place = Workspace.open(tmp_path)
    assert place.scan() == []
    write_agent_memory(CODEX, tmp_path, repository=False)
    assert {file.path for file in place.scan()} >= {"memory_summary.md", "raw_memories.md"}
    assert place.memory_path() == "memory_summary.md"
    place.close()


@pytest.mark.parametrize(
    "folder", [".claude", ".claude/plugins/tea", ".codex/memories/extensions", "basic-memory/a"]
)
def test_nothing_is_added_anywhere_below_an_agents_folder(run: Run, person: Path, folder: str) -> None:
    root = person / folder
    root.mkdir(parents=True)
    said = run("init", str(root), "--yes")
    assert "treats every file here as memory" in said.out
    assert not list(root.rglob("*.md"))


@pytest.mark.parametrize(
    ("memory", "text", "sentence"),
    [
        (OPENCLAW, "- " + "x" * 14_197 + "\n", "14,200 of 12,000 characters; the agent is not given 2,200"),
        (OPENCLAW, "---\npermalink: memory\n---\n- tea\n", "32 of 12,000 characters\n"),
        (CLAUDE_CODE, "- short\n" * 250, "250 of 200 lines; the agent is not given the last 50"),
        (CLAUDE_CODE, "- " + "x" * 29_997 + "\n", "30,000 of 25,000 bytes; the agent is not given the last"),
        (CODEX, "v1\n" + "x" * 23_997, "6,000 of 5,000 tokens; the agent is not given 1,000 from its middle"),
        (HERMES, "x" * 2_300 + "\n§\ny", "2,304 of 2,200 characters; the agent cannot add to it until"),
        (HERMES, "x\n§\ny", "5 of 2,200 characters\n"),
        (OPENHANDS, "- " + "x" * 6_997 + "\n", "7,000 of 6,000 characters; the agent is not given the first"),
    ],
)  # fmt: skip
def test_the_gauge_is_the_agents_own_limit(
    run: Run, tmp_path: Path, memory: AgentMemory, text: str, sentence: str
) -> None:
    root = write_agent_memory(memory, tmp_path / "place")
    (root / memory.memory).write_text(text, encoding="utf-8")
    assert f"{memory.memory} {sentence}" in run("-w", str(root), "status").out


def test_a_file_beyond_what_the_agent_loads_is_a_finding(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(CLAUDE_CODE, tmp_path / "place")
    assert "the agent is not given" not in run("-w", str(root), "check").out
    (root / "MEMORY.md").write_text("- short\n" * 250)
    assert "250 of 200 lines; the agent is not given the last 50" in run("-w", str(root), "check").out


def test_what_the_agent_keeps_in_comments_stays(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(OPENCLAW, tmp_path / "place")
    assert run("-w", str(root), "forget", address(root, "MEMORY.md", "Likes tea")).code == 0
    assert "<!-- trigger: tea -->" in (root / "MEMORY.md").read_text()


@pytest.mark.parametrize("beside", ["notes.md", "SOUL.md"])
@pytest.mark.parametrize("words", ["likes tea", "server runs", "Tests run"])
def test_hermes_entries_stand_apart_after_one_is_forgotten(
    run: Run, tmp_path: Path, words: str, beside: str
) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place")
    (root / beside).write_text("Be kind.\n")
    assert run("-w", str(root), "status", "--json").json["budget"]["limit"] == 2_200
    entries = HERMES.files["MEMORY.md"].split("\n§\n")
    assert run("-w", str(root), "forget", address(root, "MEMORY.md", words)).code == 0
    left = (root / "MEMORY.md").read_text(encoding="utf-8").split("\n§\n")
    assert left == [entry for entry in entries if words not in entry]
    assert run("-w", str(root), "undo").code == 0
    assert (root / "MEMORY.md").read_text(encoding="utf-8") == HERMES.files["MEMORY.md"]


@pytest.mark.parametrize("text", ["", "The user likes tea"])
def test_what_is_promoted_into_hermes_memory_is_an_entry_of_its_own(
    run: Run, tmp_path: Path, text: str
) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place")
    (root / "MEMORY.md").write_text(text)
    assert run("-w", str(root), "promote", address(root, HERMES.source, PORT)).code == 0
    *older, newest = (root / "MEMORY.md").read_text(encoding="utf-8").split("\n§\n")
    assert older == ([text] if text else [])
    assert newest.startswith(f"{PORT} <!-- wb:")


@pytest.mark.parametrize("new", ["The user likes tea\nwith milk", "The user likes coffee"])
def test_an_entry_of_hermes_that_grows_stays_one(run: Run, tmp_path: Path, new: str) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place")
    found = address(root, "MEMORY.md", "likes tea")
    assert run("-w", str(root), "edit", found, "--text", new).code == 0
    entries = HERMES.files["MEMORY.md"].split("\n§\n")
    assert (root / "MEMORY.md").read_text(encoding="utf-8").split("\n§\n") == [new, *entries[1:]]


def test_what_is_promoted_into_hermes_memory_stands_apart_from_the_same_words(
    run: Run, tmp_path: Path
) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place", repository=False)
    (root / "notes.md").write_text("- Tests run with make\n  The user likes tea\n", encoding="utf-8")
    write_agent_memory(AgentMemory("", {}, {}, "", ""), root)
    done = run("-w", str(root), "promote", address(root, "notes.md", "Tests run"))
    assert done.code == 0, done.err
    *older, newest = (root / "MEMORY.md").read_text(encoding="utf-8").split("\n§\n")
    assert "\n§\n".join(older) == HERMES.files["MEMORY.md"]
    assert newest.startswith("Tests run with make")


HEADED = "# 1 priority\nThe staging port is 8443\n\n- tests first"
FENCED = "Start it with\n```\n# as root\n\n- make run\n```"


@pytest.mark.parametrize("entry", [HEADED, FENCED, "The staging port is 8443\n# and no other"])
def test_an_entry_of_hermes_that_is_edited_keeps_its_form(run: Run, tmp_path: Path, entry: str) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place")
    text = f"Tea\n§\n{entry}\n§\nTea  \nblack  "
    (root / "MEMORY.md").write_text(text, encoding="utf-8")
    words = "staging port" if "staging" in entry else "make run"
    found = address(root, "MEMORY.md", words)
    place = Workspace.open(root)
    old = place.find(found).text
    place.close()
    new = old.replace("8443", "9443").replace("make run", "make start")
    done = run("-w", str(root), "edit", found, "--text", new)
    assert done.code == 0, done.err
    changed = text.replace("8443", "9443").replace("make run", "make start")
    assert (root / "MEMORY.md").read_text(encoding="utf-8") == changed
    done = run("-w", str(root), "promote", address(root, HERMES.source, PORT))
    assert done.code == 0, done.err
    *older, newest = (root / "MEMORY.md").read_text(encoding="utf-8").split("\n§\n")
    assert "\n§\n".join(older) == changed
    assert newest.startswith(f"{PORT} <!-- wb:")


def test_hermes_memory_takes_no_more_than_it_may_hold(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place")
    (root / "MEMORY.md").write_text("x" * 2_180)
    refused = run("-w", str(root), "promote", address(root, HERMES.source, PORT))
    assert refused.code == 2
    assert "of 2,200 characters" in refused.err
    assert (root / "MEMORY.md").read_text() == "x" * 2_180


@pytest.mark.parametrize(
    ("place", "config"),
    [
        (".", "model: x\nmemory:\n  memory_char_limit: 50000  # more\n  user_char_limit: 90\n"),
        ("memories", "memory:\n  memory_char_limit: 50000\n  user_char_limit: '90'\n"),
        ("memories", 'memory: {memory_char_limit: 50000, "user_char_limit": 90}\n'),
    ],
)
def test_hermes_configuration_says_how_long_its_memory_may_be(
    run: Run, tmp_path: Path, place: str, config: str
) -> None:
    files = {f"memories/{name}": text for name, text in HERMES.files.items()}
    files["config.yaml"] = config
    root = write_agent_memory(AgentMemory("", files, {}, "", ""), tmp_path / "copy")
    status = run("-w", str(root / place), "status", "--json").json
    assert [one["limit"] for one in status["loaded"]] == [50_000, 90]
    entry = address(root / place, "MEMORY.md" if place != "." else "memories/MEMORY.md", "likes tea")
    assert run("-w", str(root / place), "edit", entry, "--text", "The user likes " + "x" * 3_000).code == 0
    name = address(root / place, "USER.md" if place != "." else "memories/USER.md", "Ana")
    assert "of 90 characters" in run("-w", str(root / place), "edit", name, "--text", "A" * 99).err


def test_claude_codes_index_takes_no_entry_of_several_lines(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(CLAUDE_CODE, tmp_path / "place", repository=False)
    (root / "project_ports.md").write_text("- Ports\n  - staging: 8443\n")
    write_agent_memory(AgentMemory("", {}, {}, "", ""), root)
    refused = run("-w", str(root), "promote", address(root, "project_ports.md", "staging"))
    assert refused.code == 2
    assert "index with one line" in refused.err


@pytest.mark.parametrize("folder", ["agent-memory", "agent-memory-local"])
def test_the_memory_of_claude_codes_subagents_is_an_index_of_notes_and_of_notes_to_come(
    run: Run, tmp_path: Path, folder: str
) -> None:
    index = f".claude/{folder}/reviewer/MEMORY.md"
    files = {index: "- [Ports](ports.md) — where staging listens\n- See [[ports]] and [[not-written-yet]]\n"}
    files[f".claude/{folder}/reviewer/ports.md"] = CLAUDE_CODE.files["project_ports.md"]
    files[f".claude/{folder}.bak/reviewer/MEMORY.md"] = "- An older copy\n"
    root = write_agent_memory(AgentMemory("", files, {}, "", ""), tmp_path / "place")
    status = run("-w", str(root), "status", "--json").json
    assert (status["layouts"][0]["name"], status["files"]) == ("claude-project", {"note": 2})
    found = [one for one in run("-w", str(root), "check", "--json").json["remarks"] if "dead" in one["rule"]]
    assert [(one["line"], one["severity"]) for one in found] == [(2, "info")]
    entry = address(root, index, "where staging")
    refused = run("-w", str(root), "edit", entry, "--text", "[Ports](ports.md)\n  - staging: 8443")
    assert refused.code == 2
    assert "index with one line" in refused.err


def test_lettas_read_only_blocks_and_descriptions_stay(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(LETTA, tmp_path / "place")
    persona = address(root, "system/persona.md", "kind")
    assert "read_only" in run("-w", str(root), "forget", persona).err
    port = address(root, "reference/ports.md", PORT)
    refused = run("-w", str(root), "move", port, "--to", "reference/a/b/c/new.md")
    assert "`description`" in refused.err
    assert written(root)["system/persona.md"].decode() == LETTA.files["system/persona.md"]
    for path in ("MEMORY.md", "system/odd.md"):
        (root / path).write_text("---\ntitle: Index\n---\n\n- Likes tea\n- " + PORT + "\n")
    assert run("-w", str(root), "forget", address(root, "MEMORY.md", PORT)).code == 0
    refused = run("-w", str(root), "forget", address(root, "system/odd.md", PORT))
    assert "`description`" in refused.err


def test_lettas_configuration_says_how_long_files_may_be(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(LETTA, tmp_path / "place")
    limits = [
        {"pattern": "reference/**", "maxCharacters": None},
        {"pattern": "**/h*.md", "maxCharacters": 60},
    ]
    config = {"version": 1, "maxDepth": 2, "maxFileCharacters": 500, "fileCharacterLimits": limits}
    (root / ".memfs.config.json").write_text(json.dumps(config))
    (root / "reference/long.md").write_text("---\ndescription: x\n---\n" + "- a word and another\n" * 90)
    status = run("-w", str(root), "status", "--json").json
    assert status["budget"]["limit"] == 60
    loaded = {one["path"]: one["limit"] for one in status["loaded"]}
    assert loaded == {"system/": 20_000, "system/human.md": 60, "system/persona.md": 500}
    human = address(root, "system/human.md", "Likes tea")
    refused = run("-w", str(root), "edit", human, "--text", "Likes tea " + "and coffee " * 9)
    assert refused.code == 2
    assert "of 60 characters" in refused.err
    longer = address(root, "reference/long.md", "word")
    assert run("-w", str(root), "edit", longer, "--text", "another " * 200).code == 0
    (root / ".memfs.config.json").write_text('{"maxFileCharacters": [')
    assert run("-w", str(root), "edit", human, "--text", "Likes tea " + "and coffee " * 9).code == 0


def test_lettas_core_memory_is_limited_as_a_whole(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(LETTA, tmp_path / "place")
    for name in ("human.md", "ports.md"):
        (root / name).write_text("---\ndescription: x\n---\n- Likes tea and quiet mornings\n")
    (root / ".memfs.config.json").write_text('{"version": 1, "maxCoreMemoryCharacters": 120}\n')
    loaded = {one["path"]: one for one in run("-w", str(root), "status", "--json").json["loaded"]}
    assert (loaded["*.md"]["used"], loaded["*.md"]["limit"]) == (108, 120)
    entry = address(root, "ports.md", "tea")
    refused = run(
        "-w", str(root), "edit", entry, "--text", "Likes tea and quiet, very long mornings by the sea"
    )
    assert refused.code == 2
    assert "of 120 characters" in refused.err
    assert run("-w", str(root), "edit", entry, "--text", "Likes tea and long mornings").code == 0


@pytest.mark.parametrize("prompt", ["{{ user }} likes tea\n", "{% if user %}\nYou help\n", '{"a": 1}\n'])
def test_a_template_of_prompts_makes_no_memory_filesystem_of_letta(
    run: Run, tmp_path: Path, prompt: str
) -> None:
    files = {"MEMORY.md": "- Likes tea\n", "docs/a.md": "- a\n", "system/prompt.md": prompt}
    root = write_agent_memory(
        AgentMemory("openclaw", files, {}, "MEMORY.md", "docs/a.md"), tmp_path / "place"
    )
    status = run("-w", str(root), "status", "--json").json
    assert [one["name"] for one in status["layouts"]] == ["openclaw"]
    assert status["files"] == {"memory": 1}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('{"maxFileCharacters": 1e999}', None),
        ('{"maxFileCharacters": -5}', None),
        ('{"maxFileCharacters": true}', None),
        ('{"fileCharacterLimits": null, "maxFileCharacters": 500}', 500),
        ('{"fileCharacterLimits": 7, "maxFileCharacters": 500}', 500),
        ('{"fileCharacterLimits": [{"pattern": "system/h*.md"}, 7], "maxFileCharacters": 500}', 500),
        ('{"fileCharacterLimits": [{"pattern": "%s", "maxCharacters": 5}], "maxFileCharacters": 500}', 500),
    ],
)
def test_what_makes_no_sense_in_lettas_configuration_is_passed_over(
    run: Run, tmp_path: Path, config: str, expected: int | None
) -> None:
    root = write_agent_memory(LETTA, tmp_path / "place")
    (root / ".memfs.config.json").write_text(config.replace("%s", "system/" + "*m*" * 12 + "Z"))
    (root / f"system/{'m' * 60}.md").write_text(LETTA.files["system/human.md"])
    status = run("-w", str(root), "status", "--json")
    assert status.code == 0
    loaded = {one["path"]: one["limit"] for one in status.json["loaded"]}
    assert loaded.get("system/human.md") == expected


@pytest.mark.parametrize(
    "config", ['{"version": 1, "maxFileCharacters": 200}\n', "\ufeff{}", '{"$schema": 1}']
)
def test_a_memory_filesystem_of_letta_is_known_by_its_configuration(
    run: Run, tmp_path: Path, config: str
) -> None:
    files = {
        "MEMORY.md": "---\ndescription: index\n---\n- Likes tea\n",
        "ports.md": LETTA.files["reference/ports.md"],
        ".memfs.config.json": config,
    }
    root = write_agent_memory(AgentMemory("letta", files, {}, "MEMORY.md", "ports.md"), tmp_path / "place")
    assert run("-w", str(root), "status", "--json").json["layouts"][0]["name"] == "letta"
    assert run("-w", str(root), "promote", address(root, "ports.md", PORT)).code == 0
    assert PORT in (root / "MEMORY.md").read_text()
    (root / "system").mkdir()
    for number in range(25):
        (root / f"system/{number}.md").write_text("- Likes tea\n")
    assert run("-w", str(root), "status", "--json").json["layouts"][0]["name"] == "letta"


def test_codex_tells_the_version_of_its_summary_from_the_first_line(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(CODEX, tmp_path / "place")
    refused = run("-w", str(root), "forget", address(root, "memory_summary.md", "v1"))
    assert "first line must not change" in refused.err


def test_a_session_file_is_an_episode_that_never_expires(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(OPENCLAW, tmp_path / "place")
    listed = run("-w", str(root), "episodes", "list", "--json").json["episodes"]
    told = {one["path"]: one for one in listed}
    assert told["memory/2026-02-06-2012.md"]["session"] == "0c9e2f"
    assert told["memory/2026-02-06-2012.md"]["created_at"] == "2026-02-06"
    assert told["memory/2026-02-07-tax-return.md"]["topics"] == ["tax return"]
    assert told["memory/2026-02-06-2012.md"]["abstract"].startswith("where does staging")
    assert {one["problem"] for one in listed} == {None}
    assert {one["expires_at"] for one in listed} == {None}
    assert "no episode has expired" in run("-w", str(root), "episodes", "expire", "--yes").err


def test_a_layout_is_recognised_where_nothing_can_be_read(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(BASIC_MEMORY, tmp_path / "place")
    os.mkfifo(root / "pipe.md")
    (root / "loop.md").symlink_to("loop.md")
    (root / "a.md").write_bytes(b"\xff\xfe\x00")
    assert run("-w", str(root), "status", "--json").json["layouts"][0]["name"] == "basic-memory"
    subprocess.run(["git", "-C", str(root), "status"], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("folder", "form", "path"),
    [
        ("Tagebuch", "DD.MM.YYYY", "Tagebuch/14.03.2026.md"),
        ("/", "YYYY/MM/DD", "2026/03/14.md"),
        ("Journal/Daily", "YYYY/MM-MMMM/YYYY-MM-DD-dddd", "Journal/Daily/2026/03-März/2026-03-14-Samstag.md"),
        ("Daily", "YYYY-MM-DD dddd", "Daily/old/2026-03-14 Saturday.md"),
        ("Daily", "MMMM Do, YYYY", "Daily/March 14th, 2026.md"),
        ("Daily", "[Daily note] D MMM YY", "Daily/Daily note 14 Mar 26.md"),
        ("Día ☀", "YYYY[年]M[月]D[日]", "Día ☀/2026年3月14日.md"),
        ("Daily", "", "Daily/2026-03-14.md"),
        ("Daily", "YYYY-DD-MM", "Daily/2026-14-03.md"),
    ],
)
def test_daily_notes_are_logs_of_their_day_as_the_vault_names_them(
    run: Run, tmp_path: Path, folder: str, form: str, path: str
) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "vault")
    (root / ".obsidian/daily-notes.json").write_text(json.dumps({"folder": folder, "format": form}))
    for name in (path, f"{path.rpartition('/')[0]}/99 ideas.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("- The kiln fires at noon\n")
    report = run("-w", str(root), "status", "--json").json
    assert report["daily_notes"][0]["format"] == (form or "YYYY-MM-DD")
    assert report["files"] == {"log": 2, "note": 2}
    assert not report["warnings"]
    on_day = ("--since", "2026-03-14", "--until", "2026-03-14")
    hits = run("-w", str(root), "search", "kiln", *on_day, "--json").json["hits"]
    assert [hit["path"] for hit in hits] == [path]
    before = written(root)
    line = address(root, path, "kiln")
    assert run("-w", str(root), "edit", line, "--text", "The kiln fires at one").code == 0
    assert run("-w", str(root), "undo").code == 0
    assert written(root) == before


def test_a_daily_note_of_a_day_that_there_is_not_is_a_note(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "vault")
    (root / ".obsidian/daily-notes.json").write_text('{"format": "DD.MM.YYYY MMMM"}')
    for name in ("31.02.2026 Februar.md", "14.03.2026 April.md", "13.13.2026 x.md", "14.03.2026 Mars.md"):
        (root / name).write_text("- x\n")
    assert run("-w", str(root), "status", "--json").json["files"] == {"log": 2, "note": 4}


@pytest.mark.parametrize(
    "said", ['{"folder": "Daily", "format": "dddd"}', '{"format": "YYYY-mm-DD"}', "[]", '{"fol', "[" * 99_999]
)
def test_a_vault_that_does_not_say_how_notes_are_named_is_told_so(
    run: Run, tmp_path: Path, said: str
) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "vault")
    (root / ".obsidian/daily-notes.json").write_text(said)
    report = run("-w", str(root), "status", "--json").json
    assert report["files"] == OBSIDIAN.kinds
    assert len(report["warnings"]) == 1
    assert ".obsidian/daily-notes.json" in report["warnings"][0]
    assert "YYYY-MM-DD is used" in report["warnings"][0]


def test_the_periodic_notes_plugin_names_daily_notes_too(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "vault")
    plugin = root / ".obsidian/plugins/periodic-notes/data.json"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(
        '{"daily": {"format": "YYYYMMDD", "folder": "Log"}, "weekly": {"format": "gggg-[W]ww"}}'
    )
    (root / "Log").mkdir()
    (root / "Log/20260314.md").write_text("- x\n")
    (root / "Log/2026-W11.md").write_text("- x\n")
    told = run("-w", str(root), "status")
    assert "notes YYYYMMDD in Log, by .obsidian/plugins/periodic-notes/data.json" in told.out
    assert run("-w", str(root), "status", "--json").json["files"] == {"log": 2, "note": 2}


def test_all_blocks_of_letta_that_are_loaded_count_together(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(LETTA, tmp_path / "place")
    block = "---\ndescription: notes\n---\n" + "- a word and another\n" * 1_000
    for name in ("system/work.md", "system/deep/er.md", "reference/long.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(block)
    size = sum(-(-path.stat().st_size // 4) for path in (root / "system").rglob("*.md"))
    (loaded,) = run("-w", str(root), "status", "--json").json["loaded"]
    assert (loaded["path"], loaded["used"], loaded["limit"], loaded["unit"]) == (
        *("system/", size, 20_000),
        "tokens",
    )
    assert f"loaded     system/ {size:,} of 20,000 tokens\n" in run("-w", str(root), "status").out
    (root / "system/more.md").write_text(block * 2)
    told = run("-w", str(root), "status").out
    assert "of 20,000 tokens; the agent cannot add to it until it is shorter" in told
    over = [one for one in run("-w", str(root), "check", "--json").json["remarks"] if "load" in one["rule"]]
    assert [one["path"] for one in over] == ["system/"]
    assert run("audit", str(root), "--quick", "--json").code == 0


def test_the_budget_is_never_more_than_the_agent_accepts(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(HERMES, tmp_path / "place")
    assert run("-w", str(root), "status", "--json").json["budget"]["limit"] == 2_200
    (root / "workbench.yaml").write_text("memory_budget: 1000\n")
    assert run("-w", str(root), "status", "--json").json["budget"]["limit"] == 1_000


def test_links_of_a_vault_lead_to_attachments_and_to_pages_that_are_planned(run: Run, tmp_path: Path) -> None:
    root = write_agent_memory(OBSIDIAN, tmp_path / "vault")
    (root / "Files").mkdir()
    (root / "Files/map.png").write_bytes(b"x")
    (root / "Projects/Links.md").write_text(
        "- ![[map.png]] and ![[Files/map.png|200]] and [[Atlas#^nats]]\n- [[Not written yet]]\n"
        "- [a note](gone.md)\n"
    )
    found = [one for one in run("-w", str(root), "check", "--json").json["remarks"] if "dead" in one["rule"]]
    assert sorted((one["path"], one["line"], one["severity"]) for one in found) == [
        ("Projects/Atlas.md", 4, "info"),
        ("Projects/Links.md", 2, "info"),
        ("Projects/Links.md", 3, "warning"),
    ]


@pytest.mark.parametrize("wanted", ["M" * 32 + " YYYY-MM-DD", "[" * 5_000, "MMMM MMMM MMMM MMMM YYYY-MM-DD"])
def test_a_format_of_daily_notes_that_could_take_for_ever_is_refused(
    run: Run, sandbox: Sandbox, wanted: str
) -> None:
    sandbox.write(".obsidian/daily-notes.json", json.dumps({"format": wanted}))
    sandbox.write(f"{'a' * 100}.md", "- a note\n")
    said = run("status")
    assert said.code == 0
    assert "so YYYY-MM-DD is used" in said.out + said.err
