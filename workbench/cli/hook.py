"""Commands as hooks of an agent: JSON on stdin, and no exit code that would keep the agent from its work."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from workbench.cli.output import OutputError, fail, narrate
from workbench.errors import WorkbenchError, disk_error

_MOST_READ = 1_000_000
"""Bytes of stdin that are read."""


def stdin_text() -> str:
    """What stands on stdin, up to a bound."""
    return sys.stdin.buffer.read(_MOST_READ).decode("utf-8", "replace")


def answer_hook(answer: Callable[[Mapping[str, Any]], None]) -> None:
    """Call ``answer`` with the JSON object of a hook; what goes wrong is told on stderr, and not raised."""
    try:
        said = json.loads(stdin_text() or "{}")
        answer(said if isinstance(said, Mapping) else {})
    except WorkbenchError as error:
        fail(error, as_json=False)
    except (BrokenPipeError, OutputError):
        raise
    except OSError as error:
        fail(disk_error(error), as_json=False)
    except (ValueError, RecursionError):
        narrate("workbench: the hook's input is not JSON")
