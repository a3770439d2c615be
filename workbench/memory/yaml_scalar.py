"""Values of front matter as YAML that is read back as the same text, whatever the text is.

Plain where nothing can be meant by it, in double quotes with escapes else (YAML 1.1, 5.1 and 7.3.1): no value
can end its line, its list or the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9/][A-Za-z0-9_./@+-]*(?::[A-Za-z0-9_./@+-]+)*")
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ_.&'+/-]*(?: [A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ_.&'+/-]*)*")
_ESCAPED = re.compile(
    "[^ !#-\\[\\]-~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def scalar(text: str) -> str:
    """``text`` as the value of a key. Surrogates, which no file can hold, become U+FFFD."""
    return text if _PLAIN.fullmatch(text) else quoted_scalar(text)


def scalars(texts: Iterable[str]) -> str:
    """``texts`` as a list on one line."""
    return f"[{', '.join(text if _PLAIN_WORDS.fullmatch(text) else quoted_scalar(text) for text in texts)}]"


def quoted_scalar(text: str) -> str:
    """``text`` in double quotes."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}"
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"
