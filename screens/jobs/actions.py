"""What can be done about long work; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import LISTS, Action, Group, define
from screens.actions.availability import always, writable

WORK_ACTIONS: tuple[Action, ...] = (
    define(
        "ingest",
        "I",
        "ingest …",
        Group.ACT,
        "Ingest transcripts or pages: sessions become episodes; facts are added to the graph.",
        places=LISTS,
        blocked=writable,
    ),
    define(
        "stop_work",
        "c",
        "stop",
        Group.ACT,
        "Stop the running index, dream, ingest or backup; the next run continues from there.",
        places=LISTS,
        blocked=always,
    ),
)
