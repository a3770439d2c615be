"""Entities with their typed memories and relations, as their pages tell them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.memory.names import RelPath
from workbench.memory.provenance import parse_day

_MEMORY = re.compile(r"\[(?P<type>[a-z][a-z_]*)\]\s+(?P<text>.+)", re.DOTALL)
IMPORTANCE: Mapping[str, float] = MappingProxyType(
    {
        "identity": 1.0,
        "goal": 0.9,
        "routine": 0.85,
        "decision": 0.8,
        "todo": 0.8,
        "preference": 0.7,
        "fact": 0.6,
        "correlation": 0.5,
        "prediction": 0.5,
        "event": 0.4,
        "feedback": 0.4,
        "observation": 0.3,
        "anomaly": 0.3,
    }
)
"""The types of memory, each with the importance that one has which says none of its own, in [0, 1]."""
_RELATION = re.compile(r"(?P<kind>[\w-]+)\s+\[\[(?P<target>[^\]|]+)(?:\|[^\]]*)?\]\]")


@dataclass(frozen=True, slots=True)
class TypedMemory:
    """One observation: ``- [preference] Prefers async reviews``."""

    type: str
    text: str
    happens_at: date | None
    occurred_at: date | None
    valid_until: date | None
    entry: Entry


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation: ``- works_on [[Project Atlas]]``."""

    kind: str
    target: str
    valid_from: date | None
    valid_until: date | None
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One graph page."""

    path: RelPath
    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    valid_from: date | None = None
    valid_until: date | None = None
    memories: tuple[TypedMemory, ...] = ()
    relations: tuple[Relation, ...] = ()
    problem: str | None = None


def memory_type(entry: Entry) -> str:
    """The type of a typed memory: ``- [preference] …``, or what its comment says; empty for other entries.

    Outside of the graph, where brackets may mean anything, only the known types count.
    """
    found = _MEMORY.match(entry.text)
    if found and (entry.kind is Kind.ENTITY or found["type"] in IMPORTANCE):
        return found["type"]
    return (entry.provenance.get("type") or "") if entry.provenance else ""


def read_entity(document: Document) -> Entity:
    """The entity in a page; its place says name and type where the front matter does not."""
    header = document.front_matter
    parts = document.path.split("/")
    name = parts[-1].removesuffix(".md")
    memories, relations = [], []
    for entry in document.entries:
        if memory := _MEMORY.match(entry.text):
            memories.append(
                TypedMemory(
                    memory["type"],
                    " ".join(memory["text"].split()),
                    _day(entry, "happens_at"),
                    _day(entry, "occurred_at"),
                    _day(entry, "valid_until"),
                    entry,
                )
            )
        elif relation := _RELATION.fullmatch(entry.text):
            relations.append(
                Relation(
                    relation["kind"],
                    relation["target"].strip(),
                    _day(entry, "valid_from"),
                    _day(entry, "valid_until"),
                    entry,
                )
            )
    values = header if header and not header.problem else None
    return Entity(
        path=document.path,
        id=(values and values.text("id")) or name,
        name=(values and values.text("name")) or name.replace("-", " "),
        type=(values and values.text("type")) or (parts[1] if len(parts) > 2 else "concept"),
        aliases=values.list("aliases") if values else (),
        valid_from=parse_day(values.text("valid_from")) if values else None,
        valid_until=parse_day(values.text("valid_until")) if values else None,
        memories=tuple(memories),
        relations=tuple(relations),
        problem=header.problem if header else None,
    )


def _day(entry: Entry, field: str) -> date | None:
    return entry.provenance.day(field) if entry.provenance else None
