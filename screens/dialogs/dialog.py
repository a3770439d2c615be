"""What stands over a screen and takes the keys until it is answered."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Hides the keys of the program below, but ctrl+z: what stops every program must not be dead here."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "app.suspend_process", show=False)]
