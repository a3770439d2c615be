"""Keeping the graph sound: duplicates, contradictions, and what has faded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.operation_command import command_of
from workbench.cli.output import json_option, narrate, narrate_notes, operation_json, say, say_json
from workbench.cli.workspace_options import workspace
from workbench.errors import ModelUnavailableError
from workbench.graph.operations import APART, MERGE, SETTLE

if TYPE_CHECKING:
    from indexing.embedding.port import Embedder
    from workbench.graph.contradictions import Claim, Contradiction
    from workbench.graph.duplicates import Duplicate
    from workbench.workspace.workspace import Workspace


@click.command(short_help="Pages that may be of one entity; --resolve merges them.")
@click.option(
    "--resolve", "resolving", is_flag=True, help="Merge those that pass every bar; each can be undone."
)
@click.option("--names-only", is_flag=True, help="Compare names, load no model.")
@json_option
def duplicates(resolving: bool, names_only: bool, as_json: bool) -> None:
    """Pages that may be of one entity, and what speaks against merging them."""
    from workbench.ingest.entity_resolution import resolve

    now = datetime.now().astimezone()
    with workspace() as place, _embedder(place, names_only=names_only) as embedder:
        found = resolve(place, now=now, embedder=embedder, dry_run=not resolving)
    if as_json:
        say_json(
            {
                "merged": [operation_json(operation) for operation in found.merged],
                "flagged": [_duplicate_json(one) for one in found.flagged],
                "notes": list(found.notes),
            }
        )
        return
    for operation in found.merged:
        say(f"merged  {operation.summary}  ({operation.id})")
    for one in found.flagged:
        cosine = "no vectors" if one.cosine is None else f"cosine {one.cosine:.2f}"
        say(f"{one.keep.name} ({one.keep.type}) and {one.other.name}: {cosine}, names {one.names:.2f}")
        say(f"  {one.keep.path}  {one.other.path}", dim=True)
        say(f"  {one.why or 'passes every bar: --resolve merges it'}", dim=True)
    narrate_notes(found.notes)
    ways = ": `workbench graph merge A B`, or `graph apart A B`" if found.flagged else ""
    narrate(f"{len(found.merged)} merged, {len(found.flagged)} to look at{ways}")


@click.command(short_help="Pairs of claims that cannot both be true today.")
@json_option
def contradictions(as_json: bool) -> None:
    """Pairs of claims that cannot both be true today, each with its sources."""
    from workbench.graph.contradiction_answers import open_contradictions

    with workspace() as place:
        found = open_contradictions(place)
    if as_json:
        say_json([_contradiction_json(one) for one in found])
        return
    for one in found:
        say(f"{one.key[:8]}  {one.entity.name}, {one.slot}", bold=True)
        for name, claim in (("old", one.old), ("new", one.new)):
            since = f", since {claim.since}" if claim.since else ""
            say(f"  {name}  {claim.text}{since}, trust {claim.trust}")
            say(f"       from {', '.join(claim.sources or claim.addresses)}", dim=True)
    ways = ": `workbench graph settle KEY keep|replace|both|reject`" if found else ""
    narrate(f"{len(found)} found{ways}")


@click.command(short_help="What has faded so far that forgetting it would be proposed.")
@json_option
def fading(as_json: bool) -> None:
    """What has faded so far that it would be proposed for forgetting; nothing is forgotten by itself."""
    from workbench.graph.decay import fading_in

    with workspace() as place:
        found = fading_in(place, now=datetime.now().astimezone())
    if as_json:
        say_json([one.as_json() for one in found])
        return
    for one in found:
        say(f"{one.section}: {one.text}")
        say(f"  {one.target}  {one.why}", dim=True)
    narrate(f"{len(found)} found; `workbench jobs run nightly` proposes them, `workbench inbox` decides")


COMMANDS = (
    duplicates,
    contradictions,
    fading,
    *map(command_of, (MERGE, APART, SETTLE)),
)


@contextlib.contextmanager
def _embedder(place: Workspace, *, names_only: bool) -> Iterator[Embedder | None]:
    """The local model, else None with a word about it: no name is sent to a provider for this."""
    from indexing.embedding.choice import choices
    from indexing.embedding.port import Closable

    opened: Embedder | None = None
    if not names_only:
        try:
            choice = choices(place.settings, threads=2).first()
            if choice.service is None:
                opened = choice.open_for_questions()
            else:
                narrate("note: names alone are compared; they are not sent to a provider")
        except ModelUnavailableError as error:
            narrate(f"note: names alone are compared: {error.message}")
    try:
        yield opened
    finally:
        if isinstance(opened, Closable):
            opened.close()


def _duplicate_json(one: Duplicate) -> dict[str, Any]:
    return {
        "key": one.key,
        "keep": {"name": one.keep.name, "page": one.keep.path},
        "other": {"name": one.other.name, "page": one.other.path},
        "cosine": one.cosine,
        "names": round(one.names, 4),
        "automatic": one.automatic,
        "why": one.why,
    }


def _contradiction_json(one: Contradiction) -> dict[str, Any]:
    def claim(said: Claim) -> dict[str, Any]:
        return {
            "value": said.value,
            "text": said.text,
            "since": said.since.isoformat() if said.since else None,
            "trust": said.trust,
            "entries": list(said.addresses),
            "sources": list(said.sources),
        }

    return {
        "key": one.key,
        "entity": one.entity.name,
        "page": one.entity.path,
        "slot": one.slot,
        "old": claim(one.old),
        "new": claim(one.new),
    }
