"""Workspaces for tests: real files in real git repositories."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from workbench.memory.edit import replaced
from workbench.memory.provenance import spelled_out
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
MEMORY = "MEMORY.md"
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
        if repository:
            shutil.copytree(_committed(), root)
        else:
            _write_files(root)
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

    def spelled_out(self) -> str:
        """MEMORY.md with all that its short marks stand for."""
        document = self.workspace.memory_document()
        changes = []
        for entry in document.entries:
            if entry.part == 1:
                source = document.data[entry.whole.start : entry.whole.end].decode("utf-8", "surrogateescape")
                changes.append((entry.whole, spelled_out(source, entry.provenance).encode()))
        return replaced(document.data, changes).decode("utf-8", "surrogateescape")

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


class _Template:
    """A repository with one commit, to be copied: a copy takes a third of the time that git needs."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="workbench-tests-")
        self.made = time.monotonic()
        root = Path(self.folder.name)
        _write_files(root)
        for arguments in (
            ("init", "-q", "-b", "main", "--template="),
            ("config", "core.checkStat", "minimal"),  # else git takes copies for changed files
            ("config", "core.trustCtime", "false"),
            ("add", "-A"),
            ("commit", "-q", "-m", "start"),
        ):
            subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)
        for folder in ("hooks", "info"):
            (root / ".git" / folder).mkdir()


_SECONDS = 10.0
"""How long ago the commit may have been made that a test begins with."""
_templates: list[_Template] = []


def _committed() -> Path:
    """The template, made anew when it is too old."""
    if not _templates or time.monotonic() - _templates[0].made > _SECONDS:
        _templates[:] = [_Template()]
    return Path(_templates[0].folder.name)


def _write_files(root: Path) -> None:
    for path, text in {LOG: LOG_TEXT, "MEMORY.md": MEMORY_TEXT, EPISODE: EPISODE_TEXT}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
