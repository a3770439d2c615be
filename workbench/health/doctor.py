"""The doctor: every check in its order, each by itself, and repairs on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.config.read_only import require_more_than_looking
from workbench.errors import WorkbenchError
from workbench.health.checks import CHECKS
from workbench.health.finding import Check, CheckOutcome, Finding, Look
from workbench.health.subject import CheckSubject

_ROUNDS = 20
"""Repairs of one check: each is tried once, and what it brought to light is treated too."""


def examine(
    place: CheckSubject, *, fix: bool = False, checks: Sequence[Check] = CHECKS
) -> Iterator[CheckOutcome]:
    """Every check's outcome, as it comes. With ``fix`` what can be repaired is.

    A check that fails is a finding of its own; nothing it meets ends the examination.
    """
    for check in checks:
        yield _treated(check, place) if fix else _outcome(check, _look(check, place))


def _look(check: Check, place: CheckSubject) -> Look:
    try:
        return check.look(place)
    except WorkbenchError as error:
        return Look("could not be looked at", (_failed(error.message, error.hint),))
    except PermissionError as error:
        return Look("may not be looked at", (_withheld(error),))
    except Exception as error:  # whatever it was, the person shall hear of it and of all other checks
        reason = str(error).partition("\n")[0]
        return Look("could not be looked at", (_failed(f"{type(error).__name__}: {reason}", ""),))


def _withheld(error: PermissionError) -> Finding:
    return Finding(
        what=f"{error.filename or 'a file'} may not be read: {error.strerror}",
        meaning="it belongs to somebody else, so this was not looked at",
        do="run the doctor as the owner of the workspace",
    )


def _failed(why: str, hint: str) -> Finding:
    return Finding(what=f"the check itself failed: {why}", meaning="so this was not looked at", do=hint)


def _outcome(check: Check, look: Look) -> CheckOutcome:
    return CheckOutcome(check, look.seen, look.findings)


def _treated(check: Check, place: CheckSubject) -> CheckOutcome:
    """Look, repair the first thing that can be repaired, and look again, until nothing more can be."""
    look = _look(check, place)
    fixed: list[Finding] = []
    refused: dict[str, str] = {}
    for _ in range(_ROUNDS):
        due = next((f for f in look.findings if f.repair and f.what not in refused), None)
        if due is None:
            break
        done, why = _repaired(due)
        look = _look(check, place)
        if done is not None and all(finding.what != due.what for finding in look.findings):
            fixed.append(replace(due, fixed=done))
        else:
            refused[due.what] = why or f"it is still so ({done})"
    left = (replace(finding, refused=refused.get(finding.what)) for finding in look.findings)
    return CheckOutcome(check, look.seen, (*fixed, *left))


def _repaired(finding: Finding) -> tuple[str | None, str | None]:
    """What the repair did, or why it could not."""
    assert finding.repair is not None
    try:
        require_more_than_looking()
        return finding.repair(), None
    except WorkbenchError as error:
        return None, error.message
    except OSError as error:
        return None, str(error)
