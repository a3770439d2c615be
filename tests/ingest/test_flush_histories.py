"""Whatever becomes of a transcript, each fact that is to be kept of it stands in the log once."""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.support.sessions import append, jsonl
from tests.support.transcripts import NOW
from tests.support.workspaces import Sandbox
from workbench.ingest.flush import flush_reading
from workbench.ingest.sessions import Checkpoints, read_new
from workbench.ingest.transcript_files import look

pytestmark = [
    pytest.mark.promise(
        "From sessions to long-term memory",
        "a transcript is renamed, rotated, emptied, truncated, rewritten, or half written",
    ),
]

LOG = "memory/2026-03-14.md"


class Histories(RuleBasedStateMachine):
    """An agent that appends, compacts, shortens its transcript or loses its end; a flush that may die."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.sandbox = Sandbox(self.root / "w", repository=False)
        self.path = self.root / "s91.jsonl"
        self.header = jsonl({"type": "session", "id": "s91"})
        append(self.path, self.header)
        self.checkpoints = Checkpoints.read(self.sandbox.workspace, "flush")
        self.number = 0
        self.due: set[str] = set()
        self.expected: set[str] = set()

    def teardown(self) -> None:
        self.sandbox.close()
        shutil.rmtree(self.root)

    @rule(count=st.integers(1, 3))
    def says(self, count: int) -> None:
        for _ in range(count):
            self.number += 1
            # Asked for, as more than ten a day are kept only of such; of another subject each, as a later
            # choice replaces an earlier one.
            fact = f"Remember that project{self.number} is searched with tool{self.number}."
            when = datetime(2026, 3, 14, 12, tzinfo=UTC) + timedelta(seconds=self.number // 2)
            append(self.path, jsonl({"role": "user", "content": fact, "timestamp": when.isoformat()}))
            self.due.add(fact)

    @rule()
    def compacts(self) -> None:
        append(self.path, jsonl({"type": "compaction", "summary": "They spoke of tools."}))

    @rule()
    def flushes(self) -> None:
        reading = read_new(look(str(self.path)), self.checkpoints)
        if reading is not None:
            flush_reading(self.sandbox.workspace, reading, self.checkpoints, now=NOW)
        self.expected |= self.due
        self.due.clear()

    @rule()
    def flushes_and_dies_before_it_notes_that(self) -> None:
        folder = self.sandbox.root / ".workbench/ledger"
        files = {path.name: path.read_bytes() for path in folder.glob("*")}
        self.flushes()
        for path in folder.glob("*"):
            path.write_bytes(files.get(path.name, b""))
        self.restarts()

    @rule()
    def restarts(self) -> None:
        self.checkpoints = Checkpoints.read(self.sandbox.workspace, "flush")

    @rule(share=st.floats(0.0, 1.0))
    def loses_its_end(self, share: float) -> None:
        """A crash of the machine; what was not flushed and is gone is gone."""
        lines = self.path.read_bytes().splitlines(keepends=True)
        kept = lines[: max(1, int(len(lines) * share))]
        self.path.write_bytes(b"".join(kept))
        self.due = {fact for fact in self.due if fact.encode() in b"".join(kept)}

    @rule(count=st.integers(0, 5))
    def is_shortened_by_its_agent(self, count: int) -> None:
        """The header, and the last lines; what was not flushed before stays."""
        self.flushes()
        lines = self.path.read_bytes().splitlines(keepends=True)[1:]
        fresh = self.root / "fresh"
        fresh.write_bytes(self.header + b"".join(lines[len(lines) - min(count, len(lines)) :]))
        os.replace(fresh, self.path)

    @invariant()
    def each_fact_stands_in_the_log_once(self) -> None:
        log = self.sandbox.root / LOG
        text = log.read_text() if log.exists() else ""
        for fact in self.expected:
            assert text.count(f"- {fact} <!-- wb: src=s91.jsonl#L") == 1, fact
        assert text.count("Remember that project") == len(self.expected)


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
