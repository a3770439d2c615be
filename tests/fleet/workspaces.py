"""Many small workspaces, each with memory of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

from workbench.fleet.worker import Agent

_PEOPLE = ("Sarah", "Miguel", "Aiko", "Priya", "Tom", "Lena", "Omar")
_THINGS = ("broker", "ingest worker", "deploy key", "staging port", "retry queue", "schema", "dashboard")
_DONE = ("was moved", "was restarted", "is owned by nobody", "needs a review", "is slow", "was renewed")


def make_fleet(root: Path, count: int) -> list[Agent]:
    """``count`` workspaces of three files; of the same number always the same."""
    return [make_workspace(root, number) for number in range(count)]


def make_workspace(root: Path, number: int) -> Agent:
    """A workspace with about a dozen entries."""
    name = f"agent-{number:05d}"
    folder = root / name
    person, thing, done = (_pick(kind, number) for kind in (_PEOPLE, _THINGS, _DONE))
    write(
        folder,
        "MEMORY.md",
        f"# Memory\n\n## Facts\n\n- The door code of agent {number} is {number + 4000}\n"
        f"- {person} owns the {thing}\n",
    )
    lines = [
        f"- {_pick(_PEOPLE, number + n)}: the {_pick(_THINGS, number * 3 + n)} {_pick(_DONE, number + 5 * n)}"
        for n in range(6)
    ]
    write(folder, "memory/2026-03-14.md", "# 2026-03-14\n\n## 10:00 standup\n\n" + "\n".join(lines) + "\n")
    write(
        folder,
        f"memory/projects/p{number % 7}.md",
        f"# Project {number % 7}\n\n- The {thing} {done} after ERR_{number}\n"
        "- 今天修复了登录模块的超时问题\n",
    )
    return Agent(name, str(folder))


def write(folder: Path, path: str, text: str) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def contents(root: Path) -> dict[str, bytes]:
    """Every file below ``root`` with its bytes, and every folder."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else b"" for path in root.rglob("*")
    }


def _pick(words: tuple[str, ...], number: int) -> str:
    digest = hashlib.blake2b(str(number).encode(), digest_size=4).digest()
    return words[int.from_bytes(digest) % len(words)]
