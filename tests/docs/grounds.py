"""What a reader has before the first command of a page: their own memory, as other programs left it.

Each ground is made in an empty home and returns the folder in which the reader's terminal begins.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.importers.test_importing import cells_file, graph_file
from tests.support.sessions import claw, code

LOG = """# 2026-03-14

## 10:00 planning with Sarah

- **Sarah:** I prefer async reviews over meetings
- The staging port is 8443
- We decided to use NATS for messages
"""
MEMORY = "# Memory\n\n## User Preferences\n\n- Likes tea\n"
TALK = (
    ("user", "Please remember that the staging database of Atlas moved to port 5433 last week."),
    ("assistant", "Noted: the staging database of Atlas is on port 5433 now."),
    ("user", "We decided to use NATS for all messages between the services of Atlas."),
    ("assistant", "Good. I will write the migration plan for NATS today."),
    ("user", "I prefer async reviews over meetings, always send me the diff first."),
    ("assistant", "Understood, the diff comes first."),
)
NOTE = """---
title: Coffee Brewing
type: note
permalink: coffee-brewing
tags: [coffee]
---

# Coffee Brewing

## Observations

- [method] Pour over brings out the fruit of light roasts #brewing
- [fact] Water at 94 degrees is right for most beans

## Relations

- relates_to [[Tea Brewing]]
"""
TEA = "---\ntitle: Tea Brewing\ntype: note\n---\n\n- [fact] Green tea wants 75 degrees\n"
RECALLED = {
    "key": "memory:memory/2026-03-14.md:6:6",
    "path": "memory/2026-03-14.md",
    "startLine": 6,
    "endLine": 6,
    "source": "memory",
    "snippet": "The staging port is 8443",
    "recallCount": 3,
    "totalScore": 2.4,
    "lastRecalledAt": "2026-03-18T08:00:00.000Z",
    "queryHashes": ["aaaaaaaaaaaa", "bbbbbbbbbbbb"],
    "recallDays": ["2026-03-15", "2026-03-18"],
}
GOCLAW = (
    "COPY public.memory_documents (id, agent_id, user_id, path, content) FROM stdin;\n"
    "d1\tmoss\t\\N\tmemory/2026-02-01.md\t- The pilot starts in May\\n\n"
    "d2\tfern\t\\N\tmemory/2026-02-02.md\t- Of another agent\\n\n"
    "\\.\n"
)
SECRET = "ghp_" + "q7Zk2Vx9Lm4T" * 3


def nothing(home: Path, demo: Path) -> Path:
    """A home with nothing in it."""
    return home


def a_workspace(home: Path, demo: Path) -> Path:
    """``~/agent``: the demo workspace with its index."""
    shutil.copytree(demo, home / "agent", symlinks=True)
    return home / "agent"


def a_session(home: Path, demo: Path) -> Path:
    """``~/agent`` with a transcript in it."""
    place = a_workspace(home, demo)
    _quiet(place / "SESSION.jsonl", claw(*TALK, session="s92"))
    return place


def openclaw(home: Path, demo: Path) -> Path:
    """``~/.openclaw`` with a workspace that is in no repository, a session and a database of cells."""
    place = home / ".openclaw" / "workspace"
    (place / "memory").mkdir(parents=True)
    (place / "MEMORY.md").write_text(MEMORY)
    (place / "USER.md").write_text("# User\n\nSam, in Lisbon\n")
    (place / "AGENTS.md").write_text("# Agents\n\nRead MEMORY.md first.\n")
    (place / "memory" / "2026-03-14.md").write_text(LOG)
    recalled = place / "memory" / ".dreams" / "short-term-recall.json"
    recalled.parent.mkdir()
    recalled.write_text(json.dumps({"version": 1, "entries": {"staging": RECALLED}}))
    sessions = home / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    _quiet(sessions / "s91.jsonl", claw(*TALK))
    cells_file(home / ".openclaw" / "memory.db")
    return place


def everything(home: Path, demo: Path) -> Path:
    """``~/agent`` as OpenClaw left it, and all that can be imported into it."""
    place = openclaw(home, demo).rename(home / "agent")
    config = {"agents": {"defaults": {"workspace": "~/agent"}}}
    (home / ".openclaw" / "openclaw.json").write_text(json.dumps(config))
    goclaw(home, demo)
    a_vault(home, demo)
    (home / ".openclaw" / "memory.db").rename(home / "memory.db")
    for name in ("memory.db", "memory_graph.db", "dump.sql"):
        (home / name).rename(place / name)
    subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
    return place


def goclaw(home: Path, demo: Path) -> Path:
    """A plain dump of GoClaw's tables and a memory-graph file, in the home."""
    (home / "dump.sql").write_text(GOCLAW)
    graph_file(home / "memory_graph.db", {"content": "Lives in Osaka"})
    return home


