"""How a fleet stands: each workspace against the table, by content; and what of the table is not true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from indexing.many_workspaces.rows import row_id
from indexing.many_workspaces.table import KnownFile, SharedTable
from indexing.many_workspaces.workspace_reader import difference, everything
from workbench.errors import WorkbenchError, reason_of
from workbench.fleet.roster import Agent
from workbench.fleet.run import FleetProgress, OnProgress
from workbench.plural import plural

State = Literal["fresh", "behind", "missing", "failed", "unreadable"]
Fault = Literal["missing", "stale", "surplus", "doubled", "unlisted", "unreadable"]
_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStatus:
    """One workspace: ``behind`` counts files that the table says something else of.

    ``missing``: nothing of it is in the table. ``failed``: the last run could not take it, for ``error``.
    ``unreadable``: it cannot be read now.
    """

    name: str
    path: str
    state: State
    entries: int = 0
    files: int = 0
    behind: int = 0
    lacking: int = 0
    error: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFinding:
    """What is wrong: ``missing`` and ``stale`` files, ``surplus`` ones that are gone, ``doubled`` rows,

    workspaces that are ``unlisted``, and what is ``unreadable``. ``path`` is empty for a whole workspace.
    """

    fault: Fault
    workspace: str
    path: str = ""
    detail: str = ""


def standings(
    table: SharedTable, agents: Sequence[Agent], progress: OnProgress | None = None
) -> Iterator[SyncStatus]:
    """How each workspace stands. Raises IndexUnavailableError."""
    books = table.books()
    for agent, known in _each(table, agents, progress):
        said = books.get(agent.name, {})
        status = SyncStatus(
            name=agent.name,
            path=agent.path,
            state="unreadable",
            entries=sum(file.ids.total() for file in known.values()),
            at=said.get("at", ""),
        )
        try:
            changes = difference(agent.path, {path: file.digest for path, file in known.items()})
        except (WorkbenchError, OSError) as error:
            yield replace(status, error=reason_of(error))
            continue
        state: State = "fresh" if not changes.behind else "behind" if known else "missing"
        yield replace(
            status,
            state="failed" if changes.failed or said.get("state") == "failed" else state,
            files=changes.seen,
            behind=changes.behind,
            lacking=sum(file.lacking for file in known.values()) if table.card.dimension else 0,
            error=said.get("error", "") or "; ".join(list(changes.failed)[:3]),
        )


def check(
    table: SharedTable, agents: Sequence[Agent], progress: OnProgress | None = None
) -> Iterator[TableFinding]:
    """What of the table is not what the files say, by the ids of all rows. Raises IndexUnavailableError."""
    listed = {agent.name for agent in agents}
    for name, count in sorted(table.workspaces().items()):
        if name not in listed:
            yield TableFinding(
                fault="unlisted", workspace=name, detail=f"{count} rows of a workspace not listed"
            )
    for agent, known in _each(table, agents, progress):
        yield from _checked(agent, known)


def _checked(agent: Agent, known: dict[str, KnownFile]) -> Iterator[TableFinding]:
    def finding(fault: Fault, path: str, detail: str) -> TableFinding:
        return TableFinding(fault=fault, workspace=agent.name, path=path, detail=detail)

    there: set[str] = set()
    try:
        for file in everything(agent.path):
            there.add(file.path)
            has = known.get(file.path, KnownFile())
            wanted = Counter(row_id(agent.name, entry.address) for entry in file.entries)
            if wanted and not has.ids:
                yield finding("missing", file.path, plural(len(wanted), "entry"))
            elif set(wanted) != set(has.ids) or (wanted and has.digests != {file.digest}):
                yield finding("stale", file.path, f"{len(set(wanted) ^ set(has.ids))} entries differ")
            if has.doubled:
                yield finding("doubled", file.path, f"{has.doubled} rows")
    except (WorkbenchError, OSError) as error:
        yield finding("unreadable", "", reason_of(error))
        return
    for path in sorted(known.keys() - there):
        yield finding("surplus", path, "the file is gone, its rows are not")


def _each(
    table: SharedTable, agents: Sequence[Agent], progress: OnProgress | None
) -> Iterator[tuple[Agent, dict[str, KnownFile]]]:
    for start in range(0, len(agents), _AT_ONCE):
        some = agents[start : start + _AT_ONCE]
        known = table.known([agent.name for agent in some])
        for number, agent in enumerate(some, start + 1):
            yield agent, known[agent.name]
            if progress is not None:
                progress(FleetProgress("workspaces", number, len(agents)))
