"""Keys as rows: each action with its keys, which of them are a person's own, and what there is to know."""

from __future__ import annotations

from collections.abc import Iterator

from screens.actions.action import Action
from screens.actions.active import key_for
from screens.actions.key_file import Keys
from screens.actions.keymap import PROFILES, key_map
from screens.actions.keys import key_names
from screens.actions.registry import ACTIONS, by_id, grouped_actions
from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import Shown, row_text, words

ACTION = "action:"
"""How the ids of their rows begin."""
_KEYS = 16


def key_rows(keys: Keys, wanted: str = "") -> list[Row]:
    """What is wrong first, then every action under its group, those that hold ``wanted``."""
    needle = wanted.casefold().strip()
    rows: list[Row] = []
    problems = [(n, p) for n, p in enumerate(keys.problems) if needle in p.text.casefold()]
    if problems:
        rows.append(Row("area:wrong", words("In your file"), tone="head", inert=True))
    for number, problem in problems:
        text = row_text(f"{'·' if problem.note else '!'} {problem.told(keys.file.path.name)}")
        rows.append(Row(f"wrong:{number}", text, tone="muted" if problem.note else "warn"))
    own = {wish.action for wish in keys.file.wishes}
    skipped = {problem.action: problem.text for problem in reversed(keys.wrong)}
    for group, actions in grouped_actions():
        shown = [action for action in actions if needle in _searched(action, keys)]
        if shown:
            rows.append(Row(f"area:{group}", words(group), tone="head", inert=True))
            rows += [
                _row(action, keys, own=action.id in own, skipped=skipped.get(action.id, ""))
                for action in shown
            ]
    return rows


def _searched(action: Action, keys: Keys) -> str:
    names = key_names(keys.map.of(action.id))
    return f"{action.id} {names} {action.label} {action.help} {action.group}".casefold()


def _row(action: Action, keys: Keys, *, own: bool, skipped: str) -> Row:
    """``skipped`` says why a key of the person's file does not count."""
    names = key_names(keys.map.of(action.id)) or "no key"
    changed = action.id in PROFILES[keys.map.profile]
    tail = RowPart(words("yours"), "accent") if own else RowPart(words(keys.map.profile), "faint")
    text = row_text(f"{action.label}  ! {skipped}") if skipped else words(action.label)
    return Row(
        f"{ACTION}{action.id}",
        text,
        emphasis=((len(action.label), len(text), "warn"),) if skipped else (),
        lead=(RowPart(words(names.ljust(_KEYS)), "match"),),
        tail=(tail,) if own or changed else (),
    )


def action_details(action_id: str, keys: Keys) -> list[Row]:
    """Everything about the keys of one action."""
    return [
        Row(f"fact:{n}", text, tone=tone) for n, (text, tone) in enumerate(_facts(by_id()[action_id], keys))
    ]


def _facts(action: Action, keys: Keys) -> Iterator[tuple[Shown, Tone]]:
    profiled, _ = key_map(ACTIONS, keys.map.profile)
    yield words(f"{action.label}: {key_names(keys.map.of(action.id)) or 'no key'}"), "head"
    yield words(action.help), "text"
    yield words(""), "text"
    yield words(f"Name in keys.toml: {action.id}"), "muted"
    yield (
        words(f"In the profile {keys.map.profile}: {key_names(profiled.of(action.id)) or 'no key'}"),
        "muted",
    )
    yield words("Where: " + ", ".join(sorted(action.places))), "muted"
    if wish := next((wish for wish in keys.file.wishes if wish.action == action.id), None):
        yield (
            row_text(f"Yours: {keys.file.path}, line {wish.line}: {' '.join(wish.keys) or 'no key'}"),
            "accent",
        )
    for problem in keys.problems:
        if problem.action == action.id:
            yield row_text(problem.text), "muted" if problem.note else "warn"
    yield words(""), "text"
    change, profile = key_for("change_setting"), key_for("key_profile")
    yield row_text(f"{change} opens {keys.file.path} in your editor"), "muted"
    yield row_text(f'There, under [keys]: {action.id} = ["ctrl+x", "F5"], or [] for no key'), "muted"
    yield words(f"{profile} starts from another profile: {', '.join(PROFILES)}"), "muted"
