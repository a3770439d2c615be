"""The weights of a search as a person changes them: knobs with their ranges and steps. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

from indexing.ranking.weights import FUSIONS, PRESETS, Weights, changed
from workbench.memory.entry import Kind

_FACTOR_MOST = 10.0


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing to turn. ``most`` is the end of its gauge, ``step`` what one key changes."""

    name: str
    label: str
    most: float
    step: float
    help: str


KNOBS: tuple[Knob, ...] = (
    Knob("lexical", "words", 1.0, 0.05, "what the words in common count"),
    Knob("vector", "meaning", 1.0, 0.05, "what likeness of meaning counts"),
    Knob("date", "date", 1.0, 0.05, "what a day named in the question counts"),
    Knob("recency", "recency", 1.0, 0.05, "how much of its score a log entry loses with age"),
    Knob("half_life", "half-life", 365.0, 5.0, "days until half of that is lost"),
    Knob("importance", "importance", 1.0, 0.05, "how far important and unimportant are apart"),
    Knob("pin", "pin", 2.0, 0.05, "what pinned entries gain"),
    Knob("user", "user", 2.0, 0.05, "what entries of the user who asks gain"),
    Knob("exact", "exact", 1.0, 0.05, "what meaning loses where a question is names and quotes"),
    Knob("diversity", "diversity", 1.0, 0.05, "below 1, near-duplicates make room"),
    *(Knob(str(kind), f"{kind} ×", 2.0, 0.1, f"factor of all entries of the kind {kind}") for kind in Kind),
)
"""In the order in which they are shown; the kinds are factors, the others named as in ``Weights``."""
_SIDES = {"lexical": "vector", "vector": "lexical"}
_PLACES = 3


def value_of(weights: Weights, knob: Knob) -> float:
    """What the knob stands at: of words and meaning their shares, of a kind its factor."""
    if knob.name == "vector":
        return weights.share
    if knob.name == "lexical":
        return 1.0 - weights.share
    if knob.name in set(Kind):
        return weights.boosts.get(Kind(knob.name), 1.0)
    return float(getattr(weights, knob.name))


def turned(weights: Weights, knob: Knob, value: float) -> Weights:
    """The weights with the knob at ``value``, as far as it goes. Words and meaning share what there is."""
    if knob.name in _SIDES:
        value = round(min(1.0, max(0.0, value)), _PLACES)
        other = round(1.0 - value, _PLACES)
        return changed(weights, {knob.name: value, _SIDES[knob.name]: other})
    if knob.name in set(Kind):
        factor = round(min(_FACTOR_MOST, max(0.0, value)), _PLACES)
        boosts = {**weights.boosts, Kind(knob.name): factor}
        kept = {kind: one for kind, one in boosts.items() if one != 1.0}
        return replace(weights, boosts=MappingProxyType(kept))
    least = 1.0 if knob.name == "half_life" else 0.0
    most = 36_500.0 if knob.name == "half_life" else 10.0 if knob.name in ("pin", "user", "date") else 1.0
    return changed(weights, {knob.name: round(min(most, max(least, value)), _PLACES)})


def preset_of(weights: Weights, last: str = "") -> str | None:
    """The name of the preset that these weights are, or None; of presets that rank alike, ``last`` is it."""
    names = (last, *PRESETS) if last else tuple(PRESETS)
    return next((name for name in names if same(PRESETS[name], weights)), None)


def next_preset(weights: Weights, step: int, last: str) -> str:
    """The preset after these weights, or before; after ``last`` where they are none."""
    names = list(PRESETS)
    here = preset_of(weights, last) or last
    return names[(names.index(here) + step) % len(names)]


def other_fusion(weights: Weights) -> Weights:
    """The weights with the other way to fuse words and meaning."""
    at = FUSIONS.index(weights.fusion)
    return replace(weights, fusion=FUSIONS[(at + 1) % len(FUSIONS)])


def same(one: Weights, other: Weights) -> bool:
    """Whether both rank alike."""
    return not _differences(one, other)


def settings_lines(weights: Weights) -> list[str]:
    """What ``workbench.yaml`` has to say to rank like this: a preset, and what differs from it."""
    base = min(PRESETS, key=lambda name: len(_differences(weights, PRESETS[name])))
    said = _differences(weights, PRESETS[base])
    kinds = [f"{name}={said.pop(name)}" for name in list(said) if name in set(Kind)]
    lines = ["search:", f"  preset: {base}", *(f"  {name}: {value}" for name, value in said.items())]
    return [*lines, f"  kinds: [{', '.join(kinds)}]"] if kinds else lines


def _differences(weights: Weights, base: Weights) -> dict[str, str]:
    """What of ``weights`` is not as in ``base``, as it is written in the settings."""
    said: dict[str, str] = {}
    if round(weights.share - base.share, _PLACES):
        share = round(weights.share, _PLACES)
        said |= {"vector": f"{share:g}", "lexical": f"{round(1 - share, _PLACES):g}"}
    for knob in KNOBS:
        if knob.name not in _SIDES and value_of(weights, knob) != value_of(base, knob):
            said[knob.name] = f"{value_of(weights, knob):g}"
    if weights.fusion != base.fusion:
        said["fusion"] = weights.fusion
    return said
