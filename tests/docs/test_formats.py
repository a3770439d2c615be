"""Every sample of a file format is read by the code that reads such files, and means what the page says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from screens.actions.key_file import keys_in
from tests.docs.pages import DOCS, Block, read_page
from tests.support.episode_pages import parse_page
from themes import parse_theme
from themes.contrast import faults
from workbench.config.safe_yaml import read_mapping
from workbench.config.settings import USER_ONLY, flat, load
from workbench.health.recall_tests import parse_recall_tests
from workbench.memory.entry import Kind, RelPath
from workbench.memory.graph_page import read_entity
from workbench.memory.markdown import Document, parse_document
from workbench.memory.provenance import parse_instant
from workbench.memory.transcript import read_transcript
from workbench.workspace.layout import USUAL
from workbench.workspace.workspace import Workspace

PAGE = read_page(DOCS / "reference" / "files.md")
SAMPLES = {block.sample: block for block in PAGE.blocks if block.sample}


def document(path: str, text: str) -> Document:
    return parse_document(RelPath(path), text.encode(), USUAL.kind_of(path))


def log(text: str, _: Path) -> None:
    found = document("memory/2026-03-14.md", text)
    assert found.kind is Kind.LOG
    assert [entry.text.split("\n")[0] for entry in found.entries if "port" in entry.text] == [
        "The staging port is 8443"
    ]
    assert all(entry.date == date(2026, 3, 14) for entry in found.entries)


def memory(text: str, _: Path) -> None:
    likes, prefers, friday = document("MEMORY.md", text).entries
    assert likes.provenance is None
    assert prefers.provenance is not None
    assert (prefers.provenance.trust, prefers.provenance.source) == ("owner", "memory/2026-03-14.md#L5")
    assert "wb:" not in prefers.text
    assert friday.provenance is not None
    assert friday.provenance.day("pinned") == date(2026, 3, 21)


def episode(text: str, _: Path) -> None:
    page = parse_page(text.encode())
    assert (page.id, page.turns, page.recall_count, page.trust) == ("e12", 48, 3, "agent")
    assert page.expires_at == datetime(2026, 6, 12, 11, 31, tzinfo=UTC)
    assert page.topics == ("Atlas", "Sarah Chen")
    assert [[place.turn for place in line.places] for line in (*page.facts, *page.decisions)] == [
        [17],
        [24, 29],
    ]


def entity(text: str, _: Path) -> None:
    found = read_entity(document("graph/person/sarah-chen.md", text))
    assert (found.name, found.type, found.aliases) == ("Sarah Chen", "person", ("Sarah",))
    assert [one.type for one in found.memories] == ["preference", "todo"]
    assert [(one.kind, one.target) for one in found.relations] == [
        ("works_on", "Project Atlas"),
        ("located_in", "Lisbon"),
    ]
    assert found.relations[1].valid_until == date(2026, 3, 10)


def quarantine(text: str, _: Path) -> None:
    (entry,) = document("_system/quarantine/2026-11.md", text).entries
    assert entry.provenance is not None
    assert entry.provenance.get("from") == "memory/2026-11-03.md"
    assert entry.provenance.get("under") == "2026-11-03 Tuesday"


def recalls(text: str, folder: Path) -> None:
    pending = folder / ".workbench/ledger/pending.jsonl"
    pending.parent.mkdir(parents=True)
    pending.write_text('{"book": "recalls", ' + text.removeprefix("{"))
    (record,) = Workspace.open(folder).ledger.read("recalls")
    assert parse_instant(record["at"]) == datetime(2026, 3, 14, 10, tzinfo=UTC)


def workspace_settings(text: str, folder: Path) -> None:
    file = folder / "workbench.yaml"
    file.write_text(text)
    said = load(file)
    assert (said.memory_budget, said.include, said.episode_days) == (12_000, ("docs/**/*.md",), 120)


def own_settings(text: str, folder: Path) -> None:
    (Path.home() / "settings.yaml").write_text(text)
    said = load(folder / "workbench.yaml")
    assert (said.theme, said.embedding_providers) == ("light", ("openai", "local"))
    assert set(flat(read_mapping(text))) <= USER_ONLY


def recall_tests(text: str, _: Path) -> None:
    first, second = parse_recall_tests(text.encode())
    assert (first.within, first.mode, first.wanted[0].sort) == (5, "hybrid", "entry")
    assert [target.sort for target in (*first.unwanted, *second.wanted)] == ["words", "words", "words"]


def keys(text: str, folder: Path) -> None:
    found = keys_in(folder / "keys.toml", text.encode())
    assert (found.map.profile, found.wrong) == ("vim", ())
    assert "f2" in found.map.of("promote")


def theme(text: str, _: Path) -> None:
    made = parse_theme(text, "dusk.yaml")
    assert (made.name, made.dark) == ("dusk", True)
    assert faults(made) == []


def transcript(text: str, _: Path) -> None:
    found = read_transcript("s91.jsonl", [text.encode()])
    assert [(turn.role, turn.text) for turn in found.turns] == [
        ("user", "The staging port is 8443 now."),
        ("assistant", "Noted."),
    ]


READERS: dict[str, Callable[[str, Path], None]] = {
    "log": log,
    "memory": memory,
    "episode": episode,
    "entity": entity,
    "quarantine": quarantine,
    "ledger recalls": recalls,
    "workbench.yaml": workspace_settings,
    "settings.yaml": own_settings,
    "recall-tests.yaml": recall_tests,
    "keys.toml": keys,
    "theme": theme,
    "transcript": transcript,
}


def test_every_sample_has_a_reader() -> None:
    assert set(SAMPLES) == set(READERS)
    assert len(SAMPLES) == len(PAGE.blocks)


@pytest.mark.parametrize("block", SAMPLES.values(), ids=lambda block: block.sample)
def test_the_sample_is_read_as_the_page_says(block: Block, tmp_path: Path) -> None:
    READERS[block.sample](block.text, tmp_path)
