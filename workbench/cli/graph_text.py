"""The graph as text: one line a memory, a relation, a finding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.cli.output import narrate, narrate_notes, say
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.graph.answer import GraphAnswer
    from workbench.graph.memory_query import MemoryMatch, Result
    from workbench.graph.neighbourhood import Node
    from workbench.graph.schedule import Due, Schedule
    from workbench.graph.stats import Stats
    from workbench.memory.graph_page import Entity, TypedMemory


def say_answer(answer: GraphAnswer) -> None:
    """What was found, each with its way and sources; what was assumed goes to stderr."""
    narrate(f"asked: {answer.asked}")
    narrate_notes(answer.notes)
    for found in answer.found:
        if found.memory:
            say(f"{found.score:.2f}  {found.name}: {memory_words(found.memory)}")
        else:
            say(f"{found.score:.2f}  {found.name}" + (f" ({found.entity.type})" if found.entity else ""))
            say(f"      {found.why}", dim=True)
        say(f"      from {', '.join(found.sources)}", dim=True)
    if not answer.found:
        say("nothing is known of it")
    if answer.suggestions:
        say(f"known are {', '.join(answer.suggestions)}")


def say_result(result: Result, *, by_scene: bool = False) -> None:
    """The memories that meet conditions."""
    narrate_notes(result.notes)
    if by_scene:
        for scene, matches in _scenes(result.matches):
            say(scene, bold=True)
            _say_matches(matches, "  ")
    else:
        _say_matches(result.matches, "")
    for task in result.tasks:
        say(f"task      {task.name}  {task.path}")
    if result.suggestions:
        say(f"known are {', '.join(result.suggestions)}")
    shown = len(result.matches)
    narrate(f"{result.total} found" + (f", {shown} shown" if shown < result.total else ""))


def _say_matches(matches: Iterable[MemoryMatch], margin: str) -> None:
    for match in matches:
        memory = match.held.memory
        late = f" · overdue by {match.late} day{'' if match.late == 1 else 's'}" if match.late else ""
        why = f" · {match.why}" if match.why else ""
        say(f"{margin}{match.held.owner}: {memory_words(memory)}{late}{why}")
        say(f"{margin}  {memory.entry.address}", dim=True)


def _scenes(matches: Iterable[MemoryMatch]) -> list[tuple[str, list[MemoryMatch]]]:
    """By scene, that which counts most first; what stands in none under what it is about."""
    scenes: dict[str, list[MemoryMatch]] = {}
    for match in matches:
        scenes.setdefault(match.held.memory.scene or match.held.owner, []).append(match)

    def salience(item: tuple[str, list[MemoryMatch]]) -> tuple[float, str]:
        return -max(match.held.memory.weight for match in item[1]), item[0]

    return sorted(scenes.items(), key=salience)


def memory_words(memory: TypedMemory) -> str:
    """``[todo] Send the contract (for 2026-04-01; importance 0.80, confidence 0.90)``."""
    days = [f"for {memory.happens_at}"] if memory.happens_at else []
    days += [f"of {memory.occurred_at}"] if memory.occurred_at and not memory.happens_at else []
    days += [f"until {memory.valid_until}"] if memory.valid_until else []
    days += ["done"] if memory.done else []
    figures = f"importance {memory.importance:.2f}, confidence {memory.confidence:.2f}"
    return f"[{memory.type}] {memory.text} ({', '.join(days)}{'; ' if days else ''}{figures})"


def say_entity(entity: Entity, node: Node, mark: str = "") -> None:
    """A page: what it is called, what is known, and what is around it; ``mark`` before its addresses."""
    say(f"{entity.name} ({entity.type})", bold=True)
    say(
        f"{mark}{entity.path}  {entity.id}"
        + (f"  also {', '.join(entity.aliases)}" if entity.aliases else "")
    )
    if entity.valid_from or entity.valid_until:
        say(
            f"holds from {entity.valid_from or 'ever'}"
            + (f" until {entity.valid_until}" * bool(entity.valid_until))
        )
    if entity.problem:
        say(f"not read in full: {entity.problem}", fg="yellow")
    scene = ""
    for memory in entity.memories:
        if memory.scene != scene:
            scene = memory.scene
            say(f"{scene or entity.name}:", bold=True)
        say(f"  {memory_words(memory)}")
        say(f"    {mark}{memory.entry.address}", dim=True)
    if not node.children and not node.left_out:
        return
    say("")
    for line in drawn(node):
        say(line)


def drawn(node: Node, margin: str = "") -> Iterable[str]:
    """The tree below a node, a line for each; what is left out is counted."""
    if not margin and node.hop is None:
        yield node.name
    rest = [*node.children]
    for at, child in enumerate(rest):
        last = at == len(rest) - 1 and not node.left_out
        kind = child.hop.link.relation.kind.replace("_", " ") if child.hop else ""
        arrow = f"── {kind} → " if child.hop and child.hop.forward else f"←─ {kind} ── "
        missing = "" if child.entity else " (no page)"
        yield f"{margin}{'└' if last else '├'}{arrow}{child.name}{missing}"
        yield from drawn(child, margin + ("   " if last else "│  "))
    if node.left_out:
        yield f"{margin}└ … {node.left_out} more"


def say_schedule(schedule: Schedule) -> None:
    """What comes, what is overdue, what has no day."""
    for title, due in (
        ("Upcoming", schedule.upcoming),
        ("Overdue", schedule.overdue),
        ("Without a day", schedule.undated),
    ):
        if due:
            say(title, bold=True)
            for item in due:
                _say_due(item)
    if schedule.tasks:
        say("Tasks", bold=True)
        for task in schedule.tasks:
            say(f"  {task.name}  {task.path}")
    if not (schedule.upcoming or schedule.overdue or schedule.undated or schedule.tasks):
        say("nothing is due")


def _say_due(due: Due) -> None:
    memory = due.held.memory
    day = str(memory.happens_at) if memory.happens_at else ""
    say(f"  {day:<10}  {due.when:<18}  {due.sort:<8}  {due.held.owner}: {memory.text}".rstrip())


def say_stats(stats: Stats) -> None:
    """The graph in figures, one kind of figure a block."""
    say(f"entities   {stats.entities:,}")
    _say_counts(stats.entity_types)
    loose = f" ({stats.loose:,} of no entity)" if stats.loose else ""
    say(f"memories   {stats.memories:,}{loose}")
    _say_counts(stats.memory_types)
    say(f"relations  {stats.relations:,}")
    _say_counts(stats.relation_kinds)
    if stats.confidence is not None:
        say(f"confidence {stats.confidence:.2f} on average")
    say("trust      " + (", ".join(f"{count:,} {level}" for level, count in stats.trust.items()) or "-"))
    say(f"sources    {stats.sources:,}; {plural(stats.unsourced, 'memory')} name none")
    say(f"expired    {stats.expired:,}")
    say(f"pending    {plural(stats.pending, 'todo')}")
    say(f"pinned     {stats.pinned:,}")
    say(f"unresolved {plural(stats.unresolved, 'relation')}, to no page or to several")
    say(f"days       {stats.oldest or '-'} to {stats.newest or '-'}")
    say("most links " + (", ".join(f"{name} {count}" for name, count in stats.top) or "-"))
    for one in stats.ingested:
        count = plural(one.sources, "source")
        found = f"{one.runs:,} times read, {plural(one.memories, 'memory')}"
        say(f"ingested   {one.kind}: {count}, {found}; {one.last}")
    for path in stats.broken:
        say(f"broken     {path}", fg="yellow")


def _say_counts(counts: Iterable[str] | dict[str, int]) -> None:
    if isinstance(counts, dict):
        for name, count in counts.items():
            say(f"  {name:<14} {count:>6,}")
