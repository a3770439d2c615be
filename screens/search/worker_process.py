"""Starting the engines' processes: never from the workspace's own folder, never in this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

_HOME = Path(__file__).resolve().parents[2]
_LINE_LIMIT = 1 << 24
_GRACE_SECONDS = 1.0


async def start(module: str, root: Path, *, with_input: bool) -> Process:
    """``python -m module root``, its output on a pipe.

    ``-P`` keeps the current folder, which may be the workspace, from being searched for modules.
    """
    paths = [os.fspath(_HOME), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        module,
        os.fspath(root),
        stdin=PIPE if with_input else DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=_LINE_LIMIT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
    )


async def stop(process: Process | None, grace: float = _GRACE_SECONDS) -> None:
    """End a child: ask, wait for ``grace`` seconds, then insist."""
    if process is None or process.returncode is not None:
        return
    # Not process.terminate(): it polls, and so takes the exit status away from asyncio's own watcher.
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), grace)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()
