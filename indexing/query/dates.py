"""Days in a question: ``2026-03-14``, ``March 2026``, ``last week``, ``3 days ago``, ``14.03.2026``."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta

from indexing.words import AROUND
from workbench.frozen import frozen

# Written here because no library does it: dateparser takes a second to import and 6 ms a question,
# parsedatetime half a millisecond; both give moments where a question means days (``last week`` is one day,
# ``in May 2023`` another), and take ``may`` in ``may I`` or ``1.2`` in ``release 1.2.3`` for dates. This
# takes a hundredth of a millisecond for a question that names no day.

_ENGLISH = "january february march april may june july august september october november december"
_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_GERMAN = "januar februar märz april mai juni juli august september oktober november dezember"
_FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
_COUNTS = "one two three four five six seven eight nine ten eleven twelve"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"

ENGLISH_MONTHS: dict[str, int] = {name: at for at, name in enumerate(_ENGLISH.split(), 1)}
"""The twelve names, lower case, from 1."""

MONTHS: dict[str, int] = {
    **{
        name: at
        for names in (_GERMAN, _FRENCH, _SPANISH, _SHORT, _ENGLISH)
        for at, name in enumerate(names.split(), 1)
    },
    "sept": 9,
    "jänner": 1,
    "maerz": 3,
    "fevrier": 2,
    "aout": 8,
    "decembre": 12,
}
"""All names and English abbreviations, from 1."""

WEEKDAYS: dict[str, int] = {
    **{name[:size]: at for size in (3, None) for at, name in enumerate(_DAYS.split())},
    "tues": 1,
    "weds": 2,
    "thur": 3,
    "thurs": 3,
}
"""The days of the week in English and their abbreviations, from Monday, 0."""

NUMBERS: dict[str, int] = {name: at for at, name in enumerate(_COUNTS.split(), 1)} | {
    "a": 1,
    "an": 1,
    "couple of": 2,
    "a couple of": 2,
    "few": 3,
    "a few": 3,
}
"""Numbers as words; a few are three."""

MAX_CHARACTERS = 2_000
"""Characters of a text in which days are looked for."""

EVER = date(1970, 1, 1)
"""Where a period begins that is only said to end."""


@frozen
class Period:
    """The days from ``first`` to ``last``, both included, and the ``words`` that name them."""

    first: date
    last: date
    words: str = ""


def period(text: str, today: date) -> Period | None:
    """The days that the whole of ``text`` names, counted from ``today``; None where it names none.

    Blanks may be written as hyphens: ``last-week``. ``7d``, ``2w``, ``3m`` and ``1y`` are the day so long
    ago. What can be read in two ways reaches from the first of these days to the last.
    """
    days = readings(text, today)
    return Period(min(one.first for one in days), max(one.last for one in days), text) if days else None


def readings(text: str, today: date) -> list[Period]:
    """What ``period`` can mean; more than one for ``03/04/2026``, which is a day in March or in April."""
    said = re.sub(r"\s+", " ", text.strip().lower())
    if not said or len(said) > 60:
        return []
    for form in dict.fromkeys((said, re.sub(r"[-_ ]+", " ", said))):
        for pattern, read in (*_ALONE, *_FORMS):
            if (found := pattern.fullmatch(form)) and (days := _tried(read, found, today)):
                return days
    return []


def periods_in(text: str, today: date) -> tuple[Period, ...]:
    """The days that a question speaks of, in its order; days without a year are the latest before ``today``.

    A date that can be read in two ways (``03/04/2026``) gives both. Nothing that is more likely a word
    (``may``, ``march on``) or a number (``1.2.3``) counts.
    """
    text = text[:MAX_CHARACTERS]
    if not _HINT.search(text):
        return ()
    return tuple(replace(one, words=text[start:end]) for one, start, end in _joined(text, today))


def by_today(one: Period) -> bool:
    """Whether the words of a period say days by today alone, as ``last week`` and ``3 days ago`` do.

    An entry of these days does not have the words; one of any other day may. A weekday or a month is more:
    what is done ``every Monday`` has the word.
    """
    return bool(_BY_TODAY.search(one.words)) and not _NAMED.search(one.words)


def days_alone(text: str, today: date) -> tuple[Period, ...]:
    """The days that a question asks for which is one word: ``2026-03-14``, ``Yesterday?``, ``july``.

    Entries of these days seldom have the word. Nothing that is more likely a word or a name counts: ``may``,
    ``march``, ``sun``, ``2026``.
    """
    word = text.strip().strip(AROUND)
    if word.lower() in ENGLISH_MONTHS and word.lower() not in _VERBS:
        found = period(word, today)
        return (found,) if found else ()
    days = periods_in(word, today)
    return days if " " not in word and all(one.words == word for one in days) else ()


def named_days(text: str) -> tuple[date, ...]:
    """The days in ``text`` that are written with day, month and year, whichever day is today."""
    text = text[:MAX_CHARACTERS]
    if not _YEAR.search(text):
        return ()
    found = (_tried(read, match, EVER) for pattern, read in _FULL for match in pattern.finditer(text))
    return tuple(dict.fromkeys(one.first for days in found for one in days if one.first == one.last))


_Match = re.Match[str]
_Periods = list[Period]
_Read = Callable[[_Match, date], _Periods]
_Forms = list[tuple[re.Pattern[str], _Read]]
_M = "|".join(sorted(MONTHS, key=len, reverse=True))
_E = "|".join(ENGLISH_MONTHS)
_VERBS = ("may", "march")
_W = "|".join(_DAYS.split())
_N = "|".join(sorted(NUMBERS, key=len, reverse=True))
_D = r"(?P<d>3[01]|[12]\d|0?[1-9])"
_MM = r"(?P<m>1[0-2]|0?[1-9])"
_Y = r"(?P<y>(?:19|20)\d\d)"
_BEFORE, _AFTER = r"(?<![\w.,/-])", r"(?![\w/]|[.,-]\d)"
_YEAR = re.compile(r"(?:19|20)\d\d")
_BY_TODAY = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|from now|(?:last|past|this|next|previous) (?:night|morning|"
    rf"afternoon|evening|weekend|week|month|quarter|year|(?:\d{{1,3}}|{_N}) (?:days|weeks|months|years)))\b",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\b(?:{_M}|{_W})\b|(?:19|20)\d\d", re.IGNORECASE)
_HINT = re.compile(
    rf"\d|[年月日년월일]"
    rf"|\b(?:{_M}|{_W}|today|tonight|yesterday|tomorrow|ago|from now|last|past|this|next|previous)\b",
    re.IGNORECASE,
)


def _form(pattern: str, read: _Read) -> tuple[re.Pattern[str], _Read]:
    return re.compile(pattern, re.IGNORECASE), read


def _tried(read: _Read, found: _Match, today: date) -> _Periods:
    try:
        return read(found, today)
    except (ValueError, OverflowError):  # the 31st of February, or a day before the first
        return []


def _day(one: date) -> Period:
    return Period(one, one)


def _months(at: int, count: int = 1) -> Period:
    """So many whole months; ``at`` counts months from the beginning of the year 0."""
    first, last = divmod(at, 12), divmod(at + count - 1, 12)
    days = calendar.monthrange(last[0], last[1] + 1)[1]
    return Period(date(first[0], first[1] + 1, 1), date(last[0], last[1] + 1, days))


def _at(year: int, month: int) -> int:
    """A month as ``_months`` counts them."""
    return 12 * year + month - 1


def _word(found: _Match, group: str) -> str:
    """What a group of a pattern found, in lower case; empty where it is not there."""
    return (found.groupdict().get(group) or "").lower()


def _month_in(found: _Match) -> int:
    """The month of a match, by its name or in figures."""
    name = _word(found, "month")
    return MONTHS[name] if name else int(found["m"])


def _either(found: _Match, _: date) -> _Periods:
    """A day and a month in figures, in an order that nobody knows: both where both are days."""
    year, a, b = int(found["y"]), int(found["a"]), int(found["b"])
    pairs = dict.fromkeys(((a, b), (b, a)))
    return [_day(date(year, month, day)) for day, month in pairs if month <= 12] or [_day(date(year, b, a))]


def _day_named(found: _Match, today: date) -> _Periods:
    """A day of a month; where no year is said, the latest."""
    month, day = _month_in(found), int(found["d"])
    if year := _word(found, "y"):
        return [_day(date(int(year), month, day))]
    if found.groupdict().get("month") in _VERBS:
        alone = found.span() == (0, len(found.string))
        if not alone and not found.string[: found.start()].endswith("on "):
            raise ValueError("more likely a verb")
    return [_day(_latest(lambda year: date(year, month, day), today))]


def _latest(made: Callable[[int], date], today: date) -> date:
    """The newest such day up to ``today``; some days come only every fourth year."""
    for year in range(today.year, today.year - 9, -1):
        try:
            if (day := made(year)) <= today:
                return day
        except ValueError:
            continue
    raise ValueError("no such day")


def _whole_month(found: _Match, today: date) -> _Periods:
    month = _month_in(found)
    if year := _word(found, "y"):
        return [_months(_at(int(year), month))]
    at, now = _at(today.year, month), _at(today.year, today.month)
    which = _word(found, "which")
    if which == "next":
        return [_months(at if at > now else at + 12)]
    return [_months(at - 12 if at > now or (which == "last" and at == now) else at)]


def _year(found: _Match, _: date) -> _Periods:
    return [_months(_at(int(found["y"]), 1), 12)]


def _quarter(found: _Match, today: date) -> _Periods:
    first = 3 * int(found["q"]) - 2
    year = int(_word(found, "y") or (today.year if first <= today.month else today.year - 1))
    return [_months(_at(year, first), 3)]


def _iso_week(found: _Match, _: date) -> _Periods:
    monday = date.fromisocalendar(int(found["y"]), int(found["w"]), 1)
    return [Period(monday, monday + timedelta(6))]


_NAMED_DAYS = {
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "tomorrow night": 1,
    "day after tomorrow": 2,
}


def _named(found: _Match, today: date) -> _Periods:
    word = re.sub(r"\s+", " ", found[0].lower()).removeprefix("the ")
    return [_day(today + timedelta(_NAMED_DAYS.get(word, 0)))]


def _ago(found: _Match, today: date) -> _Periods:
    return [_day(_counted(found, today))]


def _past(found: _Match, today: date) -> _Periods:
    return [Period(_counted(found, today), today)]


def _counted(found: _Match, today: date) -> date:
    """So long before ``today``, or after it where the words are `from now`."""
    said = re.sub(r"\s+", " ", _word(found, "n"))
    count = int(said) if said.isdecimal() else NUMBERS[said]
    return moved(today, count if _word(found, "ahead") else -count, _word(found, "unit")[0])


def moved(day: date, count: int, unit: str) -> date:
    """So many days, weeks, months or years (``d``, ``w``, ``m``, ``y``) after ``day``, before it below 0.

    Of a shorter month it is the last day. Raises ValueError or OverflowError where there is no such day.
    """
    if unit in "dw":
        return day + timedelta(count * (7 if unit == "w" else 1))
    month = _months(_at(day.year, day.month) + count * (12 if unit == "y" else 1))
    return month.first.replace(day=min(day.day, month.last.day))


def _span(found: _Match, today: date) -> _Periods:
    """``last week``, ``this month``, ``next year``."""
    step = {"last": -1, "previous": -1, "past": -1, "next": 1}.get(found["which"].lower(), 0)
    unit = found["unit"].lower()
    if unit in ("week", "weekend"):
        monday = today - timedelta(today.weekday() - 7 * step)
        return [Period(monday + timedelta(5 if unit == "weekend" else 0), monday + timedelta(6))]
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    return [_months((_at(today.year, today.month) // size + step) * size, size)]


def _weekday(found: _Match, today: date) -> _Periods:
    which = _word(found, "which")
    back = (today.weekday() - WEEKDAYS[_word(found, "day")]) % 7
    if which == "next":
        return [_day(today + timedelta(7 - back))]
    return [_day(today - timedelta(back or (7 if which in ("last", "past", "previous") else 0)))]


_FULL: _Forms = [
    _form(rf"(?<![\w./-]){_Y}(?P<sign>[-/]){_MM}(?P=sign){_D}(?![\w/-]|\.\d)", _day_named),
    _form(rf"(?<![\w./-]){_Y}\.(?P<m>0[1-9]|1[0-2])\.(?P<d>0[1-9]|[12]\d|3[01])(?![\w/-]|\.\d)", _day_named),
    _form(rf"(?<![\w./-]){_Y}-{_MM}-{_D}(?=[tT]\d\d)", _day_named),
    _form(rf"(?<!\d){_Y}\s?[年년]\s?{_MM}\s?[月월]\s?{_D}\s?[日일号號]?(?!\d)", _day_named),
    _form(rf"{_BEFORE}{_D}\.\s?{_MM}\.\s?{_Y}{_AFTER}", _day_named),
    _form(rf"{_BEFORE}(?P<a>\d\d?)(?P<sign>[/-])(?P<b>\d\d?)(?P=sign){_Y}{_AFTER}", _either),
    _form(
        rf"{_BEFORE}{_D}(?:st|nd|rd|th|\.|er)?\s?(?:of |de )?(?P<month>{_M})\.?(?:,? | de ){_Y}{_AFTER}",
        _day_named,
    ),
    _form(rf"{_BEFORE}(?P<month>{_M})\.? {_D}(?:st|nd|rd|th)?(?:,? ){_Y}{_AFTER}", _day_named),
]
_RELATIVE = r"(?P<which>last|past|previous|this|next)"
_WITHIN = r"(?:in|during|since|until|till|before|after|by|of|from|between|early|late|mid|around|throughout)"
_FORMS: _Forms = [
    *_FULL,
    _form(
        rf"{_BEFORE}{_D}(?:st|nd|rd|th|\.|er)?\s(?:of |de )?(?P<month>{_M})\b{_AFTER}",
        _day_named,
    ),
    _form(rf"{_BEFORE}(?P<month>{_E}) {_D}(?:st|nd|rd|th)?(?![\w/:%]|[.,]\d)", _day_named),
    _form(rf"(?<!\d){_MM}\s?[月월]\s?{_D}\s?[日일号號](?!\d)", _day_named),
    _form(rf"(?<!\d){_Y}\s?[年년]\s?{_MM}\s?[月월]", _whole_month),
    _form(rf"(?<!\d){_Y}\s?[年년]", _year),
    _form(rf"{_BEFORE}(?P<month>{_M})\.?,? (?:de )?{_Y}{_AFTER}", _whole_month),
    _form(rf"(?<![\w./-]){_Y}-{_MM}(?![\w/-]|\.\d)", _whole_month),
    _form(rf"(?<![\w./-]){_Y}-?W(?P<w>\d\d)(?!\w)", _iso_week),
    _form(rf"\bq(?P<q>[1-4])(?:[ -]{_Y}|\b)(?!\w)", _quarter),
    _form(rf"{_BEFORE}{_Y}[ -]?q(?P<q>[1-4])\b", _quarter),
    _form(
        r"\b(?:(?:the )?day (?:before yesterday|after tomorrow)|yesterday|today|tonight|tomorrow(?: night)?"
        r"|last night|this (?:morning|afternoon|evening))\b",
        _named,
    ),
    _form(
        rf"\b(?P<n>\d{{1,3}}|{_N}) (?P<unit>days?|weeks?|months?|years?)"
        r" (?:ago|(?P<ahead>from (?:now|today)))\b",
        _ago,
    ),
    _form(rf"\b(?:last|past) (?P<n>\d{{1,3}}|{_N}) (?P<unit>days|weeks|months|years)\b", _past),
    _form(rf"\b{_RELATIVE} (?P<unit>weekend|week|month|quarter|year)\b", _span),
    _form(rf"\b{_RELATIVE} (?P<day>{_W})\b", _weekday),
    _form(rf"(?<=\bon )(?P<day>{_W})\b", _weekday),
    _form(rf"(?:(?<=since )|(?<=until )|(?<=before )|(?<=after ))(?P<day>{_W})\b", _weekday),
    _form(
        rf"\b(?P<day>{_W})(?=\s*[?!.,;]|\s*$| (?:morning|afternoon|evening|night)\b)",
        _weekday,
    ),
    _form(rf"\b{_RELATIVE} (?P<month>{_E})\b", _whole_month),
    _form(rf"\b{_WITHIN} (?P<month>{_E})\b(?! \d|-)", _whole_month),
    _form(rf"\b(?:in|during|since|until|till|before|after|by|of|from|throughout) {_Y}{_AFTER}", _year),
]
"""What is looked for in a question; where two overlap, the one that begins first, then the first here."""

_ALONE: _Forms = [
    _form(_Y, _year),
    _form(rf"(?P<month>{_M})", _whole_month),
    _form(rf"{_MM}[-/. ]{_Y}", _whole_month),
    _form(rf"(?P<day>{'|'.join(WEEKDAYS)})", _weekday),
    _form(r"-?(?P<n>\d{1,4}) ?(?P<unit>[dwmy])", _ago),
    _form(rf"(?P<n>\d{{1,3}}|{_N}) (?P<unit>days?|weeks?|months?|years?)", _ago),
]
"""What only stands for days where nothing else can stand."""

_SINCE = re.compile(r"\b(?P<how>since|after|until|till|up to|before|by)\s+(?:the\s+)?$", re.IGNORECASE)
_FROM = re.compile(r"\b(?:between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:and|to|until|till|through|[-–—])\s*(?:the\s+)?", re.IGNORECASE)
_MONTHS_RANGE = re.compile(
    rf"\b(?:between|from) (?P<month>{_E})(?: {_Y})? (?:and|to|until|till|through) (?P<until>{_E})"
    rf"(?: (?P<y2>(?:19|20)\d\d))?\b",
    re.IGNORECASE,
)


def _joined(text: str, today: date) -> Iterator[tuple[Period, int, int]]:
    """The periods in ``text`` with their places; two that are the ends of one, and words before, make one."""
    found = _single(text, today)
    at = 0
    while at < len(found):
        one, start, end = found[at]
        before = text[:start]
        if at + 1 < len(found) and (begun := _FROM.search(before)):
            other, next_start, next_end = found[at + 1]
            if _TO.fullmatch(text, end, next_start) and one.first <= other.last:
                yield Period(one.first, other.last), begun.start(), next_end
                at += 2
                continue
        if bound := _SINCE.search(before):
            yield _bounded(one, bound["how"].lower(), today), bound.start(), end
        else:
            yield one, start, end
        at += 1


def _bounded(one: Period, how: str, today: date) -> Period:
    if how == "since":
        return Period(one.first, max(today, one.last))
    if how == "after":
        return Period(one.last + timedelta(1), max(today, one.last + timedelta(1)))
    return Period(EVER, one.first - timedelta(1) if how == "before" else one.last)


def _single(text: str, today: date) -> list[tuple[Period, int, int]]:
    """All that a form finds, none inside of another, in the order of the text."""
    found: list[tuple[int, int, int, _Periods]] = []
    for match in _MONTHS_RANGE.finditer(text):
        if ends := _tried(_month_range, match, today):
            found.append((match.start(), -1, match.end(), ends))
    for number, (pattern, read) in enumerate(_FORMS):
        for match in pattern.finditer(text):
            if days := _tried(read, match, today):
                start = match.start()
                if lead := re.match(rf"{_WITHIN} ", match[0], re.IGNORECASE):
                    start += lead.end()
                found.append((start, number, match.end(), days))
    out: list[tuple[Period, int, int]] = []
    reached = 0
    for start, _, end, days in sorted(found, key=lambda one: (one[0], -one[2], one[1])):
        if start >= reached:
            out += [(one, start, end) for one in days]
            reached = end
    return out


def _month_range(found: _Match, today: date) -> _Periods:
    """``between March and May 2026``: a year that is said once is that of both."""
    first, last = MONTHS[_word(found, "month")], MONTHS[_word(found, "until")]
    year = int(found["y2"] or found["y"] or (today.year if last <= today.month else today.year - 1))
    begun = int(found["y"]) if found["y"] else (year if first <= last else year - 1)
    return [Period(_months(_at(begun, first)).first, _months(_at(year, last)).last)]
