"""A report of all settings: their values, where those come from, and what is wrong in the files.

It never fails, and the interface and ``workbench config`` show it. It leaves out the values of secrets.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from workbench.config import settings as settings_module
from workbench.config.settings import (
    DECLARED,
    USER_ONLY,
    Declaration,
    Settings,
    SettingsFileError,
    combined,
    hint_for_unknown,
    read_settings,
    short,
)
from workbench.config.yaml_edit import YamlPlace, yaml_places
from workbench.errors import UsageError
from workbench.frozen import frozen, frozen_kw_only

_KEYS = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


class SettingOrigin(StrEnum):
    """Where a value comes from."""

    DEFAULT = "default"
    OWN = "your own file"
    WORKSPACE = "the workspace"
    ENVIRONMENT = "the environment"


@frozen
class SettingMessage:
    """A file says something about a setting, on a line counted from 1."""

    path: Path
    line: int
    origin: SettingOrigin


@frozen_kw_only
class ReportedSetting:
    """One setting. ``where`` is the place that its value comes from, ``also`` others that say it too."""

    name: str
    value: object
    origin: SettingOrigin
    where: SettingMessage | None = None
    variable: str = ""
    """The variable of the environment that it comes from."""
    also: tuple[SettingMessage, ...] = ()

    @property
    def declared(self) -> Declaration:
        """Its default, its meaning, its unit, its bounds and who may say it."""
        return DECLARED[self.name]

    @property
    def shown(self) -> str:
        """The value as people read it; of a secret only whether there is one."""
        return value_text(self.name, self.value)

    @property
    def typed(self) -> str:
        """The value as one would type it; empty for a secret."""
        return "" if self.declared.secret else typed_text(self.value)


@frozen
class SettingsProblem:
    """Something in a file that does not count, and why."""

    path: Path
    text: str
    line: int = 0
    name: str = ""
    hint: str = ""

    @property
    def place(self) -> str:
        """The file, and the line where it is known."""
        return f"{self.path}:{self.line}" if self.line else str(self.path)

    @property
    def row(self) -> str:
        """All of it in one row."""
        return f"{self.place}: {self.text}" + (f" ({self.hint})" if self.hint else "")


@frozen
class SettingsReport:
    """All of them in the order in which they are declared."""

    settings: tuple[ReportedSetting, ...]
    problems: tuple[SettingsProblem, ...]
    own: Path
    workspace: Path | None

    def of(self, name: str) -> ReportedSetting:
        """One of them. Raises UsageError for a name that there is not."""
        found = next((setting for setting in self.settings if setting.name == name), None)
        if found is None:
            raise unknown(name)
        return found

    def effective(self) -> Settings:
        """The settings as they count, without what is wrong and without secrets."""
        told = (
            one
            for one in self.settings
            if one.origin is not SettingOrigin.ENVIRONMENT and not one.declared.secret
        )
        return Settings(**{one.name: one.value for one in told})  # type: ignore[arg-type]


def tell(workspace_file: Path | None) -> SettingsReport:
    """Every setting as it counts in the workspace with this file; None for no workspace."""
    own_path = settings_module.user_settings_path()
    root = workspace_file.parent if workspace_file is not None else None
    problems: list[SettingsProblem] = []
    own, own_places = _told_by(own_path, SettingOrigin.OWN, root, problems)
    shared, shared_places = (
        _told_by(workspace_file, SettingOrigin.WORKSPACE, root, problems) if workspace_file else ({}, {})
    )
    counting, mine = combined(own, shared), combined(own, {})
    told = []
    for name in DECLARED:
        said = [places[name] for places in (shared_places, own_places) if name in places]
        told.append(_setting(name, getattr(counting, name), mine, said))
    return SettingsReport(tuple(told), tuple(problems), own_path, workspace_file)


def as_far_as_read(workspace_file: Path) -> tuple[Settings, tuple[SettingsProblem, ...]]:
    """The settings for one workspace where ``settings.load`` refuses them, and what does not count, and why.

    For what is wrong its default is used. Secrets are left out: what needs one reads the files itself.
    """
    try:
        return settings_module.load(workspace_file), ()
    except UsageError as error:
        told = tell(workspace_file)
        refused = SettingsProblem(
            workspace_file, error.message.removeprefix(f"{workspace_file}: "), hint=error.hint
        )
        return told.effective(), told.problems or (refused,)


def unknown(name: str) -> UsageError:
    """There is no setting of this name."""
    return UsageError(f"there is no setting {short(name)}", hint=hint_for_unknown(name))


def value_text(name: str, value: object) -> str:
    """A value as people read it."""
    if DECLARED[name].secret:
        return "set (hidden)" if value else "not set"
    if isinstance(value, float) and value < 0:
        return DECLARED[name].unset
    if value in ("", ()):
        return "none" if isinstance(value, tuple) else "not set"
    if isinstance(value, int):
        return f"{value:,}"
    return typed_text(value)


def typed_text(value: object) -> str:
    """A value as one would type it."""
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    if isinstance(value, float):
        return f"{value:g}" if value >= 0 else ""
    return str(value)


def places_of(text: str) -> dict[str, YamlPlace]:
    """Where each setting is said, the place that counts: as where they are read, nested names are joined."""
    found: dict[tuple[str, ...], YamlPlace] = {}
    for place in yaml_places(text):
        if len(place.keys) <= 2:
            found.setdefault(place.keys, place)  # of a key that comes twice the first one counts
    return {"_".join(keys): place for keys, place in found.items()}


def _setting(name: str, value: object, mine: Settings, said: Sequence[SettingMessage]) -> ReportedSetting:
    """``said`` is what files say of it, the one that counts first; ``mine`` the person's own settings."""
    declared = DECLARED[name]
    variable = _variable(name, mine)
    if variable and (not declared.secret or not value):
        return ReportedSetting(
            name=name,
            value=declared.secret or os.environ[variable].strip(),
            origin=SettingOrigin.ENVIRONMENT,
            variable=variable,
            also=tuple(said),
        )
    return ReportedSetting(
        name=name,
        value=bool(value) if declared.secret else value,
        origin=said[0].origin if said else SettingOrigin.DEFAULT,
        where=said[0] if said else None,
        also=tuple(said[1:]),
    )


