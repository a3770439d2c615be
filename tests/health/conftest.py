"""A workspace in a real repository with its index, and the doctor called on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.indexing.conftest import (  # noqa: F401 - fixtures
    model_cache,
    own_model,
    real_model,
    tiny,
)
from tests.support.workspaces import Sandbox
from workbench.health.checks import checks_of, examine
from workbench.health.finding import DOCTOR, CheckResult, Finding, Look
from workbench.health.subject import CheckSubject
from workbench.workspace.workspace import Workspace

QUESTIONS = ("staging port", "Sarah reviews", "Atlas", "same words", "tea", "weather in Lisbon")


def said_by(look: Look) -> tuple[str, list[Finding]]:
    """What a check saw, and what it found."""
    every = list(look)
    seen = "; ".join(one for one in every if isinstance(one, str))
    return seen, [one for one in every if isinstance(one, Finding)]


@dataclass
class Ward:
    """A workspace with its index, and what the doctor says of it."""

    sandbox: Sandbox
    settings: Path
    now: float | None = None
    unlooked: frozenset[str] = frozenset({"libraries"})
    """What is not looked at where no check is named: it is the same in every test, and takes long to tell."""

    @property
    def root(self) -> Path:
        return self.sandbox.root

    @property
    def state(self) -> Path:
        return self.root / ".workbench"

    @property
    def index(self) -> Path:
        return self.state / "index"

    @property
    def generation(self) -> Path:
        return self.index / (self.index / "current").read_text().strip()

    def outcomes(self, *names: str, fix: bool = False) -> dict[str, CheckResult]:
        """What the checks of these names say; without a name all but ``unlooked``."""
        place = CheckSubject.open(self.root)
        if self.now is not None:
            place.now = self.now
        every = checks_of(*DOCTOR)
        wanted = names or {check.name for check in every} - self.unlooked
        chosen = [check for check in every if check.name in wanted]
        assert len(chosen) == len(wanted)
        try:
            return {outcome.name: outcome for outcome in examine(place, fix=fix, checks=chosen)}
        finally:
            place.close()

    def findings(self, *names: str) -> list[Finding]:
        """What remains to be done, by these checks or all."""
        found = self.outcomes(*names).values()
        return [finding for outcome in found for finding in outcome.findings if finding.remains]

    def fix(self, *names: str) -> list[Finding]:
        """What was repaired."""
        found = self.outcomes(*names, fix=True).values()
        return [finding for outcome in found for finding in outcome.findings if finding.fixed]

    def reindex(self, *, vectors: bool = False) -> None:
        reindex(Workspace.open(self.root), vectors=vectors)

    def answers(self) -> dict[str, list[tuple[Any, ...]]]:
        """What a number of questions find, with the scores."""
        search = IndexSearch(Workspace.open(self.root), vectors=False)
        return {
            text: [
                (hit.entry, hit.start_line, round(hit.score, 4))
                for hit in search.search(Query(text, mode="lexical")).hits
            ]
            for text in QUESTIONS
        }

    def clean_answers(self) -> dict[str, list[tuple[Any, ...]]]:
        """The same of an index that is built from nothing."""
        shutil.rmtree(self.index)
        self.reindex()
        return self.answers()


@pytest.fixture
def ward(sandbox: Sandbox, person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ward:
    """A sound workspace, indexed by words; embedding is switched off."""
    settings = person / "settings.yaml"
    settings.write_text("model: none\n")
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    made = Ward(sandbox, settings)
    sandbox.workspace = Workspace.open(sandbox.root)
    made.reindex()
    return made


@pytest.fixture
def treated(ward: Ward) -> Callable[..., list[Finding]]:
    """Repairs, and shows that no memory file was touched and that nothing is left to repair."""

    def treat(*names: str) -> list[Finding]:
        before = ward.sandbox.snapshot()
        done = ward.fix()
        again = [finding for outcome in ward.outcomes(fix=True).values() for finding in outcome.findings]
        assert not [finding for finding in again if finding.remains]
        assert not [finding for finding in again if finding.fixed], "a second run repairs nothing"
        assert ward.sandbox.snapshot() == before
        assert not names or [f for f in done if any(name in f.what for name in names)], done
        return done

    return treat
