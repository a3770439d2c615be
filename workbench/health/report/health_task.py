"""The survey as a task of the worker: what counts 50,000 entries must not hold up a key.

``{"topics": [...]}`` looks (none: at all; where recall tests alone are named, all of them are run), and
``{"repair": "a check of the doctor's"}`` repairs. It says ``begin`` before each section, ``section`` when it
was looked at, and ``repaired``; see ``workbench.worker``. It may be ended at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from workbench.health.report.build import look, repair, topics_named
from workbench.health.report.subject import Subject
from workbench.health.subject import CheckSubject
from workbench.workspace.task_context import TaskContext, moment


def run(root: Path, parameters: Mapping[str, Any], context: TaskContext) -> Mapping[str, object]:
    """Do what is wished. Raises what opening the workspace raises, and UsageError for an unknown topic."""
    with closing(CheckSubject.open(root)) as place:
        if check := parameters.get("repair"):
            whole, said = repair(place, str(check))
            context.say("repaired", whole=whole, said=said)
            return {}
        topics = topics_named([str(name) for name in parameters.get("topics") or ()])
        alone = [str(topic) for topic in topics] == ["tests"]
        subject = Subject(place, moment(parameters.get("now")), all_tests=alone)
        for number, topic in enumerate(topics, 1):
            context.say("begin", id=topic, number=number, of=len(topics))
            context.say("section", section=look(subject, topic).as_json())
    return {}
