"""What all sections look at: the workspace, read once however many sections ask for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from workbench.errors import WorkbenchError
from workbench.health.corpus import Corpus, read_corpus
from workbench.health.finding import Finding
from workbench.health.subject import CheckSubject
from workbench.health.usage import UsageSummary, recalled
from workbench.memory.entry import Kind
from workbench.memory.episode import Episode, read_episode
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

MOST_ENTRIES = 250_000
"""Entries that are read for the rules; what is beyond is said not to have been looked at."""
PATIENCE = 60.0
"""Seconds after which no further file is read for the rules."""


@dataclass
class Subject:
    """One workspace at one moment. ``now`` has a time zone; ``today`` is its local day."""

    place: CheckSubject
    now: datetime
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    all_tests: bool = False
    """Whether every recall test is run, however many there are."""

    @property
    def workspace(self) -> Workspace:
        """The workspace."""
        return self.place.workspace

    @property
    def today(self) -> date:
        """The day that decides what is over."""
        return self.now.date()

    @property
    def is_past(self) -> bool:
        """Whether this is memory as it was: then what is derived from today says nothing of it."""
        return isinstance(self.workspace, PastWorkspace)

    @cached_property
    def recalled(self) -> UsageSummary:
        """What was recalled."""
        return recalled(self.workspace, today=self.today)

    @cached_property
    def episodes(self) -> tuple[list[Episode], int]:
        """Every episode, and how many pages of them could not be read."""
        found, failed = [], 0
        for file in self.workspace.scan():
            if file.kind is not Kind.EPISODE:
                continue
            try:
                found.append(read_episode(self.workspace.document(file.path)))
            except FileNotFoundError:  # removed meanwhile
                continue
            except (OSError, WorkbenchError):
                failed += 1
        return found, failed

    @cached_property
    def corpus(self) -> Corpus:
        """All memory, as far as it can be read in bounded time."""
        return self._read[0]

    @property
    def unreadable(self) -> list[Finding]:
        """A finding for each file that cannot be read."""
        return self._read[1]

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was not read, in words."""
        return self._read[2]

    @cached_property
    def _read(self) -> tuple[Corpus, list[Finding], tuple[str, ...]]:
        return read_corpus(self.workspace, self.today, most=MOST_ENTRIES, patience=PATIENCE, clock=self.clock)
