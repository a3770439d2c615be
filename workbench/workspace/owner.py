"""Whose memory a workspace is: the name that USER.md gives."""

from __future__ import annotations

from workbench.memory.names import RelPath
from workbench.memory.origin import owner_name
from workbench.workspace.workspace import Workspace

_USER_PAGE = RelPath("USER.md")


def owner_name_of(workspace: Workspace) -> str:
    """The owner's name; empty where USER.md is not there or gives none."""
    data = workspace.files.read_or_none(_USER_PAGE)
    return owner_name(data.decode("utf-8", "replace")) if data else ""
