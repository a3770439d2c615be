"""What all commands share: output, options, and the workspace that is meant.

Output is JSON for programs, plain safe text and progress for people. Each kind of option, and each option
that several commands take, is declared once.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from indexing.search.modes import MODES
from workbench.cli import shell_values
from workbench.cli.commands import refuse_renamed
from workbench.errors import UsageError, WorkbenchError
from workbench.safety.terminal import visible, visible_line

if TYPE_CHECKING:
    from indexing.sync.report import SyncProgress
    from workbench.workspace.plan import Operation, Plan
    from workbench.workspace.workspace import Workspace


FOUND_WANTING = 4
"""The exit code of a command that looked, and found something wrong."""
_BAR_WIDTH = 24
_EXTRA = re.compile(r"Got unexpected extra argument \((.+)\)")
"""How click says that a command takes no argument, or no more."""
_OPERATION = (
    *("commit", "action", "summary", "when", "actor", "entries", "became", "paths", "undoes", "undone"),
    "notes",
)


def shared_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """An option that is no parameter of its command: whichever function needs it asks ``given``."""

    def keep(ctx: click.Context, option: click.Parameter, value: Any) -> None:
        ctx.meta[f"workbench.{option.name}"] = value

    return click.option(*names, expose_value=False, callback=keep, **settings)


def given(name: str) -> Any:
    """The value of the shared option ``name`` of the command that runs; None where it has no such option."""
    return click.get_current_context().meta.get(f"workbench.{name}")


json_option = shared_option("--json", is_flag=True, help="Print JSON.")


def wants_json() -> bool:
    """Whether the command that runs was asked for JSON."""
    return bool(given("json"))


def answered(value: Any) -> bool:
    """Print ``value`` where JSON was asked for, and say whether it was: else there is text to print."""
    if wants_json():
        say_json(value)
    return wants_json()


def this_moment() -> datetime:
    """Now, with the zone of this machine."""
    return datetime.now().astimezone()


class OutputError(OSError):
    """What a command has to say could not be written."""


def say_json(value: Any) -> None:
    """One JSON value on one line; ASCII only, so no byte of it can steer a terminal.

    A result in it is what its ``as_json`` makes of it, else an object of its fields.
    """
    put(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, PurePath):
        return str(value)
    from dataclasses import fields  # not for `--help`

    names = getattr(value, "__struct_fields__", None) or [field.name for field in fields(value)]
    return {name: getattr(value, name) for name in names}


def say(text: str, **style: Any) -> None:
    """Text that may hold anything, on stdout; coloured on a terminal only."""
    put(click.style(visible(text), **style) if style else visible(text))


def say_row(text: str, **style: Any) -> None:
    """``say`` for one row of a list, whose parts can hold line ends: the name of a folder may be anything."""
    say(visible_line(text), **style)


def put(data: str | bytes) -> None:
    """A line on stdout as it is: for programs, and for text that is known to be safe."""
    try:
        click.echo(data)
    except BrokenPipeError:
        raise
    except OSError as refused:
        raise OutputError(refused.errno, refused.strerror) from refused


def narrate(text: str) -> None:
    """What happens meanwhile, on stderr."""
    click.echo(visible(text), err=True)


def narrate_row(text: str) -> None:
    """``narrate`` for one row of a list."""
    narrate(visible_line(text))


@contextlib.contextmanager
def shown_meanwhile(rows: Sequence[str]) -> Iterator[None]:
    """``rows`` on stderr, a terminal, until the block ends: as many as it has lines, each cut at its edge."""
    shown = [visible_line(row) for row in rows[: shutil.get_terminal_size().lines - 1]]
    # Where nothing is wrapped, a row is a line: as many can be wiped as were written.
    click.echo("\x1b[?7l" + "\n".join(shown) + "\x1b[?7h", err=True)
    try:
        yield
    finally:
        click.echo(f"\x1b[{len(shown)}A\x1b[J", nl=False, err=True)


def say_fields(*values: tuple[str, object], width: int = 10) -> None:
    """A row for each value that there is, its name before it in a column of ``width``."""
    for name, value in values:
        if value not in (None, ""):
            say_row(f"{name:<{width}} {value}")


def narrate_notes(notes: Iterable[str]) -> None:
    """What a person should know of what was done, or would be."""
    for note in notes:
        narrate(f"note: {note}")


def agree(question: str, *, refusal: str, hint: str, kept: str = "nothing was changed") -> None:
    """Return when the person at the terminal says yes; else the command ends, having said what is ``kept``.

    Raises UsageError with ``refusal`` where nobody can be asked.
    """
    if not sys.stdin.isatty():
        raise UsageError(refusal, hint=hint)
    if not click.confirm(question, err=True):
        narrate(kept)
        raise click.exceptions.Exit(1)


def fail(error: WorkbenchError, *, as_json: bool) -> None:
    """Say what went wrong, and what to do, in a row each: both may quote a path."""
    if as_json:
        say_json({"error": attributes(error, "code", "message", "hint")})
        return
    narrate_row(f"workbench: {error.message}")
    if error.hint:
        narrate_row(f"  → {error.hint}")


def fail_usage(wrong: click.ClickException, *, as_json: bool) -> None:
    """Say which argument is wrong. The message quotes it, so it is as little trusted as memory."""
    hint = _usage_hint(wrong)
    if as_json:
        fail(UsageError(wrong.format_message(), hint=hint), as_json=True)
        return
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):
        narrate(wrong.format_message())  # which is the help itself, and nothing is wrong with it
        return
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        narrate(wrong.ctx.get_usage())
        narrate(f"Try '{wrong.ctx.command_path} --help' for help.\n")
    narrate(f"Error: {wrong.format_message()}")
    if hint:
        narrate_row(f"  → {hint}")


def _usage_hint(wrong: click.ClickException) -> str:
    """How a workspace is named behind a command that takes no folder, or a word with a minus; else empty."""
    extra = _EXTRA.fullmatch(wrong.format_message())
    context = wrong.ctx if isinstance(wrong, click.UsageError) else None
    if context is None:
        return ""
    if any(isinstance(one, click.Argument) for one in context.command.params):
        is_word = isinstance(wrong, click.NoSuchOption) and not wrong.option_name.startswith("--")
        return f"write `{context.command_path} -- …` if a word begins with a minus" if is_word else ""
    if extra is None or not os.path.isdir(extra[1]):
        return ""
    command = context.command_path.removeprefix(context.find_root().command_path).strip()
    return f"`workbench -w {shlex.quote(extra[1])} {command}` does it for that folder"


def occupy_closed_streams() -> None:
    """Open what was closed among the three standard streams.

    Else the next file that is opened takes the number, and what is printed lands in it. A closed
    stdout becomes one that cannot be written, so that lost output is noticed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)  # takes the lowest free number
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as we do
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as we do


