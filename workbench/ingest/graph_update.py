"""What one log, episode or other source teaches enters the graph, as one operation.

Automation writes only semantic memory here, which a person sees as the diff of an operation and takes back
with one key; none of it reaches MEMORY.md. A source is known by its words: the same words teach nothing
twice, and a log that grew teaches only what is new in it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from workbench.dreaming.proposals.suspicious import suspicious_records
from workbench.errors import NotCuratableError, WorkbenchError
from workbench.graph.drafts import USER, Draft
from workbench.graph.page_edit import Directory
from workbench.graph.write import write
from workbench.ingest.entities import NAME, THING, EntityNames, NamedEntity, NameEvidence, is_name
from workbench.ingest.extract import extract
from workbench.ingest.outcomes import LEFT_OUT, SUSPICIOUS
from workbench.ingest.passages import is_source, read_source
from workbench.llm.language_model import LanguageModel
from workbench.memory.graph_page import forgotten_key
from workbench.memory.markdown import Document
from workbench.memory.origin import names_of
from workbench.plural import first_few, plural
from workbench.workspace.decisions import rejected_keys
from workbench.workspace.plan import Plan, ledger_records
from workbench.workspace.workspace import Workspace, owner_name_of, owner_page_of

KIND = "graph"
"""What a record of the book `ingested` says that is of the graph."""
_NOTES = 20
_HEADED = re.compile(rf"^#{{2,4}} (?P<name>{NAME} {NAME})[ \t]*$", re.MULTILINE)
"""A heading of USER.md that is the name of somebody: `### Ana Ruiz`."""


def plan_learn(
    workspace: Workspace,
    path: str,
    *,
    now: datetime,
    model: LanguageModel | None = None,
    evidence: NameEvidence | None = None,
) -> Plan:
    """Put what the source at ``path`` teaches into the graph: memories, relations, and the pages they are on.

    All of it is one operation of `dreaming`, with the record that the source was read. Each line says where
    it is from, its session and the trust of its source. What a person has rejected or forgotten does not come
    back. ``evidence`` is kept by who learns from many sources. Whatever fails for one line is a note.

    Raises NotCuratableError where the source teaches nothing new or is none, NotMemoryError,
    FileNotFoundError.
    """
    document = workspace.document(path)
    names = (evidence or NameEvidence(workspace)).names()
    directory = Directory(workspace)
    owner, owner_names, people = _owner(workspace, directory, names)
    source = read_source(document, owner=owner_names, known=names)
    source = replace(source, user=source.user or owner)
    digest = digest_of(document)
    if learnt(workspace).get(path) == digest:
        raise NotCuratableError(
            f"{path}: nothing new since the graph was last updated from it", hint="nothing was changed"
        )
    known = EntityNames(_pages(directory)).along_with(people).along_with(names)
    found = extract(source, names=known, model=model, timeout=workspace.settings.language_timeout)
    no_more = rejected_keys(workspace)
    everything: tuple[Draft, ...] = (*found.memories, *found.relations)
    drafts = [draft for draft in everything if no_more.isdisjoint((draft.key, forgotten_key(draft.key)))]
    written = write(workspace, drafts, now=now, user=source.user, certain=False, lenient=True, by_name=True)
    record = {
        "source": path,
        "digest": digest,
        "kind": KIND,
        "memories": len(written.became),
        **({"model": model.name} if model else {}),
    }
    notes = list(dict.fromkeys((*found.notes, *written.notes)))
    if len(drafts) < len(everything):
        notes.append(f"{len(everything) - len(drafts)} were rejected or forgotten before")
    pages = sum(edit.before is None for edit in written.edits)
    held, unlisted = suspicious_records(workspace, source.suspicious, now)
    if source.suspicious:
        notes.append(f"{len(source.suspicious)}{LEFT_OUT}{SUSPICIOUS}")
    if unlisted:
        notes.append(f"{unlisted} more suspicious lines of {path} are not listed there")
    return Plan(
        action="learn",
        summary=f"{path}: {len(written.became)} new of "
        + plural(len(found.memories) + len(found.relations), "fact")
        + (f", {plural(pages, 'new page')}" if pages else ""),
        edits=written.edits,
        records=(*ledger_records("ingested", [record], now), *ledger_records("proposals", held, now)),
        became=written.became,
        actor="ingest",
        trailers=(("Source", path),),
        notes=tuple(first_few(notes, _NOTES)),
    )


def unlearnt(workspace: Workspace, among: Collection[str] | None = None) -> dict[str, str]:
    """The sources, or those ``among`` them, that can teach the graph something new, by their paths.

    Of one that cannot be read it says why; of the others nothing.
    """
    known = learnt(workspace)
    found: dict[str, str] = {}
    for file in workspace.scan():
        if is_source(file) and (among is None or file.path in among):
            try:
                document = workspace.document(file.path)
            except (WorkbenchError, OSError) as error:
                found[file.path] = str(error)
                continue
            if document.entries and known.get(file.path) != digest_of(document):
                found[file.path] = ""
    return found


def learnt(workspace: Workspace) -> Mapping[str, str]:
    """The digest of each source as the graph was last learnt from it."""
    records = [one for one in workspace.ledger.read("ingested") if one.get("kind") == KIND]
    records.sort(key=lambda one: str(one.get("at")))  # what is pending is read last, and may be older
    return {str(one.get("source")): str(one.get("digest")) for one in records}


def digest_of(document: Document) -> str:
    """What a source says, in 16 digits: its header, where recalls are counted, does not count."""
    body = document.data[document.front_matter.body :] if document.front_matter else document.data
    return hashlib.sha256(body).hexdigest()[:16]


def _pages(directory: Directory) -> dict[str, NamedEntity]:
    """The names of all pages; one that several have stands for none of them until its type is said."""
    found: dict[str, NamedEntity] = {}
    for page in directory.pages():
        for name in (page.name, *page.aliases):
            one = NamedEntity(page.name, page.type)
            found[name] = one if found.get(name, one) == one else NamedEntity(name, "")
    return found


def _owner(
    workspace: Workspace, directory: Directory, evidence: Mapping[str, NamedEntity]
) -> tuple[str, frozenset[str], dict[str, NamedEntity]]:
    """The page of the person whose memory it is, their names in lower case, and the people of USER.md.

    These are whom it names, also by a heading. A page `User` of before stays theirs where none has the name.
    """
    headed = [
        found["name"]
        for found in _HEADED.finditer(owner_page_of(workspace))
        if is_name(found["name"])
        and any(
            one and one.type in ("person", THING)
            for one in map(evidence.get, (found["name"], found["name"].split()[0]))
        )
    ]
    called = [name for name in (owner_name_of(workspace), *headed) if name]
    names = frozenset().union(*map(names_of, called))
    people = {
        said: NamedEntity(name, "person")
        for name in called
        if is_name(name)
        for said in (name, name.split()[0])
    }
    for name in (*called[:1], USER):
        with suppress(WorkbenchError):
            if found := directory.find(name, "person"):
                names = names.union(names_of(found.name), map(str.casefold, found.aliases))
                return found.name, names, people
    return called[0] if called and is_name(called[0]) else USER, names, people
