"""What each proposal does to memory, one after the other, on a workspace as it would be by then."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from workbench.dreaming.proposals.information_loss import lost, merged_words
from workbench.dreaming.proposals.origins import cited, origin_of, places_of, score_of, trust_from
from workbench.dreaming.proposals.overlay import Foreseen
from workbench.dreaming.proposals.placement import by_id, clean, placed, section_of
from workbench.errors import NotCuratableError, UsageError
from workbench.graph.drafts import proposed_draft
from workbench.graph.write import plan_forget_memory, plan_store, plan_update
from workbench.memory.address import find_entry, path_of
from workbench.memory.entry import Kind
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document, block_text
from workbench.memory.proposal import Proposal
from workbench.memory.provenance import least_trusted
from workbench.memory.provenance_comment import annotate
from workbench.operations.archive import plan_archive
from workbench.operations.forget import plan_forget
from workbench.operations.merge import merged
from workbench.operations.sources import PromotionSource, marks

_REASON = {"decay": "its importance has faded", "dreaming": "proposed by dreaming"}


@dataclass(slots=True)
class Carried:
    """What came of one proposal: the final ``text``, its ``section``, sources, and who became what.

    ``moved`` maps addresses to where they stand now; ``ids`` to the id of the entry of long-term memory that
    they became, whose address may still change. ``target`` is the text of the entry that it touched.
    """

    proposal: Proposal
    text: str
    section: str = ""
    target: str = ""
    sources: tuple[str, ...] = ()
    moved: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    places: tuple[PromotionSource, ...] = ()


def carry(foreseen: Foreseen, proposal: Proposal, text: str, *, now: datetime, actor: str) -> Carried:
    """Lay what accepting ``proposal`` does over ``foreseen``; ``text`` is its wording by now.

    Raises EntryNotFoundError where its target is gone, NotCuratableError, UsageError. It may then have laid
    a part of it: throw ``foreseen`` away.
    """
    done = Carried(proposal, text)
    if proposal.action in ("add", "merge", "supersede"):
        done.text = clean(text)
        done.places = places_of(foreseen, proposal)
        done.sources = cited(proposal, done.places)
        if proposal.action == "add":
            _add(foreseen, done, now)
        elif proposal.action == "merge":
            _merge(foreseen, done, now, actor)
        else:
            _supersede(foreseen, done, now)
        _stamp(foreseen, done, now.date())
    elif proposal.action == "archive":
        _archive(foreseen, done, now.date())
    elif proposal.action == "forget":
        _forget(foreseen, done, now, actor)
    elif proposal.action == "update":
        _update(foreseen, done, now, actor)
    else:
        _store(foreseen, done, now, actor)
    return done


def _add(foreseen: Foreseen, done: Carried, now: datetime) -> None:
    memory = foreseen.memory_document()
    done.section = section_of(done.proposal.section, done.text, memory)
    _place(foreseen, memory, done, now)


def _place(foreseen: Foreseen, memory: Document, done: Carried, now: datetime) -> str:
    """Put the text under its section of long-term memory; the id of its entry."""
    origin = origin_of(done.proposal, done.text, done.places, done.sources, now)
    after, _ = placed(memory, done.text, done.section, origin)
    foreseen.lay(FileEdit(memory.path, foreseen.files.read_or_none(memory.path), after.data))
    name = origin.get("id") or ""
    done.ids.update(dict.fromkeys((place.entry.address for place in done.places), name))
    return name


def _merge(foreseen: Foreseen, done: Carried, now: datetime, actor: str) -> None:
    target = _target(foreseen, done)
    if target.entry.kind is not Kind.MEMORY:
        raise NotCuratableError(
            f"{target.entry.address} is not in {foreseen.memory_path()}", hint="reject the proposal"
        )
    if done.text == clean(done.proposal.text):  # a person's own words are taken as they are
        done.text = merged_words(done.target, done.text)
    words = done.text
    if gone := lost(done.target, words):
        done.notes.append(f"no longer said by “{target.entry.plain_title}”: {', '.join(gone)}")
    done.section = target.entry.heading[-1] if target.entry.heading else ""
    data, became = merged(target, done.places, text=words, today=now.date(), actor=actor)
    after = target.document.with_data(data)
    proposal = done.proposal
    said = became.provenance.get("trust") if became.provenance else None
    fields = {"by": proposal.by, "trust": least_trusted(said, trust_from(proposal, done.places))}
    fields |= {"score": score} if (score := score_of(proposal)) else {}
    fields |= {"run": proposal.run} if proposal.run else {}
    if not done.places and done.sources and not (became.provenance and became.provenance.source):
        fields["src"] = done.sources[0]
    data = annotate(after, find_entry(after, became.address), fields)
    foreseen.lay(FileEdit(target.document.path, target.document.data, data))
    name = (became.provenance.get("id") if became.provenance else None) or ""
    done.ids.update(dict.fromkeys((place.entry.address for place in (*done.places, target)), name))


def _supersede(foreseen: Foreseen, done: Carried, now: datetime) -> None:
    """The old entry goes to the archive, marked with what replaced it; the new one stands in its section.

    Long-term memory is loaded whole: what is no longer true must not stand in it, and must not be lost.
    """
    target = _target(foreseen, done)
    if target.entry.kind is not Kind.MEMORY:
        raise NotCuratableError(
            f"{target.entry.address} is not in {foreseen.memory_path()}", hint="reject the proposal"
        )
    if gone := lost(done.target, done.text):
        done.notes.append(f"only in the archive from now on: {', '.join(gone)}")
    heading = target.entry.heading[-1] if target.entry.heading else ""
    done.section = heading or section_of(done.proposal.section, done.text, target.document)
    name = _place(foreseen, target.document, done, now)
    here = foreseen.memory_document()
    old = find_entry(here, target.entry.address)
    fields = {"superseded_by": name, "valid_until": now.date().isoformat()}
    with contextlib.suppress(
        NotCuratableError
    ):  # a table carries no mark: the history tells what replaced it
        foreseen.lay(FileEdit(here.path, here.data, annotate(here, old, fields)))
    _archive(foreseen, done, now.date())
    done.moved.pop(target.entry.address, None)
    done.ids[target.entry.address] = name


def _archive(foreseen: Foreseen, done: Carried, today: date) -> None:
    target = _target(foreseen, done)
    parts = [e.address for e in target.document.entries if e.whole == target.entry.whole]
    plan = plan_archive(foreseen, parts, today=today, reason=done.proposal.why)
    foreseen.lay_plan(plan)
    done.moved.update(zip(plan.entries, plan.became, strict=True))


def _forget(foreseen: Foreseen, done: Carried, now: datetime, actor: str) -> None:
    target = done.proposal.target
    reason = done.proposal.why or _REASON.get(done.proposal.by, "proposed and accepted")
    if "#" in target and path_of(target).startswith("graph/"):
        done.target = _target(foreseen, done).entry.text
        foreseen.lay_plan(plan_forget_memory(foreseen, target, reason=reason, now=now, actor=actor))
        return
    if "#" in target:
        done.target = _target(foreseen, done).entry.text
    foreseen.lay_plan(plan_forget(foreseen, [target], reason=reason))


def _update(foreseen: Foreseen, done: Carried, now: datetime, actor: str) -> None:
    """Change a memory of the graph; a person's own wording takes the place of the one that was proposed."""
    proposal, marks = done.proposal, done.proposal.marks
    target = _target(foreseen, done)
    is_own = done.text != proposal.text
    plan = plan_update(
        foreseen,
        proposal.target,
        now=now,
        text=done.text if is_own else marks.get("text"),
        type=marks.get("type"),
        confidence=_share(marks, "confidence"),
        importance=_share(marks, "importance"),
        valid_until=marks.get("valid_until"),
        happens_at=marks.get("happens_at"),
        done=marks["done"] == "yes" if "done" in marks else None,
        actor=actor if is_own else "agent",  # to accept another's words does not make them one's own
        reason=proposal.why,
    )
    foreseen.lay_plan(plan)
    done.moved[target.entry.address] = plan.became[0]


