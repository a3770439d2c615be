"""Whether a session belongs to a workspace, by what it says of itself: its folder, and its agent."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError
from workbench.ingest.agent_sessions import (
    AgentSessions,
    agents_here,
    claude_project,
    project_name,
    same_place,
)
from workbench.ingest.session_index import agent_of_folder, route_of
from workbench.ingest.transcript_files import TranscriptFile, blocks, opened
from workbench.workspace.workspace import Workspace

_HEAD = 1 << 20
"""Bytes of a transcript in which its folder is looked for."""
_FOLDERS = ("cwd", "workspace", "workspaceDir")
"""Under which names the lines of a transcript say in which folder the agent worked."""


@dataclass(frozen=True, slots=True)
class SessionOwner:
    """Judges by what a session says of itself whether it belongs to the workspace ``root``.

    ``named``: the person named the transcripts. Then the folder where that agent usually works is its too.
    """

    root: Path
    agents: tuple[AgentSessions, ...] = ()
    named: bool = False

    @classmethod
    def of(cls, workspace: Workspace) -> SessionOwner:
        """The judge for a workspace, as the other programs' settings are now."""
        named = bool(workspace.settings.transcripts)
        agents: tuple[AgentSessions, ...] = ()
        with contextlib.suppress(UsageError):  # settings that cannot be read name no further folder
            agents = tuple(agents_here())
        return cls(workspace.root, agents, named)

    def why_not(self, file: TranscriptFile) -> str:
        """Why a session is another workspace's; empty where it is this one's, or does not say.

        Raises as ``transcript_files.opened``.
        """
        folder = os.path.dirname(file.path)
        agent = agent_of_folder(folder)
        told = route_of(file, file.stem)
        if agent and told.agent and told.agent.casefold() != agent.casefold():
            return f"it belongs to the agent {told.agent}, and lies among the sessions of {agent}"
        own = [os.fspath(self.root)]
        if self.named:
            own += [one.workspace for one in self.agents if same_place(one.folder, folder)]
        for cwd in (told.workspace, _folder_in(file)):
            if cwd and not any(self._is_of(cwd, one) for one in own):
                return f"it belongs to another workspace: {cwd}"
        return ""

    def _is_of(self, cwd: str, root: str) -> bool:
        """Whether work in ``cwd`` can be that of ``root``: there, below, or from a folder above it."""
        place, own = os.path.realpath(cwd), os.path.realpath(root)
        if os.path.commonpath((place, own)) in (place, own):
            return True
        project = os.path.basename(claude_project(self.root))
        slug = project_name(place)
        return self.root.name == "memory" and (slug == project or slug.startswith(f"{project}-"))


def _folder_in(file: TranscriptFile) -> str:
    """The folder that the first lines of a transcript name; empty where they name none."""
    with opened(file.path) as descriptor:
        head = b"".join(blocks(descriptor, 0, min(file.size, _HEAD)))
    for line in head.split(b"\n"):
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            continue
        for name in _FOLDERS if isinstance(said, dict) else ():
            if isinstance(found := said.get(name), str) and os.path.isabs(found) and "\0" not in found:
                return found
    return ""
