"""What each proposal does to memory, one after the other, and the page of the day that tells of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

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
from workbench.memory.proposal import QUEUE, Action, Proposal
from workbench.memory.provenance import least_trusted, split_provenance
from workbench.operations.archive import plan_archive
from workbench.operations.forget import plan_forget
from workbench.operations.merge import merged
from workbench.operations.sections import heading_for, section_named
from workbench.operations.sources import PromotionSource, marks
from workbench.plural import first_few
from workbench.safety.secrets import masked_line
from workbench.safety.terminal import cut


@dataclass(slots=True)
class AppliedProposal:
    """What came of one proposal: the final ``text``, its ``section``, sources, and who became what.

    ``moved`` maps addresses to where they stand now; ``ids`` to the id of the entry of long-term memory that
    they became, whose address may still change.
    """

    proposal: Proposal
    text: str
    section: str = ""
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
        done, item = AppliedProposal(one, text), None
        if QUEUE in one.marks or one.action == "patch":
            item = next((item for item in queued if item.proposal == one), None)
            if item is None or item.refusal:
                why = item.refusal if item else "it is no longer in its queue"
                raise NotCuratableError(why, hint="nothing was changed")
        if item and item.queue.change:  # the agent in whose queue it waits has a way of its own
            words = text if text != one.text else None
            for edit in item.queue.change(self.foreseen, item.path, item.data, words):
                self.foreseen.lay(edit)
            done.section, done.sources = one.section, (item.path,)
        else:
            done.proposal = located(self.foreseen, one) if item else one
            _CARRIED[one.action](self, done)
        if one.action == "merge":
            name = next((name for place, name in done.ids.items() if place.startswith(one.target)), "")
            if address := address_of(self.foreseen.memory_document(), name):
                self._moved[one.target] = address
        self.done.append(done)


def _remember(batch: ApplyBatch, done: AppliedProposal) -> None:
    """Keep a claim in long-term memory; the episodes that it came from are promoted."""
    done.text = _clean(done.text)
    done.places = places_of(batch.foreseen, done.proposal)
    done.sources = cited(done.proposal, done.places)
    if done.proposal.action == "merge":
        _merge(batch, done)
    elif done.proposal.action == "supersede":
        _supersede(batch, done)
    else:
        memory = batch.foreseen.memory_document()
        done.section = _section_of(done.proposal.section, done.text, memory)
        _place(batch, memory, done)
    for edit in marks(list(done.places), batch.now.date()):
        if batch.foreseen.files.read_or_none(edit.path) == edit.before:
            batch.foreseen.lay(edit)


def _place(batch: ApplyBatch, memory: Document, done: AppliedProposal) -> str:
    """Put the text as an item with its provenance at the end of its section; the id of its entry.

    A name that Obsidian gives the block of a source stays with the source.
    """
    origin = origin_of(done.proposal, done.text, done.places, done.sources, batch.now)
    text = without_block_ids(done.text)
    wanted = entry_hash(text)
    if any(entry.hash == wanted for entry in memory.entries):
        raise NotCuratableError(f"it is already in {memory.path}", hint="reject the proposal instead")
    after, _ = with_item(memory, text, origin, done.section)
    before = batch.foreseen.files.read_or_none(memory.path)
    batch.foreseen.lay(FileEdit(memory.path, before, after.data))
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


def _merge(batch: ApplyBatch, done: AppliedProposal) -> None:
    proposal, target = done.proposal, _remembered(batch, done)
    held = target.document.text_of(target.entry)
    if done.text == _clean(proposal.text):  # a person's own words are taken as they are
        done.text = merged_words(held, done.text)
    if gone := lost(held, done.text):
        done.notes.append(f"lost from “{target.entry.plain_title}”: {', '.join(gone)}")
    done.section = target.entry.heading[-1] if target.entry.heading else ""
    data, became = merged(target, done.places, text=done.text, today=batch.now.date(), actor=batch.actor)
    after = target.document.with_data(data)
    fields = {
        "by": proposal.by,
        "trust": least_trusted(became.field("trust"), trust_from(proposal, done.places)),
        "score": score_of(proposal),
        "run": proposal.run,
    }
    if not done.places and done.sources and not became.origin.source:
        fields["src"] = done.sources[0]
    said = {name: value for name, value in fields.items() if value}
    data = annotate(after, after.find(became.address), said)
    batch.foreseen.lay(FileEdit(target.document.path, target.document.data, data))
    places = (*done.places, target)
    done.ids.update(dict.fromkeys((place.entry.address for place in places), became.field("id") or ""))


def _supersede(batch: ApplyBatch, done: AppliedProposal) -> None:
    """The old entry goes to the archive, marked with what replaced it; the new one stands in its section.

    Long-term memory is loaded whole: what is no longer true must not stand in it, and must not be lost.
    """
    target = _remembered(batch, done)
    if gone := lost(target.document.text_of(target.entry), done.text):
        done.notes.append(f"only in the archive from now on: {', '.join(gone)}")
    heading = target.entry.heading[-1] if target.entry.heading else ""
    done.section = heading or _section_of(done.proposal.section, done.text, target.document)
    name = _place(batch, target.document, done)
    here = batch.foreseen.memory_document()
    old = here.find(target.entry.address)
    fields = {"superseded_by": name, "valid_until": batch.now.date().isoformat()}
    # a table carries no mark: the history tells what replaced it
    with contextlib.suppress(NotCuratableError):
        batch.foreseen.lay(FileEdit(here.path, here.data, annotate(here, old, fields)))
    _archive(batch, done)
    done.moved.pop(target.entry.address, None)
    done.ids[target.entry.address] = name


def _archive(batch: ApplyBatch, done: AppliedProposal) -> None:
    target = _target(batch, done)
    parts = [e.address for e in target.document.entries if e.whole == target.entry.whole]
    plan = plan_archive(batch.foreseen, parts, today=batch.now.date(), reason=done.proposal.why)
    batch.foreseen.lay_plan(plan)
    done.moved.update(zip(plan.entries, plan.became, strict=True))


def _forget(batch: ApplyBatch, done: AppliedProposal) -> None:
    foreseen, target = batch.foreseen, done.proposal.target
    reason = done.proposal.why or "proposed and accepted"
    if "#" in target:
        _target(batch, done)  # it is there
    if "#" in target and path_of(target).startswith("graph/"):
        plan = plan_forget_memory(foreseen, [target], reason=reason, now=batch.now, actor=batch.actor)
    else:
        plan = plan_forget(foreseen, [target], reason=reason)
    foreseen.lay_plan(plan)


def _update(batch: ApplyBatch, done: AppliedProposal) -> None:
    """Change a memory of the graph; a person's own wording takes the place of the one that was proposed."""
    proposal, marks = done.proposal, done.proposal.marks
    target = _target(batch, done)
    is_own = done.text != proposal.text
    plan = plan_update(
        batch.foreseen,
        proposal.target,
        now=batch.now,
        text=done.text if is_own else marks.get("text"),
        type=marks.get("type"),
        confidence=_share(marks, "confidence"),
        importance=_share(marks, "importance"),
        valid_until=marks.get("valid_until"),
        happens_at=marks.get("happens_at"),
        done=marks["done"] == "yes" if "done" in marks else None,
        actor=batch.actor if is_own else "agent",  # to accept another's words does not make them one's own
        reason=proposal.why,
    )
    batch.foreseen.lay_plan(plan)
    done.moved[target.entry.address] = plan.became[0]


