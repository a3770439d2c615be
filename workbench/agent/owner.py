"""Whose page comes first when an agent is told who this is about."""

from __future__ import annotations

from workbench.errors import WorkbenchError
from workbench.graph.drafts import USER
from workbench.graph.snapshot import Graph
from workbench.memory.graph_page import Entity
from workbench.workspace.owner import owner_name_of
from workbench.workspace.workspace import Workspace


def owner_page(workspace: Workspace, graph: Graph, user: str = "") -> Entity | None:
    """The page of ``user``, or where none is given of the name in USER.md, else of `User`; None: no page."""
    if user:
        return graph.entity(user)
    try:
        name = owner_name_of(workspace)
    except (WorkbenchError, OSError):
        name = ""  # a page that cannot be read names nobody
    return (graph.entity(name) if name else None) or graph.entity(USER)
