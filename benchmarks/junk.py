"""How much junk is kept and how many durable facts are found, on labelled lines.

    python -m benchmarks.junk [--dream] [--mistakes] [--lines FILE.yaml]

Lines at even places of their class are "seen", those at odd places "held out": rules were shaped by looking
at mistakes among the first only, and at lines that were written later. A line is kept when nothing speaks
against it and it holds a fact. With ``--dream`` the lines are also put into daily logs of a new workspace,
as they are and with no word of where they are from, and counted is what dreaming would propose.
"""

from __future__ import annotations

import argparse
import random
import re
import string
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from workbench.dreaming.run import dream
from workbench.salience.facts import facts_in, why_not
from workbench.workspace.templates import set_up
from workbench.workspace.workspace import Workspace

LINES = Path(__file__).parent / "question_sets" / "lines.yaml"
DURABLE = "durable"
LATER = " later"
"""How the names of classes end that were written after the rules, and that they were shaped by since."""
MOST_JUNK, LEAST_DURABLE = 0.02, 0.90
"""What is aimed at: the share of junk that is kept, and of durable facts that are found."""
_DAYS = 20
_RANDOM = re.compile(r"\{(\d{1,3})\}")


@dataclass(frozen=True, slots=True)
class Line:
    """One labelled line, and whether it belongs to the half that rules may be shaped by."""

    text: str
    label: str
    seen: bool

    @property
    def durable(self) -> bool:
        """Whether it is worth remembering."""
        return self.label == DURABLE


@dataclass(frozen=True, slots=True)
class Share:
    """``part`` of ``whole`` lines."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        """The share in [0, 1]."""
        return self.part / self.whole if self.whole else 0.0

    def __str__(self) -> str:
        """As a person reads it."""
        return f"{self.value:6.1%} ({self.part} of {self.whole})"


def labelled(path: Path = LINES) -> tuple[Line, ...]:
    """The lines of a file, class by class. Random characters take the place of ``{36}``, always the same."""
    drawn = random.Random(20)
    lines = []
    for label, block in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        for place, text in enumerate(block.splitlines()):
            whole = _RANDOM.sub(lambda found: _characters(drawn, int(found[1])), text)
            lines.append(Line(whole, label.removesuffix(LATER), place % 2 == 0 or label.endswith(LATER)))
    return tuple(lines)


def kept(text: str) -> bool:
    """Whether the rules would keep this line."""
    return why_not(text) is None and bool(facts_in(text))


def shares(lines: Iterable[Line]) -> tuple[Share, Share]:
    """Of these lines: the junk that is kept, and the durable facts that are found."""
    asked = [(line.durable, kept(line.text)) for line in lines]
    junk = [found for durable, found in asked if not durable]
    facts = [found for durable, found in asked if durable]
    return Share(sum(junk), len(junk)), Share(sum(facts), len(facts))


def dreamt(lines: Sequence[Line]) -> frozenset[str]:
    """The lines that dreaming proposes in a workspace whose logs hold them, each once, over twenty days."""
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        set_up(root, "plain")
        for day in range(_DAYS):
            date = now.date() - timedelta(days=day + 1)
            items = "".join(f"- {line.text}\n" for line in lines[day::_DAYS])
            (root / "memory" / f"{date}.md").write_text(f"# {date}\n\n{items}", encoding="utf-8")
        workspace = Workspace.open(root)
        proposed = {
            source for one in dream(workspace, now=now, limit=len(lines)).proposals for source in one.sources
        }
        workspace.close()
    # Lines that follow each other are divided among the days, so each has its place.
    found = set()
    for day in range(_DAYS):
        path = f"memory/{now.date() - timedelta(days=day + 1)}.md"
        for number, line in enumerate(lines[day::_DAYS]):
            if f"{path}#L{number + 3}" in proposed:
                found.add(line.text)
    return frozenset(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dream", action="store_true", help="count what dreaming would propose, too")
    parser.add_argument("--mistakes", action="store_true", help="list the lines that were judged wrong")
    parser.add_argument("--lines", type=Path, default=LINES)
    asked = parser.parse_args()
    lines = labelled(asked.lines)
    if asked.mistakes:
        _say_mistakes(lines)
    good = True
    for name, some in (
        ("all", lines),
        ("seen", [line for line in lines if line.seen]),
        ("held out", [line for line in lines if not line.seen]),
    ):
        junk, facts = shares(some)
        good &= junk.value <= MOST_JUNK and facts.value >= LEAST_DURABLE
        print(f"{name:9} junk kept {junk}, durable found {facts}")
    if asked.dream:
        proposed = dreamt(lines)
        for name, seen in (("seen", True), ("held out", False)):
            half = [line for line in lines if line.seen is seen]
            wrong = [line.text in proposed for line in half if not line.durable]
            right = [line.text in proposed for line in half if line.durable]
            said = f"junk {Share(sum(wrong), len(wrong))}, durable {Share(sum(right), len(right))}"
            print(f"{name:9} proposed by dreaming: {said}")
    for label in dict.fromkeys(line.label for line in lines):
        row = [line for line in lines if line.label == label]
        print(f"  {label:14} kept {Share(sum(kept(line.text) for line in row), len(row))}")
    return 0 if good else 1


def _say_mistakes(lines: Iterable[Line]) -> None:
    for line in lines:
        if kept(line.text) != line.durable:
            why = why_not(line.text) or ("kept" if facts_in(line.text) else "no fact")
            print(f"{'seen' if line.seen else 'held out':9}{line.label:14}{why:28}{line.text}")


def _characters(drawn: random.Random, count: int) -> str:
    return "".join(drawn.choices(string.ascii_letters + string.digits, k=count))


if __name__ == "__main__":
    sys.exit(main())
