"""What is of use in a month, told by how it is put; and what of that is left out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import durability as benchmark
from benchmarks import junk
from benchmarks.junk import Share
from benchmarks.typed import LINES, labelled
from workbench.memory.prose import words_of
from workbench.salience.durability import (
    PATTERNS,
    UNTOLD,
    WEIGHTS,
    is_of_its_day,
    lasting,
    log_odds,
    marks,
)
from workbench.salience.facts import facts_in

HELD_OUT = labelled(benchmark.HELD_OUT)


def likely(text: str) -> float:
    return lasting(marks(text, words_of(text)))


@pytest.mark.parametrize(
    ("lasts", "passes"),
    [
        ("The exporter writes one file per customer.", "The exporter wrote one file this morning."),
        ("Paula never signs without a lawyer.", "Paula signed the parcel slip after lunch."),
        ("The office closes at six every Friday.", "The office closed at 18:04."),
        ("Backups must stay in the country until 2028-01-01.", "Backups stayed green all night."),
        ("Omar switched the fleet to diesel.", "Omar showed the fleet to a visitor."),
        ("The importer fails when a name holds a comma.", "The importer failed again, 12 % done."),
    ],
)
def test_what_is_so_lasts_and_what_was_done_once_passes(lasts: str, passes: str) -> None:
    assert likely(lasts) > 0.5 > likely(passes)


@pytest.mark.parametrize(
    "line",
    [
        "Omar showed Paula the drawing.",
        "Paula slept from noon to three.",
        "Gestern hat Paula den Zaun gestrichen.",
        "昨天保拉看了一部电影,很长。",
    ],
)
def test_what_only_mattered_that_day_is_no_fact(line: str) -> None:
    assert facts_in(line) == ()


@pytest.mark.parametrize(
    "line",
    [
        "My sister wrote her first song after the break-up.",  # one's own life
        "Omar left the committee in March.",  # things are no longer as they were
        "Paula prefers coffee without sugar.",  # a cue word vouches for it
        "- [ ] Paula: photo for the badge",  # somebody has to do it
        "**Parking:** level two, behind the ramp",  # a label and what it stands for
        "Paula wohnt nicht weit von der Schule.",
    ],
)
def test_what_may_matter_for_years_is_kept_however_it_is_put(line: str) -> None:
    assert len(facts_in(line)) == 1


def test_of_another_language_nothing_is_told_but_that_it_may_last() -> None:
    assert [fact.lasting for fact in facts_in("Der Schlüssel hängt hinter der Tür.")] == [UNTOLD]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_every_mark_has_a_weight_and_every_sentence_a_likelihood(text: str) -> None:
    found = marks(text, words_of(text))
    assert found.keys() <= WEIGHTS.keys()
    assert 0 <= lasting(found) <= 1
    assert not is_of_its_day(found) or log_odds(found) < 0


def test_the_weights_are_those_that_come_out() -> None:
    seen = list(benchmark.of_entries(labelled(LINES)))
    talk = list(benchmark.of_lines(junk.labelled()))
    found = benchmark.fitted([*seen, *talk], [1.0] * len(seen) + [benchmark.LINES_COUNT] * len(talk))
    assert set(benchmark.NAMES) == WEIGHTS.keys() >= PATTERNS.keys()
    assert [WEIGHTS[name] for name in benchmark.NAMES] == pytest.approx(found[:-1], abs=0.2)


def test_they_hold_for_people_on_whose_notes_nothing_was_fitted() -> None:
    rows = list(benchmark.of_entries(HELD_OUT))
    lasts = [row[1] for row in rows]
    ours = benchmark.area([log_odds(row[0]) for row in rows], lasts)
    assert ours >= 0.93
    assert ours >= benchmark.area([row[2] for row in rows], lasts) + 0.03


def test_of_their_notes_most_of_what_passes_is_left_out_and_hardly_anything_that_lasts() -> None:
    kept = {
        worth: Share(sum(bool(facts_in(entry.text)) for entry in some), len(some)).value
        for worth in (True, False)
        for some in ([entry for entry in HELD_OUT if bool(entry.types) is worth],)
    }
    assert kept[True] >= 0.93
    assert kept[False] <= 0.38


def test_there_are_enough_held_out_entries_of_both_sorts() -> None:
    assert len({entry.text for entry in HELD_OUT}) == len(HELD_OUT) >= 250
    assert sum(not entry.types for entry in HELD_OUT) >= 100
