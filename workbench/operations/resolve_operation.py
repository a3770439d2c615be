"""Which operation a person means by the first digits of its id."""

from __future__ import annotations

import re

from workbench.errors import AmbiguousOperationError, OperationNotFoundError
from workbench.repository.commit_queries import commits_named
from workbench.workspace.plan import Operation
from workbench.workspace.workspace import Workspace

SHORTEST_PREFIX = 4
"""Digits of an operation's or commit's id that must be given at least."""
_DIGITS = re.compile(r"[0-9a-f]*")


def find_operation(workspace: Workspace, prefix: str) -> Operation:
    """The one operation whose id, or whose commit, starts with ``prefix``; a whole id counts at once.

    Raises OperationNotFoundError or AmbiguousOperationError, ReadOnlyError for a team leader's.
    """
    workspace.require_own(prefix)
    wanted = prefix.lower()
    if len(wanted) < SHORTEST_PREFIX or not _DIGITS.fullmatch(wanted):
        raise OperationNotFoundError(
            prefix, f"an operation is named by {SHORTEST_PREFIX} or more of its digits"
        )
    found: list[Operation] = []
    left = commits_named(workspace.history, wanted, f"Operation: {wanted}")
    for operation in workspace.operations.walk() if left else ():
        if wanted == operation.commit or (wanted == operation.id and _is_original(workspace, operation)):
            return operation
        if operation.id.startswith(wanted) or operation.commit.startswith(wanted):
            found.append(operation)
        left.discard(operation.commit)
        if not left:
            break  # nothing older can be meant
    if not found:
        raise OperationNotFoundError(prefix)
    if len({operation.id for operation in found}) > 1:
        raise AmbiguousOperationError(prefix, [f"{o.id} ({o.summary})" for o in found])
    return found[-1]  # the oldest: newer ones of the same name are copies


def _is_original(workspace: Workspace, operation: Operation) -> bool:
    """Whether no older commit has this operation's name: a plain commit may copy the lines of another."""
    first = workspace.history.first_saying(f"Operation: {operation.id}")
    return first in (None, operation.commit)