def _variable(name: str, mine: Settings) -> str:
    """The variable that is set and says something about the setting, or nothing."""
    wanted = ""
    if name == "embedding_device":
        wanted = "WORKBENCH_DEVICE"
    elif name == "language_key":
        wanted = mine.language_key_env
    elif name == "embedding_key":
        usual = (_KEYS[provider] for provider in mine.embedding_providers if provider in _KEYS)
        wanted = mine.embedding_key_env or next(usual, "")
    return wanted if os.environ.get(wanted, "").strip() else ""


def _told_by(
    path: Path, origin: SettingOrigin, root: Path | None, problems: list[SettingsProblem]
) -> tuple[dict[str, object], dict[str, SettingMessage]]:
    """What counts of one file, and where it says so; what does not count is put into ``problems``."""
    try:
        file = read_settings(path, root, trusted=origin is SettingOrigin.OWN)
    except SettingsFileError as error:
        problems.append(SettingsProblem(path, error.reason, error.line, hint=error.hint))
        return {}, {}
    lines = {name: place.line for name, place in places_of(file.text).items()} if file.text else {}
    values = {name: value for name, value in file.values.items() if name not in file.wrong}
    for name in file.said:
        line = lines.get(name, 0)
        if name in file.misplaced:
            where = "only your own settings file may set it" if name in USER_ONLY else hint_for_unknown(name)
            problems.append(SettingsProblem(path, f"{short(name)} is ignored: {where}", line, name))
        elif wrong := file.wrong.get(name):
            problems.append(SettingsProblem(path, wrong.message, line, name, wrong.hint))
    return values, {name: SettingMessage(path, lines.get(name, 0), origin) for name in values}
