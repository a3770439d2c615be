"""kill -9 at random moments over every action and reindex, with an agent writing."""

from __future__ import annotations

import random
import signal
import threading
from pathlib import Path

import pytest

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.support import forked
from tests.support.workspaces import LOG, Sandbox
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.workspace import Workspace

ROUNDS = 30


class Agent(threading.Thread):
    """Appends one line with a word of its own after another, to a log and to MEMORY.md."""

    def __init__(self, root: Path, paths: tuple[str, ...] = (LOG, "MEMORY.md")) -> None:
        super().__init__()
        self.root = root
        self.paths = paths
        self.tokens: list[str] = []
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.003):
            token = f"token{len(self.tokens)}x"
            path = self.paths[len(self.tokens) % len(self.paths)]
            self.tokens.append(token)
            with (self.root / path).open("ab", buffering=0) as file:
                file.write(f"- {token}\n".encode())


@pytest.mark.promise(
    "Writing",
    "random `kill -9` of a worker, with an agent writing and a reindex",
    "no word lost",
    by="real processes",
)
@pytest.mark.promise(
    "Two writers",
    "a lock is held by a process that is dead",
    "ignored",
    by="killed holders in the loops above",
)
@pytest.mark.faults
def test_kill_at_random_moments_loses_no_word(sandbox: Sandbox) -> None:
    """Every word that was ever written is on disk or in a commit, and everything goes on working."""
    chance = random.Random(20261120)
    start_words = {w for data in sandbox.snapshot().values() for w in data.decode().split()}
    agent = Agent(sandbox.root)
    agent.start()
    killed = 0
    try:
        for number in range(ROUNDS):
            acting = forked.started(
                sandbox.root, str(number), module="tests.support.worker", cwd=forked.PROJECT
            )
            with acting as (worker, printed, errors):
                assert printed.readline() == b"ready\n"
                try:
                    worker.wait(chance.uniform(0.0, 0.5))
                except TimeoutError:
                    worker.kill()
                    killed += worker.wait() == -signal.SIGKILL
                assert errors.read() == b""
    finally:
        agent.stopped.set()
        agent.join()
    assert killed == ROUNDS

    place = Workspace.open(sandbox.root)
    place.operations.recover()
    on_disk = b" ".join(path.read_bytes() for path in sandbox.root.rglob("*.md"))
    every_version = sandbox.git("log", "--all", "-p", "--no-color", "--text").encode()
    # Only the first character of a line of a diff is git's: `---` of front matter is a word as well.
    known = set(on_disk.split()) | {w for line in every_version.splitlines() for w in line[1:].split()}
    assert [token for token in agent.tokens if token.encode() not in known] == []
    assert [word for word in start_words if word.encode() not in known] == []
    assert not [p for p in sandbox.root.rglob(".wb-*") if ".workbench" not in p.parts]
    sandbox.git("fsck", "--strict")

    before = place.read("MEMORY.md")
    address = next(
        e.address
        for e in place.document(LOG).entries
        if e.hash not in {m.hash for m in place.memory_document().entries}
    )
    place.operations.carry_out(lambda: plan_promote(place, [address]))
    place.operations.carry_out(lambda: plan_undo(place))
    assert place.read("MEMORY.md") == before
    reindex(place, vectors=False)
    found = IndexSearch(place, vectors=False).search(Query(text=agent.tokens[-1], mode="lexical"))
    assert agent.tokens[-1] in found.hits[0].snippet
    place.close()
