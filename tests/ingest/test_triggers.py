"""When a session is taken up, and when its facts are saved before it is compacted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.settings import Settings
from workbench.ingest.sessions import estimated_tokens, nearly_full, quiet_seconds, take_up

SETTINGS = Settings()
SMALL = Settings(context_window=10_000)


@pytest.mark.parametrize(
    ("growth", "why"),
    [
        (
            {"user_messages": 14, "messages": 28, "size": 99_999, "lines": 49, "quiet": 299, "waited": 119},
            None,
        ),
        ({"user_messages": 15, "messages": 15, "size": 1, "lines": 15}, "messages"),
        ({"size": 100_000, "lines": 1}, "bytes"),
        ({"size": 10, "lines": 50}, "lines"),
        ({"size": 1, "lines": 1, "quiet": 300}, "quiet"),
        ({"quiet": 10_000}, None),
        ({"messages": 5, "size": 1, "lines": 5, "waited": 120}, "interval"),
        ({"messages": 4, "size": 1, "lines": 5, "waited": 10_000}, None),
        ({"messages": 1, "size": 1, "lines": 1, "compacted": True}, "compacted"),
    ],
)
def test_a_session_is_taken_up_at_whichever_comes_first(growth: dict[str, Any], why: str | None) -> None:
    assert take_up(SETTINGS, **growth) == why


@pytest.mark.parametrize(
    ("messages", "tokens", "why"),
    [(50, 0, None), (51, 0, "messages"), (0, 169_999, None), (0, 170_000, "window")],
)
def test_facts_are_saved_before_a_compaction(messages: int, tokens: int, why: str | None) -> None:
    assert nearly_full(messages, tokens, SETTINGS) == why


def test_a_reserve_is_kept_free_where_that_comes_before_the_share() -> None:
    window = Settings(context_window=100_000)
    assert nearly_full(0, 75_999, window) is None
    assert nearly_full(0, 76_000, window) == "reserve"


def test_a_small_window_has_only_the_share_to_go_by() -> None:
    assert nearly_full(0, 1, SMALL) is None
    assert nearly_full(0, 8_500, SMALL) == "window"


@given(st.integers(0, 10**12), st.integers(0, 10**6))
def test_what_holds_more_is_never_estimated_to_hold_less(size: int, more: int) -> None:
    assert estimated_tokens(size) <= estimated_tokens(size + more) <= size + more


def test_a_file_from_the_future_is_as_quiet_as_one_from_the_past() -> None:
    now = datetime(2026, 3, 20, 12, tzinfo=UTC)
    assert quiet_seconds(now.timestamp() - 400, now) == 400
    assert quiet_seconds(now.timestamp() + 400, now) == 400
    assert quiet_seconds(now.timestamp(), now.astimezone(timezone(timedelta(hours=9)))) == 0
