"""What may become a name: nothing that looks like a key or the beginning of one.

Names travel further than the text they come from: into paths, links, titles, topics and commit messages. So
this is stricter than the table of secrets, which must be right when it speaks of a whole text.
"""

from __future__ import annotations

import re

from workbench.safety.secrets import secrets_in

_SPAN = 8_000
"""Characters on either side of a cut that are looked at for a secret which it would split."""
_BEGINS = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|pypi-|hf_|sk-(?:\w{1,8}-)?|rk_|pk_|sk_"
    r"|AKIA|ASIA|AIza|ya29\.|SG\.|eyJ|dop_v1_|shpat_)[A-Za-z0-9_-]{4,}",
    re.IGNORECASE,
)
_RUN = re.compile(r"[A-Za-z0-9_+/=-]{16,}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_TURNS = 5
"""Changes between letters and digits in one run, from which on it is nothing that people say."""
_CHANGE = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")


def looks_like_key(text: str) -> bool:
    """Whether ``text`` holds a secret, the beginning of one, or a run of characters that could be one."""
    if secrets_in(text) or _begins_a_key(text):
        return True
    return any(
        _UUID.fullmatch(run[0]) is None and len(_CHANGE.findall(run[0])) >= _TURNS
        for run in _RUN.finditer(text)
    )


def _begins_a_key(text: str) -> bool:
    return any(any(map(str.isdigit, found[0])) or "_" in found[0] for found in _BEGINS.finditer(text))


def clipped(text: str, most: int) -> str:
    """At most ``most`` characters from the beginning of ``text``; a secret at the cut is left out whole."""
    if len(text) <= most:
        return text
    first = max(0, most - _SPAN)
    around = text[first : most + _SPAN]
    for found in secrets_in(around):
        if first + found.start < most < first + found.end:
            return text[: first + found.start]
    return text[:most]
