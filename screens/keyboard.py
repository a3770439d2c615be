"""What a terminal sends, read as keys: whatever stands right behind esc is told from the same key alone.

Textual names letters and digits behind esc, and makes of esc and any other key only the other key: esc would
be lost. Here it is ``alt+slash``, ``alt+enter``, ``alt+space``, which
``screens.main.escape_keys`` takes apart. So
are f and b behind esc, which Textual takes for moving by words. What begins no longer sequence is a key at
once: Textual waits for more, and drops esc when what comes is esc again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual import events

# Private, and pinned to one version of Textual: no public hook tells esc from alt before a key is made of
# both, and that esc and a key right behind it are both obeyed rests on that.
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser

ALT = "alt+"
_ESC = "\x1b"
_BY_WORDS = ("\x1bf", "\x1bb")
_BEGINS = frozenset("[]NOPX^_") | {
    sequence[1] for sequence in ANSI_SEQUENCES_KEYS if len(sequence) > 2 and sequence[0] == _ESC
}
"""What terminals send behind esc as the beginning of something longer."""


BEHIND_ESC = {
    sign: sequence[1]
    for sequence, sign in ANSI_SEQUENCES_KEYS.items()
    if isinstance(sign, str) and len(sequence) == 2 and sequence[0] == _ESC and sequence[1].isascii()
}
"""What Textual makes of esc and a digit, - or =, which is what option and these type on some keyboards."""


class KeyParser(XTermParser):
    """Tells every key behind esc by its name."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if alt:
            return self._behind_esc(sequence)
        if _is_whole(sequence):
            return self._behind_esc(sequence[1])
        return super()._sequence_to_key_events(sequence)

    def _behind_esc(self, character: str) -> Iterator[events.Key]:
        for event in super()._sequence_to_key_events(character, alt=True):
            named = event.key.startswith(ALT)
            yield event if named else events.Key(ALT + event.key, event.character)


def _is_whole(sequence: str) -> bool:
    """Whether this is esc and a key, of which nothing else is known and to which nothing can come."""
    if len(sequence) != 2 or sequence[0] != _ESC or sequence[1] in _BEGINS:
        return False
    return sequence in _BY_WORDS or sequence not in ANSI_SEQUENCES_KEYS
