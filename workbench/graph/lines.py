"""A draft as the line that stands on a page, and what two drafts of the same claim become."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from datetime import date

from workbench.graph.drafts import MemoryDraft, RelationDraft
from workbench.memory.claims import claim_key
from workbench.memory.provenance import Provenance, least_trusted, provenance

CONFIDENCE = 0.7
"""How sure automation is of a claim where it has no figure of its own."""
SUREST = 0.99
"""What no number of sources makes surer."""


def claim_id(letter: str, path: str, words: str, taken: Container[str]) -> str:
    """A name for a line, the same for the same words on the same page; none of ``taken``."""
    for attempt in range(1_000):
        said = f"{path}\n{claim_key(words)}\n{words if attempt else ''}\n{attempt}"
        name = letter + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        if name not in taken:
            return name
    raise AssertionError("a thousand names are taken")


def memory_line(draft: MemoryDraft) -> str:
    """``- [type] text``, without its comment."""
    return f"- [{draft.type}] {draft.text}"


def memory_marks(draft: MemoryDraft, name: str, today: date) -> Provenance:
    """What the comment of a memory says, in the order in which a person reads it."""
    return _with_sources(
        {
            "id": name,
            "confidence": number(draft.confidence),
            "importance": number(draft.importance),
            "occurred_at": _day(draft.occurred_at),
            "happens_at": _day(draft.happens_at),
            "valid_from": _day(draft.valid_from),
            "valid_until": _day(draft.valid_until),
        },
        draft,
        today,
    )


def relation_marks(draft: RelationDraft, name: str, today: date) -> Provenance:
    """What the comment of a relation says."""
    return _with_sources(
        {
            "id": name,
            "confidence": number(draft.confidence),
            "valid_from": _day(draft.valid_from or today),
            "valid_until": _day(draft.valid_until),
        },
        draft,
        today,
    )


def _with_sources(
    first: dict[str, str | None], draft: MemoryDraft | RelationDraft, today: date
) -> Provenance:
    sources = tuple(("src", source) for source in draft.sources)
    trust = draft.trust if draft.trust != "unknown" else None
    rest = provenance({"session": draft.session or None, "trust": trust, "at": today.isoformat()})
    return Provenance((*provenance(first).fields, *sources, *rest.fields))


def corroborated(own: Provenance | None, draft: MemoryDraft | RelationDraft, name: str) -> Provenance:
    """What a line says of itself once ``draft`` makes the same claim.

    Sources that are new are added; another line of a file that is named already is no new one. Confidence
    rises then as that of two independent witnesses: ``1 - (1-a)(1-b)``, up to 0.99, but not where both cite
    one origin; what says no confidence is certain, and stays so. Trust is the least of both; days, importance
    and all else stay. A claim without a new source adds nothing.
    """
    fields = list(own.fields) if own else [("id", name)]
    known = {_file_of(value) for key, value in fields if key == "src"}
    new = [source for source in dict.fromkeys(draft.sources) if _file_of(source) not in known]
    if not new:
        return own or Provenance(tuple(fields))
    said = _share(own.get("confidence") if own else None)
    if said is not None and len(new) == len(set(draft.sources)):
        other = CONFIDENCE if draft.confidence is None else draft.confidence
        together = max(said, min(SUREST, 1 - (1 - said) * (1 - other)))
        fields = replaced(fields, "confidence", number(together))
    fields = _after(fields, "src", [("src", source) for source in new])
    if draft.session and ("session", draft.session) not in fields:
        fields = _after(fields, "session", [("session", draft.session)])
    trust = least_trusted(own.get("trust") if own else None, draft.trust)
    return Provenance(tuple(replaced(fields, "trust", trust if trust != "unknown" else None)))


def replaced(fields: list[tuple[str, str]], name: str, value: str | None) -> list[tuple[str, str]]:
    """The fields with one of this name and value, where the first of it stood; without it for None."""
    out: list[tuple[str, str]] = []
    done = False
    for key, old in fields:
        if key != name:
            out.append((key, old))
        elif value and not done:
            out.append((key, value))
            done = True
    return out if done or not value else [*out, (name, value)]


def _after(fields: list[tuple[str, str]], name: str, new: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The fields with ``new`` behind the last of this name, else at the end."""
    at = max((n + 1 for n, (key, _) in enumerate(fields) if key == name), default=len(fields))
    return [*fields[:at], *new, *fields[at:]]


def _file_of(source: str) -> str:
    return source.partition("#")[0]


def _share(text: str | None) -> float | None:
    try:
        value = float(text) if text else -1.0
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def number(value: float | None) -> str | None:
    """A share as a comment says it: at most two digits behind the point."""
    return None if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
