"""A filter: what was typed, as terms, and what they keep."""

from __future__ import annotations

from screens.drawing.safe_text import Row, words
from screens.panes.pane import Filter, Subject, filter_of

STATES = frozenset({"pinned", "promoted"})
TEA = Subject("Likes green tea", {"pinned"}, ("2026-03-14",))


def asked(typed: str) -> Filter:
    found = filter_of(typed, STATES)
    assert found is not None
    return found


def test_all_words_have_to_stand_in_the_text_in_any_case() -> None:
    assert asked("TEA likes").keeps(TEA)
    assert not asked("tea coffee").keeps(TEA)


def test_exact_words_stand_together() -> None:
    assert asked('"green tea"').keeps(TEA)
    assert not asked('"likes tea"').keeps(TEA)
    assert asked('"green te').keeps(TEA)  # not closed yet: somebody types


def test_a_state_is_no_word_and_a_quoted_state_is() -> None:
    assert asked("pinned").keeps(TEA)
    assert not asked("promoted").keeps(TEA)
    assert not asked('"pinned"').keeps(TEA)


def test_a_minus_turns_a_term_round() -> None:
    assert asked("-coffee").keeps(TEA)
    assert not asked("-tea").keeps(TEA)
    assert not asked("-pinned").keeps(TEA)
    assert asked('-"tea green"').keeps(TEA)


def test_the_beginning_of_a_day_keeps_its_days() -> None:
    for typed in ("2026", "2026-", "2026-03", "2026-03-1", "2026-03-14"):
        assert asked(typed).keeps(TEA), typed
    assert not asked("2026-04").keeps(TEA)
    assert not asked("2026").keeps(Subject("2026 in words"))
    assert asked("2026-03").only_days
    assert not asked("2026-03 tea").only_days


def test_what_is_not_there_filters_nothing() -> None:
    for typed in ("", "   ", "-", '""', '-""'):
        assert filter_of(typed, STATES) is None, typed


def test_words_are_brought_out_beside_what_was_bold() -> None:
    row = Row("x", words("Sarah likes green tea"), emphasis=((0, 5, "head"),))
    assert asked("tea").brought_out(row).emphasis == ((0, 5, "head"), (18, 21, "match"))
    assert asked("sarah").brought_out(row).emphasis == ((0, 5, "match"),)
    assert asked("pinned").brought_out(row) is row


def test_signs_of_patterns_are_only_signs() -> None:
    odd = Subject("a [x] (.*) end")
    assert asked("[x] (.*)").keeps(odd)
    assert not asked("a.*x").keeps(odd)
