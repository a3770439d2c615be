"""Every action there is, ready to be carried out on one small workspace."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.workspaces import EPISODE, EPISODE_TEXT, LOG, Sandbox
from workbench.operations.archive import plan_archive
from workbench.operations.edit import entry_source, plan_edit
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.move import plan_move
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.plan import Book, Plan
from workbench.workspace.workspace import Workspace

SECOND_EPISODE = "episodes/2026/03/e2.md"
GRAPH = "graph/person/sarah.md"
GRAPH_TEXT = """---
id: ent-4b1c
name: Sarah Chen
type: person
---
- [preference] Prefers async reviews over meetings
- works_on [[Project Atlas]]
"""
Planner = Callable[[Workspace], Plan]


@dataclass(frozen=True, slots=True)
class Action:
    """An action by name: what is done first, what is done, and what undoes it."""

    name: str
    plan: Planner
    first: tuple[Planner, ...] = ()
    back: Planner = plan_undo

    def __str__(self) -> str:
        return self.name


def at(place: Workspace, words: str, path: str = LOG) -> str:
    """The address of the first entry of ``path`` that holds ``words``."""
    return next(e.address for e in place.document(path).entries if words in e.text)


def promote(place: Workspace) -> Plan:
    return plan_promote(place, [at(place, "async reviews")])


def forget(place: Workspace) -> Plan:
    return plan_forget(place, [at(place, "staging port")])


def edit(place: Workspace) -> Plan:
    document, entry = place.locate(at(place, "staging port"))
    return plan_edit(place, entry.address, entry_source(document, entry).replace("8443", "9443"))


def quarantine(place: Workspace) -> Plan:
    return plan_quarantine(place, [at(place, "tantivy")])


def release(place: Workspace) -> Plan:
    page = next((place.root / QUARANTINE).glob("*.md"))
    return plan_release(place, [at(place, "tantivy", page.relative_to(place.root).as_posix())])


ACTIONS = (
    Action("promote", promote),
    Action("promote from an episode", lambda p: plan_promote(p, [at(p, "on Friday", EPISODE)])),
    Action(
        "promote several under a new heading",
        lambda p: plan_promote(p, [at(p, "staging port"), at(p, "tantivy")], section="New"),
    ),
    Action("forget an entry", forget),
    Action("forget a page", lambda p: plan_forget(p, [EPISODE])),
    Action(
        "forget in several files",
        lambda p: plan_forget(p, [at(p, "tantivy"), SECOND_EPISODE, at(p, "Atlas", "MEMORY.md")]),
    ),
    Action(
        "promote into an entry",
        lambda p: plan_promote(p, [at(p, "async reviews")], into=at(p, "Likes tea", "MEMORY.md")),
    ),
    Action("edit", edit),
    Action("merge", lambda p: plan_merge(p, [at(p, "Likes tea", "MEMORY.md"), at(p, "Atlas", "MEMORY.md")])),
    Action("move", lambda p: plan_move(p, [at(p, "staging port")], to="memory/ports.md", section="Ports")),
    Action("pin", lambda p: plan_pin(p, [at(p, "Likes tea", "MEMORY.md")])),
    Action("quarantine", quarantine),
    Action("quarantine a page", lambda p: plan_quarantine(p, [EPISODE])),
    Action("release", release, (quarantine,)),
    Action("archive", lambda p: plan_archive(p, [at(p, "Atlas", "MEMORY.md")])),
    Action(
        "restore a page",
        lambda p: plan_restore(p, EPISODE, list(p.operations.walk())[1].commit),
        (lambda p: plan_forget(p, [EPISODE]),),
    ),
    Action("undo", plan_undo, (promote,), plan_redo),
    Action("undo a forgotten page", plan_undo, (lambda p: plan_forget(p, [EPISODE]),), plan_redo),
    Action("redo", plan_redo, (promote, plan_undo)),
)
LIKE = {
    "promote several under a new heading": "promote",
    "promote into an entry": "promote",
    "merge": "promote",
    "edit": "forget an entry",
    "undo a forgotten page": "restore a page",
    "redo": "undo",
}
"""Actions that change files of the same sorts by the very calls of another one, as a test makes sure."""
EACH_SORT = tuple(action for action in ACTIONS if action.name not in LIKE)


def scene(root: Path) -> Sandbox:
    """A workspace for every action, with a person's own work in it: staged, changed and untracked."""
    sandbox = Sandbox(root)
    sandbox.write(SECOND_EPISODE, EPISODE_TEXT.replace("e1", "e2").replace("1:0", "1:1"))
    sandbox.write(GRAPH, GRAPH_TEXT)
    sandbox.write("notes.txt", "theirs\n")
    sandbox.commit("more")
    sandbox.write("staged.txt", "staged\n")
    sandbox.git("add", "staged.txt")
    sandbox.write("notes.txt", "changed and not staged\n")
    sandbox.write("new.txt", "not known to git\n")
    return sandbox


def contents(root: Path) -> dict[str, bytes]:
    """Every file of ``plain_files``, and what the ledger says."""
    records = _ledger(root) if (root / ".git/refs/workbench").exists() else b""
    return plain_files(root) | ({"ledger": settled(records)} if records else {})


def plain_files(root: Path) -> dict[str, bytes]:
    """Every file below the workspace but git's and ours, ``settled``."""
    return {name: settled(path.read_bytes()) for name, path in files_below(root, {".git", ".workbench"})}


def _ledger(root: Path) -> bytes:
    """The records of operations that count, without their names."""
    place = Workspace.open(root)
    books: tuple[Book, ...] = ("decisions", "ingested", "proposals")
    records = [dict(record) for book in books for record in place.ledger.read(book)]
    place.close()
    for record in records:
        record["record"] = record["operation"] = ""
    return "\n".join(map(json.dumps, records)).encode()


def files_below(root: Path, without: Container[str]) -> Iterator[tuple[str, Path]]:
    """The files below a folder with their names from there; folders named in ``without`` are left out."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in without)
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                yield path.removeprefix(f"{root}/"), Path(path)


def settled(data: bytes) -> bytes:
    """A file without what differs from run to run by design."""
    return _VARYING.sub(b"", data)


_VARYING = re.compile(rb"(?:(?<=wb:)[a-z2-7]{8}|id=[a-z]?[0-9a-f]{6,}|(?:at|since)=[0-9T:Z+-]+)")
