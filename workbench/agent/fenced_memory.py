"""Memory as an agent is shown it: one visible line each, inside a fence that no text can close."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from workbench.memory.model_window import word_pieces
from workbench.memory.provenance import split_provenance
from workbench.safety.terminal import cut, visible

LINE_CHARACTERS = 600
"""Characters of one line at most."""
_FENCE_DIGITS = 8


def as_line(text: str, most: int = LINE_CHARACTERS) -> str:
    """``text`` as one line without provenance in which nothing is invisible; the end gives way to ``…``."""
    return cut(" ".join(visible(split_provenance(text)[0], one_line=True).split()), most)


def as_text(text: str) -> str:
    """``text`` with its lines, in which nothing is invisible."""
    return visible(text)


def fenced(lines: Sequence[str], note: str) -> str:
    """``lines`` between two tags that none of them holds, after ``note``; the same lines, the same tags."""
    inside = "\n".join(lines)
    digest = hashlib.sha256(inside.encode("utf-8", "surrogatepass"))
    while (tag := f"memory-{digest.hexdigest()[:_FENCE_DIGITS]}") in inside:
        digest.update(b"+")
    return f"<{tag}>\n{note}\n{inside}\n</{tag}>"


def tokens(text: str) -> int:
    """Tokens that ``text`` costs an agent: an estimate from above, by no model's own tokenizer."""
    return word_pieces(text)
