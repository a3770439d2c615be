"""A workspace in a git repository with an index and a stand-in model, as an agent's session opens it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from indexing.sync.run import reindex
from tests.support.hashing import HashingEmbedder
from tests.support.workspaces import EPISODE, LOG, Sandbox
from workbench.agent.context import Injection, inject
from workbench.agent.search_service import SearchService
from workbench.agent.tools.tool import AgentSession
from workbench.workspace.plan import Book
from workbench.workspace.workspace import Workspace

NOW = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
TODAY = NOW.date()


class Given:
    """A workspace, written as an agent writes it, and what is given from it."""

    def __init__(self, root: Path) -> None:
        self.sandbox = Sandbox(root)
        self.root = root
        for path in (LOG, EPISODE, "MEMORY.md"):  # nothing is found but what a test wrote
            (root / path).unlink()
        self.sandbox.commit("empty")
        self.model = HashingEmbedder()
        self.leader: Given | None = None

    @property
    def workspace(self) -> Workspace:
        return self.sandbox.workspace

    def reopen(self) -> None:
        """Read the settings again."""
        self.sandbox.workspace.close()
        self.sandbox.workspace = Workspace.open(self.root)

    def write(self, path: str, *items: str) -> None:
        lines = "".join(f"- {item}\n" for item in items)
        self.sandbox.write(path, f"# Notes\n\n{lines}")

    def page(self, name: str, *lines: str, type_: str = "person", extra: str = "") -> str:
        """A page of the graph that the owner vouches for, unless a line says otherwise; its path."""
        path = f"graph/{type_}/{name.lower().replace(' ', '-')}.md"
        body = "".join(f"- {line}\n" for line in lines)
        if "trust:" not in extra:
            extra += "trust: owner\n"
        self.sandbox.write(
            path, f"---\nid: ent-{name.lower()[:4]}\nname: {name}\ntype: {type_}\n{extra}---\n{body}"
        )
        return path

    def index(self, *, vectors: bool = True) -> None:
        reindex(self.workspace, vectors=vectors, model=self.model.choice)

    def service(self) -> SearchService:
        leader = self.leader.workspace if self.leader else None
        return SearchService(self.workspace, today=lambda: TODAY, model=self.model.choice, leader=leader)

    def inject(self, message: str, *, user: str = "", memory_loaded: bool = True) -> Injection:
        return inject(
            self.service(),
            message,
            user=user,
            now=NOW,
            memory_loaded=memory_loaded,
        )

    def session(self, *, user: str = "") -> AgentSession:
        """The session of an agent called tester; it searches with the stand-in model."""
        session = AgentSession(self.workspace, agent="tester", user=user, session_id="s7", clock=lambda: NOW)
        session._service = self.service()
        return session

    def records(self, book: Book) -> list[dict[str, object]]:
        found = self.workspace.ledger.read(book)
        return [{name: value for name, value in record.items() if name != "record"} for record in found]


class Person:
    """Whoever owns the settings."""

    def __init__(self, home: Path) -> None:
        self._file = home / "settings.yaml"

    def sets(self, **settings: object) -> None:
        self._file.write_text(json.dumps({name: str(value) for name, value in settings.items()}))


@pytest.fixture
def owner(person: Path) -> Person:
    """The person whose memory it is."""
    return Person(person)


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Given]:
    """A small workspace, not indexed yet."""
    made = Given(tmp_path / "own")
    yield made
    made.sandbox.close()


@pytest.fixture
def leader(tmp_path: Path, given: Given, owner: Person) -> Iterator[Given]:
    """The leader of the team that ``given`` is a member of."""
    made = Given(tmp_path / "leader")
    owner.sets(team_leader=made.root)
    given.reopen()
    given.leader = made
    yield made
    made.sandbox.close()
