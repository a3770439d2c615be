"""Reindex in a process of its own: ``python -m indexing.sync.worker WORKSPACE [--full] [--no-vectors]``.

Runs at low priority and says how far it is in JSON lines on stdout: any number of
``{"event": "progress", "phase", "done", "total"}``, then ``{"event": "done", "report": {...}}`` or
``{"event": "error", "code", "message", "hint"}``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from pathlib import Path

from indexing.sync.report import SyncProgress
from indexing.sync.run import reindex
from workbench.errors import WorkbenchError
from workbench.workspace.workspace import Workspace

_NICENESS = 10


def main(arguments: list[str] | None = None) -> int:
    """Reindex; the exit code is that of the error tree."""
    parser = argparse.ArgumentParser(prog="indexing.sync.worker", description="Bring an index up to date.")
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--full", action="store_true", help="build anew, even if files are gone")
    parser.add_argument("--no-vectors", action="store_true", help="words only")
    asked = parser.parse_args(arguments)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    try:
        workspace = Workspace.open(asked.workspace)
        report = reindex(workspace, full=asked.full, vectors=not asked.no_vectors, progress=_tell)
    except WorkbenchError as error:
        _say({"event": "error", "code": error.code, "message": error.message, "hint": error.hint})
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # the last word on this pipe must say what happened
        _say({"event": "error", "code": "failed", "message": f"{type(error).__name__}: {error}", "hint": ""})
        return 1
    _say({"event": "done", "report": report.as_json()})
    return 0


def _tell(progress: SyncProgress) -> None:
    _say(progress.as_json())


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(130)
