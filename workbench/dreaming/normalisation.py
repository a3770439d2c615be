"""What a line of a log says, without what chat programs, list markers and templates put around it."""

from __future__ import annotations

import re
import unicodedata

_MEMORIES = re.compile(r"<(relevant-memories|system-reminder)>.*?(?:</\1>|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-z][a-z-]{2,30}>")
_ENVELOPE = re.compile(
    r"^\s*(?:system|user|human|assistant|ai|agent|bot)\s?[:：]\s+"
    # A bracket is an envelope by the identity or the day in it: `[Telegram Integration]` is a subject.
    r"|^\s*\[(?:telegram|discord|whatsapp|slack|signal|imessage|matrix|feishu|wechat|line|teams|webchat|cron)"
    r"\b(?=[^\]\n]*(?:\bid:\d|\d{4}-\d\d-\d\d|:[0-9a-f]{8}))[^\]\n]{0,200}\]:?(?:\s+[-–—]\s)?"
    r"|\[(?:message_id|msg_id|id|reply_to)\s?:[^\]\n]{0,80}\]"
    r"|\((?:untrusted metadata|message_id)[^)\n]{0,80}\)",
    re.IGNORECASE | re.MULTILINE,
)
_STAMP = re.compile(
    r"^[\s*_\[(`]*(?:\d{4}-\d\d-\d\d[t ]?)?\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?"
    r"\s?(?:z|utc|gmt[+-]?\d*|[ap]m|[+-]\d\d:?\d\d)?[\])`*_]*\s*(?:[-–—:|]\s+)?",
    re.IGNORECASE,
)
_MARKER = re.compile(r"^\s*(?:>\s?)*(?:[-*+•·]\s+|\d{1,3}[.)]\s+|[①-⑳])?(?:\[[ xX~-]\]\s*)?")
_CHECKS = re.compile("[✅✔☑✓❌✗✘⬜🔲🔳⏳\ufe0f]+\\s*")
_HASH = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b(?:-[0-9a-f]{4,12}\b)*", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_BARE = re.compile(r"[A-Za-z][^:\[(]*\Z")
"""Most lines of ASCII: none of this can stand around them, which is seen at one look."""


_CODE = re.compile(r"`[^`\n]+`")
ASIDE = re.compile(r"\([^()\n]*\)|（[^（）\n]*）")
UNPARTED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of scripts that do not part words, or put endings to them."""
_OF_A_VALUE = re.compile(r"[\d/@\\]")
_LETTER = re.compile(r"[^\W\d_]")
_FEW_WORDS, _FEW_SIGNS = 2, 4
"""Words of a label, and characters of one that are not parted."""


def is_bare_value(text: str) -> bool:
    """Whether a line is a label with a path, an address or a number, and nothing names what these are of."""
    plain = plain_words(text)
    words = ASIDE.sub(" ", _CODE.sub(" ", plain)).split()
    values = [word for word in words if _OF_A_VALUE.search(word) and not UNPARTED.search(word)]
    labels = [word for word in words if _LETTER.search(word) and word not in values]
    signs = UNPARTED.findall("".join(labels))
    has_value = "`" in plain or _OF_A_VALUE.search(plain) is not None
    return "\n" not in plain and has_value and len(labels) <= _FEW_WORDS and len(signs) <= _FEW_SIGNS


def without_frame(text: str) -> str:
    """A block as it can be kept: no list marker, time stamp, check mark, chat envelope, injected memory."""
    bare = _TAG.sub(" ", _MEMORIES.sub(" ", text)) if "<" in text else text
    return "\n".join(filter(None, map(_unframed, bare.split("\n"))))


def plain_words(text: str) -> str:
    """The words of a block ``without_frame``, and without emphasis."""
    bare = without_frame(text).replace("**", "").replace("__", "")
    return "\n".join(filter(None, map(str.strip, bare.split("\n"))))


def _unframed(line: str) -> str:
    if line.isascii() and _BARE.match(line):
        return line.rstrip()
    told = _CHECKS.sub("", _MARKER.sub("", line, count=1)).strip()
    for _ in range(2):  # a speaker, a chat and a time may stand one behind the other, in any order
        told = _ENVELOPE.sub(" ", _STAMP.sub("", told, count=1)).strip()
    return told


def template_of(text: str) -> str:
    """The words with every number as ``0`` and every hash as ``#``: lines of one template have the same."""
    return folded_words(plain_words(text))


def folded_words(plain: str) -> str:
    """The template of what ``plain_words`` gave."""
    folded = plain.lower() if plain.isascii() else unicodedata.normalize("NFKC", plain).casefold()
    return " ".join(_DIGITS.sub("0", _HASH.sub("#", folded)).split())
