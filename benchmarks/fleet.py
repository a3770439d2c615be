"""A fleet of small workspaces for real: Ray with two workers, an S3 server on loopback, trouble on the way.

    nice -n 19 python -m benchmarks.fleet --count 2000 --report fleet.json

One workspace is broken, one worker is killed, connections are cut. The table is compared with that of a
single process, row by row, and hits with its hits. docs/fleet.md computes with what is measured here.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import boto3
import lancedb
import numpy as np
import psutil

from indexing.many_workspaces.search import FleetSearch
from indexing.many_workspaces.table import Location, SharedTable, place_of
from indexing.search.answer import Query
from tests.fleet.storage import BUCKET, Bucket, Proxy, bucket
from tests.fleet.workspaces import make_fleet, write
from workbench.fleet.run import FleetRun, Plan, check
from workbench.fleet.worker import (
    Agent,
    Brought,
    InProcessPool,
    RayPool,
    Recipe,
    Task,
    model_for_questions,
    recipe,
)

QUERIES = ("door code of agent 31", "who owns the deploy key", "ERR_12", "broker kind:log", "登录模块")


class Killed(RayPool):
    """A pool of which one worker is killed while it is at the tenth task."""

    def __init__(self, how: Recipe, workers: int) -> None:
        super().__init__(how, workers=workers)
        self._tasks = 0

    def map(self, tasks: Iterable[Task]) -> Iterator[Brought]:
        return super().map(map(self._killing, tasks))

    def _killing(self, task: Task) -> Task:
        self._tasks += 1
        if self._tasks == 10:
            workers = psutil.Process().children(recursive=True)
            next(one for one in workers if one.cmdline()[0].startswith("ray::_carry_out")).kill()
        return task


class Meter:
    """Requests, bytes and seconds of what is done in between."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._requests, self._bytes = proxy.requests.copy(), proxy.bytes.copy()
        self._since = time.perf_counter()

    def read(self) -> dict[str, object]:
        requests = self._proxy.requests - self._requests
        moved = self._proxy.bytes - self._bytes
        seconds = round(time.perf_counter() - self._since, 3)
        return {"seconds": seconds, "requests": dict(requests), "bytes": dict(moved)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--report", default="")
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, bucket() as storage:
        found = measured(Path(folder), storage, said.count, said.workers, said.batch)
    text = json.dumps(found, indent=2)
    if said.report:
        Path(said.report).write_text(text + "\n")
    print(text)


def measured(root: Path, storage: Bucket, count: int, workers: int, batch: int) -> dict[str, Any]:
    agents = make_fleet(root / "agents", count)
    listed = [*agents[: count // 2], Agent("broken", str(root / "nowhere")), *agents[count // 2 :]]
    place, alone = storage.place("index"), place_of(str(root / "alone"))
    how = recipe(vectors=True, spend=False)
    plan = Plan(batch=batch)
    storage.proxy.cut(rb"PUT .*/entries.lance/_versions/", after=5)
    storage.proxy.cut(rb"PUT .*/entries.lance/data/", after=9)
    storage.proxy.cut(rb"PUT .*/entries.lance/_versions/", after=12, late=True)
    out: dict[str, Any] = {"count": count, "workers": workers, "batch": batch, "machine": machine()}
    out["memory_bytes"] = sum(path.stat().st_size for path in root.rglob("*.md"))

    meter = Meter(storage.proxy)
    report = FleetRun(listed, place, how, plan, tell).run(Killed(how, workers))
    out["first"] = {**meter.read(), "report": report.as_json(), "cuts": storage.proxy.cuts}
    out["stored_bytes"] = stored(storage)

    meter = Meter(storage.proxy)
    single = FleetRun(agents, alone, how, plan, tell).run(InProcessPool(how))
    out["single"] = {"seconds": round(single.seconds, 3), "report": single.as_json()}
    out["rows_equal"], out["vectors_differ"] = compared(rows(place), rows(alone))

    meter = Meter(storage.proxy)
    again = FleetRun(agents, place, how, plan, tell).run(InProcessPool(how))
    out["again"] = {**meter.read(), "report": again.as_json()}

    for agent in agents[:: max(1, count // 20)]:
        write(Path(agent.path), "memory/2026-03-16.md", "# 2026-03-16\n\n- The quokka likes figs\n")
    meter = Meter(storage.proxy)
    later = FleetRun(agents, place, how, plan, tell).run(InProcessPool(how))
    out["later"] = {**meter.read(), "report": later.as_json()}

    meter = Meter(storage.proxy)
    out["findings"] = len(list(check(SharedTable.open(place), agents)))
    out["check"] = meter.read()
    FleetRun(agents, alone, how, plan, tell).run(InProcessPool(how))
    out["searches"], out["hits_equal"] = searches(storage, place, alone)
    return out


def searches(storage: Bucket, place: Location, alone: Location) -> tuple[list[dict[str, Any]], bool]:
    """Each question to both tables, of all workspaces and of two."""
    model, _ = model_for_questions(*_card(place))
    told, equal = [], True
    remote, local = (FleetSearch(SharedTable.open(one), model) for one in (place, alone))
    for names in ((), ("agent-00031", "agent-00012")):
        for words in QUERIES:
            here = local.search(Query(words), names)
            times, asked = [], {}
            for _ in range(3):
                meter = Meter(storage.proxy)
                there = remote.search(Query(words), names)
                asked = meter.read()
                times.append(there.took_ms)
            equal = equal and [(h.workspace, h.entry, round(h.score, 4)) for h in here.hits] == [
                (h.workspace, h.entry, round(h.score, 4)) for h in there.hits
            ]
            told.append(
                {
                    "query": words,
                    "in": len(names),
                    "hits": len(there.hits),
                    "took_ms": round(statistics.median(times), 1),
                    "local_ms": round(here.took_ms, 1),
                    **asked,
                }
            )
    return told, equal


def _card(place: Location) -> tuple[str, int]:
    card = SharedTable.open(place).card
    return card.model, card.dimension


def rows(place: Location) -> list[dict[str, Any]]:
    """All rows in one order."""
    base = lancedb.connect(place.uri, storage_options=dict(place.options) if place.remote else None)
    table = base.open_table("entries")
    found: list[dict[str, Any]] = table.search().limit(table.count_rows()).to_list()
    return sorted(found, key=lambda row: str(row["id"]))


def compared(these: list[dict[str, Any]], those: list[dict[str, Any]]) -> tuple[bool, float]:
    """Whether all rows are equal but for their vectors, and the most that any number of these differs."""
    mine = np.array([row.pop("vector") for row in these], np.float32)
    other = np.array([row.pop("vector") for row in those], np.float32)
    most = float(np.abs(mine - other).max()) if mine.shape == other.shape else float("inf")
    return these == those, most


def stored(storage: Bucket) -> dict[str, int]:
    """Bytes and objects in the bucket, by the folder that they are in."""
    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{storage.proxy.port}", region_name="us-east-1"
    )
    out: dict[str, int] = {"objects": 0}
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for one in page.get("Contents", ()):
            out["objects"] += 1
            part = one["Key"].split("/")[2] if one["Key"].count("/") > 1 else "other"
            out[part] = out.get(part, 0) + one["Size"]
    return out


def machine() -> dict[str, object]:
    load = os.getloadavg()[0]
    return {
        "python": platform.python_version(),
        "lancedb": lancedb.__version__,
        "cores": os.cpu_count(),
        "load": round(load, 1),
    }


def tell(_: str, done: int, total: int) -> None:
    print(f"\r{done}/{total} ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
