"""The command of an operation, made from its declaration.

Each takes what the operation is done to, its parameters, ``--allow-secret``, ``--dry-run`` and ``--json``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click

from workbench.cli import shell_values
from workbench.cli.lookup import content_address, content_addresses
from workbench.cli.output import narrate
from workbench.cli.run_operation import act
from workbench.cli.workspace_options import DAY, workspace
from workbench.errors import UsageError
from workbench.operations.operation_spec import Kind, OperationSpec, Parameter
from workbench.workspace.workspace import Workspace

_TYPES: dict[Kind, click.ParamType[Any]] = {
    Kind.INTEGER: click.INT,
    Kind.DAY: DAY,
    Kind.FLAG: click.BOOL,
    Kind.COUNT: click.IntRange(min=0),
    Kind.SHARE: click.FloatRange(0, 1),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Another way to say what an operation is done to, by options of its own.

    ``choose`` is called with the workspace, what was named, the values of the options, ``dry_run`` and
    ``as_json``; it returns a function that gives the subject whenever the operation is planned.
    """

    options: tuple[click.Option, ...]
    choose: Callable[..., Callable[[], Any]]


def command_of(operation: OperationSpec, selection: Selection | None = None) -> click.Command:
    """The command that plans the operation and shows it or carries it out."""

    def by_name(place: Workspace, subject: Any, *, dry_run: bool, as_json: bool) -> Callable[[], Any]:
        named = _addressed(place, operation.subject, subject)
        return lambda: named

    by = selection or Selection((), by_name)

    def call(*, subject: Any, allow_secret: bool, dry_run: bool, as_json: bool, **given: Any) -> None:
        with workspace() as place:
            own = {str(option.name): given.pop(str(option.name)) for option in by.options}
            chosen = by.choose(place, subject, **own, dry_run=dry_run, as_json=as_json)
            for parameter in operation.parameters:
                given[parameter.name] = _addressed(place, parameter, given[parameter.name])

            def carry_out(values: Mapping[str, Any]) -> None:
                act(
                    place,
                    lambda: operation.planned(place, chosen(), **values),
                    dry_run=dry_run,
                    as_json=as_json,
                    allow_secret=allow_secret,
                )

            if operation.draft:
                _with_text(place, operation, chosen(), given, carry_out)
            else:
                carry_out(given)

    return click.Command(
        operation.name,
        callback=call,
        params=list(_parameters(operation, by)),
        help="\n\n".join(filter(None, (operation.help, operation.details))),
        short_help=operation.help,
    )


def _parameters(operation: OperationSpec, selection: Selection) -> Iterator[click.Parameter]:
    yield _argument(operation.subject, "subject")
    yield from selection.options
    for parameter in operation.parameters:
        yield _argument(parameter) if parameter.argument else _option(parameter)
        if operation.draft and parameter.name == "text":
            yield click.Option(["--from-stdin"], is_flag=True, help="Read them from standard input.")
    yield click.Option(["--allow-secret"], is_flag=True, help="Record a secret in git's history, as it is.")
    yield click.Option(["--dry-run"], is_flag=True, help="Only show the diff.")
    yield click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")


def _argument(parameter: Parameter, name: str = "") -> click.Argument:
    choices = click.Choice(parameter.choices) if parameter.choices else None
    return click.Argument(
        [name or parameter.name],
        type=choices,
        metavar=parameter.metavar or (None if choices else parameter.name.upper()),
        nargs=-1 if parameter.many else 1,
        required=parameter.required,
    )


def _option(parameter: Parameter) -> click.Option:
    names = ["--" + (parameter.option or parameter.name).replace("_", "-"), parameter.name]
    if parameter.kind is Kind.FLAG and parameter.default is not None:
        default = parameter.default
        return click.Option(names, is_flag=True, flag_value=not default, default=default, help=parameter.help)
    # A default that is given, even None, would answer for what is required.
    usual: dict[str, Any] = {} if parameter.required else {"default": parameter.default}
    return click.Option(
        names,
        type=click.Choice(parameter.choices) if parameter.choices else _TYPES.get(parameter.kind),
        metavar=parameter.metavar,
        required=parameter.required,
        multiple=parameter.many,
        help=parameter.help,
        shell_complete=shell_values.memory_paths if parameter.kind is Kind.FILE else None,
        **usual,
    )


def _addressed(place: Workspace, parameter: Parameter, value: Any) -> Any:
    """A value, where it names entries by ``path:line`` their addresses."""
    if parameter.kind is not Kind.ENTRY or value is None:
        return value
    return content_addresses(place, value) if parameter.many else content_address(place, value)


def _with_text(
    place: Workspace,
    operation: OperationSpec,
    subject: Any,
    given: dict[str, Any],
    carry_out: Callable[[Mapping[str, Any]], None],
) -> None:
    """Carry it out with the text that was given, by an option or on stdin, else written in an editor."""
    from workbench.editor import drafted, editor_command

    if given.pop("from_stdin"):
        if given["text"] is not None:
            raise UsageError("--text or --from-stdin, not both")
        data = sys.stdin.buffer.read() if sys.stdin else b""  # None where it is closed
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
