"""The archive: entries leave an over-full MEMORY.md and stay searchable, but are never loaded.

When no entries are named, the least valuable ones go, one by one, until the file is within its budget:

1. what is over: ``valid_until`` or ``expires_at`` has passed, or ``superseded_by`` names what replaced it;
2. what was promoted or dreamt, the least recalled first (``recalls``), then the lowest ``score`` (0.5 where
   none is said) for the room that it takes: of what is worth the same, more fits of what is short; then the
   one that was last touched the longest ago (``last_recalled_at``, ``at``, ``occurred_at``);
3. what carries no provenance, from the bottom of the file up: a person wrote it there by hand and nothing
   says that it is old or unused, so it goes last, and what they put first goes after all else.

What is pinned never goes by itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from workbench.errors import NotCuratableError, UsageError
from workbench.memory.edit import take_out
from workbench.memory.entry import Entry, Kind
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document
from workbench.memory.move import section
from workbench.operations.relocate import Relocation, by_section, with_origin
from workbench.operations.resolve_entries import Gathered, gather
from workbench.plural import plural
from workbench.workspace.layout import ARCHIVE
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_UNSAID_SCORE = 0.5
_DAYS = {"last_recalled_at": "last recalled", "at": "written", "occurred_at": "happened"}
"""What provenance says of the days of an entry, and in which words; no edit changes them."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A block of MEMORY.md with its rank (the lowest goes first) and why it may go."""

    block: tuple[Entry, ...]
    rank: tuple[int, int, float, date, int]
    why: str


def plan_archive(
    workspace: Workspace,
    addresses: Sequence[str] | None = None,
    *,
    budget: int | None = None,
    today: date | None = None,
    reason: str = "",
) -> Plan:
    """Take entries of MEMORY.md into this month's archive, under the headings they had.

    Without ``addresses`` as many go as ``budget`` asks for (characters of the file; the setting
    ``memory_budget`` when not given); the plan's notes say of each why. Raises NotCuratableError when the
    file is within its budget, or cannot be brought there.
    """
    if addresses and budget is not None:
        raise UsageError("--budget chooses entries by itself", hint="leave it away, or name no entries")
    today = today or date.today()
    notes: list[str] = []
    if addresses:
        found = gather(workspace, addresses)
        for document, entry in found:
            if document.kind is not Kind.MEMORY:
                raise NotCuratableError(
                    f"{entry.address} cannot be archived: only entries of long-term memory are",
                    hint="`workbench move` takes entries of other files elsewhere",
                )
    else:
        limit = workspace.settings.memory_budget if budget is None else budget
        memory = workspace.memory_document()
        chosen = _chosen(memory, limit, today)
        found = Gathered(documents={memory.path: memory})
        found.entries[memory.path] = [entry for candidate in chosen for entry in candidate.block]
        found.titles += (entry.plain_title for entry in found.entries[memory.path])
        notes += (f"“{candidate.block[0].plain_title}”: {candidate.why}" for candidate in chosen)
    relocation = Relocation(workspace, found)
    stamp = {"archived": today.isoformat()}
    passages = (
        (passage.entries[0].heading, with_origin(document, passage, today, stamp, may_wrap=True))
        for document, passage in relocation.lift()
    )
    for heading, group in by_section(passages).items():
        relocation.set_down(f"{ARCHIVE}{today:%Y-%m}.md", partial(section, path=heading), group)
    return relocation.plan("archive", reason=reason, notes=notes)


def least_valuable(
    memory: Document, budget: int, today: date, *, spared: Collection[str] = ()
) -> list[tuple[tuple[Entry, ...], str]]:
    """The blocks without which ``memory`` has at most ``budget`` characters, each with why it may go.

    Those whose provenance has an id among ``spared`` stay. Raises NotCuratableError as ``plan_archive`` does.
    """
    return [(candidate.block, candidate.why) for candidate in _chosen(memory, budget, today, spared)]


def _chosen(memory: Document, budget: int, today: date, spared: Collection[str] = ()) -> list[_Candidate]:
    """The least valuable entries without which the file has at most ``budget`` characters."""
    size = _characters(memory.data)
    if size <= budget:
        raise NotCuratableError(
            f"nothing to archive: {memory.path} has {size:,} of {budget:,} characters",
            hint="choose entries to archive them all the same",
        )
    chosen: list[_Candidate] = []
    estimate = size
    for candidate in sorted(_candidates(memory, today), key=lambda candidate: candidate.rank):
        if candidate.block[0].field("id") in spared:
            continue
        chosen.append(candidate)
        estimate -= _room(memory, candidate.block)
        if estimate <= budget and _without(memory, chosen) <= budget:
            return chosen
    raise NotCuratableError(
        f"{memory.path} cannot be brought down to {budget:,} characters: its headings and what is pinned in "
        f"it alone are {_without(memory, chosen):,}",
        hint="nothing was changed; unpin entries, or raise memory_budget in workbench.yaml",
    )


def _without(memory: Document, chosen: Sequence[_Candidate]) -> int:
    """Characters that the file has without these."""
    return _characters(take_out(memory, [entry for candidate in chosen for entry in candidate.block]))


def _candidates(memory: Document, today: date) -> Iterator[_Candidate]:
    for place, block in enumerate(blocks(memory)):
        said = block[0].provenance
        if block[0].pinned:
            continue
        if said is None:
            yield _Candidate(
                block, (2, 0, 0.0, date.min, -place), "written by hand, the lowest in the file that is left"
            )
            continue
        recalls = int(_number(said.get("recalls") or said.get("recall_count"), 0))
        room = _room(memory, block)
        worth = _number(said.get("score"), _UNSAID_SCORE) / room
        days = [(day, word) for name, word in _DAYS.items() if (day := said.day(name))]
        touched, word = max(days, default=(date.min, ""))
        ends = [day for name in ("valid_until", "expires_at") if (day := said.day(name)) and day < today]
        heir = said.get("superseded_by")
        if ends or heir:
            why = f"it was over on {min(ends)}" if ends else f"{heir} has replaced it"
            yield _Candidate(block, (0, recalls, worth, touched, place), why)
            continue
        parts = [f"recalled {plural(recalls, 'time')}" if recalls else "never recalled"]
        parts += [f"score {said.get('score')} for {plural(room, 'character')}"] if said.get("score") else []
        parts += [f"{word} {touched}"] if days else []
        yield _Candidate(block, (1, recalls, worth, touched, place), ", ".join(parts))


def _room(memory: Document, block: Sequence[Entry]) -> int:
    return sum(_characters(memory.data[entry.span.start : entry.span.end]) for entry in block)


def _characters(data: bytes) -> int:
    return len(data.decode("utf-8", "replace"))


def _number(text: str | None, otherwise: float) -> float:
    """A number that a comment says, if it is one that can be compared."""
    with contextlib.suppress(ValueError):
        value = float(text or "")
        if abs(value) < 1e9:  # neither infinite nor no number
            return value
    return otherwise
