"""Commands that keep memory safe: record, backup, restore, verify."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import shell_values
from workbench.cli.output import (
    answered,
    json_option,
    narrate,
    narrate_notes,
    say,
)
from workbench.cli.progress import Bar
from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.backup.create import Backup
    from workbench.history.flaw import Check

FOUND_WANTING = 4


@click.command()
@click.argument("target", required=False, shell_complete=shell_values.folders)
@click.option("--full", is_flag=True, help="Begin a new chain of bundles.")
@click.option("--check", is_flag=True, help="Also clone a remote anew and compare (bundles always are).")
@click.option("--dry-run", is_flag=True, help="Only say what would be saved.")
@json_option
def backup(target: str | None, full: bool, check: bool, dry_run: bool) -> None:
    """Save this memory, and prove that it can be had back.

    Without TARGET to the last one.

    TARGET is a folder (numbered bundle files, each with what is new), one *.bundle file, or a git remote: a
    URL, or the name of a remote of the repository. What is on disk is recorded first. Nothing there is ever
    overwritten by force. Only this command and `restore` reach a remote.
    """
    from workbench.backup.create import back_up, plan_backup
    from workbench.backup.incremental import remembered
    from workbench.backup.targets import find_target

    with workspace() as place:
        last = remembered(place)
        if target is None and last is None:
            raise UsageError(
                "there is no backup yet that could be repeated",
                hint="name a place once: workbench backup DIR, FILE.bundle or a git remote",
            )
        again = last.target if last and target is None else None
        found = find_target(again) if again else find_target(target or "", place.history)
        if dry_run:
            done = plan_backup(place, found, full=full)
        else:
            if found.kind == "remote":
                narrate(f"sending to {found.shown}")
            done = back_up(place, found, full=full, check=check)
    if not answered(_backup_json(done)):
        _say_backup(done)


def _say_backup(done: Backup) -> None:
    where = done.path or done.target.shown
    commit = (done.commit or "")[:12]
    if done.planned:
        if done.pending:
            say(f"would record {plural(done.pending, 'file')} first")
        what = {"sent": "send", "": ""}.get(
            done.wrote, f"write a{'n' * (done.wrote[0:1] == 'i')} {done.wrote} bundle"
        )
        say(
            f"would {what}: {done.branch} to {where}"
            if what
            else f"nothing is new since the last backup in {where}"
        )
    else:
        if done.recorded:
            say(f"recorded {plural(len(done.recorded.paths), 'file')} as operation {done.recorded.id}")
        if not done.wrote:
            say(f"nothing is new: {where} holds {done.branch} at {commit}")
        else:
            what = "sent" if done.wrote == "sent" else f"{done.wrote} backup"
            say(f"{what}: {where} holds {done.branch} at {commit}, the whole repository's branch")
        if done.compared is not None:
            say(f"restored and compared: {plural(done.compared, 'memory file')}, byte for byte the same")
        narrate(f"`workbench restore {done.target.shown} DIR` brings it back")
    narrate_notes(done.notes)


def _backup_json(done: Backup) -> dict[str, Any]:
    return {
        "target": done.target.shown,
        "kind": done.target.kind,
        "branch": done.branch,
        "commit": done.commit,
        "wrote": done.wrote or None,
        "path": str(done.path) if done.path else None,
        "compared": done.compared,
        "recorded": done.recorded.id if done.recorded else None,
        "pending": done.pending,
        "dry_run": done.planned,
        "notes": list(done.notes),
    }


def last_backup(place: Workspace) -> dict[str, Any] | None:
    """When the last backup was made, where it is, and how many operations came since (None: not known)."""
    from workbench.backup.incremental import operations_since, remembered
    from workbench.backup.targets import without_secret

    last = remembered(place)
    if last is None:
        return None
    return {
        "when": last.when,
        "target": without_secret(last.target),
        "commit": last.commit,
        "operations_since": operations_since(place, last),
    }


def backup_line(last: dict[str, Any] | None) -> str:
    """The same in one line for `workbench status`."""
    if last is None:
        return "never"
    since = last["operations_since"]
    behind = "the history was rewritten since" if since is None else f"{plural(since, 'operation')} since"
    when = datetime.fromisoformat(last["when"]).astimezone()
    return f"{when:%Y-%m-%d %H:%M} to {last['target']} · {behind}"


@click.command()
@json_option
def verify() -> int:
    """Prove that no text is lost and that the index matches the files.

    The index must be what a clean build would be. Exit code 4 with the list if something is wanting.
    """
    from indexing.sync.verify import verify_index
    from workbench.history.verify import audit

    with workspace() as place, Bar() as bar:
        checks = audit(place)
        checks += verify_index(place, progress=bar.show)
    wanting = any(check.flaws for check in checks)
    if not answered({"ok": not wanting, "checks": [asdict(check) for check in checks]}):
        _say_checks(checks)
    return FOUND_WANTING if wanting else 0


def _say_checks(checks: list[Check]) -> None:
    for check in checks:
        say(f"{check.name:<11}{check.looked_at}{'' if check.flaws else ': sound'}")
    for flaw in (flaw for check in checks for flaw in check.flaws):
        say(f"{flaw.kind}: {flaw.what}", fg="red")
        if flaw.hint:
            say(f"  → {flaw.hint}")
