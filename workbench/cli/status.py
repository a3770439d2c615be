"""How this memory stands: status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from importlib import resources
from typing import Any

from indexing.sync.freshness import freshness
from workbench.backup.bundles import operations_since, remembered
from workbench.backup.targets import without_secret
from workbench.cli.console import (
    answered,
    attributes,
    command,
    flag,
    operation_json,
    put,
    say,
    say_fields,
    say_row,
    workspace,
)
from workbench.errors import NewerFormatError, NotMemoryError, UsageError, WorkbenchError
from workbench.jobs.runs import now, standings
from workbench.plural import plural
from workbench.special_files import special_file_error, special_files
from workbench.workspace.agent_layouts import existing
from workbench.workspace.agent_load import load_states
from workbench.workspace.declared_format import require_known_format
from workbench.workspace.external_changes import record
from workbench.workspace.late_writes import late_in, late_sentences
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import Workspace

STATUS_VERSION = 1
"""Grows when a field of the answer goes or comes to mean something else, not when one is added."""


@command()
@flag("--schema", "Print the JSON Schema of the --json output, and nothing else.")
@flag("--commit", "Commit what agents and editors wrote, and nothing else.")
@flag("--allow-secret", "With --commit: commit even if this stores a new secret in git.")
def status(schema: bool, commit: bool, allow_secret: bool) -> None:
    """Show what is in this memory, and the state of its index.

    --commit records what agents and editors wrote as one operation, and prints that operation instead.
    """
    if allow_secret and not commit:
        raise UsageError("--allow-secret requires --commit")
    if schema:
        put(resources.files("workbench.cli").joinpath("schemas", "status.json").read_bytes().rstrip())
        return
    with workspace() as place:
        if commit:
            _commit(place, allow_secret=allow_secret)
            return
        report = _status(place)
    if not answered(report):
        _say_status(report)


def _commit(place: Workspace, *, allow_secret: bool) -> None:
    operation = record(place, allow_secrets=allow_secret)
    if answered(operation_json(operation) if operation else {"operation": None}):
        return
    if operation is None:
        say("nothing to commit: the last commit has everything")
    else:
        say(f"committed {plural(len(operation.paths), 'file')} as operation {operation.id}")


def _say_status(report: dict[str, Any]) -> None:
    budget, index, today = report["budget"], report["index"], not report["as_of"]
    kept = report["history"]
    counts = ", ".join(f"{count} {kind}" for kind, count in report["files"].items())
    over = " · over budget" if budget["used"] > budget["limit"] else ""
    waiting = f"waiting: {report['proposals']}; `workbench inbox list` shows them"
    say_row(report["workspace"], bold=True)
    say_fields(
        ("as of", report["as_of"]),
        ("files", counts or "none yet"),
        ("layout", ", ".join(one["title"] for one in report["layouts"])),
        *(("daily", _daily_line(one)) for one in report["daily_notes"]),
        ("budget", f"{budget['path']} {budget['used']:,} of {budget['limit']:,} characters{over}"),
        *(
            ("loaded", one["sentence"])
            for one in report["loaded"]
            if one["path"] == budget["path"] or one["lost"] or one["path"].endswith("/")
        ),
        ("index", f"{index['state']}: {index['summary']}"),
        *(("beside", _source_line(source)) for source in index["sources"]),
        ("history", ", ".join(filter(None, (report["repository"], kept and kept_in(kept))))),
        ("last dream", (report["dreamt_at"] or "")[:16].replace("T", " ") or report["last_dream"] or "never"),
        *(("job", _job_line(job)) for job in report["jobs"]),
        ("proposals", waiting if today and report["proposals"] else ""),
        ("backup", _backup_line(report["last_backup"]) if today else ""),
    )
    for late in report["late"]:
        if late["why"] == "held open":
            say_row(
                f"late lines a program has the replaced {late['path']} open: what it adds is carried over"
            )
    for warning in report["warnings"]:
        say_row(f"warning    {warning}", fg="yellow")


def kept_in(kept: dict[str, Any]) -> str:
    """Where history is kept, or will be; why, where that is not in a repository."""
    apart = f", because {kept['why']}" if kept["own"] else ""
    return f"{'kept' if kept['made'] else 'will be kept'} in {kept['path']}{apart}"


def _source_line(source: dict[str, Any]) -> str:
    kept = f"; {source['indexed']} of its files stay indexed" if source["absent"] else ""
    return f"{source['source']}: {source['absent'] or plural(source['files'], 'file')}{kept}"


def _daily_line(notes: dict[str, str]) -> str:
    where = f"in {notes['folder']}" if notes["folder"] else "anywhere"
    return f"notes {notes['format']} {where}, by {notes['said_in'] or 'default'}"


def _job_line(job: dict[str, Any]) -> str:
    """When it ran last, what became of it, and how long it took."""
    began = f" of {_minute(job['began'])}" if job["began"] else ""
    took = f" after {job['seconds']:,.0f} s" if job["seconds"] is not None else ""
    return f"{job['job']}{began} · {job['state']}{took}"


def _backup_line(last: dict[str, Any] | None) -> str:
    if last is None:
        return "none yet"
    since = last["operations_since"]
    behind = "the history was rewritten since" if since is None else f"{plural(since, 'operation')} since"
    return f"{_minute(last['when'])} to {last['target']} · {behind}"


def _minute(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"


def _memory_below(place: Workspace) -> str:
    """The folder in a workspace that has a memory file of its own; empty where there is none."""
    return next((one.parent.name for one in existing(place.root, ["*/MEMORY.md"]) if one.is_file()), "")


def _status(place: Workspace) -> dict[str, Any]:
    from workbench.cli.inbox import conflict_warnings
    from workbench.dreaming.proposals.inbox import overview

    late = late_in(place)
    files = place.scan()
    past = place if isinstance(place, PastWorkspace) else None
    jobs = [] if past else [one for one in standings(place.state_path, now()) if one.state != "never"]
    warnings = [*(f"{one.sentence}: {one.mends}" for one in jobs if one.wrong), *late_sentences(late)]
    backup = history = None
    used = 0
    try:
        require_known_format(place.root)
    except (NewerFormatError, UsageError) as error:
        warnings.append(f"{error.message}: {error.hint}")
    try:
        used = len(place.memory_document().text)
    except NotMemoryError:
        warnings.append(f"{place.memory_path()} is not a plain file, so it is neither read nor written")
    except (WorkbenchError, OSError) as error:
        warnings.append(f"{place.memory_path()} cannot be read: {error}")
    try:
        head = place.history.head()
        repository = f"at {head[:12]}" if head else "no commits yet"
        history = history_of(place)
        backup = _last_backup(place)
        warnings += conflict_warnings(place)
    except WorkbenchError as error:
        repository = f"{error.message}: {error.hint}" if error.hint else error.message
    warnings += [special_file_error(path).message for path in special_files(place.state_path)]
    warnings += [one.problem for one in place.layout.daily if one.problem]
    if not used and (other := _memory_below(place)):
        warnings.append(
            f"{place.memory_path()} has no text; {other}/MEMORY.md has: `-w {place.root / other}` opens it"
        )
    warnings += _deprecated(place)
    dreams = [file.path for file in files if file.path.startswith("_system/dreaming/")]
    inbox = None if past else overview(place, now())
    dreamt = inbox and inbox.dreamt_at
    return {
        "version": STATUS_VERSION,
        "workspace": str(past.today if past else place.root),
        "as_of": past.moment if past else None,
        "files": dict(sorted(Counter(file.kind.value for file in files).items())),
        "bytes": sum(file.size for file in files),
        "layouts": [attributes(one, "name", "title", "document") for one in place.layout.agents],
        "daily_notes": [attributes(one, "folder", "format", "said_in") for one in place.layout.daily],
        "loaded": [one.as_json() for one in load_states(place)],
        "budget": {"path": place.memory_path(), "used": used, "limit": place.memory_budget},
        "index": freshness(place).as_json(),
        "repository": repository,
        "history": history,
        "last_dream": max(dreams, default=None),
        "dreamt_at": dreamt.astimezone().isoformat() if dreamt else None,
        "jobs": [one.as_json() for one in jobs],
        "proposals": sum(not one.stale for one in inbox.waits) if inbox else 0,
        "last_backup": backup,
        "late": [{**attributes(one, "path", "why", "lines"), "bytes": len(one.text)} for one in late],
        "warnings": warnings,
    }


def history_of(place: Workspace) -> dict[str, Any]:
    """Where history is kept, or will be from the first action on, and why not in a repository."""
    history = place.history
    if not history.own:
        return {"path": str(history.common_dir), "own": False, "made": True, "why": ""}
    own = place.own_place()
    why = own.reason() or "the repository can keep it now: see `workbench doctor`"
    return {"path": str(own.where()), "own": True, "made": history.git_dir == own.where(), "why": why}


def _deprecated(place: Workspace) -> Iterator[str]:
    upper, lower = place.root / "MEMORY.md", place.root / "memory.md"
    if upper.is_file() and lower.is_file() and not upper.samefile(lower):
        yield "both MEMORY.md and memory.md exist: MEMORY.md is used"
    if (place.root / "MEMORY.json").exists():
        yield "MEMORY.json exists: it is deprecated and never indexed"


def _last_backup(place: Workspace) -> dict[str, Any] | None:
    """When the last backup was made, where it is, and how many operations came since (None: not known)."""
    last = remembered(place)
    if last is None:
        return None
    return {
        "when": last.when,
        "target": without_secret(last.target),
        "commit": last.commit,
        "operations_since": operations_since(place, last),
    }
