"""A person's answer to a contradiction: one undoable operation, and the record that it was answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Literal, get_args

from workbench.errors import ConflictError, EntryNotFoundError, UsageError
from workbench.graph.contradictions import Claim, Contradiction, contradictions
from workbench.graph.drafts import decision
from workbench.graph.duplicates import same_key
from workbench.graph.entity_recognition import the_one
from workbench.graph.lines import replaced
from workbench.graph.page_bytes import with_marks
from workbench.graph.read import read_graph
from workbench.graph.write import key_of, lines_at
from workbench.memory.edit import take_out
from workbench.memory.entry import Entry
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document
from workbench.memory.provenance import Provenance
from workbench.safety.terminal import cut, visible
from workbench.workspace.decisions import settled_keys
from workbench.workspace.ledger import with_records
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

Answer = Literal["keep", "replace", "both", "reject"]
"""``keep`` what was there: the new claim is forgotten and does not come back by itself. ``replace`` it: the
old one holds until the new one began. ``both`` are right: nothing changes, and it is not asked again.
``reject`` both: neither is right any more, each holds until today."""
ANSWERS: tuple[Answer, ...] = get_args(Answer)
_SHORTEST = 4
"""Digits of a contradiction's key that must be given at least."""
_DONE = {
    "keep": "kept “{old}”, not “{new}”",
    "replace": "“{new}” instead of “{old}”",
    "both": "“{old}” and “{new}” both hold",
    "reject": "neither “{old}” nor “{new}” holds",
}


def open_contradictions(workspace: Workspace) -> tuple[Contradiction, ...]:
    """The contradictions of today that nobody answered yet."""
    return contradictions(read_graph(workspace), day=date.today(), decided=settled_keys(workspace))


def plan_settle_key(
    workspace: Workspace, key: str, *, answer: Answer, now: datetime, reason: str = ""
) -> Plan:
    """``plan_settle`` of the open contradiction whose key begins with ``key``. Raises UsageError, ..."""
    found = [
        one for one in open_contradictions(workspace) if len(key) >= _SHORTEST and one.key.startswith(key)
    ]
    if len(found) != 1:
        what = "several contradictions begin with" if found else "there is no contradiction"
        raise UsageError(f"{what} {key}", hint="`workbench graph contradictions` lists them")
    return plan_settle(workspace, found[0], answer, now=now, reason=reason)


def plan_settle(
    workspace: Workspace,
    contradiction: Contradiction,
    answer: Answer,
    *,
    now: datetime,
    reason: str = "",
    actor: str = "human",
) -> Plan:
    """Carry out an answer to a contradiction. The record of it is a part of the operation.

    Raises UsageError for an unknown answer, ConflictError where one of its lines is not there any more.
    """
    if answer not in ANSWERS:
        raise UsageError(
            f"there is no answer “{visible(answer, one_line=True)[:40]}”", hint="known: " + ", ".join(ANSWERS)
        )
    old, new = contradiction.old, contradiction.new
    today = now.date()
    pages = _pages(workspace, (old, new))
    reason = reason or contradiction.question
    records = [
        decision(
            contradiction.key,
            "accepted",
            claim=contradiction.question,
            reason=reason,
            by=actor,
            answer=answer,
        )
    ]
    edits: list[FileEdit] = []
    became: list[tuple[str, str]] = []
    for document, entries in pages:
        rest = document
        if answer == "keep":
            gone = [entry for entry in entries if entry.address in new.addresses]
            records += [
                decision(key_of(document, entry), "rejected", claim=entry.text, reason=reason, by=actor)
                for entry in gone
            ]
            data = take_out(document, gone) if gone else document.data
        else:
            ends = {a: _end(old, new, today) for a in old.addresses} if answer == "replace" else {}
            if answer == "reject":
                ends = dict.fromkeys((*old.addresses, *new.addresses), today)
            rest = _ended(document, entries, ends)
            data = rest.data
            became += [(address, address) for address in ends if address.startswith(f"{document.path}#")]
        if data != document.data:
            edits.append(FileEdit(document.path, document.data, data))
    gone_addresses = new.addresses if answer == "keep" else ()
    shown = {"old": _short(old.text), "new": _short(new.text)}
    return Plan(
        action="settle",
        summary=f"{_short(contradiction.entity.name)}: {_DONE[answer].format(**shown)}",
        edits=(*edits, with_records(workspace, "decisions", records, now)),
        entries=gone_addresses or tuple(address for address, _ in became),
        became=() if gone_addresses else tuple(address for _, address in became),
        reason=reason,
        actor=actor,
    )


def plan_keep_apart(
    workspace: Workspace, one: str, other: str, *, now: datetime, reason: str = "", actor: str = "human"
) -> Plan:
    """Record that two entities are not one: they are neither merged nor shown as duplicates any more.

    Raises UsageError where a name is nobody's or that of several.
    """
    graph = read_graph(workspace)
    first, second = the_one(graph, one), the_one(graph, other)
    if first.path == second.path:
        raise UsageError(f"{first.name} and {second.name} are one page: {first.path}")
    said = f"{first.name} and {second.name} are two"
    record = decision(same_key(first, second), "rejected", claim=said, reason=reason, by=actor)
    return Plan(
        action="settle",
        summary=_short(said),
        edits=(with_records(workspace, "decisions", [record], now),),
        reason=reason,
        actor=actor,
    )


def _pages(workspace: Workspace, claims: Iterable[Claim]) -> list[tuple[Document, list[Entry]]]:
    try:
        return lines_at(workspace, [address for claim in claims for address in claim.addresses])
    except EntryNotFoundError as error:
        raise ConflictError(
            "one of the two was changed or removed meanwhile; nothing was changed",
            hint="look for contradictions again",
        ) from error


def _end(old: Claim, new: Claim, today: date) -> date:
    """From when on the old claim holds no more: the day on which the new one began to, if that is later."""
    if new.since is not None and new.since <= today and (old.since is None or new.since >= old.since):
        return new.since
    return today


def _ended(document: Document, entries: list[Entry], ends: Mapping[str, date]) -> Document:
    marks = {
        entry.address: Provenance(
            tuple(
                replaced(
                    list(entry.provenance.fields) if entry.provenance else [],
                    "valid_until",
                    ends[entry.address].isoformat(),
                )
            )
        )
        for entry in entries
        if entry.address in ends
    }
    return with_marks(document, marks) if marks else document


def _short(text: str) -> str:
    return cut(" ".join(visible(text, one_line=True).split()), 24)
