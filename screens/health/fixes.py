"""The ways to fix a finding: choosing one, and what the desk is asked for then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, assert_never

from textual.binding import BindingType

from screens.dialogs.dialog import ReadDialog
from screens.drawing.rows import Row, RowPart, piece
from screens.drawing.safe_text import row_text, words
from screens.frames.services import Desk
from screens.main.request import Request, declared_request, expire_request
from screens.widgets.entry_list import EntryList
from workbench.errors import NotCuratableError
from workbench.graph import operations as graph
from workbench.health.finding import Fix
from workbench.ingest import operations as episodes
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_MOST = 9
_EXTENDED_DAYS = 30
_REASON = "not needed any more"


class FixScreen(ReadDialog[Fix]):
    """Ends with the way that was chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("f", "leave"),
        ("enter,space", "choose"),
        *[(str(number), f"choose({number})") for number in range(1, _MOST + 1)],
    ]

    def __init__(self, fixes: Sequence[Fix]) -> None:
        keys = words("a number or enter chooses · esc leaves")
        super().__init__(EntryList(id="choices"), "choose", words("How to fix it"), keys)
        self._fixes = fixes[:_MOST]

    def on_mount(self) -> None:
        """Show the ways, and what each is on the command line."""
        self._list.show(
            [
                Row(
                    str(number),
                    row_text(fix.label),
                    lead=(piece(str(number), "accent"),),
                    tail=(RowPart(row_text(fix.command), "faint"),),
                )
                for number, fix in enumerate(self._fixes, 1)
            ]
        )

    def on_entry_list_opened(self, message: EntryList.Opened) -> None:
        """A double click chooses."""
        self.action_choose(int(message.row.id))

    def action_choose(self, number: int = 0) -> None:
        """The one of this number, else the one under the cursor."""
        number = number or self._list.cursor + 1
        if number <= len(self._fixes):
            self.dismiss(self._fixes[number - 1])


def apply(desk: Desk, fix: Fix) -> None:
    """Do it, or show what it would do: what keeps something is done at once, what takes away is shown first.

    Repairs of the doctor's and rooms to open are not for the desk: they write no memory.
    """
    match fix.deed:
        case "reindex":
            desk.reindex()
        case "edit":
            desk.edit(fix.addresses[0])
        case "pin":
            desk.do(Request(action="pin", addresses=fix.addresses))
        case "extend":
            desk.do(declared_request(episodes.EXTEND, fix.addresses, days=_EXTENDED_DAYS))
        case "forget" | "merge" | "quarantine" | "archive":
            desk.ask(Request(action=fix.deed, addresses=fix.addresses))
        case "forget-memory":
            desk.ask(declared_request(graph.FORGET, fix.addresses, reason=_REASON))
        case "expire":
            desk.ask(expire_request())
        case "settle":
            desk.do(declared_request(graph.SETTLE, fix.addresses[0], answer=fix.of))
        case "migrate":
            desk.ask(migration())
        case "repair" | "open" | "backup" | "tests":
            return
        case never:
            assert_never(never)


def writes(fix: Fix) -> bool:
    """Whether a fix changes memory, which is refused where nothing can be written."""
    return fix.deed not in ("reindex", "open", "tests")


def migration() -> Request:
    """Bringing memory to today's format."""
    return Request(action="migrate", planner=_migrate)


def _migrate(workspace: Workspace, request: Request) -> Plan:
    from workbench.format_version import FORMAT  # noqa: PLC0415
    from workbench.operations.migrate import plan_migrate  # noqa: PLC0415

    plan = plan_migrate(workspace)
    if plan is None:
        raise NotCuratableError(f"nothing is to be migrated: this memory has format {FORMAT}, or needs none")
    return plan
