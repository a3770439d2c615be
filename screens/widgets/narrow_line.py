"""A line to type in that narrows or finds; there only while somebody types."""

from __future__ import annotations

from screens.widgets.query_input import QueryInput


class NarrowLine(QueryInput):
    """One line, hidden until it is opened. What is typed stays when it is left."""

    def __init__(self, placeholder: str, *, id: str) -> None:
        super().__init__(
            placeholder=placeholder, compact=True, id=id, classes="narrow", select_on_focus=False
        )
        self.display = False
