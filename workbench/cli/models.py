"""Commands about the embedding model: which one is used, and fetching one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench import settings
from workbench.cli.output import json_option, narrate, say, say_json
from workbench.errors import UsageError

if TYPE_CHECKING:
    from indexing.embedding.hub import Listing

_MEGABYTE = 1_000_000
_NO_WORKSPACE = Path(os.devnull, "workbench.yaml")


@click.group()
def model() -> None:
    """The embedding model: which one is used, and fetching one."""


@model.command()
@json_option
def show(as_json: bool) -> None:
    """Which model is used, in which form, and where it is; or why there is none."""
    from indexing.embedding.describe import describe

    found = describe(_setting())
    if as_json:
        say_json(found.as_json())
        return
    if found.source is None:
        say(f"none: {found.why}")
        narrate(f"  → {found.hint}")
        return
    later = "" if found.form == "prepared" else ", prepared at its first use"
    say(found.source.name, bold=True)
    say(f"form       {found.form}{later}")
    say(f"dimension  {found.dimension or 'not said'}")
    say(f"window     {found.window or 'not said'} word pieces")
    say(f"identity   {found.source.identity}")
    say(f"folder     {found.source.folder}")
    if found.prepared:
        say(f"prepared   {found.prepared}")


@model.command()
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def download(name: str | None, yes: bool, as_json: bool) -> None:
    """Fetch the model NAME (owner/name) of the hub; the default model without a NAME.

    Asks the hub what there is, says what would be fetched, and asks you. No other command uses a network.
    """
    from indexing.embedding.describe import describe
    from indexing.embedding.describe import download as fetch
    from indexing.embedding.hub import is_hub_name, listing
    from indexing.embedding.locate import DEFAULT_MODEL
    from indexing.report import Progress
    from workbench.cli.progress import Bar

    name = name or DEFAULT_MODEL
    if not is_hub_name(name):
        raise UsageError(
            f"{name!r} is no model's name", hint=f"names are owner/name, for example {DEFAULT_MODEL}"
        )
    wanted = listing(name)
    narrate(_summary(wanted))
    if wanted.missing and not yes:
        _agree()
    with Bar() as bar:
        source = fetch(name, lambda done, total: bar.show(Progress("fetch", done // 1000, total // 1000)))
    used = describe(_setting()).source
    if as_json:
        say_json({"model": source.name, "identity": source.identity, "folder": str(source.folder)})
    else:
        say(str(source.folder))
    if used != source:
        narrate(f"to use it, write `model: {name}` into {settings.user_settings_path()}")
    narrate("`workbench reindex` makes its vectors")


def _summary(wanted: Listing) -> str:
    if not wanted.missing:
        return f"{wanted.name} is here already, as {wanted.endpoint} has it now"
    size = max(1, round(wanted.bytes / _MEGABYTE))
    return (
        f"{wanted.name} from {wanted.endpoint}: {wanted.missing} files, {size:,} MB, weights as safetensors"
    )


def _agree() -> None:
    """Return when the person says yes."""
    if not sys.stdin.isatty():
        raise UsageError("fetching a model needs your word", hint="add --yes")
    if not click.confirm("fetch it?", err=True):
        narrate("nothing was fetched")
        raise click.exceptions.Exit(1)


def _setting() -> str:
    """What the person's own settings say; a workspace has no say in this."""
    return settings.load(_NO_WORKSPACE).model
