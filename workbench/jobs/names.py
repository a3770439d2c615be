"""The jobs by their names."""

from __future__ import annotations

from enum import StrEnum


class Job(StrEnum):
    """What runs by itself. The value names its lock and its records in ``.workbench/``."""

    NIGHTLY = "nightly"
    WATCH = "watch"
    REINDEX = "reindex"
    REINDEX_WATCH = "reindex-watch"

    @property
    def command(self) -> str:
        """What stands behind ``workbench`` to run it."""
        return _COMMANDS.get(self, self.value)

    @property
    def lasting(self) -> bool:
        """Whether it goes on until it is stopped, rather than coming to an end."""
        return self in (Job.WATCH, Job.REINDEX_WATCH)

    @property
    def called(self) -> str:
        """What it is called in a sentence."""
        return "the nightly run" if self is Job.NIGHTLY else self.command

    @property
    def lock(self) -> str:
        """The name of the lock file that its runs hold."""
        return f"{self.value}.lock"


_COMMANDS = {Job.NIGHTLY: "jobs run nightly", Job.REINDEX_WATCH: "reindex --watch"}
