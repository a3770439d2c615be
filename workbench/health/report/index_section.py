"""The index: how far it is behind the files, what it is made with, and what it lacks."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from indexing.engines import RefusedError
from indexing.sync.freshness import NO_VECTORS, Freshness, freshness, without_vector
from indexing.sync.generations import Generations
from indexing.sync.manifest import Manifest
from workbench.health.finding import Finding, Fix, Severity
from workbench.health.rebuild import REINDEX
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.plural import plural

_FIX = Fix(deed="reindex", label="bring the index up to date")
_MEANING = {
    "missing": "the first search makes one, by keywords alone",
    "damaged": "searches may fail or miss entries; the files are untouched",
    "unreadable": "nothing can be searched by this user",
    "stale": "what was written since is not found yet",
}


def index(subject: Subject) -> ReportSection:
    """Freshness of the index, by content."""
    fresh = freshness(subject.workspace)
    manifest = _manifest(subject)
    concerns = list(_concerns(fresh, manifest))
    return ReportSection(
        id="index",
        title="Index",
        seen=f"{fresh.summary}, {plural(fresh.entries, 'entry')}" if fresh.level == "fine" else fresh.summary,
        facts=tuple(_facts(fresh, manifest)),
        concerns=tuple(concerns),
        total=len(concerns),
    )


def _facts(fresh: Freshness, manifest: Manifest | None) -> list[tuple[str, str]]:
    facts = [
        ("files", f"{fresh.files:,}"),
        ("entries", f"{fresh.entries:,}"),
        (
            "behind",
            f"{fresh.added:,} added, {fresh.changed:,} changed, {fresh.removed:,} removed, "
            f"{fresh.unreadable:,} unreadable, {fresh.waiting:,} waiting",
        ),
        ("generation", fresh.generation or "none"),
    ]
    if manifest is not None:
        facts += [
            ("model", manifest.model or "none: words alone are searched"),
            (
                "without a vector",
                f"{plural(manifest.pending, 'entry')}" if manifest.model else "all",
            ),
        ]
        if manifest.lacking:
            facts.append(("no vector possible", f"{plural(manifest.lacking, 'entry')}"))
        with contextlib.suppress(OverflowError, OSError, ValueError):
            when = datetime.fromtimestamp(manifest.synced_ns / 1e9, UTC).astimezone()
            facts.append(("brought up to date", f"{when:%Y-%m-%d %H:%M}" if manifest.synced_ns else "never"))
    facts += [
        (f"beside: {source.name}", source.absent or f"{source.indexed:,} of {source.files:,} files indexed")
        for source in fresh.sources
    ]
    return facts


def _concerns(fresh: Freshness, manifest: Manifest | None) -> list[Finding]:
    found = []
    if fresh.state != "fresh":
        severity: Severity = "error" if fresh.level == "error" else "warning"
        found.append(
            Finding(
                severity=severity,
                what=f"index: {fresh.summary}",
                meaning=_MEANING[fresh.state],
                do=REINDEX if fresh.state != "unreadable" else "run it as the owner of the workspace",
                fixes=() if fresh.state == "unreadable" else (_FIX,),
            )
        )
    if manifest is not None and manifest.model is None:
        found.append(
            Finding(
                severity="info",
                what=f"{NO_VECTORS}: searches go by keywords alone",
                meaning="what is said in other words is not found",
                do="`workbench model show` says why there is none; once there is one, `workbench reindex`",
                fixes=(_FIX,),
            )
        )
    elif manifest is not None and fresh.state == "fresh" and manifest.pending:
        found.append(
            Finding(
                severity="warning",
                what=without_vector(manifest.pending),
                meaning="they are found by their words alone",
                do=REINDEX,
                fixes=(_FIX,),
            )
        )
    return found


def _manifest(subject: Subject) -> Manifest | None:
    try:
        current = Generations(subject.place.state).current()
        return current.manifest() if current else None
    except (RefusedError, OSError):
        return None
