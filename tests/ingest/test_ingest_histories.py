"""However a session goes on, is compacted, edited or killed over: each of its turns is of one episode."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from tests.support.sessions import append, jsonl
from tests.support.transcripts import NOW
from tests.support.workspaces import EPISODE, Sandbox
from workbench.ingest.episodes import episodes
from workbench.ingest.ingest import Ingest
from workbench.ingest.sessions import Checkpoints
from workbench.ingest.transcript_files import look

pytestmark = [
    pytest.mark.promise(
        "From sessions to long-term memory",
        "a transcript is renamed, rotated, emptied, truncated, rewritten, or half written",
    ),
]

START = datetime(2026, 3, 14, 12, tzinfo=UTC)


class Histories(RuleBasedStateMachine):
    """One transcript with two sessions in it, and everything that can come between."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.sandbox = Sandbox(self.root / "w")
        (self.sandbox.root / EPISODE).unlink()
        self.path = self.root / "s91.jsonl"
        self.session = "s91"
        self.said: Counter[str] = Counter()
        self.edited: dict[str, bytes] = {}

    def teardown(self) -> None:
        self.sandbox.close()
        shutil.rmtree(self.root)

    @rule(count=st.integers(1, 3), then=st.sampled_from(("nothing", "is taken in", "dies", "edits")))
    def says(self, count: int, then: str) -> None:
        for _ in range(count):
            number = self.said.total()
            when = START + timedelta(seconds=number)
            text = f"We decided to use tool{number} for the search of the project."
            message = {"role": "user", "content": text}
            append(
                self.path,
                jsonl(
                    {
                        "type": "user",
                        "sessionId": self.session,
                        "timestamp": when.isoformat(),
                        "message": message,
                    }
                ),
            )
            self.said[self.session] += 1
        if then == "dies":
            self.is_taken_in_and_dies_before_that_is_noted()
        elif then != "nothing":
            self.is_taken_in()
        if then == "edits":
            self.is_edited()

    @rule()
    def compacts(self) -> None:
        append(
            self.path,
            jsonl({"type": "compaction", "summary": "They decided which tools to use for the search."}),
        )

    @rule()
    def goes_on_as_another_session(self) -> None:
        self.session = "s92"

    @precondition(lambda self: self.path.exists())
    @rule()
    def is_taken_in_again(self) -> None:
        self.is_taken_in()

    def is_taken_in(self) -> None:
        os.utime(self.path, (START.timestamp(),) * 2)
        checkpoints = Checkpoints.read(self.sandbox.workspace, "episode")
        taken = Ingest(self.sandbox.workspace, now=NOW).transcript(look(str(self.path)), checkpoints)
        assert taken.outcome in ("taken", "unchanged"), taken
        found: Counter[str] = Counter()
        for one in episodes(self.sandbox.workspace):
            found[str(one.session)] += one.turns
        assert found == self.said
        for path, data in self.edited.items():
            assert self.sandbox.read(path) == data

    def is_taken_in_and_dies_before_that_is_noted(self) -> None:
        reference = self.sandbox.workspace.ledger.reference
        before = self.sandbox.git("for-each-ref", "--format=%(objectname)", reference).strip()
        self.is_taken_in()
        self.sandbox.git("update-ref", *([reference, before] if before else ["-d", reference]))

    def is_edited(self) -> None:
        for one in episodes(self.sandbox.workspace):
            if one.path not in self.edited:
                data = self.sandbox.read(one.path) + b"\nMy own words.\n"
                self.edited[one.path] = data
                self.sandbox.write(one.path, data)
                return


TestHistories = pytest.mark.faults(Histories.TestCase)
TestHistories.settings = settings(
    max_examples=int(os.environ.get("HISTORIES", "8")),
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
