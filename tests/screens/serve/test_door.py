"""Who is let in: the token first, then the name we were called by, then the page that asks."""

from __future__ import annotations

import pytest

from screens.serve.auth import HEADERS, new_token, refusal, require_loopback
from workbench.errors import UsageError

TOKEN = "t0ken-of-this-start"


def asked(**changed: object) -> str | None:
    said: dict[str, object] = {
        "token": TOKEN, "given": TOKEN, "host": "127.0.0.1:8470", "origin": None, "port": 8470,
    }  # fmt: skip
    return refusal(**(said | changed))  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1:8470", "localhost:8470", "LOCALHOST:8470", "[::1]:8470"])
def test_this_machine_by_any_of_its_names_is_let_in(host: str) -> None:
    assert asked(host=host) is None
    assert asked(host=host, origin=f"http://{host}".lower()) is None


def test_the_address_that_is_served_is_its_own_name_and_port_80_is_not_told() -> None:
    assert asked(host="127.0.0.2:8470", served="127.0.0.2") is None
    assert asked(host="127.0.0.1", port=80, origin="http://127.0.0.1") is None
    assert "not this machine's" in (asked(host="127.0.0.3:8470", served="127.0.0.2") or "")


@pytest.mark.parametrize("given", ["", "t0ken", TOKEN + "x", TOKEN.upper(), "\udcff", "é" * 20])
def test_without_its_very_token_nobody_is(given: str) -> None:
    assert "has no token" in (asked(given=given) or "")


@pytest.mark.parametrize(
    "host", ["", "evil.example:8470", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.x.example:8470"]
)
def test_a_name_that_somebody_pointed_at_this_machine_is_not_let_in(host: str) -> None:
    assert "not this machine's" in (asked(host=host) or "")


@pytest.mark.parametrize(
    "origin", ["null", "http://x.example", "https://127.0.0.1:8470", "http://127.0.0.1:80", ""]
)
def test_a_page_from_elsewhere_is_not_let_in(origin: str) -> None:
    assert "another page" in (asked(origin=origin) or "")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_other_machines_are_never_served(host: str) -> None:
    with pytest.raises(UsageError, match="reached from other machines"):
        require_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "[::1]", "localhost", "127.0.0.2"])
def test_an_address_of_this_machine_alone_is_fine(host: str) -> None:
    assert require_loopback(host) == host.strip("[]")


def test_tokens_differ_and_are_long() -> None:
    assert len({new_token() for _ in range(50)}) == 50
    assert len(new_token()) >= 32


def test_the_page_may_load_nothing_from_elsewhere() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert HEADERS["Referrer-Policy"] == "no-referrer"
