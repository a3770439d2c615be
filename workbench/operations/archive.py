"""The archive: entries leave an over-full MEMORY.md and stay searchable, but are never loaded."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from types import MappingProxyType

from workbench.errors import NotCuratableError, UsageError
from workbench.frozen import frozen
from workbench.memory.claims import claim_key
from workbench.memory.edit import take_out
from workbench.memory.entry import Entry, Kind
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document
from workbench.memory.move import MovedBlock, section
from workbench.memory.provenance import parse_day, parse_instant
from workbench.operations.move import Relocation, with_origin
from workbench.operations.sources import ResolvedEntries, gather
from workbench.plural import plural
from workbench.workspace.layout import ARCHIVE
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

UNUSED_DAYS = 90
"""Days without a recall after which an entry is unused."""
_SCREENFUL = 20
"""Entries that are chosen at a time."""
_ROUND = 1_000
_UNSAID_SCORE = 0.5
_DAYS = {"last_recalled_at": "last recalled", "at": "written", "occurred_at": "happened"}
"""What provenance says of the days of an entry, and in which words; no edit changes them."""


@frozen
class _Candidate:
    """A block of MEMORY.md with its rank (the lowest goes first) and why it may go.

    ``rank``: first what is over (0) and what is said again (1), each by its place; then the rest (2), by how
    often it was recalled, its score for its size, the day it was last touched, and its place.
    ``evident``: something says that it is of no use; else it is only worth less than others.
    """

    block: tuple[Entry, ...]
    rank: tuple[int, int] | tuple[int, int, float, date, int]
    why: str
    evident: bool = True


def plan_archive(
    workspace: Workspace,
    addresses: Sequence[str] | None = None,
    *,
    budget: int | None = None,
    today: date | None = None,
    reason: str = "",
) -> Plan:
    """Take entries of MEMORY.md into this month's archive, under the headings they had.

    Without ``addresses`` those go that ``_candidates`` ranks first, until the file is within ``budget``
    (characters of the file; the setting ``memory_budget`` when not given). If ``budget`` is not given either,
    only what is over, said again, or neither written nor recalled for 90 days goes, and at most as many
    entries as a person can look through. The plan's notes say of each why, after the other way out, a larger
    budget. Raises NotCuratableError when the file is within its budget, or nothing speaks against any entry.
    """
    if addresses and budget is not None:
        raise UsageError("--budget selects the entries", hint="use one of them")
    today = today or date.today()
    notes: list[str] = []
    if addresses:
        found = gather(workspace, addresses)
        for document, entry in found:
            if document.kind is not Kind.MEMORY:
                raise NotCuratableError(
                    f"{entry.address} cannot be archived: only entries of long-term memory are",
                    hint="`workbench move` moves entries of other files",
                )
    else:
        limit = workspace.memory_budget if budget is None else budget
        memory = workspace.memory_document()
        recalled = last_recalls(workspace.ledger.read("recalls"))
        may_go = _candidates(memory, today, recalled)
        if budget is None:  # as much as a person can look through
            may_go = [one for one in may_go if one.evident][:_SCREENFUL]
        chosen, size = _chosen(memory, limit, may_go)
        wanted = -(-characters(memory.data) // _ROUND) * _ROUND
        keeps_all = f"`workbench config set memory_budget {wanted}`"
        limits = workspace.layout.limits_of(memory.path)
        most = min([wanted, *(one.most for one in limits if one.unit == "characters")])
        if not chosen:
            raise NotCuratableError(
                f"{memory.path} has {size:,} of {limit:,} characters, and nothing in it is known to be "
                "finished, repeated or unused for"
                f" {UNUSED_DAYS} days",
                hint=f"choose entries: your agent loads {most:,} characters of it"
                if most < wanted
                else f"{keeps_all} raises the budget, if your agent loads that much; or choose entries",
            )
        if most == wanted:
            notes.append(f"{keeps_all} would keep everything, if your agent loads that much")
        entries = [entry for candidate in chosen for entry in candidate.block]
        titles = [entry.plain_title for entry in entries]
        found = ResolvedEntries({memory.path: memory}, {}, {memory.path: entries}, titles)
        notes += (f"“{candidate.block[0].plain_title}”: {candidate.why}" for candidate in chosen)
        if size > limit:
            notes.append(f"{size:,} of {limit:,} characters are left")
    relocation = Relocation(workspace, found)
    stamp = {"archived": today.isoformat()}
    groups: dict[tuple[str, ...], list[MovedBlock]] = {}
    for document, passage in relocation.lift():
        archived = with_origin(document, passage, today, stamp, may_wrap=True)
        groups.setdefault(passage.entries[0].heading, []).append(archived)
    for heading, group in groups.items():
        relocation.set_down(f"{ARCHIVE}{today:%Y-%m}.md", partial(section, path=heading), group)
    return relocation.plan("archive", reason=reason, notes=notes)


_OVER = (
    r"superseded|obsolete|outdated|overtaken|no longer (?:valid|true|current)|veraltet|überholt|abgelöst"
    r"|nicht mehr gültig|obsolet[oa]|reemplazad[oa]|sustituid[oa]|ya no (?:es )?válid[oa]|obsolète|périmée?"
    r"|remplacée?|plus valable|substituíd[oa]|ultrapassad[oa]|устарел[аои]?|неактуальн\w+|заменен[аоы]?"
    r"|nieaktualn\w+|przestarzał\w+|zastąpion\w+|verouderd|vervangen|usang|lỗi thời|(?:đã )?(?:bị )?thay thế"
    r"|đã supersede|已?过时|已過時|已?废弃|已?作废|已被?取代|已被?替代|廃止|失効|古い情報|폐기됨?|대체됨"
)
_SINCE = (
    r"by|since|as of|on|durch|seit|por|desde|par|depuis|с|вместо|przez|od|door|sinds|oleh|sejak|bởi|từ"
    r"|\d{4}-\d\d"
)
_SAYS_OVER = re.compile(
    rf"[\W_]{{0,8}}(?:\w+ )?[(\[（【][^)\]）】]{{0,40}}?(?<!\w)(?:{_OVER})(?![^\W\d_])"
    rf"|[\W_]{{0,8}}(?:{_OVER})[*_]*(?::|：| (?:{_SINCE})(?!\w))|\W{{0,8}}~~(?P<struck>[^~]+)~~(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""The head of an entry by which it says itself that it is over: a remark, or words that are struck out."""


