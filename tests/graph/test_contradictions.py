"""Two values for one thing on one day are told; everything that may both be true is left in peace."""

from __future__ import annotations

from datetime import date

import pytest

from tests.support.workspaces import Sandbox
from workbench.graph.contradictions import Contradiction, contradictions, slots_in
from workbench.graph.read import read_graph

TODAY = date(2026, 3, 20)


def page(sandbox: Sandbox, *lines: str, name: str = "Sarah Chen", kind: str = "person") -> None:
    stem = name.lower().replace(" ", "-")
    body = "".join(f"- {line}\n" for line in lines)
    sandbox.write(f"graph/{kind}/{stem}.md", f"---\nname: {name}\ntype: {kind}\n---\n{body}")


def found(sandbox: Sandbox, day: date = TODAY) -> tuple[Contradiction, ...]:
    return contradictions(read_graph(sandbox.workspace), day=day)


@pytest.mark.parametrize(
    ("old", "new", "slot"),
    [
        ("[fact] Lives in Bremen", "[fact] Lives in Hamburg", "lives in"),
        ("[identity] I live in Bremen", "[fact] Moved to Hamburg", "lives in"),
        (
            "[identity] Sarah lives in Bremen, so the page of 03:12 reached her in the afternoon.",
            "[identity] Sarah lives in Hamburg, near the fish market; the gauge was sent there.",
            "lives in",
        ),
        ("located_in [[Bremen]]", "located_in [[Hamburg]]", "lives in"),
        ("[fact] She lives in Bremen with her dog", "located_in [[Hamburg]]", "lives in"),
        ("[fact] Works at Acme", "works_at [[Globex]]", "works at"),
        ("[fact] The staging port is 8443", "[fact] Staging port: 9443", "staging port"),
        (
            "[preference] Prefers tea over coffee",
            "[preference] Prefers coffee over tea",
            "prefers coffee or tea",
        ),
        ("[preference] I like mushrooms", "[preference] I don't like mushrooms", "likes mushrooms"),
        ("[preference] Likes mushrooms", "[preference] Hates mushrooms", "likes mushrooms"),
        ("[decision] We use tantivy for search", "[decision] We chose Lucene for search", "used for search"),
        ("[identity] Her birthday is May 3", "[identity] Her birthday is May 4", "birthday"),
        ("[identity] Sarah lives in Bremen", "[identity] Since 2020 Sarah Chen lives in Kiel", "lives in"),
        ("[identity] I work at Acme", "[identity] I now work at Globex", "works at"),
        ("[fact] I live in York", "[fact] I've moved to Leeds", "lives in"),
        ("[fact] The shell is zsh", "[fact] The shell is fish", "shell"),
        ("[fact] My manager is Ann", "[fact] Manager: Bob", "manager"),
    ],
)
def test_two_values_for_one_thing(sandbox: Sandbox, old: str, new: str, slot: str) -> None:
    page(
        sandbox,
        f"{old} <!-- wb: id=m1 valid_from=2026-01-01 src=memory/2026-01-01.md#L1 -->",
        f"{new} <!-- wb: id=m2 valid_from=2026-02-01 src=memory/2026-02-01.md#L1 -->",
    )
    (one,) = found(sandbox)
    assert one.slot == slot
    assert (one.old.sources, one.new.sources) == (("memory/2026-01-01.md#L1",), ("memory/2026-02-01.md#L1",))
    assert one.old.since == date(2026, 1, 1)
    assert one.question.startswith("Sarah Chen, ")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[fact] Lives in Bremen", "[fact] Lives in Bremen, Germany"),
        ("[fact] Lives in Bremen", "[fact] lives in **Bremen**."),
        ("[fact] Lives in Bremen", "located_in [[Bremen]]"),
        ("[fact] Lives in Bremen", "[fact] Used to live in Hamburg"),
        ("[fact] Lives in Bremen", "[fact] Might live in Hamburg one day"),
        ("[fact] Lives in Bremen", "[fact] Lives in Hamburg, I guess"),
        ("[fact] Lives in Bremen", "[event] Moved to Hamburg"),
        ("[fact] Lives in Bremen", "[fact] Moved to Bremen last week"),
        ("[fact] Lives in Bremen", "[fact] Lives in a small house with a garden"),
        ("[fact] Works at Acme", "[fact] Works at Acme as a designer since 2020"),
        ("[preference] Likes tea", "[preference] Likes coffee"),
        ("[preference] Prefers tea over coffee", "[preference] Prefers tea over juice"),
        ("[fact] The staging port is 8443", "[fact] The production port is 9443"),
        ("[fact] Knows Ben", "[fact] Knows Maria"),
        ("knows [[Ben]]", "knows [[Maria]]"),
        ("works_on [[Atlas]]", "works_on [[Borealis]]"),
        ("[decision] We use NATS for events", "[decision] We use Postgres for storage"),
        ("[todo] Moved to Hamburg", "[todo] Moved to Bremen"),
        ("[identity] I was born in Bremen", "[identity] My son was born in Kiel"),
        ("[identity] I live in Bremen", "[identity] My brother lives in Kiel"),
        ("[identity] I live in Bremen", "[identity] I lived in Kiel for two years"),
        ("[identity] I work at Acme", "[identity] My sister works at Globex"),
        ("[identity] I work for Acme", "[identity] I work for Acme AG"),
        ("[fact] I work at Acme", "[fact] I also work at Globex"),
        ("[identity] I report to Ann", "[identity] My manager reports to Eve"),
        ("[fact] I am married to Ann", "[fact] Bob is married to Eve"),
        ("[fact] My birthday is 4 May", "[fact] My wife's birthday is 7 June"),
        ("[fact] My birthday is 4 May", "[fact] My birthday is on May 4th"),
        ("[preference] I love hiking", "[preference] My wife hates hiking"),
        ("[preference] I like tea", "[preference] Bob doesn't like tea"),
        ("[fact] We use Redis for caching", "[fact] The web app uses Memcached for caching"),
        ("[fact] The port is 8443", "[fact] The port is open"),
        ("[fact] The deadline is Friday", "[fact] The deadline is tight"),
        ("[fact] The team lead is Bob", "[fact] The team lead is on holiday"),
        ("[fact] My manager is Ann", "[fact] My manager is strict about time"),
        ("[fact] My plan is simple", "[fact] My plan is to learn Spanish"),
        ("[fact] The timeout is 30 seconds", "[fact] The timeout is 30s"),
        ("[fact] The budget is 10k", "[fact] The budget is 10,000"),
    ],
)
def test_what_may_both_be_true_is_no_contradiction(sandbox: Sandbox, one: str, other: str) -> None:
    page(sandbox, one, other)
    assert found(sandbox) == ()


