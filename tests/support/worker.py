"""A workbench that acts at random until it is killed: ``python -m tests.support.worker FOLDER SEED``."""

from __future__ import annotations

import random
import sys

from indexing.sync.run import reindex
from workbench.errors import WorkbenchError
from workbench.operations.archive import plan_archive
from workbench.operations.edit import entry_source, plan_edit
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.move import plan_move
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release, quarantined
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.external_changes import record
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

ACTIONS = ("promote", "forget", "edit", "merge", "move", "pin", "quarantine", "release", "archive", "restore",
           "undo", "undo another", "redo", "record", "reindex")  # fmt: skip


def main() -> None:
    """Every action in random order, for ever."""
    chance = random.Random(int(sys.argv[2]))
    place = Workspace.open(sys.argv[1])
    print("ready", flush=True)  # noqa: T201 - the test waits for this line
    while True:
        action = chance.choice(ACTIONS)
        try:
            if action == "reindex":
                reindex(place, vectors=False)
            elif action == "record":
                record(place)
            else:
                place.operations.carry_out(lambda: plan(place, action, chance))  # noqa: B023
        except (WorkbenchError, FileNotFoundError):
            continue


def plan(place: Workspace, action: str, chance: random.Random) -> Plan:
    """An action on entries, files and operations that are chosen by chance."""
    files = [file.path for file in place.scan()]
    entries = [e for path in files for e in place.document(path).entries]
    one, other = chance.choice(entries), chance.choice(entries)
    if action == "edit":
        document, entry = place.locate(one.address)
        return plan_edit(place, one.address, entry_source(document, entry).rstrip("\n") + " edited\n")
    if action == "merge":
        return plan_merge(place, [one.address, other.address])
    if action == "move":
        return plan_move(place, [one.address], to=other.path, section="Moved")
    if action == "release":
        return plan_release(place, [str(getattr(item, "address", item)) for item in quarantined(place)][:1])
    if action == "archive":
        return plan_archive(place, [e.address for e in place.memory_document().entries][:1])
    if action in ("restore", "undo another"):
        operation = chance.choice(list(place.operations.walk())[:20])
        return (
            plan_undo(place, operation.id)
            if action != "restore"
            else plan_restore(place, one.path, operation.commit)
        )
    if action in ("undo", "redo"):
        return plan_undo(place) if action == "undo" else plan_redo(place)
    by_entry = {
        "promote": plan_promote,
        "forget": plan_forget,
        "pin": plan_pin,
        "quarantine": plan_quarantine,
    }
    return by_entry[action](place, [one.address])


if __name__ == "__main__":
    main()
