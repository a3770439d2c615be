"""What a model cannot word otherwise: the figures and the names of a sentence."""

from __future__ import annotations

import re

_NAME = re.compile(r"(?<=[^\s.!?] )[^\W\d_a-zß-öø-ÿ][\w’'-]+")
"""A capitalised word inside of a sentence."""
_FIGURE = re.compile(r"(?<!\w)\w*\d[\w.:,/-]*\w|\d")


def figures(text: str) -> list[str]:
    """Words with digits, as they stand: ``30``, ``1,804,211``, ``v2.1``, ``2026-03-15``."""
    return _FIGURE.findall(text)


def names(text: str) -> list[str]:
    """Words that are capitalised though no sentence begins with them."""
    return _NAME.findall(text)
