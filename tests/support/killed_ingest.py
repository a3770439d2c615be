"""Take in a transcript, killed at a call: ``python -m tests.support.killed_ingest WORKSPACE FILE NOW CALL``.

With call 0 it is not killed, and prints how many calls there are.
"""

from __future__ import annotations

import sys
from datetime import datetime

from tests.support.failpoints import Fault, failing
from workbench.ingest.ingest import Ingest
from workbench.workspace.workspace import Workspace


def main() -> None:
    """Take it in."""
    root, transcript, now, moment = sys.argv[1:]
    place = Workspace.open(root)
    with failing(Fault.SIGKILL if int(moment) else Fault.NONE, int(moment)) as points:
        for taken in Ingest(place, now=datetime.fromisoformat(now)).transcripts([transcript]):
            assert taken.outcome in ("taken", "unchanged"), taken
    print(len(points.calls))  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main()
