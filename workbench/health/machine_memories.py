"""How the registered workspaces stand, and what the agents of this machine keep."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from indexing.sync.freshness import freshness
from workbench.config.settings import load
from workbench.dreaming.proposals.agent_queues import queued_in
from workbench.errors import UsageError, WorkbenchError
from workbench.format_version import FORMAT
from workbench.frozen import frozen, frozen_kw_only
from workbench.ingest.transcript_files import agents_here
from workbench.workspace.agent_layouts import (
    LAYOUTS,
    AgentLayout,
    folder_at,
    found_on_this_machine,
)
from workbench.workspace.agent_load import LoadState, load_states
from workbench.workspace.declared_format import format_of
from workbench.workspace.layout import SETTINGS_FILE
from workbench.workspace.registry import RegisteredWorkspace
from workbench.workspace.workspace import Workspace

GONE = "gone"
REFUSED = "refused"


@frozen
class WorkspaceStatus:
    """One workspace. ``entries`` are those of its index.

    ``state`` is that of its index (fresh, stale, missing, damaged, unreadable), ``gone`` where the folder is
    not there, ``refused`` where it cannot be opened. ``newer_format`` is that of a newer program's.
    """

    name: str
    path: Path
    state: str
    summary: str
    files: int = 0
    entries: int = 0
    newer_format: int | None = None

    @property
    def usable(self) -> bool:
        """Whether it can be opened."""
        return self.state not in (GONE, REFUSED)

    @property
    def needs_a_look(self) -> bool:
        """Whether a person has to do something before it is fully used."""
        return not self.usable or self.newer_format is not None


def standing(one: RegisteredWorkspace) -> WorkspaceStatus:
    """How it is doing. Never raises: what is wrong is told."""
    status = partial(WorkspaceStatus, one.name, one.root)
    if not one.there:
        return status(GONE, "the folder is gone")
    try:
        with contextlib.closing(Workspace.open(one.root)) as place:
            found = freshness(place)
        newer = written if (written := format_of(one.root)) > FORMAT else None
    except WorkbenchError as error:
        return status(REFUSED, error.message)
    except OSError as error:
        return status(REFUSED, f"it cannot be read: {error.strerror or error}")
    summary = found.summary
    if newer:
        summary = f"{summary}; written by a newer version (format {newer}): read-only"
    return status(found.state, summary, found.files, found.entries, newer)


@frozen_kw_only
class AgentMemory:
    """The memory in one folder. ``files`` are counted by their kind, ``newest`` is when one was written last.

    ``pending`` are the agent's own proposals that wait for a decision.

    ``problem`` says why it could not be looked at; the rest is empty then.
    """

    path: Path
    layout: AgentLayout
    files: dict[str, int]
    bytes: int = 0
    newest: datetime | None = None
    loaded: tuple[LoadState, ...] = ()
    pending: int = 0
    problem: str = ""

    @property
    def load(self) -> str:
        """How much of what the agent loads it is given: of each file that is cut, else of the first."""
        cut = [one.sentence for one in self.loaded if one.lost]
        return "; ".join(cut or [one.sentence for one in self.loaded[:1]])


def agent_memories() -> list[AgentMemory]:
    """The memory of every agent of this machine, the one written last first; nothing is written by that.

    A folder without a file of memory is left out.
    """
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(_memories(), key=lambda one: one.newest or never, reverse=True)


def _memories() -> Iterator[AgentMemory]:
    for layout, root in _places():
        try:
            # It is read as memory of this agent and nothing else: the folder that is named may be a whole
            # home, in which other layouts would find files without end.
            settings = load(root / SETTINGS_FILE, lenient=True)
            with contextlib.closing(Workspace(root, replace(settings, layout=(layout.name,)))) as place:
                files = place.scan()
                loaded = load_states(place, files)
                pending = len(queued_in(place))
        except WorkbenchError as error:
            yield AgentMemory(path=root, layout=layout, files={}, problem=error.message)
            continue
        if files:
            counts = Counter(file.kind.value for file in files)
            yield AgentMemory(
                path=root,
                layout=layout,
                files=dict(sorted(counts.items())),
                bytes=sum(file.size for file in files),
                newest=datetime.fromtimestamp(max(file.ctime_ns for file in files) / 1e9, UTC),
                loaded=loaded,
                pending=pending,
            )


def _places() -> Iterator[tuple[AgentLayout, Path]]:
    """The folders that layouts declare, then those that the settings of their programs name, each once."""
    seen = set()
    for layout, root in found_on_this_machine():
        seen.add(root)
        yield layout, root
    owners = {program.name: layout for layout in LAYOUTS for program in layout.programs}
    with contextlib.suppress(UsageError):  # settings that cannot be read name no further folder
        for agent in agents_here():
            named = folder_at(os.path.expanduser(agent.workspace))
            if named is not None and named not in seen:
                seen.add(named)
                yield owners[agent.program], named
