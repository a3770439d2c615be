"""What can be done there; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import GRAPH, LISTS, REVIEW, SCREENS, Action, Group, ScreenActions, define
from screens.actions.availability import writable

_in_review = ScreenActions(Group.REVIEW, REVIEW)

REVIEW_ACTIONS: tuple[Action, ...] = (
    define(
        "review",
        "D",
        "inbox",
        Group.ROOMS,
        "Inbox: accept, edit, reject or defer proposals.",
        places=LISTS | (SCREENS - GRAPH),
    ),
    _in_review(
        "accept",
        "a",
        "accept",
        "Accept the proposal, as one operation; if several are marked, shows them first.",
        blocked=writable,
        hint=1,
    ),
    _in_review(
        "reword",
        "e",
        "edit",
        "Edit the text, with the change shown beneath, and accept it.",
        blocked=writable,
        hint=2,
    ),
    _in_review(
        "reject",
        "x",
        "reject",
        "Reject it: the claim is not proposed again, not even in similar words.",
        blocked=writable,
        hint=3,
    ),
    _in_review(
        "reject_because",
        "X",
        "reject because …",
        "Reject it and record why.",
        blocked=writable,
    ),
    _in_review(
        "defer",
        "z",
        "later",
        "Defer it: until tomorrow, for a week, or until a day that you type.",
        blocked=writable,
        hint=4,
    ),
    _in_review(
        "withdraw",
        "W",
        "withdraw",
        "Withdraw a proposal or a decision; it may be proposed again.",
        blocked=writable,
    ),
    _in_review(
        "accept_marked",
        "A",
        "accept marked",
        "Accept all marked proposals as one operation, after showing the list and the diff.",
        blocked=writable,
        hint=6,
    ),
    _in_review(
        "see_source",
        "o",
        "source",
        "Go to the source entry in its pane; if there are several, choose one.",
        hint=5,
    ),
    _in_review(
        "why",
        "w",
        "why",
        "Explain why a claim is proposed or not: its score and conditions as of now.",
        hint=7,
    ),
    _in_review(
        "dream",
        "r",
        "dream",
        "Dream now: read recent logs and episodes, and propose what is worth keeping.",
        blocked=writable,
        hint=8,
    ),
    _in_review(
        "stop_dreaming",
        "c",
        "stop",
        "Stop the running dream; nothing is written.",
        hint=9,
    ),
    _in_review(
        "roll_back",
        "R",
        "undo run",
        "Undo everything that was accepted from the selected run, after showing the diff.",
        blocked=writable,
    ),
)
