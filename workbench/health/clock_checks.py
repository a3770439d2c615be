"""Clocks that went backwards: files from the future, and an index that says it was made tomorrow."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime

from indexing.engines import RefusedError
from indexing.sync.generations import Generation, Generations
from workbench.health.finding import Finding, Look
from workbench.health.lock_checks import SYNC, is_busy
from workbench.health.subject import CheckSubject
from workbench.memory.clock_doubt import TOLERANCE
from workbench.workspace.locks import hold

_TOLERANCE = TOLERANCE.total_seconds()
_LATER = "it is read anew at every sync until the clock has caught up; nothing is lost"


def clock(place: CheckSubject) -> Look:
    """No memory file changed after now, and no sync was."""
    findings = []
    ahead = [file for file in place.workspace.scan() if file.ctime_ns / 1e9 > place.now + _TOLERANCE]
    if ahead:
        newest = max(ahead, key=lambda file: file.ctime_ns)
        more = f" and {len(ahead) - 1} more" if len(ahead) > 1 else ""
        findings.append(
            Finding(
                what=f"{newest.path}{more} changed in the future: {_moment(newest.ctime_ns / 1e9)}",
                meaning=f"the clock went backwards since; {_LATER}",
                do="set the clock right (`timedatectl`), or wait",
            )
        )
    dated = _dated_ahead(place)
    if dated:
        findings.append(
            Finding(
                what=f"{dated[0]}{f' and {len(dated) - 1} more' if len(dated) > 1 else ''} "
                "has a date of change in the future",
                meaning="somebody set it; the index goes by what no program can set",
                do="`touch` it, if that is not meant",
                severity="info",
            )
        )
    with contextlib.suppress(RefusedError):
        if finding := _index_ahead(place):
            findings.append(finding)
    return Look(f"now is {_moment(place.now)}", tuple(findings))


def _dated_ahead(place: CheckSubject) -> list[str]:
    out: list[str] = []
    for file in place.workspace.scan():
        with contextlib.suppress(OSError):
            status = os.lstat(place.root / file.path)
            if status.st_mtime > place.now + _TOLERANCE and status.st_ctime <= place.now + _TOLERANCE:
                out.append(file.path)
    return out


def _index_ahead(place: CheckSubject) -> Finding | None:
    generation = Generations(place.state).current()
    manifest = generation.manifest() if generation else None
    if generation is None or manifest is None or is_busy(place, SYNC):
        return None
    synced = manifest.synced_ns / 1e9
    if synced <= place.now + _TOLERANCE:
        return None
    return Finding(
        what=f"the index was brought up to date in the future: {_moment(synced)}",
        meaning="a change between now and then could be taken for one that it knows",
        do="--fix makes the next reindex read every file anew",
        repair=lambda: _forget(place, generation),
    )


def _forget(place: CheckSubject, generation: Generation) -> str:
    """Trust no stamp of any file until the next sync has read it. Raises WorkbenchError and OSError."""
    with hold(place.state / SYNC, "doctor"):
        manifest = generation.manifest()
        if manifest is not None:
            manifest.synced_ns = 0
            generation.write_manifest(manifest)
    return "the moment is forgotten; the next reindex reads every file anew"


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.0f} seconds after 1970"
