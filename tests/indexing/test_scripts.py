"""Words are found in every script, however they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.search.answer import Query
from indexing.words import blankless_runs, normal
from tests.indexing.conftest import Memory

LINES = {
    "chinese": "今天修复了登录模块的超时问题",
    "mixed": "使用Docker部署服务",
    "japanese": "サーバーを再起動した",
    "tea": "抹茶を買った",
    "korean": "게이트웨이를 재시작했다",
    "thai": "ร้านกาแฟเปิดแล้ว",
    "lao": "ຮ້ານກາເຟເປີດ",
    "khmer": "ហាងកាហ្វេបើក",
    "arabic": "مُحَمَّد كتب الرسالة",
    "hebrew": "שָׁלוֹם עולם",
    "cyrillic": "Привет, ёлка и чай",
    "greek": "Ο δρόμος της ΟΔΟΣ",
    "hindi": "नमस्ते दुनिया में काम",
    "french": "the café by the sea",
    "german": "Straße 5, Größe M",
    "turkish": "İstanbul ışık",
    "wide": "ＦＵＬＬ width",
    "emoji": "launched🚀today with 👩‍💻 and 🇩🇪",
}


@pytest.fixture(scope="module")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A workspace with one file for each script."""
    memory = Memory(tmp_path_factory.mktemp("scripts") / "agent")
    for name, line in LINES.items():
        memory.write(f"memory/{name}.md", line)
    memory.reindex(vectors=False)
    return memory


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        *(("登录", "chinese"), ("超时问题", "chinese"), ("题", "chinese"), ("docker", "mixed")),
        *(("部署 docker", "mixed"), ("サーバー", "japanese"), ("再起動", "japanese"), ("茶", "tea")),
        *(("게이트웨이", "korean"), ("กาแฟ", "thai"), ("ກາເຟ", "lao"), ("កាហ្វេ", "khmer")),
        *(("محمد", "arabic"), ("שלום", "hebrew"), ("елка", "cyrillic"), ("ПРИВЕТ", "cyrillic")),
        *(("οδός", "greek"), ("ΔΡΌΜΟΣ", "greek"), ("नमस्ते", "hindi"), ("दुनिया", "hindi")),
        *(("cafe", "french"), ("CAFÉ", "french"), ("cafe\u0301", "french"), ("strasse", "german")),
        *(("GRÖSSE", "german"), ("grosse", "german"), ("istanbul", "turkish"), ("İSTANBUL", "turkish")),
        *(("isik", "turkish"), ("full", "wide"), ("ｆｕｌｌ", "wide"), ("🚀", "emoji")),
        *(("👩‍💻", "emoji"), ("🇩🇪", "emoji")),
        *(('"登录模块"', "chinese"), ('"模块"', "chinese"), ('"使用 docker"', "mixed"), ('"🚀"', "emoji")),
    ],
)
def test_a_word_is_found_however_it_is_written(polyglot: Memory, asked: str, name: str) -> None:
    hits = polyglot.lexical().search(Query(asked)).hits
    assert hits[0].path == f"memory/{name}.md"


def test_characters_of_a_phrase_stand_one_after_the_other(polyglot: Memory) -> None:
    answer = polyglot.lexical().search(Query('"登录问题"'))
    assert "literally" in answer.notes[0]
    assert not polyglot.lexical().search(Query('-"登录模块" kind:note path:chinese')).hits


@pytest.mark.parametrize("heading", ["学习总结", "価格取得ルール", "심전도 점검"])
def test_a_heading_finds_its_section_before_entries_that_share_characters(
    memory: Memory, heading: str
) -> None:
    memory.write("MEMORY.md", "one", "two", heading=heading)
    memory.write("memory/notes.md", f"{heading[:2]}, {heading[2:]}", f"{heading[:2]} {heading[:2]}")
    memory.reindex(vectors=False)
    for asked in (heading, f'"{heading}"'):
        answer = memory.lexical().search(Query(asked))
        assert {hit.snippet for hit in answer.hits[:2]} == {"one", "two"}
        assert not answer.notes


def test_a_flag_is_not_found_by_another_that_shares_a_letter(polyglot: Memory) -> None:
    assert not polyglot.lexical().search(Query("🇩🇰")).hits


def test_a_letter_of_its_own_is_no_accent() -> None:
    assert normal("чай") == "чай"
    assert normal("か") != normal("が")


def test_words_of_two_scripts_are_parted() -> None:
    assert normal("使用Docker部署").split() == ["使用", "Docker", "部署"]
    assert blankless_runs("a 登录 b") == ["登录"]


@given(st.text())
def test_what_was_made_plain_is_plain(text: str) -> None:
    once = normal(text)
    assert " ".join(normal(once).split()) == " ".join(once.split())
    once.encode("utf-8")


@pytest.mark.parametrize(
    ("asked", "about", "asks", "alone"),
    [
        ("服务器的端口是什么", "端口改成八四四三", "这个叫什么", "什么"),
        ("为什么部署失败了呢？", "昨天部署失败", "她总问为什么", "为什么"),
        ("再起動はいつですか", "毎週再起動する", "次はいつですか", "いつ"),
        ("서버는 어디에 있나", "서버가 서울로 옮겼다", "어디에 두었나", "어디"),
    ],
)
def test_question_words_lead_to_nothing_unless_they_are_all_that_is_asked(
    tmp_path: Path, asked: str, about: str, asks: str, alone: str
) -> None:
    memory = Memory(tmp_path / "agent")
    memory.write("memory/about.md", about)
    memory.write("memory/asks.md", asks)
    memory.reindex(vectors=False)
    search = memory.lexical().search
    assert [hit.path for hit in search(Query(asked)).hits] == ["memory/about.md"]
    for only in (alone, f'"{alone}"'):
        assert [hit.path for hit in search(Query(only)).hits] == ["memory/asks.md"]


@pytest.mark.parametrize(("asked", "about"), [("多少钱", "这台机器多少钱都行"), ("いつも", "朝はいつも散歩")])
def test_a_word_that_begins_like_a_question_is_looked_for_whole(
    tmp_path: Path, asked: str, about: str
) -> None:
    memory = Memory(tmp_path / "agent")
    memory.write("memory/about.md", about)
    memory.reindex(vectors=False)
    (hit,) = memory.lexical().search(Query(asked)).hits
    assert hit.score == 1.0
