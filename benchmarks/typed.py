"""How right the types are that the rules give, and how much of a lively log they keep, on labelled entries.

    python -m benchmarks.typed [--mistakes] [--lines FILE.yaml]

The entries are those of the demo's daily logs, which were written as a story and not for the rules. A label
names every type that is right for an entry; `passing` is what is of no use after a month. Counted are the
facts that got a type which says more than `fact`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.junk import Share
from workbench.salience.facts import facts_in

LINES = Path(__file__).parent / "question_sets" / "logs.yaml"
PASSING = "passing"
PLAIN = "fact"


@dataclass(frozen=True, slots=True)
class Labelled:
    """One entry and the types that are right for it; none where it is of no use after a month."""

    text: str
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Typed:
    """A fact that got another type than `fact`, and whether that is right for its entry."""

    text: str
    type: str
    right: bool


def labelled(path: Path = LINES) -> tuple[Labelled, ...]:
    """The entries of a file, label by label."""
    blocks = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(
        Labelled(text, frozenset() if label == PASSING else frozenset(label.split(" or ")))
        for label, block in blocks.items()
        for text in block.splitlines()
    )


def typed(entries: Sequence[Labelled]) -> tuple[Typed, ...]:
    """The facts in the entries that got a type which says more than `fact`."""
    return tuple(
        Typed(fact.text, fact.type, fact.type in entry.types)
        for entry in entries
        for fact in facts_in(entry.text)
        if fact.type != PLAIN
    )


def found_right(entries: Sequence[Labelled]) -> Share:
    """Of the entries worth remembering: those of which a fact is found with a right type, `fact` included."""
    worth = [entry for entry in entries if entry.types]
    right = (any(fact.type in entry.types for fact in facts_in(entry.text)) for entry in worth)
    return Share(sum(right), len(worth))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mistakes", action="store_true", help="list the facts whose type is wrong")
    parser.add_argument("--lines", type=Path, default=LINES)
    asked = parser.parse_args()
    entries = labelled(asked.lines)
    for name, some in (
        ("durable", [entry for entry in entries if entry.types]),
        (PASSING, [entry for entry in entries if not entry.types]),
    ):
        print(f"{name:9} kept {Share(sum(bool(facts_in(entry.text)) for entry in some), len(some))}")
    print(f"durable   right {found_right(entries)}, of whatever type")
    found = typed(entries)
    right, all_ = Counter(one.type for one in found if one.right), Counter(one.type for one in found)
    print(f"types     right {Share(right.total(), all_.total())}")
    for kind in sorted(all_):
        print(f"  {kind:12} right {Share(right[kind], all_[kind])}")
    if asked.mistakes:
        for one in found:
            if not one.right:
                print(f"{one.type:12}{one.text}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
