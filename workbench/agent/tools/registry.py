"""All tools by name, and how one is called: its arguments are checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from workbench.agent.tools import graph_changes, graph_queries, search, store
from workbench.agent.tools.agent_session import Call, Door
from workbench.agent.tools.aliases import by_own_names
from workbench.agent.tools.error_advice import advice, unknown_tool, wrong_arguments
from workbench.agent.tools.tool import Result, Tool
from workbench.errors import WorkbenchError, disk_error

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            search.SEARCH,
            search.GET,
            graph_queries.RECALL,
            graph_queries.QUERY,
            graph_queries.GRAPH,
            store.STORE,
            graph_changes.UPDATE,
            graph_changes.FORGET,
            store.SKIP,
        )
    }
)


class ToolError(Exception):
    """A call that did not come to an answer; its text tells an agent what to do next."""


def call_tool(door: Door, name: str, arguments: Any, call: Call) -> Result:
    """What the tool answers. Raises ToolError, and nothing else but what is a defect of ours."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ToolError(unknown_tool(name, iter(TOOLS)))
    try:
        said = by_own_names(tool, {} if arguments is None else arguments)
    except ValueError as error:
        raise ToolError(f"{tool.name}: {error}.") from error
    if wrong := wrong_arguments(tool, said):
        raise ToolError(wrong)
    try:
        return tool.run(door, said, call)
    except WorkbenchError as error:
        raise ToolError(advice(error)) from error
    except OSError as error:
        raise ToolError(advice(disk_error(error))) from error
