"""What tests of backups share."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.workspaces import Sandbox
from workbench.backup.create import Backup, back_up
from workbench.backup.targets import find_target


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def save(sandbox: Sandbox, target: Path | str, *, full: bool = False, check: bool = False) -> Backup:
    place = sandbox.workspace
    return back_up(place, find_target(str(target), place.history), full=full, check=check)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts and ".workbench" not in path.parts
    }


def bare(tmp_path: Path, name: str = "remote.git") -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / name)], check=True)
    return tmp_path / name


def bundles(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.bundle"))
