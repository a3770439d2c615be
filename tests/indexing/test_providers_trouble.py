"""A provider that fails, lies or dawdles: what is repeated, what is refused, and what is kept."""

from __future__ import annotations

import gzip
import json
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from indexing.embedding.port import fitting
from indexing.embedding.remote import RemoteEmbedder
from tests.support.hashing import HashingEmbedder
from tests.support.provider import Asked, Provider, Reply, providing, refused
from tests.support.remote import Opener, gemini, openai, opening
from workbench.errors import ModelUnavailableError
from workbench.memory.model_window import word_pieces

TEXTS = [f"note {number} about the harbour" for number in range(40)]
BAD = TEXTS[13]
RIGHT = HashingEmbedder(dimension=16).embed(TEXTS)


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


def collected(embedder: RemoteEmbedder, texts: list[str]) -> tuple[dict[str, Any], dict[str, str], str]:
    """All vectors and failures that came, and what ended the run."""
    vectors: dict[str, Any] = {}
    failed: dict[str, Any] = {}
    try:
        for portion in embedder.portions(texts):
            for text, row in portion.items():
                (failed if isinstance(row, str) else vectors)[text] = row
    except ModelUnavailableError as error:
        return vectors, failed, error.message
    return vectors, failed, ""


@pytest.mark.promise(
    "Embedding providers",
    "errors 408, 429 (with Retry-After), 5xx, a reset or cut connection, no JSON, an HTML page, a "
    "body without end",
    "tried again a limited number of times, each time later, or as the server asks",
)
@pytest.mark.parametrize(
    "reply",
    [
        refused(429, "slow down"),
        refused(500),
        refused(502),
        refused(503),
        refused(504),
        refused(529),
        refused(408),
        Reply(reset=True),
        Reply(cut=100),
        Reply(cut=0),
        Reply(body=b"<html>busy</html>", headers={"Content-Type": "text/html"}),
        Reply(body=b"{"),
        Reply(body=b""),
        Reply(body=b"[" * 100_000),
        Reply(body=b"x" * 5_000_000),
        Reply(body=gzip.compress(b"{}", mtime=0), headers={"Content-Encoding": "gzip"}),
        Reply(status=204, body=b""),
    ],
    ids=lambda reply: f"{reply.status}-{(reply.body or b'')[:6]!r}-{reply.cut}-{reply.reset}",
)
def test_what_may_pass_is_tried_again(provider: Provider, opened: Opener, reply: Reply) -> None:
    provider.queue = [reply, reply]
    vectors = opened(openai(provider, embedding_concurrency=1)).embed(TEXTS)
    assert np.allclose(vectors, RIGHT, atol=1e-6)
    assert opened.waits.seconds == [0.5, 1.0]


@pytest.mark.promise(
    "Embedding providers",
    "errors 408, 429 (with Retry-After), 5xx, a reset or cut connection, no JSON, an HTML page, a "
    "body without end",
)
def test_the_server_says_how_long_to_wait(provider: Provider, opened: Opener) -> None:
    provider.queue = [refused(429, Retry_After="17")]
    opened(openai(provider)).embed(TEXTS[:1])
    assert opened.waits.seconds == [17.0]


@pytest.mark.promise(
    "Embedding providers",
    "errors 408, 429 (with Retry-After), 5xx, a reset or cut connection, no JSON, an HTML page, a "
    "body without end",
)
def test_who_asks_for_more_patience_than_there_is_is_not_waited_for(
    provider: Provider, opened: Opener
) -> None:
    provider.rule = lambda _: refused(429, Retry_After="86400")
    with pytest.raises(ModelUnavailableError, match="429"):
        opened(openai(provider)).embed(TEXTS[:1])
    assert opened.waits.seconds == []


@pytest.mark.promise(
    "Embedding providers",
    "errors 408, 429 (with Retry-After), 5xx, a reset or cut connection, no JSON, an HTML page, a "
    "body without end",
)
def test_tries_have_an_end(provider: Provider, opened: Opener) -> None:
    provider.rule = lambda _: refused(503)
    with pytest.raises(ModelUnavailableError, match="503"):
        opened(openai(provider)).embed(TEXTS[:1])
    assert len(provider.asked) == 8
    assert opened.waits.seconds == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


