"""What is known of the workspace, and who hears of it: readers publish, panes subscribe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from screens.drawing.rows import Row
from screens.main.request import Request
from workbench.errors import SecretFoundError
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