def why_over(entry: Entry, today: date) -> str:
    """Why the time of an entry is over, by its provenance or its own first words; empty where it is not."""
    ends = [day for name in ("valid_until", "expires_at") if (day := entry.origin.day(name)) and day < today]
    if ends:
        return f"it ended on {min(ends)}"
    if heir := entry.field("superseded_by"):
        return f"{heir} has replaced it"
    head = _SAYS_OVER.match(entry.text)
    # What stands behind struck words for longer than they are is the entry as it was corrected.
    is_over = head is not None and len(head["struck"] or entry.text) >= len(head["rest"] or "")
    return "it says so itself" if is_over else ""


def least_valuable(
    memory: Document,
    budget: int,
    today: date,
    recalled: Mapping[str, date],
    *,
    spared: Collection[str] = (),
    scores: Mapping[str, float] | None = None,
) -> list[tuple[tuple[Entry, ...], str]]:
    """The blocks without which ``memory`` has at most ``budget`` characters, each with why it may go.

    ``recalled`` is the day on which each claim was last recalled. Nothing that was written by hand is among
    them. Those at the addresses ``spared`` stay. ``scores`` are what entries are worth now,
    by address, in the place of what was thought of them when they came.
    Raises NotCuratableError where all others together do not make room enough.
    """
    may_go = [
        one
        for one in _candidates(memory, today, recalled, scores or {})
        if one.block[0].provenance and one.block[0].address not in spared
    ]
    chosen, size = _chosen(memory, budget, may_go)
    if size > budget:
        raise NotCuratableError(
            f"{memory.path} cannot be reduced to {budget:,} characters: what was written by hand, is "
            f"pinned or stays in it is {size:,}",
            hint="nothing was changed; raise memory_budget in workbench.yaml",
        )
    return [(candidate.block, candidate.why) for candidate in chosen]


def _chosen(memory: Document, budget: int, candidates: Sequence[_Candidate]) -> tuple[list[_Candidate], int]:
    """The first candidates without which the file has at most ``budget`` characters, and what it has then.

    Raises NotCuratableError where it has no more already.
    """
    size = characters(memory.data)
    if size <= budget:
        raise NotCuratableError(
            f"nothing to archive: {memory.path} has {size:,} of {budget:,} characters",
            hint="choose entries to archive them anyway",
        )
    chosen: list[_Candidate] = []
    estimate = size
    for candidate in candidates:
        chosen.append(candidate)
        estimate -= _room(memory, candidate.block)
        if estimate <= budget and (left := _without(memory, chosen)) <= budget:
            return chosen, left
    return chosen, _without(memory, chosen)


def last_recalls(records: Iterable[Mapping[str, object]]) -> dict[str, date]:
    """The day on which each claim was last given to anybody, by the records of the ledger."""
    days: dict[str, date] = {}
    for record in records:
        claim, at = record.get("claim"), parse_instant(record.get("at"))
        if isinstance(claim, str) and at:
            days[claim] = max(days.get(claim, date.min), at.date())
    return days


