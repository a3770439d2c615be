"""The settings files: readable, meant, and closed to others where they hold a key."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from workbench.config.safe_yaml import MappingError, read_mapping
from workbench.config.settings import SECRET, flat, load, user_settings_path
from workbench.config.settings_report import tell
from workbench.errors import UsageError, disk_error
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.safety.secrets import secrets_in
from workbench.workspace.layout import SETTINGS_FILE

_KEY = re.compile(r"(?i)(?:^|_)(?:key|token|secret|password)s?$")
_LONG = 16
"""Characters from which what stands under a name like `api_key` may be one."""
_OTHERS = 0o077


def settings(place: CheckSubject) -> Look:
    """The person's own settings and the workspace's, and who can read a key in them."""
    own, shared = user_settings_path(), place.root / SETTINGS_FILE
    findings: list[Finding] = []
    findings += _problems(place, shared)
    for path in (own, shared):
        if _holds_key(path) and (finding := _open_key(path, own=path == own)):
            findings.append(finding)
    seen = [str(path) for path in (own, shared) if path.exists()]
    return Look(", ".join(seen) or "none: the defaults count", tuple(findings))


def _problems(place: CheckSubject, shared: Path) -> Iterator[Finding]:
    """What does not count in the files, by file, line and name."""
    meaning = "it does not count, all else does"
    if place.unreadable is not None:
        try:
            load(shared, lenient=True)
            meaning = "its default counts for what reads; what writes is refused until it is corrected"
        except UsageError:
            meaning = "no command works on this workspace until it is corrected"
    problems = tell(shared).problems
    for problem in problems:
        yield Finding(
            what=f"{problem.place}: {problem.text}",
            meaning=meaning,
            do=problem.hint or "correct or remove the line",
        )
    if place.unreadable is not None and not problems:
        yield Finding(
            what=place.unreadable.message,
            meaning=meaning,
            do=place.unreadable.hint or "correct or remove the file",
        )


def _holds_key(path: Path) -> bool:
    text = ""
    with contextlib.suppress(OSError):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")[:65_536]
    if secrets_in(text):
        return True
    try:
        return _named_key(read_mapping(text))
    except MappingError:
        return False


def _named_key(found: dict[str, object]) -> bool:
    """Whether a setting that is a key is there, or a name like one with a value long enough to be one."""
    return any(
        bool(value)
        and (name in SECRET or (bool(_KEY.search(name)) and isinstance(value, str) and len(value) >= _LONG))
        for name, value in flat(found).items()
    )


def _open_key(path: Path, *, own: bool) -> Finding | None:
    if not own:
        return Finding(
            what=f"{path} holds a key",
            meaning="the file belongs to the memory: whoever gets a copy of it gets the key",
            do=f"move it to your own settings, {user_settings_path()}, and make a new key",
        )
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & _OTHERS:
        return None

    def close() -> str:
        try:
            os.chmod(path, mode & ~_OTHERS)
        except OSError as error:
            raise disk_error(error) from error
        return f"its mode is {mode & ~_OTHERS:04o} now"

    return Finding(
        what=f"{path} holds a key, and its mode is {mode:04o}",
        meaning="other users of this machine can read the key",
        do=f"chmod 600 {path}",
        repair=close,
    )
