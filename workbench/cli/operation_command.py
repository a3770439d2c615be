"""The command of each operation, made from its declaration, and what an argument of it names."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from workbench.cli import shell_values
from workbench.cli.console import (
    DAY,
    Decorator,
    agree,
    allow_secret_option,
    answered,
    command,
    dry_run_option,
    flag,
    given,
    narrate,
    narrate_notes,
    narrate_row,
    number,
    operation_json,
    plan_json,
    say,
    say_diff,
    say_row,
    together,
    wants_json,
    word,
    workspace,
    yes_option,
)
from workbench.errors import (
    AmbiguousEntryError,
    ConflictError,
    EntryNotFoundError,
    NotCuratableError,
    NotMemoryError,
    UsageError,
    WorkbenchError,
)
from workbench.frozen import frozen
from workbench.memory.entry import LINES, RelPath, heading_path
from workbench.memory.markdown import Document
from workbench.operations.registry import OPERATIONS, Kind, OperationSpec, Parameter
from workbench.plural import plural
from workbench.safety.terminal import cut
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.plan import Operation, Plan
from workbench.workspace.snapshot import PastWorkspace
from workbench.workspace.workspace import LEADER_MARK, Workspace

if TYPE_CHECKING:
    from workbench.history.lineage import LineageStep
    from workbench.history.origin import LineOrigin, Origin


# -- what an argument names: an entry by its line, a leader's memory by ``leader:`` ------------------

_Asked = TypeVar("_Asked", str, "str | None")


def content_address(place: Workspace, named: str) -> str:
    """``path#hash`` of the entry at the line that ``named`` gives, said on stderr; anything else as it is.

    The file is read once, here: what an action then does depends on the text alone, never on the line. Raises
    EntryNotFoundError where no entry stands there, AmbiguousEntryError where several do, NotMemoryError.
    """
    found = LINES.fullmatch(named)
    is_file = place.layout.may_curate(named) and place.files.read_or_none(RelPath(named)) is not None
    if found is None or is_file or not place.layout.may_curate(found["path"]):
        return named  # what is no memory is refused by the action itself
    try:
        document = place.document(found["path"])
    except FileNotFoundError:
        raise NotMemoryError(found["path"]) from None
    first = int(found["first"])
    last = max(first, int(found["last"] or first))
    here = [entry for entry in document.entries if entry.start_line <= last and first <= entry.end_line]
    if not here:
        raise EntryNotFoundError(named, *_why_none(document, first))
    if len(here) > 1:
        raise AmbiguousEntryError(named, [entry.address for entry in here])
    narrate_row(f"{named} is {here[0].address}")
    return here[0].address


def _why_none(document: Document, line: int) -> tuple[str, str]:
    """What to say of a line that holds no entry, and which entry is nearest."""
    count = len(document.data.splitlines())
    if line > count:
        return f"{document.path} ends at line {count}: there is no line {line}", ""
    message = f"line {line} of {document.path} holds no entry"
    if not document.entries:
        return message, "the file has no entries"
    near = min(
        document.entries, key=lambda entry: min(abs(entry.start_line - line), abs(entry.end_line - line))
    )
    return message, f"the nearest is at line {near.start_line}: {near.address}"


@frozen
class AddressedWorkspace:
    """The workspace that is read, and what is written before its addresses; nothing for one's own."""

    place: Workspace
    mark: str = ""

    def address(self, address: str) -> str:
        """``address``, or a path, as this person may give it to the next command."""
        return self.mark + address

    def step(self, step: LineageStep) -> LineageStep:
        """A step of an entry's history, its addresses so that they can be given to the next command."""
        before, after = (tuple(map(self.address, some)) for some in (step.before, step.after))
        return replace(step, before=before, after=after)

    def line(self, line: LineOrigin) -> LineOrigin:
        """A line of a file, likewise."""
        entry = self.address(line.entry) if line.entry else None
        return replace(line, entry=entry, origin=self.origin(line.origin) if line.origin else None)

    def origin(self, origin: Origin) -> Origin:
        """Where an entry comes from, likewise: its source is marked where that is a file of theirs."""
        source = origin.source
        if source and self.place.layout.may_curate(source.partition("#")[0]):
            source = self.address(source)
        return replace(origin, source=source)

    def as_json(self) -> dict[str, str]:
        """What an answer about the leader's says of it, as a hit of a search does; of one's own nothing."""
        return {"scope": self.mark.rstrip(":"), "root": str(self.place.root)} if self.mark else {}


