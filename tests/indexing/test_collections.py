"""The collections that weights are measured on ask for what is there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchmarks.question_sets import Collection, conversations, demo, known_item, made, missing
from benchmarks.weights import Bench, entries_of
from indexing.ranking.order import DEFAULT, changed
from indexing.sync.run import reindex
from tests.support.hashing import HashingEmbedder
from workbench.workspace.workspace import Workspace


def indexed(collection: Collection) -> Workspace:
    workspace = Workspace.open(collection.root)
    reindex(workspace, model=HashingEmbedder().choice)
    return workspace


def test_every_question_about_the_demo_has_its_answer_in_the_demo(tmp_path: Path) -> None:
    collection = demo.write(tmp_path)
    entries = entries_of(indexed(collection))
    assert missing(collection.questions, entries) == []
    assert len(collection.questions) >= 60
    assert len({asked.style for asked in collection.questions}) >= 8


def test_facts_stand_once_in_a_made_memory_and_known_items_where_they_are_said_to_be(tmp_path: Path) -> None:
    collection = made.write(tmp_path, 2_400)
    entries = entries_of(indexed(collection))
    assert missing(collection.questions, entries) == []
    holders = Counter(
        one for asked in collection.questions for one in asked.evidence for e in entries if one.stands_in(e)
    )
    assert len(holders) > 20
    asked = known_item.questions(entries, 5)
    assert {question.style: 5 for question in asked} == Counter(question.style for question in asked)
    for question in asked:
        assert sum(question.evidence[0].stands_in(entry) for entry in entries) == 1
    assert known_item.questions(entries, 5) == asked


def test_figures_tell_good_weights_from_bad_ones(tmp_path: Path) -> None:
    collection = made.write(tmp_path, 600)
    workspace = indexed(collection)
    items = known_item.questions(entries_of(workspace), 5)
    bench = Bench(Collection("items", tmp_path, made.TODAY, items))
    found = bench.asked("lexical")
    good = bench.figures(changed(DEFAULT, {"vector": 0, "lexical": 1}), found)
    none = bench.figures(changed(DEFAULT, {"log": 0, "recency": 1, "half_life": 0.001, "date": 0}), found)
    assert sum(row[1] for row in good) > 0.7 * len(good) > sum(row[1] for row in none)


def test_evidence_of_conversations_is_the_messages_that_are_named(tmp_path: Path) -> None:
    said = [{"speaker": "Ann", "clean_text": f"message {n}", "dia_id": f"D1:{n}"} for n in range(1, 6)]
    chat = {"session_1": said, "session_1_date_time": "29.12.2023, 00:51:12"}
    asked = [
        {"question": "one", "evidence": ["D1:2", "D9:9"], "category": 1},
        {"question": "several", "evidence": ["D1:1-D1:3; D1:5"], "category": 2},
        {"question": "none", "evidence": [], "category": 3},
    ]
    (tmp_path / "Chat_1_A_B.json").write_text(json.dumps({**chat, "qa": asked}))
    (realtalk,) = conversations.realtalk(tmp_path)
    assert evidence(realtalk, tmp_path / "realtalk") == {
        "one": ["message 2"],
        "several": ["message 1", "message 2", "message 3", "message 5"],
    }

    messages = [{"role": "user", "id": n, "content": f"request {n} ->-> 1,{n}"} for n in range(4)]
    messages[0]["time_anchor"] = "March-15-2024"
    folder = tmp_path / "100K" / "1"
    (folder / "probing_questions").mkdir(parents=True)
    (folder / "chat.json").write_text(json.dumps([{"turns": [messages[:2], messages[2:]]}]))
    probing = {
        "knowledge_update": [{"question": "both", "source_chat_ids": {"first": [0], "then": [[3]]}}],
        "abstention": [{"question": "nothing was said"}],
    }
    (folder / "probing_questions/probing_questions.json").write_text(json.dumps(probing))
    (beam,) = conversations.beam(folder.parent, 5)
    assert evidence(beam, tmp_path / "beam") == {"both": ["request 0", "request 3"]}
    assert [asked.category for asked in beam.questions] == ["knowledge-update"]


def evidence(conversation: conversations.Conversation, root: Path) -> dict[str, list[str]]:
    """What stands on the lines that a question must find, by the question."""
    collection = conversations.collection("made", conversation, root)
    return {
        asked.text: [
            (root / one.path).read_text().splitlines()[one.line - 1].partition(":** ")[2]
            for one in asked.evidence
        ]
        for asked in collection.questions
    }
