"""What each proposal does to memory, one after the other, and the page of the day that tells of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from workbench.dreaming.proposals.agent_queues import QueuedProposal, located
from workbench.dreaming.proposals.information_loss import lost, merged_words
from workbench.dreaming.proposals.origins import cited, origin_of, places_of, score_of, trust_from
from workbench.dreaming.proposals.overlay import OverlayWorkspace
from workbench.errors import NotCuratableError, UsageError
from workbench.graph.drafts import proposed_draft
from workbench.graph.write import plan_forget_memory, plan_store, plan_update
from workbench.memory.edit import annotate, find_section, is_heading, without_block_ids
from workbench.memory.entry import Kind, RelPath, entry_hash, path_of
from workbench.memory.escape import plain_line
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document
from workbench.memory.move import with_item
from workbench.memory.proposal import QUEUE, Proposal
from workbench.memory.provenance import least_trusted, split_provenance
from workbench.operations.archive import plan_archive
from workbench.operations.forget import plan_forget
from workbench.operations.merge import merged
from workbench.operations.sections import heading_for, section_named
from workbench.operations.sources import PromotionSource, marks
from workbench.plural import first_few
from workbench.safety.secrets import masked_line
from workbench.safety.terminal import cut

_REASON = {"decay": "its importance has faded", "dreaming": "proposed by dreaming"}


@dataclass(slots=True)
class AppliedProposal:
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


@dataclass(slots=True)
class ApplyBatch:
    """Proposals that are done one after the other, each on a workspace as those before it leave it."""

    foreseen: OverlayWorkspace
    now: datetime
    actor: str
    done: list[AppliedProposal] = field(default_factory=list)
    _moved: dict[str, str] = field(default_factory=dict)
    """Where the targets of merges stand by now; all others leave theirs, so nothing may follow."""

    def copy(self) -> ApplyBatch:
        """The same, to try something on."""
        return ApplyBatch(self.foreseen.copy(), self.now, self.actor, [*self.done], {**self._moved})

    @property
    def ids(self) -> set[str]:
        """The ids of all entries of long-term memory that were made or changed."""
        return {name for one in self.done for name in one.ids.values()}

    def followed(self, one: Proposal) -> Proposal:
        """The proposal with its target where the ones before it have left that."""
        target = one.target
        while self._moved.get(target, target) != target:
            target = self._moved[target]
        return replace(one, target=target)

    def carry(self, one: Proposal, text: str, queued: Sequence[QueuedProposal] = ()) -> None:
        """Lay what accepting it does over ``foreseen``; ``text`` is its wording by now.

        ``queued`` are the items of other agents' queues that it is made of. Raises EntryNotFoundError where
        its target is gone, NotCuratableError, UsageError. It may then have laid a part of it: throw the batch
        away.
        """
        one = self.followed(one)
        if QUEUE in one.marks or one.action == "patch":
            done = _carried_from_queue(self.foreseen, one, text, queued, self.now, self.actor)
        else:
            done = _carried(self.foreseen, one, text, self.now, self.actor)
        if one.action == "merge":
            name = next((name for place, name in done.ids.items() if place.startswith(one.target)), "")
            if address := address_of(self.foreseen.memory_document(), name):
                self._moved[one.target] = address
        self.done.append(done)


def _carried_from_queue(
    foreseen: OverlayWorkspace,
    one: Proposal,
    text: str,
    queued: Sequence[QueuedProposal],
    now: datetime,
    actor: str,
) -> AppliedProposal:
    """What the agent in whose queue it waits would do itself, where it has a way of its own."""
    item = next((item for item in queued if item.proposal == one), None)
    if item is None:
        raise NotCuratableError("it is no longer in its queue", hint="nothing was changed")
    if item.queue.change is None:
        return _carried(foreseen, located(foreseen, one), text, now, actor)
    for edit in item.queue.change(foreseen, item.path, item.data, text if text != one.text else None):
        foreseen.lay(edit)
    return AppliedProposal(one, text, section=one.section, sources=(item.path,))


def _carried(
    foreseen: OverlayWorkspace, proposal: Proposal, text: str, now: datetime, actor: str
) -> AppliedProposal:
    done = AppliedProposal(proposal, text)
    if proposal.action in ("add", "merge", "supersede"):
        done.text = _clean(text)
        done.places = places_of(foreseen, proposal)
        done.sources = cited(proposal, done.places)
        if proposal.action == "add":
            _add(foreseen, done, now)
        elif proposal.action == "merge":
            _merge(foreseen, done, now, actor)
        else:
            _supersede(foreseen, done, now)
        for edit in marks(list(done.places), now.date()):  # the episodes that it came from are promoted
            if foreseen.files.read_or_none(edit.path) == edit.before:
                foreseen.lay(edit)
    elif proposal.action == "archive":
        _archive(foreseen, done, now.date())
    elif proposal.action == "forget":
        _forget(foreseen, done, now, actor)
    elif proposal.action == "update":
        _update(foreseen, done, now, actor)
    else:
        _store(foreseen, done, now, actor)
    return done


def _add(foreseen: OverlayWorkspace, done: AppliedProposal, now: datetime) -> None:
    memory = foreseen.memory_document()
    done.section = _section_of(done.proposal.section, done.text, memory)
    _place(foreseen, memory, done, now)


def _place(foreseen: OverlayWorkspace, memory: Document, done: AppliedProposal, now: datetime) -> str:
    """Put the text as an item with its provenance at the end of its section; the id of its entry.

    A name that Obsidian gives the block of a source stays with the source.
    """
    origin = origin_of(done.proposal, done.text, done.places, done.sources, now)
    text = without_block_ids(done.text)
    wanted = entry_hash(text)
    if any(entry.hash == wanted for entry in memory.entries):
        raise NotCuratableError(f"it is already in {memory.path}", hint="reject the proposal instead")
    after, _ = with_item(memory, text, origin, done.section)
    foreseen.lay(FileEdit(memory.path, foreseen.files.read_or_none(memory.path), after.data))
    name = origin.get("id") or ""
    done.ids.update(dict.fromkeys((place.entry.address for place in done.places), name))
    return name


def _clean(text: str) -> str:
    """``text`` without the bullet and the provenance that it brings itself: only ours count."""
    plain = split_provenance(text)[0].replace("\r\n", "\n").strip().removeprefix("- ")
    if not plain:
        raise NotCuratableError("a memory needs text", hint="reject the proposal instead")
    return plain


def _section_of(name: str, text: str, memory: Document) -> str:
    """The heading of ``memory`` for a claim that belongs under ``name``: that one, or one that means it."""
    if not name or not is_heading(name):
        return heading_for(text, memory)
    return name if find_section(memory, name) is not None else section_named(name, memory)


def _merge(foreseen: OverlayWorkspace, done: AppliedProposal, now: datetime, actor: str) -> None:
    target = _remembered(foreseen, done)
    if done.text == _clean(done.proposal.text):  # a person's own words are taken as they are
        done.text = merged_words(done.target, done.text)
    words = done.text
    if gone := lost(done.target, words):
        done.notes.append(f"lost from “{target.entry.plain_title}”: {', '.join(gone)}")
    done.section = target.entry.heading[-1] if target.entry.heading else ""
    data, became = merged(target, done.places, text=words, today=now.date(), actor=actor)
    after = target.document.with_data(data)
    proposal = done.proposal
    trust = least_trusted(became.field("trust"), trust_from(proposal, done.places))
    fields = {"by": proposal.by, "trust": trust}
    fields |= {"score": score} if (score := score_of(proposal)) else {}
    fields |= {"run": proposal.run} if proposal.run else {}
    if not done.places and done.sources and not became.origin.source:
        fields["src"] = done.sources[0]
    data = annotate(after, after.find(became.address), fields)
    foreseen.lay(FileEdit(target.document.path, target.document.data, data))
    places = (*done.places, target)
    done.ids.update(dict.fromkeys((place.entry.address for place in places), became.field("id") or ""))


def _supersede(foreseen: OverlayWorkspace, done: AppliedProposal, now: datetime) -> None:
    """The old entry goes to the archive, marked with what replaced it; the new one stands in its section.

    Long-term memory is loaded whole: what is no longer true must not stand in it, and must not be lost.
    """
    target = _remembered(foreseen, done)
    if gone := lost(done.target, done.text):
        done.notes.append(f"only in the archive from now on: {', '.join(gone)}")
    heading = target.entry.heading[-1] if target.entry.heading else ""
    done.section = heading or _section_of(done.proposal.section, done.text, target.document)
    name = _place(foreseen, target.document, done, now)
    here = foreseen.memory_document()
    old = here.find(target.entry.address)
    fields = {"superseded_by": name, "valid_until": now.date().isoformat()}
    with contextlib.suppress(
        NotCuratableError
    ):  # a table carries no mark: the history tells what replaced it
        foreseen.lay(FileEdit(here.path, here.data, annotate(here, old, fields)))
    _archive(foreseen, done, now.date())
    done.moved.pop(target.entry.address, None)
    done.ids[target.entry.address] = name


def _archive(foreseen: OverlayWorkspace, done: AppliedProposal, today: date) -> None:
    target = _target(foreseen, done)
    parts = [e.address for e in target.document.entries if e.whole == target.entry.whole]
    plan = plan_archive(foreseen, parts, today=today, reason=done.proposal.why)
    foreseen.lay_plan(plan)
    done.moved.update(zip(plan.entries, plan.became, strict=True))


def _forget(foreseen: OverlayWorkspace, done: AppliedProposal, now: datetime, actor: str) -> None:
    target = done.proposal.target
    reason = done.proposal.why or _REASON.get(done.proposal.by, "proposed and accepted")
    if "#" in target:
        _target(foreseen, done)  # it is there
    if "#" in target and path_of(target).startswith("graph/"):
        foreseen.lay_plan(plan_forget_memory(foreseen, [target], reason=reason, now=now, actor=actor))
    else:
        foreseen.lay_plan(plan_forget(foreseen, [target], reason=reason))


def _update(foreseen: OverlayWorkspace, done: AppliedProposal, now: datetime, actor: str) -> None:
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


def _store(foreseen: OverlayWorkspace, done: AppliedProposal, now: datetime, actor: str) -> None:
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


def _target(foreseen: OverlayWorkspace, done: AppliedProposal) -> PromotionSource:
    """The entry that the proposal is about. Raises EntryNotFoundError, UsageError where it names none."""
    if not done.proposal.target:
        raise UsageError(f"the proposal {done.proposal.key} names no entry to {done.proposal.action}")
    found = PromotionSource(*foreseen.locate(done.proposal.target))
    done.target = found.document.text_of(found.entry)
    return found


def _remembered(foreseen: OverlayWorkspace, done: AppliedProposal) -> PromotionSource:
    """The entry of long-term memory that the proposal is about."""
    target = _target(foreseen, done)
    if target.entry.kind is not Kind.MEMORY:
        why = f"{target.entry.address} is not in {foreseen.memory_path()}"
        raise NotCuratableError(why, hint="reject the proposal")
    return target


def address_of(memory: Document, name: str) -> str | None:
    """Where the entry of long-term memory with this id stands."""
    return next((e.address for e in memory.entries if e.field("id") == name), None)


# -- the page of a day -------------------------------------------------------------------------------
# ``_system/dreaming/20260320-consolidated.md`` is for people: no dream ever reads it as a source.

_FOLDER = "_system/dreaming/"
_LONGEST = 300
_MOST_SOURCES = 4
_DID = {"add": "", "merge": "merged, ", "supersede": "in the place of an older one, ", "store": "stored, "}


def page_path(now: datetime) -> RelPath:
    """The page of the day."""
    return RelPath(f"{_FOLDER}{now:%Y%m%d}-consolidated.md")


def with_run(
    before: bytes | None,
    *,
    now: datetime,
    by: str,
    kept: Sequence[AppliedProposal],
    left: Sequence[tuple[str, str]] = (),
    considered: int | None = None,
) -> bytes:
    """The page with one more section: what was ``kept``, and what was ``left`` behind, each with its reason.

    ``now`` gives the time in its own zone. Line ends follow those of the page. The section is added at the
    end: nothing that the page holds is written over.
    """
    lines = [] if before and before.strip() else [f"# Consolidated {now:%Y-%m-%d}", ""]
    lines += [
        f"## {now:%H:%M}, {_run_name([one.proposal.run for one in kept])}",
        "",
        _summary(by, len(kept), len(left), considered),
        "",
    ]
    sections: dict[str, list[AppliedProposal]] = {}
    for one in kept:
        sections.setdefault(one.section or "Elsewhere", []).append(one)
    for name, group in sections.items():
        lines += [f"### {masked_line(name)}", "", *(_item(one.text, _why(one)) for one in group), ""]
    if left:
        lines += ["### Left behind", "", *(_item(text, why) for text, why in left), ""]
    text = "\n".join(lines).rstrip("\n") + "\n"
    newline = "\r\n" if before and b"\r\n" in before else "\n"
    gap = "" if not before or not before.strip() else ("\n" if before.endswith(b"\n") else "\n\n")
    return (before or b"") + (gap + text).replace("\n", newline).encode("utf-8", "surrogateescape")


def _run_name(runs: Sequence[str]) -> str:
    named = [masked_line(run) for run in dict.fromkeys(runs) if run]
    if not named:
        return "proposals"
    return f"run {named[0]}" if len(named) == 1 else f"runs {', '.join(named)}"


def _summary(by: str, kept: int, left: int, considered: int | None) -> str:
    who = "accepted by you" if by == "human" else "accepted by policy (`dream --apply`)"
    counts = [f"{kept} kept", *([f"{left} left behind"] if left else [])]
    counts += [f"{considered:,} considered"] if considered is not None else []
    return f"{', '.join(counts)}; {who}."


def _why(one: AppliedProposal) -> str:
    parts = [f"score {one.proposal.score:.2f}"] if one.proposal.score else []
    parts += first_few(
        [f"`{masked_line(source).replace('`', chr(39))}`" for source in one.sources], _MOST_SOURCES
    )
    return _DID.get(one.proposal.action, "") + ", ".join(parts)


def _item(text: str, why: str) -> str:
    """A list item that is read back as one, whatever the text and the reason hold."""
    line = cut(masked_line(text), _LONGEST) + (f" ({masked_line(why)})" if why else "")
    return f"- {plain_line(line, 4 * _LONGEST) or '(text that cannot be shown here)'}"
