"""What a terminal sends, read as keys: whatever stands right behind esc is told from the same key alone.

Textual names letters behind esc, makes another sign of esc and a digit, and of esc and any other key only the
other key: esc would be lost. Here it is ``alt+3``, ``alt+slash``, ``alt+enter``, which
``screens.main.escape_keys`` takes apart. So are f and b behind esc, which Textual takes for moving by words.
What begins no longer sequence is a key at once: Textual waits for more, and drops esc when what comes is esc
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual import events

# What the driver itself reads with. No public hook tells esc from alt before a key is made of both.
from textual.drivers.linux_driver import XTermParser  # type: ignore[attr-defined]

ALT = "alt+"
_ESC = "\x1b"
_NOT_ALONE = frozenset("[]NOPX^_\t\x7f") | {_ESC}
"""What terminals send behind esc as the beginning of something longer, or as a key of its own."""


class KeyParser(XTermParser):
    """Tells every key behind esc by its name."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if alt:
            return self._behind_esc(sequence)
        if len(sequence) == 2 and sequence[0] == _ESC and sequence[1] not in _NOT_ALONE:
            return self._behind_esc(sequence[1])
        return super()._sequence_to_key_events(sequence)

    def _behind_esc(self, character: str) -> Iterator[events.Key]:
        for event in super()._sequence_to_key_events(character, alt=True):
            named = event.key.startswith(ALT)
            yield event if named else events.Key(ALT + event.key, event.character)
