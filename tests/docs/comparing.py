"""Whether a command printed what its page shows.

Pages show real output. What differs from day to day and from machine to machine is compared by its form: ids,
dates, times, durations, scores, lines of a file, and how far columns are apart. ``…`` stands for anything in
its line, and on a line of its own for any number of lines. Lines that say only that there is no model are
left out: tests search by words, readers need not.
"""

from __future__ import annotations

import json
import re
from typing import Any

_FORMS = (
    (re.compile(r"\b\d{8}-\d{6}\b"), "RUN"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:T[\d:.+-]+Z?)?"), "DATE"),
    (re.compile(r"\b20\d\d/\d\d\b"), "YEAR/MONTH"),
    (re.compile(r"\b20\d\d-\d\d\b"), "YEAR-MONTH"),
    (re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"), "WEEKDAY"),
    (re.compile(r"\b\d\d:\d\d(?::\d\d)?\b"), "TIME"),
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "ID"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|seconds)\b"), "DURATION"),
    (re.compile(r"\b\d\.\d{2,3}\b"), "SCORE"),
    (re.compile(r"(?<=[\s#])L\d+\b"), "LINE"),
    (re.compile(r"\s+"), " "),
)
_WORDS_ONLY = re.compile(r"(?:degraded|keyword search only): embedding is turned off.*")
_ANYTHING = "…"


def difference(expected: str, printed: str) -> str:
    """What is wrong with ``printed``; empty where it is as the page shows it."""
    wanted, got = _lines(expected), _lines(printed)
    if _matches(wanted, got):
        return ""
    return "\n".join(("expected:", *wanted, "printed:", *got))


def shape_difference(expected: str, printed: str) -> str:
    """How the shapes of two JSON values differ: other keys, or values of another type. Empty where not.

    A list is as each of its items is; the page shows one. What is null on either side may be of any type. A
    key ``…`` says that there are further keys.
    """
    return _shapes(json.loads(expected), json.loads(printed), "answer")


def _lines(text: str) -> list[str]:
    found = []
    for line in text.splitlines():
        if not _WORDS_ONLY.fullmatch(line.strip()):
            for form, word in _FORMS:
                line = form.sub(word, line)  # noqa: PLW2901 - one form after the other
            found.append(line.strip())
    while found and not found[-1]:
        found.pop()
    return found


def _matches(wanted: list[str], got: list[str]) -> bool:
    """Whether all lines match, each ``…`` line standing for as many as are needed."""
    reachable = {0}  # how many printed lines may be behind us
    for line in wanted:
        if line == _ANYTHING:
            reachable = set(range(min(reachable), len(got) + 1)) if reachable else set()
        else:
            form = re.compile(".*".join(re.escape(part) for part in line.split(_ANYTHING)))
            reachable = {n + 1 for n in reachable if n < len(got) and form.fullmatch(got[n])}
    return len(got) in reachable


def _shapes(wanted: Any, got: Any, where: str) -> str:
    if got is None and where == "answer":
        return "there is no answer"
    if wanted is None or got is None:
        return ""
    if isinstance(wanted, dict) and isinstance(got, dict):
        keys = set(wanted) - {_ANYTHING}
        if missing := sorted(keys - set(got)):
            return f"{where} has no {missing}"
        if (more := sorted(set(got) - keys)) and _ANYTHING not in wanted:
            return f"{where} has also {more}"
        found = (_shapes(wanted[key], got[key], f"{where}.{key}") for key in sorted(keys))
        return next((wrong for wrong in found if wrong), "")
    if isinstance(wanted, list) and isinstance(got, list):
        of_each = (_shapes(wanted[0], item, f"{where}[]") for item in got) if wanted else iter(())
        return next((wrong for wrong in of_each if wrong), "")
    numbers = (int, float)
    same = type(wanted) is type(got) or (
        isinstance(wanted, numbers) and isinstance(got, numbers) and bool not in (type(wanted), type(got))
    )
    return "" if same else f"{where} is {type(got).__name__}, not {type(wanted).__name__}"
