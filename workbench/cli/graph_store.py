"""Writing into the graph: store, update, forget, skip; what an agent's tools of these names do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.operation_command import Selection, command_of
from workbench.cli.output import json_option, say, say_json
from workbench.cli.run_operation import act, dry_run_option, reason_option
from workbench.cli.workspace_options import workspace
from workbench.errors import EntryNotFoundError, UsageError
from workbench.graph.operations import FORGET, STORE, UPDATE
from workbench.memory.graph_page import ENTITY_TYPES, IMPORTANCE

if TYPE_CHECKING:
    from workbench.graph.drafts import Draft
    from workbench.workspace.workspace import Workspace


@click.command(short_help=STORE.help)
@click.argument("text", nargs=-1, required=True)
@click.option("--about", default="", metavar="NAME", help="Whom or what; else the person themself.")
@click.option("--type", "type_", type=click.Choice(tuple(IMPORTANCE)), default="fact", show_default=True)
@click.option("--entity-type", type=click.Choice(ENTITY_TYPES), help="Of a page that is not there yet.")
@click.option(
    "--relation", metavar="KIND", help="TEXT names an entity: store `NAME KIND TEXT`, as in works_on."
)
@click.option(
    "--happens-at", metavar="DAY", help="When it is due or takes place: a day, or 2026-04-01T14:30+02:00."
)
@click.option("--occurred-at", metavar="DAY", help="When it happened: a day, or with its time.")
@click.option("--valid-from", metavar="DAY")
@click.option("--valid-until", metavar="DAY")
@click.option("--importance", type=click.FloatRange(0, 1))
@click.option("--confidence", type=click.FloatRange(0, 1))
@click.option("--source", "sources", metavar="PATH#L12", multiple=True, help="Where it was said.")
@reason_option
@dry_run_option
@json_option
def store(
    text: tuple[str, ...],
    about: str,
    type_: str,
    entity_type: str | None,
    relation: str | None,
    sources: tuple[str, ...],
    reason: str,
    dry_run: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Put TEXT on the page of what it is about; the page is made where there is none.

    \b
    graph store --about "Sarah Chen" --type preference "Prefers async reviews"
    graph store --about "Sarah Chen" --relation works_on "Project Atlas"
    """
    draft = _draft(" ".join(text), about, type_, entity_type or "", relation, sources, said)
    with workspace() as place:
        act(place, lambda: STORE.planned(place, draft, reason=reason), dry_run=dry_run, as_json=as_json)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why it is not stored.")
@json_option
def skip(text: tuple[str, ...], reason: str, as_json: bool) -> None:
    """Record that TEXT was considered and is not to be stored."""
    from workbench.memory.claims import claim_key
    from workbench.workspace import ledger

    record = {"key": claim_key(" ".join(text)), "why": " ".join(reason.split()), "source": "", "by": "human"}
    with workspace() as place:
        ledger.append(place, "skips", [record], datetime.now().astimezone())
    if as_json:
        say_json(record)
    else:
        say("recorded; nothing was stored")


def _draft(
    words: str,
    about: str,
    type_: str,
    entity_type: str,
    relation: str | None,
    sources: tuple[str, ...],
    said: dict[str, Any],
) -> Draft:
    """The memory, or the relation, that the arguments of ``store`` describe. Raises UsageError."""
    from workbench.graph.drafts import RelationDraft, day_of, memory_draft

    given = {name: value for name, value in said.items() if value is not None}
    if relation is None:
        fields = {"text": words, "type": type_, "entity": about, "entity_type": entity_type}
        return memory_draft({**given, **fields, "sources": sources, "trust": "owner"})
    if foreign := [name for name in given if name not in ("valid_from", "valid_until", "confidence")]:
        raise UsageError(f"a relation has no {foreign[0].replace('_', '-')}")

    def day(name: str) -> date | None:
        return day_of(name, given[name]) if name in given else None

    return RelationDraft(
        entity=about,
        kind=relation,
        target=words,
        entity_type=entity_type,
        confidence=given.get("confidence"),
        sources=sources,
        trust="owner",
        valid_from=day("valid_from"),
        valid_until=day("valid_until"),
    )


def _address(place: Workspace, reference: str) -> str:
    """The address of a memory or relation that is called by its id or address. Raises EntryNotFoundError."""
    from workbench.graph.read import read_graph

    if "#" in reference:
        return reference
    graph = read_graph(place)
    lines = [
        memory.entry for entity in graph.entities for memory in entity.memories if memory.id == reference
    ]
    lines += [one.entry for entity in graph.entities for one in entity.relations if one.id == reference]
    if len(lines) > 1:
        raise UsageError(
            f"several lines have the id {reference}", hint=", ".join(entry.address for entry in lines[:5])
        )
    if not lines:
        raise EntryNotFoundError(reference)
    return lines[0].address


def _named(
    place: Workspace, references: str | tuple[str, ...], *, dry_run: bool, as_json: bool
) -> Callable[[], str | tuple[str, ...]]:
    """The addresses of the memories that are called by their ids."""
    if isinstance(references, str):
        address = _address(place, references)
        return lambda: address
    addresses = tuple(_address(place, reference) for reference in references)
    return lambda: addresses


_BY_ID = Selection((), _named)
COMMANDS = (store, command_of(UPDATE, _BY_ID), command_of(FORGET, _BY_ID), skip)
