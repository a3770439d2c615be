"""Serving one client on stdin and stdout, and leaving when it does.

Only the protocol speaks on stdout: whatever else prints is led to stderr. Nothing is logged but that and why
the server ends. When stdin ends, because the client closed it or is gone, a write that has begun is brought
to its end, and the process leaves at once, whatever its other threads do.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from datetime import UTC, datetime
from typing import NoReturn

import anyio
from mcp.server.stdio import stdio_server

from workbench.agent.mcp_server.server import make_server
from workbench.agent.tools.agent_session import AgentSession
from workbench.workspace.workspace import Workspace


def serve(workspace: Workspace, *, agent: str, user: str = "") -> NoReturn:
    """Serve until the client goes; ends the process. Raises UsageError where the settings make no sense."""
    # Engines that are threaded would hold the few processors against whatever the agent does itself.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging.disable(logging.CRITICAL)  # libraries quote what they were given, and that is memory
    name = f"mcp:{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
    session = AgentSession(workspace, agent=agent, user=user, session_id=name)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda sent, _: _leave(session, 128 + sent))
    if sys.stdin.isatty():
        _note("this speaks to a program; `workbench connect` shows how to add it to one. Ctrl-C ends it")
    code = 0
    try:
        anyio.run(_serve, session)
    except BaseExceptionGroup as group:
        if group.split((BrokenPipeError, ConnectionError))[1] is not None:
            code = 1
            _note(f"ended by {_sorts(group)}")
    _leave(session, code)


def _leave(session: AgentSession, code: int) -> NoReturn:
    """End now, but for a write that has begun: threads that wait for stdin or search must not hold us."""
    session.close()
    sys.stderr.flush()
    os._exit(code)


async def _serve(session: AgentSession) -> None:
    server = make_server(session)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _sorts(group: BaseExceptionGroup[BaseException]) -> str:
    """The sorts of errors in ``group``, without their words, which may be memory."""
    left: list[BaseException] = [group]
    sorts = set()
    while left:
        error = left.pop()
        if isinstance(error, BaseExceptionGroup):
            left += error.exceptions
        else:
            sorts.add(type(error).__name__)
    return ", ".join(sorted(sorts))


def _note(line: str) -> None:
    print(f"workbench mcp: {line}", file=sys.stderr, flush=True)  # noqa: T201 - stdout is the protocol's
