"""The day that a sentence speaks of, seen from the day on which it was said."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta

from indexing.query.dates import MAX_CHARACTERS, NUMBERS, Period, named_days, periods_in
from workbench.memory.moment import Moment

_PAST = re.compile(r"\b(?:yesterday|last|ago|past|was|were|went|had|did)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LIMIT = re.compile(
    r"\b(?:by|until|till|before|after(?! tomorrow)|since|from(?! now| today)|due|every|each|bis|vor|seit|ab"
    r"|jeden|jede|jusqu\w*|avant|depuis|chaque|hasta|antes|desde|cada)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:\b(?:at|um|à|a las?|alle|às|в)|@) ?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)"
    r"(?![\d:])(?: ?(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)
_NOON = 12
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day\b", re.IGNORECASE)
_ONE_TO_TEN = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn",
    "un deux trois quatre cinq six sept huit neuf dix",
    "un dos tres cuatro cinco seis siete ocho nueve diez",
)
_COUNTS = {
    **NUMBERS,
    **{name: at for names in _ONE_TO_TEN for at, name in enumerate(names.split(), 1)},
    **dict.fromkeys(("eine", "einem", "einer", "une", "una"), 1),
}
_DAY_NAMES = {
    name: at
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for at, name in enumerate(names.split())
} | {"sonnabend": 5, "miercoles": 2, "sabado": 5}
_N = rf"(?P<n>\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNITS = {
    "d": "days?|tag(?:en?)?|jours?|d[ií]as?",
    "w": "weeks?|wochen?|semaines?|semanas?",
    "m": "months?|monat(?:en?)?|mois|mes(?:es)?",
}
_UNIT = "(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _UNITS.items()) + ")"
_D = "|".join(_DAY_NAMES)
_AHEAD = re.compile(
    rf"\b(?:in|dans|en|dentro de) {_N} {_UNIT}\b"
    rf"|\b(?P<week>(?:nächste|kommende)[nr]? woche|semaine prochaine"
    r"|pr[óo]xima semana|semana (?:que viene|pr[óo]xima))\b"
    rf"|\b(?:am|(?:nächste|kommende|diese)[nrm]?|ce|el(?: pr[óo]ximo)?) (?P<day>{_D})\b"
    rf"|\b(?P<day_next>{_D}) (?:prochain|que viene)\b"
    r"|\b(?P<two>(?:the )?day after tomorrow|übermorgen|après-demain|pasado mañana)\b"
    r"|(?<!guten )(?<!jeden )(?<!heute )(?<!diesen )(?<!am )(?<!der )(?<!den )\b(?P<morgen>morgen)\b"
    r"|\b(?P<demain>demain)\b|(?<!la )(?<!esta )(?<!cada )(?<!de )\b(?P<manana>mañana)\b",
    re.IGNORECASE,
)
"""Days to come in sentences of a log, in four languages; ``indexing.query.dates`` reads questions."""
_FROM_NOW = re.compile(rf"\b{_N} {_UNIT} from (?:now|today)\b", re.IGNORECASE)


def day_in(text: str, said_on: date | None) -> date | None:
    """The one day that ``text`` names; None where it names none, several, or a longer time than a week.

    A day without a year (`on Friday`, `on April 1`) is the next one, unless the sentence tells of the past.
    Of a week to come (`next week`) it is the first day.
    """
    if named := named_days(text):
        return named[0] if len(named) == 1 else None
    if said_on is None:
        return None
    ahead = () if _PAST.search(text) else coming(text, said_on)
    for one in ahead:
        text = text.replace(one.words, " ")  # `the day after tomorrow` is no `tomorrow`
    found = [*ahead, *(one for one in periods_in(text, said_on) if _is_day(one, said_on))]
    if len({one.first for one in found}) != 1:
        return None
    day, words = found[0].first, found[0].words
    if day >= said_on or _PAST.search(text) or _YEAR.search(words):
        return day
    return _next(day, words, said_on)


def with_clock(day: date, text: str) -> date:
    """``day`` with the one time that ``text`` says of it (`at 14:30`, `at 2:30 pm`, `um 9:05`), if any."""
    found = [*_CLOCK.finditer(text)]
    if len(found) != 1:
        return day
    hour, half = int(found[0]["hour"]), (found[0]["half"] or "").lower()
    if half and not 1 <= hour <= _NOON:
        return day
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return Moment(day.year, day.month, day.day, f"{hour:02}:{found[0]['minute']}")


def is_to_come(text: str, said_on: date | None) -> bool:
    """Whether a sentence tells of a day to come that it names by the day on which it was said.

    `I see the dentist next Friday` does; a day that is written out, or is only a limit (`by Friday`), is
    no such day.
    """
    if said_on is None or named_days(text) or _LIMIT.search(text):
        return False
    day = day_in(text, said_on)
    return day is not None and day > said_on


def _is_day(one: Period, said_on: date) -> bool:
    """Whether a period is one day, or a week that begins after the day on which it was said."""
    return one.first == one.last or (one.first > said_on and one.last - one.first < timedelta(7))


def _next(day: date, words: str, said_on: date) -> date | None:
    """The first such day from ``said_on`` on."""
    if _WEEKDAY.search(words):
        return day + timedelta(7 * -((day - said_on).days // 7))
    try:
        return day.replace(year=day.year + 1)
    except ValueError:  # the 29th of February
        return None


def coming(text: str, today: date) -> tuple[Period, ...]:
    """The days to come that a sentence names, counted from ``today``, in its order."""
    text = text[:MAX_CHARACTERS]
    found = [*_AHEAD.finditer(text), *_FROM_NOW.finditer(text)]
    return tuple(_periods(sorted(found, key=re.Match.start), today))


def _periods(found: list[re.Match[str]], today: date) -> Iterator[Period]:
    for match in found:
        said = match.groupdict()
        try:
            if said.get("n"):
                count = int(said["n"]) if said["n"].isdecimal() else _COUNTS[said["n"].lower()]
                day = _after(today, count, next(unit for unit in _UNITS if said[unit]))
            elif said["week"]:
                day = today + timedelta(7 - today.weekday())
                yield Period(day, day + timedelta(6), match[0])
                continue
            elif name := said["day"] or said["day_next"]:
                day = today + timedelta((_DAY_NAMES[name.lower()] - today.weekday() - 1) % 7 + 1)
            else:
                day = today + timedelta(2 if said["two"] else 1)
        except (ValueError, OverflowError):  # behind the last day that there is
            continue
        yield Period(day, day, match[0])


def _after(today: date, count: int, unit: str) -> date:
    if unit != "m":
        return today + timedelta(count * (7 if unit == "w" else 1))
    at = today.year * 12 + today.month - 1 + count
    last = calendar.monthrange(at // 12, at % 12 + 1)[1]
    return date(at // 12, at % 12 + 1, min(today.day, last))
