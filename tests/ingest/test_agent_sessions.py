"""A workspace reads the sessions of its own agent, and of nobody else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import claw, code, jsonl
from tests.support.transcripts import NOW
from tests.support.workspaces import Sandbox
from workbench.errors import UsageError
from workbench.ingest.ingest import Ingest
from workbench.ingest.transcript_files import find, look, why_foreign
from workbench.workspace.workspace import Workspace

SAID = ("user", "We decided to name the release Heron.")


def session(person: Path, agent: str, name: str = "s", *, program: str = ".openclaw", cwd: str = "") -> Path:
    path = person / program / "agents" / agent / "sessions" / f"{agent}-{name}.jsonl"
    return write(path, claw(SAID), cwd)


def write(path: Path, data: bytes, cwd: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((jsonl({"type": "session", "id": "x", "cwd": cwd}) if cwd else b"") + data)
    os.utime(path, (1_773_482_400,) * 2)
    return path


def configure(person: Path, **agents: Any) -> None:
    (person / ".openclaw").mkdir(exist_ok=True)
    (person / ".openclaw/openclaw.json").write_text(json.dumps({"agents": agents}))


def project_of(person: Path, folder: Path) -> Path:
    return person / ".claude/projects" / "".join(c if c.isalnum() else "-" for c in str(folder))


def read_by(root: Path) -> list[str]:
    return sorted(file.name for file in find(Workspace.open(root)).files)


def outcomes(root: Path) -> dict[str, str]:
    place = Workspace.open(root)
    taken: dict[str, str] = {
        Path(one.source).name: one.outcome for one in Ingest(place, now=NOW, dry_run=True).transcripts()
    }
    place.close()
    return taken


def test_each_agent_of_openclaw_has_the_sessions_of_its_own_workspace(person: Path, sandbox: Sandbox) -> None:
    session(person, "main")
    session(person, "work")
    session(person, "travel")
    work, main = person / "somewhere/work", person / ".openclaw/workspace"
    configure(person, list=[{"id": "main"}, {"id": "work", "workspace": str(work)}, {"id": "travel"}])
    for root, names in (
        (main, ["main-s.jsonl"]),
        (work, ["work-s.jsonl"]),
        (person / ".openclaw/workspace-travel", ["travel-s.jsonl"]),
    ):
        root.mkdir(parents=True)
        (root / "MEMORY.md").write_text("# Memory\n")
        assert read_by(root) == names


def test_without_settings_of_openclaw_its_usual_folders_count(person: Path) -> None:
    session(person, "main")
    session(person, "main", program=".clawdbot", name="old")
    for name in (".openclaw/workspace", "clawd"):
        (person / name).mkdir()
        (person / name / "MEMORY.md").write_text("# Memory\n")
    assert read_by(person / ".openclaw/workspace") == ["main-s.jsonl"]
    assert read_by(person / "clawd") == ["main-old.jsonl"]


def test_the_default_agent_works_where_the_defaults_say(person: Path, sandbox: Sandbox) -> None:
    session(person, "home")
    session(person, "main")
    configure(
        person,
        defaults={"workspace": str(sandbox.root)},
        list=[{"id": "main"}, {"id": "home", "default": True}],
    )
    assert read_by(sandbox.root) == ["home-s.jsonl"]


def test_claude_code_has_the_sessions_of_the_folder_or_of_the_project_of_a_memory(
    person: Path, sandbox: Sandbox
) -> None:
    project = project_of(person, sandbox.root)
    write(project / "c.jsonl", code(SAID))
    write(person / ".claude/projects/-home-sam-taxes/x.jsonl", code(SAID))
    session(person, "main")
    assert read_by(sandbox.root) == ["c.jsonl"]
    memory = person / ".claude/projects/-home-sam-taxes/memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("# Memory\n")
    assert read_by(memory) == ["x.jsonl"]


def test_where_no_agent_is_known_nothing_is_read_until_one_is_named(person: Path, sandbox: Sandbox) -> None:
    session(person, "main")
    session(person, "work")
    with pytest.raises(UsageError) as refused:
        find(sandbox.workspace)
    assert "no agent is known for this workspace" in refused.value.message
    for words in ("OpenClaw's main works in", "OpenClaw's work works in"):
        assert words in refused.value.message
    line = f'transcripts: {{"{sandbox.root}": "~/.openclaw/agents/work/sessions"}}'
    assert line in refused.value.hint
    (person / "settings.yaml").write_text(line + "\n")
    assert read_by(sandbox.root) == ["work-s.jsonl"]
    other = Sandbox(sandbox.root.parent / "other")
    with pytest.raises(UsageError, match="whose sessions"):  # what one workspace has is no other's
        find(other.workspace)
    other.close()


def test_where_several_agents_share_a_workspace_one_must_be_named(person: Path, sandbox: Sandbox) -> None:
    session(person, "main")
    session(person, "work")
    root = str(sandbox.root)
    configure(person, list=[{"id": "main", "workspace": root}, {"id": "work", "workspace": root}])
    with pytest.raises(UsageError, match="2 agents work in this workspace"):
        find(sandbox.workspace)


def test_settings_that_cannot_be_read_are_named(person: Path, sandbox: Sandbox) -> None:
    session(person, "main")
    (person / ".openclaw/openclaw.json").write_text("{agents: // mine\n")
    with pytest.raises(UsageError, match=r"openclaw.json cannot be read: it is not JSON"):
        find(sandbox.workspace)


def test_where_there_are_no_sessions_nothing_is_refused(person: Path, sandbox: Sandbox) -> None:
    configure(person, list=[{"id": "main"}])
    assert read_by(sandbox.root) == []


def test_a_session_that_names_another_workspace_or_agent_is_not_read(person: Path, sandbox: Sandbox) -> None:
    configure(person, list=[{"id": "main", "workspace": str(sandbox.root)}])
    session(person, "main", "own", cwd=str(sandbox.root))
    session(person, "main", "below", cwd=str(sandbox.root / "memory"))
    session(person, "main", "above", cwd="/")
    session(person, "main", "silent")
    session(person, "main", "away", cwd="/srv/another")
    other = session(person, "main", "other")
    reported = session(person, "main", "reported")
    (other.parent / "sessions.json").write_text(
        json.dumps(
            {
                "agent:work:main": {"sessionId": other.stem},
                "agent:main:x": {
                    "sessionId": reported.stem,
                    "systemPromptReport": {"workspaceDir": "/srv/another"},
                },
            }
        )
    )
    assert outcomes(sandbox.root) == {
        "main-own.jsonl": "taken",
        "main-below.jsonl": "taken",
        "main-above.jsonl": "taken",
        "main-silent.jsonl": "taken",
        "main-away.jsonl": "foreign",
        "main-other.jsonl": "foreign",
        "main-reported.jsonl": "foreign",
    }
    why = why_foreign(sandbox.workspace, look(str(other)))
    assert why == "it belongs to the agent work, but is among the sessions of main"
    place = Ingest(sandbox.workspace, now=NOW, dry_run=True)
    (named,) = place.transcripts([str(other)])
    assert named.outcome == "taken"


def test_two_folders_that_claude_code_calls_the_same_are_told_apart(person: Path, sandbox: Sandbox) -> None:
    project = project_of(person, sandbox.root)
    write(project / "mine.jsonl", code(SAID), str(sandbox.root))
    write(project / "theirs.jsonl", code(SAID), str(sandbox.root).replace("/workspace", "-workspace"))
    assert outcomes(sandbox.root) == {"mine.jsonl": "taken", "theirs.jsonl": "foreign"}
