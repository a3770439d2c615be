"""An index by a remote provider: what is kept when it fails, and when another one takes over."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from indexing.embedding.local import open_embedder
from indexing.search.answer import Query, SearchAnswer
from indexing.search.index_search import IndexSearch
from indexing.sync.report import EmbeddingEstimate, SyncReport
from indexing.sync.run import reindex
from indexing.sync.verify import verify_index
from tests.indexing.conftest import Memory
from tests.support.provider import Asked, Provider, Reply, providing, refused
from tests.support.remote import Waits
from workbench.config.settings import Settings
from workbench.workspace.locks import hold


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider on this machine."""
    with providing() as running:
        yield running


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """Nobody waits for real."""
    noted = Waits()
    noted.patch(monkeypatch)
    return noted


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to reach another machine fails the test."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if not (isinstance(address, tuple) and address[0] == "127.0.0.1"):
            pytest.fail(f"{address} was asked")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


class Served:
    """A workspace whose index is made by the providers of its settings."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def set(self, provider: Provider | None = None, **settings: object) -> None:
        """The person's settings from now on."""
        given: dict[str, object] = {"embedding_batch": 4, "embedding_model": "a-model"}
        if provider is not None:
            given |= {"embedding_providers": ("openai",), "embedding_endpoint": provider.openai}
        self.settings = Settings(**{**given, **settings})  # type: ignore[arg-type]
        self.memory.workspace.settings = self.settings

    def reindex(self, **options: object) -> SyncReport:
        return reindex(self.memory.workspace, **options)  # type: ignore[arg-type]

    def search(self, text: str) -> SearchAnswer:
        return IndexSearch(self.memory.workspace).search(Query(text=text, k=5))

    def made_by(self) -> str:
        return (self.memory.generation / "model.json").read_text()


@pytest.fixture
def served(memory: Memory, provider: Provider) -> Served:
    """A small workspace that is indexed by the provider."""
    memory.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4411")
    memory.write("memory/2026-03-14.md", *(f"Note number {number} of the day" for number in range(10)))
    memory.write("memory/2026-03-15.md", *(f"Remark number {number} of the day" for number in range(10)))
    found = Served(memory)
    found.set(provider)
    return found


@pytest.fixture
def local(tiny: Path) -> str:
    """The setting of a local model that is ready for use."""
    open_embedder(str(tiny))
    return str(tiny)


def test_an_index_by_a_provider_answers_by_words_and_meaning(served: Served, provider: Provider) -> None:
    report = served.reindex()
    assert (report.vectors, report.embedded, report.entries) == (None, 22, 22)
    answer = served.search("door code")
    assert answer.degraded is None
    assert answer.hits[0].path == "MEMORY.md"
    assert answer.mode == "hybrid"
    assert "openai/a-model@http://127.0.0.1" in served.made_by()


def test_what_was_embedded_is_never_sent_again(served: Served, provider: Provider) -> None:
    served.reindex()
    before = len(provider.texts)
    assert served.reindex().embedded == 0
    assert served.reindex(full=True).from_cache == 22
    assert set(provider.texts[before:]) <= {"memory"}  # full: the dimension is asked for again


def test_only_texts_of_entries_are_sent(served: Served, provider: Provider) -> None:
    served.memory.write("private.txt", "not memory at all")
    served.reindex()
    assert "not memory at all" not in str(provider.asked)
    assert len(set(provider.texts) - {"memory"}) == 22


@pytest.mark.promise("Embedding providers", "the provider fails or is killed during indexing")
def test_an_outage_leaves_words_says_why_and_keeps_the_provider(served: Served, provider: Provider) -> None:
    served.reindex()
    served.memory.write("memory/2026-03-16.md", "A note from the outage")
    provider.rule = lambda _: refused(503)
    served.set(provider, embedding_providers=("openai", "local"), model="/a/model/that/could/step/in")
    report = served.reindex()
    assert "503" in (report.vectors or "")
    assert report.rebuilt is None
    assert "openai/a-model" in served.made_by()
    answer = served.search("outage")
    assert "503" in (answer.degraded or "")
    assert answer.hits[0].path == "memory/2026-03-16.md"
    provider.rule = None
    assert served.reindex().embedded == 1
    assert served.search("outage").degraded is None


