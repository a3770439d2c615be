"""The one place through which workspace text reaches a terminal.

Memory is untrusted: a log line can hold escape sequences, bidirectional overrides or invisible characters.
``visible`` returns text that a terminal shows as itself and that does nothing.
"""

from __future__ import annotations

import re

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
# C0, C1, and every format, private, surrogate, separator and filler character: all that has no glyph of
# its own (Unicode categories Cc, Cf, Co, Cs, Zl, Zp, and the variation selectors, which can hide data).
_SUSPECT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    r"\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\ud800-\udfff\ue000-\uf8ff\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    r"\U000f0000-\U0010ffff]"
)
_PICTURE = re.compile(r"<(?:U\+[0-9A-F]{4,6}|[0-9A-F]{2})>")
_WIDEST = len("<U+10FFFF>")
# Joiners and form selectors belong between emoji and in some scripts; text looks broken without them.
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
_JOINED = re.compile(
    r"[#*0-9\xa9\xae\u203c\u2049\u2122\u2139\u0600-\u06ff\u0750-\u077f\u0900-\u0dff\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f"
    r"\U0001f000-\U0001faff]"
)


def visible(text: str) -> str:
    """``text`` with every control or invisible character shown instead of sent.

    C0 and DEL become control pictures, everything else that has no glyph becomes ``<U+202E>``. Line
    ends and tabs stay.
    """
    return _SUSPECT.sub(_show, text)


def visible_line(text: str) -> str:
    """``visible`` for a row: line ends and tabs become blanks."""
    return visible(text.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))


def in_place(text: str) -> str:
    """``text`` with one sign in place of each such character: for lines whose cursor counts characters."""
    return _SUSPECT.sub(lambda match: _show(match)[:1].replace("<", "\ufffd"), re.sub(r"[\t\n]", " ", text))


def cut(line: str, characters: int) -> str:
    """``line``, which is visible already, in at most that many characters: the end gives way to ``…``.

    The picture of an invisible character is kept whole or left out.
    """
    if len(line) <= characters:
        return line
    end = characters - 1
    for picture in _PICTURE.finditer(line, max(0, end - _WIDEST), end + _WIDEST):
        if picture.start() < end < picture.end():
            end = picture.start()
    return line[:end].rstrip() + "…"


def hidden(text: str) -> tuple[str, ...]:
    """The invisible characters of ``text`` as ``U+200B``, in order, each once."""
    found = (match[0] for match in _SUSPECT.finditer(text) if _show(match) != match[0])
    return tuple(dict.fromkeys(f"U+{ord(character):04X}" for character in found))


def _show(match: re.Match[str]) -> str:
    character, code = match[0], ord(match[0])
    if character in _JOINERS and _JOINED.match(match.string, max(0, match.start() - 1), match.start()):
        return character
    if code in _PICTURES:
        return _PICTURES[code]
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as os.fsdecode keeps it
        return f"<{code - 0xDC00:02X}>"
    return f"<U+{code:04X}>"
