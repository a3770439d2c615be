"""The survey in a process of its own, for the interface: what counts 50,000 entries must not hold up a key.

``python -m workbench.health.report.worker ROOT`` reads one wish from its standard input, a JSON object in
a line: ``{"topics": […]}`` (none: all; where recall tests alone are named, all of them are run), or
``{"repair": "a check of the doctor's"}``. It answers with a JSON object a line: ``begin`` before each
section, ``section`` when it was looked at, ``repaired``, ``error``, and ``end`` at the end. It may be ended
at any time.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from workbench.errors import WorkbenchError
from workbench.health.report.build import look, repair, topics_named
from workbench.health.report.subject import Subject
from workbench.health.subject import CheckSubject


def serve(root: Path, wish: Mapping[str, Any], out: TextIO) -> None:
    """Do what is wished, and write what comes of it."""

    def tell(event: str, **said: object) -> None:
        out.write(json.dumps({"event": event, **said}) + "\n")
        out.flush()

    try:
        place = CheckSubject.open(root)
    except WorkbenchError as error:
        tell("error", message=error.message, hint=error.hint)
        return
    try:
        if check := wish.get("repair"):
            whole, said = repair(place, str(check))
            tell("repaired", whole=whole, said=said)
        else:
            topics = topics_named([str(name) for name in wish.get("topics") or ()])
            alone = [str(topic) for topic in topics] == ["tests"]
            subject = Subject(place, _moment(wish.get("now")), all_tests=alone)
            for number, topic in enumerate(topics, 1):
                tell("begin", id=topic, number=number, of=len(topics))
                tell("section", section=look(subject, topic).as_json())
        tell("end")
    except WorkbenchError as error:
        tell("error", message=error.message, hint=error.hint)
    finally:
        place.close()


def _moment(said: object) -> datetime:
    """The moment as of which is looked: the one that is wished, or this one."""
    try:
        return datetime.fromisoformat(str(said)).astimezone()
    except (ValueError, OverflowError):
        return datetime.now().astimezone()


def main() -> None:
    """Answer one wish."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    out = sys.stdout
    sys.stdout = sys.stderr  # nothing that a library prints is an answer
    with contextlib.suppress(OSError):
        os.nice(5)
    line = sys.stdin.readline()
    try:
        wish = json.loads(line) if line.strip() else {}
    except ValueError:
        wish = {}
    with contextlib.suppress(BrokenPipeError):
        serve(Path(sys.argv[1]), wish if isinstance(wish, dict) else {}, out)


if __name__ == "__main__":
    main()
