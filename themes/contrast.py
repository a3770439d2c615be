"""Checks that a theme can be read: contrast of text, and colours as colour-blind people see them."""

from __future__ import annotations

import math

from themes import ThemeData

Linear = tuple[float, float, float]
"""Red, green and blue as light, each from 0 to 1."""

_BLINDNESS: dict[str, tuple[Linear, Linear, Linear]] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
BLINDNESS = tuple(_BLINDNESS)
"""The kinds of colour blindness that can be simulated."""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (``#rrggbb``): from 1 (equal) to 21 (black and white).

    WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
    """
    light, dark = sorted((_luminance(_light(one)), _luminance(_light(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def apart(one: str, other: str, blindness: str = "") -> float:
    """The distance of two colours in CIE Lab, where 2 is just visible and 20 is plain to see.

    With ``blindness``, one of BLINDNESS, it is that of the colours as such a person sees them: Machado,
    Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), at
    full severity.
    """
    return math.dist(_lab(_seen(_light(one), blindness)), _lab(_seen(_light(other), blindness)))


def _light(color: str) -> Linear:
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return red, green, blue


def _luminance(light: Linear) -> float:
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def _seen(light: Linear, blindness: str) -> Linear:
    if not blindness:
        return light
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, light, strict=True))))
        for row in _BLINDNESS[blindness]
    )
    return red, green, blue


def _lab(light: Linear) -> tuple[float, float, float]:
    red, green, blue = light
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = _luminance(light)
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


# -- the check of a theme ------------------------------------------------------------------------

GROUNDS = ("background", "surface", "overlay", "selection", "resting")
"""What text stands on."""
READ = ("text", "muted", "accent", "match", "good", "warn", "bad")
"""What is read."""
_LEAST, _LEAST_FAINT = 4.5, 3.0
_LEAST_APART = 20.0


def faults(theme: ThemeData, least: float = _LEAST, least_faint: float = _LEAST_FAINT) -> list[str]:
    """Faults of ``theme`` in words: too little contrast, or good and bad alike to colour-blind people.

    ``least`` and ``least_faint`` are contrast ratios. A theme of the terminal's own colours has no faults.
    """
    if theme.terminal:
        return []
    colors = theme.colors
    found = []
    for tone in (*READ, "faint"):
        wanted = least_faint if tone == "faint" else least
        for ground in GROUNDS:
            ratio = contrast(colors[tone], colors[ground])
            if ratio < wanted:
                found.append(f"{tone} on {ground} has a contrast of {ratio:.1f}; {wanted:g} can be read")
    for blindness in BLINDNESS:
        if apart(colors["good"], colors["bad"], blindness) < _LEAST_APART:
            found.append(f"good and bad look alike to people with {blindness}")
    return found
