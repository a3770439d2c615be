"""Merging: what several entries say stands in one, with all the places that it came from."""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date

from workbench.errors import NotCuratableError, UsageError
from workbench.memory.edit import block_id, take_out, with_block_id, without_block_ids
from workbench.memory.entry import Entry, Kind, RelPath, entry_hash, path_of
from workbench.memory.file_edit import FileEdit
from workbench.memory.provenance import Provenance, least_trusted, parse_day, split_provenance
from workbench.memory.text_merge import united
from workbench.operations.edit import put_in_place, reworded
from workbench.operations.references import telling_lost_links
from workbench.operations.sources import (
    NEVER_A_SOURCE,
    PromotionSource,
    gather,
    marks,
    require_clean,
    require_released,
    trust_kept,
)
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_ORIGINALS = (Kind.LOG, Kind.EPISODE)
_TYPE = re.compile(r"\[[a-z][a-z_]*\]\s+")
_JOINED = ("id", "src", "entry", "session", "trust", "occurred_at", "at", "by", "pinned")


def plan_merge(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    text: str | None = None,
    reason: str = "",
    allow_flagged: bool = False,
    today: date | None = None,
) -> Plan:
    """Make one entry of two or more, at the place of the first that stands in curated memory.

    Where none does, the first that is no original is the place. It says ``text`` or, in the order in which
    they are named, what ``text_merge.united`` makes of them; its trust is the least of theirs, it names
    all their sources, and it keeps an id. The others leave their files, except for those in logs and
    episodes: these are originals and stay, as they do in a promotion. A part of a long block stands for
    the whole block. Hidden text and secrets enter curated memory only with ``allow_flagged``: raises
    FlaggedError, NotCuratableError, EntryNotFoundError, ...
    """
    target, named = _chosen(workspace, addresses)
    if target.entry.kind is Kind.MEMORY and not allow_flagged:
        require_clean(source.entry for source in named)
    today = today or date.today()
    gone: dict[RelPath, list[PromotionSource]] = defaultdict(list)
    for source in named:
        if source.entry.kind not in _ORIGINALS:
            gone[source.document.path].append(source)
    base = _without(target, gone.pop(target.document.path, []))
    data, became = merged(base, named, text=text, today=today)
    edits = [FileEdit(target.document.path, target.document.data, data)]
    for path, sources in gone.items():
        before = sources[0].document
        edits.append(FileEdit(path, before.data, take_out(before, _blocks(sources))))
    if target.entry.kind is Kind.MEMORY:
        edits += marks(named, today)
    plan = Plan(
        action="merge",
        summary=became.plain_title,
        edits=tuple(edits),
        entries=tuple(dict.fromkeys(source.entry.address for source in (target, *named))),
        became=(became.address,),
        reason=reason,
        trailers=tuple(("Source", source.place) for source in named),
    )
    return telling_lost_links(workspace, plan)


def merged_source(workspace: Workspace, addresses: Sequence[str]) -> str:
    """The words that a merge of these entries would have, for a person to look over. Raises as it does."""
    target, named = _chosen(workspace, addresses)
    return _united(target, named)


def merged(
    target: PromotionSource,
    sources: Sequence[PromotionSource],
    *,
    text: str | None = None,
    today: date,
    actor: str = "human",
) -> tuple[bytes, Entry]:
    """The bytes of the target's file with the words of ``sources`` in its entry, and that entry.

    Raises NotCuratableError where the entry cannot take them up.
    """
    for source in (target, *sources):
        if why := NEVER_A_SOURCE.get(source.entry.kind):
            raise NotCuratableError(f"{source.entry.address} cannot be merged: {why}")
    document, entry = target.document, target.entry
    if text is None:
        text = _united(target, sources)
    elif not text.strip():
        raise NotCuratableError("an entry needs text", hint="forget them instead")
    text = split_provenance(text)[0].replace("\r\n", "\n").strip("\n")
    origin = _origin(target, sources, today, actor)
    data, found = put_in_place(document, entry, reworded(document, entry, text, origin.render()))
    after = document.with_data(data)
    whole = found[0].part == 1 and len(found) == found[0].parts
    if not whole or found[0].provenance != origin or entry_hash(after.text_of(found[0])) != entry_hash(text):
        raise NotCuratableError(
            f"“{entry.plain_title}” cannot include this text as one entry",
            hint="merge into a list item, or write the text yourself (--text)",
        )
    return data, found[0]