def abandon_output() -> None:
    """Send what is still buffered nowhere, so that leaving does not fail on it once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say_diff(diff: str) -> None:
    """A unified diff; coloured on a terminal only."""
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in diff.removesuffix("\n").split("\n"):
        say(line, fg=colours.get(line[:1]))


def attributes(value: object, *names: str) -> dict[str, Any]:
    """These attributes of a result, by their names: the part of an answer in JSON that is as it is there."""
    return {name: getattr(value, name) for name in names}


def plan_json(plan: Plan) -> dict[str, Any]:
    """A plan that is not carried out."""
    shown = attributes(plan, "action", "entries", "became", "notes")
    return {"operation": None, "commit": None, **shown, "diff": plan.diff()}


def operation_json(operation: Operation, diff: str | None = None) -> dict[str, Any]:
    """An operation that was carried out."""
    shown = {"operation": operation.id, **attributes(operation, *_OPERATION)}
    shown["reason"] = operation.reason or None
    return shown if diff is None else {**shown, "diff": diff}


class Bar(contextlib.AbstractContextManager["Bar"]):
    """One bar on stderr for each phase, on a terminal only; it wipes itself at the end."""

    def __init__(self) -> None:
        self._bar: Any = None  # click gives the type of its bar no public name

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Wipe the line, so that something else can be said."""
        if self._bar is not None:
            click.echo("\r\x1b[K\x1b[?25h", nl=False, err=True)
            self._bar = None

    def follow(self, progress: SyncProgress) -> None:
        """Draw how far a reindex is."""
        self.show(progress.phase, progress.done, progress.total)

    def show(self, phase: str, done: int, total: int) -> None:
        """Draw how far it is: ``done`` of ``total`` units of a phase; 0 of 0 where none are counted."""
        if not sys.stderr.isatty():
            return
        if self._bar is None or phase != self._bar.label or done < self._bar.pos:
            self.clear()
            self._bar = click.progressbar(length=total, label=phase, file=sys.stderr, width=_BAR_WIDTH)
        self._bar.length = total
        self._bar.update(done - self._bar.pos)
        self._bar.render_progress()  # `update` draws nothing where no step was done


