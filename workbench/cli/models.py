"""Commands about what makes vectors: which model of which provider, whether it answers, fetching one."""

from __future__ import annotations

import os
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from indexing.embedding.model_files import download as fetch
from indexing.embedding.model_info import Description, describe, describe_providers
from workbench.cli.options import flag, named
from workbench.cli.output import Bar, Counted, agree, answered, json_option, narrate, say, say_fields
from workbench.config import settings
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from indexing.embedding.choice import Service
    from indexing.embedding.model_files import Listing

_MEGABYTE = 1_000_000
_WORD = "memory"
_WIDTH = 10
_NO_WORKSPACE = Path(os.devnull, "workbench.yaml")


@click.group()
def model() -> None:
    """What makes vectors: which model and provider are used, trying them, fetching another model."""


@model.command(short_help="Which model of which provider is used, and where it is.")
@json_option
def show() -> None:
    """Which model of which provider is used, and where it is; or why there is none."""
    found = describe_providers(_settings())
    used = next((one for one in found if one.usable), found[0])
    if answered({**used.as_json(), "providers": found}):
        return
    if used.service is not None:
        _say_service(used.service)
    elif used.local is not None and used.usable:
        _say_local(used.local, used.device or "cpu")
    else:
        say(f"none: {used.problem.message if used.problem else ''}")
    for one in found:
        if one.problem is not None:
            if one is not used:
                narrate(f"{one.provider} cannot be used: {one.problem.message}")
            if one.problem.hint:
                narrate(f"  → {one.problem.hint}")
        elif one is not used:
            narrate(f"{one.provider} would be next, if {used.provider} could not be used at all")


def _say_local(found: Description, device: str) -> None:
    assert found.source is not None
    later = "" if found.form == "prepared" else ", prepared at its first use"
    say(found.source.name, bold=True)
    say_fields(
        _WIDTH,
        ("provider", "local"),
        ("form", f"{found.form}{later}"),
        ("device", device + ("" if device == "cpu" else ", for many texts; cpu for others")),
        ("dimension", found.dimension or "not said"),
        ("window", f"{found.window or 'not said'} word pieces"),
        ("identity", found.source.identity),
        ("folder", found.source.folder),
        ("prepared", found.prepared),
    )


def _say_service(found: Service) -> None:
    price = "not known" if found.price is None else f"{found.price:g} for a million tokens"
    say(found.model, bold=True)
    say_fields(
        _WIDTH,
        ("provider", found.provider),
        ("endpoint", found.endpoint.url),
        ("dimension", found.dimensions or "as the model has it"),
        ("identity", found.identity),
        ("key", found.key.source),
        ("price", price if found.charges else "none"),
        ("requests", f"{plural(found.batch, 'text')} each, {found.concurrency} at a time"),
    )
    if found.key.warning:
        narrate(found.key.warning)


@model.command()
@json_option
def test() -> None:
    """Embed one text as a search would, and say how long that took. A remote provider is sent one word."""
    from indexing.embedding.choice import choices
    from indexing.embedding.port import Closable

    choice = choices(_settings(), threads=1).first()
    moments = [time.perf_counter()]
    embedder = choice.open_for_questions()
    moments.append(time.perf_counter())
    try:
        for _ in range(2):
            vectors = embedder.embed([_WORD])
            moments.append(time.perf_counter())
    finally:
        if isinstance(embedder, Closable):
            embedder.close()
    opened, first, again = (1e3 * (after - before) for before, after in pairwise(moments))
    told = {
        "identity": choice.identity,
        "dimension": int(vectors.shape[1]),
        "opened_ms": round(opened, 1),
        "first_ms": round(first, 1),
        "next_ms": round(again, 1),
    }
    if answered(told):
        return
    say(choice.identity, bold=True)
    say_fields(
        _WIDTH,
        ("dimension", told["dimension"]),
        ("opened in", f"{opened:,.0f} ms"),
        ("first text", f"{first:,.1f} ms"),
        ("next text", f"{again:,.1f} ms"),
    )


@model.command(short_help="Fetch the model NAME (owner/name) of the hub.")
@named("name", required=False)
@flag("--yes", "Do not ask.")
@json_option
def download(name: str | None, yes: bool) -> None:
    """Fetch the model NAME (owner/name) of the hub; the default model without a NAME.

    Asks the hub what there is, says what would be fetched, and asks you.
    """
    from indexing.embedding.model_files import DEFAULT_MODEL, is_hub_name, listing

    name = name or DEFAULT_MODEL
    if not is_hub_name(name):
        raise UsageError(
            f"{name!r} is no model's name", hint=f"names are owner/name, for example {DEFAULT_MODEL}"
        )
    wanted = listing(name)
    narrate(_summary(wanted))
    if wanted.missing and not yes:
        agree(
            "fetch it?",
            refusal="fetching a model needs your word",
            hint="add --yes",
            kept="nothing was fetched",
        )
    with Bar() as bar:
        source = fetch(name, lambda done, total: bar.show(Counted("fetch (kB)", done // 1000, total // 1000)))
    if not answered({"model": source.name, "identity": source.identity, "folder": source.folder}):
        say(str(source.folder))
    if describe(_settings().model).source != source:
        narrate(f"to use it, write `model: {name}` into {settings.user_settings_path()}")
    narrate("`workbench reindex` makes its vectors")


def _summary(wanted: Listing) -> str:
    if not wanted.missing:
        return f"{wanted.name} is here already, as {wanted.endpoint} has it now"
    size = max(1, round(wanted.bytes / _MEGABYTE))
    files = f"{plural(wanted.missing, 'file')}, {size:,} MB, weights as safetensors"
    return f"{wanted.name} from {wanted.endpoint}: {files}"


def _settings() -> settings.Settings:
    """What the person's own settings say; a workspace has no say in this."""
    return settings.load(_NO_WORKSPACE)
