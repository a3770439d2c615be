"""Entities with their typed memories and relations, as their pages tell them.

Observations are ``- [type] text``, relations ``- relation [[Target]]``, as Obsidian and basic-memory write
them; what else is known of a line stands in its provenance comment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from workbench.frozen import frozen_kw_only
from workbench.memory.claims import claim_key
from workbench.memory.entry import Entry, Form, Kind, RelPath, stem_of
from workbench.memory.frontmatter import FrontMatter
from workbench.memory.graph_types import IMPORTANCE
from workbench.memory.markdown import Document
from workbench.memory.moment import parse_moment
from workbench.memory.provenance import TRUST, least_trusted, parse_day, parse_share

_MEMORY = re.compile(r"\[(?P<type>[a-z][a-z_]*)\]\s+(?P<text>.+)", re.DOTALL)
OTHER_IMPORTANCE = 0.5
"""The importance of a memory of a type that is not known."""
CERTAIN = 1.0
"""The confidence of what says none: people write what they know, and automation always says a figure."""
RELATIONS = (
    "works_on", "knows", "part_of", "uses", "depends_on", "located_in", "owns", "decided", "caused_by",
    "updates", "supersedes", "contradicts", "reinforces", "weakens", "related_to",
)  # fmt: skip
"""The relations whose meaning is known; any other words are a relation too."""
_RELATION = re.compile(
    r"(?P<kind>\w[\w-]*(?: [\w-]+){0,3})\s+\[\[(?P<target>[^\[\]|]+)(?:\|[^\[\]]*)?\]\]"
    r"(?:\s+\([^()]*\))?"
)
_LINK_PART = re.compile(r"[#^].*\Z", re.DOTALL)
_DONE = re.compile(
    r"\[[xX]\]\s|✅|✔|~~.+~~\Z|.*(?:✅(?:\s*\d{4}-\d{2}-\d{2})?|\(done\))\Z", re.DOTALL | re.IGNORECASE
)
_DONE_FIELDS = ("done", "done_at", "completed_at")
_DONE_WORDS = frozenset({"done", "completed", "cancelled", "canceled", "closed"})


@frozen_kw_only
class PageLine:
    """What a memory and a relation say of themselves as lines of a page.

    ``id`` is that of the comment, empty where it has none. ``confidence`` lies in [0, 1]; what says none is
    certain. ``sources`` are ``path#L12``.
    """

    entry: Entry
    id: str = ""
    confidence: float = CERTAIN
    valid_from: date | None = None
    valid_until: date | None = None
    sources: tuple[str, ...] = ()
    session: str = ""
    trust: str = "unknown"

    @property
    def since(self) -> date | None:
        """The day from which it holds."""
        return self.valid_from


@frozen_kw_only
class TypedMemory(PageLine):
    """One observation: ``- [preference] Prefers async reviews``.

    ``importance`` lies in [0, 1]; what says none has that of its type. ``scene`` is where it belongs: what
    its comment says, else its headings. ``done`` marks a todo that needs nothing any more.
    """

    type: str
    text: str
    importance: float = OTHER_IMPORTANCE
    happens_at: date | None = None
    occurred_at: date | None = None
    recorded_at: date | None = None
    scene: str = ""
    done: bool = False

    @property
    def since(self) -> date | None:
        """The day from which it holds, else on which it happened."""
        return self.valid_from or self.occurred_at

    @property
    def weight(self) -> float:
        """Importance times confidence, in [0, 1]: how much it counts among others."""
        return self.importance * self.confidence

    @property
    def day(self) -> date | None:
        """The day that it speaks of: when it happens, happened, began to hold, or was written down."""
        return self.happens_at or self.occurred_at or self.valid_from or self.recorded_at


@frozen_kw_only
class Relation(PageLine):
    """One relation: ``- works_on [[Project Atlas]]``, also ``- works on [[Project Atlas|Atlas]] (again)``.

    ``kind`` is in lower case with ``_`` between its words; ``target`` is as written.
    """

    kind: str
    target: str


@frozen_kw_only
class Entity:
    """One graph page. ``problem`` says why its header, or all of it, could not be read."""

    path: RelPath
    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    valid_from: date | None = None
    valid_until: date | None = None
    memories: tuple[TypedMemory, ...] = ()
    relations: tuple[Relation, ...] = ()
    trust: str = "unknown"
    pinned: bool = False
    problem: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and its further names."""
        return (self.name, *self.aliases)

    @property
    def keys(self) -> frozenset[str]:
        """Its names as they are compared (see ``name_key``)."""
        return frozenset(map(name_key, self.names))

    @property
    def lines(self) -> tuple[TypedMemory | Relation, ...]:
        """Its memories and relations."""
        return (*self.memories, *self.relations)

    @property
    def since(self) -> date | None:
        """The first day that its page, or any line on it, speaks of.

        None where the page says none: a day on one line alone does not make the entity begin then.
        """
        days = (self.valid_from, *(line.since for line in self.lines))
        return min(filter(None, days)) if self.valid_from else None


def name_key(name: str) -> str:
    """What names are compared by: blind to case, white space and Unicode normal forms (NFC)."""
    if name.isascii():
        return " ".join(name.lower().split())
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return " ".join(folded.split())