def _united(target: PromotionSource, sources: Sequence[PromotionSource]) -> str:
    """All that they say. A block has one name: the target's, else that of one which leaves the same file."""
    first = target.document.text_of(target.entry)
    words = [_words(source) for source in sources]
    leaving = (s.document is target.document and s.entry.kind not in _ORIGINALS for s in sources)
    names = [first, *(text for text, goes in zip(words, leaving, strict=True) if goes)]
    name = next(filter(None, map(block_id, names)), "")
    return with_block_id(united(without_block_ids(first), list(map(without_block_ids, words))), name)


def _chosen(workspace: Workspace, addresses: Sequence[str]) -> tuple[PromotionSource, list[PromotionSource]]:
    """The entry at whose place the others join, and these, each block once and in the order of naming."""
    found = gather(workspace, addresses)
    named: list[PromotionSource] = []
    for address in addresses:
        require_released(address)
        document = found.documents[RelPath(path_of(address))]
        source = PromotionSource(document, document.find(address))
        if not any(source.document is s.document and source.entry.whole == s.entry.whole for s in named):
            named.append(source)
    if len(named) < 2:
        raise UsageError("a merge needs at least two entries", hint="give another one")
    target = _target(workspace, named)
    named.remove(target)
    return target, named


def _target(workspace: Workspace, named: Sequence[PromotionSource]) -> PromotionSource:
    curated = workspace.memory_path()
    first = min(named, key=lambda one: (one.document.path != curated, one.entry.kind in _ORIGINALS))
    if first.entry.kind in _ORIGINALS:
        raise NotCuratableError(
            "logs and episodes are original records: their entries are not merged",
            hint="promote one of these entries, then the others into it: `workbench promote ENTRY --into "
            "ENTRY`",
        )
    return first


def _blocks(sources: Sequence[PromotionSource]) -> list[Entry]:
    """All parts of the blocks of these entries, which are in one file."""
    return [e for s in sources for e in s.document.entries if e.whole == s.entry.whole]


def _without(target: PromotionSource, gone: Sequence[PromotionSource]) -> PromotionSource:
    """The target in its file without ``gone``, which may have given it another ordinal."""
    if not gone:
        return target
    document, entry = target.document, target.entry
    entries = _blocks(gone)
    ordinal = entry.ordinal - sum(e.hash == entry.hash and e.ordinal < entry.ordinal for e in entries)
    left = document.with_data(take_out(document, entries))
    return PromotionSource(left, left.find(f"{entry.path}#{entry.hash}~{ordinal}"))


def _words(source: PromotionSource) -> str:
    """What a source says; the type that a graph page gives it belongs to that page."""
    text = source.document.text_of(source.entry)
    return _TYPE.sub("", text, count=1) if source.entry.kind is Kind.ENTITY else text


def _origin(
    target: PromotionSource, sources: Sequence[PromotionSource], today: date, actor: str
) -> Provenance:
    """Where the merged entry came from: all sources, the least trust, the earliest day."""
    every = (target, *sources)
    kept = [s.entry for s in every if s.entry.kind not in _ORIGINALS]
    names = [name for entry in kept if (name := entry.field("id"))]
    days = [day for s in every if (day := _occurred(s.entry))]
    pins = sorted(pin for entry in kept if (pin := entry.field("pinned")))
    fields = [("id", names[0] if names else "m" + secrets.token_hex(3))]
    fields += _distinct("src", (_said(s, "src", s.place) for s in every))
    fields += _distinct("entry", (_said(s, "entry", s.entry.hash) for s in every))
    fields += _distinct("session", map(_sessions, every))
    fields += [("trust", least_trusted(*(trust_kept(s.document, s.entry) for s in every)))]
    fields += [("occurred_at", min(days).isoformat())] if days else []
    fields += [("at", today.isoformat()), ("by", actor)]
    fields += [("pinned", pins[0])] if pins else []
    own = target.entry.provenance
    return Provenance((*fields, *(item for item in (own.fields if own else ()) if item[0] not in _JOINED)))


def _distinct(name: str, groups: Iterable[tuple[str, ...]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((name, value) for group in groups for value in group))


def _said(source: PromotionSource, name: str, own: str) -> tuple[str, ...]:
    """Where its words came from: what it says itself, else what it is. An original is cited itself."""
    said = source.entry.fields(name) if source.entry.kind not in _ORIGINALS else ()
    return said or (() if source.entry.kind is Kind.MEMORY else (own,))


def _sessions(source: PromotionSource) -> tuple[str, ...]:
    in_file = source.document.header.text("session")
    return source.entry.fields("session") or ((in_file,) if in_file else ())


def _occurred(entry: Entry) -> date | None:
    return parse_day(entry.field("occurred_at")) or (None if entry.kind is Kind.MEMORY else entry.date)
