"""A session that has been read: what was said in it, and whose it was."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from workbench.memory.transcript import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The turns of one session between two compactions, or all of them where it was never compacted.

    ``source`` is the file as provenance names it, ``key`` the session's own name, ``cycle`` how often it was
    compacted before these turns. ``summary`` is what the agent wrote when it compacted them, if it did.
    """

    source: str
    key: str
    turns: tuple[Turn, ...]
    cycle: int = 0
    summary: str = ""
    title: str = ""
    agent: str = ""
    user: str = ""
    trust: str = "agent"

    @property
    def source_id(self) -> str:
        """``key:cycle``: the same turns make one episode, however often they are read."""
        return f"{self.key}:{self.cycle}"

    @property
    def started_at(self) -> datetime | None:
        """When the first turn that says so was said."""
        return next((turn.when for turn in self.turns if turn.when), None)

    @property
    def ended_at(self) -> datetime | None:
        """When the last turn that says so was said."""
        return next((turn.when for turn in reversed(self.turns) if turn.when), None)
