"""The format of the memory: whether this program may write it, and whether older forms are left in it."""

from __future__ import annotations

from workbench.errors import NewerFormatError, UsageError
from workbench.format import FORMAT
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.operations.migrate import files_of_older_form
from workbench.workspace.format import format_of, require_known_format

MIGRATE = "`workbench migrate`, which is one operation: undo takes it back"
"""What is to be done about older forms."""
_SHOWN = 3


def workspace_format(place: CheckSubject) -> Look:
    """The number that the memory says, and the files that are written in an older form."""
    try:
        require_known_format(place.root)
    except NewerFormatError as newer:
        what = newer.message.removesuffix("; nothing was changed")
        meaning = "it is read as far as this program understands it, and every change is refused"
        return Look(f"format {newer.found}", (Finding(what=what, meaning=meaning, do=newer.hint),))
    except UsageError as error:
        meaning = "nothing is changed until it says which format it has"
        return Look("not known", (Finding(what=error.message, meaning=meaning, do=error.hint),))
    found = format_of(place.root)
    older = files_of_older_form(place.workspace)
    if not older:
        return Look(f"format {FORMAT}" if found == FORMAT else "no number, and no older form")
    shown = ", ".join(older[:_SHOWN]) + (f" and {len(older) - _SHOWN} more" if len(older) > _SHOWN else "")
    finding = Finding(
        what=f"comments of ours stand in the way of other programs in {shown}",
        meaning="basic-memory reads such relations as plain links, Obsidian does not find such blocks",
        do=MIGRATE,
        severity="info",
    )
    return Look(f"format {found}", (finding,))
