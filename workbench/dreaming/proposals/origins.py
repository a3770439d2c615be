"""Where a proposal comes from, as its entries stand by now: places, citations, provenance, quotations."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Sequence
from datetime import datetime

from workbench.errors import UsageError, WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.memory.entry import Entry, Kind, RelPath, entry_hash, is_outside, path_of
from workbench.memory.markdown import Document
from workbench.memory.origin import Origin, OriginReader
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import Provenance, least_trusted, parse_day, split_provenance
from workbench.operations.sources import NEVER_A_SOURCE, PromotionSource, trust_of
from workbench.workspace.workspace import Workspace

_MOST_SOURCES = 3
"""Sources that an entry names: the file is loaded by an agent, and each costs as much as words do."""


def places_of(workspace: Workspace, proposal: Proposal) -> tuple[PromotionSource, ...]:
    """The source entries that still stand; dream output among them counts for nothing."""
    found: dict[str, PromotionSource] = {}
    for address in proposal.entries:
        if is_outside(address):
            continue
        with contextlib.suppress(UsageError):  # it is there no longer, or no memory
            place = PromotionSource(*workspace.locate(address))
            if place.entry.kind not in NEVER_A_SOURCE and place.entry.kind is not Kind.MEMORY:
                found.setdefault(place.entry.address, place)
    return tuple(found.values())


def cited(proposal: Proposal, places: Sequence[PromotionSource]) -> tuple[str, ...]:
    """Where the claim comes from: the lines where its entries stand now, and what has no entry to ask."""
    known = {path_of(address) for address in proposal.entries if not is_outside(address)}
    others = [source for source in proposal.sources if source.partition("#L")[0] not in known]
    return tuple(dict.fromkeys((*(place.entry.place for place in places), *others)))


def origin_of(
    proposal: Proposal, text: str, places: Sequence[PromotionSource], sources: Sequence[str], now: datetime
) -> Provenance:
    """The provenance of an entry that says ``text``: its sources, the least trust of all, its day and score.

    What can be known otherwise is not written, as an agent loads it with the words: the hash of a source that
    ``text`` quotes, another page of a session that is named already, the run (which the commit and the ledger
    name).
    """
    entries = [place.entry for place in places]
    sessions = [value for place in places for value in _sessions(place)] or [proposal.session]
    days = [day for entry in entries if (day := entry.origin.day("occurred_at") or entry.date)]
    named = _independent(sources, places)[:_MOST_SOURCES]
    hashes = dict.fromkeys(entry.hash for entry in entries if entry.place in named)
    hashes.pop(entry_hash(text), None)
    # The same for the same decision: what is shown before it is what is written.
    name = hashlib.sha256(f"{proposal.key}\n{text}\n{now.date()}".encode("utf-8", "surrogateescape"))
    fields = (
        ("id", "m" + name.hexdigest()[:6]),
        *(("src", source) for source in named),
        *(("entry", value) for value in hashes),
        *(("session", value) for value in dict.fromkeys(sessions[:_MOST_SOURCES])),
        ("trust", trust_from(proposal, places)),
        ("occurred_at", min(days).isoformat() if days else ""),
        ("at", now.date().isoformat() if now.date() not in days else ""),
        ("score", score_of(proposal) or ""),
        ("by", proposal.by),
    )
    return Provenance(tuple((key, value) for key, value in fields if value))


def _independent(sources: Sequence[str], places: Sequence[PromotionSource]) -> list[str]:
    """The sources without those that tell of the same session once more: its log comes before its episode."""
    of_place = {place.entry.place: place for place in places}
    ranked = sorted(sources, key=lambda one: one in of_place and of_place[one].entry.kind is Kind.EPISODE)
    kept: list[str] = []
    told: set[str] = set()
    for source in ranked:
        sessions = set(_sessions(of_place[source])) if source in of_place else set()
        if not sessions or not sessions <= told:
            kept.append(source)
            told |= sessions
    return kept


def trust_from(proposal: Proposal, places: Sequence[PromotionSource]) -> str:
    """The least trust of a proposal and of the places that it comes from.

    What the ledger says of trust only lowers it: a line in a file proves nothing. What has no place here that
    can be asked came from outside.
    """
    return least_trusted(proposal.trust, *([trust_of(p.document, p.entry) for p in places] or ["external"]))


def origin_from(proposal: Proposal, places: Sequence[PromotionSource]) -> Origin:
    """Who the words of a proposal are from: the least of what it says itself and of the places it comes from.

    What says nothing of itself, and has no place that still stands, is of unknown origin.
    """
    said = Origin(proposal.trust) if proposal.trust in tuple(Origin) else Origin.UNKNOWN
    if not places:
        return said
    found = {OriginReader(place.document).of(place.entry) for place in places}
    return Origin(least_trusted(*found, *([] if said is Origin.UNKNOWN else [said])))


def score_of(proposal: Proposal) -> str | None:
    """The score as provenance writes it; None where a proposal has none."""
    return f"{proposal.score:.2f}" if proposal.score else None


def _sessions(place: PromotionSource) -> tuple[str, ...]:
    in_file = place.document.header.text("session")
    return place.entry.fields("session") or ((in_file,) if in_file else ())


# -- the words that a proposal rests on --------------------------------------------------------------

_PLACE = re.compile(r"(?P<path>.+)#L(?P<first>[1-9]\d{0,8})(?:-L(?P<last>[1-9]\d{0,8}))?")
_MOST_LINES = 40


@frozen_kw_only
class Quotation:
    """One source: ``place`` is ``path#L12-L14`` as it is by now, ``address`` that of the entry there.

    ``heading`` is the last one above it, unless that is a day. ``gone`` says why its words cannot be read;
    then ``text`` is empty.
    """

    place: str
    text: str = ""
    heading: str = ""
    address: str = ""
    trust: str = ""
    gone: str = ""


def quotations(workspace: Workspace, proposal: Proposal) -> tuple[Quotation, ...]:
    """The sources of a proposal with their words, in its order: its entries, then places that have none."""
    known = {path_of(address) or address for address in proposal.entries}
    others = [source for source in proposal.sources if source.rpartition("#L")[0] not in known]
    found: dict[str, Quotation] = {}
    for one in (
        *(_of_entry(workspace, address) for address in proposal.entries),
        *(_of_source(workspace, source) for source in others),
    ):
        found.setdefault(one.place, one)
    return tuple(found.values())


@frozen
class QuotedLine:
    """A line of a file by its number; ``own`` where it belongs to what is quoted."""

    number: int
    text: str
    own: bool


def surroundings(workspace: Workspace, one: Quotation, *, lines: int = 8) -> tuple[QuotedLine, ...]:
    """A source in its place: with the lines before and after it. Raises WorkbenchError, OSError."""
    if not one.address:
        return ()
    document, entry = workspace.locate(one.address)
    first = max(1, entry.start_line - lines)
    last = min(entry.start_line + _MOST_LINES, entry.end_line + lines)
    around = enumerate(document.text.splitlines()[first - 1 : last], first)
    return tuple(
        QuotedLine(number, text, entry.start_line <= number <= entry.end_line) for number, text in around
    )


def _of_entry(workspace: Workspace, address: str) -> Quotation:
    if is_outside(address):
        return Quotation(place=address, gone="it is outside of the workspace")
    try:
        document, entry = workspace.locate(address)
    except (WorkbenchError, OSError) as error:
        why = "it was changed or removed since" if isinstance(error, UsageError) else str(error)
        return Quotation(place=address, gone=why)
    words = split_provenance(document.text_of(entry))[0].strip()
    return _quotation(entry.place, words, document, entry)


def _of_source(workspace: Workspace, source: str) -> Quotation:
    """What is cited by lines only: the lines of a file that no entry of the proposal stands in."""
    place = _PLACE.fullmatch(source)
    if place is None:
        return Quotation(place=source, gone="it does not refer to a line of memory")
    first = int(place["first"])
    with contextlib.suppress(WorkbenchError, OSError):
        document = workspace.document(RelPath(place["path"]))
        lines = document.text.splitlines()
        quoted = lines[first - 1 : int(place["last"] or first)][:_MOST_LINES]
        entry = document.at_line(first)
        if quoted:
            words = "\n".join(split_provenance(line)[0].rstrip() for line in quoted)
            return _quotation(source, words, document, entry)
    return Quotation(place=source, gone="these lines no longer exist")


def _quotation(place: str, words: str, document: Document, entry: Entry | None) -> Quotation:
    """These words; the entry that they are a part of has the address."""
    if entry is None:
        return Quotation(place=place, text=words)
    heading = next((one for one in entry.heading[-1:] if not parse_day(one)), "")
    trust = trust_of(document, entry)
    return Quotation(place=place, text=words, heading=heading, address=entry.address, trust=trust)
