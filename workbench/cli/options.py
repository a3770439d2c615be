"""The kinds of options, and those that several commands take, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, TypeAlias

import click

from workbench.cli import shell_values
from workbench.cli.commands import refuse_renamed
from workbench.cli.output import json_option, shared_option

Decorator: TypeAlias = Callable[[Any], Any]


class Command(click.Command):
    """A command that answers in JSON where it is asked for."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        json_option(self)


class CommandGroup(click.Group):
    """A group of such commands, some of which were called otherwise."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that ``args`` name. Raises UsageError for a name that is no more."""
        refuse_renamed(ctx, args[0])
        return super().resolve_command(ctx, args)


def command(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """``click.command`` for one of these."""
    return click.command(name, cls=Command, **settings)


def group(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], CommandGroup]:
    """``click.group`` for one of these."""
    return click.group(name, cls=CommandGroup, **settings)


class _Day(click.ParamType[date]):
    name = "day"

    def convert(self, value: str | date, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return value if isinstance(value, date) else date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a day: write it as 2026-03-14", param, ctx)


DAY = _Day()
"""The type of an option that takes a date."""


def flag(name: str, help: str, into: str = "", *, shared: bool = False) -> Decorator:
    """An option without a value; ``into`` is the parameter where that is not its name.

    The value of a ``shared`` one is had from ``output.given``.
    """
    option = shared_option if shared else click.option
    return option(*_names(name, into), is_flag=True, help=help)


def word(
    name: str,
    metavar: str,
    help: str = "",
    into: str = "",
    *,
    default: str | None = "",
    offer: shell_values.Offer | None = None,
    required: bool = False,
) -> Decorator:
    """An option that takes a word; ``offer`` completes it."""
    usual: dict[str, Any] = {} if required else {"default": default}
    return click.option(
        *_names(name, into),
        metavar=metavar,
        help=help or None,
        shell_complete=offer,
        required=required,
        **usual,
    )


def words(name: str, into: str, metavar: str, help: str) -> Decorator:
    """An option that may be repeated."""
    return click.option(name, into, metavar=metavar, multiple=True, help=help)


def number(
    *names: str,
    low: int = 0,
    high: int | None = None,
    default: int | None = None,
    metavar: str | None = None,
    help: str | None = None,
) -> Decorator:
    """An option that takes a whole number in these bounds."""
    return click.option(
        *names,
        type=click.IntRange(low, high),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=help,
    )


def share(name: str, default: float | None = None, into: str = "") -> Decorator:
    """An option that takes a number in [0, 1]."""
    return click.option(*_names(name, into), type=click.FloatRange(0, 1), default=default)


def choice(
    name: str, choices: Iterable[str], default: str | None = None, help: str | None = None, into: str = ""
) -> Decorator:
    """An option that takes one of a few words."""
    return click.option(
        *_names(name, into),
        type=click.Choice(tuple(choices)),
        default=default,
        show_default=default is not None,
        help=help,
    )


def day(name: str, help: str, into: str = "") -> Decorator:
    """An option that takes a date."""
    return click.option(*_names(name, into), metavar="DAY", type=DAY, help=help)


def named(name: str, metavar: str = "", offer: shell_values.Offer | None = None) -> Decorator:
    """An argument, described as usage lines do it; ``offer`` completes it.

    ``[PATH]`` may be left out, of ``PATH...`` there may be many.
    """
    shown = metavar or name.upper()
    return click.argument(
        name,
        metavar=shown,
        required=not shown.startswith("["),
        nargs=-1 if shown.endswith("...") else 1,
        shell_complete=offer,
    )


def together(*options: Decorator) -> Decorator:
    """All of these, in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _names(name: str, into: str) -> tuple[str, ...]:
    return (name, into) if into else (name,)


dry_run_option = flag("--dry-run", "Only show the diff (dry run).", shared=True)
reason_option = click.option("--reason", default="", help="The reason, stored in the commit.")
allow_secret_option = flag("--allow-secret", "Go on even if this stores a new secret in git.", shared=True)
yes_option = flag("--yes", "Do not ask for confirmation.", shared=True)
model_option = shared_option(
    "--model", metavar="NAME", default="", help="The language model at your endpoint, or `none`."
)
hits_option = number("-k", low=1, high=1000, default=10, help="Hits.")
mode_option = choice("--mode", ("hybrid", "lexical", "vector"), "hybrid")
