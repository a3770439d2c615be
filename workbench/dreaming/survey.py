"""The survey: everything a run knows of memory before it chooses, read once, and every claim judged.

Deadlines that have passed: a day behind a word that makes it the last one, and before today.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import numpy as np

from workbench.dreaming.candidates import CandidateScan, Mention, candidates
from workbench.dreaming.clusters import Cluster, alike_in_meaning, days_of, folded, same_words, sources_of
from workbench.dreaming.features import Line
from workbench.dreaming.line_judgement import floor_of, judged
from workbench.dreaming.owner_model import OwnerModel, owner_model
from workbench.dreaming.proposals.inbox import Book, read_book
from workbench.dreaming.result import NEAR_MISS, DreamProgress, OnProgress, Skips, unheard
from workbench.dreaming.salience import BATCH
from workbench.dreaming.score import ClaimRecallIndex, ClaimRecalls, Judged, read_recalls
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

_CUE = (
    r"(?:\b(?:by|until|till|due|deadlines?|before|expires?|remind\w*|bis|fällig|frist|hasta|vence|antes del?"
    r"|avant|jusqu['’]au|échéance|fino al|entro|até|срок|до)\b|截止|締め?切り?|期限)"
)
_ISO = r"(?P<iso>\d{4}-\d\d-\d\d)"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTH = rf"(?P<month>{_MONTHS.replace(' ', '|')})[a-z]*\.?"
_NAMED = (
    rf"(?:{_MONTH} (?P<day>\d{{1,2}})|(?P<day2>\d{{1,2}})\.? {_MONTH.replace('month', 'month2')})"
    r"(?!\d)(?:st|nd|rd|th)?(?:,? (?P<year>20\d\d))?"
)
_CJK = r"(?:(?P<year3>20\d\d)年)?(?P<month3>\d{1,2})月(?P<day3>\d{1,2})[日号]"
_SOON = (
    r"(?P<soon>today|tonight|tomorrow|this week|next week|(?:mon|tues|wednes|thurs|fri|satur|sun)day|heute"
    r"|morgen|mañana|demain|завтра|今天|明天|今日|明日)"
)
_DEADLINE = re.compile(
    rf"(?:{_CUE}|\[ \])[^\n]{{0,30}}?(?:{_ISO}|\b{_NAMED}|{_CJK}|{_SOON})"
    rf"|{_CJK.replace('3', '4')}(?:まで|之前|截止)",
    re.IGNORECASE,
)
_WITHIN = timedelta(days=14)
"""After this what was due soon is over."""
_LONG_AGO = timedelta(days=180)
"""A day without a year that was so long ago is one of the next year."""


def passed_deadline(text: str, said: date, today: date) -> date | None:
    """The last deadline that ``text``, said on the day ``said``, names, if all it names have passed."""
    days = [day for found in _DEADLINE.finditer(text) if (day := _day(found, said))]
    last = max(days, default=today)
    return last if last < today else None


def _day(found: re.Match[str], said: date) -> date | None:
    """The day that a match names; one without a year is in the year in which it was said."""
    if found["soon"]:
        return said + _WITHIN
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        month = found["month"] or found["month2"]
        number = (
            _MONTHS.split().index(month.lower()) + 1 if month else int(found["month3"] or found["month4"])
        )
        day = found["day"] or found["day2"] or found["day3"] or found["day4"]
        year = found["year"] or found["year3"] or found["year4"]
        named = date(int(year or said.year), number, int(day))
        return named if year or said - named < _LONG_AGO else date(said.year + 1, number, int(day))
    except ValueError:
        return None


MOST_JUDGED = 4_000
"""Claims that the model judges; where there are more, those that a fit to a sample of them ranks highest."""
_SAMPLE = 500
_EVERY = 2_000
"""Claims that are looked at between two words about it."""
_LESS_LIKELY = "less likely than others, by a quick look"


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was read and how each cluster is judged; of a great many, first those that the model looked at."""

    model: OwnerModel
    found: CandidateScan
    book: Book
    judged: tuple[Judged, ...]
    skips: Skips
    notes: tuple[str, ...]


