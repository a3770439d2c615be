"""Changing a setting: checked first, then written at its place in the file, every other byte as it was.

The person's own file is replaced at once. A workspace's file is kept with its memory, so changing that is an
operation like any other: one commit, which ``undo`` takes back.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from workbench.config.safe_yaml import MappingError, read_mapping
from workbench.config.settings import (
    DECLARED,
    USER_ONLY,
    Settings,
    checked,
    flat,
    refuse_unfit,
    user_settings_path,
)
from workbench.config.settings_report import (
    ReportedSetting,
    SettingOrigin,
    places_of,
    tell,
    unknown,
    value_text,
)
from workbench.config.user_files import read_own, replace_own
from workbench.config.yaml_edit import with_change
from workbench.errors import UsageError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

Check = Callable[[Settings], object]
"""Raises UsageError for settings of the right form that cannot be used together."""
Value = str | list[str]
_GAPS = re.compile(r"(?<=[0-9])[_ ,\u202f\u00a0](?=[0-9]{3})")


@frozen
class SettingChange:
    """A setting was written: where, and what counts from now on; None for a name that means nothing."""

    path: Path
    setting: ReportedSetting | None

    @property
    def overruled(self) -> str:
        """Why what was written does not count here; empty when it does."""
        if not self.setting:
            return ""
        where = self.setting.where
        if self.setting.origin is SettingOrigin.ENVIRONMENT and not self.setting.declared.secret:
            return f"{self.setting.variable} in the environment overrides it"
        if not where or where.path == self.path:
            return ""
        return f"line {where.line} of {where.path.name} overrides it"


def parse_value(name: str, text: str) -> Value:
    """What a person typed for a setting, as it would be written. Raises UsageError.

    Lists are typed with commas; an empty line empties a list or a word.
    """
    if name not in DECLARED:
        raise unknown(name)
    default = DECLARED[name].default
    if isinstance(default, int):
        return _GAPS.sub("", text.strip())
    if isinstance(default, tuple):
        if text.strip().startswith("["):
            try:
                items = read_mapping(f"value: {text}").get("value")
            except MappingError as error:
                raise UsageError(
                    f"{name}: this is not a list: {error}", hint="write it as a, b, c"
                ) from error
            if isinstance(items, list) and all(isinstance(item, str) for item in items):
                return [str(item) for item in items]
        return [item for item in (part.strip() for part in text.split(",")) if item]
    return text.strip()


def check_value(name: str, value: Value, settings: Settings, check: Check | None = None) -> None:
    """Raises UsageError where a setting cannot be this, or not together with the other ``settings``."""
    if name not in DECLARED:
        raise unknown(name)
    made = checked(name, value)
    refuse_unfit(name, made)
    if check:
        check(replace(settings, **{name: made}))  # type: ignore[arg-type]


_WRITING = threading.Lock()
"""Two changes in a row are written one after the other."""


def set_own(
    name: str,
    value: Value | None,
    *,
    workspace_file: Path | None = None,
    check: Check | None = None,
    dry_run: bool = False,
) -> SettingChange:
    """Write a setting into the person's own file, or take it out (None). Raises WorkbenchError.

    ``dry_run`` raises the same, and writes nothing.
    """
    path = user_settings_path()
    if value is not None:
        check_value(name, value, tell(workspace_file).effective(), check)
    with _WRITING:
        before = read_own(path)
        after = changed_bytes(path, before, name, value)
        if not dry_run:
            replace_own(path, before, after)
    return SettingChange(path, tell(workspace_file).of(name) if name in DECLARED else None)


def plan_setting(workspace: Workspace, name: str, value: Value | None, check: Check | None = None) -> Plan:
    """The operation that writes a setting into the workspace's file, or takes it out (None).

    Raises UsageError, also for what only the person's own file may say.
    """
    path = workspace.root / SETTINGS_FILE
    if name in USER_ONLY:
        raise UsageError(
            f"{SETTINGS_FILE} cannot set {name}: that file is part of the memory, and this setting is "
            "personal",
            hint=f"set it in your own settings file, {user_settings_path()}",
        )
    if value is not None:
        check_value(name, value, tell(path).effective(), check)
    before = workspace.files.read_or_none(RelPath(SETTINGS_FILE))
    after = changed_bytes(path, before, name, value)
    what = f"{name} is {value_text(name, checked(name, value))}" if value is not None else f"{name} unset"
    return Plan(
        action="configure",
        summary=what,
        edits=(FileEdit(RelPath(SETTINGS_FILE), before, after),),
    )


def changed_bytes(path: Path, before: bytes | None, name: str, value: Value | None) -> bytes:
    """The file with this value for a setting, or without it. Raises UsageError where nothing would change,
    or where the file is written in a way that this cannot be certain of."""
    after = with_change(path, before, name, value, read=_read, places=places_of)
    if after == (before or b""):
        raise UsageError(
            f"{path} does not set {name}" if value is None else f"{name} already has that value in {path}"
        )
    return after


def _read(text: str) -> dict[str, object]:
    return flat(read_mapping(text))


def target(setting: ReportedSetting) -> SettingOrigin:
    """Where a change counts: the workspace's file where that says it already, else the person's own."""
    return SettingOrigin.WORKSPACE if setting.origin is SettingOrigin.WORKSPACE else SettingOrigin.OWN
