"""What an agent has before it before anybody says anything: files that it loads at the start of a session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from workbench.agent.fence import tokens
from workbench.errors import WorkbenchError
from workbench.memory.dated_name import dated_name
from workbench.memory.entry import Kind
from workbench.workspace.workspace import Workspace

State = Literal["loaded", "empty", "unreadable"]
COUNTED = 1_000_000
"""Bytes of a file whose tokens are counted; of the rest the same share is assumed."""
_WHY = {
    Kind.MEMORY: "long-term memory",
    Kind.BOOTSTRAP: "how the agent works",
    Kind.CONTEXT: "from the session before",
}
_ORDER = (Kind.MEMORY, Kind.BOOTSTRAP, Kind.CONTEXT, Kind.LOG)
_LOGS = (("today's log", 0), ("yesterday's log", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One file. ``tokens`` is an estimate from above, ``bytes`` its size."""

    path: str
    kind: Kind
    why: str
    tokens: int
    bytes: int
    state: State = "loaded"


def loaded(workspace: Workspace, today: date, *, memory_loaded: bool = True) -> tuple[Loaded, ...]:
    """The files in the order in which they are loaded.

    MEMORY.md (unless ``memory_loaded`` says that the agent does not), the bootstrap files, the context file
    and the logs of today and yesterday: what OpenClaw and its kin read when a session begins. What is in
    ``_system/`` is never among them.
    """
    days = {today - timedelta(days=back): why for why, back in _LOGS}
    found = []
    for file in workspace.scan():
        why = _WHY.get(file.kind)
        if file.kind is Kind.LOG and (named := dated_name(file.path)):
            why = days.get(named.day)
        if why is None or (file.kind is Kind.MEMORY and not memory_loaded):
            continue
        found.append(_measured(workspace, file.path, file.kind, why, file.size))
    return tuple(sorted(found, key=lambda one: (_ORDER.index(one.kind), one.path)))


def _measured(workspace: Workspace, path: str, kind: Kind, why: str, size: int) -> Loaded:
    try:
        data = workspace.read(path)
    except (WorkbenchError, OSError):
        return Loaded(path=path, kind=kind, why=why, tokens=0, bytes=size, state="unreadable")
    counted = tokens(data[:COUNTED].decode("utf-8", "replace"))
    if len(data) > COUNTED:
        counted = round(counted * len(data) / COUNTED)
    state: State = "loaded" if data.strip() else "empty"
    return Loaded(path=path, kind=kind, why=why, tokens=counted, bytes=len(data), state=state)
