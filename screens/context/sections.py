"""What is looked at, in the order of the tabs, and what cannot be done in which of them."""

from __future__ import annotations

from enum import IntEnum

from screens.drawing.rows import Row


class ContextTab(IntEnum):
    """One tab."""

    MESSAGE = 0
    MEMORY = 1
    CONTEXT = 2
    LOADED = 3
    MOST = 4


NAMES = ("Message", "Memory", "Context", "Loaded", "Given most")
HAVE_TEXT = (ContextTab.MESSAGE, ContextTab.MEMORY, ContextTab.CONTEXT)
"""Those of which an agent gets a text; the others are lists for a person."""
_TITLES = (
    "given with a message",
    "memory bulletin: who this is about",
    "context bulletin: what is due",
    "always loaded",
    "what dominates",
)
_NO_ENTRY = "put the cursor on an entry of this memory first"
_NO_DAYS = "days are counted where one sees what was given most: 5"


def title_of_section(section: ContextTab, *, memory_loaded: bool) -> str:
    """The title of its frame; for what kind of agent it holds."""
    if section is ContextTab.MOST:
        return _TITLES[section]
    return f"{_TITLES[section]} · the agent {'loads' if memory_loaded else 'does not load'} MEMORY.md"


def obstacles(section: ContextTab, row: Row | None) -> dict[str, str]:
    """Why an action cannot be done here, by its id."""
    why: dict[str, str] = {}
    if row is None or not (row.address or row.path):
        why |= {"agent_go": _NO_ENTRY, "open": _NO_ENTRY}
    if section is ContextTab.LOADED:
        why["raw_text"] = "an agent loads these files whole, as they are"
    if section is ContextTab.MOST:
        why["raw_text"] = "this is a list for you: no agent gets it"
        why["memory_loaded"] = "this is about what was given already"
    else:
        why |= {"more_days": _NO_DAYS, "fewer_days": _NO_DAYS}
    return why
