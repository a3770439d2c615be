"""Settings and keys as rows: each with its value and where it comes from, and all there is to know of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from screens.actions.action import Action
from screens.actions.active import key_for
from screens.actions.key_file import Keys
from screens.actions.keymap import PROFILES, key_map
from screens.actions.keys import key_names
from screens.actions.registry import ACTIONS, grouped_actions
from screens.drawing.rows import GAP, Row, RowPart, Tone, line_rows, piece
from screens.drawing.safe_text import row_text, words
from workbench.config.settings import DECLARED
from workbench.config.settings_report import (
    SettingOrigin,
    SettingsProblem,
    ToldSetting,
    ToldSettings,
    value_text,
)
from workbench.operations.edit_settings import target

SETTING, ACTION = "setting:", "action:"
"""How the ids of the rows of settings begin, and of the rows of actions."""
_NAME, _KEYS = 24, 16
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
_ORIGINS: dict[SettingOrigin, RowPart] = {
    SettingOrigin.DEFAULT: piece("default", "faint"),
    SettingOrigin.OWN: piece("yours", "accent"),
    SettingOrigin.WORKSPACE: piece("workspace", "match"),
    SettingOrigin.ENVIRONMENT: piece("environment", "warn"),
}
Facts = Iterator[tuple[str, Tone]]


def setting_rows(told: ToldSettings, wanted: str = "") -> list[Row]:
    """What is wrong first, then the settings under their headings, those that hold ``wanted``."""
    wrong = [(problem.text, _problem_row(number, problem)) for number, problem in enumerate(told.problems)]
    rows = _under("Does not count", wrong, wanted)
    for area, starts in _AREAS.items():
        here = (one for one in told.settings if one.name.startswith(starts))
        rows += _under(area, [(_searched(one, area), _setting_row(one)) for one in here], wanted)
    return rows


def key_rows(keys: Keys, wanted: str = "") -> list[Row]:
    """What is wrong first, then every action under its group, those that hold ``wanted``."""
    wrong = []
    for number, problem in enumerate(keys.problems):
        text = row_text(f"{'·' if problem.note else '!'} {problem.told(keys.file.path.name)}")
        row = Row(f"wrong:{number}", text, tone="muted" if problem.note else "warn")
        wrong.append((problem.text, row))
    rows = _under("In your file", wrong, wanted)
    for group, actions in grouped_actions():
        rows += _under(group, [(_searched_key(one, keys), _action_row(one, keys)) for one in actions], wanted)
    return rows


def _under(heading: str, every: Iterable[tuple[str, Row]], wanted: str) -> list[Row]:
    """The rows whose texts hold what is wanted, under their heading; nothing where none does."""
    needle = wanted.casefold().strip()
    rows = [row for text, row in every if needle in text.casefold()]
    head = Row(f"area:{heading}", words(heading), tone="head", inert=True)
    return [head, *rows] if rows else []


# -- settings ------------------------------------------------------------------------------------


def _searched(setting: ToldSetting, area: str) -> str:
    return f"{setting.name} {setting.shown} {setting.declared.doc} {setting.origin} {area}"


def _problem_row(number: int, problem: SettingsProblem) -> Row:
    where = f"{problem.path.name}:{problem.line}" if problem.line else problem.path.name
    return Row(f"wrong:{number}", row_text(f"! {where}  {problem.text}"), tone="warn", of=problem)


def _setting_row(setting: ToldSetting) -> Row:
    changed = setting.origin is not SettingOrigin.DEFAULT
    unit = f" {setting.declared.unit}" if setting.declared.unit and setting.shown[:1].isdigit() else ""
    return Row(
        f"{SETTING}{setting.name}",
        row_text(setting.shown + unit),
        tone="text" if changed else "muted",
        lead=(piece(setting.name.ljust(_NAME), "head" if changed else "text"),),
        tail=(_ORIGINS[setting.origin],),
        of=setting,
    )


def detail_rows(setting: ToldSetting, themes: Sequence[str] = (), refusal: str | None = None) -> list[Row]:
    """Everything about one setting: value, default, origin, meaning, and what a change would do."""
    return line_rows(_setting_facts(setting, themes, refusal))


def _setting_facts(setting: ToldSetting, themes: Sequence[str], refusal: str | None) -> Facts:
    declared = setting.declared
    choices = choices_of(setting.name, themes)
    yield f"{setting.name}: {setting.shown}", "head"
    yield declared.doc, "text"
    yield GAP, "text"
    yield f"Default: {value_text(setting.name, declared.default)}", "muted"
    yield f"Unit: {declared.unit}" if declared.unit else "", "muted"
    yield "May be: " + ", ".join(word or "(nothing)" for word in choices) if choices else "", "muted"
    yield f"From: {_origin_text(setting)}", _ORIGINS[setting.origin].tone
    for said in setting.also:
        yield f"Also set in {said.path}, line {said.line}; the value above wins", "faint"
    yield GAP, "text"
    if declared.secret:
        yield "It is never shown, and typed blindly: better put it into the file with an editor.", "warn"
    yield from _ways(setting, refusal)


def _ways(setting: ToldSetting, refusal: str | None) -> Facts:
    change, shared, reset = (key_for(name) for name in ("change_setting", "change_shared", "reset_setting"))
    if target(setting) is SettingOrigin.WORKSPACE:
        yield f"{change} changes it in workbench.yaml, which says it and goes before your file", "muted"
    else:
        yield f"{change} changes it in your own file", "muted"
    if setting.declared.user_only:
        yield "Only your own file may set it: a workspace's file is untrusted", "faint"
    elif refusal:
        yield f"{shared} would change it in workbench.yaml; not now: {refusal}", "faint"
    elif target(setting) is SettingOrigin.OWN:
        yield f"{shared} sets it in workbench.yaml, for everybody who works with this memory", "faint"
    if setting.origin in (SettingOrigin.OWN, SettingOrigin.WORKSPACE):
        yield f"{reset} takes it out again", "muted"


def _origin_text(setting: ToldSetting) -> str:
    if setting.variable:
        return f"{setting.variable} in the environment"
    return f"{setting.where.path}, line {setting.where.line}" if setting.where else "the default"


def choices_of(name: str, themes: Sequence[str]) -> tuple[str, ...]:
    """The few words that a setting may be; empty where it is anything else."""
    return tuple(themes) if name == "theme" else DECLARED[name].choices


def choice_rows(setting: ToldSetting, choices: Sequence[str]) -> list[Row]:
    """The words to choose from, the one that counts now marked; each row's id is its word."""
    now = (piece("now", "accent"),)
    return [
        Row(word, row_text(word or "(nothing)"), tail=now if word == setting.value else ())
        for word in choices
    ]


