"""What agents leave in their queues, after the documents that ``agent_queues`` names."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


def committed(root: Path, files: dict[str, str]) -> Path:
    """A folder in git with these files."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run(["git", "-C", str(root), *command], check=True, capture_output=True)
    return root


# -- Gemini CLI -------------------------------------------------------------------------------------------


def gemini(home: Path) -> Path:
    """The memory that Gemini CLI keeps of one project."""
    memory = "# Project Memory\n\n- old fact about this project\n- Likes tea\n"
    return committed(home / ".gemini/tmp/atlas/memory", {"MEMORY.md": memory})


def queue_patch(root: Path, name: str, text: str, kind: str = "private") -> Path:
    """A patch in its inbox."""
    path = root / ".inbox" / kind / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def change_patch(root: Path, new: str = "new fact from a session") -> str:
    """Changes one line of MEMORY.md."""
    memory = root / "MEMORY.md"
    return (
        f"--- {memory}\n+++ {memory}\n@@ -1,4 +1,4 @@\n # Project Memory\n \n"
        f"-- old fact about this project\n+- {new}\n - Likes tea\n"
    )


def create_patch(target: Path, *lines: str) -> str:
    """Makes a file."""
    body = "".join(f"+{line}\n" for line in lines)
    return f"--- /dev/null\n+++ {target}\n@@ -0,0 +1,{len(lines)} @@\n{body}"


# -- Hermes -----------------------------------------------------------------------------------------------

HERMES_MEMORY = "The user likes tea\n§\nThe server runs Debian\nand has 8 GB\n§\nTests run with make"


def hermes(home: Path) -> Path:
    """The home of Hermes, in git."""
    files = {"memories/MEMORY.md": HERMES_MEMORY, "memories/USER.md": "Name: Ana\n§\nLives in Lisbon"}
    return committed(home / ".hermes", files)


def queue_write(root: Path, identity: str, **payload: object) -> Path:
    """A write of the memory tool that waits for approval."""
    path = root / "pending/memory" / f"{identity}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "id": identity,
        "subsystem": "memory",
        "action": payload.get("action", ""),
        "summary": "add to memory",
        "origin": "foreground",
        "created_at": 1_772_000_000.5,
        "payload": {"target": "memory", "content": None, "old_text": None} | payload,
    }
    path.write_text(json.dumps(record, indent=2), encoding="utf-8")
    return path


# -- OpenClaw ---------------------------------------------------------------------------------------------

STORE = "memory/.dreams/short-term-recall.json"


def openclaw(home: Path, *candidates: dict[str, object]) -> Path:
    """A workspace of OpenClaw with a store of what was recalled."""
    entries = {one["key"]: one for one in candidates}
    store = {"version": 1, "updatedAt": "2026-03-01T00:00:00.000Z", "entries": entries}
    return committed(
        home / ".openclaw/workspace",
        {
            "SOUL.md": "Be kind.\n",
            "MEMORY.md": "# Memory\n\n- Likes tea\n",
            "memory/2026-02-05.md": "# 2026-02-05\n\n- The staging port is 8443\n- Atlas ships in May\n",
            STORE: json.dumps(store, indent=2) + "\n",
        },
    )


def candidate(line: int, snippet: str, **more: object) -> dict[str, object]:
    """A line of the log as OpenClaw remembers that it was recalled; often enough to be promoted."""
    path = "memory/2026-02-05.md"
    known = {
        "key": f"memory:{path}:{line}:{line}",
        "path": path,
        "startLine": line,
        "endLine": line,
        "source": "memory",
        "snippet": snippet,
        "recallCount": 4,
        "dailyCount": 0,
        "groundedCount": 0,
        "totalScore": 3.6,
        "maxScore": 0.95,
        "firstRecalledAt": "2026-02-06T10:00:00.000Z",
        "lastRecalledAt": "2026-02-27T10:00:00.000Z",
        "queryHashes": ["aaaaaaaaaaaa", "bbbbbbbbbbbb"],
        "recallDays": ["2026-02-06", "2026-02-27"],
        "conceptTags": ["staging"],
    }
    return known | more
