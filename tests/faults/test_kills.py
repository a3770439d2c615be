"""Kills beside writers of every sort and a person at git: no line is lost, and verify agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import kills


@pytest.mark.promise(
    "Two writers",
    "kills beside writers that append, hold open, rename, truncate and delete, and a person who "
    "commits, stashes, merges and rebases",
    "no line is lost, and `verify` finds nothing",
    by="`python -m tests.faults.kills --kills 300`; fewer in every run",
)
@pytest.mark.faults
def test_kills_beside_writers_of_every_sort_and_a_person_at_git_lose_no_line(
    tmp_path: Path, person: Path
) -> None:
    """The same with ``python -m tests.faults.kills --kills 300``, which takes some minutes."""
    (person / "settings.yaml").write_text("model: none\n")
    said: list[str] = []
    assert kills.run(tmp_path, kills=20, seed=20261123, say=said.append) == 0, said
