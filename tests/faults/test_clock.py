"""Clocks that are wrong: content decides, and the order of commits is that of their parents."""

from __future__ import annotations

import os
import subprocess
import time
from datetime import date

import pytest

from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.support.workspaces import LOG, Sandbox
from workbench.operations.forget import plan_forget
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.plan import Plan

pytestmark = [
    pytest.mark.promise(
        "Names, encodings, paths, clocks",
        "1970, 2100, DST, a clock that steps back, midnight between plan and commit",
        "content and order count, not the clock",
    ),
]


def commit_at(sandbox: Sandbox, when: str, message: str) -> None:
    """A plain commit of somebody whose clock says ``when``."""
    sandbox.write("other.txt", message)
    sandbox.git("add", "other.txt")
    stamps = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    subprocess.run(
        ["git", "-C", sandbox.root, "commit", "-q", "-m", message], check=True, env={**os.environ, **stamps}
    )


@pytest.mark.parametrize("day", [date(1970, 1, 1), date(2026, 3, 29), date(2026, 10, 25), date(2100, 2, 28)])
def test_an_action_on_any_day_is_recorded_and_undone_byte_for_byte(sandbox: Sandbox, day: date) -> None:
    place, before = sandbox.workspace, sandbox.snapshot()
    address = sandbox.address("async reviews")
    place.operations.carry_out(lambda: plan_promote(place, [address], today=day))
    copy = next(e for e in place.memory_document().entries if "async reviews" in e.text)
    assert copy.provenance is not None
    assert copy.provenance.get("at") == day.isoformat()
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.snapshot() == before


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Sao_Paulo", "Europe/Lisbon", "Etc/GMT+12"])
def test_a_change_of_time_zone_changes_no_order(
    sandbox: Sandbox, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = sandbox.workspace
    first = place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("staging port")]))
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        second = place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("tantivy")]))
        assert [o.id for o in list(place.operations.walk())[:2]] == [second.id, first.id]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_commits_dated_1970_and_2100_around_ours_change_no_order_and_no_undo(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    commit_at(sandbox, "2099-12-31T23:59:59Z", "from the future")
    before = sandbox.snapshot()
    ours = place.operations.carry_out(lambda: plan_forget(place, [sandbox.address("staging port")]))
    commit_at(sandbox, "1970-01-02T00:00:00Z", "from the past")
    assert [o.summary for o in list(place.operations.walk())[:3]] == [
        "from the past",
        ours.summary,
        "from the future",
    ]
    place.operations.carry_out(lambda: plan_undo(place))
    assert sandbox.snapshot() == before


@pytest.mark.promise("Names, encodings, paths, clocks", "a changed file with the same size, inode and time")
def test_a_rewrite_of_the_same_size_and_time_between_plan_and_write_is_seen(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    target = sandbox.root / "MEMORY.md"
    planned: list[Plan] = []

    def plan() -> Plan:
        planned.append(plan_promote(place, [sandbox.address("async reviews")]))
        if len(planned) == 1:
            status = target.stat()
            with target.open("r+b") as file:
                file.write(target.read_bytes().replace(b"Likes tea", b"Likes ale"))
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        return planned[-1]

    place.operations.carry_out(plan)
    assert len(planned) == 2
    assert b"Likes ale" in target.read_bytes()
    assert b"async reviews" in target.read_bytes()


def test_midnight_between_two_plans_gives_the_day_of_the_one_that_was_carried_out(sandbox: Sandbox) -> None:
    place = sandbox.workspace
    days = iter([date(2026, 12, 31), date(2027, 1, 1)])

    def plan() -> Plan:
        made = plan_promote(place, [sandbox.address("async reviews")], today=next(days))
        if b"at=2026" in (made.edits[0].after or b""):
            with (sandbox.root / "MEMORY.md").open("r+b") as file:
                file.write(b"# MEMORY")
        return made

    place.operations.carry_out(plan)
    (promoted,) = (entry for entry in place.memory_document().entries if "async" in entry.text)
    assert promoted.field("at") == "2027-01-01"
    assert sandbox.read("MEMORY.md").startswith(b"# MEMORY\n")


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "a changed file with the same size, inode and time",
    "its content is compared",
)
@pytest.mark.parametrize("stamp", [0, 4_102_444_800], ids=["1970", "2100"])
def test_the_index_follows_content_whatever_the_file_says_of_its_time(
    sandbox: Sandbox, stamp: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size, inode and time of change are what they were, and the change is no recent one either."""
    monkeypatch.setattr("indexing.sync.freshness.RACY_NS", 0)
    place, target = sandbox.workspace, sandbox.root / LOG
    os.utime(target, (stamp, stamp))
    reindex(place, vectors=False)
    text = target.read_bytes().replace(b"staging port is 8443", b"staging port is 9443")
    target.write_bytes(text)
    os.utime(target, (stamp, stamp))
    reindex(place, vectors=False)
    hits = IndexSearch(place, vectors=False).search(Query(text="9443", mode="lexical")).hits
    assert "9443" in hits[0].snippet


def test_a_rewrite_in_the_moment_of_the_sync_is_read_again(sandbox: Sandbox) -> None:
    place, target = sandbox.workspace, sandbox.root / LOG
    target.write_bytes(target.read_bytes())
    reindex(place, vectors=False)
    status = target.stat()
    with target.open("r+b") as file:
        file.write(target.read_bytes().replace(b"8443", b"9443"))
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    reindex(place, vectors=False)
    assert IndexSearch(place, vectors=False).search(Query(text="9443", mode="lexical")).hits
    assert target.stat().st_size == status.st_size
