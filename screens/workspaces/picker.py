"""The dialog in which a person chooses a workspace; the state of each is shown as soon as it is known."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from textual.await_complete import AwaitComplete

from screens.dialogs.dialog import ChooseScreen
from screens.drawing.safe_text import Row, RowPart, grouped, piece, row_text
from screens.loading.workspace_model import home_relative
from screens.workspaces.switch import ADD, HERE, KEEP, OPEN
from workbench.health.machine_memories import GONE, WorkspaceStatus, standing
from workbench.workspace.registry import RegisteredWorkspace, Registry, free_name

_SHOWN_NOW = piece("●", "good")


def workspace_rows(known: Registry, here: Path, standings: Mapping[Path, WorkspaceStatus]) -> list[Row]:
    """The registered workspaces, the shown one marked; where it is not registered, a row to register it.

    ``standings`` are the states that are known so far.
    """
    rows = [_row(one, here, standings.get(one.root)) for one in known.entries]
    if known.at(here) is None:
        text = row_text(f"put this one on the list, as {free_name(here, known)}   {home_relative(here)}")
        rows.append(Row(ADD, text, lead=(_SHOWN_NOW,)))
    rows += [
        Row(f"skipped:{number}", row_text(f"{known.path.name}: {line}"), tone="warn", inert=True)
        for number, line in enumerate(known.skipped)
    ]
    return rows


def typed_rows(typed: str, known: Registry) -> Sequence[Row]:
    """The rows that stand for a folder that was typed: open it and keep it, or only open it."""
    if not any(sign in typed for sign in "/~."):
        return ()
    folder = Path(os.path.realpath(os.path.expanduser(typed)))
    if not folder.is_dir() or known.at(folder) is not None:
        return ()
    shown = home_relative(folder)
    kept = f"open {shown}, and put it on the list as {free_name(folder, known)}"
    return (
        Row(f"{KEEP}{folder}", row_text(kept)),
        Row(f"{OPEN}{folder}", row_text(f"open {shown} this once")),
    )


def _row(one: RegisteredWorkspace, here: Path, standing: WorkspaceStatus | None) -> Row:
    shown = one.root == here
    lead = (_SHOWN_NOW if shown else piece(" "),)
    if standing and not standing.usable:
        remedy = f"`workbench workspaces remove {one.name}`" if standing.state == GONE else "fix it first"
        why = row_text(f"{one.name}: {standing.summary}; {remedy}")
        return Row(str(one.root), why, tone="warn", lead=lead, inert=True)
    text = row_text(f"{one.name}   {home_relative(one.root)}")
    tail = (_state(standing),) if standing else ()
    return Row(HERE if shown else f"{OPEN}{one.root}", text, lead=lead, tail=tail)


def _state(standing: WorkspaceStatus) -> RowPart:
    if standing.newer_format:
        return piece("needs a newer version: read-only", "warn")
    if standing.state == "missing":
        return piece("no index yet", "warn")
    count = f"{grouped(standing.entries)} entries"
    return piece(count) if standing.state == "fresh" else piece(f"{count} · behind", "warn")


class WorkspaceChooser(ChooseScreen):
    """Returns the id of the chosen row, or None; ``leaves`` gets the id first, before any further key."""

    def __init__(self, known: Registry, here: Path, leaves: Callable[[str], None]) -> None:
        rows = workspace_rows(known, here, {})
        super().__init__(
            "Workspaces",
            rows,
            lambda typed: typed_rows(typed, known),
            placeholder="type to narrow, or the path of another one",
            empty="no workspace has that name; type the path of a folder to open it",
            chooses="shows it here",
            at=next((row.id for row in rows if row.id != HERE and not row.inert), None),
        )
        self._known = known
        self._here = here
        self._leaves = leaves
        self._standings: dict[Path, WorkspaceStatus] = {}

    def on_mount(self) -> None:
        """Show the names; look how they are doing beside that."""
        super().on_mount()
        self.work(self._look, "look")

    async def _look(self) -> None:
        for one in self._known.entries:
            self._standings[one.root] = await asyncio.to_thread(standing, one)
            self.call_later(self.exchange, workspace_rows(self._known, self._here, self._standings))

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Leave; from here on no key may act on what is about to be another workspace."""
        if result is not None:
            self._leaves(result)
        return super().dismiss(result)
