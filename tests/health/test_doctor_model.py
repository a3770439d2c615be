"""The model and its vectors: missing, changed, damaged; found, and repaired where nothing must be fetched."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from indexing.embedding import model_files as locating
from indexing.embedding.local import prepared_folder
from indexing.embedding.model_files import WEIGHTS, locate
from indexing.embedding.onnx_model import CARD, GRAPH, TOKENIZER
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from tests.health.conftest import QUESTIONS, Ward
from workbench.health.finding import Finding
from workbench.workspace.workspace import Workspace

Treat = Callable[..., list[Finding]]
pytestmark = pytest.mark.model


@pytest.fixture
def meaning(ward: Ward, own_model: Path, monkeypatch: pytest.MonkeyPatch) -> Ward:
    """The ward with vectors of the default model, prepared in a cache of its own that may be damaged."""
    monkeypatch.setenv("WORKBENCH_CACHE", str(own_model))
    ward.settings.unlink()
    ward.reindex(vectors=True)
    return ward


def hybrid(ward: Ward) -> dict[str, list[tuple[str, float]]]:
    search = IndexSearch(Workspace.open(ward.root))
    out = {}
    for text in QUESTIONS:
        answer = search.search(Query(text))
        assert answer.degraded is None, answer.degraded
        out[text] = [(hit.entry, round(hit.score, 4)) for hit in answer.hits]
    return out


def prepared() -> Path:
    return prepared_folder(locate())


def test_a_sound_model_and_its_vectors_are_sound(meaning: Ward) -> None:
    assert meaning.findings() == []
    assert "prepared" in meaning.outcomes("model")["model"].seen


def test_a_model_that_does_not_read_the_language_of_memory_is_told(meaning: Ward) -> None:
    for number in range(2 * len(list(meaning.root.rglob("*.md")))):
        page = meaning.root / f"memory/2027-01-{number:02}.md"
        page.write_text("# 日志\n\n- 服务器在东京，每周五重新启动\n", "utf-8")
    (found,) = meaning.outcomes("model")["model"].findings
    assert "most of memory is in other languages" in found.what
    assert "multilingual" in found.do
    assert not found.remains


@pytest.mark.promise(
    "Doctor",
    "an empty manifest of LanceDB, vectors truncated or gone, another model's name",
    "rebuilt from the cache; the answers are as before",
)
@pytest.mark.parametrize(
    ("what", "damage"),
    [
        ("vectors/*/_versions/*.manifest", lambda path: path.write_bytes(b"")),
        ("vectors/*/data/*", lambda path: os.truncate(path, 40)),
        ("vectors/*/data/*", lambda path: path.unlink()),
        ("vectors", shutil.rmtree),
        ("model.json", lambda path: path.write_text('"other@1"')),
        ("model.json", lambda path: path.unlink()),
        ("manifest.json", lambda path: path.write_bytes(b"")),
    ],
)
def test_damaged_vectors_are_made_again_and_answer_as_before(
    meaning: Ward, treated: Treat, what: str, damage: Callable[[Path], None]
) -> None:
    meaning.unlooked |= {"model", "prepared form"}  # 90 MB each to read, which no damage of vectors touches
    clean = hybrid(meaning)
    for path in list(meaning.generation.glob(what)):
        damage(path)
    assert meaning.findings("vectors", "manifest")
    treated()
    assert hybrid(meaning) == clean


@pytest.mark.promise(
    "Doctor",
    "a corrupt converted model, also with the same size and date, or one that computes wrong vectors",
    "it is set aside, and converted again at the next use",
)
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        (GRAPH, lambda path: os.truncate(path, path.stat().st_size // 2)),
        (TOKENIZER, lambda path: path.write_bytes(b"{}")),
        (CARD, lambda path: path.write_bytes(b"")),
        (CARD, lambda path: path.write_text(json.dumps({"form": 1, "identity": "other@1"}))),
    ],
)
def test_a_corrupt_prepared_model_is_set_aside(
    meaning: Ward, treated: Treat, name: str, damage: Callable[[Path], None]
) -> None:
    folder = prepared()
    damage(folder / name)
    (finding,) = meaning.findings("prepared form")
    assert str(folder) in finding.what
    treated("prepared model")
    assert not folder.exists()
    assert len(list((folder.parent / "set-aside").iterdir())) == 1


@pytest.mark.promise(
    "Doctor",
    "a corrupt converted model, also with the same size and date, or one that computes wrong vectors",
)
def test_a_graph_that_rotted_without_a_trace_is_found(meaning: Ward) -> None:
    """Same size, same date: what is remembered of the file still says that it is whole."""
    graph = prepared() / GRAPH
    before = graph.stat()
    with graph.open("r+b") as file:
        file.seek(before.st_size // 2)
        file.write(b"\x55" * 64)
    os.utime(graph, ns=(before.st_atime_ns, before.st_mtime_ns))
    (finding,) = meaning.findings("prepared form")
    assert GRAPH in finding.what


@pytest.mark.promise(
    "Doctor",
    "a corrupt converted model, also with the same size and date, or one that computes wrong vectors",
)
def test_a_prepared_model_whose_probe_comes_out_wrong_is_found(meaning: Ward) -> None:
    card = json.loads((prepared() / CARD).read_bytes())
    card["vector"] = [-x for x in card["vector"]]
    (prepared() / CARD).write_text(json.dumps(card))
    (finding,) = meaning.findings("prepared form")
    assert "test text" in finding.what


@pytest.mark.promise(
    "Doctor",
    "no model, changed weights, or another model or dimension than that of the vectors",
)
def test_another_model_in_the_settings_is_named_with_both_dimensions_and_embedded_anew(
    meaning: Ward, treated: Treat, tiny: Path
) -> None:
    meaning.settings.write_text(f"model: {tiny}\n")
    (finding,) = meaning.findings("model of vectors")
    assert "(384 dimensions)" in finding.what
    assert "(16 dimensions)" in finding.what
    assert "keyword-only" in finding.meaning
    treated("dimensions")
    assert json.loads((meaning.generation / "manifest.json").read_bytes())["dimension"] == 16
    assert hybrid(meaning)


def test_books_with_another_dimension_than_their_own_model_are_made_anew(
    meaning: Ward, treated: Treat
) -> None:
    path = meaning.generation / "manifest.json"
    books = json.loads(path.read_bytes())
    books["dimension"] = 128
    path.write_text(json.dumps(books))
    (finding,) = meaning.findings("model of vectors")
    assert "128 dimensions" in finding.what
    assert "384" in finding.what
    treated("128 dimensions")
    assert json.loads((meaning.generation / "manifest.json").read_bytes())["dimension"] == 384
    assert hybrid(meaning)


@pytest.mark.promise(
    "Doctor",
    "no model, changed weights, or another model or dimension than that of the vectors",
    "reported; embedded again if the model runs on this machine",
)
def test_a_missing_model_says_what_still_works_and_what_to_do(ward: Ward, tmp_path: Path) -> None:
    ward.settings.write_text(f"model: {tmp_path / 'nowhere'}\n")
    (finding,) = ward.findings("model")
    assert "nowhere" in finding.what
    assert "keyword-only" in finding.meaning
    assert finding.do


@pytest.mark.promise(
    "Doctor",
    "no model, changed weights, or another model or dimension than that of the vectors",
)
def test_weights_that_are_not_the_original_are_not_used_and_named(
    meaning: Ward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "model"
    shutil.copytree(locate().folder, copy)
    with (copy / WEIGHTS).open("r+b") as file:
        file.write(b"\x00" * 8)
    monkeypatch.setattr(locating, "_installed", lambda: iter([copy]))
    monkeypatch.setattr(locating, "snapshots", lambda _: iter(()))
    (finding,) = meaning.findings("model")
    assert "not the original (SHA-256" in finding.what


def test_weights_that_rotted_without_a_trace_are_found_and_what_was_remembered_forgotten(
    meaning: Ward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "model"
    shutil.copytree(locate().folder, copy)
    monkeypatch.setattr(locating, "_installed", lambda: iter([copy]))
    monkeypatch.setattr(locating, "snapshots", lambda _: iter(()))
    assert meaning.findings("model") == []
    before = (copy / WEIGHTS).stat()
    with (copy / WEIGHTS).open("r+b") as file:
        file.seek(before.st_size - 64)
        file.write(b"\x55" * 8)
    os.utime(copy / WEIGHTS, ns=(before.st_atime_ns, before.st_mtime_ns))
    (finding,) = meaning.findings("model")
    assert "was recorded as verified" in finding.what
    assert meaning.fix("model")
    (finding,) = meaning.findings("model")
    assert "not used" in finding.what