def _share(marks: Mapping[str, str], name: str) -> float | None:
    """A number that a proposal marks a memory with; the ledger is text like any other. Raises UsageError."""
    try:
        return float(marks[name]) if name in marks else None
    except ValueError:
        raise UsageError(f"{name} is a number, not “{marks[name]}”", hint="reject the proposal") from None


def _store(foreseen: Foreseen, done: Carried, now: datetime, actor: str) -> None:
    proposal = done.proposal
    places = places_of(foreseen, proposal)
    proposal = replace(proposal, trust=least_trusted(proposal.trust, "agent"))  # whatever the ledger says
    plan = plan_store(foreseen, proposed_draft(proposal, done.text), now=now, actor=actor)
    foreseen.lay_plan(plan)
    done.section = proposal.section
    done.sources = proposal.sources
    done.notes += plan.notes
    if len(plan.became) == 1:
        done.moved.update(dict.fromkeys((place.entry.address for place in places), plan.became[0]))


def _target(foreseen: Foreseen, done: Carried) -> PromotionSource:
    """The entry that the proposal is about. Raises EntryNotFoundError, UsageError where it names none."""
    if not done.proposal.target:
        raise UsageError(f"the proposal {done.proposal.key} names no entry to {done.proposal.action}")
    found = PromotionSource(*foreseen.locate(done.proposal.target))
    done.target = block_text(found.document, found.entry)
    return found


def _stamp(foreseen: Foreseen, done: Carried, today: date) -> None:
    """Mark the episodes that a claim came from as promoted."""
    for edit in marks(list(done.places), today):
        if foreseen.files.read_or_none(edit.path) == edit.before:
            foreseen.lay(edit)


def address_of(memory: Document, name: str) -> str | None:
    """Where the entry of long-term memory with this id stands."""
    entry = by_id(memory, name)
    return entry.address if entry else None
