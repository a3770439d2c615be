"""All tools by name, and how one is called: its arguments are checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from workbench.errors import WorkbenchError, disk_error
from workbench.recall.tools import changing, graph_reading, searching, storing
from workbench.recall.tools.advice import advice, unknown_tool, wrong_arguments
from workbench.recall.tools.aliases import by_own_names
from workbench.recall.tools.door import Call, Door
from workbench.recall.tools.tool import Result, Tool

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.name: tool
        for tool in (
            searching.SEARCH,
            searching.GET,
            graph_reading.RECALL,
            graph_reading.QUERY,
            graph_reading.GRAPH,
            storing.STORE,
            changing.UPDATE,
            changing.FORGET,
            storing.SKIP,
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
