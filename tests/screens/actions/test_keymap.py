"""A person's keys: what makes sense counts, what does not is named and skipped."""

from __future__ import annotations

import pytest

from screens.actions.action import Action
from screens.actions.availability import FocusContext
from screens.actions.key_file import RESERVED, KeyOverride, KeyProblem, key_map
from screens.actions.keymap import PROFILES, KeyMap
from screens.actions.keys import key_called, key_for, key_name
from screens.actions.registry import ACTIONS, by_id, is_bound, key_table, keys_json


def made(*wishes: KeyOverride, profile: str = "default") -> tuple[KeyMap, list[KeyProblem]]:
    return key_map(profile, wishes)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_names_known_actions_and_keys_and_is_free_of_clashes(profile: str) -> None:
    keys, problems = made(profile=profile)
    assert problems == []
    for place in FocusContext:
        here = [
            key for a in ACTIONS if place in a.places for key in keys.of(a.id) if is_bound(a.id, key, place)
        ]
        assert len(here) == len(set(here)), place
    assert PROFILES[profile].keys() <= by_id().keys()
    for action, own in keys.keys.items():
        assert not set(own) & RESERVED.keys(), action
        assert [key_called(key_name(key)) for key in own] == list(own), action


@pytest.mark.parametrize(
    ("written", "key"),
    [
        *(
            ("ctrl+d", "ctrl+d"),
            ("Ctrl-D", "ctrl+d"),
            ("/", "slash"),
            ("?", "question_mark"),
            ("space", "space"),
        ),
        *(("G", "G"), ("shift+g", "G"), ("F5", "f5"), ("esc", "escape"), ("pgdn", "pagedown"), ("↓", "down")),
        *(("question_mark", "question_mark"), ("alt+x", "alt+x"), ("-", "minus"), ("ctrl++", "ctrl+plus")),
        *((wrong, None) for wrong in ("", "hyper+x", "ctrl+", "foo", "ctrl+ctrl+x", "\x1b", "F99")),
    ],
)
def test_keys_are_understood_as_people_write_them(written: str, key: str | None) -> None:
    assert key_called(written) == key


def test_a_wish_takes_the_place_of_the_keys_of_its_action() -> None:
    keys, problems = made(KeyOverride("undo", ("Z", "ctrl+z")))
    assert keys.of("undo") == ("Z", "ctrl+z")
    assert problems == []
    assert "| `Z` `ctrl+z` | Undo the last operation" in key_table(keys)
    assert next(one["keys"] for one in keys_json(keys) if one["action"] == "undo") == ["Z", "ctrl+z"]


def test_two_actions_can_exchange_their_keys() -> None:
    keys, problems = made(KeyOverride("promote", ("d",)), KeyOverride("forget", ("p",)))
    assert (keys.of("promote"), keys.of("forget"), problems) == (("d",), ("p",), [])


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (KeyOverride("pormote", ("Z",), 7), "there is no action “pormote”; did you mean “promote”?"),
        (KeyOverride("promote", ("spcae",), 7), "there is no key “spcae”; did you mean “space”?"),
        (KeyOverride("promote", ("ctrl+c",), 7), "ctrl+c cannot be “promote”: it always leaves"),
        (
            KeyOverride("promote", ("ctrl+h",), 7),
            "ctrl+h cannot be “promote”: terminals send it for backspace",
        ),
        (
            KeyOverride("promote", ("d",), 7),
            "d is “forget” in the same place (pane), so “promote” does not get it",
        ),
        (KeyOverride("save", ("s",), 7), "s cannot be “save”: it types text there"),
        (KeyOverride("back", (), 7), "“back” needs a key: it keeps its default"),
    ],
)
def test_what_makes_no_sense_is_named_with_its_line_and_changes_nothing(wish: KeyOverride, said: str) -> None:
    keys, problems = made(wish, KeyOverride("undo", ("Z",), 8))
    assert [(problem.text, problem.line, problem.note) for problem in problems] == [(said, 7, False)]
    assert keys.of("undo") == ("Z",)
    assert {**keys.keys, "undo": ("u",)} == dict(made()[0].keys)


def test_of_a_list_of_keys_the_good_ones_count() -> None:
    keys, problems = made(KeyOverride("promote", ("nokey", "d", "Z")))
    assert keys.of("promote") == ("Z",)
    assert len(problems) == 2


def test_of_two_wishes_for_one_key_the_later_one_loses() -> None:
    keys, problems = made(KeyOverride("promote", ("Z",), 1), KeyOverride("forget", ("Z",), 2))
    assert (keys.of("promote"), keys.of("forget")) == (("Z",), ("d",))
    assert [problem.line for problem in problems] == [2]


def test_an_action_left_without_a_key_is_told_and_done() -> None:
    keys, problems = made(KeyOverride("merge", ()), KeyOverride("palette", (":",)))
    assert keys.of("merge") == ()
    assert [(problem.action, problem.note) for problem in problems] == [("merge", True), ("palette", True)]
    assert "in the search line" in problems[1].text


def test_what_nobody_can_do_without_keeps_its_own_keys_beside_the_new_ones() -> None:
    assert made(KeyOverride("back", ("Z",)))[0].of("back") == ("Z", "escape")


def test_no_line_of_text_is_without_a_key_that_leaves_it() -> None:
    keys, _ = made(*(KeyOverride(action.id, ()) for action in ACTIONS))
    for place in FocusContext:
        ways = [a.id for a in ACTIONS if any(is_bound(a.id, key, place) for key in keys.of(a.id))]
        assert ways, place


def test_the_key_that_is_named_in_a_line_of_text_is_no_text() -> None:
    assert (key_for("reindex"), key_for("reindex", FocusContext.QUERY)) == ("r", "ctrl+r")


def test_the_same_key_may_mean_two_things_in_two_places() -> None:
    confirm: Action = by_id()["confirm"]
    assert made(KeyOverride("confirm", ("p",)))[0].of("confirm")[0] == "p"
    assert not confirm.places & by_id()["promote"].places