def survey(
    workspace: Workspace, now: datetime, *, skips: Skips | None = None, tell: OnProgress = unheard
) -> Survey:
    """Read all that can be a source, and judge every claim in it. What is left out goes to ``skips``."""
    today, days = now.date(), workspace.settings.dream_days
    skips = Skips() if skips is None else skips
    book = read_book(workspace)
    first = not any(proposal.by == "dreaming" for proposal, _ in book.proposals.values())
    found = candidates(workspace, today, None if first else days, skips, tell=tell)
    tell(DreamProgress("folding"))
    model = owner_model(workspace, book)
    likely = same_words(found.mentions)
    others: tuple[Cluster, ...] = ()
    if len(likely) > MOST_JUDGED:
        tell(DreamProgress("recalls"))
        likely, others = _shortlist(likely, _recalls(workspace, now, likely), model, tell)
    # the index has vectors of whole entries
    whole = [mention for one in likely if (mention := next((m for m in one.mentions if m.whole), None))]
    pairs, note = alike_in_meaning(workspace, {mention.key: mention.context for mention in whole})
    clusters = folded(likely, pairs, pulse=lambda: tell(DreamProgress("folding")))
    tell(DreamProgress("recalls"))
    recalls = _recalls(workspace, now, (*clusters, *others))
    known = [_known(cluster, recalls) for cluster in clusters]
    least = floor_of(model)
    left_out = (replace(_known(cluster, recalls), floor=least) for cluster in others)
    return Survey(
        model=model,
        found=found,
        book=book,
        judged=(
            *_judged(known, model, today, tell),
            *(replace(one, left_out=one.left_out or _LESS_LIKELY) for one in left_out),
        ),
        skips=skips,
        notes=(*_notes(found, recalls, days), *filter(None, [note])),
    )


def _known(cluster: Cluster, index: ClaimRecallIndex) -> Judged:
    """What is known of a claim but for its words: who said it how often, and how it was used.

    What the agent says of it on a day on which it had been given it is an echo, and no source. What comes
    from outside corroborates nothing that the owner or the agent says.
    """
    recalls = index.of.get(cluster.mentions[0].key, ClaimRecalls())
    if len(cluster.mentions) == 1:
        return Judged(cluster=cluster, recalls=recalls)
    echoes = frozenset(recalls.days) - {cluster.mentions[0].day}
    inside = [mention for mention in cluster.mentions if mention.trusted] or cluster.mentions
    sources = len(sources_of(inside, echoes=echoes))
    return Judged(
        cluster=cluster,
        recalls=recalls,
        sources=sources,
        days=len(days_of(inside, echoes=echoes)),
        left_out="" if sources else "said only after the agent had been given it",
    )


def _judged(known: Sequence[Judged], model: OwnerModel, today: date, tell: OnProgress) -> Iterator[Judged]:
    """All claims with the salience of their words, and why each that may not be proposed may not."""
    for start in range(0, len(known), BATCH):
        tell(DreamProgress("judging", start, len(known)))
        batch = known[start : start + BATCH]
        lines = [line_of(one.cluster.best) for one in batch]
        for one, judgement in zip(batch, judged(model, lines), strict=True):
            best = one.cluster.best
            why = one.left_out or judgement.vetoed or ""
            if not why and (day := passed_deadline(best.text, best.day, today)):
                why = f"its day has passed: {day}"
            if not why and _NOBODY.match(best.text):
                why = "it does not say of whom it tells"
            if not why and not judgement.kept:
                why = f"{NEAR_MISS} in salience: {judgement.score:.2f} of {judgement.floor:.2f}"
            yield replace(one, salience=judgement.score, floor=judgement.floor, left_out=why)


def line_of(mention: Mention) -> Line:
    """A mention as the model sees it: as it stands in its file, but for the turn that an episode names."""
    if mention.spoken:
        return Line(mention.text, spoken=True)
    text = mention.context if mention.whole else mention.text
    return Line(f"- {text}" if mention.item else text, mention.heading, mention.path)


