"""Whether a theme can be read: its contrasts, and whether good and bad look alike to some."""

from __future__ import annotations

from themes.contrast import BLINDNESS, apart, contrast
from themes.theme import ThemeData

GROUNDS = ("background", "surface", "overlay", "selection", "resting")
"""What text stands on."""
READ = ("text", "muted", "accent", "match", "good", "warn", "bad")
"""What is read."""
_LEAST, _LEAST_FAINT = 4.5, 3.0
_LEAST_APART = 20.0


def faults(theme: ThemeData, least: float = _LEAST, least_faint: float = _LEAST_FAINT) -> list[str]:
    """What is hard to read in ``theme``, in words; nothing of colours that the terminal decides."""
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