def a_vault(home: Path, demo: Path) -> Path:
    """``~/vault``: an Obsidian vault with notes in folders, and notes of basic-memory in ``~/notes``."""
    vault = home / "vault"
    for folder in (".obsidian", "Projects", "Daily"):
        (vault / folder).mkdir(parents=True)
    (vault / ".obsidian" / "app.json").write_text("{}\n")
    (vault / "Projects" / "Atlas.md").write_text(
        "---\ntags: [work]\n---\n# Atlas\n\n- Uses NATS since March ^nats\n- Owned by [[Sarah Chen]]\n"
    )
    (vault / "Daily" / "2026-03-14.md").write_text("# Saturday\n\n- Planned [[Atlas]] with Sarah\n")
    notes = home / "notes"
    notes.mkdir()
    (notes / "Coffee Brewing.md").write_text(NOTE)
    (notes / "Tea Brewing.md").write_text(TEA)
    return vault


def claude_code(home: Path, demo: Path) -> Path:
    """``~/project`` and what Claude Code keeps of it: its memory and a session."""
    project = home / "project"
    project.mkdir()
    (project / "CLAUDE.md").write_text("# Project\n\n- Tests run with make test\n")
    git = ["git", "-C", str(project), "-c", "user.name=You", "-c", "user.email=you@localhost"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run([*git, *command], check=True)
    kept = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(project))
    (home / ".claude" / "projects" / "-home-you-another" / "memory").mkdir(parents=True)
    (kept / "memory").mkdir(parents=True)
    (kept / "memory" / "MEMORY.md").write_text("# Memory\n\n- The user likes short answers\n")
    (kept / "memory" / "debugging.md").write_text("# Debugging\n\n- The flaky test waits for port 8443\n")
    _quiet(kept / "c7d1.jsonl", code(*TALK))
    return project


def _quiet(path: Path, data: bytes) -> None:
    """A transcript of a session that ended hours ago."""
    path.write_bytes(data)
    os.utime(path, (path.stat().st_mtime - 36_000,) * 2)


def a_secret(home: Path, demo: Path) -> Path:
    """``~/agent``: a memory with a secret in its history, and that secret in ``~/purge.txt``."""
    place = home / "agent"
    (place / "memory").mkdir(parents=True)
    (place / "MEMORY.md").write_text(MEMORY)
    (place / "memory" / "2026-03-14.md").write_text(f"{LOG}- the deploy token is {SECRET}\n")
    git = ["git", "-C", str(place), "-c", "user.name=You", "-c", "user.email=you@localhost"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run([*git, *command], check=True)
    (home / "purge.txt").write_text(f"{SECRET}\n")
    return place


GROUNDS: Mapping[str, Callable[[Path, Path], Path]] = {
    "nothing": nothing,
    "a workspace": a_workspace,
    "a workspace with a session": a_session,
    "OpenClaw": openclaw,
    "GoClaw": goclaw,
    "everything": everything,
    "a vault": a_vault,
    "Claude Code": claude_code,
    "a secret": a_secret,
}
"""By the name that a page calls each."""
