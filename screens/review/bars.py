"""Scores and gates as rows: a bar for the eye, and the same in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from screens.drawing.rows import Row, RowPart, Tone
from screens.drawing.safe_text import Shown, row_text, words
from workbench.dreaming.score import MOST
from workbench.dreaming.score import filled as share_of
from workbench.memory.proposal import Gate

_NAME = 13
_BAR = 14
_GATE = 12
_FULL, _REST, _NEEDED = "█", "░", "│"
_ROOM = 1.25
"""How much further than what is needed a gate's bar reaches at least, so that its mark is seen."""


def score_rows(score: float, parts: Mapping[str, float]) -> Iterator[Row]:
    """A bar for each factor, as long as it is of what it can be, and their product."""
    if not parts:
        return
    yield Row("score", words("Score"), tone="head", tail=(RowPart(words(f"{score:.2f}"), "accent"),))
    for number, (name, value) in enumerate(parts.items()):
        of = f"of {MOST[name]:.2f}" if name in MOST else ""
        yield _with_bar(
            f"part:{number}", name, filled(share_of(name, value), _BAR), f"{value:.2f} {of}", "accent"
        )
    yield Row("score:end", words(""), inert=True)


def gate_rows(gates: Sequence[Gate]) -> Iterator[Row]:
    """Each gate: how much was reached of what is needed, and by how much it is passed or missed."""
    if not gates:
        return
    missed = sum(gate.distance > 0 for gate in gates)
    verdict = f"{missed} of {len(gates)} missed" if missed else "all passed"
    yield Row(
        "gates", words("Gates"), tone="head", tail=(RowPart(words(verdict), "warn" if missed else "good"),)
    )
    for number, gate in enumerate(gates):
        tone: Tone = "warn" if gate.distance else "good"
        yield _with_bar(f"gate:{number}", gate.name, gate_bar(gate), gate_words(gate), tone)
    yield Row("gates:end", words(""), inert=True)


def gate_words(gate: Gate) -> str:
    """``0.78 of 0.75, 0.03 above``; ``1 of 1``; ``2 of 3, 1 missing``."""
    if gate.distance:
        verdict = f", {_number(gate.distance)} missing"
    elif gate.reached == gate.needed:
        verdict = ""
    else:
        verdict = f", {_number(gate.reached - gate.needed)} above"
    mark = "✗" if gate.distance else "✓"
    return f"{mark} {_number(gate.reached)} of {_number(gate.needed)}{verdict}"


def gate_bar(gate: Gate) -> str:
    """What was reached, with a mark where it must reach to."""
    most = max(gate.reached, gate.needed * _ROOM, 1e-9)
    cells = list(filled(gate.reached / most, _GATE))
    cells[min(_GATE - 1, round(gate.needed / most * _GATE))] = _NEEDED
    return "".join(cells)


def filled(share: float, cells: int) -> str:
    """A bar of ``cells`` cells; 1 fills it."""
    full = max(0, min(cells, round(share * cells)))
    return _FULL * full + _REST * (cells - full)


def _with_bar(row_id: str, name: str, bar: str, said: str, tone: Tone) -> Row:
    """The name, the bar in its tone, and the numbers in words."""
    text = Shown(f"{bar}  {said}")
    end = len(bar.rstrip(_REST)) if _NEEDED not in bar else len(bar)
    label = row_text(name[:_NAME])
    return Row(
        row_id,
        text,
        tone="muted",
        lead=(RowPart(Shown(label.ljust(_NAME))),),
        emphasis=((0, end, tone),),
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
