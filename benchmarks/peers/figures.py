"""What was measured, and the tables that show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from benchmarks.peers.tools import Tool
from benchmarks.question_sets.conversations import CATEGORIES, SESSIONS, TURNS

SHARES = [*(f"turn@{n}" for n in TURNS), *(f"session@{n}" for n in SESSIONS)]


@dataclass(frozen=True, slots=True)
class Row:
    """A figure of the table by its name; ``unit`` is s, ms or MB."""

    what: str
    unit: str

    def show(self, value: float) -> str:
        if self.unit == "ms":
            return f"{value * 1e3:.1f} ms"
        return f"{value:.2f} s" if self.unit == "s" else f"{value:.0f} MB"


class Figures:
    """Seconds and megabytes of each tool. What was measured in turn is compared in pairs."""

    def __init__(self) -> None:
        self._values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)

    def add(self, what: str, tool: Tool, value: float) -> None:
        self._values[what, tool.name].append(value)

    def __bool__(self) -> bool:
        return bool(self._values)

    def median(self, what: str, tool: Tool) -> float:
        return median(self._values[what, tool.name])

    def ratio(self, what: str, tool: Tool, ours: Tool) -> float:
        """The median of the ratios of what was measured together; above 1 ours takes less."""
        pairs = zip(self._values[what, tool.name], self._values[what, ours.name], strict=True)
        return median(theirs / own for theirs, own in pairs)

    def table(self, rows: Iterable[Row], ours: Tool, peers: Sequence[Tool]) -> list[str]:
        """Markdown. A ratio is the peer's figure by ours."""
        heads = [f"{ours.name} {ours.version}"]
        for peer in peers:
            heads += [f"{peer.name} {peer.version}", "ratio"]
        lines = _heading(["", *heads])
        for row in rows:
            cells = [row.what]
            for tool in (ours, *peers):
                known = bool(self._values.get((row.what, tool.name)))
                cells.append(row.show(self.median(row.what, tool)) if known else "-")
                if tool is not ours:
                    cells.append(f"{self.ratio(row.what, tool, ours):.1f}" if known else "-")
            lines.append(_line(cells))
        return lines


class Recall:
    """The shares of evidence that each tool found, one a question."""

    def __init__(self) -> None:
        self._found: defaultdict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)

    def add(self, label: str, category: str, shares: dict[str, float]) -> None:
        self._found[label, category].append(shares)

    def table(self) -> list[str]:
        """Markdown: the means over all questions."""
        lines = _heading(["share of the evidence found", *SHARES])
        for label in dict.fromkeys(label for label, _ in self._found):
            rows = [row for (name, _), found in self._found.items() if name == label for row in found]
            lines.append(_line([label, *_means(rows)]))
        return lines

    def by_category(self) -> list[str]:
        """Markdown: the means over the questions of each category."""
        lines = _heading(["category", "questions", "", *SHARES])
        for category in CATEGORIES.values():
            for (label, name), rows in self._found.items():
                if name == category:
                    lines.append(_line([category, str(len(rows)), label, *_means(rows)]))
        return lines


def _means(rows: Sequence[dict[str, float]]) -> list[str]:
    return [f"{fmean(row[share] for row in rows):.3f}" for share in SHARES]


def _heading(cells: Sequence[str]) -> list[str]:
    return [_line(cells), _line(["---"] * len(cells))]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")