@pytest.mark.promise(
    "Embedding providers",
    "errors 401, 403, 404, no credit left, a redirect",
    "reported at once, with what to do; nothing is sent elsewhere",
)
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (refused(401, "bad key sk-secret-1234"), "rejects the key"),
        (refused(403, "no"), "rejects the key"),
        (refused(404, "the model `a-model` does not exist"), "does not exist"),
        (Reply(404, b"<html>"), "no such model or address"),
        (refused(302, Location="http://127.0.0.1:9/elsewhere"), "redirects"),
        (refused(308, Location="https://example.com/"), "redirects"),
        (Reply(429, b'{"error": {"message": "x", "code": "insufficient_quota"}}'), "no credit left"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(
    provider: Provider, opened: Opener, reply: Reply, why: str
) -> None:
    provider.rule = lambda _: reply
    embedder = opened(openai(provider, embedding_key="sk-secret-1234", embedding_concurrency=1))
    with pytest.raises(ModelUnavailableError, match=why) as refusal:
        embedder.embed(TEXTS)
    assert len(provider.asked) == 1
    assert opened.waits.seconds == []
    assert "sk-secret" not in refusal.value.message
    assert refusal.value.hint


def test_gemini_says_of_a_bad_key_that_the_request_is_bad(provider: Provider, opened: Opener) -> None:
    error = {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}
    provider.rule = lambda _: Reply(400, json.dumps({"error": error}).encode())
    with pytest.raises(ModelUnavailableError, match="rejects the key"):
        opened(gemini(provider, embedding_key="AIza-wrong")).embed(TEXTS)


@pytest.mark.promise("Embedding providers", "errors 401, 403, 404, no credit left, a redirect")
def test_a_redirect_is_not_followed_so_neither_key_nor_text_gets_elsewhere(
    provider: Provider, opened: Opener
) -> None:
    with providing() as elsewhere:
        for status in (301, 302, 303, 307, 308):
            provider.rule = lambda _, status=status: refused(
                status, Location=f"{elsewhere.openai}/embeddings"
            )
            with pytest.raises(ModelUnavailableError, match="redirects"):
                opened(openai(provider, embedding_key="sk-secret")).embed(TEXTS)
        assert elsewhere.asked == []


def test_a_server_that_is_not_there_is_said_to_be_so(opened: Opener) -> None:
    with providing() as gone:
        service = openai(gone)
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        opened(service).embed(TEXTS[:1])


@pytest.mark.promise(
    "Embedding providers",
    "the answer arrives byte by byte; the provider is slow while a query is typed",
    "the request times out; keyword search answers, and the provider is not asked again for a while",
)
@pytest.mark.parametrize("questions", [False, True])
def test_a_byte_at_a_time_is_no_answer(provider: Provider, opened: Opener, questions: bool) -> None:
    provider.rule = lambda _: Reply(drip=True)
    service = openai(provider, embedding_timeout=0.1, embedding_query_timeout=0.1)
    with pytest.raises(ModelUnavailableError, match=r"within 0\.1 seconds"):
        opened(service, questions=questions).embed(TEXTS[:1])


def _spoiled(value: Any) -> Callable[[list[Any], Asked], list[Any]]:
    """Answers in which the vector of BAD is something else."""

    def spoil(rows: list[Any], asked: Asked) -> list[Any]:
        return [value if text == BAD else row for text, row in zip(asked.texts, rows, strict=True)]

    return spoil


@pytest.mark.promise(
    "Embedding providers",
    "a vector has NaN, infinity, only zeros or another length, or is missing",
    "only that text has no vector; it is named, and found by keyword",
)
@pytest.mark.parametrize(
    "value",
    [
        [math.nan] * 16,
        [1.0] * 15 + [math.inf],
        [1.0] * 15 + [-math.inf],
        [0.0] * 16,
        [1.0] * 8,
        [],
        [[1.0] * 16],
        ["1.0"] * 16,
        [1e400] * 16,
        [10**400] * 16,
        {"not": "a vector"},
        None,
        "not base64!",
        "AAA=",
    ],
    ids=repr,
)
@pytest.mark.parametrize("service", [openai, gemini])
def test_a_text_without_a_usable_vector_costs_only_itself(
    provider: Provider, opened: Opener, service: Callable[..., Any], value: Any
) -> None:
    provider.spoil = _spoiled(value)
    vectors, failed, ended = collected(opened(service(provider)), TEXTS)
    assert list(failed) == [BAD]
    assert ended == ""
    assert vectors.keys() == set(TEXTS) - {BAD}
    assert all(
        np.allclose(vectors[text], RIGHT[at], atol=1e-6) for at, text in enumerate(TEXTS) if text != BAD
    )


def test_numbers_at_the_ends_of_the_range_are_numbers(provider: Provider, opened: Opener) -> None:
    for size in (1e-300, 1e300):
        provider.spoil = lambda rows, _, size=size: [[size * x for x in row] for row in rows]
        assert np.allclose(opened(openai(provider)).embed(TEXTS), RIGHT, atol=1e-6)


@pytest.mark.promise(
    "Embedding providers",
    "a text is refused, or makes the whole request fail",
    "it is found by halving the batch; the others get their vectors",
)
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_refused_is_found_among_the_others(
    provider: Provider, opened: Opener, status: int
) -> None:
    provider.rule = lambda asked: refused(status, "the input is too long") if BAD in asked.texts else None
    vectors, failed, ended = collected(opened(openai(provider)), TEXTS)
    assert vectors.keys() == set(TEXTS) - {BAD}
    assert "too long" in failed[BAD]
    assert ended == ""


@pytest.mark.promise("Embedding providers", "a text is refused, or makes the whole request fail")
def test_a_server_that_fails_as_a_whole_over_one_text_still_embeds_the_others(
    provider: Provider, opened: Opener
) -> None:
    said = "failed to encode response: json: unsupported value: NaN"
    provider.rule = lambda asked: refused(500, said) if BAD in asked.texts else None
    vectors, failed, ended = collected(opened(openai(provider)), TEXTS)
    assert vectors.keys() == set(TEXTS) - {BAD}
    assert "NaN" in failed[BAD]
    assert ended == ""


@pytest.mark.promise(
    "Embedding providers",
    "too few or too many vectors arrive, or wrongly numbered ones",
    "they are not used for any text",
)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows, asked: rows[:-1] if len(asked.texts) > 1 else rows,
        lambda rows, asked: [*rows, rows[0]] if len(asked.texts) > 1 else rows,
        lambda rows, asked: [] if BAD in asked.texts else rows,
    ],
    ids=["fewer", "more", "none"],
)
def test_a_wrong_number_of_vectors_is_given_to_no_text(
    provider: Provider, opened: Opener, spoil: Callable[[list[Any], Asked], list[Any]]
) -> None:
    provider.spoil = spoil
    vectors, failed, _ = collected(opened(openai(provider)), TEXTS)
    assert vectors.keys() | failed.keys() == set(TEXTS)
    assert all(np.allclose(vectors[text], RIGHT[TEXTS.index(text)], atol=1e-6) for text in vectors)


