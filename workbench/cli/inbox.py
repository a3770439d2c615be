"""What waits for a person: proposals are listed, shown, accepted, reworded, rejected, deferred, withdrawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.conflicts import conflicts
from workbench.cli.operation_command import Selection, command_of
from workbench.cli.output import json_option, narrate, say, say_diff, say_json
from workbench.cli.workspace_options import workspace
from workbench.dreaming.proposals.operations import ACCEPT, OPERATIONS
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.dreaming.proposals.inbox import Waiting
    from workbench.workspace.workspace import Workspace

_run_option = click.option("--run", metavar="RUN", default="", help="Those of one run.")


@click.group()
def inbox() -> None:
    """What waits for you: look at it, accept, reword, reject, defer or withdraw it.

    KEY is the first digits of a proposal's key.
    """


@inbox.command("list")
@click.option("--all", "everything", is_flag=True, help="Deferred and stale ones too.")
@_run_option
@json_option
def list_(everything: bool, run: str, as_json: bool) -> None:
    """The proposals that wait, the oldest first."""
    from workbench.cli.inbox_text import say_waiting
    from workbench.dreaming.proposals.budget import budget_of
    from workbench.dreaming.proposals.inbox import waiting

    now = datetime.now().astimezone()
    with workspace() as place:
        waits = [one for one in waiting(place, now) if not run or one.proposal.run.startswith(run)]
        budget = budget_of(place)
    shown = [one for one in waits if everything or not (one.stale or one.hidden(now))]
    if as_json:
        say_json([_waiting_json(one, now) for one in shown])
        return
    say_waiting(shown, now)
    narrate(f"{plural(len(shown), 'proposal')}; long-term memory has {budget}")
    if hidden := len(waits) - len(shown):
        narrate(f"{hidden} more are deferred or stale: --all shows them")
    if shown:
        narrate("answer each: `workbench inbox show|accept|edit|reject|defer KEY`")


@inbox.command(short_help="What became of proposals that do not wait any more.")
@_run_option
@json_option
def decided(run: str, as_json: bool) -> None:
    """What became of proposals that do not wait any more, the newest last."""
    from workbench.cli.inbox_text import say_settled
    from workbench.dreaming.proposals.overview import overview

    with workspace() as place:
        settled = overview(place, datetime.now().astimezone()).settled
    settled = tuple(one for one in settled if not run or one.proposal.run.startswith(run))
    if as_json:
        say_json([{**one.proposal.as_json(), "decision": one.decision, "said": one.said} for one in settled])
        return
    say_settled(settled)
    narrate(f"{plural(len(settled), 'decided proposal')}; `workbench inbox withdraw KEY` reopens one")


@inbox.command(short_help="One proposal in full, with its diff.")
@click.argument("key", metavar="KEY")
@json_option
def show(key: str, as_json: bool) -> None:
    """One proposal in full, with the diff that accepting it would make."""
    from workbench.cli.inbox_text import say_in_full
    from workbench.dreaming.proposals.inbox import find
    from workbench.dreaming.proposals.preview import foretold

    now = datetime.now().astimezone()
    with workspace() as place:
        one = find(place, key, now)
        seen = foretold(place, one, now)
    plan, budget, problem = seen.plan, seen.budget, seen.problem
    notes = [*(f"flagged: {flag}" for flag in seen.flags), *(plan.notes if plan else ())]
    if as_json:
        said: dict[str, Any] = {"diff": plan.diff() if plan else "", "problem": problem, "notes": notes}
        said["budget"] = {"used": budget.used, "limit": budget.limit} if budget else None
        say_json({**_waiting_json(one, now), **said})
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


def _chosen(
    place: Workspace, keys: Sequence[str], *, everything: bool, run: str, dry_run: bool, as_json: bool
) -> Callable[[], Sequence[str]]:
    """The keys that were named, or all that wait, or those of a run."""
    from workbench.dreaming.proposals.inbox import pending

    if sum((bool(keys), everything, bool(run))) != 1:
        raise UsageError("name what is meant by one of: keys, --all, --run RUN")
    if keys:
        return lambda: keys
    waits = pending(place, datetime.now().astimezone())
    found = [f"{one.key}/{one.action}" for one in waits if everything or one.run.startswith(run)]
    if not found:
        raise UsageError(
            f"no proposal of run {run} waits" if run else "no proposal waits", hint="`workbench dream`"
        )
    return lambda: found


_ALL_OR_A_RUN = Selection(
    (
        click.Option(["--all", "everything"], is_flag=True, help="All that wait."),
        click.Option(["--run"], metavar="RUN", default="", help="Those of one run."),
    ),
    _chosen,
)
inbox.add_command(conflicts)
for _operation in OPERATIONS:
    inbox.add_command(command_of(_operation, _ALL_OR_A_RUN if _operation is ACCEPT else None))


def _waiting_json(one: Waiting, now: datetime) -> dict[str, Any]:
    from workbench.dreaming.proposals.safety_flags import flags_of

    flags = flags_of(one.proposal)
    return {
        **one.proposal.as_json(),
        "stale": one.stale or None,
        "deferred_until": one.until.isoformat() if one.until else None,
        "hidden": one.hidden(now),
        "flags": list(flags),
        "suspicious": any(flag.startswith("suspicious") for flag in flags),
        "gone": list(one.gone),
    }
