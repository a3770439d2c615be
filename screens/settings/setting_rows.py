"""Settings as rows: each with its value and where that comes from, and all there is to know of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from screens.actions.active import key_for
from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import Shown, row_text, words
from workbench.config.settings import DECLARED
from workbench.config.settings_report import (
    SettingOrigin,
    SettingsProblem,
    ToldSetting,
    ToldSettings,
    value_text,
)
from workbench.operations.edit_settings import target

SETTING = "setting:"
"""How the ids of their rows begin."""
_NAME = 24
_AREAS = {
    "Looks": ("theme",),
    "Memory": ("memory_", "include", "exclude", "extra_", "team_", "agent_"),
    "Sessions": ("transcript", "flush_", "context_", "episode_"),
    "Search": ("search_",),
    "What an agent is given": ("inject_",),
    "Dreaming": ("dream_",),
    "Vectors": ("model", "embedding_"),
    "Language model": ("language_",),
}
"""The headings, and how the names under them begin."""
_TONES: dict[SettingOrigin, Tone] = {
    SettingOrigin.DEFAULT: "faint",
    SettingOrigin.OWN: "accent",
    SettingOrigin.WORKSPACE: "match",
    SettingOrigin.ENVIRONMENT: "warn",
}
_SHORT = {
    SettingOrigin.DEFAULT: "default",
    SettingOrigin.OWN: "yours",
    SettingOrigin.WORKSPACE: "workspace",
    SettingOrigin.ENVIRONMENT: "environment",
}


def setting_rows(told: ToldSettings, wanted: str = "") -> list[Row]:
    """What is wrong first, then the settings under their headings, those that hold ``wanted``."""
    needle = wanted.casefold().strip()
    rows = [row for row in problem_rows(told.problems) if needle in row.text.casefold()]
    for area, starts in _AREAS.items():
        shown = [s for s in told.settings if s.name.startswith(starts) and needle in _searched(s, area)]
        if shown:
            rows.append(Row(f"area:{area}", words(area), tone="head", inert=True))
            rows += [_row(setting) for setting in shown]
    return rows


def problem_rows(problems: Sequence[SettingsProblem]) -> Iterator[Row]:
    """What does not count, and where it stands."""
    if problems:
        yield Row("area:wrong", words("Does not count"), tone="head", inert=True)
    for number, problem in enumerate(problems):
        where = f"{problem.path.name}:{problem.line}" if problem.line else problem.path.name
        yield Row(f"wrong:{number}", row_text(f"! {where}  {problem.text}"), tone="warn")


def _searched(setting: ToldSetting, area: str) -> str:
    return f"{setting.name} {setting.shown} {setting.declared.doc} {setting.origin} {area}".casefold()


def _row(setting: ToldSetting) -> Row:
    changed = setting.origin is not SettingOrigin.DEFAULT
    unit = f" {setting.declared.unit}" if setting.declared.unit and setting.shown[:1].isdigit() else ""
    return Row(
        f"{SETTING}{setting.name}",
        row_text(setting.shown + unit),
        tone="text" if changed else "muted",
        lead=(RowPart(words(setting.name.ljust(_NAME)), "head" if changed else "text"),),
        tail=(RowPart(words(_SHORT[setting.origin]), _TONES[setting.origin]),),
    )


def detail_rows(setting: ToldSetting, themes: Sequence[str] = (), refusal: str | None = None) -> list[Row]:
    """Everything about one setting: value, default, origin, meaning, and what a change would do."""
    return [
        Row(f"fact:{n}", text, tone=tone) for n, (text, tone) in enumerate(_facts(setting, themes, refusal))
    ]


def _facts(setting: ToldSetting, themes: Sequence[str], refusal: str | None) -> Iterator[tuple[Shown, Tone]]:
    yield row_text(f"{setting.name}: {setting.shown}"), "head"
    yield row_text(setting.declared.doc), "text"
    yield words(""), "text"
    yield row_text(f"Default: {value_text(setting.name, setting.declared.default)}"), "muted"
    if setting.declared.unit:
        yield words(f"Unit: {setting.declared.unit}"), "muted"
    if choices := choices_of(setting.name, themes):
        yield row_text("May be: " + ", ".join(word or "(nothing)" for word in choices)), "muted"
    yield row_text(f"From: {origin_text(setting)}"), _TONES[setting.origin]
    for said in setting.also:
        yield row_text(f"Said in {said.path}, line {said.line}, too; what is above goes before it"), "faint"
    yield words(""), "text"
    if setting.declared.secret:
        yield (
            words("It is never shown, and typed blindly: better put it into the file with an editor."),
            "warn",
        )
    yield from _ways(setting, refusal)


def _ways(setting: ToldSetting, refusal: str | None) -> Iterator[tuple[Shown, Tone]]:
    change, shared, reset = (key_for(name) for name in ("change_setting", "change_shared", "reset_setting"))
    if target(setting) is SettingOrigin.WORKSPACE:
        yield (
            row_text(f"{change} changes it in workbench.yaml, which says it and goes before your file"),
            "muted",
        )
    else:
        yield row_text(f"{change} changes it in your own file"), "muted"
    if setting.declared.user_only:
        yield (
            words("Only your own file may say it: a workspace's comes with the memory, from anybody"),
            "faint",
        )
    elif refusal:
        yield row_text(f"{shared} would change it in workbench.yaml; not now: {refusal}"), "faint"
    elif target(setting) is SettingOrigin.OWN:
        yield (
            row_text(f"{shared} sets it in workbench.yaml, for everybody who works with this memory"),
            "faint",
        )
    if setting.origin in (SettingOrigin.OWN, SettingOrigin.WORKSPACE):
        yield row_text(f"{reset} takes it out again"), "muted"


def origin_text(setting: ToldSetting) -> str:
    """Where the value comes from, in full."""
    if setting.variable:
        return f"{setting.variable} in the environment"
    if setting.where is None:
        return "the default"
    return f"{setting.where.path}, line {setting.where.line}"


def choices_of(name: str, themes: Sequence[str]) -> tuple[str, ...]:
    """The few words that a setting may be; empty where it is anything else."""
    return tuple(themes) if name == "theme" else DECLARED[name].choices


def choice_rows(setting: ToldSetting, choices: Sequence[str]) -> list[Row]:
    """The words to choose from, the one that counts now marked; each row's id is its word."""
    now = (RowPart(words("now"), "accent"),)
    return [
        Row(word, row_text(word or "(nothing)"), tail=now if word == setting.value else ())
        for word in choices
    ]


def problem_details(problem: SettingsProblem) -> list[Row]:
    """One thing that does not count, whole."""
    where = f"{problem.path}, line {problem.line}" if problem.line else str(problem.path)
    lines = [(where, "head"), (problem.text, "warn"), (problem.hint, "muted")]
    lines.append(("Until it is corrected, this counts as not said.", "faint"))
    return [Row(f"fact:{n}", row_text(text), tone=tone) for n, (text, tone) in enumerate(lines) if text]  # type: ignore[arg-type]