def problem_details(problem: SettingsProblem) -> list[Row]:
    """One thing that does not count, whole."""
    where = f"{problem.path}, line {problem.line}" if problem.line else str(problem.path)
    until = "It is ignored until it is corrected."
    return line_rows([(where, "head"), (problem.text, "warn"), (problem.hint, "muted"), (until, "faint")])


# -- keys ----------------------------------------------------------------------------------------


def _searched_key(action: Action, keys: Keys) -> str:
    return f"{action.id} {key_names(keys.map.of(action.id))} {action.label} {action.help} {action.group}"


def _action_row(action: Action, keys: Keys) -> Row:
    """With why a key of the person's file does not count."""
    names = key_names(keys.map.of(action.id)) or "no key"
    skipped = next((problem.text for problem in keys.wrong if problem.action == action.id), "")
    text = row_text(f"{action.label}  ! {skipped}") if skipped else words(action.label)
    tail: tuple[RowPart, ...] = ()
    if any(wish.action == action.id for wish in keys.file.wishes):
        tail = (piece("yours", "accent"),)
    elif action.id in PROFILES[keys.map.profile]:
        tail = (piece(keys.map.profile, "faint"),)
    return Row(
        f"{ACTION}{action.id}",
        text,
        emphasis=((len(action.label), len(text), "warn"),) if skipped else (),
        lead=(piece(names.ljust(_KEYS), "match"),),
        tail=tail,
        of=action,
    )


def action_facts(action: Action, keys: Keys) -> Facts:
    """Everything about the keys of one action."""
    file, profile = keys.file.path, keys.map.profile
    profiled, _ = key_map(ACTIONS, profile)
    yield f"{action.label}: {key_names(keys.map.of(action.id)) or 'no key'}", "head"
    yield action.help, "text"
    yield GAP, "text"
    yield f"Name in keys.toml: {action.id}", "muted"
    yield f"In the profile {profile}: {key_names(profiled.of(action.id)) or 'no key'}", "muted"
    yield "Where: " + ", ".join(sorted(action.places)), "muted"
    for wish in keys.file.wishes:
        if wish.action == action.id:
            yield f"Yours: {file}, line {wish.line}: {' '.join(wish.keys) or 'no key'}", "accent"
    for problem in keys.problems:
        if problem.action == action.id:
            yield problem.text, "muted" if problem.note else "warn"
    yield GAP, "text"
    yield f"{key_for('change_setting')} opens {file} in your editor", "muted"
    yield f'There, under [keys]: {action.id} = ["ctrl+x", "F5"], or [] for no key', "muted"
    yield f"{key_for('key_profile')} starts from another profile: {', '.join(PROFILES)}", "muted"
