"""What `check` remarks on, as sections: each remark with its entry, and with what would mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from workbench.health import contradictions, duplicates, links, maintenance
from workbench.health.corpus import Corpus
from workbench.health.finding import SEVERITIES, Finding, Fix, worst_first
from workbench.health.report.graph_section import contradicting_claims
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.memory.address import entry_at_line
from workbench.memory.entry import Entry, Kind
from workbench.memory.episode import FOLDER
from workbench.plural import plural

Rule = Callable[[Corpus], Iterator[Finding]]
LISTED = 200
"""Findings of a section that are listed; the others are counted."""
_MERGED = 8
"""Entries that are offered to be made one of."""
_MEANING = {
    "secret": "whoever reads memory, and every agent that is given it, has it",
    "hidden text": "an agent reads it and a person does not see it: it may tell the agent what to do",
    "duplicate": "it takes room twice, and one of the two will be edited without the other",
    "near duplicate": "it takes room twice, and one of the two will be edited without the other",
    "contradiction": "an agent may be given either",
    "dead link": "what it led to was moved, renamed or removed",
    "dead wiki link": "there is no page of that name",
    "dead source": "where it comes from can be found in the history only",
    "expired": "it speaks of a time that is over",
    "unsaid": "its age or its trust is not known",
    "two memories": "an agent reads one of them, and nobody can say which",
    "unreadable": "nothing of it is shown, searched or given to an agent",
}


def secrets(subject: Subject) -> ReportSection:
    """Keys, tokens and passwords; only their ends are shown."""
    return _section(subject, "secrets", "Secrets", maintenance.secrets)


def hidden(subject: Subject) -> ReportSection:
    """Text that an agent reads and a person does not see."""
    return _section(subject, "hidden", "Hidden text", maintenance.hidden)


def twice(subject: Subject) -> ReportSection:
    """The same said twice."""
    return _section(subject, "duplicates", "Duplicates", duplicates.duplicates)


def contradicting(subject: Subject) -> ReportSection:
    """One thing with two values, said in curated memory or on pages of the graph."""
    said = _section(subject, "contradictions", "Contradictions", contradictions.contradictions)
    known = {frozenset((one.address, *one.also)) for one in said.concerns}
    more = [one for one in contradicting_claims(subject) if frozenset((one.address, *one.also)) not in known]
    if not more:
        return said
    total = said.total + len(more)
    seen = f"{total:,} pair{'s' * (total > 1)}"
    return replace(said, concerns=(*said.concerns, *more)[:LISTED], total=total, seen=seen)


def dead_links(subject: Subject) -> ReportSection:
    """Links and sources that lead nowhere."""
    return _section(subject, "links", "Dead links", links.dead_links, links.dead_sources)


def other(subject: Subject) -> ReportSection:
    """What is over its time, does not say where it comes from, or cannot be read."""

    def expired(corpus: Corpus) -> Iterator[Finding]:  # episodes have a section of their own
        return (one for one in maintenance.expired(corpus) if not one.address.startswith(FOLDER))

    def unreadable(_: Corpus) -> Iterator[Finding]:
        return iter(subject.unreadable)

    return _section(
        subject,
        "other",
        "Over time and unsaid",
        maintenance.both_memories,
        unreadable,
        expired,
        maintenance.unsaid,
    )


def _section(subject: Subject, id: str, title: str, *rules: Rule) -> ReportSection:
    corpus = subject.corpus
    remarks = [remark for rule in rules for remark in rule(corpus)]
    counts = {level: sum(one.severity == level for one in remarks) for level in SEVERITIES}
    said = ", ".join(f"{count:,} {_plural(level, count)}" for level, count in counts.items() if count)
    concerns = [concern_of(corpus, one) for one in worst_first(remarks)[:LISTED]]
    return ReportSection(
        id=id,
        title=title,
        seen=said or "none",
        facts=(
            (
                "looked at",
                f"{plural(len(corpus.documents), 'file')}, {plural(len(corpus.entries), 'entry')}",
            ),
        ),
        concerns=tuple(concerns),
        total=len(remarks),
        notes=subject.left_out,
    )


def concern_of(corpus: Corpus, found: Finding) -> Finding:
    """A finding in a file with the entry that it is about, and what would fix it."""
    entry = _entry_at(corpus, found.address, found.line)
    others = [one for place in found.also[:_MERGED] if (one := _entry_of(corpus, place)) is not None]
    return replace(
        found,
        meaning=_MEANING.get(found.rule, ""),
        address=entry.address if entry else found.address,
        also=tuple(one.address for one in others),
        fixes=tuple(_fixes(found, entry, others)),
    )


def _fixes(found: Finding, entry: Entry | None, others: Sequence[Entry]) -> Iterator[Fix]:
    if entry is None:
        return
    here = (entry.address,)
    forget = Fix(
        deed="forget-memory" if entry.kind is Kind.ENTITY else "forget", label="forget it", addresses=here
    )
    edit = Fix(deed="edit", label="edit it", addresses=here)
    aside = Fix(deed="quarantine", label="set it aside, where no agent loads it", addresses=here)
    match found.rule:
        case "secret":
            yield from (forget, edit, aside)
        case "hidden text":
            yield from (aside, edit, forget)
        case "duplicate" | "near duplicate" if others:
            every = (entry.address, *(other.address for other in others))
            yield Fix(deed="merge", label=f"make one of these {len(every)}", addresses=every)
            yield from (forget, edit)
        case "contradiction" if others:
            yield Fix(deed=forget.deed, label=f"forget this one: {_short(entry)}", addresses=here)
            for other in others:
                deed = "forget-memory" if other.kind is Kind.ENTITY else "forget"
                yield Fix(deed=deed, label=f"forget that one: {_short(other)}", addresses=(other.address,))  # type: ignore[arg-type]
            yield Fix(deed="edit", label="edit this one", addresses=here)
            yield Fix(deed="edit", label="edit that one", addresses=(others[0].address,))
        case "dead link" | "dead wiki link" | "dead source":
            yield edit
        case "expired":
            yield from (forget, edit)
        case _:
            return


def _short(entry: Entry) -> str:
    title = entry.plain_title
    return title if len(title) <= 50 else title[:49] + "…"


def _entry_at(corpus: Corpus, path: str, line: int) -> Entry | None:
    document = corpus.by_path.get(path)
    return entry_at_line(document, line) if document else None


def _entry_of(corpus: Corpus, place: str) -> Entry | None:
    """The entry at ``path:line``, as remarks name their other places."""
    path, _, line = place.rpartition(":")
    return _entry_at(corpus, path, int(line)) if line.isdigit() else None


def _plural(level: str, count: int) -> str:
    return {"info": "worth knowing"}.get(level, level if count == 1 else level + "s")
