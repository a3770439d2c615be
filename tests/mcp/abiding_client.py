"""A client that starts the server, has it work, says so, and stays until it is killed.

``python -m tests.mcp.abiding_client WORKSPACE``
"""

from __future__ import annotations

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    """Connect, search, store, and wait for ever."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "workbench", "-w", sys.argv[1], "mcp"],
        env=dict(os.environ),
    )
    async with Client(server) as client:
        await client.call_tool("memory_search", {"query": "which port does staging have?"})
        await client.call_tool("memory_graph_store", {"text": "Likes tea", "entity": "Sarah Chen"})
        print("ready", flush=True)  # noqa: T201 - the test waits for this line
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
