"""The format of a workspace: one number for all that the workbench adds to it (docs/format.md).

It stands in `workbench.yaml`, as `format: 1`, and so travels with the memory. A workspace that says none is
of format 0, or was never brought to a newer one. The number rises when the form of what we write
changes; a program that does not know the new form still reads, and refuses to write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FORMAT = 1
"""The format that this program writes, and the newest that it knows."""
KEY = "format"
_NUMBER = re.compile(r"[0-9]{1,6}")


def format_in(values: Mapping[str, object]) -> int:
    """The format that the mapping of a settings file says; 0 where it says none.

    Raises ValueError where it says something else than a number.
    """
    said = values.get(KEY)
    if said is None:
        return 0
    if not isinstance(said, str) or not _NUMBER.fullmatch(said):
        raise ValueError(f"{KEY} must be a whole number")
    return int(said)
