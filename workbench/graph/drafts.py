"""Drafts of what is to be written into the graph: each is one line, checked before anything is planned.

The module also says what two drafts of the same claim become, and how a decision on a draft is recorded, so
that a draft which was rejected or forgotten does not come back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar, TypeAlias, TypeVar

from workbench.errors import UsageError
from workbench.frozen import frozen_kw_only
from workbench.memory.claims import claim_key
from workbench.memory.entry import digest
from workbench.memory.graph_page import relation_key, relation_kind
from workbench.memory.graph_types import ENTITY_TYPES, IMPORTANCE
from workbench.memory.model_window import fits
from workbench.memory.moment import Moment, parse_moment
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import TRUST, Fields, Provenance, least_trusted, parse_share
from workbench.safety.secrets import masked_line
from workbench.safety.terminal import cut, visible

_T = TypeVar("_T")
USER = "User"
"""The page of the person whose memory it is, where nothing says what they are called."""
LONGEST_NAME = 200
"""Characters that a name may have."""
_KIND = re.compile(r"[^\W_]\w{0,63}")
_MOMENTS = ("happens_at", "occurred_at")
"""What may have a time of the day as well."""
_DAYS = (*_MOMENTS, "valid_from", "valid_until")
_SHARES = ("confidence", "importance")
_SAID = ("confidence", "importance", "occurred_at", "happens_at", "valid_from", "valid_until")
"""What the comment of a line says of a draft, in its order."""


@frozen_kw_only
class LineDraft:
    """What drafts of memories and of relations have in common.

    ``confidence`` lies in [0, 1]; ``sources`` are ``path#L12``. Raises UsageError.
    """

    entity: str
    entity_type: str = ""
    confidence: float | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    sources: tuple[str, ...] = ()
    session: str = ""
    trust: str = "unknown"

    def __post_init__(self) -> None:
        _require_entity_type(self.entity_type)
        for name in _SHARES:
            value = getattr(self, name, None)
            if value is not None and not 0 <= value <= 1:
                raise UsageError(f"{name} must be between 0 and 1, not {value}")
        if self.trust not in TRUST:
            raise UsageError(f"unknown trust: “{excerpt(self.trust)}”", hint="known: " + ", ".join(TRUST))


@frozen_kw_only
class MemoryDraft(LineDraft):
    """One typed memory: ``text`` about ``entity``, where that is empty about the person whose memory it is.

    ``type`` is one of the thirteen of ``memory.graph.IMPORTANCE``; without ``entity_type`` the page of that
    name is taken whatever its type, and a new one is a concept. ``confidence`` and ``importance`` lie in
    [0, 1]. ``sources`` are ``path#L12``. White space in ``text`` becomes single blanks. Raises UsageError.
    """

    text: str
    type: str = "fact"
    entity: str = ""
    importance: float | None = None
    happens_at: date | None = None
    occurred_at: date | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text, "the text of a memory"))
        if self.type not in IMPORTANCE:
            raise UsageError(
                f"unknown type of memory: “{excerpt(self.type)}”", hint="known: " + ", ".join(IMPORTANCE)
            )
        if self.entity:
            object.__setattr__(self, "entity", entity_name(self.entity))
        LineDraft.__post_init__(self)
        if self.valid_from and self.valid_until and self.valid_until < self.valid_from:
            raise UsageError(
                "it would end before it starts", hint="valid_until must be later than valid_from"
            )
        if not fits(f"[{self.type}] {self.text}"):
            raise UsageError(
                f"the text is too long for one memory: “{excerpt(self.text)}”",
                hint="use one or two sentences; store several memories",
            )

    @property
    def key(self) -> str:
        """The name of the claim that it makes."""
        return claim_key(self.text)

    @property
    def words(self) -> str:
        """All the words that it brings."""
        return f"{self.entity}: {self.text}" if self.entity else self.text


@frozen_kw_only
class RelationDraft(LineDraft):
    """``entity`` ``kind`` ``target``: `Sarah Chen works_on Project Atlas`. Raises UsageError."""

    kind: str
    target: str
    target_type: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "entity", entity_name(self.entity))
        object.__setattr__(self, "target", entity_name(self.target))
        kind = relation_kind(self.kind)
        if not _KIND.fullmatch(kind):
            raise UsageError(
                f"“{excerpt(self.kind)}” cannot be a relation",
                hint="use one word, such as works_on or part_of",
            )
        object.__setattr__(self, "kind", kind)
        _require_entity_type(self.target_type)
        LineDraft.__post_init__(self)

    @property
    def key(self) -> str:
        """The name of the claim that it makes."""
        return relation_key(self.entity, self.kind, self.target)

    @property
    def words(self) -> str:
        """All the words that it brings."""
        return f"{self.entity} {self.kind} {self.target}"


@frozen_kw_only
class EntityDraft:
    """A page to be there. Raises UsageError."""

    name: str
    type: str = ""
    valid_from: date | None = None
    key: ClassVar[str] = ""
    """It claims nothing."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", entity_name(self.name))
        _require_entity_type(self.type)

    @property
    def words(self) -> str:
        """All the words that it brings."""
        return self.name


