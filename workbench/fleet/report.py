"""What a run over a fleet did: figures, and each workspace that failed with the reason."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from indexing.storage import write_json
from workbench.errors import disk_error


@dataclass(frozen=True, slots=True)
class FleetProgress:
    """Workspaces that are done, of all."""

    phase: str
    done: int
    total: int


OnProgress = Callable[[FleetProgress], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """A workspace that failed as often as it may."""

    name: str
    path: str
    error: str
    attempts: int


@dataclass(slots=True)
class FleetReport:
    """``written`` workspaces had changes, ``unchanged`` ones none. All seconds are of the clock, but
    ``reading`` and ``embedding``, which are those of all workers together.

    ``lost`` counts tasks whose worker died, ``deaths`` says of each worker that died when and why,
    ``storage_retries`` counts writes and reads that were tried again.
    """

    uri: str
    model: str
    total: int
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    files: int = 0
    changed_files: int = 0
    removed_files: int = 0
    entries: int = 0
    embedded: int = 0
    lacking: int = 0
    batches: int = 0
    retried: int = 0
    lost: int = 0
    storage_retries: int = 0
    rows: int = 0
    version: int = 0
    seconds: float = 0.0
    starting: float = 0.0
    reading: float = 0.0
    embedding: float = 0.0
    comparing: float = 0.0
    writing: float = 0.0
    settling: float = 0.0
    stopped: str = ""
    deaths: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The report for programs."""
        return {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in (asdict(self) | {"stopped": self.stopped or None}).items()
        }

    def save(self, file: str) -> None:
        """The report as a JSON file. Raises ReadOnlyError and WriteFailedError."""
        try:
            write_json(Path(os.path.abspath(os.path.expanduser(file))), self.as_json())
        except OSError as error:
            raise disk_error(error) from error
