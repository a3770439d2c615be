"""One thread, in which work is done in the order in which it was asked for, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class WorkThread:
    """Begins with the first work."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._closed = False

    async def run(self, work: Callable[[], T]) -> T:
        """What ``work`` answers, or raises; who asks after the end is cancelled."""
        if self._closed:
            raise asyncio.CancelledError
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """Do no more than what has begun, and wait for nothing."""
        self._closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)

    def finish(self, last: Callable[[], object]) -> None:
        """Do what was asked for and ``last`` of all this, and wait for it."""
        self._executor.submit(last)
        self._executor.shutdown(wait=True)
