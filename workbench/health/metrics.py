"""Figures of the jobs and the memory as a text file for Prometheus. It is a file: nothing is sent anywhere.

Times are seconds since 1970, durations seconds, shares of 1. The file holds no text of memory and no path:
its labels are the name of the workspace, of jobs and of steps, and ``id``, a digest of the workspace's
folder, which tells workspaces of one name apart.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UsageError, disk_error
from workbench.health.subject import CheckSubject
from workbench.safety.terminal import visible
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

SUFFIX = ".prom"
"""What the text collector of the node exporter reads."""
_ID_BYTES = 6
_MEASURED = ("jobs", "inbox", "budget", "sync")
"""The checks that count something."""


@dataclass(frozen=True, slots=True)
class MetricsFile:
    """Where the figures of one workspace are written."""

    path: Path
    workspace: Workspace

    @classmethod
    def at(cls, name: str, workspace: Workspace) -> MetricsFile:
        """The file ``name``. Raises UsageError where it could not, or must not, be written."""
        path = Path(name).expanduser().absolute()
        if path.suffix != SUFFIX:
            raise UsageError(
                f"a file of metrics ends in {SUFFIX}, and {path.name} does not",
                hint="the text collector of Prometheus reads no other; nothing was written",
            )
        if not path.parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write metrics into", hint="make it first")
        if path.parent.resolve().is_relative_to(workspace.root):
            raise UsageError(
                "metrics do not belong into the workspace", hint="name a file in a folder outside of it"
            )
        return cls(path, workspace)

    def write(self, now: datetime) -> None:
        """Put the figures of this moment there, whole or not at all. Raises WorkbenchError."""
        from prometheus_client import write_to_textfile  # noqa: PLC0415 - only for whoever wants figures

        try:
            write_to_textfile(str(self.path), figures(self.workspace, now))
        except OSError as error:
            raise disk_error(error) from error


def figures(workspace: Workspace, now: datetime) -> CollectorRegistry:
    """All gauges. What cannot be told is left out: an absent figure is no zero."""
    from prometheus_client import CollectorRegistry, Gauge  # noqa: PLC0415

    from workbench.health.checks import CHECKS, look_at  # noqa: PLC0415 - the checks bring the engines

    registry = CollectorRegistry()
    gauges: dict[str, Gauge] = {}
    own = {
        "workspace": visible(_name(workspace), one_line=True),
        "id": hashlib.blake2b(os.fsencode(workspace.root), digest_size=_ID_BYTES).hexdigest(),
    }
    place = CheckSubject(workspace, moment=now)
    for figure in [one for c in CHECKS if c.name in _MEASURED for one in look_at(c, place).figures]:
        labels = own | dict(figure.labels)
        if figure.name not in gauges:
            name = f"workbench_{figure.name}"
            gauges[figure.name] = Gauge(name, figure.help, list(labels), registry=registry)
        gauges[figure.name].labels(*labels.values()).set(figure.value)
    return registry


def _name(workspace: Workspace) -> str:
    """The name that the person gave the workspace, else that of its folder."""
    with contextlib.suppress(UsageError):
        if known := read_registry().at(workspace.root):
            return known.name
    return workspace.root.name