@contextlib.contextmanager
def whose(asked: _Asked) -> Iterator[tuple[AddressedWorkspace, _Asked]]:
    """Whose memory ``asked`` means, opened, and what it is called there: ``leader:…`` is in the leader's.

    A file of one's own that is called so goes before it. Raises UsageError where the leader's cannot be read.
    """
    with workspace() as here:
        leader = None
        if asked and here.is_leaders(asked):
            if isinstance(here, PastWorkspace):
                raise UsageError(
                    f"{asked} is the leader's, and --as-of shows your own memory only",
                    hint="omit --as-of, or select the leader's folder with -w",
                )
            from workbench.agent.federated_search import open_leader  # brings the engines

            leader = open_leader(here)
        if asked and leader is not None:
            with contextlib.closing(leader):
                yield AddressedWorkspace(leader, LEADER_MARK), asked.removeprefix(LEADER_MARK)
        else:
            yield AddressedWorkspace(here), asked


# -- the command of an operation ---------------------------------------------------------------------

_TYPES: dict[Kind, click.ParamType[Any]] = {
    Kind.INTEGER: click.INT,
    Kind.DAY: DAY,
    Kind.FLAG: click.BOOL,
    Kind.COUNT: click.IntRange(min=0),
    Kind.SHARE: click.FloatRange(0, 1),
}
_SHOWN = 8
"""New addresses that are told; more of them are no help on a screen, and --json has them all."""
Chosen = Callable[[], Any]
"""Gives what an operation is done to, as it is when it is called: whenever the operation is planned."""
_TITLE = 60


@frozen
class Selection:
    """Another way to say what an operation is done to, by options of its own.

    ``choose`` is called with the workspace, what was named (of entries their addresses), and the values of
    all options by keyword.
    """

    options: tuple[Decorator, ...]
    choose: Callable[..., Chosen]


def command_of(operation: OperationSpec, selection: Selection | None = None) -> click.Command:
    """The command that plans the operation and shows it or carries it out.

    It takes what the operation is done to, its parameters, ``--allow-secret``, ``--dry-run`` and ``--json``.
    """

    def call(subject: Any = None, **values: Any) -> None:
        with workspace() as place:
            named = _addressed(place, operation.subject, subject)
            chosen = selection.choose(place, named, **values) if selection else lambda: named
            usual = {each.name: _addressed(place, each, values[each.name]) for each in operation.parameters}

            def carry_out(with_these: Mapping[str, Any]) -> None:
                act(place, lambda: operation.planned(place, chosen(), **with_these))

            if not operation.undoable:
                if not answered(operation.record(place, chosen(), **usual)):
                    say("recorded; nothing was stored")
            elif operation.draft:
                _with_text(place, operation, chosen(), usual, values["from_stdin"], carry_out)
            else:
                carry_out(usual)

    options = [_argument(operation.subject, "subject")] if operation.subject.name else []
    options += selection.options if selection else ()
    options += [_argument(each) if each.argument else _option(each) for each in operation.parameters]
    if operation.draft:
        options.append(flag("--from-stdin", "Read the text from standard input."))
    if operation.undoable:
        options += [allow_secret_option, dry_run_option]
    return command(
        operation.name,
        help="\n\n".join(filter(None, (operation.help, operation.details))),
    )(together(*options)(call))


def shown_first(
    find: Callable[[], Sequence[str]],
    line: Callable[[str], str],
    question: str,
    refusal: str,
    noun: str,
    *,
    ask: bool,
) -> Chosen:
    """What ``find`` gives, shown at once a ``line`` each; with ``ask`` it needs a yes, which a person gives.

    In ``question`` ``{}`` stands for the number of them, in ``refusal`` for the number with the ``noun``; the
    latter is the UsageError where nobody can be asked. The function that is returned raises ConflictError
    when there is something else to be found by then.
    """
    shown = find()
    for each in shown:
        (narrate if wants_json() else say)(line(each))
    if ask:
        agree(
            question.format(len(shown)),
            refusal=f"{refusal.format(plural(len(shown), noun))} needs your confirmation; nothing was "
            "changed",
            hint="look at the list, then add --yes; --dry-run shows the diff",
        )

    def again() -> Sequence[str]:
        found = find()
        if found != shown:
            raise ConflictError(
                "memory changed in the meantime, so the list is out of date; nothing was changed",
                hint="run the command again and check the new list",
            )
        return found

    return again