@pytest.mark.promise(
    "Embedding providers",
    "the provider fails or is killed during indexing",
    "the vectors that arrived are kept, the rest follows later; no other provider is used",
)
def test_what_was_embedded_before_an_outage_is_in_the_index_and_the_rest_follows(
    served: Served, provider: Provider
) -> None:
    served.set(provider, embedding_concurrency=1)
    provider.rule = lambda asked: None if len(provider.texts) <= 17 else refused(503)
    report = served.reindex()
    assert "503" in (report.vectors or "")
    assert 0 < report.embedded < 22
    assert "entries have no vector yet" in str(verify_index(served.memory.workspace))
    provider.rule = None
    second = served.reindex()
    assert second.embedded == 22 - report.embedded
    assert second.vectors is None
    assert served.search("door").degraded is None


@pytest.mark.promise("Embedding providers", "the provider fails or is killed during indexing")
def test_a_provider_that_is_killed_in_the_middle_costs_only_what_was_not_answered(
    served: Served, provider: Provider
) -> None:
    served.set(provider, embedding_concurrency=2)
    provider.rule = lambda _: Reply(reset=True) if len(provider.texts) > 12 else None
    first = served.reindex()
    assert "was closed" in (first.vectors or "")
    provider.rule = None
    second = served.reindex()
    assert first.embedded + second.embedded == 22
    assert second.vectors is None


def test_an_outage_at_the_first_build_publishes_words(served: Served, provider: Provider) -> None:
    provider.rule = lambda _: refused(500)
    report = served.reindex()
    assert "500" in (report.vectors or "")
    answer = served.search("door code")
    assert answer.hits[0].path == "MEMORY.md"
    assert "keyword search only" in (answer.degraded or "")


def test_without_the_provider_what_is_in_the_cache_still_makes_an_index(
    served: Served, provider: Provider
) -> None:
    served.reindex()
    provider.rule = lambda _: refused(503)
    report = served.reindex(full=True)
    assert (report.from_cache, report.embedded, report.vectors) == (22, 0, None)


@pytest.mark.promise(
    "Embedding providers", "a vector has NaN, infinity, only zeros or another length, or is missing"
)
def test_one_bad_text_costs_its_own_vector_and_is_named(served: Served, provider: Provider) -> None:
    def spoil(rows: list[object], asked: Asked) -> list[object]:
        return [
            [math.nan] * 16 if "door" in text else row for text, row in zip(asked.texts, rows, strict=True)
        ]

    provider.spoil = spoil
    report = served.reindex()
    assert [address.partition("#")[0] for address in report.unembedded] == ["MEMORY.md"]
    assert report.embedded == 21
    assert report.vectors is None
    answer = served.search("async reviews")
    assert answer.degraded == "1 entry has no vector yet"
    assert served.search("door code").hits[0].path == "MEMORY.md"
    verdict = str(verify_index(served.memory.workspace))
    assert "1 entries have no vector: the model made none" in verdict
    asked = len(provider.asked)
    assert served.reindex().embedded == 0
    assert len(provider.asked) == asked, "a text that was refused is not asked for at every sync"
    provider.spoil = None
    assert served.reindex(full=True).embedded == 1
    assert served.search("async reviews").degraded is None


@pytest.mark.promise("Embedding providers", "another model under the same name")
def test_a_model_that_changes_under_its_name_is_never_mixed_with_the_old_one(
    served: Served, provider: Provider
) -> None:
    served.reindex()
    provider.dimension = 32
    served.memory.write("memory/2026-03-16.md", "A note from another model")
    report = served.reindex()
    assert "32 numbers, and 16" in (report.vectors or "")
    assert "32 numbers, and 16" in (served.search("note").degraded or "")
    rebuilt = served.reindex(full=True)
    assert (rebuilt.vectors, rebuilt.embedded) == (None, 23)
    assert served.search("note").degraded is None


def test_a_search_that_runs_on_follows_the_index_to_another_dimension(
    served: Served, provider: Provider
) -> None:
    served.reindex()
    engine = IndexSearch(served.memory.workspace)
    assert engine.search(Query(text="door")).degraded is None
    provider.dimension = 32
    served.reindex(full=True)
    assert engine.search(Query(text="door")).degraded is None


@pytest.mark.promise(
    "Embedding providers", "the answer arrives byte by byte; the provider is slow while a query is typed"
)
def test_a_slow_provider_does_not_hold_up_a_search(served: Served, provider: Provider) -> None:
    served.reindex()
    served.set(provider, embedding_query_timeout=0.5)
    provider.rule = lambda _: Reply(drip=True)
    asked = len(provider.asked)
    engine = IndexSearch(served.memory.workspace)
    for _ in range(3):
        answer = engine.search(Query(text="door code"))
        assert "within 0.5 seconds" in (answer.degraded or "")
        assert answer.hits[0].path == "MEMORY.md"
    assert len(provider.asked) == asked + 1


