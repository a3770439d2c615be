"""The gate before long-term memory: what hides text or holds a secret does not pass unseen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.errors import FlaggedError
from workbench.memory.entry import Entry, Kind
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import by_rule, masked, secrets_in
from workbench.safety.terminal import cut, visible

_TITLE = 60


def held_back(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Those of the entries, by the name they were asked for with, that do not pass, and a sentence why.

    Raises FlaggedError when none passes: then there is nothing to be done without a person's word.
    """
    held: dict[str, str] = {}
    secret = False
    for name, entry in entries.items():
        secrets = secrets_in(entry.text)
        if findings := (*secrets, *hidden_in(entry.text)):
            held[name] = "; ".join(by_rule(findings))
            secret = secret or bool(secrets)
    if held and len(held) == len(entries):
        raise FlaggedError({_title(entries[name]): why for name, why in held.items()}, secret=secret)
    return held


def require_clean(entries: Iterable[Entry]) -> None:
    """Raise FlaggedError for the first that does not pass; what is in long-term memory has passed."""
    for entry in entries:
        if entry.kind is not Kind.MEMORY:
            held_back({entry.address: entry})


def left_out(entries: Mapping[str, Entry], held: Mapping[str, str]) -> tuple[str, ...]:
    """What to tell of the entries that were held back while others passed."""
    return tuple(
        f"left out: “{_title(entries[name])}”: {why} (--allow-flagged takes it)" for name, why in held.items()
    )


def _title(entry: Entry) -> str:
    return cut(visible(masked(entry.plain_title), one_line=True), _TITLE)
