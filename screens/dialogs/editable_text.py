"""Text that may be edited on a terminal: what a terminal would obey, or nobody would see, is spelled out.

``<U+200B>`` stands for the character, and is turned back into it when the text is written; only for
characters that were in the text before, so that the same signs typed by a person stay what they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.safety.terminal import hidden

_SPELLED = re.compile(r"<U\+([0-9A-F]{4,6})>")
_LESS_THAN = "<"


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text with nothing hidden in it, and which characters stand spelled out."""

    text: str
    characters: frozenset[str] = frozenset()

    def restored(self, text: str) -> str:
        """``text``, which a person may have changed, with these characters as themselves again."""

        def back(match: re.Match[str]) -> str:
            character = chr(code) if (code := int(match[1], 16)) < 0x110000 else ""
            return character if character in self.characters else match[0]

        return _SPELLED.sub(back, text)


def spelled(text: str) -> Spelled:
    """``text`` as it can be shown and edited; line ends and tabs stay."""
    characters = {chr(int(name[2:], 16)) for name in hidden(text)} - {"\n", "\t"}
    if characters and _SPELLED.search(text):
        text = _SPELLED.sub(lambda match: _name(_LESS_THAN) + match[0][1:], text)
        spelling = characters | {_LESS_THAN}
    else:
        spelling = characters
    if characters:
        pattern = re.compile("[" + "".join(map(re.escape, sorted(characters))) + "]")
        text = pattern.sub(lambda match: _name(match[0]), text)
    return Spelled(text, frozenset(spelling))


def _name(character: str) -> str:
    return f"<U+{ord(character):04X}>"
