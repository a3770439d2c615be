"""The doctor on the language model: asked with the person's word only, and harmless when it is not there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.health.conftest import Ward, said_by
from tests.support.provider import Provider, providing, refused
from workbench.health.index_checks import language_model
from workbench.health.subject import CheckSubject

KEY = "the-key-that-nobody-shows-1234"


@pytest.fixture
def server() -> Iterator[Provider]:
    with providing() as running:
        yield running


@pytest.fixture
def named(ward: Ward, server: Provider) -> Ward:
    """The ward with a language model on this machine."""
    ward.settings.write_text(f"language:\n  endpoint: {server.openai}\n  model: small\n  key: {KEY}\n")
    ward.settings.chmod(0o600)
    return ward


def place_of(ward: Ward, *, network: bool) -> CheckSubject:
    return CheckSubject.open(ward.root, network=network)


def test_no_model_is_fine_and_said(ward: Ward) -> None:
    seen, findings = said_by(language_model(place_of(ward, network=True)))
    assert findings == []
    assert "rules are used" in seen


def test_without_the_persons_word_it_is_not_asked(named: Ward, server: Provider) -> None:
    assert "not asked" in said_by(language_model(place_of(named, network=False)))[0]
    assert server.asked == []


def test_with_it_the_model_is_asked_once(named: Ward, server: Provider) -> None:
    seen, _ = said_by(language_model(place_of(named, network=True)))
    assert ": answers" in seen
    assert len(server.asked) == 1


def test_a_model_that_refuses_is_a_finding_without_the_key(named: Ward, server: Provider) -> None:
    server.queue = [refused(401, f"wrong key {KEY}")]
    _, (finding,) = said_by(language_model(place_of(named, network=True)))
    assert "rejects the key" in finding.what
    assert KEY not in repr(finding)


def test_a_setting_that_cannot_be_used_is_a_finding(ward: Ward) -> None:
    ward.settings.write_text("language:\n  endpoint: http://example.org/v1\n  model: small\n")
    _, (finding,) = said_by(language_model(place_of(ward, network=True)))
    assert "not encrypted" in finding.what
    assert "https" in finding.do