def test_only_what_holds_on_the_day_counts(sandbox: Sandbox) -> None:
    page(
        sandbox,
        "[fact] Lives in Bremen <!-- wb: id=m1 valid_from=2025-01-01 valid_until=2026-02-01 -->",
        "[fact] Lives in Hamburg <!-- wb: id=m2 valid_from=2026-02-01 -->",
    )
    assert found(sandbox) == ()
    page(
        sandbox,
        "[fact] Lives in Bremen <!-- wb: id=m1 valid_from=2025-01-01 -->",
        "[fact] Lives in Hamburg <!-- wb: id=m2 valid_from=2026-02-01 -->",
    )
    assert found(sandbox, date(2026, 1, 31)) == ()
    assert len(found(sandbox, date(2026, 2, 1))) == 1


def test_a_place_within_a_place_is_no_other_place(sandbox: Sandbox) -> None:
    page(sandbox, "located_in [[Osaka]]", "located_in [[Japan]]")
    page(sandbox, "part_of [[Kansai]]", name="Osaka", kind="place")
    page(sandbox, "located_in [[Japan]]", name="Kansai", kind="place")
    page(sandbox, name="Japan", kind="place")
    assert found(sandbox) == ()


def test_two_names_of_one_place_are_one_place(sandbox: Sandbox) -> None:
    sandbox.write("graph/place/ny.md", "---\nname: New York\ntype: place\naliases: [NYC]\n---\n")
    page(sandbox, "[fact] Lives in New York", "[fact] Lives in NYC")
    assert found(sandbox) == ()


def test_who_moved_to_another_technology_did_not_leave_their_town(sandbox: Sandbox) -> None:
    page(sandbox, name="Kubernetes", kind="technology")
    page(sandbox, "[fact] Lives in Bremen", "[fact] We moved to Kubernetes", "located_in [[Kubernetes]]")
    assert found(sandbox) == ()


def test_a_project_may_be_in_two_places(sandbox: Sandbox) -> None:
    page(sandbox, "located_in [[Osaka]]", "located_in [[Bremen]]", name="Atlas", kind="project")
    assert found(sandbox) == ()


def test_two_people_may_live_in_two_places(sandbox: Sandbox) -> None:
    page(sandbox, "[fact] Lives in Bremen")
    page(sandbox, "[fact] Lives in Hamburg", name="Ben")
    assert found(sandbox) == ()


def test_all_lines_of_a_value_are_one_side(sandbox: Sandbox) -> None:
    page(
        sandbox,
        "[fact] Lives in Bremen <!-- wb: id=m1 valid_from=2025-01-01 src=a.md#L1 -->",
        "located_in [[Bremen]] <!-- wb: id=r1 valid_from=2025-01-01 src=a.md#L1 -->",
        "[fact] Moved to Hamburg <!-- wb: id=m2 valid_from=2026-01-01 src=b.md#L1 -->",
        "located_in [[Hamburg]] <!-- wb: id=r2 valid_from=2026-01-01 src=c.md#L1 -->",
    )
    (one,) = found(sandbox)
    assert (len(one.old.entries), len(one.new.entries)) == (2, 2)
    assert one.new.sources == ("b.md#L1", "c.md#L1")


def test_the_newest_is_set_against_each_of_the_others(sandbox: Sandbox) -> None:
    page(
        sandbox,
        *(
            f"[fact] Lives in {c} <!-- wb: id=m{n} valid_from=202{n}-01-01 -->"
            for n, c in enumerate("ABC", 1)
        ),
    )
    assert found(sandbox) == ()  # one letter is no place
    page(
        sandbox,
        *(
            f"[fact] Lives in {city} <!-- wb: id=m{n} valid_from=202{n}-01-01 -->"
            for n, city in enumerate(("Bremen", "Kiel", "Trier"), 1)
        ),
    )
    assert [(c.old.value, c.new.value) for c in found(sandbox)] == [("bremen", "trier"), ("kiel", "trier")]


def test_the_key_is_the_same_whichever_came_first(sandbox: Sandbox) -> None:
    page(sandbox, "[fact] Lives in Bremen", "[fact] Lives in Hamburg")
    (one,) = found(sandbox)
    page(sandbox, "[fact] Lives in Hamburg", "[fact] Lives in Bremen")
    (other,) = found(sandbox)
    assert one.key == other.key
    assert one.old.value != other.old.value


def test_a_denial_is_not_taken_for_what_it_denies() -> None:
    assert list(slots_in("I do not really like tea", "preference")) == []
    assert list(slots_in("Does she live in Bremen?")) == []
    assert list(slots_in("She doesn't live in Bremen")) == []