def _share(marks: Mapping[str, str], name: str) -> float | None:
    """A number that a proposal marks a memory with; the ledger is text like any other. Raises UsageError."""
    try:
        return float(marks[name]) if name in marks else None
    except ValueError:
        raise UsageError(f"{name} is a number, not “{marks[name]}”", hint="reject the proposal") from None


def _store(batch: ApplyBatch, done: AppliedProposal) -> None:
    proposal = done.proposal
    places = places_of(batch.foreseen, proposal)
    trust = least_trusted(proposal.trust, "agent")  # whatever the ledger says
    draft = proposed_draft(replace(proposal, trust=trust), done.text)
    plan = plan_store(batch.foreseen, draft, now=batch.now, actor=batch.actor)
    batch.foreseen.lay_plan(plan)
    done.section = proposal.section
    done.sources = proposal.sources
    done.notes += plan.notes
    if len(plan.became) == 1:
        done.moved.update(dict.fromkeys((place.entry.address for place in places), plan.became[0]))


_CARRIED: dict[Action, Callable[[ApplyBatch, AppliedProposal], None]] = {
    "add": _remember,
    "merge": _remember,
    "supersede": _remember,
    "archive": _archive,
    "forget": _forget,
    "update": _update,
    "store": _store,
}


def _target(batch: ApplyBatch, done: AppliedProposal) -> PromotionSource:
    """The entry that the proposal is about. Raises EntryNotFoundError, UsageError where it names none."""
    if not done.proposal.target:
        raise UsageError(f"the proposal {done.proposal.key} names no entry to {done.proposal.action}")
    return PromotionSource(*batch.foreseen.locate(done.proposal.target))


