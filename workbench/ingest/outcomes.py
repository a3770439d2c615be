"""What became of the sources that were to be taken in, in words: each outcome, and why one had none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from workbench.plural import plural

Outcome = Literal["taken", "unchanged", "excluded", "foreign", "waiting", "old", "refused", "failed"]
_SAID: Mapping[str, str] = {
    "taken": "ingested",
    "unchanged": "added nothing",
    "excluded": "left out by your settings",
    "foreign": "of other workspaces",
    "waiting": "not finished yet",
    "old": "too old",
}
_NAMED_LINES = 5
LEFT_OUT = " left out: "
"""Between the count of what a source says and is not learnt, and why."""
ABOUT_NOTHING = "about nothing that their line names"
SUSPICIOUS = "suspicious; `workbench inbox list` shows each template of them once"
_WHAT_HELPS = (
    "a line is learnt where it, its heading or its page names whom or what it is about: write [[Name]], or"
    " keep pages such as memory/people/NAME.md and memory/projects/NAME.md"
)


def counted(counts: Mapping[str, int], *, dry_run: bool = False) -> str:
    """How many sources have which outcome: ``1 ingested, 2 added nothing``."""
    said = {**_SAID, "taken": "would be ingested"} if dry_run else _SAID
    return ", ".join(f"{count:,} {said.get(outcome, outcome)}" for outcome, count in counts.items())


def summed(notes: Iterable[str]) -> list[str]:
    """The notes of many sources, each once: one count for each reason to leave lines out, and what helps."""
    left_out: Counter[str] = Counter()
    others: dict[str, None] = {}
    for note in notes:
        count, said, why = note.partition(LEFT_OUT)
        if said and count.isdecimal():
            left_out[why] += int(count)
        else:
            others[note] = None
    counts = [f"{count}{LEFT_OUT}{why}" for why, count in left_out.most_common()]
    return [*others, *counts, *([_WHAT_HELPS] if ABOUT_NOTHING in left_out else [])]


def why_nothing(lines: int, bad: int, *, anew: bool) -> str:
    """Why nothing comes of ``lines`` in which nobody says anything; ``bad`` of them cannot be read.

    ``anew``: the file was read before, and these came since.
    """
    number = plural(lines, "line")
    where = f"the {number} since it was last read" if anew else f"its {number}"
    if lines == bad:
        return f"nothing can be read in {where}: a transcript has a JSON object in each line"
    return (
        f"no messages in {where}: only those of a user and an assistant are ingested, not tool calls, "
        "heartbeats or program output"
    )


def unreadable(name: str, bad: Sequence[int], *, named: int = _NAMED_LINES) -> str:
    """Which lines of a source cannot be read: ``2 lines cannot be read: s.jsonl:4, s.jsonl:9``.

    At most ``named`` of ``bad`` are named; empty where there is none.
    """
    if not bad:
        return ""
    first = ", ".join(f"{name}:{line}" for line in bad[:named])
    count = plural(len(bad), "line")
    return f"{count} cannot be read: {first}{', …' if len(bad) > named else ''}"


def why_left_out(excluded: str, turns: int) -> str:
    """Why a session with so many turns is not taken in; ``excluded`` names the word of the settings."""
    what = f"its {plural(turns, 'turn')} are" if turns > 1 else "its only turn is" if turns else "it is"
    return f"{excluded}; {what} left out, as transcript_exclude in your settings says"
