"""All tools by name, and how one is called: its arguments are checked before anything runs.

An error is told such that an agent can act on it: what happened, and what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.agent.agent_text import as_line
from workbench.agent.federated_search import READ_ONLY
from workbench.agent.tools import graph_changes, queries
from workbench.agent.tools.tool import LONGEST_ADVICE, AgentSession, Call, Result, Tool, ToolError
from workbench.errors import WorkbenchError, disk_error
from workbench.safety.secrets import masked

TOOLS: Mapping[str, Tool] = {
    name: tool
    for module in (queries, graph_changes)
    for name, tool in vars(module).items()
    if isinstance(tool, Tool)
}
"""Every tool that these modules declare, in their order."""
_NEXT = {
    "entry-not-found": "Call memory_search or memory_graph_query again: it gives today's ids and entries.",
    "entry-ambiguous": "Give the whole entry, as memory_search returned it.",
    "not-memory": "Use a path of a memory_search result; only memory files of this workspace can be read.",
    "busy": "Another program is writing. Wait a few seconds and call again, at most three times.",
    "read-only": "Nothing can be stored here. Go on without it, and tell the person.",
    "no-git": "Reading works. Tell the person that nothing can be stored without git.",
    "no-repository": "Reading works. Tell the person that storing needs a repository: `workbench init`.",
    "repository-state": "Reading works. Tell the person; storing works when the repository is in order.",
    "index-unavailable": (
        "Ask the person to run `workbench reindex`. Until then use memory_get, memory_graph_query and "
        "knowledge_graph_search, which need no index."
    ),
    "flagged": "Store it again without the hidden text or the secret.",
    "secret": "Never store a secret: say where it is kept instead.",
    "write-failed": "Nothing was changed. Tell the person that writing to disk failed.",
    "conflict": "Nothing was changed, because the text changed in the meantime. Read it again, then decide.",
    "cancelled": "Nothing was done.",
}
_SHELL = ("`workbench", "--")
"""A hint that speaks of the command line is for people."""


def call_tool(session: AgentSession, name: str, arguments: Any, call: Call) -> Result:
    """What the tool answers. Raises ToolError, and nothing else but what is a defect of ours."""
    tool = TOOLS.get(name)
    if tool is None:
        known = ", ".join(TOOLS)
        raise ToolError(as_line(f"There is no tool {name}. There are: {known}.", LONGEST_ADVICE))
    try:
        return tool(session, {} if arguments is None else arguments, call)
    except (WorkbenchError, OSError) as error:
        raise ToolError(advice(error, writes=tool.writes)) from error


def advice(error: WorkbenchError | OSError, *, writes: bool = False) -> str:
    """An error as the agent reads it: what is wrong, and what to do next. ``writes``: of what would write."""
    if not isinstance(error, WorkbenchError):
        error = disk_error(error)
    if error.message == READ_ONLY:
        return READ_ONLY
    hint = "" if any(sign in error.hint for sign in _SHELL) else error.hint
    following = _NEXT.get(error.code) or ("" if hint or not writes else "Nothing was changed.")
    said = filter(None, (error.message, hint, following))
    told = " ".join(words if words.endswith((".", "!", "?")) else f"{words}." for words in said)
    return as_line(masked(told), LONGEST_ADVICE)
