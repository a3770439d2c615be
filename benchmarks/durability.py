"""What each mark of a lasting sentence counts: fitted to labelled entries, and measured on others.

    python -m benchmarks.durability [--entries FILE.yaml] [--held-out FILE.yaml]

A logistic regression with a small penalty (A. Hoerl and R. Kennard, “Ridge Regression”, Technometrics 12,
1970) on the sentences of the labelled logs that nothing speaks against, and on the lines of
benchmarks/question_sets/lines.yaml that rules may be shaped by, which count less: they are of talk, too.
Printed are the weights that workbench/salience/durability.py has and those that come out now, and how often a
sentence of a lasting entry stands above one of a passing entry (the area under the curve; 0.5 is chance) by
these weights and by the strength of the cue words alone. Nothing is fitted to the entries held out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import junk, typed
from workbench.memory.prose import bare, is_foreign, lead_in, words_of
from workbench.memory.sentences import sentences
from workbench.salience.durability import BIAS, PATTERNS, WEIGHTS, log_odds, marks
from workbench.salience.facts import facts_in, why_not
from workbench.salience.small_talk import without_interjections

HELD_OUT = typed.LINES.with_name("notes.yaml")
NAMES = (*PATTERNS, "deed", "nobody's deed", "standing", "no verb", "long")
LINES_COUNT = 0.3
"""What a line of talk counts beside an entry of a log."""
PENALTY = 3.0
_STEPS = 30

Example = tuple[dict[str, float], bool, float]
"""The marks of a sentence, whether it lasts, and how strong its cue words are."""


def marked(text: str) -> dict[str, float]:
    """The marks of one sentence as facts are judged: without what leads it in."""
    told = without_interjections(lead_in(bare(text))[1])
    return marks(told, words_of(told))


def of_entries(entries: Iterable[typed.Labelled]) -> Iterator[Example]:
    """The sentences of labelled entries that nothing speaks against, whatever is kept of them now."""
    for entry in entries:
        for sentence in sentences(entry.text):
            if why_not(sentence.text) is None and not is_foreign(bare(sentence.text)):
                strength = max((fact.strength for fact in facts_in(sentence.text)), default=0.0)
                yield marked(sentence.text), bool(entry.types), strength


def of_lines(lines: Iterable[junk.Line]) -> Iterator[Example]:
    """The seen lines that last, and those that are of a moment."""
    for line in lines:
        if line.seen and line.label in (junk.DURABLE, "transient") and not is_foreign(bare(line.text)):
            yield marked(line.text), line.durable, 0.0


def fitted(rows: Sequence[Example], weights: Sequence[float]) -> NDArray[np.float64]:
    """(n + 1,) what each of the n marks adds to the log-odds, and last what is there without any."""
    table = np.array([[*(row[0].get(name, 0.0) for name in NAMES), 1.0] for row in rows])
    lasts, counts = np.array([row[1] for row in rows], float), np.array(weights)
    penalty = np.eye(table.shape[1]) * PENALTY
    penalty[-1, -1] = 0.0
    found = np.zeros(table.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-table @ found))
        slope = table.T @ (counts * (likely - lasts)) + penalty @ found
        bend = (table * (counts * likely * (1 - likely))[:, None]).T @ table + penalty
        found -= np.linalg.solve(bend, slope)
    return found


def area(scores: Sequence[float], lasts: Sequence[bool]) -> float:
    """How often what lasts scores above what does not; a tie counts half."""
    over = [score for score, good in zip(scores, lasts, strict=True) if good]
    under = [score for score, good in zip(scores, lasts, strict=True) if not good]
    won = sum((a > b) + 0.5 * (a == b) for a in over for b in under)
    return won / (len(over) * len(under))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entries", type=Path, default=typed.LINES)
    parser.add_argument("--held-out", type=Path, default=HELD_OUT)
    asked = parser.parse_args()
    seen, talk = list(of_entries(typed.labelled(asked.entries))), list(of_lines(junk.labelled()))
    found = fitted([*seen, *talk], [1.0] * len(seen) + [LINES_COUNT] * len(talk))
    for name, value in zip((*NAMES, "bias"), found, strict=True):
        has = BIAS if name == "bias" else WEIGHTS.get(name, 0.0)
        print(f"{name:14} has {has:5.2f}, comes out at {value:5.2f}")
    for what, rows in (("fitted to", seen), ("held out", list(of_entries(typed.labelled(asked.held_out))))):
        lasts = [row[1] for row in rows]
        ours = area([log_odds(row[0]) for row in rows], lasts)
        print(
            f"{what:10} {ours:.3f} by these weights, {area([row[2] for row in rows], lasts):.3f} by cue words"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
