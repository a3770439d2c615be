"""What workers of the screen tell it."""

from __future__ import annotations

from textual.message import Message

from screens.actions.availability import FocusContext
from screens.graph.alike import Alike
from screens.graph.graph_state import Known, Looking, Sight


class Prepared(Message):
    """All is known that the views are made of."""

    def __init__(self, known: Known) -> None:
        super().__init__()
        self.known = known


class Seen(Message):
    """The rows of a view are made."""

    def __init__(self, place: FocusContext, looking: Looking, sight: Sight, go_to: str | None) -> None:
        super().__init__()
        self.place = place
        self.looking = looking
        self.sight = sight
        self.go_to = go_to


class Counted(Message):
    """How much waits in a view."""

    def __init__(self, place: FocusContext, count: int | None) -> None:
        super().__init__()
        self.place = place
        self.count = count


class Compared(Message):
    """It is known which names mean the same, or why it is not."""

    def __init__(self, alike: Alike) -> None:
        super().__init__()
        self.alike = alike


class Broken(Message):
    """Something could not be read."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class Sourced(Message):
    """Where a source stands now, or why it cannot be gone to."""

    def __init__(self, address: str, error: Exception | None = None) -> None:
        super().__init__()
        self.address = address
        self.error = error
