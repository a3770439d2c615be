"""Our own locks: who holds them, and that one whose holder died means nothing."""

from __future__ import annotations

import contextlib

from workbench import processes
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.workspace.locks import Held, held, hold

SYNC, ACTION = "index.lock", "operations.lock"
_LONG = 3_600.0
"""Seconds after which even a large reindex deserves a look."""
_FOR = {SYNC: "no reindex can run", ACTION: "no action can be carried out"}


def is_busy(place: CheckSubject, name: str) -> bool:
    """Whether somebody holds the lock ``name`` now."""
    with contextlib.suppress(OSError):
        found = held(place.state / name)
        return found is not None and found.held
    return False


def locks(place: CheckSubject) -> Look:
    """Who holds the lock of actions and that of reindexing."""
    findings, seen = [], []
    for name in (ACTION, SYNC):
        found = held(place.state / name)
        if found is None or not (found.held or found.pid):
            seen.append(f"{name} is free")
        elif found.held:
            seen.append(f"{name} is held by {_who(found)}")
            if finding := _judged(place, name, found):
                findings.append(finding)
        else:
            seen.append(f"{name} is free")
            findings.append(_left_behind(place, name, found))
    return Look(", ".join(seen), tuple(findings))


def _judged(place: CheckSubject, name: str, found: Held) -> Finding | None:
    """What is wrong with a holder, if anything: it lives, or it could hold nothing."""
    who = _who(found)
    if found.pid and not processes.alive(found.pid):
        return Finding(
            what=f"{name} is held, and {who} is not to be seen from here",
            meaning=f"{_FOR[name]}; it runs in another container, or a child of it lives on",
            do=f"find who holds it: `fuser -v {place.state / name}`; the lock goes when its holder ends",
        )
    if found.pid and processes.stopped(found.pid):
        return Finding(
            what=f"{name} is held by {who}, which is stopped",
            meaning=f"{_FOR[name]} until it goes on",
            do=f"let it go on (`kill -CONT {found.pid}`) or end it (`kill {found.pid}`)",
        )
    if place.now - found.since > _LONG:
        return Finding(
            what=f"{name} is held by {who} for more than an hour",
            meaning=_FOR[name],
            do=f"if it hangs, end it (`kill {found.pid}`): whatever it did is finished by the next one",
        )
    return None


def _left_behind(place: CheckSubject, name: str, found: Held) -> Finding:
    def wipe() -> str:
        with hold(place.state / name, "doctor"):  # the note goes when the lock is let go
            return "the note is wiped"

    return Finding(
        what=f"{name} still names {_who(found)}, which is gone",
        meaning="it was killed; its lock died with it and is in nobody's way",
        do="nothing: the next one finishes what it began",
        severity="info",
        repair=wipe,
    )


def _who(found: Held) -> str:
    return f"{found.purpose or 'somebody'} (process {found.pid})" if found.pid else "an unnamed process"