@pytest.mark.promise("Embedding providers", "too few or too many vectors arrive, or wrongly numbered ones")
@pytest.mark.parametrize("index", [[0, 0], [0, 2], [-1, 0], ["0", "1"], [True, None]], ids=repr)
def test_vectors_that_are_numbered_wrongly_are_not_guessed_at(
    provider: Provider, opened: Opener, index: list[Any]
) -> None:
    row = [1.0] * 16
    body = json.dumps({"data": [{"index": at, "embedding": row} for at in index]}).encode()
    provider.rule = lambda asked: Reply(body=body) if len(asked.texts) == 2 else None
    vectors = opened(openai(provider)).embed(TEXTS[:2])
    assert np.allclose(vectors, RIGHT[:2], atol=1e-6)


def test_a_request_that_is_wrong_as_such_is_not_taken_for_many_bad_texts(
    provider: Provider, opened: Opener
) -> None:
    provider.rule = lambda _: refused(400, "dimensions must be at most 1536")
    vectors, failed, ended = collected(opened(openai(provider, embedding_concurrency=1)), TEXTS)
    assert (vectors, failed) == ({}, {})
    assert "dimensions must be at most 1536" in ended
    assert len(provider.asked) == 2  # and a text that any model takes


def test_what_came_counts_also_where_too_many_other_texts_failed(provider: Provider, opened: Opener) -> None:
    """A text that is asked for alone, while another request fails too often, has a vector all the same."""
    bad, good = [f"bad {number}" for number in range(64)], [f"good {number}" for number in range(3)]
    alone: list[str] = []
    too_many = threading.Event()

    def rule(asked: Asked) -> Reply | None:
        first, *others = asked.texts
        if first == "memory":
            return None
        if first.startswith("good") and not others:
            too_many.wait(20)
            return None
        alone.extend([] if others else [first])
        if len(alone) > 50:
            too_many.set()
        return refused(400, "no")

    provider.rule = rule
    embedder = opened(openai(provider, embedding_concurrency=2, embedding_batch=64))
    vectors, _, ended = collected(embedder, [*bad, *good])
    assert ended.endswith("no")
    assert vectors.keys() == set(good)


def test_a_long_text_has_a_vector_though_one_of_its_parts_is_a_text_of_its_own(
    provider: Provider, opened: Opener
) -> None:
    embedder = opened(openai(provider, embedding_batch=1, embedding_concurrency=1))
    long = " ".join(["alpha"] * 20_000)
    part = fitting(long, word_pieces, embedder.window)[0][0]
    vectors, failed, ended = collected(embedder, [part, "one", "two", long])
    assert (failed, ended) == ({}, "")
    assert vectors.keys() == {part, "one", "two", long}


