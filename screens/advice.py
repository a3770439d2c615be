"""What to do about a refusal, in keys: hints are written for the command line, and here there is none."""

from __future__ import annotations

import re

from screens.actions import by_id
from screens.keys import key_name
from screens.shown import Shown, row_text
from workbench.errors import WorkbenchError

_CLAUSE_END = re.compile(r"; |\. ")
_COMMAND = re.compile(r"`?\bworkbench (?P<name>[a-z]+)(?P<rest>[^`]*)`?")
_ACTIONS = {
    "status": "", "get": "", "restore": "",
    "log": "operations", "show": "operations", "release": "quarantine",
    **{name: name for name in ("promote", "forget", "edit", "merge", "move", "pin", "quarantine", "archive",
                               "undo", "redo", "blame", "conflicts", "search", "reindex")},
}  # fmt: skip
"""Commands and the actions that stand for them; an empty one has none, and its clause is left out."""
_PHRASES = (
    ("name entries to archive them", "mark entries to archive them"),
    ("`workbench search` shows the addresses of today", ""),
    ("give the words with --text", "write the words yourself"),
    ("give one paragraph with --text", "write one paragraph"),
    ("name a file with --to, or a --heading", "choose a heading or a file"),
    ("name a --heading", "choose another heading"),
    ("choose a section before it with --heading", "choose a heading before it"),
    (" with --allow-secret on the command line", ""),
)


def advice(error: WorkbenchError) -> Shown:
    """The hint of ``error`` as it is done here; empty where there is none."""
    hint = error.hint or ""
    for told, here in _PHRASES:
        hint = hint.replace(told, here)
    clauses = (clause for clause in _CLAUSE_END.split(hint) if clause and _can_be_done(clause))
    return row_text("; ".join(_COMMAND.sub(_key, clause) for clause in clauses))


def _can_be_done(clause: str) -> bool:
    return all(_ACTIONS.get(command["name"]) != "" for command in _COMMAND.finditer(clause))


def _key(command: re.Match[str]) -> str:
    """The key of the action that stands for a command; the command where it is done outside."""
    action = _ACTIONS.get(command["name"])
    if action == "promote" and "--into" in command["rest"]:
        action = "promote_to"
    return key_name(by_id()[action].keys[0]) if action else command[0]
