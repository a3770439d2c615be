"""What is known of the workspace, and who hears of it: readers publish, panes subscribe.

Whether the memory that is shown is today's, or as it was at some moment.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from screens.drawing.safe_text import Row
from workbench.errors import ReadOnlyError, SecretFoundError, WorkbenchError
from workbench.workspace.registry import read_registry
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from screens.main.request import Request
    from workbench.workspace.plan import Operation, Plan

T = TypeVar("T")


class WorkspaceModel:
    """Hands what is published to its subscribers, one after the other, on the event loop.

    The views of ``snapshots`` are published as they are.
    """

    def __init__(self, call_later: Callable[..., object]) -> None:
        """``call_later`` calls a function on the event loop, behind the keys before it; from any thread."""
        self._call_later = call_later
        self._subscribers: defaultdict[type, list[Callable[[Any], object]]] = defaultdict(list)

    def subscribe(self, kind: type[T], *heard: Callable[[T], object]) -> None:
        """Call ``heard`` with each event of this very class, behind those who subscribed before."""
        self._subscribers[kind] += heard

    def publish(self, event: object) -> None:
        """Tell the subscribers soon. From any thread."""
        self._call_later(self._tell, event)

    def _tell(self, event: object) -> None:
        for heard in self._subscribers[type(event)]:
            heard(event)


@dataclass(frozen=True, slots=True)
class OperationCompleted:
    """An operation was carried out; so many conflicts wait since then.

    ``shown`` are the entries that the pane had when it was asked for: files may have been read again since.
    """

    operation: Operation
    request: Request
    conflicts: int
    shown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRefused:
    """An operation was refused, or failed; with ``agreed`` and its ``plan`` where a yes is all it needs.

    ``secret``: what else the yes is to, where the plan would put a secret into git's history.
    """

    request: Request
    error: Exception
    targets: tuple[Row, ...] = ()
    agreed: Request | None = None
    plan: Plan | None = None
    secret: SecretFoundError | None = None


def moment_of(workspace: Workspace) -> str:
    """The moment as people say it: ``2026-03-14 10:00``; empty for today's memory."""
    return workspace.moment.partition(" (")[0]


def require_today(workspace: Workspace) -> None:
    """Raises ReadOnlyError for the past, which can only be looked at."""
    if moment := moment_of(workspace):
        raise ReadOnlyError(
            f"memory as of {moment} is read-only",
            hint="start without --as-of for current memory",
        )


def home_relative(path: Path) -> str:
    """A path as people say it: ``~/notes`` below their home."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # elsewhere, or a person without a home
        return str(path)


def titled(workspace: Workspace) -> str:
    """Whose memory it is by its name, and where; of the past first as of when, since the end is cut off."""
    root, moment = workspace.today, moment_of(workspace)
    place = home_relative(root)
    with contextlib.suppress(WorkbenchError):  # the list cannot be read: it is a workspace all the same
        if known := read_registry().at(root):
            place = f"{known.name} · {place}"
    return f"as of {moment} · {place}" if moment else place
