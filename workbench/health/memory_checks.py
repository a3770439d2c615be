"""The rules of `workbench check`: each yields findings over memory that is read once."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import pairwise

from workbench.agent.usage import UsageIndex
from workbench.graph.contradictions import Answer, Statement, statement_in
from workbench.graph.contradictions import contradictions as claims_that_contradict
from workbench.graph.decay import FORGET_BELOW, read_recalls, will_fade
from workbench.graph.read import read_graph
from workbench.health.finding import SEVERITIES, Figure, Finding, Fix, FixKind, Look, Severity
from workbench.health.subject import CURATED, CheckSubject, Corpus
from workbench.memory.entry import Entry, Form, Kind, without_emphasis
from workbench.memory.episode import countdown, read_episode
from workbench.memory.markdown import Document
from workbench.plural import plural
from workbench.safety.findings import TextFinding
from workbench.safety.hidden_text import hidden_in
from workbench.safety.secrets import masked, secrets_in
from workbench.workspace.decisions import settled_keys
from workbench.workspace.layout import ARCHIVE, MEMORY_FILES
from workbench.workspace.ledger import read
from workbench.workspace.workspace import Workspace

Rule = Callable[[Corpus], Iterator[Finding]]

SOON = 14
"""Days ahead within which an episode that expires needs a look; within ``LATER`` it is told of at all."""
LATER = 30
NAMED = 8
"""Other entries that a finding leads to; each other place is told."""
_NEAR = 0.9
"""Share of the budget from which it is said that it is nearly used up."""
_TITLE = 80
_TYPE = re.compile(r"^\[[a-z_]+\]\s+")
_LABELS: dict[FixKind, str] = {
    "forget": "forget it",
    "edit": "edit it",
    "quarantine": "set it aside, where no agent loads it",
}
_ANSWERS: tuple[tuple[Answer, str], ...] = (
    ("keep", "keep what was there; the new claim is forgotten"),
    ("replace", "the new claim replaces the old one"),
    ("both", "both are right; it is not asked again"),
    ("reject", "neither holds any more"),
)


def checked_by(*rules: Rule) -> Callable[[CheckSubject], Look]:
    """The check that asks these rules of all memory."""

    def look(place: CheckSubject) -> Look:
        corpus = place.corpus
        findings = tuple(finding for rule in rules for finding in rule(corpus))
        counts = [(sum(one.severity == level for one in findings), level) for level in SEVERITIES]
        said = [
            f"{count:,} worth knowing" if level == "info" else plural(count, level)
            for count, level in counts
            if count
        ]
        return Look("; ".join(filter(None, (", ".join(said) or "none", corpus.left_out))), findings)

    return look


def remark(
    corpus: Corpus,
    rule: str,
    path: str,
    line: int,
    what: str,
    *,
    severity: Severity = "warning",
    meaning: str = "",
    do: str = "",
    others: Sequence[Entry] = (),
    fixes: tuple[Fix, ...] = (),
    deeds: Sequence[FixKind] = (),
) -> Finding:
    """A finding at a line, with the entry there; ``deeds`` are what can be done to that entry."""
    entry = corpus.entry_at(path, line)
    return Finding(
        rule=rule,
        severity=severity,
        what=what,
        meaning=meaning,
        do=do,
        path=path,
        line=line,
        entry=entry.address if entry else "",
        also=tuple(map(place_of, others)),
        others=tuple(other.address for other in others[:NAMED]),
        fixes=fixes + tuple(fix_of(entry, deed) for deed in deeds if entry),
    )


def place_of(entry: Entry) -> str:
    """``path:line`` of an entry."""
    return f"{entry.path}:{entry.start_line}"


def fix_of(entry: Entry, deed: FixKind, label: str = "") -> Fix:
    """One thing that can be done to an entry; memories of the graph are forgotten in their own way."""
    label = label or _LABELS[deed]
    if deed == "forget" and entry.kind is Kind.ENTITY:
        deed = "forget-memory"
    return Fix(deed=deed, label=label, addresses=(entry.address,))


# -- files and budget ------------------------------------------------------------------------------


def files(corpus: Corpus) -> Iterator[Finding]:
    """Files that cannot be read, and MEMORY.md and memory.md at once: an agent reads one of the two."""
    for path, error in corpus.unreadable:
        yield remark(
            corpus,
            "unreadable",
            path,
            1,
            f"it cannot be read: {error}",
            severity="error",
            meaning="nothing of it is shown, searched or given to an agent",
            do="correct its permissions, or remove it",
        )
    first, second = (corpus.workspace.root / name for name in MEMORY_FILES)
    if first.is_file() and second.is_file() and not os.path.samefile(first, second):
        yield remark(
            corpus,
            "two memories",
            MEMORY_FILES[1],
            1,
            f"both {MEMORY_FILES[0]} and {MEMORY_FILES[1]} are there; {MEMORY_FILES[0]} is used here",
            severity="error",
            meaning="an agent reads one of them, and nobody can say which",
            do=f"`workbench move` what should stay to {MEMORY_FILES[0]}, then remove the other file",
        )


def budget(place: CheckSubject) -> Look:
    """How full curated memory is: what is longer than its budget may not be loaded by an agent."""
    path, limit = place.workspace.memory_path(), place.workspace.settings.memory_budget
    try:
        used = len(place.workspace.document(path).data.decode("utf-8", "replace"))
    except FileNotFoundError:
        used = 0
    share = used / limit
    findings = []
    if used > limit:
        findings.append(
            Finding(
                rule="over budget",
                severity="warning",
                path=path,
                line=1,
                what=f"{used:,} of {limit:,} characters: what is at the end may not be loaded",
                meaning="what is at its end may not be loaded by an agent",
                do="`workbench archive` takes the least valuable entries out; `--dry-run` shows which",
                fixes=(Fix(deed="archive", label="archive the least valuable entries"),),
            )
        )
    elif share >= _NEAR:
        findings.append(
            Finding(
                rule="over budget",
                severity="info",
                path=path,
                line=1,
                what=f"it is nearly full: {share:.0%} of its budget",
                meaning="dreaming proposes less, or to replace what is worth less",
                do="`workbench forget` or `workbench merge` what is not needed",
            )
        )
    figure = Figure("memory_budget_share", "Characters of MEMORY.md, as a share of its budget.", share)
    return Look(f"{used:,} of {limit:,} characters, {share:.0%}", tuple(findings), (figure,))


# -- secrets and hidden text -----------------------------------------------------------------------


def secrets(corpus: Corpus) -> Iterator[Finding]:
    """Keys, tokens and passwords in any memory file."""
    for document in corpus.documents:
        for found, line in _with_lines(text_of(document), secrets_in):
            yield remark(
                corpus,
                "secret",
                document.path,
                line,
                f"{found.rule}: {found.shown}",
                severity="error",
                meaning="whoever reads memory, and every agent that is given it, has it",
                do="make it invalid where it was issued, then `workbench forget` it; "
                "docs/purge.md takes it out of the history",
                deeds=("forget", "edit", "quarantine"),
            )


def hidden(corpus: Corpus) -> Iterator[Finding]:
    """Text that an agent reads and a person does not see."""
    for document in corpus.documents:
        for found, line in _with_lines(text_of(document), hidden_in):
            yield remark(
                corpus,
                "hidden text",
                document.path,
                line,
                f"{found.rule}: {found.shown}",
                meaning="an agent reads it and a person does not see it: it may tell the agent what to do",
                do="`workbench quarantine` sets its entry aside",
                deeds=("quarantine", "edit", "forget"),
            )


def secrets_in_history(place: Workspace, path: str | None, looked: dict[str, int]) -> Iterator[Finding]:
    """Secrets in the messages and the memory files (or in one) of all commits, each text once.

    ``looked`` is filled with how many commits and versions that were.
    """
    seen: set[str] = set()
    looked |= {"commits": 0, "versions": 0}

    def is_new(folder: str, tree: str) -> bool:
        known = f"{tree} {folder}" in seen  # the same folder elsewhere holds files of other names
        seen.add(f"{tree} {folder}")
        return not known

    wanted = place.layout.may_curate if path is None else path.__eq__
    for commit in map(place.history.commit, place.history.everything()):
        looked["commits"] += 1
        texts = [("(message)", commit.message)]
        for name, blob in place.history.files_in(commit.id, is_new):
            if blob not in seen and wanted(name):
                seen.add(blob)
                looked["versions"] += 1
                texts.append((name, place.history.stored(blob).decode("utf-8", "surrogateescape")))
        for where, text in texts:
            for found, line in _with_lines(text, secrets_in):
                yield Finding(
                    rule="secret",
                    path=where,
                    line=line,
                    what=f"{found.rule}: {found.shown}",
                    do="docs/purge.md takes it out of the history",
                    commit=commit.id,
                )


def text_of(document: Document) -> str:
    """The characters of a file; bytes that are no UTF-8 stay what they are."""
    return document.data.decode("utf-8", "surrogateescape")


def _with_lines(
    text: str, find: Callable[[str], tuple[TextFinding, ...]]
) -> Iterator[tuple[TextFinding, int]]:
    """What is found, in the order of the text, with the lines that each begins on."""
    findings = find(text)
    line, starts = 1, (0, *(found.start for found in findings))
    for (before, at), found in zip(pairwise(starts), findings, strict=True):
        line += text.count("\n", before, at)
        yield found, line


# -- what is over, fades, contradicts, or does not say where it is from ----------------------------


def expiry(corpus: Corpus) -> Iterator[Finding]:
    """Episodes whose time is over, or is soon, and curated entries whose own date of expiry has passed."""
    usage = UsageIndex(corpus.workspace)
    for document in corpus.documents:
        if document.kind is not Kind.EPISODE:
            continue
        episode = read_episode(document)
        left = episode.days_left(corpus.today)
        if left is None or left > LATER:
            continue
        kept = "it was promoted" if episode.promoted_at else "nothing of it was promoted"
        times = max(episode.recall_count, usage.of(document.path).times)
        recalled = f"recalled {plural(times, 'time')}" if times else "never recalled"
        here = (document.path,)
        fixes = [
            Fix(deed="extend", label="let it stay 30 days longer", addresses=here),
            Fix(deed="pin", label="pin it: it never expires", addresses=here),
        ]
        if left < 0:
            fixes.append(Fix(deed="expire", label="let all expired episodes go"))
        yield Finding(
            rule="expired" if left < 0 else "expiry",
            severity="warning" if left <= SOON and not episode.promoted_at else "info",
            path=document.path,
            line=1,
            what=f"{countdown(episode, corpus.today)}: {episode.abstract[:_TITLE]}",
            meaning=f"{kept}; {recalled}. A night removes it when its time is over; git keeps it",
            do="`workbench promote` what should last; `workbench episodes extend` or `pin` keeps the episode",
            fixes=tuple(fixes),
        )
    for entry in corpus.curated:
        day = entry.provenance.day("valid_until") if entry.provenance else None
        if day and day < corpus.today and not entry.pinned:
            yield remark(
                corpus,
                "expired",
                entry.path,
                entry.start_line,
                f"it held until {day}: {entry.plain_title[:_TITLE]}",
                severity="info" if entry.kind is Kind.ENTITY else "warning",  # a page keeps its history
                meaning="it speaks of a time that is over",
                do="`workbench edit`, `workbench archive` or `workbench forget` it",
                deeds=("forget", "edit"),
            )


def origin(corpus: Corpus) -> Iterator[Finding]:
    """Curated entries that do not say where they come from, and logs without a date: one remark a file."""
    for document in corpus.documents:
        whole = [entry for entry in document.entries if entry.part == 1]
        if document.kind in CURATED:
            bare = [entry for entry in whole if entry.provenance is None]
            what = "do not say where they come from"
        elif document.kind in (Kind.LOG, Kind.EPISODE):
            bare = [entry for entry in whole if entry.date is None]
            what = "have no date"
        else:
            continue
        if bare:
            yield remark(
                corpus,
                "unsaid",
                document.path,
                bare[0].start_line,
                f"{len(bare)} of {len(whole)} entries {what}",
                severity="info",
                meaning="its age or its trust is not known",
            )


def without_origin(corpus: Corpus) -> Iterator[Finding]:
    """The same, entry by entry: long-term memory of which nobody can say where it comes from."""
    for entry in corpus.entries:
        if entry.kind not in (Kind.MEMORY, Kind.ENTITY) and not entry.path.startswith(ARCHIVE):
            continue
        if entry.provenance is None and entry.part == 1:
            title = masked(entry.title)[:_TITLE]
            yield remark(corpus, "no origin", entry.path, entry.start_line, title, severity="info")


def fading(corpus: Corpus) -> Iterator[Finding]:
    """Memories of the graph whose importance is running out, before decay proposes to forget them."""
    workspace, today = corpus.workspace, corpus.today
    recalls = read_recalls(read(workspace, "recalls"))
    decided = settled_keys(workspace, "let go")
    for one in will_fade(read_graph(workspace), recalls, today=today, within=LATER, decided=decided):
        memory, days = one.held.memory, (one.on - today).days
        when = "has faded" if days <= 0 else f"fades in {plural(days, 'day')}, on {one.on}"
        yield remark(
            corpus,
            "fading",
            memory.entry.path,
            memory.entry.start_line,
            f"{when}: {memory.text[:_TITLE]}",
            severity="info",
            meaning=f"its importance was {memory.importance:.2f} and is {one.value:.2f}; below "
            f"{FORGET_BELOW} it is proposed for forgetting, and a person decides. A recall keeps it longer",
            do="`workbench pin` keeps it; `workbench forget` lets it go now",
            fixes=(
                fix_of(memory.entry, "pin", "pin it: it never fades"),
                fix_of(memory.entry, "forget", "forget it now"),
            ),
        )


def contradictions(corpus: Corpus) -> Iterator[Finding]:
    """Pairs of curated entries that give one thing two values, where a rule can tell.

    What is read as a statement, ``workbench.graph.contradictions`` says. Pages of the graph know more of
    what a line is about: their contradictions are those that nobody has answered yet.
    """
    said: dict[tuple[str, ...], list[tuple[Entry, Statement]]] = defaultdict(list)
    for entry in corpus.curated:
        if not _is_over(entry, corpus.today) and (found := statement(entry)):
            said[_about(entry, found)].append((entry, found))
    known = set()
    for group in said.values():
        first, one = group[0]
        others = [(entry, other) for entry, other in group[1:] if other.value != one.value]
        if not others:
            continue
        entry, other = others[0]
        pair = [first, *(entry for entry, _ in others)]
        known.add(frozenset(one.address for one in pair))
        yield remark(
            corpus,
            "contradiction",
            first.path,
            first.start_line,
            f"{one.subject} is {one.shown} here and {other.shown} at {place_of(entry)}",
            meaning="an agent may be given either",
            do="keep the one that holds: `workbench edit`, `workbench merge` or `workbench forget`",
            others=pair[1:],
            fixes=(
                *(fix_of(one, "forget", f"forget: {one.plain_title[:50]}") for one in pair[:NAMED]),
                *(fix_of(one, "edit", f"edit: {one.plain_title[:50]}") for one in pair[:2]),
            ),
        )
    decided = settled_keys(corpus.workspace)
    for claim in claims_that_contradict(read_graph(corpus.workspace), day=corpus.today, decided=decided):
        old, new = claim.old.entries[0], claim.new.entries[0]
        if frozenset((old.address, new.address)) in known:
            continue
        beside = "see both beside each other, with where they come from"
        yield remark(
            corpus,
            "contradiction",
            old.path,
            old.start_line,
            claim.question,
            meaning="an agent may be given either; the second holds since later, or was said later",
            do=f"answer which holds: `workbench graph settle {claim.key[:8]} keep|replace|both|reject`",
            others=(new,),
            fixes=(
                *(Fix(deed="settle", label=how, addresses=(claim.key,), of=word) for word, how in _ANSWERS),
                Fix(deed="open", label=beside, of="contradictions"),
                *(
                    Fix(deed="forget-memory", label=f"forget: {one.text[:50]}", addresses=one.addresses)
                    for one in (claim.old, claim.new)
                ),
            ),
        )


def statement(entry: Entry) -> Statement | None:
    """The statement that an entry is, or None for all the others."""
    line = without_emphasis(_TYPE.sub("", entry.title))
    if entry.form not in (Form.ITEM, Form.PARAGRAPH) or len(entry.text.strip().splitlines()) > 1:
        return None
    return statement_in(line)


def _about(entry: Entry, found: Statement) -> tuple[str, ...]:
    """Of whom it is said: a subject that names nobody (`Port: 1`) counts under its page and heading only."""
    if len(found.subject.split()) > 1:
        return (found.subject,)
    return (found.subject, entry.path, *entry.heading)


def _is_over(entry: Entry, today: date) -> bool:
    provenance = entry.provenance
    if provenance is None:
        return False
    days = (provenance.day(name) for name in ("valid_until", "expires_at"))
    return bool(provenance.get("superseded_by")) or any(day is not None and day < today for day in days)