def test_a_silent_provider_does_not_keep_a_service_from_using_it_later(
    served: Served, provider: Provider
) -> None:
    served.reindex()
    engine = IndexSearch(served.memory.workspace, load_on_demand=False)
    provider.rule = lambda _: refused(503)
    assert "503" in (engine.load() or "")
    provider.rule = None
    engine._vectors._embedder._clock = lambda: math.inf  # type: ignore[union-attr]
    assert engine.search(Query(text="door code")).degraded is None


@pytest.mark.promise(
    "Embedding providers",
    "a provider cannot be used at all",
    "the next one in the list builds an index of its own beside the old one",
)
def test_a_provider_that_cannot_be_used_at_all_is_followed_by_the_next(
    served: Served, provider: Provider, local: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ("openai", "local")
    served.set(provider, embedding_providers=order, model=local, embedding_key_env="THE_KEY")
    monkeypatch.setenv("THE_KEY", "sk-secret")
    served.reindex()
    first = served.made_by()
    monkeypatch.delenv("THE_KEY")
    assert "THE_KEY is not set" in (served.search("door").degraded or "")
    report = served.reindex()
    assert report.rebuilt == "the model has changed"
    assert served.made_by() != first
    assert served.search("door").degraded is None
    monkeypatch.setenv("THE_KEY", "sk-secret")
    assert served.reindex().from_cache == 22, "back again, nothing is paid twice"
    assert served.made_by() == first


def test_a_search_uses_the_provider_that_made_the_index_though_another_comes_first(
    served: Served, provider: Provider, local: str
) -> None:
    served.reindex()
    served.set(provider, embedding_providers=("local", "openai"), model=local)
    assert served.search("door").degraded is None


@pytest.mark.promise("Embedding providers", "a provider cannot be used at all")
def test_a_provider_that_does_not_answer_takes_no_index_over(
    served: Served, provider: Provider, local: str
) -> None:
    served.set(model=local)
    served.reindex()
    before = served.made_by()
    served.set(provider, embedding_providers=("openai", "local"), model=local, embedding_concurrency=1)
    rules = {
        "silent": lambda _: refused(503),
        "silent in the middle": lambda _: refused(503) if len(provider.texts) > 12 else None,
    }
    for rule in rules.values():
        provider.rule = rule
        served.memory.write("memory/2026-03-17.md", "A note of", str(rule))
        report = served.reindex()
        assert "the index keeps" in " ".join(report.notes)
        assert report.vectors is None
        assert served.made_by() == before
        assert served.search("door").degraded is None
        assert len(list(served.memory.index.glob("gen-*"))) == 1
    provider.rule = None
    served.reindex()
    assert "openai/a-model" in served.made_by()


def test_much_that_costs_money_is_not_sent_without_the_persons_word(
    served: Served, provider: Provider
) -> None:
    served.set(provider, embedding_price=10.0, embedding_ask_above=5)
    report = served.reindex()
    assert provider.asked == []
    assert "reindex --yes" in (report.vectors or "")
    assert report.backfill is not None
    assert (report.backfill.texts, report.backfill.where) == (22, provider.address.removeprefix("http://"))
    assert served.search("door code").hits[0].path == "MEMORY.md"

    asked: list[EmbeddingEstimate] = []

    def agree(spending: EmbeddingEstimate) -> bool:
        asked.append(spending)
        return len(asked) > 1

    assert "reindex --yes" in (served.reindex(agree=agree).vectors or "")
    assert provider.asked == []
    assert served.reindex(agree=agree).embedded == 22
    assert [spending.texts for spending in asked] == [22, 22]
    assert asked[0].cost == pytest.approx(asked[0].tokens * 10 / 1_000_000)
    assert asked[0].tokens >= sum(len(text.split()) for text in provider.texts) - 1

    served.memory.write("memory/2026-03-16.md", "A note more")
    assert served.reindex(agree=agree).embedded == 1, "a few texts are not worth a question"
    assert len(asked) == 2


def test_what_is_in_the_cache_is_neither_counted_nor_withheld(served: Served, provider: Provider) -> None:
    served.reindex()
    served.set(provider, embedding_price=10.0, embedding_ask_above=5)
    assert served.reindex(full=True).from_cache == 22
    served.memory.write("memory/2026-03-18.md", *(f"New note {number}" for number in range(8)))
    report = served.reindex(full=True)
    assert report.backfill is not None
    assert report.backfill.texts == 8
    assert report.from_cache == 22
    assert "not sent" in (report.vectors or "")
    assert served.search("door code").degraded == "8 entries have no vector yet"


def test_a_costly_provider_takes_no_index_over_without_the_persons_word(
    served: Served, provider: Provider, local: str
) -> None:
    served.set(model=local)
    served.reindex()
    both = {"embedding_providers": ("openai", "local"), "model": local}
    served.set(provider, **both, embedding_price=10.0, embedding_ask_above=5)
    report = served.reindex()
    assert "reindex --yes" in " ".join(report.notes)
    assert (report.vectors, report.rebuilt, provider.asked) == (None, None, [])
    assert served.search("door").degraded is None
    asked: list[EmbeddingEstimate] = []
    served.reindex(agree=lambda spending: not asked.append(spending))  # type: ignore[func-returns-value]
    assert len(asked) == 1
    assert "openai/a-model" in served.made_by()


def test_nobody_waits_for_the_lock_while_the_person_thinks(served: Served, provider: Provider) -> None:
    served.set(provider, embedding_price=10.0, embedding_ask_above=5)
    told: list[int] = []

    def agree(spending: EmbeddingEstimate) -> bool:
        with hold(served.memory.workspace.state_dir() / "index.lock", "another one"):
            told.append(spending.texts)
        return True

    assert served.reindex(agree=agree).embedded == 22
    assert told == [22]


def test_a_word_for_a_few_texts_is_none_for_many(served: Served, provider: Provider, local: str) -> None:
    served.set(model=local)
    served.reindex()
    both = {"embedding_providers": ("openai", "local"), "model": local}
    served.set(provider, **both, embedding_price=10.0, embedding_ask_above=5)
    served.memory.write("memory/2026-03-19.md", *(f"A new note, number {number}" for number in range(50)))
    told: list[int] = []

    def agree(spending: EmbeddingEstimate) -> bool:
        told.append(spending.texts)
        return spending.texts < 50

    served.reindex(agree=agree)
    assert max(told) == 72
    assert len(provider.texts) <= 23, "what was agreed to, and a probe"
    assert "openai" not in served.made_by()


@pytest.mark.promise(
    "The index",
    "the index is damaged when another provider takes over",
    "repaired, and nothing is sent without asking",
)
def test_a_damaged_index_is_mended_though_another_provider_shall_take_it_over(
    served: Served, provider: Provider, local: str
) -> None:
    served.set(model=local)
    served.reindex()
    for segment in (served.memory.generation / "lexical").glob("*.store"):
        segment.write_bytes(b"garbage" * 100)
    both = {"embedding_providers": ("openai", "local"), "model": local}
    served.set(provider, **both, embedding_price=10.0, embedding_ask_above=5)
    assert served.reindex(dry_run=True).backfill is not None
    assert provider.asked == []
    report = served.reindex()
    assert report.rebuilt
    assert provider.asked == []
    assert served.search("door code").hits[0].path == "MEMORY.md"


def test_a_dry_run_counts_and_sends_nothing(served: Served, provider: Provider) -> None:
    served.set(provider, embedding_price=10.0)
    report = served.reindex(dry_run=True)
    assert provider.asked == []
    assert report.backfill is not None
    assert report.backfill.texts == 22
    assert report.as_json()["backfill"] == report.backfill.as_json()
    served.set(provider)
    served.reindex()
    served.memory.write("memory/2026-03-16.md", "A note more", "The door code is 4411")
    again = served.reindex(dry_run=True).backfill
    assert again is not None
    assert (again.texts, again.charges) == (1, False)
    whole = served.reindex(dry_run=True, full=True).backfill
    assert whole is not None
    assert whole.texts == 1


def test_verify_sends_nothing(served: Served, provider: Provider) -> None:
    served.reindex()
    (served.memory.workspace.cache_dir() / "embeddings.sqlite").unlink()
    asked = len(provider.asked)
    verify_index(served.memory.workspace)
    assert len(provider.asked) == asked


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    unknown = EmbeddingEstimate("m", "api.example.com", 1_200, 60_000, None, charges=True)
    assert "price is unknown" in unknown.sentence()
    assert unknown.cost is None
    assert "about 1.20" in replace(unknown, price_per_million=20.0).sentence()
    assert "less than 0.01" in replace(unknown, price_per_million=0.02).sentence()
    assert "price" not in replace(unknown, price_per_million=0.0, charges=False).sentence()
