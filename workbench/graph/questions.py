"""Structured questions in plain words, for a few named patterns: "which tasks are pending in Lighthouse?"

Whatever fits no pattern is none: it is for ``traverse.answer``, which knows relations.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Literal

from workbench.graph.memory_query import MemoryQuery
from workbench.memory.graph_page import IMPORTANCE
from workbench.memory.provenance import parse_day

_LONGEST = 500
"""Characters of a question that are read."""
_SINCE = re.compile(r"\bsince (?P<since>\d{4}-\d{2}-\d{2})\b", re.IGNORECASE)
_SPAN = re.compile(
    r"\b(?:today|tomorrow|(?:in |during )?(?:this|next) (?:week|month)"
    r"|(?:(?:in|within|over) )?(?:the )?(?:next )?(?P<days>\d{1,4}) days)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:in|for|of|on|about|at|with|within|around)\s+(?:the\s+)?(?:project\s+)?(?P<about>\S.*)\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")
_FILLING = frozenset(
    _WORD.findall(
        "a all and any are be been currently do does have has i is known left list made me my of our s set"
        " show still taken that the there to us was we were what whats which"
    )
)
_TODOS = frozenset({"task", "tasks", "todo", "todos", "to-do", "to-dos", "item", "items", "action", "work"})
_PENDING = frozenset({"pending", "open", "outstanding", "unfinished", "left"})
_OVERDUE = frozenset({"overdue", "late"})
_DONE = frozenset({"done", "finished", "completed"})
_COMING = frozenset({"coming", "up", "upcoming", "due", "happening", "happens", "scheduled", "next", "soon"})
_EVENTS = frozenset({"event", "events"})
_DATES = frozenset({"deadline", "deadlines", "date", "dates"})
_SOON = 30
"""Days that "coming up" means where no time is given."""
_TYPES = {
    **{name: name for name in IMPORTANCE},
    **{f"{name}s": name for name in IMPORTANCE},
    "identities": "identity",
    "anomalies": "anomaly",
}


def question_from_text(text: str, today: date) -> MemoryQuery | None:
    """The structured question that ``text`` asks, where it fits a pattern; else None.

    ``pending tasks in X``, ``todos of X``, ``what is overdue``, ``decisions about X since 2026-03-01``,
    ``upcoming events next week``, ``what is due in 7 days``.
    """
    rest = " ".join(text.split())[:_LONGEST].rstrip(" ?.!")
    since, rest = _taken(_SINCE, rest)
    span, rest = _taken(_SPAN, rest)
    about, rest = _taken(_ABOUT, rest)
    said = set(_WORD.findall(rest.casefold()))
    if "left" in said and "do" in said:  # what is left to do
        said = (said - {"do", "to"}) | {"pending"}
    words = said - _FILLING
    name = " ".join(about["about"].split()) if about else ""
    day = parse_day(since["since"]) if since else None
    state = _state(words)
    if not words or (since and day is None):
        return None
    if words <= _TODOS | _PENDING | _OVERDUE | _DONE and (state or words & _TODOS) and span is None:
        return MemoryQuery(
            types=("todo",), about=name, state=state or "pending", occurred_since=day, order="due"
        )
    if words <= _COMING | _TODOS | _EVENTS | _DATES and (words & _COMING or span):
        wanted = ("event",) if words & _EVENTS else ("todo",) if words & _TODOS else ()
        return MemoryQuery(types=wanted, about=name, happens_within=_days(span, today), order="due")
    types = tuple(dict.fromkeys(_TYPES[word] for word in sorted(words) if word in _TYPES))
    if types and words <= _TYPES.keys() and span is None:
        return MemoryQuery(types=types, about=name, occurred_since=day, order="date")
    return None


def _state(words: set[str]) -> Literal["pending", "overdue", "done"] | None:
    if words & _OVERDUE:
        return "overdue"
    if words & _DONE:
        return "done"
    return "pending" if words & _PENDING else None


def _days(span: re.Match[str] | None, today: date) -> int:
    """Days from ``today`` to the end of the time that is named; a week ends on Sunday."""
    if span is None:
        return _SOON
    if span["days"]:
        return int(span["days"])
    said = span[0].casefold()
    if "day" in said or "tomorrow" in said:
        return int("tomorrow" in said)
    if "week" in said:
        return 6 - today.weekday() + 7 * ("next" in said)
    first = today.replace(day=1)
    if "next" in said:
        first = (first + timedelta(days=31)).replace(day=1)
    return (first.replace(day=monthrange(first.year, first.month)[1]) - today).days


def _taken(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str] | None, str]:
    """What ``pattern`` finds, and the text without it."""
    found = pattern.search(text)
    return found, f"{text[: found.start()]} {text[found.end() :]}" if found else text
