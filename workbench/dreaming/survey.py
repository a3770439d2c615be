"""The survey: everything a run knows of memory before it chooses, read once, and every claim judged."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from workbench.collection_pause import no_garbage_collection
from workbench.dreaming.candidates import CandidateScan, Mention, candidates
from workbench.dreaming.clusters import (
    Cluster,
    alike_in_meaning,
    days_of,
    folded,
    same_words,
    sources_of,
)
from workbench.dreaming.features import Floats, Line, recurring_headings
from workbench.dreaming.line_judgement import LineJudgement, floor_of, judged
from workbench.dreaming.owner_model import OwnerModel, owner_model
from workbench.dreaming.proposals.inbox import Book, read_book
from workbench.dreaming.result import EVERY, NEAR_MISS, OnProgress, SkippedClaims, telling
from workbench.dreaming.salience import BATCH
from workbench.dreaming.score import NEVER_RECALLED, ClaimRecalls, RecallHistory, ScoredCluster
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import Kind
from workbench.plural import first_few, plural
from workbench.workspace.workspace import Workspace

# -- deadlines that have passed: a day behind a word that makes it the last one, before today --------

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_BY = (
    r"by(?= (?:(?:the|end|of|eod|noon|midnight|\w+day),? ){0,3}"
    rf"(?:\d|to(?:day|night|morrow)|(?:this|next) week|\w+day|(?:{_MONTHS.replace(' ', '|')})[a-z]*\.? \d))"
)
"""Not `written by Nova on …`: what follows is the day."""
_CUE = (
    rf"(?:만료|마감|\b(?:{_BY}|until|till|due|deadlines?|before|expires?|remind\w*|bis|fällig|frist|hasta|vence"
    r"|antes del?|avant|jusqu['’]au|échéance|fino al|entro|até|срок|до)\b|截止|締め?切り?|期限)"
)
_LAST = r"\b(?:last|zuletzt|letzte\w?|últim[ao]|dernière|ostatni\w*|laatst\w*|последн\w+)\b|上次|最終|最后"
"""What is said to have been the last time was no deadline: `due for a review, last reviewed: …`."""
_ISO = r"(?P<iso>\d{4}-\d\d-\d\d)"
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
_WEEK = (
    r"(?:\b(?:(?:this|next) week|week of)\b[^\w\n]{0,20}"
    r"|(?:本周|本週|这周|下周|下週|今週|来週|이번 ?주|다음 ?주)[^\n]{0,20}?)"
    r"\d{1,2}/\d{1,2} ?[-–—~～至] ?(?P<month5>\d{1,2})/(?P<day5>\d{1,2})(?![\d/])"
)
_DEADLINE = re.compile(
    rf"(?:{_CUE}|\[ \])(?:(?!{_LAST})[^\n]){{0,30}}?(?:{_ISO}|\b{_NAMED}|{_CJK}|{_SOON})"
    rf"|{_CJK.replace('3', '4')}(?:まで|之前|截止)|{_WEEK}",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:(?:every|each) (?:\w+ )?(?:(?:year|quarter|month|week|day|morning|evening)s?"
    r"|(?:week|mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|jede[sn]? (?:jahr|quartal|monat|woche|tag)"
    r"|cada (?:año|ano|mes|semana|d[ií]a)|chaque (?:année|mois|semaine|jour)|tous les (?:ans|mois|jours)"
    r"|кажд\w+ (?:год|месяц|недел\w|день)|annual\w*|yearly|birthdays?|anniversar\w+|jährlich\w*|geburtstag\w*"
    r"|anual\w*|cumpleaños|aniversári?\w*|annuel\w*|anniversaire|ежегодн\w+)\b"
    r"|每年|生日|毎年|誕生日|매년|생일",
    re.IGNORECASE,
)
"""What returns is never over: a day without a year is one of any year."""
_WITHIN = timedelta(days=14)
"""After this what was due soon is over."""
_LONG_AGO = timedelta(days=180)
"""A day without a year that was so long ago is one of the next year."""


def passed_deadline(text: str, said: date, today: date, *, soon: date | None = None) -> date | None:
    """The last deadline that ``text``, said on the day ``said``, names, if all it names have passed.

    ``soon`` is the day from which `by tomorrow` counts, where that is another.
    """
    returns = _EVERY.search(text) is not None
    days = [
        day
        for found in _DEADLINE.finditer(text)
        if (day := _day(found, said, soon or said)) and not (returns and str(day.year) not in found[0])
    ]
    last = max(days, default=today)
    return last if last < today else None


def _day(found: re.Match[str], said: date, soon: date) -> date | None:
    """The day that a match names; one without a year is in the year in which it was said."""
    # A pattern can have a group of a name but once: `day2` to `day5` are days as well.
    named = {name.rstrip("2345"): part for name, part in found.groupdict().items() if part}
    if "soon" in named:
        return soon + _WITHIN
    try:
        if "iso" in named:
            return date.fromisoformat(named["iso"])
        month, day = named["month"], int(named["day"])
        number = int(month) if month.isdigit() else _MONTHS.split().index(month.lower()) + 1
        if "year" in named:
            return date(int(named["year"]), number, day)
        this_year = date(said.year, number, day)
        return this_year if said - this_year < _LONG_AGO else this_year.replace(year=said.year + 1)
    except ValueError:
        return None


# -- every claim judged ------------------------------------------------------------------------------

MOST_JUDGED = 4_000
"""Claims that the model judges; where there are more, those that a fit to a sample of them ranks highest."""
_SAMPLE = 500
_LESS_LIKELY = "less likely than others by a first estimate"


@frozen_kw_only
class Survey:
    """What was read and how each cluster is judged; of a great many, first those that the model looked at."""

    model: OwnerModel
    found: CandidateScan
    recurring: frozenset[str]
    """Headings that return from file to file."""
    book: Book
    judged: tuple[ScoredCluster, ...]
    skips: SkippedClaims
    notes: tuple[str, ...]


@no_garbage_collection()
def survey(workspace: Workspace, now: datetime, skips: SkippedClaims, tell: OnProgress) -> Survey:
    """Read all that can be a source, and judge every claim in it. What is left out goes to ``skips``."""
    today = now.date()
    book = read_book(workspace)
    found = candidates(workspace, today, skips, tell=tell)
    tell("folding", 0, 0)
    recurring = recurring_headings([(mention.heading, mention.path) for mention in found.mentions])
    model = owner_model(workspace, book)
    claims = same_words(found.mentions)
    tell("recalls", 0, 0)
    recall_book = RecallHistory(workspace, now)
    recalls, gone = _recalls(recall_book, claims, tell)
    likely, others = claims, tuple[Cluster, ...]()
    if len(claims) > MOST_JUDGED:
        likely, others = _shortlist(claims, recalls, model, recurring, tell)
    tell("folding", 0, 0)
    # the index has vectors of whole entries
    whole = [mention for one in likely if (mention := next((m for m in one.mentions if m.whole), None))]
    pairs, note = alike_in_meaning(workspace, {mention.key: mention.context for mention in whole})
    clusters = folded(likely, pairs, tell=tell)
    recalls_of_folded, _ = _recalls(recall_book, clusters, tell)
    known = [_known(cluster, recalls_of_folded) for cluster in clusters]
    return Survey(
        model=model,
        found=found,
        recurring=recurring,
        book=book,
        judged=(
            *_judged(known, model, recurring, today, tell),
            *(
                _known(one, recalls, floor_of(model, spoken=one.best.spoken), _LESS_LIKELY)
                for one in telling(others, tell, "judging", MOST_JUDGED)
            ),
        ),
        skips=skips,
        notes=(*_notes(found, recall_book, gone), *filter(None, [note])),
    )


def _known(
    cluster: Cluster, recalls_of: Mapping[str, ClaimRecalls], floor: float = 0.0, left_out: str = ""
) -> ScoredCluster:
    """What is known of a claim but for its words: who said it how often, and how it was used.

    What the agent says of it on a day on which it had been given it is an echo, and no source. What comes
    from outside corroborates nothing that the owner or the agent says.
    """
    recalls = recalls_of.get(cluster.mentions[0].key, NEVER_RECALLED)
    sources = days = 1
    if len(cluster.mentions) > 1:
        given = recalls.days - {cluster.mentions[0].day}
        inside = [mention for mention in cluster.mentions if mention.trusted] or cluster.mentions
        heard = [m for m in inside if m.kind is not Kind.LOG or m.day not in given]
        sources, days = len(sources_of(heard)), len(days_of(heard))
    return ScoredCluster(
        mentions=cluster.mentions,
        keys=cluster.keys,
        recalls=recalls,
        sources=sources,
        days=days,
        floor=floor,
        left_out=left_out if sources else "said only after the agent had received it",
    )


def _judged(
    known: Sequence[ScoredCluster],
    model: OwnerModel,
    recurring: frozenset[str],
    today: date,
    tell: OnProgress,
) -> Iterator[ScoredCluster]:
    """All claims with the salience of their words, and why each that may not be proposed may not."""
    for start in range(0, len(known), BATCH):
        tell("judging", start, len(known))
        batch = known[start : start + BATCH]
        lines = [line_of(one.best, recurring) for one in batch]
        for one, judgement in zip(batch, judged(model, lines), strict=True):
            why = one.left_out or _why_not(one.best, judgement, today)
            yield replace(one, salience=judgement.score, floor=judgement.floor, left_out=why)


def _why_not(best: Mention, judgement: LineJudgement, today: date) -> str:
    """Why what a claim says may not be proposed; empty where it may."""
    if judgement.vetoed:
        return judgement.vetoed
    if day := passed_deadline(best.text, best.day, today):
        return f"its date has passed: {day}"
    if _NOBODY.match(best.text):
        return "it does not say whom it is about"
    return "" if judgement.kept else f"{NEAR_MISS}: {judgement.score:.2f} of {judgement.floor:.2f}"


def line_of(mention: Mention, recurring: frozenset[str] = frozenset()) -> Line:
    """A mention as the model sees it: as it stands in its file, but for the turn that an episode names.

    ``recurring`` are the headings that return from file to file.
    """
    if mention.spoken:
        return Line(mention.text, spoken=True)
    text = mention.context if mention.whole else mention.text
    words = f"- {text}" if mention.item else text
    return Line(words, mention.heading, mention.path, recurring=mention.heading in recurring)


def _shortlist(
    claims: Sequence[Cluster],
    recalls: Mapping[str, ClaimRecalls],
    model: OwnerModel,
    recurring: frozenset[str],
    tell: OnProgress,
) -> tuple[tuple[Cluster, ...], tuple[Cluster, ...]]:
    """Of a great many claims those that are worth the model's time, and the others.

    The model judges a sample, and all are ranked by what their forms have in common with it (a linear fit),
    times how often they were said and used, the newest first among equals; of lines that differ in numbers
    alone the first few are enough.
    """
    best = [one.best for one in claims]
    forms, often = np.zeros((len(claims), _FORMS)), np.ones(len(claims))
    for start in range(0, len(claims), EVERY):
        tell("recalls", start, len(claims))
        block = slice(start, start + EVERY)
        forms[block] = _forms([line_of(mention) for mention in best[block]])
        for number, one in enumerate(claims[block], start):
            if len(one.mentions) > 1 or one.mentions[0].key in recalls:
                parts = _known(one, recalls).parts
                often[number] = parts["recurrence"] * parts["use"]
    sample = range(0, len(claims), max(1, len(claims) // _SAMPLE))
    said = model.logits([line_of(best[number], recurring) for number in sample])
    weights = np.linalg.lstsq(forms[sample], said, rcond=None)[0]
    days = np.array([mention.day.toordinal() for mention in best])
    order = np.lexsort((-days, -(forms @ weights + np.log(often))))
    shapes: Counter[str] = Counter()
    likely: set[int] = set()
    for number in telling(order.tolist(), tell, "recalls", len(claims)):
        shape = line_of(best[number]).text[:_SHAPE].translate(_NO_DIGITS)
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
_FORMS = 8
_LAST_SIGN = 0x20000
_SHAPE = 60
_MOST_OF_A_SHAPE = 5
_NO_DIGITS = str.maketrans("123456789", "000000000")


def _forms(lines: Sequence[Line]) -> Floats:
    """(n, 8) length, digits, capitals, blanks and the end of each line: numbers that cost next to nothing."""
    sizes = np.array([len(line.text) for line in lines])
    text = "".join(line.text for line in lines).encode("utf-32-le", "surrogatepass")
    signs = _signs()[np.minimum(np.frombuffer(text, np.uint32), _LAST_SIGN)]
    shares = np.add.reduceat(signs, np.cumsum(sizes) - sizes, dtype=np.float64) / sizes[:, None]
    long = np.log1p(sizes)
    ends = [line.text[-1] in ".。" for line in lines]
    spoken = [line.spoken for line in lines]
    return np.column_stack((np.ones(len(lines)), long, long * long, shares, ends, spoken))


@functools.cache
def _signs() -> NDArray[np.bool_]:
    """For each sign whether it is a digit, a capital, a blank; for those above the last one, none of them."""
    signs = map(chr, range(_LAST_SIGN))
    return np.array([*((one.isdigit(), one.isupper(), one == " ") for one in signs), (False,) * 3])


def _recalls(
    book: RecallHistory, clusters: Sequence[Cluster], tell: OnProgress
) -> tuple[dict[str, ClaimRecalls], int]:
    """The recalls of the clusters, each by the key of its first mention, and how many are of no cluster."""
    claims: dict[str, str] = {}
    entries: dict[str, list[str]] = {}
    for cluster in telling(clusters, tell, "recalls"):
        name = cluster.mentions[0].key
        claims.update(dict.fromkeys(book.claims.intersection(cluster.keys), name))
        for mention in cluster.mentions:
            entry = mention.entry.rpartition("#")[2].partition("~")[0]
            if entry in book.entries and name not in (names := entries.setdefault(entry, [])):
                names.append(name)
    return book.of(claims, entries)


def _notes(found: CandidateScan, recalls: RecallHistory, gone: int) -> list[str]:
    counts = (
        ("no records in the book of recalls", recalls.bad, "line"),
        ("dated after now and not counted", recalls.ahead, "recall"),
        ("of entries that no source contains any longer", gone, "recall"),
    )
    unread = [f"could not be read: {', '.join(first_few(found.unread, 3))}"] if found.unread else []
    return [*unread, *(f"{what}: {plural(count, noun)}" for what, count, noun in counts if count)]
