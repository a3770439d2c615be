"""When two sentences make the same claim: the name by which a claim is promoted, rejected and found again."""

from __future__ import annotations

import re
import unicodedata

from workbench.memory.entry import without_emphasis
from workbench.memory.names import digest
from workbench.memory.provenance import split_provenance

KEY_DIGITS = 16
_MARKS = re.compile(r"^\s*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\[[a-z_]+\]\s+)?")
_WORD = re.compile(r"(?:(?<![\w.)])-(?=\d))?\w+(?:[.:/@'’+#-]+\w+)*|[^\w\s]", re.UNICODE)
_SILENT = frozenset("\"'“”‘’`.,;:!?()[]{}…–—-*_")


def claim_words(text: str) -> tuple[str, ...]:
    """The words of a claim, in order: case, emphasis, punctuation, list marks and provenance do not count."""
    plain = _MARKS.sub("", without_emphasis(" ".join(split_provenance(text)[0].split())), count=1)
    folded = unicodedata.normalize("NFKC", plain).casefold()
    return tuple(word for word in _WORD.findall(folded) if word not in _SILENT)


def claim_key(text: str) -> str:
    """The name of the claim that ``text`` makes, by its words alone: 16 hexadecimal digits."""
    return digest(" ".join(claim_words(text)), KEY_DIGITS)
