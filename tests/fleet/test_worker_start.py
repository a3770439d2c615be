"""Workers on Ray that die before they have begun: others take their place, as long as some can start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from indexing.many_workspaces.table import SharedTable, place_of
from tests.fleet.workspaces import make_fleet
from workbench.fleet.run import check

PROJECT = Path(__file__).resolve().parents[2]
RUN = """
import json, sys
from pathlib import Path
from indexing.many_workspaces.table import place_of
from tests.fleet.models import dying_at_start
from workbench.errors import WorkbenchError
from workbench.fleet.worker import RayPool
from workbench.fleet.worker import Agent
from workbench.fleet.run import FleetRun, Plan
root, recipe = Path(sys.argv[1]), dying_at_start(Path(sys.argv[1], "died"))
agents = [Agent(*one) for one in json.loads(sys.argv[2])]
try:
    run = FleetRun(agents, place_of(str(root / "index")), recipe, Plan(batch=2))
    report = run.run(RayPool(recipe, workers=2))
    print(json.dumps(report.as_json()))
except WorkbenchError as error:
    print(json.dumps(error.message))
"""


def reindexed(root: Path, agents: list[Any]) -> Any:
    """The report of a run, or what it says. In a process of its own: Ray starts no more behind LanceDB."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(root), json.dumps([[one.name, one.path] for one in agents])],
        env={**os.environ, "PYTHONPATH": str(PROJECT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])  # Ray itself says something before


def test_a_worker_that_dies_while_it_starts_is_replaced_and_stops_nobody(tmp_path: Path) -> None:
    agents = make_fleet(tmp_path / "agents", 6)
    report = reindexed(tmp_path, agents)
    assert (tmp_path / "died").exists()
    assert (report["written"], report["failed"], report["lost"]) == (6, [], 0)
    assert list(check(SharedTable.open(place_of(str(tmp_path / "index"))), agents)) == []


def test_where_every_worker_dies_while_it_starts_that_is_said(tmp_path: Path) -> None:
    agents = make_fleet(tmp_path / "agents", 2)
    (tmp_path / "died").mkdir()
    said = reindexed(tmp_path, agents)
    assert said.startswith("no worker started: ")
    assert "died" in said
