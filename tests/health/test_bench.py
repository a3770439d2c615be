"""The bench: it measures what it says, writes no memory file, and draws the same questions again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.workspace.__main__ import main
from benchmarks.workspace.bench import bench
from benchmarks.workspace.sample_questions import indexed_texts, samples
from benchmarks.workspace.stopwatch import measure, times
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from tests.health.conftest import Ward
from tests.support.hashing import HashingEmbedder
from workbench.errors import IndexUnavailableError
from workbench.workspace.workspace import Workspace


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine asks all the questions too."""
    monkeypatch.setattr("benchmarks.workspace.bench.QUICK_SECONDS", 300.0)


@pytest.fixture
def larger(ward: Ward) -> Ward:
    """Some more entries, each with words of its own."""
    names = ["crane", "lantern", "harbour", "violin", "granite", "maple", "turbine", "saffron", "glacier"]
    for day, name in enumerate(names, 1):
        ward.sandbox.write(
            f"memory/2026-02-{day:02}.md",
            f"# A day\n\n- the {name} was moved beside the {names[day % 9]} of {names[day % 7]}{day}\n",
        )
    ward.reindex()
    return ward


def state(root: Path) -> dict[str, tuple[bytes, int]]:
    """All files with their bytes and dates, but for locks."""
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".lock" and ".git/" not in str(path)
    }


def test_what_is_measured_is_told_and_nothing_in_the_workspace_is_written(larger: Ward) -> None:
    before = state(larger.root)
    report = bench(Workspace.open(larger.root), quick=True)
    assert state(larger.root) == before
    measured = ("scan", "search by words, warm", "search by words, cold", "sync, nothing new")
    for name in (*measured, "sync, one file, words"):
        assert report.speed[name].runs > 0
        assert 0 < report.speed[name].p50_ms <= report.speed[name].p95_ms
    assert report.entries == len(indexed_texts(Workspace.open(larger.root)))
    assert report.sizes["words"] > 0
    assert "turned off" in report.left_out["meaning"]


def test_entries_are_found_by_their_own_rarer_words(larger: Ward) -> None:
    report = bench(Workspace.open(larger.root), quick=True)
    found = report.finding["words"]
    assert found.tests > 5
    assert found.at[1] <= found.at[5] <= found.at[10] <= 1
    assert found.at[10] > 0.9


def test_with_vectors_all_three_ways_are_measured_and_judged(larger: Ward) -> None:
    from indexing.sync.run import reindex

    model = HashingEmbedder()
    reindex(Workspace.open(larger.root), model=model.choice)
    report = bench(Workspace.open(larger.root), model=model.choice)
    assert set(report.finding) == {"words", "meaning", "both"}
    assert report.rates["texts embedded"] > 0
    assert "sync, one file, with vectors" in report.speed
    assert report.sizes["vectors"] > 0


def test_the_questions_are_the_same_at_every_run_and_none_of_common_words(larger: Ward) -> None:
    texts = indexed_texts(Workspace.open(larger.root))
    drawn = samples(texts, 50)
    assert drawn == samples(list(texts), 50)
    assert drawn[:5] == samples(texts, 5)
    for one in drawn:
        assert not {"the", "was", "of"} & set(one.question.split())
        assert 3 <= len(one.question.split()) <= 4


def test_recall_tests_are_part_of_it(larger: Ward) -> None:
    (larger.root / "recall-tests.yaml").write_text(
        "- question: staging port\n  finds: 8443\n  mode: lexical\n"
        "- question: x\n  finds: nothing\n  mode: lexical\n"
    )
    report = bench(Workspace.open(larger.root), quick=True)
    assert report.tests is not None
    assert (report.tests.tests, report.tests.at[1]) == (2, 0.5)


def test_without_an_index_the_bench_says_what_to_do(ward: Ward, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(IndexUnavailableError) as caught:
        bench(Workspace.open(tmp_path / "bare"))
    assert "reindex" in caught.value.hint


def test_the_copy_holds_no_lock_of_the_workspace(larger: Ward) -> None:
    """A lock file with two names would be held in both places."""
    from benchmarks.workspace.sync_bench import sync_times

    found = sync_times(Workspace.open(larger.root), seconds=5, vectors=False)
    assert found.left_out == {}
    for path in larger.generation.rglob("*.lock"):
        assert path.stat().st_nlink == 1
    assert IndexSearch(Workspace.open(larger.root), vectors=False).search(Query("crane", mode="lexical")).hits


def test_times_are_the_median_and_what_nineteen_of_twenty_stay_below() -> None:
    found = times(range(1, 101))
    assert found is not None
    assert (found.runs, found.p50_ms, found.p95_ms) == (100, 50.5, 95)
    assert times([]) is None
    once = measure(lambda _: None, range(1_000_000), 0.0)
    assert once is not None
    assert once.runs == 1


def test_the_command_prints_a_table_and_json(
    larger: Ward, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in (["--quick", "--json"], ["--quick"]):
        monkeypatch.setattr(sys, "argv", ["benchmarks.workspace", str(larger.root), *options])
        main()
    out = capsys.readouterr().out
    told = json.loads(out.splitlines()[0])
    assert told["speed"]["search by words, warm"]["p50_ms"] > 0
    assert told["finding"]["words"]["recall@10"] > 0
    assert "search by words, cold" in out.partition("\n")[2]