def _argument(parameter: Parameter, name: str = "") -> Decorator:
    choices = click.Choice(parameter.choices) if parameter.choices else None
    return click.argument(
        name or parameter.name,
        type=choices,
        metavar=parameter.metavar or (None if choices else parameter.name.upper()),
        nargs=-1 if parameter.many else 1,
        required=parameter.required,
    )


def _option(parameter: Parameter) -> Decorator:
    names = ["--" + (parameter.option or parameter.name).replace("_", "-"), parameter.name]
    if parameter.kind is Kind.FLAG and parameter.default is not None:
        default = parameter.default
        return click.option(
            *names, is_flag=True, flag_value=not default, default=default, help=parameter.help
        )
    # A default that is given, even None, would answer for what is required.
    usual: dict[str, Any] = {} if parameter.required or parameter.many else {"default": parameter.default}
    return click.option(
        *names,
        type=click.Choice(parameter.choices) if parameter.choices else _TYPES.get(parameter.kind),
        metavar=parameter.metavar,
        required=parameter.required,
        multiple=parameter.many,
        show_default=bool(parameter.choices and parameter.default),
        help=parameter.help,
        shell_complete=shell_values.memory_paths if parameter.kind is Kind.FILE else None,
        **usual,
    )


def _addressed(place: Workspace, parameter: Parameter, value: Any) -> Any:
    """A value, where it names entries by ``path:line``, or memories by their ids, their addresses."""
    if value is None or parameter.kind not in (Kind.ENTRY, Kind.MEMORY):
        return value
    named = value if parameter.many else (value,)
    if parameter.kind is Kind.ENTRY:
        found = tuple(content_address(place, one) for one in named)
    else:
        from workbench.graph.read import memory_addresses

        found = memory_addresses(place, named)
    return found if parameter.many else found[0]


def _with_text(
    place: Workspace,
    operation: OperationSpec,
    subject: Any,
    given: dict[str, Any],
    from_stdin: bool,
    carry_out: Callable[[Mapping[str, Any]], None],
) -> None:
    """Carry it out with the text that was given, by an option or on stdin, else written in an editor."""
    from workbench.editor import drafted, editor_command

    if from_stdin:
        if given["text"] is not None:
            raise UsageError("--text or --from-stdin, not both")
        data = sys.stdin.buffer.read()
        given["text"] = data.decode("utf-8", "surrogateescape")
    if given["text"] is not None:
        carry_out(given)
        return
    command = editor_command(os.environ)
    source = operation.drafted(place, subject)
    with drafted(source, away_from=place.root) as draft:
        try:
            draft.run_editor(command)
            carry_out({**given, "text": draft.text(), "expected": source})
        except (OSError, KeyboardInterrupt):
            if draft.changed:
                narrate(f"your text is kept in {draft.path}")
            raise


def planned_or_done(place: Workspace, planner: Callable[[], Plan]) -> tuple[Plan, Operation | None]:
    """The plan, with ``--dry-run`` alone, else with the operation that it became.

    ``--allow-secret`` is the person's word that a secret which git does not hold yet may be recorded.
    """
    plans: list[Plan] = []

    def plan_and_keep() -> Plan:
        plans.append(replace(place.finished(planner()), allow_secrets=bool(given("allow_secret"))))
        return plans[-1]

    if given("dry_run"):
        return plan_and_keep(), None
    operation = place.operations.carry_out(plan_and_keep)
    return plans[-1], operation


def act(place: Workspace, planner: Callable[[], Plan]) -> None:
    """Show what would be done (``--dry-run``), or do it and say so."""
    plan, operation = planned_or_done(place, planner)
    if answered(operation_json(operation, plan.diff()) if operation else plan_json(plan)):
        return
    if operation is None:
        say_diff(plan.diff())
        narrate_notes(plan.notes)
        return
    say(operation.summary)
    for key, value in operation.trailers:
        if key == "Section":
            say(f"  → {value}")
    new = [address for address in dict.fromkeys(operation.became) if address not in operation.entries]
    for address in new if len(new) <= _SHOWN else ():
        say_row(f"  as {address}")
    narrate(f"operation {operation.id}; `workbench undo {operation.id}` undoes it")
    narrate_notes(operation.notes)