Draft: TypeAlias = MemoryDraft | RelationDraft | EntityDraft


def memory_draft(said: Mapping[str, Any]) -> MemoryDraft:
    """The draft that texts and numbers make, as an agent or a command line gives them. Raises UsageError.

    Days are ISO dates or date-times; what is None or empty is not said.
    """
    values = {name: value for name, value in said.items() if value is not None and value != ""}
    values |= {name: day_of(name, values[name]) for name in _DAYS if name in values}
    values |= {name: _share_of(name, values[name]) for name in _SHARES if name in values}
    values["sources"] = tuple(filter(None, said.get("sources", ())))
    return MemoryDraft(**{"text": "", **values})


def proposed_draft(proposal: Proposal, text: str = "") -> MemoryDraft:
    """The draft of a proposal to ``store`` on the page of its ``section``; ``text`` is a person's wording."""
    kind, slash, name = proposal.section.partition("/")
    if not slash:
        kind, name = "", proposal.section
    return memory_draft(
        {
            **{mark: proposal.marks.get(mark) for mark in (*_DAYS, *_SHARES)},
            "text": text or proposal.text,
            "type": proposal.type or "fact",
            "entity": name,
            "entity_type": kind if kind in ENTITY_TYPES else "",
            "sources": proposal.sources,
            "session": proposal.session,
            "trust": proposal.trust if proposal.trust in TRUST else "unknown",
        }
    )


def dated(draft: MemoryDraft, today: date) -> MemoryDraft:
    """The draft with a day from which it holds: its own, the day it happened, else ``today``."""
    if draft.valid_from:
        return draft
    start = min(draft.occurred_at or today, draft.valid_until or date.max)
    return replace(draft, valid_from=date(start.year, start.month, start.day))


def day_of(name: str, value: object) -> date:
    """An ISO date, or date and time; what counts days leaves the time out. Raises UsageError."""
    may_have_time = name in _MOMENTS
    said = value.isoformat() if isinstance(value, date) else str(value).strip()
    found = parse_moment(said)
    if found is None or (len(said) > len("2026-04-01") and may_have_time and not isinstance(found, Moment)):
        raise UsageError(
            f"{name} must be a day, not “{excerpt(said)}”",
            hint="an ISO date, such as 2026-04-01" + (", or 2026-04-01T14:30+02:00" if may_have_time else ""),
        )
    return found if may_have_time else date(found.year, found.month, found.day)


