"""That nobody waits for what they did not ask for; in this process, so that a test can hold things up."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime

import pytest
from mcp import Client

from tests.support.workspaces import LOG, Sandbox
from workbench.agent.mcp_server import MOST_CALLS, make_server
from workbench.agent.tools.tool import AgentSession


def session_of(sandbox: Sandbox) -> AgentSession:
    return AgentSession(
        sandbox.workspace, agent="tester", clock=lambda: datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
    )


@pytest.mark.promise("Agents", "a search hangs", "other tools answer")
async def test_searches_that_hang_keep_no_other_call_waiting(served: Sandbox) -> None:
    session = session_of(served)
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with session.searching():
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        async with Client(make_server(session)) as client:
            hanging = [
                asyncio.create_task(client.call_tool("memory_search", {"query": f"staging port {n}"}))
                for n in range(3 * MOST_CALLS["search"])
            ]
            read = await client.call_tool("memory_get", {"path": LOG})
            asked = await client.call_tool("memory_graph_query", {"types": ["todo"]})
            kept = await client.call_tool("memory_graph_store", {"text": "Likes tea"})
            listed = await client.list_resources()
            assert not any(task.done() for task in hanging)
            assert not any(result.is_error for result in (read, asked, kept))
            assert listed.resources
            release.set()
            assert not any(result.is_error for result in await asyncio.gather(*hanging))
    finally:
        release.set()
        holder.join()


async def test_a_cancelled_search_is_answered_at_once_and_those_behind_it_later(served: Sandbox) -> None:
    session = session_of(served)
    release = threading.Event()
    held = threading.Event()

    def hold() -> None:
        with session.searching():
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        async with Client(make_server(session)) as client:
            task = asyncio.create_task(client.call_tool("memory_search", {"query": "the staging port"}))
            await client.list_tools()  # the search has been sent by now
            task.cancel()
            (cancelled,) = await asyncio.gather(task, return_exceptions=True)
            assert isinstance(cancelled, asyncio.CancelledError)
            assert not release.is_set()
            release.set()
            after = await client.call_tool("memory_search", {"query": "the staging port"})
            assert not after.is_error
    finally:
        release.set()
        holder.join()


async def test_a_defect_of_ours_is_one_refused_call(served: Sandbox) -> None:
    session = session_of(served)
    async with Client(make_server(session)) as client:
        good, session._graphs = session._graphs, None  # type: ignore[assignment]
        broken = await client.call_tool("memory_graph_query", {})
        session._graphs = good
        assert broken.is_error
        assert "AttributeError" in str(broken.content)
        assert not (await client.call_tool("memory_graph_query", {})).is_error
