"""What can be done with the panes as lists: narrow one, find in the preview, see what belongs to an entry."""

from __future__ import annotations

from screens.actions import availability as when
from screens.actions.action import FILTER, FIND, LISTS, PANE, Action, Group, define

PANE_ACTIONS: tuple[Action, ...] = (
    define(
        "filter",
        "f",
        "filter",
        Group.PANES,
        "Filter this pane as you type: words, a month (2026-03), states such as pinned or -promoted.",
        places=PANE,
        hint=32,
    ),
    define(
        "filter_done",
        "enter tab",
        "to the rows",
        Group.PANES,
        "Leave the filter line; the filter stays until you press esc.",
        places=FILTER,
        hint=1,
        palette=False,
    ),
    define(
        "find",
        "F ctrl+f",
        "find here",
        Group.PREVIEW,
        "Find words in the file that the preview shows; all matches are highlighted.",
        places=PANE,
        blocked=when.has_path,
    ),
    define(
        "find_done",
        "enter tab",
        "keep",
        Group.PREVIEW,
        "Leave the find line; n and N go through the matches until you press esc.",
        places=FIND,
        hint=1,
        palette=False,
    ),
    define(
        "related",
        "s",
        "related",
        Group.HISTORY,
        "Related entries: by source, by links and by words; enter goes to one.",
        places=LISTS,
        blocked=when.has_kin,
    ),
    define(
        "prune",
        "X",
        "prune expired",
        Group.ACT,
        "Remove expired episodes after a preview; git keeps them.",
        places=PANE,
        blocked=when.writable,
    ),
)
