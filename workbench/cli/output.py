"""How the command line speaks: JSON for programs, plain safe text and progress for people."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import click

from workbench.errors import UsageError, WorkbenchError
from workbench.safety.terminal import visible

if TYPE_CHECKING:
    from workbench.workspace.plan import Operation, Plan
    from workbench.workspace.workspace import Workspace

FOUND_WANTING = 4
"""The exit code of a command that looked, and found something wrong."""
_BAR_WIDTH = 24
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
    say(visible(text, one_line=True), **style)


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
    narrate(visible(text, one_line=True))


@contextlib.contextmanager
def shown_meanwhile(rows: Sequence[str]) -> Iterator[None]:
    """``rows`` on stderr, a terminal, until the block ends: as many as it has lines, each cut at its edge."""
    shown = [visible(row, one_line=True) for row in rows[: shutil.get_terminal_size().lines - 1]]
    # Where nothing is wrapped, a row is a line: as many can be wiped as were written.
    click.echo("\x1b[?7l" + "\n".join(shown) + "\x1b[?7h", err=True)
    try:
        yield
    finally:
        click.echo(f"\x1b[{len(shown)}A\x1b[J", nl=False, err=True)


def say_fields(width: int, *values: tuple[str, object]) -> None:
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


def fail(error: WorkbenchError, *, as_json: bool, code: str | None = None) -> None:
    """Say what went wrong, and what to do, in a row each: both may quote a path."""
    if as_json:
        say_json({"error": {**attributes(error, "code", "message", "hint"), "code": code or error.code}})
        return
    narrate_row(f"workbench: {error.message}")
    if error.hint:
        narrate_row(f"  → {error.hint}")


def fail_usage(wrong: click.ClickException, *, as_json: bool) -> None:
    """Say which argument is wrong. The message quotes it, so it is as little trusted as memory."""
    if as_json:
        fail(WorkbenchError(wrong.format_message()), as_json=True, code="usage")
        return
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):
        narrate(wrong.format_message())  # which is the help itself, and nothing is wrong with it
        return
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        narrate(wrong.ctx.get_usage())
        narrate(f"Try '{wrong.ctx.command_path} --help' for help.\n")
    narrate(f"Error: {wrong.format_message()}")


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


class ProgressLine(Protocol):
    """How far long work is: ``done`` of ``total`` units of a phase; 0 of 0 where none are counted."""

    @property
    def phase(self) -> str:
        """What is being done."""

    @property
    def done(self) -> int:
        """Units that are done."""

    @property
    def total(self) -> int:
        """Units that there are."""


class Counted(NamedTuple):
    """A line of progress of work that has no class of its own for it."""

    phase: str
    done: int
    total: int


class Bar:
    """One bar on stderr for each phase, on a terminal only; it wipes itself at the end."""

    def __init__(self) -> None:
        self._phase = ""
        self._bar: Any = None  # click gives the type of its bar no public name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Wipe the line, so that something else can be said."""
        if self._bar is not None:
            click.echo("\r\x1b[K\x1b[?25h", nl=False, err=True)
            self._bar = None

    def show(self, progress: ProgressLine) -> None:
        """Draw how far it is."""
        if not sys.stderr.isatty():
            return
        if self._bar is None or progress.phase != self._phase or progress.done < self._bar.pos:
            self.clear()
            self._phase = progress.phase
            self._bar = click.progressbar(
                length=progress.total, label=progress.phase, file=sys.stderr, width=_BAR_WIDTH
            )
        self._bar.length = progress.total
        self._bar.update(progress.done - self._bar.pos)
        self._bar.render_progress()  # `update` draws nothing where no step was done


def caught_up(place: Workspace) -> str | None:
    """Take in what changed before a search; what its answer may lack all the same.

    Progress of an index built anew, and that it was, are told on stderr. Raises IndexUnavailableError.
    """
    from indexing.sync.freshness import catch_up

    built = False
    with Bar() as bar:

        def show(progress: ProgressLine) -> None:
            nonlocal built
            built = True
            bar.show(progress)

        missing = catch_up(place, show)
    if built:
        narrate(
            "there was no index of this version: indexed by keywords; "
            "`workbench reindex` adds semantic search"
        )
    return missing