def _shortlist(
    claims: Sequence[Cluster], recalls: ClaimRecallIndex, model: OwnerModel, tell: OnProgress
) -> tuple[tuple[Cluster, ...], tuple[Cluster, ...]]:
    """Of a great many claims those that are worth the model's time, and the others.

    The model judges a sample, and all are ranked by what their forms have in common with it (a linear fit),
    times how often they were said and used, the newest first among equals; of lines that differ in numbers
    alone the first few are enough.
    """
    lines, days = [], np.zeros(len(claims))
    for number, one in enumerate(claims):
        if number % _EVERY == 0:
            tell(DreamProgress("recalls", number, len(claims)))
        best = one.best
        lines.append(line_of(best))
        days[number] = best.day.toordinal()
    forms = np.array([_form(line) for line in lines])
    sample = range(0, len(lines), max(1, len(lines) // _SAMPLE))
    weights = np.linalg.lstsq(forms[sample], model.logits([lines[n] for n in sample]), rcond=None)[0]
    often = np.ones(len(claims))
    for number, one in enumerate(claims):
        if len(one.mentions) > 1 or one.mentions[0].key in recalls.of:
            parts = _known(one, recalls).parts
            often[number] = parts["recurrence"] * parts["use"]
    order = np.lexsort((-days, -(forms @ weights + np.log(often))))
    shapes: Counter[str] = Counter()
    likely: set[int] = set()
    for number in order.tolist():
        shape = lines[number].text[:_SHAPE].translate(_NO_DIGITS)
        shapes[shape] += 1
        if shapes[shape] <= _MOST_OF_A_SHAPE:
            likely.add(number)
        if len(likely) == MOST_JUDGED:
            break
    return (
        tuple(one for number, one in enumerate(claims) if number in likely),
        tuple(one for number, one in enumerate(claims) if number not in likely),
    )


_NOBODY = re.compile(
    r"\W*(?:(?:and|but|so|also|then)\b\W*)*(?:(?:he|she|they|his|her|their)(?:['’]\w+)?\b|[他她彼])", re.I
)
_SHAPE = 60
_MOST_OF_A_SHAPE = 5
_NO_DIGITS = str.maketrans("123456789", "000000000")


def _form(line: Line) -> tuple[float, ...]:
    """Length, digits, capitals, words and the end of a line, as numbers that cost next to nothing."""
    text = line.text
    size = len(text) or 1
    long = float(np.log1p(size))
    digits, capitals = sum(map(str.isdigit, text)), sum(map(str.isupper, text))
    spaces = text.count(" ")
    return (
        1.0,
        long,
        long * long,
        digits / size,
        capitals / size,
        spaces / size,
        float(text[-1:] in ".。"),
        line.spoken,
    )


def _recalls(workspace: Workspace, now: datetime, clusters: Sequence[Cluster]) -> ClaimRecallIndex:
    """The recalls of the clusters, each by the key of its first mention."""
    claims: dict[str, str] = {}
    entries: dict[str, list[str]] = {}
    for cluster in clusters:
        name = cluster.mentions[0].key
        claims.update(dict.fromkeys(cluster.keys, name))
        for mention in cluster.mentions:
            names = entries.setdefault(mention.entry.rpartition("#")[2].partition("~")[0], [])
            if name not in names:
                names.append(name)
    return read_recalls(workspace, now, claims, entries)


def _notes(found: CandidateScan, recalls: ClaimRecallIndex, days: int) -> list[str]:
    notes = []
    if found.old:
        notes.append(f"not considered, as more than {days} days before the newest log: {found.old:,}")
    if found.unread:
        more = f" and {len(found.unread) - 3} more" if len(found.unread) > 3 else ""
        notes.append(f"could not be read: {', '.join(found.unread[:3])}{more}")
    if recalls.bad:
        notes.append(f"no records in the book of recalls: {plural(recalls.bad, 'line')}")
    if recalls.ahead:
        notes.append(f"dated after now and not counted: {plural(recalls.ahead, 'recall')}")
    if recalls.gone:
        notes.append(f"of entries that stand in no source (any more): {plural(recalls.gone, 'recall')}")
    return notes
