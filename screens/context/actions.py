"""What can be done there; a part of the registry in ``screens.actions``."""

from __future__ import annotations

from screens.actions.action import (
    AGENT,
    LISTS,
    MESSAGE,
    REVIEW,
    SCREENS,
    Action,
    Group,
    ScreenActions,
    define,
)

_for_agent = ScreenActions(Group.AGENT, AGENT)

AGENT_ACTIONS: tuple[Action, ...] = (
    define(
        "agent_view",
        "W",
        "context",
        Group.ROOMS,
        "Type a message: what an agent would be given with it, why, and what that costs.",
        places=LISTS | (SCREENS - REVIEW),
    ),
    _for_agent(
        "write_message",
        "slash",
        "type a message",
        "Type a message; what is given with it follows as you type.",
        hint=1,
    ),
    _for_agent(
        "message_done",
        "enter tab escape",
        "to the list",
        "From the message to what is given with it.",
        places=MESSAGE,
        hint=1,
    ),
    _for_agent(
        "older_message",
        "up",
        "message before",
        "The message that was typed before this one.",
        places=MESSAGE,
        hint=2,
    ),
    _for_agent(
        "newer_message",
        "down",
        "message after",
        "The one after it, down to what was being typed.",
        places=MESSAGE,
    ),
    _for_agent("agent_go", "o", "go to it", "To the entry in its pane; enter does the same.", hint=2),
    _for_agent(
        "raw_text",
        "t",
        "as the agent reads it",
        "Between the list with its reasons and the very text that the agent gets.",
        hint=3,
    ),
    _for_agent(
        "copy_given",
        "y",
        "copy text",
        "Copy the text that the agent gets; where there is none, the row.",
        hint=5,
    ),
    _for_agent("agent_message", "1", "with a message", "What is given with a message."),
    _for_agent(
        "agent_memory",
        "2",
        "memory bulletin",
        "What an agent is given about the people and things of this memory.",
    ),
    _for_agent(
        "agent_context",
        "3",
        "context bulletin",
        "What an agent is given about todos and events that are due.",
    ),
    _for_agent("agent_loaded", "4", "always loaded", "The files that an agent has before it."),
    _for_agent(
        "agent_most", "5", "given most", "Which memories dominate what was given, and which never were."
    ),
    _for_agent("next_part", "tab l right", "next part", "To the next of these.", hint=4),
    _for_agent("previous_part", "shift+tab h left", "previous part", "To the one before."),
    _for_agent(
        "memory_loaded",
        "m",
        "MEMORY.md or not",
        "As for an agent that loads MEMORY.md itself, or as for one that does not.",
        hint=13,
    ),
    _for_agent("more_days", "plus", "more days", "Count the recalls of more days: 7, 30, 90, 365."),
    _for_agent("fewer_days", "minus", "fewer days", "Count the recalls of fewer days."),
    _for_agent("read_again", "r", "read again", "Read what is shown once more, as it is on the disk now."),
)
