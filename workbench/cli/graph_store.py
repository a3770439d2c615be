"""Writing into the graph: store, update, forget, skip; what an agent's tools of these names do."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.output import json_option, say, say_json
from workbench.cli.run_operation import act, dry_run_option, reason_option
from workbench.cli.workspace_options import workspace
from workbench.errors import EntryNotFoundError, UsageError
from workbench.memory.graph_page import ENTITY_TYPES, IMPORTANCE

if TYPE_CHECKING:
    from workbench.graph.drafts import Draft
    from workbench.workspace.workspace import Workspace


@click.command(short_help="Put TEXT, as a typed memory, on the page it is about.")
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
    from workbench.graph.write import plan_store

    draft = _draft(" ".join(text), about, type_, entity_type or "", relation, sources, said)
    with workspace() as place:
        now = datetime.now().astimezone()
        act(place, lambda: plan_store(place, draft, now=now, reason=reason), dry_run=dry_run, as_json=as_json)


@click.command(short_help="Change one MEMORY: its words, type, days or state.")
@click.argument("memory")
@click.option("--text")
@click.option("--type", "type_", type=click.Choice(tuple(IMPORTANCE)))
@click.option("--done/--not-done", default=None, help="Whether a todo is done.")
@click.option("--happens-at", metavar="DAY", help="Empty to take the day out.")
@click.option("--valid-until", metavar="DAY", help="Empty to take the day out.")
@click.option("--importance", type=click.FloatRange(0, 1))
@click.option("--confidence", type=click.FloatRange(0, 1))
@reason_option
@dry_run_option
@json_option
def update(memory: str, type_: str | None, reason: str, dry_run: bool, as_json: bool, **changes: Any) -> None:
    """Change one MEMORY (its id, or path#hash): its words, type, days, weight, or whether it is done."""
    from workbench.graph.write import plan_update

    changes["type"] = type_
    if all(value is None for value in changes.values()):
        raise UsageError(
            "nothing was given to be changed", hint="`workbench graph update --help` lists what can be"
        )
    with workspace() as place:
        address, now = _address(place, memory), datetime.now().astimezone()
        act(
            place,
            lambda: plan_update(place, address, now=now, reason=reason, **changes),
            dry_run=dry_run,
            as_json=as_json,
        )


@click.command()
@click.argument("memories", metavar="MEMORY...", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; kept with the operation.")
@dry_run_option
@json_option
def forget(memories: tuple[str, ...], reason: str, dry_run: bool, as_json: bool) -> None:
    """Take memories (ids, or path#hash) off their pages. They stay in history, and are not learnt again."""
    from workbench.graph.write import plan_forget_memory

    with workspace() as place:
        addresses, now = [_address(place, one) for one in memories], datetime.now().astimezone()
        act(
            place,
            lambda: plan_forget_memory(place, addresses, reason=reason, now=now),
            dry_run=dry_run,
            as_json=as_json,
        )


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


COMMANDS = (store, update, forget, skip)


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
