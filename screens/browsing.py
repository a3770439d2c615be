"""The screens over the panes: operations, blame, conflicts. A list, and what is behind its row beneath."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from screens.curating import Curating
from screens.moving import Command

if TYPE_CHECKING:
    from screens.conflicts import ConflictsScreen
    from screens.main import MainScreen
    from screens.operations import OperationsScreen


class Browsing:
    """Opens these screens, and keeps what they show true."""

    def __init__(self, screen: MainScreen, curating: Curating) -> None:
        self._screen = screen
        self._curating = curating
        self._showing: OperationsScreen | ConflictsScreen | None = None

    def commands(self) -> dict[str, Command]:
        """The commands by action id."""
        return {
            "operations": self._open_operations,
            "blame": self._blame,
            "conflicts": self._conflicts,
            "weigh": self._weigh,
        }

    def done(self) -> None:
        """Something was done: what is listed is not as it was."""
        if self._showing is not None and self._showing.is_attached:
            self._showing.reload()

    def _open_operations(self) -> None:
        from screens.operations import OperationsScreen  # noqa: PLC0415 - not before the first paint

        self._showing = OperationsScreen(
            self._curating.historian, self._curating.carry_out, self._curating.refusal
        )
        self._screen.show_dialog(self._showing)

    def _blame(self) -> None:
        from screens.blaming import BlameScreen  # noqa: PLC0415

        row = self._screen.here.row
        if row is not None and row.path is not None:
            self._screen.show_dialog(BlameScreen(self._curating.historian, row.path, row.line))

    def _weigh(self) -> None:
        from indexing.ranking.weights import weights_of  # noqa: PLC0415
        from screens.weighing import WeighingScreen  # noqa: PLC0415

        searching = self._screen.searching
        if searching.found is None:
            return
        screen = WeighingScreen(
            weights_of(self._screen.workspace.settings),
            searching.found,
            partial(searching.weigh, explain=True),
            at=searching.index,
            promoted=self._screen.memory_view.promoted,
        )
        searching.watcher = screen.answered
        self._screen.show_dialog(screen, lambda _: searching.end_weighing())

    def _conflicts(self) -> None:
        from screens.conflicts import ConflictsScreen  # noqa: PLC0415

        self._showing = ConflictsScreen(self._curating.historian, self._discard)
        self._screen.show_dialog(self._showing)

    def _discard(self, kept: Path) -> None:
        self._screen.work(partial(self._curating.curator.discard, kept), "curate")
