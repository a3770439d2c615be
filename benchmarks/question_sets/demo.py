"""The demo workspace and questions about it that were written by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import yaml

from benchmarks.question_sets import Asked, Collection, Evidence, plain
from workbench.workspace.demo.story import demo_commits

TODAY = date(2026, 11, 21)
_QUESTIONS = Path(__file__).with_name("demo.yaml")


def questions() -> tuple[Asked, ...]:
    """All of them, in the order of the file."""
    rows = yaml.safe_load(_QUESTIONS.read_text(encoding="utf-8"))
    return tuple(
        Asked(row["ask"], row["style"], tuple(Evidence(plain(str(text))) for text in row["find"]))
        for row in rows
    )


def write(root: Path) -> Collection:
    """The last state of the demo workspace in the empty folder ``root``, and the questions about it."""
    files: dict[str, bytes | None] = {}
    for commit in demo_commits(TODAY):
        files.update(commit.files)
    for path, data in files.items():
        if data is not None:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return Collection("demo", root, TODAY, questions())
