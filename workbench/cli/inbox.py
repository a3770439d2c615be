"""The commands on what waits for a person: proposals, and text of other writers that fitted into no file.

Proposals are printed for 80 columns: the claim, what its score is made of, how far each gate is.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Mapping, Sequence
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
from workbench.dreaming.proposals.budget import budget_of, room_note
from workbench.dreaming.proposals.decide import foretold
from workbench.dreaming.proposals.inbox import (
    PendingProposal,
    SettledProposal,
    find_all,
    overview,
    pending,
    waiting,
)
from workbench.dreaming.proposals.operations import ACCEPT, OPERATIONS
from workbench.dreaming.proposals.origins import Quotation
from workbench.dreaming.proposals.safety_flags import flags_of, is_from_outside
from workbench.errors import UsageError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.memory.proposal import Gate, Proposal
from workbench.plural import first_few, plural
from workbench.safety.secrets import masked, masked_line
from workbench.safety.terminal import cut, visible_line
from workbench.workspace.late_writes import Conflict, KeptFile
from workbench.workspace.workspace import Workspace

_run_option = word("--run", "RUN", "Only proposals of this run.")
_UNKNOWN = "unknown file"
_WIDEST = 100
_KEY_DIGITS = 8
_MARGIN = " " * (_KEY_DIGITS + 2)
_BAR = 30
"""Characters of a whole bar, which stands for a score of 1."""
_SOURCES = 3
_VERBS = {
    "add": "add to",
    "merge": "merge into",
    "supersede": "replace in",
    "archive": "archive from",
    "forget": "forget in",
    "store": "store on",
    "update": "change on",
    "patch": "patch",
}


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
        (one,) = find_all(place, [key], now)
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


def say_proposal(proposal: Proposal, *, note: str = "") -> None:
    """Print one proposal: what it does, the words, the bar of its score, its gates and sources."""
    columns = _width()
    score = f"score {proposal.score:.2f}" if proposal.score else ""
    head = cut(f"{short_key(proposal)}  {_what(proposal)}", columns - len(score) - 2)
    say(f"{head:<{columns - len(score)}}{score}".rstrip(), bold=True)
    say_wrapped(proposal.text)
    if proposal.target and proposal.action in ("merge", "supersede"):
        say(
            f"{_MARGIN}{cut(f'the entry there: {masked_line(proposal.target)}', columns - len(_MARGIN))}",
            dim=True,
        )
    if proposal.parts:
        # What says nothing of a claim, a factor of 1, is left out.
        factors = [f"{name} {_number(value)}" for name, value in proposal.parts.items() if value != 1]
        say_wrapped(f"{bar(proposal.score)}  {' · '.join(factors)}")
    if proposal.gates:
        say_wrapped("gates " + " · ".join(map(_gate, proposal.gates)), dim=True)
    say_wrapped(_from(proposal), dim=True)
    if note:
        say_wrapped(note, fg="yellow")
    say("")


def flag_note(proposal: Proposal) -> str:
    """Why it is taken only knowingly; empty where nothing about it is flagged."""
    found = flags_of(proposal)
    return f"flagged, and taken only with --allow-flagged: {'; '.join(found)}" if found else ""


def say_in_full(one: PendingProposal, sources: Sequence[Quotation] = ()) -> None:
    """Print a proposal with each part of its score, each gate, all sources with their words, and why."""
    proposal = one.proposal
    say(f"{proposal.key}  {_what(proposal)}", bold=True)
    say_wrapped(proposal.text, margin="  ")
    say_score(proposal.score, proposal.parts, proposal.gates)
    for name, value in (
        ("target", proposal.target),
        ("why", proposal.why),
        ("trust", proposal.trust),
        ("by", proposal.by),
        ("run", proposal.run),
        ("session", proposal.session),
        ("proposed", f"{proposal.made_at.astimezone():%Y-%m-%d %H:%M}" if proposal.made_at else ""),
        ("marks", ", ".join(f"{key} {value}" for key, value in proposal.marks.items())),
        ("deferred", f"until {one.until}" if one.until else ""),
        ("stale", one.stale),
        *(
            ("source", ": ".join(filter(None, (source.place, source.heading, source.text or source.gone))))
            for source in sources
        ),
    ):
        say_field(name, value)


def say_settled(settled: Iterable[SettledProposal]) -> None:
    """Print a line for each proposal that does not wait any more: what was decided of it, and its words."""
    for one in settled:
        head = f"{short_key(one.proposal)}  {_what(one.proposal)}: {masked_line(one.said)}"
        say(cut(head, _width()), bold=True)
        say_wrapped(one.proposal.text)


def say_waiting(waits: Iterable[PendingProposal], now: datetime) -> None:
    """Print a list of proposals; what is stale, deferred or flagged says so."""
    for one in waits:
        note = f"stale: {one.stale}" if one.stale else ""
        note = one.stale if one.malformed else note
        if is_from_outside(one.proposal) and not note:
            note = "from outside: never accepted together with others"
        if one.hidden(now):
            note = f"deferred until {one.until}"
        note = flag_note(one.proposal) or note
        if one.gone and not one.stale:
            note = f"{len(one.gone)} of its {len(one.proposal.entries)} sources are gone"
        say_proposal(one.proposal, note=note)


def say_field(name: str, value: str) -> None:
    """Print a value with its name before it, if there is one."""
    lines = textwrap.wrap(masked_line(value), _width() - 12, break_on_hyphens=False, break_long_words=False)
    for at, each in enumerate(lines):
        say(f"  {'' if at else name:<9} {each}")


def say_score(score: float, parts: Mapping[str, float], gates: Sequence[Gate]) -> None:
    """Print a bar a factor, filled as far as it can be; their product, and how far each gate is."""
    from workbench.dreaming.score import MOST, filled

    if parts:
        longest = max(len(name) for name in (*parts, "score"))
        for name, value in parts.items():
            most = f" of {MOST[name]:.2f}" if name in MOST else ""
            say(f"  {masked_line(name):<{longest}}  {value:5.2f}{most:<8}  {bar(filled(name, value))}")
        say(f"  {'score':<{longest}}  {score:5.2f}{'':<8}  {bar(score)}", bold=True)
    for gate in gates:
        say(f"  gate {masked_line(_gate(gate))}")


def say_wrapped(text: str, *, margin: str = _MARGIN, **style: object) -> None:
    """Print text of memory in lines that fit, without its secrets; its own lines stay apart."""
    fitting = textwrap.TextWrapper(
        _width(), initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )
    for line in masked(text).splitlines():
        for each in fitting.wrap(visible_line(line)):
            say(each, **style)


def bar(value: float) -> str:
    """A plain bar; 1 fills it."""
    filled = max(0, min(_BAR, round(value * _BAR)))
    return "█" * filled + "·" * (_BAR - filled)


def short_key(proposal: Proposal) -> str:
    """As much of its key as a person types."""
    return proposal.key[:_KEY_DIGITS]


def _width() -> int:
    """Columns to write in: the terminal's, at most a comfortable line."""
    return max(40, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def _gate(gate: Gate) -> str:
    """What was reached of what is needed: ``context 2 (min 3), 1 missing``."""
    missing = f", {_number(gate.distance)} missing" if gate.distance else ""
    return f"{gate.name} {_number(gate.reached)} (min {_number(gate.needed)}){missing}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _what(proposal: Proposal) -> str:
    where = proposal.section or proposal.target.rpartition("#")[0] or "memory"
    return masked_line(f"{_VERBS.get(proposal.action, proposal.action)} {where}")


def _from(proposal: Proposal) -> str:
    said = [
        ", ".join(first_few(proposal.sources, _SOURCES)),
        f"trust {proposal.trust}",
        f"by {proposal.by}" if proposal.by != "dreaming" else "",
        proposal.why,
    ]
    return " · ".join(filter(None, said))
