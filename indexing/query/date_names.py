"""Names of months and days of the week, in English first, and months in German, French and Spanish."""

from __future__ import annotations

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
    **{name: at for names in (_GERMAN, _FRENCH, _SPANISH) for at, name in enumerate(names.split(), 1)},
    **{name: at for at, name in enumerate(_SHORT.split(), 1)},
    **{"sept": 9, "jänner": 1, "maerz": 3, "fevrier": 2, "aout": 8, "decembre": 12},
    **ENGLISH_MONTHS,
}
"""All names and English abbreviations, from 1."""

WEEKDAYS: dict[str, int] = {name: at for at, name in enumerate(_DAYS.split())}
"""The days of the week in English, from Monday, 0."""

SHORT_WEEKDAYS: dict[str, int] = {
    **{name[:3]: at for name, at in WEEKDAYS.items()},
    **{"tues": 1, "weds": 2, "thur": 3, "thurs": 3},
}
"""Their abbreviations."""

NUMBERS: dict[str, int] = {name: at for at, name in enumerate(_COUNTS.split(), 1)} | {
    "a": 1,
    "an": 1,
    "couple of": 2,
    "a couple of": 2,
    "few": 3,
    "a few": 3,
}
"""Numbers as words; a few are three."""
