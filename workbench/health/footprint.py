"""What the program wrote on this machine outside of workspaces, and where people added it to others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import platformdirs

from workbench.config.read_only import require_more_than_looking
from workbench.errors import disk_errors
from workbench.frozen import frozen
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.own_history import histories_folder
from workbench.workspace.registry import read_registry

_NAME = "memory-workbench"
_CALL = re.compile(r"""(?:^|[\s"'(/=])workbench(?=["'\s)]|$)|memory-workbench""")
"""The program as something starts it: not ``workbench.colorTheme``, which is a setting of an editor."""
_IN_HOME = (
    *(".claude.json", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json"),
    *(".hermes/config.yaml", ".cursor/mcp.json", ".codeium/windsurf/mcp_config.json"),
    *(".config/zed/settings.json", ".openclaw/openclaw.json", ".bashrc", ".zshrc"),
    *(".config/fish/completions/workbench.fish",),
)
_IN_FOLDERS = ((".config/systemd/user", "*.service"), ("Library/LaunchAgents", "*.plist"))
_IN_PROJECTS = (".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".cursor/mcp.json",
                ".vscode/mcp.json")  # fmt: skip
_MOST_BYTES = 5_000_000
_CRONTAB_SECONDS = 10


@frozen
class StartLine:
    """A line of a file, or of the crontab, that starts the program."""

    where: str
    line: int


@frozen
class Footprint:
    """``own`` is what the program wrote; ``mentions`` were written by people or their agents.

    ``state`` stays: the folders of the program in registered workspaces, and histories of memory without git.
    """

    own: tuple[Path, ...]
    mentions: tuple[StartLine, ...]
    state: tuple[Path, ...]


def footprint() -> Footprint:
    """What there is now. Raises UsageError where the list of workspaces cannot be read."""
    roots = [one.root for one in read_registry().entries]
    folders = (platformdirs.user_config_path(_NAME), platformdirs.user_cache_path(_NAME),
               platformdirs.user_state_path(_NAME))  # fmt: skip
    histories = histories_folder()
    stays = [root / STATE_DIR for root in roots] + [histories]
    kept = [one.resolve() for one in (*roots, histories) if one.is_dir()]
    return Footprint(
        own=tuple(one for folder in dict.fromkeys(folders) for one in _without(folder, kept)),
        mentions=tuple(_mentions(roots)),
        state=tuple(place for place in stays if place.is_dir()),
    )


def _without(folder: Path, kept: Sequence[Path]) -> list[Path]:
    """The folder, if it is there; all else in it where one of ``kept`` lies in it: on macOS histories do."""
    if folder.is_symlink():
        return [folder]
    if folder.resolve() in kept:
        return []
    if folder.is_dir() and any(one.is_relative_to(folder.resolve()) for one in kept):
        return [left for one in sorted(folder.iterdir()) for left in _without(one, kept)]
    return [folder] if os.path.lexists(folder) else []


def remove(folder: Path) -> None:
    """Remove a file or folder of the program's own; of a link, the link alone.

    Raises ReadOnlyError, WriteFailedError.
    """
    require_more_than_looking()
    with disk_errors():
        if folder.is_symlink() or not folder.is_dir():
            folder.unlink()
        else:
            shutil.rmtree(folder)


def _mentions(roots: list[Path]) -> Iterator[StartLine]:
    home = Path.home()
    files = [home / name for name in _IN_HOME]
    for folder, pattern in _IN_FOLDERS:
        files += sorted((home / folder).glob(pattern))
    files += [root / name for root in roots for name in _IN_PROJECTS]
    texts = {str(path): _text(path) for path in files} | {"crontab -l": _crontab()}
    for where, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if _CALL.search(line):
                yield StartLine(where, number)


def _text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _crontab() -> str:
    try:
        done = subprocess.run(
            ["crontab", "-l"],
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_CRONTAB_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
