"""What to do about a refusal, in keys: hints are written for the command line, and here there is none."""

from __future__ import annotations

import re

from screens.actions.active import key_for
from screens.drawing.safe_text import Shown, row_text
from workbench.errors import WorkbenchError

_CLAUSE_END = re.compile(r"; |\. ")
_COMMAND = re.compile(r"`?\bworkbench (?P<name>inbox conflicts|[a-z]+)(?P<rest>[^`]*)`?")
_NAMED = re.compile(r"`workbench (?P<name>inbox conflicts|[a-z]+)[^`]*`")
_ACTIONS = {
    "status": "", "get": "", "search": "", "restore": "",
    "log": "operations", "show": "operations", "inbox conflicts": "conflicts",
    **{name: name for name in ("promote", "forget", "edit", "merge", "move", "pin", "quarantine", "archive",
                               "undo", "redo", "blame", "reindex")},
}  # fmt: skip
"""Commands and the actions that stand for them; an empty one has none, and its clause is left out."""
_OPTION = re.compile(r" \(--[^)]*\)")
"""Options stand in brackets behind the words that say what they do."""


def advice(error: WorkbenchError) -> Shown:
    """The hint of ``error`` as it is done here; empty where there is none."""
    hint = _OPTION.sub("", error.hint or "")
    clauses = (clause for clause in _CLAUSE_END.split(hint) if clause and _can_be_done(clause))
    return row_text("; ".join(_COMMAND.sub(_key, clause) for clause in clauses))


def in_keys(note: str) -> str:
    """A note of a plan, with keys of the panes in place of the commands that it names between backticks."""

    def pressed(command: re.Match[str]) -> str:
        action = _ACTIONS.get(command["name"])
        return f"{key_for(action)} in the panes" if action else command[0]

    return _NAMED.sub(pressed, note)


def _can_be_done(clause: str) -> bool:
    return all(_ACTIONS.get(command["name"]) != "" for command in _COMMAND.finditer(clause))


def _key(command: re.Match[str]) -> str:
    """The key of the action that stands for a command; the command where it is done outside."""
    action = _ACTIONS.get(command["name"])
    if action == "promote" and "--into" in command["rest"]:
        action = "promote_to"
    return key_for(action) if action else command[0]