def one_line(text: str, what: str) -> str:
    """``text`` with blanks for white space. Raises UsageError for what could leave its line or hide."""
    line = unicodedata.normalize("NFC", " ".join(text.split()))
    if not line:
        raise UsageError(f"{what} is empty")
    if "<!--" in line or "-->" in line:
        raise UsageError(
            f"{what} contains a comment, which would be invisible: “{excerpt(line)}”", hint="leave it out"
        )
    odd = next((c for c in line if unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029"), None)
    if odd is not None:
        raise UsageError(f"{what} contains the control character U+{ord(odd):04X}", hint="leave it out")
    return line


def entity_name(text: str) -> str:
    """``text`` as the name of an entity, without the brackets of a link. Raises UsageError."""
    line = " ".join(text.split())
    if line.startswith("[[") and line.endswith("]]"):
        line = line[2:-2].rpartition("|")[2]
    name = one_line(line, "the name of an entity")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"a name of {len(name)} characters is not valid: “{excerpt(name)}”")
    if visible(name) != name:
        raise UsageError(f"a name contains invisible characters: “{excerpt(name)}”")
    return name


def _require_entity_type(kind: str) -> None:
    if kind and kind not in ENTITY_TYPES:
        raise UsageError(
            f"unknown type of entity: “{excerpt(kind)}”", hint="known: " + ", ".join(ENTITY_TYPES)
        )


def _share_of(name: str, value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        raise UsageError(f"{name} must be a number from 0 to 1, not “{excerpt(str(value))}”") from None


def without_none(fields: Mapping[str, _T | None]) -> dict[str, _T]:
    """Those of ``fields`` of which something is said."""
    return {name: value for name, value in fields.items() if value is not None}


def excerpt(text: str, characters: int = 60) -> str:
    """``text`` within a sentence: one visible line of at most so many characters, its secrets masked."""
    return cut(masked_line(text), characters)


CONFIDENCE = 0.7
"""How sure automation is of a claim where it has no figure of its own."""
SUREST = 0.99
"""What no number of sources makes surer."""


def claim_id(letter: str, path: str, words: str, taken: Container[str]) -> str:
    """A name for a line, the same for the same words on the same page; none of ``taken``."""
    for attempt in range(1_000):
        said = f"{path}\n{claim_key(words)}\n{words if attempt else ''}\n{attempt}"
        name = letter + digest(said, 8)
        if name not in taken:
            return name
    raise AssertionError("a thousand names are taken")


def draft_marks(draft: LineDraft, name: str, today: date) -> Provenance:
    """What the comment of a draft's line says, in the order in which a person reads it."""
    said: list[tuple[str, str | None]] = [("id", name)]
    for field in _SAID:
        value = getattr(draft, field, None)
        said.append((field, value.isoformat() if isinstance(value, date) else number(value)))
    said += [("src", source) for source in draft.sources]
    trust = draft.trust if draft.trust != "unknown" else None
    said += [("session", draft.session), ("trust", trust), ("at", today.isoformat())]
    return Provenance(tuple((field, value) for field, value in said if value))


def corroborated(own: Provenance | None, draft: LineDraft, name: str) -> Provenance:
    """What a line says of itself once ``draft`` makes the same claim.

    Sources that are new are added; another line of a file that is named already is no new one. Confidence
    rises then as that of two independent witnesses: ``1 - (1-a)(1-b)``, up to 0.99, but not where both cite
    one origin; what says no confidence is certain, and stays so. Trust is the least of both; days, importance
    and all else stay. A claim without a new source adds nothing.
    """
    own = own or Provenance((("id", name),))
    known = set(map(_file_of, own.all("src")))
    new = [source for source in dict.fromkeys(draft.sources) if _file_of(source) not in known]
    if not new:
        return own
    changes: dict[str, str | None] = {}
    said = parse_share(own.get("confidence"))
    if said is not None and len(new) == len(set(draft.sources)):
        other = CONFIDENCE if draft.confidence is None else draft.confidence
        changes["confidence"] = number(max(said, min(SUREST, 1 - (1 - said) * (1 - other))))
    trust = least_trusted(own.get("trust"), draft.trust)
    changes["trust"] = trust if trust != "unknown" else None
    fields = _after(own.fields, "src", [("src", source) for source in new])
    if draft.session and ("session", draft.session) not in fields:
        fields = _after(fields, "session", [("session", draft.session)])
    return Provenance(fields).changed(changes)


def _after(fields: Fields, name: str, new: Iterable[tuple[str, str]]) -> Fields:
    """The fields with ``new`` behind the last of this name, else at the end."""
    at = max((n + 1 for n, (key, _) in enumerate(fields) if key == name), default=len(fields))
    return (*fields[:at], *new, *fields[at:])


def _file_of(source: str) -> str:
    return source.partition("#")[0]


def number(value: float | None) -> str | None:
    """A share as a comment says it: at most two digits behind the point."""
    return None if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
