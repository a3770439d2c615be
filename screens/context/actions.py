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
        "Context preview: type a message to see what an agent would be given with it, and why.",
        places=LISTS | (SCREENS - REVIEW),
    ),
    _for_agent(
        "write_message",
        "slash",
        "type a message",
        "Type a message; what is given with it is updated as you type.",
        hint=1,
    ),
    _for_agent(
        "message_done",
        "enter tab escape",
        "to the list",
        "From the message to the list of what is given with it.",
        places=MESSAGE,
        hint=1,
    ),
    _for_agent(
        "older_message",
        "up",
        "message before",
        "Previous message.",
        places=MESSAGE,
        hint=2,
    ),
    _for_agent(
        "newer_message",
        "down",
        "message after",
        "Next message, up to the one you were typing.",
        places=MESSAGE,
    ),
    _for_agent("agent_go", "o", "go to it", "To the entry in its pane; the same as enter.", hint=2),
    _for_agent(
        "raw_text",
        "t",
        "as the agent reads it",
        "Switch between the list with reasons and the exact text that the agent gets.",
        hint=3,
    ),
    _for_agent(
        "copy_given",
        "y",
        "copy text",
        "Copy the text that the agent gets, or the row if there is none.",
        hint=5,
    ),
    _for_agent("agent_message", "1", "with a message", "View: what is given with a message."),
    _for_agent(
        "agent_memory",
        "2",
        "memory bulletin",
        "View: the bulletin about people and things.",
    ),
    _for_agent(
        "agent_context",
        "3",
        "context bulletin",
        "View: the bulletin about todos and events that are due.",
    ),
    _for_agent("agent_loaded", "4", "always loaded", "View: the files that an agent always loads."),
    _for_agent(
        "agent_most", "5", "given most", "View: which memories were given most often, and which never."
    ),
    _for_agent("next_part", "tab l right", "next part", "To the next view.", hint=4),
    _for_agent("previous_part", "shift+tab h left", "previous part", "To the previous view."),
    _for_agent(
        "memory_loaded",
        "m",
        "MEMORY.md or not",
        "Switch between an agent that loads MEMORY.md itself and one that does not.",
        hint=13,
    ),
    _for_agent("more_days", "plus", "more days", "Count the recalls of more days: 7, 30, 90, 365."),
    _for_agent("fewer_days", "minus", "fewer days", "Count the recalls of fewer days."),
    _for_agent("read_again", "r", "read again", "Reload what is shown from disk."),
)