def _to_forget(
    place: Workspace,
    entries: Sequence[str],
    *,
    session: str | None,
    query: str | None,
    most: int,
    **_: Any,
) -> Chosen:
    """The entries that were named, or those of a session or a query: shown, and with a yes alone."""
    if sum((bool(entries), session is not None, query is not None)) != 1:
        raise UsageError("select with one of: entries, --session S, --query Q")
    if entries:
        return lambda: entries
    if session is not None and not session.strip():
        raise UsageError("the name of a session is empty")
    from workbench.history.recent import entries_of_session

    def found() -> tuple[str, ...]:
        of = entries_of_session(place, session) if session is not None else _hits(place, query or "", most)
        if not of:
            what = f"session {session}" if session is not None else f"“{query}”"
            raise NotCuratableError(f"nothing in this memory comes from {what}; nothing was changed")
        return of

    return shown_first(
        found,
        lambda address: _line(place, address),
        "forget these {}?",
        "changing {} at once",
        "entry",
        ask=not (given("dry_run") or given("yes")),
    )


def _hits(place: Workspace, query: str, most: int) -> tuple[str, ...]:
    from indexing.search.answer import Query
    from indexing.search.index_search import IndexSearch

    hits = (
        IndexSearch(place, vectors=False).search(Query(text=query, k=most, mode="lexical", explain=True)).hits
    )
    # Who forgets by a word means what says it. A search also ranks lines that only stand beside such a line;
    # where none has words of its own, conditions alone were asked for (`kind:log path:2026-11-03`).
    said = [hit for hit in hits if hit.words]
    return tuple(dict.fromkeys(hit.entry for hit in said or hits))


def _line(place: Workspace, address: str) -> str:
    """An address, its first words, and where it stands."""
    if "#" not in address:
        entries = place.document(address).entries
        return f"{address}  {cut(entries[0].title if entries else '', _TITLE)}  (the whole page)"
    entry = place.find(address)
    under = f"{heading_path(entry.heading)}, " if entry.heading else ""
    return f"{address}  {cut(entry.title, _TITLE)}  ({under}line {entry.start_line})"


def _to_set_aside(
    place: Workspace, entries: Sequence[str], *, only_list: bool, release: bool, reason: str, **_: Any
) -> Chosen:
    """The entries that were named. What is not about setting aside is done here, and the command ends."""
    if release and (only_list or not entries):
        raise UsageError("--release takes entries", hint="`workbench quarantine --list` lists them")
    if only_list == bool(entries):
        raise UsageError(
            "ENTRY and --list exclude each other",
            hint="workbench quarantine ENTRY..., or workbench quarantine --list",
        )
    if only_list:
        _list_quarantine(place)
    if release:
        act(place, lambda: OPERATIONS["release"].planned(place, entries, reason=reason))
        raise click.exceptions.Exit
    return lambda: entries


def _list_quarantine(place: Workspace) -> NoReturn:
    from workbench.operations.quarantine import quarantined

    found = list(quarantined(place))
    reasons: dict[str, str] = {}
    with contextlib.suppress(WorkbenchError):  # without a repository no reason is known
        for operation in place.operations.walk(path=RelPath(QUARANTINE.rstrip("/"))) if found else ():
            if operation.action == "quarantine" and operation.reason:
                reasons = {**dict.fromkeys(operation.became, operation.reason), **reasons}
    told = [
        {
            "entry": item.address,
            "title": item.title,
            "from": item.origin,
            "quarantined": item.since,
            "reason": reasons.get(item.address),
        }
        for item in found
    ]
    if not answered(told):
        for item in found:
            since = f" since {item.since}" if item.since else ""
            say(f"{item.address}  from {item.origin or 'nowhere known'}{since}  {item.title}")
            if reason := reasons.get(item.address):
                say(f"    because {reason}", dim=True)
    raise click.exceptions.Exit


SELECTIONS = {
    "forget": Selection(
        (
            word("--session", "S", "All entries that come from session S.", default=None),
            word("--query", "Q", "The entries that a keyword search for Q finds.", default=None),
            number("-k", "most", low=1, high=1000, default=10, help="Maximum entries that --query selects."),
            yes_option,
        ),
        _to_forget,
    ),
    "quarantine": Selection(
        (
            flag("--list", "Show what is in quarantine.", "only_list"),
            flag("--release", "Release ENTRY: put it back where it came from."),
        ),
        _to_set_aside,
    ),
}
"""What the commands of these operations select by options of their own."""
