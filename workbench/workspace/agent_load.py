"""How much of the files that an agent always loads it is really given: its own limit, and what is cut off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import asdict

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import Kind
from workbench.workspace.agent_rules import Cut, LoadLimit, Unit
from workbench.workspace.layout import MemoryFile, fits
from workbench.workspace.workspace import Workspace

LOADED = (Kind.MEMORY, Kind.BOOTSTRAP)
"""What an agent is given when a session begins."""


@frozen_kw_only
class LoadState:
    """A file or folder against the limit that it comes nearest to: ``used`` of ``limit``, in ``unit``."""

    path: str
    used: int
    limit: int
    unit: Unit
    cut: Cut

    @property
    def lost(self) -> int:
        """How much the agent is not given."""
        return max(0, self.used - self.limit)

    @property
    def sentence(self) -> str:
        """``MEMORY.md 14,200 of 12,000 characters; the agent is not given the last 2,200``."""
        said = f"{self.path} {self.used:,} of {self.limit:,} {self.unit}"
        if not self.lost:
            return said
        if self.cut == "none":
            return f"{said}; the agent cannot add to it until it is shorter"
        where = f"{self.lost:,} from its middle" if self.cut == "middle" else f"the {self.cut} {self.lost:,}"
        return f"{said}; the agent is not given {where}"

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {**asdict(self), "lost": self.lost, "sentence": self.sentence}


def load_states(workspace: Workspace, files: Iterable[MemoryFile] | None = None) -> tuple[LoadState, ...]:
    """The files that an agent always loads and has a limit for, the file of curated memory first.

    ``files`` are all of the workspace, where they are known already.
    """
    first = workspace.memory_path()
    folder = [limit.pattern for limit in workspace.layout.limits if limit.together]
    loaded = [
        file.path
        for file in (workspace.scan() if files is None else files)
        if file.kind in LOADED or any(fits(pattern, file.path) for pattern in folder)
    ]
    states: dict[str, tuple[int, LoadLimit]] = {}
    for path in sorted(loaded, key=lambda path: (path != first, path)):
        limits = workspace.layout.limits_of(path)
        with contextlib.suppress(OSError, WorkbenchError):
            data = workspace.read(path) if limits else b""
            for limit in limits:
                name = limit.pattern if limit.together else path
                known, nearest = states.get(name, (0, limit))
                used = limit.measure(data) + (known if limit.together else 0)
                if used / limit.most >= known / nearest.most:
                    states[name] = used, limit
    return tuple(
        LoadState(path=name, used=used, limit=limit.most, unit=limit.unit, cut=limit.cut)
        for name, (used, limit) in states.items()
    )
