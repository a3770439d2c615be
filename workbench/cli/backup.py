"""Saving this memory, and bringing back a backup, or one file or entry from history: backup, restore."""

from __future__ import annotations

from pathlib import Path

from workbench.backup.bundles import find_or_repeat
from workbench.backup.create import Backup, back_up, plan_backup
from workbench.cli import shell_values
from workbench.cli.console import (
    answered,
    attributes,
    command,
    dry_run_option,
    flag,
    given,
    moment,
    named,
    narrate,
    narrate_notes,
    reason_option,
    say,
    word,
    workspace,
)
from workbench.cli.operation_command import act, content_address
from workbench.errors import UsageError
from workbench.operations.registry import OPERATIONS
from workbench.plural import plural


@command()
@named("target", "[TARGET]", shell_values.folders)
@flag("--full", "Start a new series of bundles.")
@flag("--check", "Also clone the remote and compare (bundles are always restored and compared).")
@flag("--own-history", "Also back up a history that is kept apart from any repository.")
@flag("--dry-run", "Only say what would be saved.")
def backup(target: str | None, full: bool, check: bool, own_history: bool, dry_run: bool) -> None:
    """Back up this memory, and prove that the backup restores.

    Default of TARGET: that of the last backup.

    TARGET is a folder (numbered bundle files, each with what is new), one *.bundle file, or a git remote: a
    URL, or the name of a remote of the repository. Uncommitted changes are committed first. Nothing in TARGET
    is overwritten by force. Only this command and `restore` contact a remote.
    """
    with workspace() as place:
        found = find_or_repeat(place, target, own=own_history)
        if dry_run:
            done = plan_backup(place, found, full=full)
        else:
            if found.kind == "remote":
                narrate(f"sending to {found.shown}")
            done = back_up(place, found, full=full, check=check)
    told = {
        "target": done.target.shown,
        "kind": done.target.kind,
        "commit": done.commit or None,
        **attributes(done, "branch", "path", "compared", "pending", "notes"),
        "wrote": done.wrote or None,
        "recorded": done.recorded.id if done.recorded else None,
        "dry_run": done.planned,
    }
    if not answered(told):
        (_say_planned if done.planned else _say_backup)(done, str(done.path or done.target.shown))
        narrate_notes(done.notes)


def _say_planned(done: Backup, where: str) -> None:
    if done.pending:
        say(f"would commit {plural(done.pending, 'uncommitted file')} first")
    if not done.wrote:
        say(f"nothing new since the last backup in {where}")
        return
    article = "an" if done.wrote.startswith("i") else "a"
    what = "send" if done.wrote == "sent" else f"write {article} {done.wrote} bundle"
    say(f"would {what}: {done.branch} to {where}")


def _say_backup(done: Backup, where: str) -> None:
    commit = done.commit[:12]
    if done.recorded:
        say(f"committed {plural(len(done.recorded.paths), 'file')} as operation {done.recorded.id}")
    if not done.wrote:
        say(f"nothing new: {where} holds {done.branch} at {commit}")
    else:
        what = "sent" if done.wrote == "sent" else f"{done.wrote} backup"
        say(f"{what}: {where} holds branch {done.branch} (of the whole repository) at {commit}")
    if done.compared is not None:
        say(f"restored and compared: {plural(done.compared, 'file')}, byte for byte the same")
    narrate(f"`workbench restore {done.target.shown} DIR` brings it back")


@command()
@named("source", "SOURCE|TARGET")
@named("folder", "[DIR]", shell_values.folders)
@word("--at", "WHEN", "An operation, a commit or a day.", default=None)
@word("--branch", "BRANCH", "The branch of a remote. Default: its HEAD.")
@reason_option
@dry_run_option
def restore(source: str, folder: str | None, at: str | None, branch: str, reason: str) -> None:
    """Restore a backup, or one file or entry from history.

    \b
    workbench restore SOURCE DIR          a backup (folder, bundle or remote) becomes the new folder DIR
    workbench restore TARGET --at WHEN    the file or entry TARGET of this workspace, as it was at WHEN
    """
    if at is not None:
        if folder is not None or branch:
            raise UsageError(
                "--at brings back a file or an entry of this workspace, so there is no DIR and no --branch",
                hint="workbench restore TARGET --at WHEN",
            )
        with workspace() as place:
            target, when = content_address(place, source), moment(at)
            one = OPERATIONS["restore"]
            act(place, lambda: one.planned(place, target, at=when, reason=reason))
        return
    if folder is None:
        raise UsageError(
            "no folder was given",
            hint="workbench restore SOURCE DIR for a backup; workbench restore TARGET --at WHEN for a moment",
        )
    if given("dry_run") or reason:
        raise UsageError(
            "--dry-run and --reason go with --at: a backup is restored to a folder that is empty"
        )
    from workbench.backup.restore import restore as restore_backup

    done = restore_backup(source, Path(folder), branch=branch)
    if answered(done):
        return
    say(f"restored {plural(done.files, 'file')} to {done.folder}: {done.branch} at {done.commit[:12]}")
    narrate_notes(done.notes)
