"""What can be done about searching; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions import availability as when
from screens.actions.action import PANE, QUERY, SEARCH, Action, Group, define

SEARCH_ACTIONS: tuple[Action, ...] = (
    define("search", "slash", "search", Group.SEARCH, "Search everything as you type.", hint=30),
    define(
        "switch",
        "tab shift+tab",
        "words or hits",
        Group.SEARCH,
        "Between the query and the hits; on a hit, p, d, space and other keys work.",
        places=SEARCH,
        hint=35,
        palette=False,
    ),
    define(
        "next_hit",
        "n",
        "next hit",
        Group.SEARCH,
        "Go to the next hit of the last search.",
        places=PANE,
        blocked=when.has_hits,
    ),
    define(
        "previous_hit",
        "N",
        "previous hit",
        Group.SEARCH,
        "Go to the previous hit.",
        places=PANE,
        blocked=when.has_hits,
    ),
    define(
        "older_search",
        "ctrl+up alt+up",
        "search before",
        Group.SEARCH,
        "Back through earlier searches; an empty query lists them.",
        places=QUERY,
        palette=False,
    ),
    define(
        "newer_search",
        "ctrl+down alt+down",
        "search after",
        Group.SEARCH,
        "Forward again, to the query that you were typing.",
        places=QUERY,
        palette=False,
    ),
    define(
        "explain_hit",
        "w f3",
        "why this hit",
        Group.SEARCH,
        "Explain this hit: the parts of its score.",
        places=SEARCH,
        blocked=when.has_hits,
        hint=36,
    ),
)
