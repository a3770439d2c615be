"""Days to come as people note them down: ``in two weeks``, ``nächsten Freitag``, ``la semaine prochaine``.

For sentences of a log, in English, German, French and Spanish. Questions are read by ``dates``, which knows
the English of ``next week`` and ``on Monday`` as well: a question looks back more often than ahead.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta

from indexing.query.dates import MAX_CHARACTERS, NUMBERS, Period

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
_FROM_NOW = re.compile(rf"\b{_N} {_UNIT} from (?:now|today)\b", re.IGNORECASE)


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
