"""What waits for a person: proposals, and text of other writers that fitted into no file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import click

from workbench.cli.console import (
    answered,
    attributes,
    flag,
    group,
    named,
    narrate,
    number,
    say,
    say_diff,
    say_row,
    this_moment,
    word,
    workspace,
)
from workbench.cli.operation_command import Chosen, Selection, command_of
from workbench.cli.proposal_text import say_in_full, say_settled, say_waiting
from workbench.dreaming.proposals.budget import budget_of, room_note
from workbench.dreaming.proposals.decide import foretold
from workbench.dreaming.proposals.inbox import PendingProposal, find, overview, pending, waiting
from workbench.dreaming.proposals.operations import ACCEPT, OPERATIONS
from workbench.dreaming.proposals.safety_flags import flags_of
from workbench.errors import UsageError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.plural import plural
from workbench.workspace.late_writes import Conflict, KeptFile
from workbench.workspace.workspace import Workspace

_run_option = word("--run", "RUN", "Only proposals of this run.")
_UNKNOWN = "unknown file"


@group()
def inbox() -> None:
    """Pending proposals: list, show, accept, edit, reject, defer or withdraw them.

    KEY is the key of a proposal as `inbox list` prints it.
    """


@inbox.command("list")
@flag("--all", "Also deferred and stale ones.", "everything")
@_run_option
def list_(everything: bool, run: str) -> None:
    """List pending proposals, oldest run first."""

    now = this_moment()
    with workspace() as place:
        waits = [one for one in waiting(place, now) if not run or one.proposal.run.startswith(run)]
        shown = [one for one in waits if everything or one.malformed or not (one.stale or one.hidden(now))]
        budget, full = budget_of(place), room_note(place, [one.proposal for one in shown])
    if answered([_waiting_json(one, now) for one in shown]):
        return
    say_waiting(shown, now)
    narrate(f"{plural(len(shown), 'proposal')}; long-term memory has {budget}")
    if full:
        narrate(full)
    if hidden := len(waits) - len(shown):
        narrate(f"{hidden} more are deferred or stale: --all shows them")
    if shown:
        narrate("answer each: `workbench inbox show|accept|edit|reject|defer KEY`")


@inbox.command()
@_run_option
def decided(run: str) -> None:
    """List decisions on proposals.

    The newest is last."""

    with workspace() as place:
        every = overview(place, this_moment()).settled
    settled = [one for one in every if not run or one.proposal.run.startswith(run)]
    if answered([{**one.proposal.as_json(), "decision": one.decision, "said": one.said} for one in settled]):
        return
    say_settled(settled)
    narrate(f"{plural(len(settled), 'decided proposal')}; `workbench inbox withdraw KEY` reopens one")


@inbox.command()
@named("key")
def show(key: str) -> None:
    """Show one proposal and the diff that accepting it would make."""

    now = this_moment()
    with workspace() as place:
        one = find(place, key, now)
        seen = foretold(place, one, now)
    plan, budget, problem = seen.plan, seen.budget, seen.problem
    notes = [*(f"flagged: {each}" for each in seen.flags), *(plan.notes if plan else ())]
    told = {
        "diff": plan.diff() if plan else "",
        "problem": problem,
        "notes": notes,
        "budget": {"used": budget.used, "limit": budget.limit} if budget else None,
    }
    if answered({**_waiting_json(one, now), **told}):
        return
    say_in_full(one, seen.sources)
    if budget:
        say(f"  {'budget':<9} long-term memory would have {budget}")
    for note in notes:
        say(f"  {'note':<9} {note}", fg="yellow")
    if problem and not one.stale:
        say(f"  {'problem':<9} {problem}", fg="yellow")
    if plan:
        say("")
        say_diff(plan.diff())


def _chosen(place: Workspace, keys: Sequence[str], *, everything: bool, run: str, **_: Any) -> Chosen:
    """The keys that were named, or all that wait, or those of a run."""

    if sum((bool(keys), everything, bool(run))) != 1:
        raise UsageError("select with one of: keys, --all, --run RUN")
    if keys:
        return lambda: keys
    waits = pending(place, this_moment())
    found = [f"{one.key}/{one.action}" for one in waits if everything or one.run.startswith(run)]
    if not found:
        raise UsageError(
            f"run {run} has no pending proposals" if run else "no proposal waits", hint="`workbench dream`"
        )
    return lambda: found


_ALL_OR_A_RUN = Selection((flag("--all", "All pending proposals.", "everything"), _run_option), _chosen)
for _operation in OPERATIONS:
    inbox.add_command(command_of(_operation, _ALL_OR_A_RUN if _operation is ACCEPT else None))


def _waiting_json(one: PendingProposal, now: datetime) -> dict[str, Any]:
    flags = flags_of(one.proposal)
    return {
        **one.proposal.as_json(),
        "stale": one.stale or None,
        "deferred_until": one.until,
        "hidden": one.hidden(now),
        "flags": flags,
        "suspicious": any(each.startswith("suspicious") for each in flags),
        "gone": one.gone,
        "malformed": one.malformed,
    }


@inbox.command()
@number("--show", "shown", low=1, metavar="N", help="Show conflict N as a diff against its file.")
@number("--discard", "discarded", low=1, metavar="N", help="Remove conflict N from the list.")
@flag("--late", "List late lines in replaced files instead.")
@flag("--append", "With --late: add all waiting lines to their files.")
@flag("--yes", "Discard or append without asking.")
def conflicts(shown: int | None, discarded: int | None, late: bool, append: bool, yes: bool) -> None:
    """List text of other writers that fitted into no file.

    Look at each one, copy what you need into its file, then discard it. Git keeps discarded text.

    --late lists lines that a program wrote into a file after the workbench had replaced it. Every command
    adds those of files that this workbench replaced; the others wait until you add them with --append.
    """
    if shown is not None and discarded is not None:
        raise UsageError("--show and --discard exclude each other", hint="show it first, then discard it")
    if append and (shown or discarded or not late):
        raise UsageError(
            "--append goes with --late alone", hint="`workbench inbox conflicts --late --append`"
        )
    with workspace() as place:
        if append and not _appended(place, yes=yes):
            return
        kept = place.operations.late() if late else place.operations.conflicts()
        number = shown or discarded
        if number is None:
            _list(kept, late=late)
        elif number > len(kept):
            what, listed = "conflict", "`workbench inbox conflicts`"
            if late:
                what, listed = "replaced file", "`workbench inbox conflicts --late`"
            raise UsageError(f"there is no {what} {number}", hint=f"{listed} lists them")
        else:
            _show(place, number, kept[number - 1], discard=discarded is not None, yes=yes)


def conflict_warnings(place: Workspace) -> list[str]:
    """A sentence for each conflict."""
    return [
        f"conflict {number}: another writer's text for {one.path or 'a file'} is in no memory file; "
        f"`workbench inbox conflicts --show {number}` shows it"
        for number, one in enumerate(place.operations.conflicts(), 1)
    ]


def _show(place: Workspace, number: int, kept: Conflict | KeptFile, *, discard: bool, yes: bool) -> None:
    told = _kept_json(number, kept)
    diff = _kept_diff(place, kept)
    if not diff:
        diff = "nothing is waiting" if isinstance(kept, KeptFile) else "the file now has exactly this text"
    if not discard and answered({**told, "diff": diff}):
        return
    if not (discard and yes):
        what = "waits" if isinstance(kept, KeptFile) else "was kept"
        say_row(f"{kept.path or _UNKNOWN}, and what {what} in {kept.kept}")
        say_diff(diff)
    if not discard:
        return
    if not yes and not click.confirm(f"discard {number}?", err=True):
        narrate("kept")
        return
    blob = place.operations.discard(kept)
    if not answered({**told, "discarded": blob}):
        say(f"discarded {number}")
        narrate(f"git cat-file blob {blob} recovers the text")


def _appended(place: Workspace, *, yes: bool) -> bool:
    found = [late for late in place.operations.late() if late.text and late.path]
    if found and not yes:
        for late in found:
            say_diff(_kept_diff(place, late))
        if not click.confirm("add these lines to their files?", err=True):
            narrate("nothing was changed")
            return False
    place.operations.take_late()
    return True


def _list(kept: Sequence[Conflict | KeptFile], *, late: bool) -> None:
    found = [_kept_json(number, one) for number, one in enumerate(kept, 1)]
    if answered(found):
        return
    for one in found:
        state = f"{one['why']}, {plural(one['lines'], 'line')}  " if late else ""
        say_row(f"{one['number']:>3}  {one['path'] or _UNKNOWN}  {state}{one['first_line']}")
    if not found:
        say("no replaced file is kept" if late else "no conflicts")
    elif late:
        narrate("`--late --show N` shows one, `--append` adds their lines, `--discard N` removes one")
    else:
        narrate("`workbench inbox conflicts --show N` shows one, `--discard N` removes it from the list")


def _kept_json(number: int, kept: Conflict | KeptFile) -> dict[str, Any]:
    """A conflict, or the text of a replaced file that is kept beside the memory, as JSON."""
    if isinstance(kept, KeptFile):
        text, more = kept.text, attributes(kept, "why", "lines")
    else:
        text = kept.text()
        more = {"since": datetime.fromtimestamp(kept.since, UTC) if kept.since else None}
    lines = text.decode("utf-8", "replace").split("\n")
    first = next((line.strip()[:80] for line in lines if line.strip()), "")
    return {"number": number, **attributes(kept, "path", "kept"), **more, "first_line": first}


def _kept_diff(place: Workspace, kept: Conflict | KeptFile) -> str:
    """What putting the text into its file would change there."""
    now = place.files.read_or_none(kept.path) if kept.path else None
    after = (now or b"") + kept.text if isinstance(kept, KeptFile) else kept.text()
    before = now or b"" if isinstance(kept, KeptFile) else now
    return unified_diff(FileEdit(kept.path or RelPath(kept.kept.name), before, after))
