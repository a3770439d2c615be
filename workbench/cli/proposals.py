"""What waits for a person: proposals are listed, shown, accepted, reworded, rejected, deferred, withdrawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.output import json_option, narrate, say, say_diff, say_json
from workbench.cli.run_operation import act, allow_secret_option, dry_run_option, reason_option
from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError, WorkbenchError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.dreaming.proposals.inbox import Waiting
    from workbench.workspace.workspace import Workspace

_keys = click.argument("keys", metavar="KEY...", nargs=-1)
_run_option = click.option("--run", metavar="RUN", default="", help="Those of one run.")


@click.group(short_help="What waits for you: show, accept, edit, reject, defer it.")
def proposals() -> None:
    """What waits for you: look at it, accept, reword, reject, defer or withdraw it.

    KEY is the first digits of a proposal's key.
    """


@proposals.command("list")
@click.option("--all", "everything", is_flag=True, help="Deferred and stale ones too.")
@_run_option
@json_option
def list_(everything: bool, run: str, as_json: bool) -> None:
    """The proposals that wait, the oldest first."""
    from workbench.cli.proposals_text import say_waiting
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
        narrate("answer each: `workbench proposals show|accept|edit|reject|defer KEY`")


@proposals.command(short_help="What became of proposals that do not wait any more.")
@_run_option
@json_option
def decided(run: str, as_json: bool) -> None:
    """What became of proposals that do not wait any more, the newest last."""
    from workbench.cli.proposals_text import say_settled
    from workbench.dreaming.proposals.overview import overview

    with workspace() as place:
        settled = overview(place, datetime.now().astimezone()).settled
    settled = tuple(one for one in settled if not run or one.proposal.run.startswith(run))
    if as_json:
        say_json([{**one.proposal.as_json(), "decision": one.decision, "said": one.said} for one in settled])
        return
    say_settled(settled)
    narrate(f"{plural(len(settled), 'decided proposal')}; `workbench proposals withdraw KEY` reopens one")


@proposals.command(short_help="One proposal in full, with its diff.")
@click.argument("key", metavar="KEY")
@json_option
def show(key: str, as_json: bool) -> None:
    """One proposal in full, with the diff that accepting it would make."""
    from workbench.cli.proposals_text import say_in_full
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


@proposals.command()
@_keys
@click.option("--all", "everything", is_flag=True, help="All that wait.")
@_run_option
@click.option("--allow-flagged", is_flag=True, help="Hidden text, secrets and suspicious orders too.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def accept(
    keys: tuple[str, ...],
    everything: bool,
    run: str,
    allow_flagged: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Do what proposals say, all of them as one operation."""
    from workbench.dreaming.proposals.accept import plan_accept

    now = datetime.now().astimezone()
    with workspace() as place:
        chosen = _chosen(place, keys, everything=everything, run=run, now=now)
        act(
            place,
            lambda: plan_accept(place, chosen, now=now, reason=reason, allow_flagged=allow_flagged),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )


def _chosen(
    place: Workspace, keys: Sequence[str], *, everything: bool, run: str, now: datetime
) -> Sequence[str]:
    """The keys that were named, or all that wait, or those of a run."""
    from workbench.dreaming.proposals.inbox import pending

    if sum((bool(keys), everything, bool(run))) != 1:
        raise UsageError("name what is meant by one of: keys, --all, --run RUN")
    if keys:
        return keys
    waits = pending(place, now)
    found = [f"{one.key}/{one.action}" for one in waits if everything or one.run.startswith(run)]
    if not found:
        raise UsageError(
            f"no proposal of run {run} waits" if run else "no proposal waits", hint="`workbench dream`"
        )
    return found


@proposals.command()
@click.argument("key", metavar="KEY")
@click.option("--text", metavar="WORDS", default=None, help="The words; else your editor opens.")
@click.option("--allow-flagged", is_flag=True, help="Hidden text, secrets and suspicious orders too.")
@reason_option
@allow_secret_option
@dry_run_option
@json_option
def edit(
    key: str,
    text: str | None,
    allow_flagged: bool,
    reason: str,
    allow_secret: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Accept a proposal in your own words.

    The words that were proposed are not proposed again.
    """
    from workbench.dreaming.proposals.accept import plan_accept
    from workbench.dreaming.proposals.inbox import find

    now = datetime.now().astimezone()

    def put(place: Workspace, words: str) -> None:
        act(
            place,
            lambda: plan_accept(
                place, [key], now=now, texts={key: words}, reason=reason, allow_flagged=allow_flagged
            ),
            dry_run=dry_run,
            as_json=as_json,
            allow_secret=allow_secret,
        )

    with workspace() as place:
        one = find(place, key, now)
        if one.proposal.action in ("archive", "forget"):
            raise UsageError(f"to {one.proposal.action} takes no words", hint="accept or reject it")
        if text is not None:
            put(place, text)
        else:
            _in_editor(place, one.proposal.text, put)


def _in_editor(place: Workspace, words: str, put: Callable[[Workspace, str], None]) -> None:
    from workbench.editor import drafted, editor_command

    command = editor_command(os.environ)
    with drafted(words + "\n", away_from=place.root) as draft:
        try:
            draft.run_editor(command)
            put(place, draft.text())
        except (WorkbenchError, OSError, KeyboardInterrupt):
            if draft.changed:
                narrate(f"your text is kept in {draft.path}")
            raise


@proposals.command(short_help="Say no: these claims are never proposed again.")
@_keys
@reason_option
@dry_run_option
@json_option
def reject(keys: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Say no: these claims are never proposed again, in other words of the same kind neither."""
    from workbench.dreaming.proposals.reject import plan_reject

    now = datetime.now().astimezone()
    with workspace() as place:
        act(
            place,
            lambda: plan_reject(place, keys, now=now, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


@proposals.command()
@_keys
@click.option("--until", metavar="DAY", required=True, help="2026-04-01, 3d or 2w.")
@reason_option
@dry_run_option
@json_option
def defer(keys: tuple[str, ...], until: str, reason: str, dry_run: bool, as_json: bool) -> None:
    """Not now: proposals wait unseen until a day."""
    from workbench.dreaming.proposals.defer import day_ahead, plan_defer

    now = datetime.now().astimezone()
    with workspace() as place:
        day = day_ahead(until, now.date())
        act(
            place,
            lambda: plan_defer(place, keys, day, now=now, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


@proposals.command(short_help="Take proposals, or what was decided of them, off the table.")
@_keys
@reason_option
@dry_run_option
@json_option
def withdraw(keys: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Take proposals, or what was decided of them, off the table: they may be proposed again."""
    from workbench.dreaming.proposals.reject import plan_withdraw

    now = datetime.now().astimezone()
    with workspace() as place:
        act(
            place,
            lambda: plan_withdraw(place, keys, now=now, reason=reason),
            dry_run=dry_run,
            as_json=as_json,
        )


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
