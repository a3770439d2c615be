"""Merging two entities: one page keeps all that both say, and links to the other lead to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from indexing.embedding.local import local_model, why_no_model
from indexing.embedding.port import Embedder
from workbench.errors import ModelUnavailableError, NotCuratableError, UsageError, WorkbenchError
from workbench.frozen import frozen
from workbench.graph.drafts import excerpt, number
from workbench.graph.duplicates import Duplicate, duplicates, same_key
from workbench.graph.keyword_search import the_one
from workbench.graph.page_edit import (
    document_of,
    is_linkable,
    relinked,
    with_aliases,
    with_lines,
)
from workbench.graph.read import GraphReader, read_graph
from workbench.memory.claims import claim_key
from workbench.memory.edit import take_out, with_origins
from workbench.memory.entry import Entry, Kind, RelPath, encoded, stem_of
from workbench.memory.file_edit import FileEdit
from workbench.memory.frontmatter import set_front_matter
from workbench.memory.graph_page import Entity, PageLine, Relation, TypedMemory, name_key, read_entity
from workbench.memory.markdown import Document
from workbench.memory.move import lift
from workbench.memory.provenance import TRUST, Provenance, least_trusted, parse_share
from workbench.safety.terminal import visible_line
from workbench.workspace.decisions import decision, settled_keys
from workbench.workspace.plan import Operation, Plan, ledger_records
from workbench.workspace.task_context import TaskContext, moment
from workbench.workspace.workspace import Workspace

_LEFT_ALONE = frozenset({Kind.LOG, Kind.EPISODE, Kind.BOOTSTRAP, Kind.DREAM, Kind.TRANSCRIPT})
"""Originals, and what automation never writes: their links still find the entity, by its further names."""

_LeadsThere = Callable[[str], bool]
"""Whether the target of a link is the entity that goes."""


def plan_merge_entities(
    workspace: Workspace,
    keep: str,
    other: str,
    *,
    reason: str = "",
    actor: str = "human",
) -> Plan:
    """Put all that the page of ``other`` says on the page of ``keep``, as one operation.

    Both are names, ids or paths. Claims that both make become one, with all sources and the higher
    confidence. The other's names become further names of ``keep``; relations and links in the graph and in
    curated files lead to it. Logs, episodes and bootstrap files stay as they are. What else stands on the
    other's page (headings, paragraphs) follows at the end. Raises UsageError where a name is nobody's or
    that of several, ReadOnlyError where it is in a team leader's graph, NotCuratableError where a page
    cannot take it; then nothing is changed.
    """
    graph = read_graph(workspace)
    for name in (keep, other):
        if graph.entity(name) is None:
            workspace.require_own(name)
    first, second = the_one(graph, keep), the_one(graph, other)
    if first.path == second.path:
        raise UsageError(f"{first.name} and {second.name} are already one page: {first.path}")
    target = workspace.document(first.path)
    source = workspace.document(second.path)
    notes: list[str] = []

    @cache
    def is_old(target: str) -> bool:
        found = graph.at(target) or graph.at(f"{target}.md") or graph.entity(target)
        return found is not None and found.path == second.path

    name = first.name if is_linkable(first.name) else stem_of(first.path)
    moved = document_of(source.path, _relinked(source.data, is_old, name))
    after, became = _united(target, moved, first, second, notes)
    after = document_of(first.path, _relinked(after.data, is_old, name))
    after, folded = _folded(after, read_entity(after).lines)
    edits = [FileEdit(first.path, target.data, after.data), FileEdit(second.path, source.data, None)]
    edits += _elsewhere(workspace, {first.path, second.path}, is_old, name)
    if first.type != second.type:
        notes.append(f"{second.name} was of type {second.type}, it is {first.type} now")
    now_there = {entry.address for entry in after.entries}
    pairs = [(old, new) for old, at in became.items() if (new := folded.get(at, at)) in now_there]
    return Plan(
        action="merge",
        summary=excerpt(f"{second.name} is {first.name}"),
        edits=tuple(edits),
        entries=tuple(old for old, _ in pairs),
        became=tuple(new for _, new in pairs),
        reason=reason,
        actor=actor,
        trailers=(("Source", second.path), ("Section", first.path)),
        notes=tuple(notes),
    )


def _united(
    target: Document, source: Document, first: Entity, second: Entity, notes: list[str]
) -> tuple[Document, dict[str, str]]:
    """The page of both, and for each line of the other's its address there and here."""
    target, source = (_without_itself(page, first, second, notes) for page in (target, source))
    mine, theirs = read_entity(target), read_entity(source)
    taken = {line.id for line in mine.lines}
    moved: dict[str, Provenance] = {}
    for line in sorted(theirs.lines, key=lambda one: one.entry.span.start):
        said = moved[line.entry.address] = _spoken(line, renamed=bool(line.id) and line.id in taken)
        taken.add(said.get("id") or "")
    source = with_origins(source, moved)
    going = _whole(source, moved)
    document = with_lines(target, lift(source, going))
    document = _with_rest(document, _less(source, moved), second.name)
    file = [] if is_linkable(second.name) else [stem_of(second.path)]  # what links to it say
    document = with_aliases(document, [*second.names, *file])
    if mine.valid_from and theirs.valid_from and theirs.valid_from < mine.valid_from:
        data = set_front_matter(document.data, "valid_from", theirs.valid_from.isoformat())
        document = document_of(document.path, data)
    _require_all(document, mine, theirs)
    return document, {entry.address: f"{target.path}#{entry.hash}" for entry in going}


