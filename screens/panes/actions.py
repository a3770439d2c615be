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
        "Filter this pane as you type: words, a month as 2026-03, and states such as pinned or -promoted.",
        places=PANE,
        hint=32,
    ),
    define(
        "filter_done",
        "enter tab",
        "to the rows",
        Group.PANES,
        "Leave the line; the filter stays until esc takes it away.",
        places=FILTER,
        hint=1,
        palette=False,
    ),
    define(
        "find",
        "F ctrl+f",
        "find here",
        Group.PREVIEW,
        "Find words in the file that the preview shows; all matches are brought out.",
        places=PANE,
        blocked=when.has_path,
    ),
    define(
        "find_done",
        "enter tab",
        "keep",
        Group.PREVIEW,
        "Leave the line; n and N step through the matches until esc.",
        places=FIND,
        hint=1,
        palette=False,
    ),
    define(
        "related",
        "s",
        "related",
        Group.HISTORY,
        "Entries that belong to this one: by source, by links and by words; each leads to its place.",
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
