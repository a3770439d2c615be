"""The kinds of options, and those that several commands take, each declared once.

Which workspace a command works on, and as of when.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from indexing.search.modes import MODES
from workbench.cli import shell_values
from workbench.cli.commands import refuse_renamed
from workbench.cli.output import json_option, narrate, narrate_row, shared_option

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

Decorator: TypeAlias = Callable[[Any], Any]


class Command(click.Command):
    """A command that answers in JSON where it is asked for."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        json_option(self)


class CommandGroup(click.Group):
    """A group of such commands, some of which were called otherwise."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments; a group that has a list shows it where no command is named."""
        is_named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        if "list" in self.commands and not (is_named or self.invoke_without_command or ctx.resilient_parsing):
            args = ["list", *args]
        return super().parse_args(ctx, args)

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
            self.fail(f"{value!r} is not a date: write it as 2026-03-14", param, ctx)


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


class _Choice(click.Choice[str]):
    def __init__(self, choices: Sequence[str], others: Mapping[str, str]) -> None:
        super().__init__(choices)
        self._others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(self._others.get(value, value), param, ctx)


def choice(
    name: str,
    choices: Iterable[str],
    default: str | None = None,
    help: str | None = None,
    into: str = "",
    others: Mapping[str, str] = MappingProxyType({}),
) -> Decorator:
    """An option that takes one of a few words, or one of ``others`` for it."""
    return click.option(
        *_names(name, into),
        type=_Choice(tuple(choices), others),
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
allow_secret_option = flag("--allow-secret", "Continue even if this stores a new secret in git.", shared=True)
yes_option = flag("--yes", "Do not ask for confirmation.", shared=True)
model_option = shared_option(
    "--model", metavar="NAME", default="", help="The language model at your endpoint, or `none`."
)
hits_option = number("-k", low=1, high=1000, default=10, help="Hits.")
mode_option = choice("--mode", dict.fromkeys(MODES.values()), "hybrid", others=MODES)


_READS = frozenset(
    {
        *("status", "get", "search", "log", "show", "blame", "recent", "list", "stats"),
        *("inject", "bulletin", "mcp", "connect", "context"),
    }
)
"""Commands that only read: they, and the agent's hooks, go on where a value in the settings is wrong."""
_TOLD = "workbench.told"
"""Under this key, what of the settings was told to be passed over."""
AS_OF = "workbench.as_of"
"""Under this key a command's context keeps the moment that was asked for with ``--as-of``."""


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """The workspace that was asked for with ``-w``, else the nearest one; closed at the end.

    With ``--as-of`` it is the workspace of that moment, and cannot be changed.
    """
    found = opened(click.get_current_context().obj)
    try:
        yield found
    finally:
        found.close()


def opened(folder: Path | str | None, *, anyhow: bool = False) -> Workspace:
    """The workspace in ``folder``, else the nearest one, as of the moment that was asked for.

    ``anyhow``: also where its settings are wrong. What of them was passed over is told on stderr, once.
    """
    from workbench.workspace.workspace import Workspace

    context = click.get_current_context()
    lenient = context.info_name in _READS and not context.params.get("commit")
    if folder:
        found = Workspace.open(folder, anyhow=anyhow, lenient=lenient)
    else:
        found = Workspace.nearest(".", anyhow=anyhow, lenient=lenient)
    tell_skipped(found)
    asked = context.meta.get(AS_OF)
    if asked is None:
        bring_up_to_date(found)
        return found
    from workbench.workspace.snapshot import open_past

    try:
        past = open_past(found, moment(asked))
    finally:
        found.close()
    narrate(f"as of {past.moment}")
    return past


def tell_skipped(place: Workspace) -> None:
    """Say on stderr what of its settings was passed over, each once."""
    told = click.get_current_context().meta.setdefault(_TOLD, set())
    for problem in place.skipped:
        if problem not in told:
            told.add(problem)
            narrate_row(f"workbench: {problem.row}; it is ignored")


def bring_up_to_date(place: Workspace) -> None:
    """Add what programs wrote into replaced files to their files; say what has to wait."""
    if not (place.cache_dir() / "displaced").is_dir():
        return
    from workbench.workspace.late_lines import carry_late, late_in, late_sentences

    carry_late(place)
    for sentence in late_sentences([late for late in late_in(place) if late.text]):
        narrate(f"waiting: {sentence}")


def meant(text: str, *, may_be_new: bool = False) -> str:
    """The folder that ``text`` names: a folder, else a registered workspace. Raises NoWorkspaceError."""
    from workbench.workspace.registry import resolved

    folder, said = resolved(text, may_be_new=may_be_new)
    if said:
        narrate(said)
    return folder


def moment(text: str) -> str:
    """A moment as a person writes it; of days in words (``last march``) the last one, ``2026-03-31``."""
    from indexing.search.index_search import moment_named

    return moment_named(text, date.today())