def _whole(document: Document, addresses: Collection[str]) -> list[Entry]:
    """The entries at these addresses, of a long one all its parts."""
    starts = {entry.whole.start for entry in document.entries if entry.address in addresses}
    return [entry for entry in document.entries if entry.whole.start in starts]


def _less(document: Document, gone: Collection[str]) -> Document:
    """The page without the lines at these addresses."""
    entries = _whole(document, gone)
    return document.with_data(take_out(document, entries)) if entries else document


def _without_itself(document: Document, first: Entity, second: Entity, notes: list[str]) -> Document:
    """One of the two pages without its relations to the other: they would lead to itself."""
    names = {name_key(name) for one in (first, second) for name in (one.name, one.id, stem_of(one.path))}
    gone = [one for one in read_entity(document).relations if name_key(one.target) in names]
    notes += [f"dropped, as it leads to itself: {one.kind} {one.target}" for one in gone]
    return _less(document, {one.entry.address for one in gone})


def _joined(own: Provenance | None, mine: PageLine, theirs: PageLine) -> Provenance:
    """What a line says that both pages have: all sources, the higher confidence, the lower trust."""
    own = own or Provenance()
    also = theirs.entry.origin
    new = ((name, value) for name in ("src", "session") for value in also.all(name))
    joined = Provenance((*own.fields, *(field for field in new if field not in own.fields)))
    changes: dict[str, str | None] = {}
    if (said := parse_share(own.get("confidence"))) is not None:
        sure = max(said, theirs.confidence)
        changes["confidence"] = None if sure >= 1 else number(sure)
    trust = least_trusted(own.get("trust") or mine.trust, mine.trust, theirs.trust)
    if trust != TRUST[-1] or own.get("trust") is not None:
        changes["trust"] = trust
    return joined.changed(changes)


def _spoken(line: PageLine, *, renamed: bool) -> Provenance:
    """What a moved line says of itself: its trust, where its page said that, and an id that nobody has."""
    own = line.entry.origin
    changes: dict[str, str | None] = {}
    if renamed:
        changes["id"] = f"{line.id}-{stem_of(line.entry.path)[:20]}"
    if line.trust != own.trust:
        changes["trust"] = line.trust
    if isinstance(line, TypedMemory) and line.scene and own.get("scene") is None:
        changes["scene"] = line.scene  # it stood under a heading that stays behind
    return own.changed(changes)


def _with_rest(document: Document, rest: Document, name: str) -> Document:
    """The page with what else stood on another one at its end, under a heading of that one's name."""
    body = rest.data[rest.header.body :]
    if not body.strip():
        return document
    newline = document.newline.encode()
    heading = "## " + " ".join(visible_line(name).split())
    start = document.data if document.data.endswith(b"\n") else document.data + newline
    data = start + newline + heading.encode() + newline + newline + body.lstrip(b"\r\n")
    after = document_of(document.path, data)
    if [e.text for e in after.entries][: len(document.entries)] != [e.text for e in document.entries] or len(
        after.entries
    ) < len(document.entries) + len(rest.entries):
        raise NotCuratableError(
            f"the rest of {rest.path} cannot be appended to {document.path}", hint="move it there yourself"
        )
    return after


def _require_all(document: Document, mine: Entity, theirs: Entity) -> None:
    """Raise where a memory of either would be missing."""
    there = {_claim(line) for line in read_entity(document).lines}
    lost = [line for line in (*mine.lines, *theirs.lines) if _claim(line) not in there]
    if lost:
        raise NotCuratableError(
            f"“{excerpt(lost[0].entry.text)}” would be lost in the merge; nothing was changed",
            hint="move it with an editor first",
        )


def _claim(line: TypedMemory | Relation) -> tuple[str, ...]:
    if isinstance(line, Relation):
        return "relation", line.kind, name_key(line.target)
    day = line.happens_at.isoformat() if line.happens_at else ""
    return "memory", line.type, claim_key(line.text), day


def _elsewhere(
    workspace: Workspace, done: set[RelPath], is_old: _LeadsThere, name: str
) -> Iterator[FileEdit]:
    """The edits of all other pages that link to the one that goes."""
    for file in workspace.scan():
        if file.path in done or file.kind in _LEFT_ALONE:
            continue
        data = workspace.files.read_or_none(file.path)
        if data is None or b"[[" not in data:
            continue
        changed = _relinked(data, is_old, name)
        if changed == data:
            continue
        if file.kind is Kind.ENTITY:
            page = document_of(file.path, changed)
            changed = _folded(page, read_entity(page).relations)[0].data
        yield FileEdit(file.path, data, changed)


