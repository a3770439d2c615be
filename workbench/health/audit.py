"""The audit: how much of a store is junk, said twice, stale, contradicted, secret, hidden, unsourced.

Each part is a generator over memory that is read once, as checks are (``checks``), and each finding is the
evidence for one entry or more. Nothing is written anywhere.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from functools import cache, partial
from itertools import pairwise
from operator import attrgetter
from typing import Any

from workbench.errors import RepositoryStateError
from workbench.frozen import frozen, frozen_kw_only
from workbench.health import duplicate_checks, memory_checks
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject, about, shown
from workbench.history.origin import Attribution, line_deeds, newest
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.provenance import parse_day
from workbench.operations.archive import UNUSED_DAYS, why_over
from workbench.safety.secrets import masked
from workbench.workspace.agent_load import LOADED
from workbench.workspace.agent_rules import LoadLimit

JUNK_SHARE = 1 / 3
"""Share of the score from which a line is worth proposing, below which it is junk.

Of hand-labelled lines of real logs that are counted, four fifths are junk and one in thirty is durable.
"""
_NOTED = (Kind.LOG, Kind.EPISODE, Kind.NOTE, Kind.MEMORY)
"""What is written down as things happen; rules for an agent and pages of the graph are judged by nobody."""
_CURATED = (Kind.NOTE, Kind.MEMORY)
"""What somebody chose to keep: neither a score nor the form of a line says that it is junk."""
_MADE = ("program output", "metadata", "encoded data", "a template with blanks")
"""Vetoes of dreaming by which a line of a log may be junk, where the model agrees."""
_RECORD_WORDS = 4
"""Words of a curated line up to which a sign of a heartbeat is all that it says."""
_RUN = re.compile(r"(\S{2})\S{30,}")
"""Encoded data may be a key of which the form is not known: only its beginning is shown."""
_WORD = re.compile(r"\W*(?:[^\W\d_\u3040-\ud7af][^\s\u3040-\ud7af]*|[\u3040-\ud7af]{1,4})\W*")
"""One word; in scripts that set no blanks between words, up to four characters."""
_BATCH = 2_000
_LONG_AGO = date(1904, 1, 1)
"""Said on this day of a leap year, all that is due on a day without a year has passed."""
_DAY = re.compile(r"(?<!\d)20\d\d-\d\d-\d\d(?!\d)")
_TICKED = re.compile(r"[\W_]{0,4}(?:\[[xX]\]|[✅☑✔])")
_TO_DO = re.compile(
    r"^\W*(?:(?:my|our) )?(?:tasks|to do|pending|upcoming)\W*$"
    r"|\b(?:to-?dos?|in progress|action items|next (?:steps?|actions?|tasks?|priorities)"
    r"|(?:pending|upcoming|open|current|active) (?:tasks|items|actions|work|loops)"
    r"|à faire|prochaines? étapes?|pendientes?|próxim[oa]s pas[oa]s|pendências"
    r"|offene? (?:aufgaben|punkte)|nächste schritte|следующие шаги|сделать)\b"
    r"|待办|待辦|下一步|次のステップ|やること|할 ?일|다음 단계",
    re.IGNORECASE,
)
"""The heading of what is to be done."""


@frozen_kw_only
class AuditPart:
    """One number of the audit: ``entries`` of the ``of`` entries that it is about, and the evidence.

    ``share`` is in [0, 1], and None where it would say nothing; then ``meaning`` says why.
    """

    name: str
    meaning: str
    entries: int
    of: int
    share: float | None
    seconds: float
    evidence: tuple[Finding, ...]

    def as_json(self, *, evidence: bool) -> dict[str, Any]:
        """The part as the command line prints it, with the lines only where they are asked for."""
        said = {
            "part": self.name,
            "entries": self.entries,
            "of": self.of,
            "share": None if self.share is None else round(self.share, 4),
            "seconds": round(self.seconds, 2),
        }
        if evidence:
            said["evidence"] = [
                {
                    "path": one.path,
                    "line": one.line,
                    "rule": one.rule,
                    "what": masked(one.what),
                    "also": one.also,
                }
                for one in self.evidence
            ]
        return said


@frozen_kw_only
class Audit:
    """All parts over the ``entries`` of ``files``.

    ``per_second`` is how many entries were looked at in a second, of reading and all parts but junk, which
    asks the salience model.
    """

    entries: int
    files: int
    per_second: float
    parts: tuple[AuditPart, ...]


def audit(
    subject: CheckSubject,
    *,
    model: bool = True,
    tell: Callable[[str, int, int], object] = lambda *_: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Audit:
    """Look through all memory. Without ``model`` it is not asked what is junk.

    ``tell`` is given the part that is looked at, and how many of how many are done.
    """
    declared = [one for one in _PARTS if model or one.look is not _junk]
    tell("reading", 0, len(declared))
    parts = []
    begun = clock()
    entries = [entry for entry in subject.corpus.entries if memory_checks.is_whole(entry)]
    took = clock() - begun
    for done, one in enumerate(declared):
        tell(one.name, done, len(declared))
        begun = clock()
        evidence = tuple(found for found in one.look(subject) if isinstance(found, Finding))
        count = len({place for finding in evidence for place in one.counted(finding)})
        of = sum(map(one.is_about, entries))
        is_all = bool(one.if_all) and 0 < of == count
        part = AuditPart(
            name=one.name,
            meaning=one.if_all if is_all else one.meaning,
            entries=count,
            of=of,
            share=None if is_all else count / max(of, 1),
            seconds=clock() - begun,
            evidence=evidence,
        )
        parts.append(part)
        took += part.seconds if one.look is not _junk else 0.0
    return Audit(
        entries=len(entries),
        files=len(subject.corpus.documents),
        per_second=len(entries) / max(took, 1e-9),
        parts=tuple(parts),
    )


def _junk(subject: CheckSubject) -> Iterator[Finding]:
    """Records of programs, lines without words, and of logs those that the model thinks the least of.

    A table says what it says as a whole, and so does a list of single words.
    """
    from workbench.dreaming.features import Line  # noqa: PLC0415 - imports numpy
    from workbench.dreaming.line_judgement import judged  # noqa: PLC0415
    from workbench.dreaming.owner_model import learned  # noqa: PLC0415
    from workbench.dreaming.salience import base_model  # noqa: PLC0415
    from workbench.dreaming.vetoes import A_RECORD, NO_WORDS  # noqa: PLC0415

    model = learned(base_model(), ())
    floor = JUNK_SHARE * model.base.floor
    entries = [
        entry
        for entry in subject.corpus.entries
        if memory_checks.is_whole(entry) and _is_noted(entry) and entry.form is not Form.TABLE
    ]
    listed = {
        one.address
        for pair in pairwise(entries)
        if all(map(_is_word, pair)) and len({(one.path, one.heading) for one in pair}) == 1
        for one in pair
    }
    for at in range(0, len(entries), _BATCH):
        some = entries[at : at + _BATCH]
        lines = [
            Line(
                f"- {entry.text}" if entry.form is Form.ITEM else entry.text,
                entry.heading[-1] if entry.heading else "",
                entry.path,
            )
            for entry in some
        ]
        for entry, found in zip(some, judged(model, lines, floor=floor), strict=True):
            is_curated = entry.kind in _CURATED
            is_short = len(entry.text.split()) <= _RECORD_WORDS
            is_empty = found.vetoed == NO_WORDS or (found.vetoed == A_RECORD and (is_short or not is_curated))
            is_judged = not is_curated and (found.vetoed is None or found.vetoed in _MADE)
            if entry.address in listed and found.vetoed in (None, NO_WORDS):
                continue
            if is_empty or (is_judged and found.score < found.floor):
                what = shown(_RUN.sub(r"\1…", masked(entry.title)))
                yield about(entry, found.vetoed or "says little", what, "", "", "info")


def _stale(subject: CheckSubject) -> Iterator[Finding]:
    """What is over by its own word, was replaced or ticked off, or names a deadline that has passed."""
    from workbench.dreaming.survey import passed_deadline  # noqa: PLC0415

    for one in memory_checks.expiry(subject):
        if one.rule == "expired" and not one.entry:  # entries: below
            yield one
    deeds, last_day = cache(partial(_deeds, subject)), cache(partial(_last_day, subject))
    today = subject.today
    for entry in subject.corpus.curated:
        is_judged = entry.kind is Kind.MEMORY and not entry.pinned
        soon = entry.date or today
        if why := why_over(entry, today) or (is_judged and _why_done(entry, today)):
            yield about(entry, "expired", f"{why}: {shown(entry.title)}", "", "", "info")
        elif is_judged and passed_deadline(entry.text, _LONG_AGO, today, soon=soon):
            deed = newest(subject.workspace, deeds(entry.path), entry)
            is_known = deeds(entry.path) and not deed.cut_off
            written = deed.when.date() if deed.when else today
            said = entry.date or (written if is_known else last_day(entry.path))
            if day := passed_deadline(entry.text, said, today, soon=soon):
                lines = enumerate(entry.text.split("\n"))
                due = (one for one in lines if passed_deadline(one[1], said, today, soon=soon) == day)
                at, line = next(due, (0, entry.title))
                found = about(entry, "expired", f"it was due on {day}: {shown(line.strip())}", "", "", "info")
                yield replace(found, line=entry.start_line + at)


def _why_done(entry: Entry, today: date) -> str:
    """Why nobody is going to do what an entry says: it is ticked off, or it was next a long time ago."""
    heading = entry.heading[-1] if entry.heading else ""
    if not _TO_DO.search(heading):
        return ""
    if _TICKED.match(entry.text) and "[ ]" not in entry.text:
        return "it is ticked off"
    day = max(_days_in("\n".join((entry.text, *entry.heading))), default=today)
    return f"it was to be done since {day}" if (today - day).days > UNUSED_DAYS else ""


def _deeds(subject: CheckSubject, path: str) -> list[Attribution]:
    """What brought each line of a file; nothing where the history does not know the file or lacks a part."""
    try:
        deeds = line_deeds(subject.workspace, subject.corpus.by_path[path])
    except RepositoryStateError:  # as in a partial clone
        return []
    return deeds if any(one.when for one in deeds) else []


def _last_day(subject: CheckSubject, path: str) -> date:
    """When a file was written, by the last of the days that it names, else by the disk."""
    days = [day for day in _days_in(subject.corpus.by_path[path].text) if day <= subject.today]
    try:
        changed = datetime.fromtimestamp((subject.root / path).stat().st_mtime).astimezone().date()
    except OSError:  # it is gone by now
        changed = subject.today
    return max(days, default=changed)


def _days_in(text: str) -> list[date]:
    return [day for found in _DAY.findall(text) if (day := parse_day(found))]


def _contradicted(subject: CheckSubject) -> Iterator[Finding]:
    """Each entry that contradicts another, the first of those that do before the others."""
    for finding in memory_checks.contradictions(subject):
        yield finding
        for place in finding.also:
            path, _, line = place.rpartition(":")
            entry = subject.corpus.entry_at(path, int(line))
            if entry is not None:
                what = f"it contradicts {finding.place}: {shown(entry.title)}"
                yield about(entry, finding.rule, what, "", "", finding.severity)


def _hidden(subject: CheckSubject) -> Iterator[Finding]:
    """What is hidden, but for comments that order nothing."""
    return (one for one in memory_checks.hidden_text(subject) if one.remains)


def _over_limit(subject: CheckSubject) -> Iterator[Finding]:
    """Entries that an agent is not given of the files that it always loads, by its own limits.

    A limit of several files together is used up by the file of curated memory first, then by the others in
    the order of their paths.
    """
    curated = subject.workspace.memory_path()
    used: Counter[LoadLimit] = Counter()
    for document in sorted(subject.corpus.documents, key=lambda one: one.path != curated):
        limits = subject.workspace.layout.limits_of(document.path)
        told: set[str] = set()
        for limit in limits if document.kind in LOADED else ():
            before = used[limit] if limit.together else 0
            used[limit] += limit.measure(document.data)
            lost = before + limit.measure(document.data) - limit.most
            first = {"first": 0, "middle": limit.most // 2}.get(limit.cut, limit.most)
            size = f"{limit.most + lost:,} {limit.unit}"
            what = (
                f"in the part that is cut: {first:,} to {first + lost:,} of {size}, {limit.most:,} are loaded"
            )
            whole = [entry for entry in document.entries if lost > 0 and memory_checks.is_whole(entry)]
            ends = limit.measures(document.data, (entry.whole.end for entry in whole))
            for entry, end in zip(whole, (before + end for end in ends), strict=True):
                if first < end <= first + lost and entry.address not in told:
                    told.add(entry.address)
                    yield about(entry, "over the limit", what, "", "", "info")


def _is_word(entry: Entry) -> bool:
    return entry.form is Form.ITEM and _WORD.fullmatch(entry.text.strip()) is not None


def _is_noted(entry: Entry) -> bool:
    return entry.kind in _NOTED


@frozen
class _Declared:
    """A part: what it counts, and what finds it.

    ``counted`` are the entries that a finding counts where it is not the one that it names. It ``is_about``
    some of the entries, where that is given, else about all. ``if_all`` stands in the place of the meaning
    where all of them are counted and a share would say nothing.
    """

    name: str
    meaning: str
    look: Callable[[CheckSubject], Look]
    counted: Callable[[Finding], Iterable[str]] = lambda one: (one.entry or one.place,)
    is_about: Callable[[Entry], bool] = lambda _: True
    if_all: str = ""


_PARTS = (
    _Declared("junk", "heartbeats, tool output, lines without content", _junk, is_about=_is_noted),
    _Declared(
        "duplicate",
        "repeats another entry nearly word by word",
        duplicate_checks.duplicates,
        attrgetter("also"),
    ),
    _Declared("stale", "finished, replaced, or past its deadline", _stale),
    _Declared("contradicted", "contradicts another entry", _contradicted),
    _Declared("secret", "keys, tokens and passwords", memory_checks.secrets),
    _Declared("hidden", "text that an agent reads and a person does not see", _hidden),
    _Declared(
        "unsourced",
        "long-term memory without a source",
        memory_checks.without_origin,
        is_about=memory_checks.is_long_term,
        if_all="no entry has a source yet: the workbench adds sources from its first promotion on",
    ),
    _Declared(
        "over the limit",
        "beyond what an agent loads",
        _over_limit,
        is_about=lambda entry: entry.kind in LOADED,
    ),
)
