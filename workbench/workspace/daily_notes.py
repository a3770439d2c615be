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
    **{"YYYY": ("year", r"\d{4}"), "YY": ("year", r"\d{2}")},
    **{"MM": ("month", r"\d{2}"), "M": ("month", r"\d{1,2}"), "Mo": ("month", r"\d{1,2}" + _ORDINAL)},
    **{"MMMM": ("month", _WORD), "MMM": ("month", _WORD)},
    **{"DD": ("day", r"\d{2}"), "D": ("day", r"\d{1,2}"), "Do": ("day", r"\d{1,2}" + _ORDINAL)},
    **dict.fromkeys(("dd", "ddd", "dddd"), ("weekday", _WORD)),
}
_WRITTEN = {
    **{"YYYY": "{0:%Y}", "YY": "{0:%y}", "MM": "{0:%m}", "DD": "{0:%d}"},
    **{"M": "{0.month}", "D": "{0.day}"},
}
_OF_A_DAY = {"year", "month", "day"}
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
        said: dict[str, set[int]] = {part: set() for part in _OF_A_DAY}
        for token, text in self._tokens(path):
            part = _PARTS.get(token, ("",))[0]
            digits = re.match(r"\d+", text)
            number = int(digits[0]) if digits else _month(text)
            if part in said and (digits or number):  # a name in another language is explained by a number
                said[part].add(number + 2000 if (part, len(text)) == ("year", 2) else number)
        if any(len(one) != 1 for one in said.values()):
            return None
        try:
            return DatedName(date(*(said[part].pop() for part in ("year", "month", "day"))))
        except ValueError:
            return None

    def path_on(self, day: date, known: Iterable[str]) -> str:
        """The note of a day: names of months and weekdays are those of the notes that are ``known``.

        Where none of them has a name that is needed, it is called ``2026-03-14``, which is read everywhere.
        """
        words = {
            _word(token, named.day): text
            for path in known
            if (named := self.named(path))
            for token, text in self._tokens(path)
            if token in _PARTS
        }
        name = ""
        for found in _TOKEN.finditer(self.format):
            token = found["token"]
            if token is None:
                name += _literal(found)
            elif token in _WRITTEN:
                name += _WRITTEN[token].format(day)
            elif token in _PARTS and (word := words.get(_word(token, day))):
                name += word
            else:
                name = day.isoformat()
                break
        return "/".join(filter(None, (self.folder.strip("/"), f"{name}.md")))

    def _tokens(self, path: str) -> Iterator[tuple[str, str]]:
        """Each token of the format with what the path has in its place; nothing where it is no daily note."""
        found = self.pattern.fullmatch(path)
        tokens = [one["token"] for one in _TOKEN.finditer(self.format) if one["token"]]
        return zip(tokens, found.groups(), strict=True) if found else iter(())


def _word(token: str, day: date) -> tuple[str, int]:
    """What the text of a token that is no number depends on."""
    part, _ = _PARTS[token]
    return token, day.weekday() if part == "weekday" else getattr(day, part)


def _literal(found: re.Match[str]) -> str:
    return found["literal"] or found["escaped"] or found["other"] or ""


def daily_notes(folder: str, wanted: str, said_in: str = "") -> DailyNotes:
    """Daily notes of a format of moment.js. Raises ValueError where it does not say which day it is."""
    if len(wanted) > _LONGEST:
        raise ValueError(f"a format of more than {_LONGEST} characters")
    pattern, parts = "", set[str]()
    for found in _TOKEN.finditer(wanted):
        token = found["token"]
        if token is None:
            pattern += re.escape(_literal(found))
        else:
            part, form = _PARTS.get(token, ("", _WORD if token in {"a", "A"} else r"\d+" + _ORDINAL))
            parts.add(part)
            pattern += f"({form})"
    if pattern.count(_WORD) > _MOST_WORDS:  # each could end anywhere in a name of letters
        raise ValueError(f"{wanted} has more than {_MOST_WORDS} names of months and days")
    if not parts >= _OF_A_DAY:
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
