"""Providers behind a network: asked only with the person's word, and never for the sake of a repair."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.workspace.bench import bench
from indexing.sync.generations import Generation
from tests.health.conftest import Ward, said_by
from tests.support.provider import Provider, providing, refused
from workbench.health.checks import examine
from workbench.health.finding import CheckResult
from workbench.health.index_checks import provider as look
from workbench.health.subject import CheckSubject
from workbench.workspace.workspace import Workspace

KEY = "the-key-that-nobody-shows-1234"


@pytest.fixture
def server() -> Iterator[Provider]:
    with providing() as running:
        yield running


@pytest.fixture
def remote(ward: Ward, server: Provider) -> Ward:
    """The ward with vectors of a provider on this machine."""
    ward.settings.write_text(
        f"embedding:\n  providers: [openai]\n  endpoint: {server.openai}\n  model: small\n  key: {KEY}\n"
        "  query_timeout: 5\n"
    )
    ward.settings.chmod(0o600)
    ward.reindex(vectors=True)
    server.asked.clear()
    return ward


def asked(ward: Ward, *, network: bool, fix: bool = False) -> dict[str, CheckResult]:
    place = CheckSubject.open(ward.root, network=network)
    try:
        return {outcome.name: outcome for outcome in examine(place, fix=fix)}
    finally:
        place.close()


@pytest.mark.promise("Doctor", "a provider is unreachable or refuses")
def test_without_the_persons_word_nobody_is_asked(remote: Ward, server: Provider) -> None:
    found = asked(remote, network=False)
    assert all(outcome.state == "fine" for outcome in found.values())
    assert "not asked" in found["provider"].seen
    assert server.asked == []


def test_with_it_the_provider_is_asked_once(remote: Ward, server: Provider) -> None:
    found = asked(remote, network=True)["provider"]
    assert found.findings == ()
    assert len(server.asked) == 1


@pytest.mark.promise(
    "Doctor",
    "a provider is unreachable or refuses",
    "reported with `--network`; never contacted without",
)
@pytest.mark.parametrize("how", ["refused", "gone"])
def test_a_provider_that_does_not_answer_is_a_finding_without_the_key(
    remote: Ward, server: Provider, how: str
) -> None:
    if how == "refused":
        server.queue += [refused(401, f"wrong key {KEY}")]
    else:
        text = remote.settings.read_text().replace(server.openai, "http://127.0.0.1:9/v1")
        remote.settings.write_text(text)
    found = asked(remote, network=True)["provider"]
    (finding,) = [one for one in found.findings if one.remains]
    assert "does not answer" in finding.what
    assert "keyword-only" in finding.meaning
    assert KEY not in repr(found)


def test_a_provider_without_a_key_is_a_finding_and_nobody_is_asked(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    ward.settings.write_text("embedding:\n  providers: [gemini]\n")
    _, (finding,) = said_by(look(CheckSubject.open(ward.root, network=True)))
    assert "cannot be used" in finding.what
    assert "GEMINI_API_KEY" in finding.do


def test_a_repair_sends_nothing_away_and_leaves_the_words_sound(remote: Ward, server: Provider) -> None:
    Generation(remote.generation).suspect()
    (remote.generation / "manifest.json").write_text("{")
    (remote.state / "embeddings.sqlite").unlink()
    asked(remote, network=False, fix=True)
    assert server.asked == []
    assert remote.findings("manifest", "words") == []
    assert remote.answers()["staging port"]


def test_another_model_at_a_provider_is_named_and_left_to_the_person(remote: Ward, server: Provider) -> None:
    remote.settings.write_text(remote.settings.read_text().replace("small", "large"))
    found = asked(remote, network=True, fix=True)["model of vectors"]
    (finding,) = found.findings
    assert "openai/large@" in finding.what
    assert finding.repair is None
    assert "workbench reindex" in finding.do


def test_the_bench_sends_nothing_away(remote: Ward, server: Provider) -> None:
    report = bench(Workspace.open(remote.root), quick=True)
    assert server.asked == []
    assert "provider" in report.left_out["meaning"]
    assert "provider" in report.left_out["embedding"]
    assert report.finding["words"].tests > 0


@pytest.fixture
def followed(remote: Ward, server: Provider, tiny: Path, tmp_path: Path) -> Ward:
    """The same, where a model of this machine comes first now: the provider is the index's own still."""
    text = remote.settings.read_text().replace("[openai]", "[local, openai]")
    model = tmp_path / "model"
    shutil.copytree(tiny, model)
    remote.settings.write_text(f"model: {model}\n{text}")
    remote.settings.chmod(0o600)
    return remote


def test_no_repair_falls_back_on_the_provider_that_made_the_index(
    followed: Ward, server: Provider, tmp_path: Path
) -> None:
    (tmp_path / "model" / "config.json").write_text("{}")  # found, and not to be opened
    (followed.root / "memory" / "2026-03-30.md").write_text("# Day\n\n- A line that was never sent\n")
    (followed.generation / "pending.json").write_text('["memory/2026-03-30.md"]')
    asked(followed, network=False, fix=True)
    assert server.asked == []
    assert followed.findings("manifest", "words", "sync") == []


def test_the_bench_asks_no_provider_that_made_the_index(followed: Ward, server: Provider) -> None:
    report = bench(Workspace.open(followed.root), quick=True)
    assert server.asked == []
    assert "provider" in report.left_out["meaning"]


def test_nothing_is_named_where_all_is_done_on_this_machine(ward: Ward, tmp_path: Path) -> None:
    assert "nothing leaves this machine" in asked(ward, network=True)["provider"].seen