def _remembered(batch: ApplyBatch, done: AppliedProposal) -> PromotionSource:
    """The entry of long-term memory that the proposal is about."""
    target = _target(batch, done)
    if target.entry.kind is not Kind.MEMORY:
        why = f"{target.entry.address} is not in {batch.foreseen.memory_path()}"
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
    runs = [masked_line(run) for run in dict.fromkeys(one.proposal.run for one in kept) if run]
    named = f"{'runs' if len(runs) > 1 else 'run'} {', '.join(runs)}" if runs else "proposals"
    who = "accepted by you" if by == "human" else "accepted by policy (`dream --apply`)"
    counts = [f"{len(kept)} kept"]
    counts += [f"{len(left)} left behind"] if left else []
    counts += [f"{considered:,} considered"] if considered is not None else []
    before = before or b""
    is_new = not before.strip()
    lines = [f"# Consolidated {now:%Y-%m-%d}", ""] if is_new else []
    lines += [f"## {now:%H:%M}, {named}", "", f"{', '.join(counts)}; {who}.", ""]
    sections: dict[str, list[AppliedProposal]] = {}
    for one in kept:
        sections.setdefault(one.section or "Elsewhere", []).append(one)
    for name, group in sections.items():
        lines += [f"### {masked_line(name)}", "", *(_item(one.text, _why(one)) for one in group), ""]
    if left:
        lines += ["### Left behind", "", *(_item(text, why) for text, why in left), ""]
    text = "\n".join(lines).rstrip("\n") + "\n"
    newline = "\r\n" if b"\r\n" in before else "\n"
    gap = "" if is_new else "\n" if before.endswith(b"\n") else "\n\n"
    return before + (gap + text).replace("\n", newline).encode("utf-8", "surrogateescape")


def _why(one: AppliedProposal) -> str:
    sources = [f"`{masked_line(source).replace('`', chr(39))}`" for source in one.sources]
    score = [f"score {one.proposal.score:.2f}"] if one.proposal.score else []
    return _DID.get(one.proposal.action, "") + ", ".join([*score, *first_few(sources, _MOST_SOURCES)])


def _item(text: str, why: str) -> str:
    """A list item that is read back as one, whatever the text and the reason hold."""
    line = cut(masked_line(text), _LONGEST) + (f" ({masked_line(why)})" if why else "")
    return f"- {plain_line(line, 4 * _LONGEST) or '(text that cannot be shown here)'}"