def _relinked(data: bytes, is_old: _LeadsThere, name: str) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    return encoded(relinked(text, is_old, name))


def _folded(document: Document, lines: Iterable[TypedMemory | Relation]) -> tuple[Document, dict[str, str]]:
    """The page with one line for those of ``lines`` that now say the same, with what ``_joined`` says of it.

    Also the address of each line that went, with that of the one in its place.
    """
    seen: dict[tuple[object, ...], TypedMemory | Relation] = {}
    marks: dict[str, Provenance] = {}
    gone: dict[str, str] = {}
    for line in lines:
        first = seen.setdefault((*_claim(line), line.valid_until), line)
        if first is not line:
            address = first.entry.address
            marks[address] = _joined(marks.get(address, first.entry.provenance), first, line)
            gone[line.entry.address] = address
    return _less(with_origins(document, marks), gone), gone


def plan_keep_apart(workspace: Workspace, one: str, other: str, *, now: datetime, reason: str = "") -> Plan:
    """Record that two entities are not one: they are neither merged nor shown as duplicates any more.

    Raises UsageError where a name is nobody's or that of several.
    """
    graph = read_graph(workspace)
    first, second = the_one(graph, one), the_one(graph, other)
    if first.path == second.path:
        raise UsageError(f"{first.name} and {second.name} are one page: {first.path}")
    said = f"{first.name} and {second.name} are different"
    record = decision(same_key(first, second), "rejected", claim=said, reason=reason, by="human")
    return Plan(
        action="settle",
        summary=excerpt(said),
        records=ledger_records("decisions", [record], now),
        reason=reason,
    )


# -- merging duplicates automatically ----------------------------------------------------------------

MOST = 20
"""Merges of one run: more at once would be a fault of the model rather than of the memory."""


@frozen
class ResolutionResult:
    """The merges that were made, each an operation; the pairs for a person; and what failed."""

    merged: tuple[Operation, ...] = ()
    flagged: tuple[Duplicate, ...] = ()
    notes: tuple[str, ...] = ()


def resolve(
    workspace: Workspace,
    *,
    now: datetime,
    embedder: Embedder | None = None,
    of: Collection[str] | None = None,
    dry_run: bool = False,
    reader: GraphReader | None = None,
) -> ResolutionResult:
    """Merge the duplicates that pass every bar, each as an operation of `dreaming`; name the others.

    ``of`` are the paths of the pages to look for duplicates of (those that were just written), None for all.
    Without ``embedder`` nothing is merged. With ``dry_run`` nothing is at all, and all pairs are flagged.
    What fails is a note, never a stop. A ``reader`` that is kept parses only the pages that have changed.
    """
    graph = reader.read() if reader else read_graph(workspace)
    notes: list[str] = []
    look = partial(duplicates, graph, today=now.date(), decided=settled_keys(workspace), of=of)
    try:
        found = look(embedder=embedder)
    except ModelUnavailableError as error:
        notes.append(f"names were compared without embeddings: {error.message}")
        found = look()
    merged: list[Operation] = []
    touched: set[str] = set()
    gone: set[str] = set()
    flagged: list[Duplicate] = []
    for one in found:
        keep, other = one.keep, one.other
        if dry_run or not one.automatic or len(merged) == MOST or {keep.path, other.path} & touched:
            flagged.append(one)
            continue
        why = f"cosine {one.cosine or 0:.3f}, names {one.names:.3f}"
        plan = partial(plan_merge_entities, workspace, keep.path, other.path, reason=why, actor="ingest")
        try:
            merged.append(workspace.operations.carry_out(plan))
        except WorkbenchError as error:
            notes.append(f"{keep.name} and {other.name} were not merged: {error.message}")
            flagged.append(one)
        else:
            touched |= {keep.path, other.path}
            gone.add(other.path)
    flagged = [one for one in flagged if not {one.keep.path, one.other.path} & gone]
    return ResolutionResult(tuple(merged), tuple(flagged), tuple(notes))


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Compare the names of all pages, also those pairs that a person has answered.

    This is a task of the worker. Its answer is ``{"pairs": [{"keep", "other", "cosine", "names", "automatic",
    "why"}]}``, with the pages by their paths, for the day ``now``. Raises ModelUnavailableError, OSError.
    """
    context.progress("comparing")
    with closing(Workspace.open(root)) as workspace:
        embedder = local_model(workspace.settings)
        if embedder is None:
            raise ModelUnavailableError(why_no_model(workspace.settings))
        today = moment(parameters.get("now")).date()
        found = duplicates(read_graph(workspace), today=today, embedder=embedder)
    said = ("cosine", "names", "automatic", "why")
    pairs = [
        {"keep": one.keep.path, "other": one.other.path, **{name: getattr(one, name) for name in said}}
        for one in found
    ]
    return {"pairs": pairs}
