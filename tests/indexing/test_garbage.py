"""No text is an error, and none takes long: whatever is typed, pasted or sent."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexing.search.answer import Query
from tests.indexing.conftest import Memory
from workbench.agent.search_service import SearchService
from workbench.agent.search_task import SearchTask

PIECES = (
    *("kind:", "kind:log", "since:99999999-99-99", "since:", "path:(((((*", "path:*", "path:[", "type:*?"),
    *("as-of:", "as-of:never", 'from:"', "pinned:x", "trust:,,,", "user:", "-", '"', "“", '-"', "- -", "--"),
    *("\0", "\ud800", "\u202e", "\x1b[2J", "🇩", "\u200d", "़", "登", "x" * 300, "AND", "(", "\\", "~", "\n"),
)
MONSTERS = {
    "many stars": "path:" + "*a" * 5_000,
    "stars and any": "path:" + "*?" * 120 + "b",
    "a thousand filters": "path:* " * 1_000,
    "a thousand values": "path:" + ",".join(f"*{n}*" for n in range(1_000)),
    "many kinds": "kind:log " * 3_000,
    "nested": "path:" + "(" * 5_000,
    "only quotes": '"' * 20_000,
    "open quotes": '(path:"a ' * 3_000,
    "phrases": '"a b" ' * 5_000,
    "a long phrase": '"' + "the " * 20_000 + '"',
    "one word": "x" * 100_000,
    "one identifier": "a_" * 50_000,
    "hex": "deadbeef" * 10_000,
    "digits": "1" * 100_000,
    "dates": "2026-03-14 " * 10_000,
    "ranges": "between march and " * 5_000,
    "marks": "a" + "\u0301" * 100_000,
    "joiners": "\u200d" * 100_000,
    "characters": "登录" * 50_000,
    "lone ones": "登 " * 50_000,
    "emoji": "👩‍💻" * 20_000,
    "minuses": "-a" * 30_000,
    "exclusions": "-abc " * 20_000,
    "punctuation": "!?;:" * 25_000,
    "nothing": " \t\n" * 30_000,
    "NUL": "\0" * 100_000,
    "right to left": "\u202e" + "שלום " * 20_000,
    "surrogates": "\ud800" * 50_000,
}


@pytest.fixture(scope="module")
def memory_of_all(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A small workspace with its index."""
    memory = Memory(tmp_path_factory.mktemp("garbage") / "agent")
    memory.write("MEMORY.md", "The door code is 4411", "path:(((((* is no path", "登录模块 and kind:log")
    memory.write("memory/2026-03-14.md", "deadbeefcafe", "a_b_c")
    memory.reindex()
    return memory


@pytest.mark.promise(
    "The index",
    "any text as a query: control characters, lone surrogates, 100 KB, patterns, thousands of filters",
    "it is answered in bounded time",
)
@pytest.mark.parametrize("typing", [False, True])
@pytest.mark.parametrize("name", MONSTERS)
def test_no_monster_is_an_error(memory_of_all: Memory, name: str, typing: bool) -> None:
    for search in (memory_of_all.lexical(), memory_of_all.hybrid()):
        answer = search.search(Query(MONSTERS[name], prefix=typing))
        json.dumps(answer.as_json())


@pytest.mark.promise(
    "The index",
    "any text as a query: control characters, lone surrogates, 100 KB, patterns, thousands of filters",
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)),
    typing=st.booleans(),
    plain=st.booleans(),
)
def test_no_text_is_an_error_by_words_or_by_meaning(
    memory_of_all: Memory, text: str, typing: bool, plain: bool
) -> None:
    for search in (memory_of_all.lexical(), memory_of_all.hybrid()):
        search.search(Query(text, prefix=typing, plain=plain))


@pytest.mark.promise(
    "The index",
    "any text as a query: control characters, lone surrogates, 100 KB, patterns, thousands of filters",
)
@pytest.mark.parametrize("name", MONSTERS)
def test_the_service_answers_every_text(memory_of_all: Memory, name: str) -> None:
    out = io.StringIO()
    request = json.dumps({"seq": 1, "query": MONSTERS[name], "prefix": True})
    service = SearchService(memory_of_all.workspace, model=memory_of_all.model.choice)
    SearchTask(service, [request], out).run()
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    (answer,) = [one for one in answers if one.get("seq") == 1]
    assert "hits" in answer, answer
