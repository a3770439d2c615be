"""How the parts of a score are combined: weights, presets of other systems, and how they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from types import MappingProxyType
from typing import Literal, get_args

from workbench.config.settings import FORMER_PRESETS, Settings
from workbench.errors import UsageError
from workbench.frozen import frozen
from workbench.memory.entry import Kind

Fusion = Literal["sum", "rrf", "raw"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)

_MOST = {
    **{"vector": 1e6, "lexical": 1e6, "recency": 1.0, "half_life": 36_500.0, "importance": 1.0},
    **{"pin": 10.0, "user": 10.0, "date": 10.0, "exact": 1.0, "diversity": 1.0},
}
"""The largest value of each weight; the least is 0, and more than that for a half-life."""

USUAL = MappingProxyType(
    {"recency": 1.0, "importance": 0.4, "pin": 0.2, "user": 0.2, "date": 0.3, "exact": 0.95, "diversity": 0.7}
)
"""What ``on`` means for a part that may be left out."""

_OFF = {**dict.fromkeys(USUAL, 0.0), "diversity": 1.0}
_NUMBER = re.compile(r"[0-9]{0,7}(?:\.[0-9]{1,9})?")
_MOST_BOOST = 100.0


@frozen
class Weights:
    """How the parts of a score are combined. Raises UsageError for a value outside of its range.

    ``vector`` and ``lexical`` are normalised to a sum of 1. ``recency`` in [0, 1] is how much of its score
    a log entry loses with age, by half every ``half_life`` days. ``importance`` in [0, 1] is how far the most
    and the least important are apart. ``pin`` and ``user`` are what pinned entries, and those of the user who
    asks, gain: 0.2 is a fifth. ``date`` is what an entry gains that is of a day named in the question.
    ``exact`` in [0, 1] is how much of its weight meaning loses where all of a question is said exactly.
    ``diversity`` is the lambda of maximal marginal relevance: 1 looks at the score alone. ``boosts`` are
    factors by kind. ``fusion`` is a weighted sum of both sides (``sum``), the
    same without making up for a missing one (``raw``), or a sum of reciprocal ranks (``rrf``).
    """

    vector: float = 0.7
    lexical: float = 0.3
    recency: float = 0.0
    half_life: float = 30.0
    importance: float = 0.0
    pin: float = 0.0
    user: float = 0.2
    date: float = 0.3
    exact: float = 0.95
    diversity: float = 1.0
    fusion: Fusion = "sum"
    boosts: Mapping[Kind, float] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            value = getattr(self, name)
            if not 0 <= value <= most or (name == "half_life" and value == 0):
                raise UsageError(
                    f"the weight {name} cannot be {value:g}", hint=f"it lies between 0 and {most:g}"
                )
        for kind, factor in self.boosts.items():
            if not 0 <= factor <= _MOST_BOOST:
                raise UsageError(
                    f"the factor of {kind} cannot be {factor:g}", hint="it must be between 0 and 100"
                )
        if self.vector + self.lexical == 0:
            raise UsageError("the keyword and vector weights are both 0", hint="set one of them above 0")
        if self.fusion not in FUSIONS:
            raise UsageError(f"{self.fusion!r} is not a fusion method", hint="one of " + ", ".join(FUSIONS))

    def share_of(self, exact: float) -> float:
        """What meaning counts where both sides are there, in [0, 1]; words count the rest.

        It weighs less the larger the share ``exact`` of a question is that is said exactly. Where words count
        nothing there is nobody to give way to.
        """
        vector = self.vector * (1.0 - self.exact * exact)
        return vector / (vector + self.lexical) if self.lexical else 1.0

    def as_json(self) -> dict[str, object]:
        """All weights by name, factors of kinds by the kind's; ``weights_from_json`` reads it."""
        said: dict[str, object] = {one.name: getattr(self, one.name) for one in fields(self)}
        del said["boosts"]
        return said | {str(kind): factor for kind, factor in self.boosts.items()}


DEFAULT = Weights()
"""By measurement on several collections (benchmarks/weights.py); the maximum is flat around it."""

PRESETS: Mapping[str, Weights] = MappingProxyType(
    {
        "default": DEFAULT,
        "openclaw": Weights(0.7, 0.3, date=0.0, exact=0.0, fusion="raw"),
        "goclaw": Weights(0.7, 0.3, user=0.2, date=0.0, exact=0.0, fusion="raw"),
        "keyword": Weights(0.2, 0.8),
        "semantic": Weights(0.9, 0.1),
    }
)
"""By name. OpenClaw's decay (30 days) and diversity (0.7) are off by default there too: ``recency=on`` and
``diversity=on`` are what it uses then."""


def preset(name: str) -> Weights:
    """The preset called ``name``, or so formerly. Raises UsageError."""
    found = PRESETS.get(FORMER_PRESETS.get(name, name))
    if found is None:
        raise UsageError(f"there is no preset {name!r}", hint="one of " + ", ".join(PRESETS))
    return found


def changed(base: Weights, said: Mapping[str, object]) -> Weights:
    """``base`` with what ``said`` names: weights, ``fusion``, and kinds with their factor.

    Values are numbers, numbers as text, or ``on`` and ``off``. Raises UsageError naming what is wrong.
    """
    values: dict[str, object] = {}
    boosts = dict(base.boosts)
    for name, value in said.items():
        plain = name.strip().lower().replace("-", "_")
        if plain == "fusion":
            values["fusion"] = str(value).lower()
        elif plain in _MOST:
            values[plain] = _number(plain, value)
        elif plain in set(Kind):
            boosts[Kind(plain)] = _number(plain, value)
        else:
            known = ", ".join([*_MOST, "fusion"])
            raise UsageError(f"there is no weight called {name!r}", hint=f"known: {known}, and every kind")
    return replace(base, **values, boosts=MappingProxyType(boosts))  # type: ignore[arg-type]


def weights_from_json(said: object, base: Weights) -> Weights:
    """The weights in a request: a preset's name, or ``{"preset": …, "recency": 0.5, …}`` over ``base``.

    Raises UsageError.
    """
    if isinstance(said, str):
        return preset(said)
    if not isinstance(said, Mapping):
        raise UsageError(
            "weights must be the name of a preset or an object", hint='for example {"recency": 0.5}'
        )
    rest = {str(name): value for name, value in said.items()}
    name = rest.pop("preset", None)
    return changed(base if name is None else preset(str(name)), rest)


def weights_from_words(said: Iterable[str], base: Weights) -> Weights:
    """``base`` with changes as they are typed, ``recency=0.5``. Raises UsageError."""
    pairs: dict[str, object] = {}
    for one in said:
        name, mark, value = one.partition("=")
        if not mark:
            raise UsageError(f"{one!r} sets no weight", hint="write NAME=VALUE, for example recency=0.5")
        pairs[name] = value
    return changed(base, pairs)


def weights_of(settings: Settings) -> Weights:
    """The weights of the preset that the settings choose. Raises UsageError."""
    return preset(settings.search_preset)


def _number(name: str, value: object) -> float:
    if (value is True or value == "on") and name in USUAL:
        return USUAL[name]
    if (value is False or value == "off") and name in _OFF:
        return _OFF[name]
    if isinstance(value, str) and value and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    ways = "a number, on or off" if name in USUAL else "a number"
    raise UsageError(f"{name} must be {ways}, not {value!r}", hint=f"for example {name}=0.5")
