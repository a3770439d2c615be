"""Models behind an API: what they are asked, and that their vectors are those of the texts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from indexing.embedding.choice import ModelChoice, choices, service_of
from indexing.embedding.model_files import locate
from indexing.embedding.port import batches
from indexing.embedding.remote import REST_SECONDS
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from tests.support.hashing import HashingEmbedder
from tests.support.provider import Provider, providing, refused
from tests.support.remote import Opener, gemini, openai, opening
from tests.support.workspaces import Sandbox
from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError
from workbench.llm.endpoint import endpoint_of
from workbench.workspace.workspace import Workspace

TEXTS = [f"note {number} about the harbour" for number in range(40)]
SAID = "2026-03-14 the launch moved to April"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider on this machine."""
    with providing() as running:
        yield running


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Embedders that are closed after the test and never wait for real."""
    with opening() as opener:
        yield opener


def test_vectors_come_back_in_the_order_of_the_texts(provider: Provider, opened: Opener) -> None:
    embedder = opened(openai(provider))
    expected = HashingEmbedder(dimension=16).embed(TEXTS)
    assert np.allclose(embedder.embed(TEXTS), expected, atol=1e-6)
    assert embedder.embed(TEXTS).dtype == np.float32
    provider.backwards = True
    assert np.allclose(embedder.embed(TEXTS), expected, atol=1e-6)
    provider.packed = True
    assert np.allclose(embedder.embed(TEXTS), expected, atol=1e-6)


def test_both_providers_give_the_same_vectors_for_the_same_model(provider: Provider, opened: Opener) -> None:
    ours, theirs = opened(openai(provider)), opened(gemini(provider))
    assert np.allclose(ours.embed(TEXTS), theirs.embed(TEXTS))
    assert ours.identity != theirs.identity


def test_a_text_that_stands_there_twice_is_sent_once(provider: Provider, opened: Opener) -> None:
    vectors = opened(openai(provider)).embed(["a", "b", "a"])
    assert provider.texts == ["a", "b"]
    assert (vectors[0] == vectors[2]).all()


def test_no_text_is_no_request(provider: Provider, opened: Opener) -> None:
    assert opened(openai(provider, embedding_dimensions=16)).embed([]).shape == (0, 16)
    assert provider.asked == []


def test_openai_is_asked_as_its_api_says(provider: Provider, opened: Opener) -> None:
    opened(openai(provider, embedding_dimensions=16, embedding_key="sk-test")).embed([SAID])
    (asked,) = provider.asked
    assert asked.path == "/v1/embeddings"
    assert asked.body == {"model": "a-model", "input": [SAID], "dimensions": 16}
    assert asked.headers["authorization"] == "Bearer sk-test"
    assert asked.headers["content-type"] == "application/json"


def test_gemini_is_asked_by_its_openai_compatible_endpoint(provider: Provider, opened: Opener) -> None:
    opened(gemini(provider, embedding_key="AIza-test", embedding_dimensions=16)).embed([SAID])
    (asked,) = provider.asked
    assert asked.path == "/v1beta/openai/embeddings"
    assert asked.headers["authorization"] == "Bearer AIza-test"
    assert asked.body == {"model": "gemini-embedding-001", "input": [SAID], "dimensions": 16}


def test_later_models_of_gemini_are_told_by_a_prefix_what_a_text_is_for(
    provider: Provider, opened: Opener
) -> None:
    service = gemini(provider, embedding_model="gemini-embedding-2")
    opened(service).embed(["door code"])
    opened(service, questions=True).embed(["door code"])
    assert provider.texts == ["title: none | text: door code", "task: search result | query: door code"]


def test_base64_is_asked_for_at_the_public_address_alone(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert service_of("openai", Settings(embedding_providers=("openai",))).packed
    assert not openai(provider).packed


def test_many_texts_are_asked_for_in_several_requests_at_the_same_time(
    provider: Provider, opened: Opener
) -> None:
    embedder = opened(openai(provider, embedding_concurrency=4))
    provider.together = 4  # the first request is answered when four are there
    embedder.embed(TEXTS)
    assert provider.most == 4
    assert len(provider.asked) == len(TEXTS) / 8


def test_no_more_requests_at_a_time_than_the_settings_say(provider: Provider, opened: Opener) -> None:
    opened(openai(provider, embedding_concurrency=1)).embed(TEXTS)
    assert provider.most == 1


def test_a_text_longer_than_the_window_is_embedded_in_parts(provider: Provider, opened: Opener) -> None:
    long = " ".join(f"harbour{number}" for number in range(1_500))
    vectors = opened(openai(provider)).embed([long, SAID])
    assert max(map(len, provider.texts)) < len(long)
    assert "".join(sorted(set(provider.texts) - {SAID}, key=long.find)) == long
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert float(vectors[0] @ vectors[1]) < 0.99


def test_what_json_cannot_carry_is_sent_as_text(provider: Provider, opened: Opener) -> None:
    assert opened(openai(provider)).embed(["lone \ud800 surrogate"]).shape == (1, 16)
    assert provider.texts == ["lone ? surrogate"]


def test_it_knows_its_dimension_after_one_question(provider: Provider, opened: Opener) -> None:
    embedder = opened(openai(provider))
    assert (embedder.dimension, embedder.dimension, len(provider.asked)) == (16, 16, 1)


def test_a_question_that_failed_is_not_followed_by_others_for_a_while(
    provider: Provider, opened: Opener
) -> None:
    now = [100.0]
    asking = opened(openai(provider), questions=True, clock=lambda: now[0])
    provider.queue = [refused(503)]
    with pytest.raises(ModelUnavailableError, match="503"):
        asking.embed(["door"])
    with pytest.raises(ModelUnavailableError, match="503"):
        asking.embed(["door code"])
    assert len(provider.asked) == 1
    now[0] += REST_SECONDS
    assert asking.embed(["door code"]).shape == (1, 16)


def test_batches_are_bounded_by_count_and_by_tokens() -> None:
    texts = [("a", 10), ("b", 10), ("c", 95), ("d", 5), ("e", 200), ("f", 1)]
    found = list(batches(texts, 100, count=2))
    assert found == [["a", "b"], ["c", "d"], ["e"], ["f"]]


@pytest.mark.parametrize(
    ("written", "normal", "private"),
    [
        ("https://API.openai.com:443/v1/", "https://api.openai.com/v1", False),
        ("http://localhost:11434/v1", "http://localhost:11434/v1", True),
        ("http://ollama:80/v1", "http://ollama/v1", True),
        ("http://192.168.1.7:8000", "http://192.168.1.7:8000", True),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1", True),
        ("https://8.8.8.8/v1", "https://8.8.8.8/v1", False),
        ("https://llm.example.com./v1", "https://llm.example.com/v1", False),
    ],
)
def test_an_address_has_one_normal_form(written: str, normal: str, private: bool) -> None:
    endpoint = endpoint_of(written)
    assert (endpoint.url, endpoint.private) == (normal, private)
    assert endpoint_of(endpoint.url) == endpoint


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("http://api.openai.com/v1", "not encrypted"),
        ("http://8.8.8.8/v1", "not encrypted"),
        ("http://134744072/v1", "not an address"),
        ("http://0x08080808/v1", "not an address"),
        ("https://8.2056/v1", "not an address"),
        ("http://[::ffff:8.8.8.8]/v1", "not encrypted"),
        ("ftp://localhost/v1", "https://"),
        ("https://sam:hunter22@example.com/v1", "password"),
        ("https://example.com/v1?key=hunter22", "path"),
        ("https://example.com/v1#hunter22", "path"),
        ("https://example.com/hunter22/../x", "not an address"),
        ("https:///hunter22", "not an address"),
        ("https://example.com:hunter22/", "not an address"),
        ("https://exa mple/hunter22", "not an address"),
        ("hunter22", "https://"),
        ("https://[hunter22/", "not an address"),
    ],
)
def test_an_address_that_must_not_be_used_is_refused_without_being_quoted(written: str, why: str) -> None:
    with pytest.raises(ModelUnavailableError, match=why) as refusal:
        endpoint_of(written)
    assert "hunter22" not in refusal.value.message + refusal.value.hint


def test_identity_covers_provider_endpoint_model_dimension_and_what_is_told_about_texts(
    provider: Provider,
) -> None:
    base = openai(provider)
    others = [
        gemini(provider, embedding_model="a-model"),
        openai(provider, embedding_model="another"),
        openai(provider, embedding_dimensions=8),
        openai(provider, embedding_endpoint=provider.address),
        gemini(provider),
        gemini(provider, embedding_model="gemini-embedding-2"),
    ]
    assert len({base.identity, *(other.identity for other in others)}) == 7
    for alike in (
        openai(provider, embedding_key="sk-secret-secret"),
        openai(provider, embedding_endpoint=provider.openai.upper().replace("/V1", "/v1/")),
        openai(provider, embedding_batch=3, embedding_price=1.0),
    ):
        assert alike.identity == base.identity


def test_a_second_remote_provider_gets_nothing_that_was_meant_for_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-own")
    settings = Settings(
        embedding_providers=("openai", "gemini"),
        embedding_endpoint="http://localhost:1/v1",
        embedding_key="sk-first",
        embedding_model="first",
        embedding_price=5.0,
    )
    second = service_of("gemini", settings)
    assert (second.key.secret, second.model, second.price) == ("AIza-own", "gemini-embedding-001", None)
    assert second.endpoint.host == "generativelanguage.googleapis.com"


def test_without_the_client_that_asks_it_the_next_provider_is_used(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    settings = Settings(
        embedding_providers=("openai", "local"), embedding_key="sk-secret", model=os.fspath(tiny)
    )
    found = choices(settings, threads=1)
    assert found.first().identity == locate(os.fspath(tiny)).identity
    ((provider, problem),) = found.problems
    assert provider == "openai"
    assert "not installed" in problem.message


def test_an_index_of_a_provider_whose_client_is_gone_says_so_before_another_takes_its_place(
    sandbox: Sandbox, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(
        embedding_providers=("openai", "local"), embedding_key="sk-secret", model=os.fspath(tiny)
    )
    sandbox.close()
    place = Workspace(sandbox.root, settings)
    identity = service_of("openai", settings).identity
    reindex(place, model=ModelChoice(identity, lambda: HashingEmbedder(identity=identity)))
    monkeypatch.setitem(sys.modules, "openai", None)
    search = IndexSearch(place)
    assert "not installed" in (search.load() or "")
    answer = search.search(Query(text="staging"))
    assert "not installed" in (answer.degraded or "")
    assert "reindex" not in (answer.degraded or "")
    report = reindex(place)
    assert any("replaces openai" in note and "not installed" in note for note in report.notes)
    place.close()


def test_the_usual_key_goes_to_the_public_address_alone(
    provider: Provider, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    opened(openai(provider)).embed([SAID])
    assert "sk-real" not in str(provider.asked[0])
    opened(openai(provider, embedding_key_env="OPENAI_API_KEY")).embed([SAID])
    assert provider.asked[1].headers["authorization"] == "Bearer sk-real"


@pytest.mark.parametrize("provider_name", ["openai", "gemini"])
def test_without_a_key_a_public_provider_cannot_be_used(
    provider_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    found = choices(Settings(embedding_providers=(provider_name,)), threads=1)
    assert found.usable == ()
    with pytest.raises(ModelUnavailableError, match="no key") as refusal:
        found.first()
    assert "API_KEY" in refusal.value.hint


def test_the_order_of_providers_is_that_of_the_settings(
    tiny: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    local = {"model": str(tiny), "embedding_model": "a-model"}
    served = {**local, "embedding_endpoint": provider.openai}

    def order(**settings: object) -> list[str]:
        return [choice.identity.split("@")[0] for choice in choices(Settings(**settings), threads=1).usable]  # type: ignore[arg-type]

    assert order(**local) == ["model"]
    assert order(**served, embedding_providers=("openai", "local")) == ["openai/a-model", "model"]
    assert order(**served, embedding_providers=("local", "openai")) == ["model", "openai/a-model"]
    assert order(**local, embedding_providers=("openai", "local")) == ["model"]  # there is no key
    assert order(**served, embedding_providers=("none", "openai")) == []
    assert order(**served, embedding_providers=("openai", "none", "local")) == ["openai/a-model"]
    assert provider.asked == []


def test_when_none_can_be_used_it_is_said_of_each_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    settings = Settings(embedding_providers=("gemini", "local"), model="/nowhere/at/all")
    with pytest.raises(ModelUnavailableError, match=r"gemini: .*no key.*; local: .*safetensors"):
        choices(settings, threads=1).first()


def test_choosing_a_provider_imports_no_http_and_nothing_heavy() -> None:
    code = (
        "import sys; from indexing.embedding.choice import choices\n"
        "from workbench.config.settings import Settings\n"
        "here = 'http://localhost:1/v1'\n"
        "choices(Settings(embedding_providers=('openai',), embedding_endpoint=here), threads=1)\n"
        "print(sorted({'httpx2', 'openai', 'numpy', 'torch', 'onnxruntime', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
