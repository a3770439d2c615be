"""What each agent writes, after the documents of their layouts (``workbench.workspace.agent_layouts``)."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class AgentMemory:
    """A folder as an agent leaves it: its files, how many there are of each kind, and what can be done.

    ``memory`` is the file that is always loaded, ``source`` a note, log or episode with the line "The staging
    port is 8443"; empty where there is none. ``place`` is how the path of a folder ends that is known by it.
    """

    layout: str
    files: dict[str, str]
    kinds: dict[str, int]
    memory: str
    source: str
    place: str = ""


SESSION = """# Session: 2026-02-06 20:12:03 UTC

- **Session Key**: agent:main:main
- **Session ID**: 0c9e2f
- **Source**: telegram

## Conversation Summary

user: where does staging listen?
assistant: The staging port is 8443
"""
PORT = "- The staging port is 8443\n"
OPENCLAW = AgentMemory(
    "openclaw",
    {
        "MEMORY.md": "# Memory\n\n<!-- trigger: tea -->\n- Likes tea <!-- importance: high -->\n",
        "SOUL.md": "Be kind.\n",
        "USER.md": "# User\n\n- Lives in Lisbon\n",
        "DREAMS.md": "# Dreams\n\n<!-- openclaw:dreaming:diary:start -->\nA dream.\n",
        "memory/2026-02-05.md": "# 2026-02-05\n\n" + PORT,
        "memory/2026-02-06-2012.md": SESSION,
        "memory/2026-02-07-tax-return.md": SESSION.replace("02-06", "02-07"),
        "memory/2026-02-15_ATLAS.md": "# Atlas\n\n- Starts in May\n",
        "memory/projects/atlas.md": "# Atlas\n\n- Uses NATS\n",
        "skills/tea/SKILL.md": "# quokka\n",
        "node_modules/x/readme.md": "# quokka\n",
    },
    {"memory": 1, "bootstrap": 2, "dream": 1, "log": 2, "episode": 2, "note": 1},
    "MEMORY.md",
    "memory/2026-02-05.md",
)
_TYPED = "---\nname: {0}\ndescription: about {0}\ntype: {1}\n---\n"
CLAUDE_CODE = AgentMemory(
    "claude-code",
    {
        "MEMORY.md": "# Memory\n\n- [Style](feedback_style.md) — short answers\n",
        "feedback_style.md": _TYPED.format("style", "feedback") + "Short answers.\n",
        "project_ports.md": _TYPED.format("ports", "project") + PORT,
        "team/rules.md": "# Rules\n\n- Tests first\n",
        "logs/2026/02/2026-02-05.md": "# 2026-02-05\n\n- Fixed the build\n",
    },
    {"memory": 1, "log": 1, "note": 3},
    "MEMORY.md",
    "project_ports.md",
)
CLAUDE_PROJECT = AgentMemory(
    "claude-project",
    {
        "CLAUDE.md": "# Project\n\n- Tests run with make test\n",
        "api/CLAUDE.md": "# API\n\n" + PORT,
        ".claude/rules/style.md": "- Four spaces\n",
        ".claude/settings.json": "{}\n",
        ".claude/memory/MEMORY.md": "# Memory\n\n- [Ports](decisions/ports.md)\n",
        ".claude/memory/decisions/ports.md": _TYPED.format("ports", "decision") + PORT,
        ".claude/agent-memory/reviewer/MEMORY.md": "# Reviewer\n\n- Reads tests first\n",
        ".claude/commands/tea.md": "# quokka\n",
        "src/readme.md": "# quokka\n",
    },
    {"memory": 2, "bootstrap": 2, "note": 2},
    ".claude/memory/MEMORY.md",
    ".claude/memory/decisions/ports.md",
)
OPENHANDS = AgentMemory(
    "openhands",
    {
        ".openhands/memory/MEMORY.md": "# Memory\n\n- Uses NATS\n",
        ".openhands/memory/2026-02-05.md": "# 2026-02-05\n\n" + PORT,
        ".openhands/microagents/tea.md": "# quokka\n",
        "docs/tea.md": "# quokka\n",
    },
    {"memory": 1, "log": 1},
    ".openhands/memory/MEMORY.md",
    ".openhands/memory/2026-02-05.md",
)
OPENHANDS_USER = AgentMemory(
    "openhands-user",
    {"MEMORY.md": "# Memory\n\n- Likes tea\n", "2026-02-05.md": "# 2026-02-05\n\n" + PORT},
    {"memory": 1, "log": 1},
    "MEMORY.md",
    "2026-02-05.md",
    place=".openhands/memory",
)
MEMORY_BANK = AgentMemory(
    "memory-bank",
    {
        "memory-bank/projectbrief.md": "# Brief\n\n- A shop for tea\n",
        "memory-bank/systemPatterns.md": "# Patterns\n\n- Uses NATS\n",
        "memory-bank/activeContext.md": "# Now\n\n- Works on the basket\n",
        "memory-bank/features/ports.md": "# Ports\n\n" + PORT,
        "docs/tea.md": "# quokka\n",
    },
    {"memory": 3, "note": 1},
    "memory-bank/systemPatterns.md",
    "memory-bank/features/ports.md",
)
REPLIT = AgentMemory(
    "replit",
    {
        "replit.md": "# Atlas\n\n- Uses NATS\n",
        ".agents/memory/MEMORY.md": "- [Ports](ports.md) — where staging listens\n",
        ".agents/memory/ports.md": "---\nname: Ports\ndescription: where staging listens\n---\n" + PORT,
        ".agents/skills/tea/SKILL.md": "# quokka\n",
        "docs/tea.md": "# quokka\n",
    },
    {"memory": 2, "note": 1},
    ".agents/memory/MEMORY.md",
    ".agents/memory/ports.md",
)
SERENA = AgentMemory(
    "serena",
    {
        ".serena/project.yml": "project_name: atlas\n",
        ".serena/memories/project_overview.md": "# Atlas\n\n- Uses NATS\n",
        ".serena/memories/modules/ports.md": "# Ports\n\n" + PORT,
        "docs/tea.md": "# quokka\n",
    },
    {"note": 2},
    "",
    ".serena/memories/modules/ports.md",
)
CODEX = AgentMemory(
    "codex",
    {
        "memory_summary.md": "v1\n\n## User profile\n\n- Likes tea\n",
        "MEMORY.md": "# Task Group: atlas\n\n- Uses NATS\n",
        "raw_memories.md": "# Raw Memories\n\n- Likes tea\n",
        "rollout_summaries/2026-02-05T10-00-00-AbCd-ports.md": (
            "thread_id: 019c\nupdated_at: 2026-02-05T10:00:00+00:00\ncwd: /home/you/atlas\n\n# Ports\n\n"
            + PORT
        ),
        "skills/tea/SKILL.md": "# quokka\n",
    },
    {"memory": 2, "episode": 1, "note": 1},
    "memory_summary.md",
    "rollout_summaries/2026-02-05T10-00-00-AbCd-ports.md",
)
GEMINI_CLI = AgentMemory(
    "gemini-cli",
    {
        "GEMINI.md": "## Gemini Added Memories\n- Likes tea\n",
        "ports.md": "# Ports\n\n" + PORT,
        ".inbox/private/memory.patch": "--- a\n+++ b\n",
    },
    {"memory": 1, "note": 1},
    "GEMINI.md",
    "ports.md",
)
HERMES = AgentMemory(
    "hermes",
    {
        "MEMORY.md": "The user likes tea\n§\nThe server runs Debian\nand has 8 GB\n§\nTests run with make",
        "USER.md": "Name: Ana\n§\nLives in Lisbon",
        "notes.md": "# Ports\n\n" + PORT,
    },
    {"memory": 1, "bootstrap": 1, "note": 1},
    "MEMORY.md",
    "notes.md",
)
_BLOCK = "---\ndescription: {}\n---\n"
LETTA = AgentMemory(
    "letta",
    {
        "system/human.md": _BLOCK.format("who the person is") + "- Likes tea\n",
        "system/persona.md": "---\ndescription: who I am\nread_only: true\n---\n- I am kind\n",
        "reference/ports.md": _BLOCK.format("ports") + PORT,
        "skills/tea/SKILL.md": "# quokka\n",
    },
    {"memory": 2, "note": 1},
    "system/human.md",
    "reference/ports.md",
)
NANOBOT = AgentMemory(
    "nanobot",
    {
        "SOUL.md": "Be kind.\n",
        "USER.md": "# User\n\n- Lives in Lisbon\n",
        "memory/MEMORY.md": "# Memory\n\n- Likes tea\n",
        "memory/history.jsonl": '{"cursor": 1, "content": "x"}\n',
        "memory/.cursor": "1",
        "memory/ports.md": "# Ports\n\n" + PORT,
    },
    {"memory": 1, "bootstrap": 2, "note": 1},
    "memory/MEMORY.md",
    "memory/ports.md",
)
BASIC_MEMORY = AgentMemory(
    "basic-memory",
    {
        "projects/Atlas.md": "---\ntitle: Atlas\npermalink: projects/atlas\n---\n# Atlas\n\n"
        + PORT.replace("- ", "- [fact] ")
        + "- uses [[NATS]]\n",
        "NATS.md": "---\ntitle: NATS\npermalink: nats\n---\n- [tech] A broker #mq\n",
    },
    {"note": 2},
    "",
    "projects/Atlas.md",
)
OBSIDIAN = AgentMemory(
    "obsidian",
    {
        ".obsidian/daily-notes.json": '{"folder": "Daily"}\n',
        ".obsidian/plugins/x/README.md": "# quokka\n",
        "Projects/Atlas.md": "# Atlas\n\n- Uses NATS ^nats\n- Owned by [[Sarah Chen]]\n",
        "Daily/2026-02-05.md": "# Thursday\n\n" + PORT,
    },
    {"log": 1, "note": 1},
    "",
    "Daily/2026-02-05.md",
)
PLAIN = AgentMemory(
    "plain",
    {"README.md": "# Notes\n", "cooking/bread.md": "# Bread\n\n- 70 % water\n\n" + PORT},
    {"note": 2},
    "",
    "cooking/bread.md",
)
EVERY = (
    *(OPENCLAW, CLAUDE_CODE, CLAUDE_PROJECT, CODEX, GEMINI_CLI, HERMES, LETTA, NANOBOT),
    *(OPENHANDS, OPENHANDS_USER, MEMORY_BANK, REPLIT, SERENA),
    *(BASIC_MEMORY, OBSIDIAN, PLAIN),
)


def write_agent_memory(memory: AgentMemory, root: Path, *, repository: bool = True) -> Path:
    """The files of an agent in ``root``, or in its place below, committed where a repository is wanted."""
    root = root if root.as_posix().endswith(memory.place) else root / memory.place
    for path, text in memory.files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        if repository:
            subprocess.run(["git", "-C", str(root), *command], check=True, capture_output=True)
    return root