def caught_up(place: Workspace) -> str | None:
    """Take in what changed before a search; what its answer may lack all the same.

    Progress of an index built anew, and that it was, are told on stderr. Raises IndexUnavailableError.
    """
    from indexing.sync.freshness import catch_up

    built = False
    with Bar() as bar:

        def show(progress: SyncProgress) -> None:
            nonlocal built
            built = True
            bar.follow(progress)

        missing = catch_up(place, show)
    if built:
        narrate(
            "there was no index of this version yet: indexed by keywords now; "
            "`workbench reindex` adds semantic search"
        )
    return missing


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


def share(name: str) -> Decorator:
    """An option that takes a number in [0, 1], 0 where it is not given."""
    return click.option(name, type=click.FloatRange(0, 1), default=0.0)


class _Choice(click.Choice[str]):
    def __init__(self, choices: Sequence[str], others: Mapping[str, str]) -> None:
        super().__init__(choices)
        self._others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return self._others.get(value) or super().convert(value, param, ctx)


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


def day(name: str, into: str, help: str) -> Decorator:
    """An option that takes a date."""
    return click.option(name, into, metavar="DAY", type=DAY, help=help)


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
mode_option = choice("--mode", ("hybrid", "keyword", "semantic"), "hybrid", others=MODES)


_LENIENT = frozenset(
    {
        *("status", "get", "search", "log", "show", "blame", "recent", "list", "stats"),
        *("inject", "bulletin", "mcp", "connect", "context"),
        *("flush", "ingest", "watch", "run"),
    }
)
"""What only reads, or loses facts where it stops: it goes on where a value in the settings is wrong."""
_TOLD = "workbench.told"
"""Under this key, what of the settings was told to be passed over."""
AS_OF = "workbench.as_of"
"""Under this key a command's context keeps the moment that was asked for with ``--as-of``."""


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """The workspace that was asked for with ``-w``, else the nearest one; closed at the end.

    With ``--as-of`` it is the workspace of that moment, and cannot be changed.
    """
    with contextlib.closing(opened()) as found:
        yield found


def opened(folder: Path | str | None = None, *, anyhow: bool = False) -> Workspace:
    """The workspace in ``folder``, else that of ``-w`` or the nearest, as of the moment that was asked for.

    ``anyhow``: also where its settings are wrong. What of them was passed over is told on stderr, once.
    """
    from workbench.workspace.workspace import Workspace

    context = click.get_current_context()
    lenient = context.info_name in _LENIENT and not context.params.get("commit")
    found = Workspace.open(
        folder or context.obj or Workspace.nearest_root("."), anyhow=anyhow, lenient=lenient
    )
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
    from workbench.workspace.late_writes import carry_late, late_in, late_sentences

    carry_late(place)
    for sentence in late_sentences([late for late in late_in(place) if late.text]):
        narrate(f"waiting: {sentence}")


def meant(text: str, *, may_be_new: bool = False) -> str:
    """The folder that ``text`` names: a folder, else a registered workspace. Raises NoWorkspaceError."""
    from workbench.workspace.registry import resolved

    folder, said = resolved(text, may_be_new=may_be_new)
    if said:
        narrate(said)
    if not may_be_new and (whole := _around(Path(os.path.realpath(folder)))):
        narrate_row(f"{text} is a folder of the workspace {whole}; `-w {whole}` opens all of it")
    return folder


def _around(folder: Path) -> Path | None:
    """The workspace of which a folder is a part that has no layout of its own and was never opened alone."""
    from workbench.workspace.agent_layouts import PLAIN, layouts_of
    from workbench.workspace.layout import STATE_DIR
    from workbench.workspace.workspace import Workspace

    if not folder.is_dir() or (folder / STATE_DIR).exists() or layouts_of(folder) != (PLAIN,):
        return None
    whole = next((one for one in folder.parents if layouts_of(one) != (PLAIN,)), None)
    if whole is None:
        return None
    layout = Workspace.open(whole, anyhow=True).layout
    return whole if layout.holds(f"{folder.relative_to(whole)}/x.md") else None


def moment(text: str) -> str:
    """A moment as a person writes it; of days in words (``last march``) the last one, ``2026-03-31``."""
    from indexing.search.index_search import moment_named

    return moment_named(text, date.today())
