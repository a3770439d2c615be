"""Workspaces for tests: real files in real git repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

from workbench.workspace.workspace import Workspace

LOG = "memory/2026-03-14.md"
LOG_TEXT = """# 2026-03-14

## 10:00 planning with Sarah

- **Sarah:** I prefer async reviews over meetings
- The staging port is 8443
- We decided to use tantivy for search

## 15:30 odds and ends

A paragraph about the weather in Lisbon.

- same words
- same words
"""
MEMORY_TEXT = """# Memory

## User Preferences

- Likes tea

## Project Facts

- The project is called Atlas
"""
EPISODE = "episodes/2026/03/e1.md"
EPISODE_TEXT = """---
id: e1
source_id: agent:main:1:0
session: s91
created_at: 2026-03-14T10:00:00Z
expires_at: 2026-06-12T10:00:00Z
l0_abstract: Planned the Atlas release with Sarah.
key_topics: [Atlas, Sarah Chen]
trust: agent
---
## Summary

- Planned the Atlas release with Sarah.
- The release is on Friday
"""


class Sandbox:
    """A folder with a repository, the workspace opened on it, and git as a person would use it."""

    def __init__(self, root: Path, *, repository: bool = True) -> None:
        self.root = root
        root.mkdir(parents=True)
        if repository:
            self.git("init", "-q", "-b", "main")
        self.write(LOG, LOG_TEXT)
        self.write("MEMORY.md", MEMORY_TEXT)
        self.write(EPISODE, EPISODE_TEXT)
        if repository:
            self.commit("start")
        self.workspace = Workspace.open(root)

    def close(self) -> None:
        self.workspace.close()

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(self.root), *arguments], check=True, capture_output=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def address(self, words: str, path: str = LOG) -> str:
        """The address of the first entry of ``path`` that holds ``words``."""
        return next(e.address for e in self.workspace.document(path).entries if words in e.text)

    def snapshot(self) -> dict[str, bytes]:
        """Every memory file with its bytes."""
        return {file.path: self.workspace.read(file.path) for file in self.workspace.scan()}