def test_a_provider_that_refuses_one_text_after_the_other_is_left(provider: Provider, opened: Opener) -> None:
    many = [f"note {number}" for number in range(400)]
    provider.rule = lambda asked: None if asked.texts == ("memory",) else refused(400, "no")
    _, failed, ended = collected(opened(openai(provider, embedding_concurrency=1)), many)
    assert "too many texts" in ended
    assert len(failed) <= 50
    assert len(provider.asked) < 200


@pytest.mark.promise(
    "Embedding providers",
    "another model under the same name",
    "its vectors are never mixed with the old ones",
)
def test_a_dimension_that_changes_ends_the_run_and_keeps_what_came(
    provider: Provider, opened: Opener
) -> None:
    def grow(rows: list[Any], _: Asked) -> list[Any]:
        return rows if len(provider.asked) <= 2 else [row * 2 for row in rows]

    provider.spoil = grow
    vectors, failed, ended = collected(opened(openai(provider, embedding_concurrency=1)), TEXTS)
    assert len(vectors) == 16
    assert failed == {}
    assert "32" in ended
    assert "16" in ended


def test_another_dimension_than_was_asked_for_is_refused(provider: Provider, opened: Opener) -> None:
    with pytest.raises(ModelUnavailableError, match="16 numbers, and 512"):
        opened(openai(provider, embedding_dimensions=512)).embed(TEXTS)
    embedder = opened(openai(provider))
    embedder.expect(768)
    with pytest.raises(ModelUnavailableError, match="16 numbers, and 768"):
        embedder.embed(TEXTS)


def test_what_came_before_a_failure_is_kept_and_what_is_under_way_may_end(
    provider: Provider, opened: Opener
) -> None:
    provider.rule = lambda _: refused(401) if len(provider.asked) > 3 else None
    vectors, failed, ended = collected(opened(openai(provider, embedding_concurrency=1)), TEXTS)
    assert len(vectors) == 24
    assert failed == {}
    assert "rejects the key" in ended
    assert len(provider.asked) == 4


def test_a_question_is_asked_once_and_not_taken_apart(provider: Provider, opened: Opener) -> None:
    for reply in (refused(503), refused(400, "no"), refused(500), Reply(body=b"{}"), Reply(reset=True)):
        provider.asked.clear()
        provider.rule = lambda _, reply=reply: reply
        with pytest.raises(ModelUnavailableError):
            opened(openai(provider), questions=True).embed(TEXTS[:1])
        assert len(provider.asked) == 1


def test_a_hostile_error_message_stays_a_short_line(provider: Provider, opened: Opener) -> None:
    provider.rule = lambda _: refused(400, "\x1b[31m\n\u202eevil " * 1_000)
    with pytest.raises(ModelUnavailableError) as refusal:
        opened(openai(provider)).embed(TEXTS[:1])
    assert refusal.value.message.isprintable()
    assert len(refusal.value.message) < 300


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b'{"error": "input is too long"}', True),
        (b'{"detail": "input is too long"}', True),
        (b"<html>input is too long</html>", False),
    ],
)
def test_what_a_server_says_in_json_is_passed_on_and_a_page_is_not(
    provider: Provider, opened: Opener, body: bytes, shown: bool
) -> None:
    provider.rule = lambda _: Reply(422, body)
    with pytest.raises(ModelUnavailableError, match="answered 422") as refusal:
        opened(openai(provider)).embed(TEXTS[:1])
    assert ("input is too long" in refusal.value.message) == shown


def test_what_the_environment_holds_for_the_client_is_sent_nowhere_else(
    provider: Provider, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    opened(openai(provider)).embed(TEXTS[:1])
    (asked,) = provider.asked
    assert "secret" not in str(asked.headers)
    assert not any(name.lower().startswith(("x-stainless", "openai-")) for name in asked.headers)


def test_a_key_that_an_error_message_is_cut_in_is_not_shown_in_part(
    provider: Provider, opened: Opener
) -> None:
    key = "sk-secret-0123456789abcdef"
    provider.rule = lambda _: refused(422, "x" * 185 + f" {key} is not the key for this model")
    with pytest.raises(ModelUnavailableError) as refusal:
        opened(openai(provider, embedding_key=key)).embed(TEXTS[:1])
    assert "sk-sec" not in refusal.value.message


def test_the_environments_proxy_is_not_asked_for_a_private_address(
    provider: Provider, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    with providing() as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        assert opened(openai(provider)).embed(TEXTS[:1]).shape == (1, 16)
        assert proxy.asked == []


def test_a_proxy_that_makes_no_sense_is_named_by_its_variable_and_not_quoted(
    provider: Provider, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://sam:hunter22@nowhere")
    with pytest.raises(ModelUnavailableError, match="proxy") as refusal:
        opened(openai(provider, embedding_endpoint="https://llm.example.com/v1"))
    assert "ALL_PROXY" in refusal.value.hint
    assert "hunter22" not in str(refusal.value.__dict__)
