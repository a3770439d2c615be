"""A workbench that acts at random until it is killed: ``python -m tests.support.worker FOLDER SEED``."""

from __future__ import annotations

import random
import sys

from indexing.sync import reindex
from workbench.curation import plan_forget, plan_promote, plan_redo, plan_undo
from workbench.errors import WorkbenchError
from workbench.workspace.workspace import Workspace


def main() -> None:
    """Promote, forget, undo, redo and reindex in random order, for ever."""
    chance = random.Random(int(sys.argv[2]))
    place = Workspace.open(sys.argv[1])
    print("ready", flush=True)  # noqa: T201 - the test waits for this line
    while True:
        entries = [e for file in place.scan() for e in place.document(file.path).entries]
        target = [chance.choice(entries).address]
        action = chance.choice(["promote", "forget", "undo", "redo", "reindex"])
        try:
            if action == "reindex":
                reindex(place, vectors=False)
            elif action == "promote":
                place.operations.carry_out(lambda: plan_promote(place, target))  # noqa: B023
            elif action == "forget":
                place.operations.carry_out(lambda: plan_forget(place, target))  # noqa: B023
            elif action == "undo":
                place.operations.carry_out(lambda: plan_undo(place))
            else:
                place.operations.carry_out(lambda: plan_redo(place))
        except (WorkbenchError, FileNotFoundError):
            continue


if __name__ == "__main__":
    main()
