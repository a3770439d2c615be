"""An event loop in a thread of its own, so that requests run beside each other for callers that wait."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Runs coroutines; the thread is a daemon and ends with this object."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=[self._loop], name="provider", daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, _end, self._loop)

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin ``work``; the future can be waited for and cancelled from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End the thread when what runs in it has been cancelled."""
        if self._end.alive:
            self._end()
            self._thread.join(timeout=5)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    finally:
        loop.close()


def _end(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
