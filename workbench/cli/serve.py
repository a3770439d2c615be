"""The interface in a browser: serve."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import click

from workbench.cli.output import narrate, say
from workbench.cli.workspace_options import opened
from workbench.errors import UsageError

PORT = 8470


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="An address of this machine's own.")
@click.option("--read-only", is_flag=True, help="Only to look: no memory is written from there.")
def serve(port: int, host: str, read_only: bool) -> None:
    """Serve the interface to a browser on this machine, until ctrl+c.

    The address that is printed holds a token, made anew for each start: whoever has it sees this memory.
    Needs the extra `serve` (README, Install).
    """
    from screens.serve.auth import require_loopback

    try:
        from screens.serve.server import Server
    except ImportError as error:
        raise UsageError(
            f"{error.name or 'a library'} is not installed, which serving needs",
            hint="install the extra `serve` (README, Install)",
        ) from error
    from workbench.config.read_only import VARIABLE

    address = require_loopback(host)
    place = opened(click.get_current_context().obj)
    root = place.root
    place.close()
    if read_only:
        os.environ[VARIABLE] = "1"
    try:
        asyncio.run(_until_told(Server(root), address, port, root))
    except OSError as error:
        number = error.errno or 0
        why = os.strerror(number) if number > 0 else error.strerror or error
        raise UsageError(f"port {port} cannot be used: {why}", hint="name another: --port 0") from error


async def _until_told(server: object, host: str, port: int, root: Path) -> None:
    from screens.serve.server import Server

    assert isinstance(server, Server)
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(sign, told.set)
    await server.start(host, port)
    say(server.address)
    only = ", to look only" if os.environ.get("WORKBENCH_READ_ONLY") else ""
    narrate(f"{root.name} is served on this machine{only}; ctrl+c ends it")
    try:
        await told.wait()
    finally:
        await server.stop()