def relation_kind(words: str) -> str:
    """A relation as it is compared: ``Works on`` is ``works_on``."""
    return "_".join(words.replace("-", " ").replace("_", " ").split()).casefold()


def memory_type(entry: Entry) -> str:
    """The type of a typed memory: ``- [preference] …``, or what its comment says; empty for other entries.

    Outside of the graph, where brackets may mean anything, only the known types count.
    """
    found = _MEMORY.match(entry.text)
    if found and (entry.kind is Kind.ENTITY or found["type"] in IMPORTANCE):
        return found["type"]
    return entry.field("type") or ""


def read_entity(document: Document) -> Entity:
    """The entity in a page; its place says name and type where the front matter does not."""
    header = document.header
    parts = document.path.split("/")
    name = stem_of(document.path)
    return Entity(
        path=document.path,
        id=header.text("id") or name,
        name=header.text("name") or name.replace("-", " "),
        type=header.text("type") or (parts[1] if len(parts) > 2 else "concept"),
        aliases=header.list("aliases"),
        valid_from=header.day("valid_from"),
        valid_until=header.day("valid_until"),
        memories=read_memories(document),
        relations=_relations(document),
        trust=header.text("trust") or TRUST[-1],
        pinned=header.flag("pinned"),
        problem=header.problem,
    )


def read_memories(document: Document) -> tuple[TypedMemory, ...]:
    """The typed memories of a document, in its order.

    On a graph page any word in brackets is a type; elsewhere, where brackets may mean anything, a memory is a
    list item with one of the known types.
    """
    on_page = document.kind is Kind.ENTITY
    found = []
    for entry in _lines(document):
        said = _MEMORY.match(entry.text)
        if said is None or not (on_page or (entry.form is Form.ITEM and said["type"] in IMPORTANCE)):
            continue
        text, own = said["text"], _comment(entry)
        if entry.parts > 1:
            text = document.text_of(entry).partition("]")[2]
        text = " ".join(text.split())
        found.append(
            TypedMemory(
                type=said["type"],
                text=text,
                entry=entry,
                importance=_share(own.get("importance"), IMPORTANCE.get(said["type"], OTHER_IMPORTANCE)),
                happens_at=parse_moment(own.get("happens_at")),
                occurred_at=parse_moment(own.get("occurred_at")),
                recorded_at=parse_day(own.get("at")),
                scene=own.get("scene") or " › ".join(entry.heading),
                done=_is_done(text, own),
                **_said(entry, own, document.header),
            )
        )
    return tuple(found)


def _relations(document: Document) -> tuple[Relation, ...]:
    return tuple(
        Relation(
            kind=relation_kind(said["kind"]),
            target=said["target"].strip(),
            entry=entry,
            **_said(entry, _comment(entry), document.header),
        )
        for entry in _lines(document)
        if (said := _RELATION.fullmatch(entry.text))
    )


def _lines(document: Document) -> Iterator[Entry]:
    """The entries but for headings, which are some only until something stands under them."""
    return (entry for entry in document.entries if entry.form is not Form.HEADING)


def link_name(target: str) -> str:
    """The name in a link's target: without the part of a page (``#Heading``, ``^block``) and ``.md``."""
    return _LINK_PART.sub("", target).strip().removesuffix(".md")


def _comment(entry: Entry) -> Mapping[str, str]:
    """The fields of the comment, the first of each name, to be asked for many of them."""
    return dict(reversed(entry.origin.fields))


def _said(entry: Entry, own: Mapping[str, str], header: FrontMatter) -> dict[str, Any]:
    """What memories and relations have in common.

    No line speaks louder than its page; see ``indexing.document``, which ranks by the same.
    """
    trust, page = own.get("trust"), header.text("trust")
    return {
        "id": own.get("id") or "",
        "confidence": _share(own.get("confidence"), CERTAIN),
        "valid_from": parse_day(own.get("valid_from")),
        "valid_until": parse_day(own.get("valid_until")),
        "sources": entry.fields("src"),
        "session": own.get("session") or "",
        "trust": least_trusted(trust or page, page or trust),
    }


def _is_done(text: str, own: Mapping[str, str]) -> bool:
    said = any(own.get(name) not in (None, "no", "false", "0") for name in _DONE_FIELDS)
    return said or (own.get("status") or "").lower() in _DONE_WORDS or bool(_DONE.match(text))


def _share(said: str | None, usual: float) -> float:
    """A figure in [0, 1]; what is none, or lies outside, is the usual one."""
    share = parse_share(said)
    return usual if share is None else share


def relation_key(entity: str, kind: str, target: str) -> str:
    """The name of the claim that a relation makes."""
    return claim_key(f"{entity} {kind.replace('_', ' ')} {target}")


def keys_of(document: Document, entries: Iterable[Entry]) -> Iterator[str]:
    """The names of the claims that these lines of a page make."""
    entity = read_entity(document)
    relations = {
        one.entry.address: relation_key(entity.name, one.kind, one.target) for one in entity.relations
    }
    return (relations.get(entry.address) or claim_key(entry.text) for entry in entries)


def forgotten_key(key: str) -> str:
    """The name of the decision that a claim leaves the graph, which says nothing of it as a proposal."""
    return claim_key(f"graph {key}")
