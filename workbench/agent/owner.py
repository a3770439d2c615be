"""Whose page comes first when an agent is told who this is about."""

from __future__ import annotations

import re

from workbench.errors import WorkbenchError
from workbench.graph.drafts import USER
from workbench.graph.snapshot import Graph
from workbench.memory.graph_page import Entity
from workbench.memory.names import RelPath
from workbench.workspace.workspace import Workspace

_USER_PAGE = RelPath("USER.md")
_CALLED = re.compile(
    r"^[ \t]*[-*+]?[ \t]*(?:\*\*|__)?Name:?(?:\*\*|__)?:?[ \t]+(?P<name>[^,;(\n]{1,100})", re.M | re.I
)


def owner_page(workspace: Workspace, graph: Graph, user: str = "") -> Entity | None:
    """The page of ``user``, or where none is given of the name in USER.md, else of `User`; None: no page."""
    if user:
        return graph.entity(user)
    try:
        data = workspace.files.read_or_none(_USER_PAGE)
    except (WorkbenchError, OSError):
        data = None  # a page that cannot be read names nobody
    said = _CALLED.search(data.decode("utf-8", "replace")) if data else None
    named = graph.entity(said["name"].strip("*_ ")) if said else None
    return named or graph.entity(USER)
