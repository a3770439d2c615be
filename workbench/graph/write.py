"""Writing into the graph: memories and relations are stored, changed and forgotten as undoable operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from workbench.errors import FlaggedError, NotCuratableError, UsageError
from workbench.frozen import frozen
from workbench.graph.drafts import (
    CONFIDENCE,
    USER,
    Draft,
    EntityDraft,
    MemoryDraft,
    RelationDraft,
    dated,
    day_of,
    excerpt,
    memory_draft,
    number,
    without_none,
)
from workbench.graph.page_edit import Changes, document_of
from workbench.memory.claims import claim_key
from workbench.memory.edit import as_item, take_out, with_origins
from workbench.memory.entry import Entry, Form, Kind, RelPath
from workbench.memory.file_edit import FileEdit
from workbench.memory.graph_page import Relation, TypedMemory, keys_of, read_entity
from workbench.memory.markdown import Document
from workbench.memory.provenance import Provenance, least_trusted
from workbench.operations.edit import put_in_place
from workbench.safety.hidden_text import unsafe_in
from workbench.safety.secrets import looks_like_key, secrets_in
from workbench.workspace.decisions import decision
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace

_TO_STORE = "remove invisible characters, and never store a key or password: say where it is kept instead"


def plan_store_text(
    workspace: Workspace,
    text: Sequence[str],
    *,
    now: datetime,
    about: str = "",
    type: str = "fact",
    entity_type: str | None = None,
    relation: str | None = None,
    sources: Sequence[str] = (),
    reason: str = "",
    **said: Any,
) -> Plan:
    """``plan_store`` of what a person says: a memory, or with ``relation`` how ``about`` is related to it.

    ``said`` are further fields of the memory, None where nothing is said of them. Raises UsageError for those
    that a relation does not have, and what ``plan_store`` raises.
    """
    given = without_none(said)
    common: dict[str, Any] = {
        "entity": about,
        "entity_type": entity_type or "",
        "sources": tuple(sources),
        "trust": "owner",
    }
    draft: MemoryDraft | RelationDraft
    if relation is None:
        draft = memory_draft({**given, **common, "text": " ".join(text), "type": type})
    elif foreign := [name for name in given if name not in ("valid_from", "valid_until", "confidence")]:
        raise UsageError(f"a relation has no {foreign[0].replace('_', '-')}")
    else:
        for name in given.keys() - {"confidence"}:
            given[name] = day_of(name, given[name])
        draft = RelationDraft(kind=relation, target=" ".join(text), **common, **given)
    return plan_store(workspace, draft, now=now, reason=reason)


def record_skip(
    workspace: Workspace,
    text: Sequence[str],
    *,
    now: datetime,
    reason: str,
    source: str = "",
    by: str = "human",
) -> dict[str, Any]:
    """Record that ``text`` is not to be stored, and who says so; returns the record."""
    key = claim_key(" ".join(text))
    record = {"key": key, "why": " ".join(reason.split()), "source": source, "by": by}
    workspace.ledger.append("skips", [record], now)
    return record


def plan_store(
    workspace: Workspace,
    draft: MemoryDraft | RelationDraft,
    *,
    now: datetime,
    actor: str = "human",
    reason: str = "",
) -> Plan:
    """Put a draft on the page of its entity, which is made where there is none.

    A claim that the page makes already gets the new sources and more confidence instead of a second line.
    A memory about nobody stands on the page of the user. ``became`` holds the address of the line.

    Raises FlaggedError for a secret or hidden text, UsageError where a name fits several entities,
    NotCuratableError when it is known already or a page cannot take it.
    """
    require_fit(draft)
    if actor == "agent":  # an agent speaks for nobody but itself
        draft = replace(draft, trust=least_trusted(draft.trust, "agent"))
    written = write(workspace, [draft], now=now, user=USER, certain=actor == "human", lenient=False)
    words = excerpt(draft.words)
    if not written.edits:
        raise NotCuratableError(f"“{words}” is already in the graph", hint="nothing was changed")
    return Plan(
        action="store",
        summary=words,
        edits=written.edits,
        became=written.became,
        reason=reason,
        actor=actor,
    )


@frozen
class GraphWrite:
    """What drafts come to: edits of pages, the addresses of their lines, and what was left out, and why.

    ``failed`` are the drafts that were left out, each with its reason; ``notes`` say it for a person.
    """

    edits: tuple[FileEdit, ...]
    became: tuple[str, ...]
    notes: tuple[str, ...]
    failed: Mapping[Draft, str]


def write(
    workspace: Workspace,
    drafts: Sequence[Draft],
    *,
    now: datetime,
    user: str,
    certain: bool,
    lenient: bool,
    by_name: bool = False,
) -> GraphWrite:
    """The edits that put ``drafts`` on their pages, as ``plan_store`` says; none where all is known.

    Drafts with a secret or hidden text are left out. ``became`` holds the addresses of the memories and
    relations that say something new, each once.

    ``certain``: what says no confidence has none written; else it is ``drafts.CONFIDENCE``. ``lenient``: a
    draft or page that cannot be written is a note, else it raises. ``by_name``: a name that has a page means
    that page, whichever type a draft says.
    """
    changes = Changes(workspace, now.date(), by_name=by_name)
    failed: dict[Draft, str] = {}
    refused: dict[RelPath, str] = {}
    placed: list[tuple[Draft, tuple[str, str]]] = []
    for draft in drafts:
        if why := _held_back(draft):
            failed[draft] = why
            continue
        try:
            entered: Draft = draft
            if not (certain or isinstance(draft, EntityDraft)) and draft.confidence is None:
                entered = replace(draft, confidence=CONFIDENCE)
            key = _write(changes, entered, user)
        except UsageError as error:
            if not lenient:
                raise
            failed[draft] = error.message
        else:
            placed.append((draft, key))
    notes = [f"left out: “{excerpt(draft.words)}”: {why}" for draft, why in failed.items()]
    documents = changes.documents(refused if lenient else None)
    notes += refused.values()
    failed |= {draft: refused[RelPath(path)] for draft, (path, _) in placed if path in refused}
    addresses: dict[tuple[str, str | None], str] = {
        (document.path, entry.field("id")): entry.address
        for _, document in documents
        for entry in document.entries
        if entry.provenance
    }
    became = dict.fromkeys(address for _, key in placed if (address := addresses.get(key)))
    return GraphWrite(tuple(edit for edit, _ in documents), tuple(became), tuple(notes), failed)


def plan_update(
    workspace: Workspace,
    address: str,
    *,
    now: datetime,
    text: str | None = None,
    type: str | None = None,
    confidence: float | None = None,
    importance: float | None = None,
    valid_until: str | date | None = None,
    happens_at: str | date | None = None,
    done: bool | None = None,
    actor: str = "human",
    reason: str = "",
) -> Plan:
    """Change one memory of the graph: its words, type, days or importance, or whether it is done.

    What is done has the day in ``done``; ``done=False`` removes it. An empty ``valid_until`` or
    ``happens_at`` takes the day out. Raises UsageError, FlaggedError, EntryNotFoundError, NotCuratableError.
    """
    changes = (text, type, confidence, importance, valid_until, happens_at, done)
    if all(change is None for change in changes):
        raise UsageError(
            "there is nothing to change",
            hint="give one of text, type, importance, confidence, happens_at, valid_until, done",
        )
    document, memory = line_at(workspace, address)
    if isinstance(memory, Relation):
        raise NotCuratableError(
            f"{address} is a relation, not a memory", hint="forget it and store a new one"
        )
    entry = memory.entry
    kind = memory.type if type is None else type
    days = without_none({"valid_until": valid_until, "happens_at": happens_at})
    draft = memory_draft(  # proves all that is said together
        {
            "text": memory.text if text is None else text,
            "type": kind,
            "confidence": confidence,
            "importance": importance,
            **days,
        }
    )
    words = memory.text if text is None else draft.text
    if text is not None:
        require_fit(draft)
    said = {
        "confidence": number(confidence),
        "importance": number(importance),
        **{name: day_of(name, day).isoformat() if day else "" for name, day in days.items()},
        "done": None if done is None else (now.date().isoformat() if done else ""),
        # what is said in other words is the owner's no more
        "trust": "agent" if actor != "human" and words != memory.text and memory.trust == "owner" else None,
    }
    origin = entry.origin.changed(without_none(said))
    after, became = _rewritten(document, entry, memory, kind, words, origin)
    if after.data == document.data:
        raise NotCuratableError("there is nothing to change: it already has these values")
    return Plan(
        action="update",
        summary=excerpt(words),
        edits=(FileEdit(document.path, document.data, after.data),),
        entries=(entry.address,),
        became=(became.address,),
        reason=reason,
        actor=actor,
    )


def plan_forget_memory(
    workspace: Workspace,
    addresses: Sequence[str],
    *,
    reason: str,
    now: datetime,
    actor: str = "human",
) -> Plan:
    """Take memories or relations off their pages. They stay in history, with the reason.

    That they were forgotten is recorded with it, so that no automation learns them again. Raises UsageError
    without a reason, EntryNotFoundError, NotCuratableError for other entries.
    """
    if not reason.strip():
        raise UsageError("forgetting needs a reason", hint="it is kept with the operation")
    found = lines_at(workspace, addresses)
    if not found:
        raise UsageError("there is nothing to forget")
    entries = [entry for _, some in found for entry in some]
    records = [
        decision(key, "rejected", claim=entry.text, reason=reason, by=actor)
        for document, some in found
        for key, entry in zip(keys_of(document, some), some, strict=True)
    ]
    return Plan(
        action="forget",
        summary=excerpt(entries[0].text) if len(entries) == 1 else f"{len(entries)} memories",
        edits=tuple(
            FileEdit(document.path, document.data, take_out(document, some)) for document, some in found
        ),
        records=ledger_records("decisions", records, now),
        entries=tuple(entry.address for entry in entries),
        reason=reason,
        actor=actor,
    )


def lines_at(workspace: Workspace, addresses: Iterable[str]) -> list[tuple[Document, list[Entry]]]:
    """The memories and relations at these addresses, each once, by their pages.

    Raises EntryNotFoundError, NotCuratableError.
    """
    found: dict[str, tuple[Document, list[Entry]]] = {}
    for address in dict.fromkeys(addresses):
        document, line = line_at(workspace, address)
        _, entries = found.setdefault(document.path, (document, []))
        if line.entry not in entries:
            entries.append(line.entry)
    return [*found.values()]


def line_at(workspace: Workspace, address: str) -> tuple[Document, TypedMemory | Relation]:
    """The memory or relation at an address, and its page. Raises EntryNotFoundError, NotCuratableError."""
    document, entry = workspace.locate(address)
    if document.kind is Kind.ENTITY:
        for line in read_entity(document).lines:
            if line.entry.address == entry.address:
                return document, line
    raise NotCuratableError(
        f"{entry.address} is not a memory of the graph",
        hint="memories are on pages in graph/ as `- [type] text`; for others use `workbench edit` "
        "and `workbench forget`",
    )


def _held_back(draft: Draft) -> str:
    """Why a draft is not written: the secrets and the hidden text in its words; empty for others."""
    found = unsafe_in(draft.words)
    names = (getattr(draft, field, "") for field in ("name", "entity", "target"))
    if not found and any(map(looks_like_key, names)):
        return "a name that looks like a key"
    return "; ".join(found)


def require_fit(draft: Draft) -> None:
    """Raise FlaggedError for a draft with a secret or hidden text."""
    if why := _held_back(draft):
        error = FlaggedError({excerpt(draft.words): why}, secret=bool(secrets_in(draft.words)))
        error.hint = _TO_STORE
        raise error


def _write(changes: Changes, draft: Draft, user: str) -> tuple[str, str]:
    """Enter one draft; the page's path and the id of the line that says something new, if any."""
    if isinstance(draft, RelationDraft):
        return changes.relate(draft)
    if isinstance(draft, EntityDraft):
        listed, _ = changes.open(draft.name, draft.type, valid_from=draft.valid_from)
        return listed.path, ""
    draft = dated(draft, changes.today)
    name, kind = (draft.entity, draft.entity_type) if draft.entity else (user, "person")
    listed, page = changes.open(name, kind, valid_from=draft.valid_from)
    return listed.path, page.remember(draft, changes.today)


def _rewritten(
    document: Document, entry: Entry, memory: TypedMemory, kind: str, words: str, marks: Provenance
) -> tuple[Document, Entry]:
    """The page with this memory in the place of that one, and its entry."""
    if kind == memory.type and words == memory.text:
        after = with_origins(document, {entry.address: marks})
        at = document.entries.index(entry)
        return after, after.entries[at]
    if entry.form is not Form.ITEM or "\n" in entry.text or entry.parts > 1:
        raise NotCuratableError(
            f"“{entry.plain_title}” has more than one line: edit it yourself",
            hint="`workbench edit ENTRY` opens it",
        )
    source = document.source(entry.span)
    lead = source.partition("[")[0]
    item = as_item(f"[{kind}] {words}", marks.render(), lead)
    data, found = put_in_place(document, entry, item)
    if len(found) != 1 or found[0].text != f"[{kind}] {words}":
        raise NotCuratableError(f"“{excerpt(words)}” would be parsed as something else on this page")
    return document_of(document.path, data), found[0]
