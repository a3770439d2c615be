"""Memory as text for an agent: what of it is withheld unless asked for, why, and how the rest is written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date

from workbench.memory.entry import Kind
from workbench.memory.model_window import word_pieces
from workbench.memory.origin import ALLOWED, Origin
from workbench.memory.provenance import split_provenance
from workbench.safety.hidden_text import hidden_in
from workbench.safety.prompt_injection import suspicion
from workbench.safety.secrets import secrets_in
from workbench.safety.terminal import cut, visible_line
from workbench.workspace import layout

_BY_ORIGIN = {
    Origin.AGENT: "it is the agent's own note",
    Origin.OUTSIDE: "it is from outside",
    Origin.UNKNOWN: "it is of unknown origin: anybody may write there; promote it, or keep it in memory/",
}
_PUT_AWAY = {layout.QUARANTINE: "it is in quarantine", layout.ARCHIVE: "it was archived"}
_NOT_GIVEN = {
    Kind.BOOTSTRAP: "the agent loads this file itself",
    Kind.TRANSCRIPT: "transcripts are not memory",
    Kind.DREAM: "dream diaries are not memory",
}


def why_withheld(path: str, kind: Kind, text: str, *, memory_loaded: bool) -> str | None:
    """Why an entry is not given; None where it may be.

    ``memory_loaded``: the agent has MEMORY.md before it already.
    """
    return why_not_from(path, kind, memory_loaded=memory_loaded) or why_flagged(text)


def why_not_from(path: str, kind: Kind, *, memory_loaded: bool) -> str | None:
    """Why nothing of a file is given: the agent has it, or a person put it away."""
    if kind is Kind.MEMORY:
        return "the agent already has it" if memory_loaded else None
    if kind is Kind.DREAM and path.startswith("_system/"):
        return None  # what a dream of ours kept, a person accepted
    if layout.is_template(path, kind):
        return "templates are not memory"
    by_place = (why for folder, why in _PUT_AWAY.items() if path.startswith(folder))
    return next(by_place, None) or _NOT_GIVEN.get(kind)


def why_flagged(text: str) -> str | None:
    """Why a text is not given unasked: what it hides, or the secret in it."""
    if findings := hidden_in(text):
        return f"it holds hidden text ({findings[0].rule})"
    if findings := secrets_in(text):
        return f"it holds a secret ({findings[0].rule})"
    return None


def why_distrusted(text: str, origin: str) -> str | None:
    """Why a text that an agent asked for is not to be trusted; what says no origin is read as an agent's."""
    if why := why_flagged(text):
        return why
    why = suspicion(text, Origin.AGENT if origin == Origin.UNKNOWN else origin)
    return f"it is suspicious: {why}" if why else None


def why_by_origin(origin: Origin, text: str, *, told: bool = False, dated: bool = False) -> str | None:
    """Why words of this origin are not given unasked; None where they may be.

    ``told``: as a fact, in a bulletin; ``dated``: there as a todo or an event that has a day.
    """
    may = ALLOWED[origin]
    if not (may.told or (may.dated and dated) if told or dated else may.given):
        return _BY_ORIGIN[origin]
    if why := suspicion(text, origin):
        return f"it is suspicious: {why}"
    return None


def why_over(valid_until: date | None, today: date) -> str | None:
    """Why a fact is not given any more."""
    return f"it was valid until {valid_until}" if valid_until and valid_until <= today else None


LINE_CHARACTERS = 600
"""Characters of one line at most."""
_FENCE_DIGITS = 8


def as_line(text: str, most: int = LINE_CHARACTERS) -> str:
    """``text`` as one line without provenance in which nothing is invisible; the end gives way to ``…``."""
    return cut(" ".join(visible_line(split_provenance(text)[0]).split()), most)


def fenced(lines: Sequence[str], note: str) -> str:
    """``lines`` between two tags that none of them holds, after ``note``; the same lines, the same tags.

    Each line is one visible line (``as_line``), so no text can close the fence.
    """
    inside = "\n".join(lines)
    digest = hashlib.sha256(inside.encode("utf-8", "surrogatepass"))
    while (tag := f"memory-{digest.hexdigest()[:_FENCE_DIGITS]}") in inside:
        digest.update(b"+")
    return f"<{tag}>\n{note}\n{inside}\n</{tag}>"


def tokens(text: str) -> int:
    """Tokens that ``text`` costs an agent: an estimate from above, by no model's own tokenizer."""
    return word_pieces(text)