def _without(memory: Document, chosen: Sequence[_Candidate]) -> int:
    """Characters that the file has without these."""
    return characters(take_out(memory, [entry for candidate in chosen for entry in candidate.block]))


def _candidates(
    memory: Document,
    today: date,
    recalled: Mapping[str, date],
    scores: Mapping[str, float] = MappingProxyType({}),
) -> list[_Candidate]:
    """All that may go, in that order. ``recalled``: when claims were recalled, beside their provenance.

    1. what is over: ``valid_until`` or ``expires_at`` has passed, ``superseded_by`` names what replaced it,
       or its first words say so;
    2. what an entry above it under the same heading says in the same words, as long as that one stays;
    3. what was promoted, dreamt or stands under the heading of a day, the least recalled first, then the
       lowest ``score`` (0.5 where none is said) by the square root of the room that it takes: of what is
       worth the same, more fits of what is short; then the one that was last touched the longest ago.

    An entry without provenance was written by hand and goes only where it is unused: under the heading of a
    day that is long past. A pinned one never goes by itself.
    """
    every = [(block, _claims(block), why_over(block[0], today)) for block in blocks(memory)]
    firsts: dict[tuple[str, ...], Entry] = {}
    said_again = set()
    found: list[_Candidate] = []
    for block, claims, over in every:
        if not over and firsts.setdefault(claims, block[0]) is not block[0] and not block[0].pinned:
            said_again.add(claims)
    for place, (block, claims, over) in enumerate(every):
        entry = block[0]
        if entry.pinned:
            continue
        if over:
            found.append(_Candidate(block, (0, place), over))
        elif (first := firsts[claims]) is not entry:
            found.append(_Candidate(block, (1, place), f"line {first.start_line} says the same"))
        elif claims not in said_again and (other := _other(memory, place, block, today, recalled, scores)):
            found.append(other)
    return sorted(found, key=lambda candidate: candidate.rank)


def _day_alone(heading: str) -> date | None:
    """The day that a heading is, at most with a remark in brackets: `2026-03-14 Wedding` is about that."""
    return parse_day(heading) if not re.search(r"[^\W\d_]", re.sub(r"\(.*?\)", "", heading)) else None


def _other(
    memory: Document,
    place: int,
    block: tuple[Entry, ...],
    today: date,
    recalled: Mapping[str, date],
    scores: Mapping[str, float],
) -> _Candidate | None:
    """A block that is neither over nor said again; None where it was written by hand and is not unused."""
    entry = block[0]
    claim = claim_key(entry.text)
    days = [(day, word) for name, word in _DAYS.items() if (day := entry.origin.day(name))]
    if headed := _day_alone(entry.heading[-1] if entry.heading else ""):
        days.append((headed, "under its heading of"))
    if day := recalled.get(claim):
        days.append((day, "last recalled"))
    touched, word = max(days, default=(date.min, ""))
    unused = bool(days) and (today - touched).days >= UNUSED_DAYS
    if not entry.provenance and (not (headed and unused) or entry.text.startswith("[ ]")):
        return None
    recalls = int(_number(entry.field("recalls") or entry.field("recall_count"), 0))
    room = _room(memory, block)
    score = scores.get(entry.address, _number(entry.field("score"), _UNSAID_SCORE))
    parts = []
    if claim not in recalled:
        parts.append(f"recalled {plural(recalls, 'time')}" if recalls else "never recalled")
    if entry.field("score") or entry.address in scores:
        parts.append(f"score {round(score, 2):g} for {plural(room, 'character')}")
    if days:
        parts.append(f"{word} {touched}")
    rank = (2, recalls, score / math.sqrt(room), touched, place)
    return _Candidate(block, rank, ", ".join(parts), unused)


def _claims(block: Sequence[Entry]) -> tuple[str, ...]:
    """What a block says, and of whom: under another heading the same words may be about somebody else."""
    return (*block[0].heading, *(claim_key(entry.text) for entry in block))


def _room(memory: Document, block: Sequence[Entry]) -> int:
    return sum(characters(memory.data[entry.span.start : entry.span.end]) for entry in block)


def characters(data: bytes) -> int:
    """How many characters these bytes are."""
    return len(data.decode("utf-8", "replace"))


def _number(text: str | None, otherwise: float) -> float:
    """A number that a comment says, if it is one that can be compared."""
    with contextlib.suppress(ValueError):
        value = float(text or "")
        if abs(value) < 1e9:  # neither infinite nor no number
            return value
    return otherwise
