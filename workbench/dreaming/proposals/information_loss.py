"""The loss gate: which numbers and names of an old entry are in no new one."""

from __future__ import annotations

import re
import unicodedata

from workbench.memory.provenance import split_provenance
from workbench.memory.text_merge import united

_WORD = re.compile(r"\w+(?:[.:/@_+#’'-]+\w+)*")
_SENTENCE = re.compile(r"(?:\A|[.!?…:;]\s|\n)[\s>*_#`\"'“‘(-]*\Z")
_OPENING_WORDS = """a an the this that these those it its i we our my you your he she they and but or if when
while as at by for from in of on to with no not never always do does did is are was were there here use please
avoid prefer like love hate keep"""
_OPENERS = frozenset(_OPENING_WORDS.split())
_VERBAL = re.compile(r"(?:[^\Ws]s|ed|ing)\Z", re.IGNORECASE)
_SHORTEST_SHARE = 0.8
"""Of the old entry's words, so many must be in a text that is taken for both in one."""


def tokens(text: str) -> tuple[str, ...]:
    """The numbers, names and identifiers of ``text``, in its own spelling, each once, in order.

    A capital at the start of a sentence makes a name of what does not look like a verb or a common opener.
    """
    plain = split_provenance(text)[0]
    found: dict[str, str] = {}
    for word in _WORD.finditer(plain):
        if _tells(word[0], opens=bool(_SENTENCE.search(plain[max(0, word.start() - 40) : word.start()]))):
            found.setdefault(_key(word[0]), word[0])
    return tuple(found.values())


def lost(old: str, new: str) -> tuple[str, ...]:
    """The numbers, names and identifiers of ``old`` that ``new`` does not hold."""
    held = set(_keys(new))
    return tuple(token for token in tokens(old) if _key(token) not in held)


def merged_words(old: str, new: str) -> str:
    """One text out of an entry and what a proposal would merge into it.

    A proposal whose text already says what the entry says is taken as it is; else the sentences that the
    entry does not hold are added to it, and nothing can be lost.
    """
    words, held = _keys(old), set(_keys(new))
    share = sum(word in held for word in words) / len(words) if words else 1.0
    return new if share >= _SHORTEST_SHARE and not lost(old, new) else united(old, [new])


def _tells(word: str, *, opens: bool) -> bool:
    if any(map(str.isdigit, word)) or re.search(r"\w[./@_+#:]\w", word):
        return True
    if any(map(str.isupper, word[1:])):
        return True
    is_common = word.casefold() in _OPENERS or _VERBAL.search(word)
    return word[0].isupper() and not (opens and is_common)


def _keys(text: str) -> list[str]:
    return [_key(word) for word in _WORD.findall(split_provenance(text)[0])]


def _key(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return folded.removesuffix("'s").removesuffix("’s")
