"""How long a key waits until the interface is idle."""

from __future__ import annotations

from textual import _wait

# After each key, and in everything that is waited for, Textual looks whether the process is idle, for 20 ms
# each time: that was most of the time of these tests. What a test needs it waits for by what is shown.
_wait.SLEEP_GRANULARITY = 0.004
_wait.SLEEP_IDLE = 0.001
