"""What can be done about long work; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import LISTS, Action, Group, define
from screens.actions.availability import always, writable

WORK_ACTIONS: tuple[Action, ...] = (
    define(
        "ingest",
        "I",
        "take in …",
        Group.ACT,
        "Take in transcripts or pages: sessions become episodes, episodes and logs teach the graph.",
        places=LISTS,
        blocked=writable,
    ),
    define(
        "stop_work",
        "c",
        "stop",
        Group.ACT,
        "Stop the long work under way (index, dream, ingest, backup): the next run goes on from there.",
        places=LISTS,
        blocked=always,
    ),
)
