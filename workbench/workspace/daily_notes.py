"""Daily notes whose names a person chose: ``2026/03/14``, ``14.03.2026``, ``March 14th, 2026``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from workbench.memory.dated_name import DatedName
from workbench.special_files import read_regular
from workbench.workspace.agent_layouts import AgentLayout

DEFAULT_FORMAT = "YYYY-MM-DD"
_TOKEN = re.compile(
    r"\[(?P<literal>[^]]*)\]|\\(?P<escaped>.)|(?P<token>Mo|MM?M?M?|Do|DDDo|DD?D?D?|do|ddd?d?|wo|ww?|Wo|WW?|Qo?"
    r"|YYYY|YY|gggg|gg|GGGG|GG|HH?|hh?|kk?|mm?|ss?|S+|[aAeEXx])|(?P<other>.)",
    re.DOTALL,
)
"""The tokens of moment.js, https://momentjs.com/docs/#/displaying/format/, less those of a locale."""
_LONGEST, _MOST_WORDS = 100, 3
_WORD, _ORDINAL = r"[^\d/]+?", r"[^\d/\s,]{0,3}?"
_PARTS = {
    **{"YYYY": ("year", r"\d{4}"), "YY": ("short_year", r"\d{2}")},
    **{"MM": ("month", r"\d{2}"), "M": ("month", r"\d{1,2}"), "Mo": ("month", r"\d{1,2}")},
    **{"MMMM": ("month_name", _WORD), "MMM": ("month_name", _WORD)},
    **{"DD": ("day", r"\d{2}"), "D": ("day", r"\d{1,2}"), "Do": ("day", r"\d{1,2}")},
}
_WRITTEN = {
    **{"YYYY": "{0:%Y}", "YY": "{0:%y}", "MM": "{0:%m}", "DD": "{0:%d}"},
    **{"M": "{0.month}", "D": "{0.day}"},
}
_MEANT = {"year": "year", "short_year": "year", "month": "month", "month_name": "month", "day": "day"}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december"),
)
"""The names of moment.js where no locale is set; in a format with a number of the month any name will do."""


@dataclass(frozen=True, slots=True)
class DailyNotes:
    """Daily notes anywhere in ``folder``, named by ``format``; ``said_in``: the file that says so, or empty.

    ``problem`` says what is wrong with that file, and why the default counts.
    """

    folder: str
    format: str
    said_in: str
    pattern: re.Pattern[str]
    problem: str = ""

    def named(self, path: str) -> DatedName | None:
        """The day that the name of a file is of; None where it is no daily note."""
        found = self.pattern.fullmatch(path)
        if found is None:
            return None
        said: dict[str, set[int]] = {}
        for group, text in found.groupdict().items():
            part = group.rstrip("0123456789")
            number = (
                _month(text) if part == "month_name" else int(f"20{text}" if part == "short_year" else text)
            )
            if number or part != "month_name":  # a name in another language is explained by a number
                said.setdefault(_MEANT[part], set()).add(number)
        numbers = [said.get(part, set()) for part in ("year", "month", "day")]
        if any(len(one) != 1 for one in numbers):
            return None
        year, month, day = (one.pop() for one in numbers)
        try:
            return DatedName(date(year, month, day))
        except ValueError:
            return None

    def path_on(self, day: date) -> str:
        """The note of a day; empty where its name holds words, of whose language nothing is known."""
        name = ""
        for found in _TOKEN.finditer(self.format):
            token = found["token"]
            if token is not None and token not in _WRITTEN:
                return ""
            literal = found["literal"] or found["escaped"] or found["other"] or ""
            name += _WRITTEN[token].format(day) if token else literal
        return "/".join(filter(None, (self.folder.strip("/"), f"{name}.md")))


def daily_notes(folder: str, wanted: str, said_in: str = "") -> DailyNotes:
    """Daily notes of a format of moment.js. Raises ValueError where it does not say which day it is."""
    if len(wanted) > _LONGEST:
        raise ValueError(f"a format of more than {_LONGEST} characters")
    pattern, parts = "", set[str]()
    for number, found in enumerate(_TOKEN.finditer(wanted)):
        token = found["token"]
        if token is None:
            pattern += re.escape(found["literal"] or found["escaped"] or found["other"] or "")
        elif token in _PARTS:
            part, digits = _PARTS[token]
            parts.add(_MEANT[part])
            pattern += f"(?P<{part}{number}>{digits})" + _ORDINAL * token.endswith("o")
        else:
            pattern += _WORD if token in {"dd", "ddd", "dddd", "a", "A"} else r"\d+" + _ORDINAL
    if pattern.count(_WORD) > _MOST_WORDS:  # each could end anywhere in a name of letters
        raise ValueError(f"{wanted} has more than {_MOST_WORDS} names of months and days")
    if parts != set(_MEANT.values()):
        raise ValueError(f"{wanted} does not say year, month and day")
    top = re.escape(folder.strip("/") + "/") if folder.strip("/") else ""
    return DailyNotes(folder, wanted, said_in, re.compile(rf"{top}(?:[^/]+/)*{pattern}\.md"))


def daily_notes_of(root: Path, agents: Iterable[AgentLayout]) -> tuple[DailyNotes, ...]:
    """The daily notes of a folder that is laid out so, by what its files say; at least the default."""
    wanted = [one for agent in agents for one in agent.daily_notes]
    found = tuple(notes for name, key in wanted for notes in _said_in(root, name, key))
    return found or tuple([daily_notes("", DEFAULT_FORMAT)] if wanted else [])


def _said_in(root: Path, name: str, key: str) -> Iterator[DailyNotes]:
    why = "it cannot be read"
    try:
        said = json.loads(read_regular(root / name))
        if (said := said.get(key) if key else said) is None:
            return
        folder, wanted = str(said.get("folder") or ""), str(said.get("format") or DEFAULT_FORMAT)
        why = f"the format “{wanted}” does not say year, month and day"
        yield daily_notes(folder, wanted, name)
    except FileNotFoundError:
        return
    except (OSError, ValueError, AttributeError, RecursionError):
        yield replace(
            daily_notes("", DEFAULT_FORMAT, name), problem=f"{name}: {why}, so {DEFAULT_FORMAT} counts"
        )


def _month(name: str) -> int:
    """The number of a month by its English name, or the beginning of it; 0 for any other word."""
    word = name.casefold().rstrip(".")
    fits = [number for number, month in enumerate(_MONTHS, 1) if month.startswith(word)]
    return fits[0] if len(fits) == 1 else 0
