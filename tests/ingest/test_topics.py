"""Topics are the phrases that come back in a session, in whatever language."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.ingest.summary import topics

TALK = (
    "We met Ada Lovelace before the broker drill in New York.",
    "Then Ada Lovelace ran the broker drill again.",
    "Sleeping helps, and I slept well after New York.",
    "Nothing else happened, and nothing was decided.",
)


def test_what_comes_back_is_a_topic_whole_and_what_is_said_once_is_none() -> None:
    assert set(topics(TALK)) == {"Ada Lovelace", "broker drill", "New York"}


def test_what_only_begins_sentences_is_no_topic() -> None:
    said = ("Yesterday we ran it.", "Yesterday it broke.", "Yesterday I slept.", "Nice one.", "Nice try.")
    assert topics(said) == ()


def test_a_verb_that_comes_back_is_no_topic_and_a_noun_is() -> None:
    said = [
        f"We decided to paint the garage, and I need to plan it {when}." for when in ("soon", "twice", "well")
    ]
    assert topics(said) == ("garage",)


def test_languages_have_their_own_phrases() -> None:
    german = ("Der Umzug nach Graz ist im Mai.", "Für den Umzug fehlt ein Wagen.", "Graz gefällt uns.")
    assert "Umzug" in topics(german)
    chinese = ("我们用向量数据库做检索。", "向量数据库在新的机器上。", "我喜欢茶。")
    assert "向量数据库" in topics(chinese)
    japanese = ("バックアップの設定を変更した。", "毎晩のバックアップが失敗した。")
    assert topics(japanese) == ("バックアップ",)
    russian = ("Сервер резервных копий стоит в подвале.", "Мы обновили сервер резервных копий.")
    assert any("резервных копий" in one for one in topics(russian))


def test_a_key_that_comes_back_is_no_topic() -> None:
    assert topics(["The store has the key AKIAIOSFODNN7ABCDEFG now."] * 3) == ("store",)


def test_no_more_topics_than_asked_for() -> None:
    assert len(topics(TALK, most=2)) == 2
    assert topics(TALK, most=0) == ()


@given(st.lists(st.text(max_size=80), max_size=8))
def test_topics_are_few_distinct_and_quotations(texts: list[str]) -> None:
    found = topics(texts)
    assert len(found) == len(set(found)) <= 20
    assert all(" ".join(one.split()) in " ".join("\n".join(texts).split()) for one in found if " " not in one)
