"""The language model of the settings is asked by each command that says so, and not where `none` is named."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.provider import Asked, Provider, providing
from tests.support.sessions import claw
from tests.support.workspaces import EPISODE, LOG, Sandbox

HOME = "By the way, the spare key hangs behind the old harbour clock."
SAID = (
    ("user", "Please remember that my birthday is on 3 May."),
    ("assistant", "We decided to use tantivy for the search of Project Atlas."),
    ("user", HOME),
)
WORDED = "We decided to use PostgreSQL 17 for the billing service."


def answered(asked: Asked) -> str:
    """What a model would say to each of the tasks, by the schema that it is given."""
    said = "\n".join(asked.texts)
    if '"quote"' in said:
        return json.dumps({"facts": [{"turn": 4, "quote": HOME}]})
    if '"sentences"' in said:
        return json.dumps({"sentences": [{"text": HOME, "turns": [3]}]})
    if '"claims"' in said:
        return json.dumps({"claims": [{"name": "c1", "text": WORDED, "sources": ["c1.1", "c1.2"]}]})
    return "{}"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with providing() as made:
        made.chat = answered
        yield made


@pytest.fixture
def talk(tmp_path: Path, person: Path, provider: Provider) -> Path:
    path = tmp_path / "t/s91.jsonl"
    path.parent.mkdir()
    path.write_bytes(claw(*SAID))
    os.utime(path, (1_773_482_400,) * 2)
    (person / "settings.yaml").write_text(
        f"transcripts: ['{path.parent}']\n"
        f"language_endpoint: {provider.openai}\nlanguage_model: small\nlanguage_key: sk-test\n"
    )
    return path


def models(provider: Provider) -> set[str]:
    """Which models were asked for, and for what else there was no request."""
    assert all(asked.path.endswith("/chat/completions") for asked in provider.asked)
    return {asked.body["model"] for asked in provider.asked}


def test_flush_saves_what_the_model_points_at(
    run: Run, sandbox: Sandbox, talk: Path, provider: Provider
) -> None:
    done = run("flush", str(talk))
    assert done.code == 0
    assert HOME in sandbox.read(LOG).decode()
    assert models(provider) == {"small"}


def test_ingest_writes_the_models_summary(run: Run, sandbox: Sandbox, talk: Path, provider: Provider) -> None:
    done = run("ingest", str(talk), "--json").json
    (page,) = done["sources"][0]["episodes"]
    assert "small" in models(provider)
    assert "summary: by small" in " ".join(done["sources"][0]["notes"])
    assert HOME in sandbox.read(page).decode().partition("## Facts")[0]


def test_watch_asks_the_model(run: Run, sandbox: Sandbox, talk: Path, provider: Provider) -> None:
    (sandbox.root / EPISODE).unlink()  # it expired
    done = run("watch", "--once", "--json")
    assert done.code == 0
    assert HOME in sandbox.read(LOG).decode()
    assert models(provider) == {"small"}


@pytest.mark.parametrize("command", ["dream", "jobs run nightly --only dream"])
def test_dreaming_words_what_was_said_twice_by_the_model(
    run: Run, sandbox: Sandbox, talk: Path, provider: Provider, command: str
) -> None:
    for days, text in enumerate((WORDED, WORDED.replace("to use", "to use the")), 1):
        day = date.today() - timedelta(days=days)
        sandbox.write(f"memory/{day}.md", f"# {day}\n\n- {text}\n")
    assert run(*command.split()).code == 0
    assert models(provider) == {"small"}
    waits = run("inbox", "list", "--json").json
    assert WORDED in json.dumps(waits)
    provider.asked.clear()
    assert run(*command.split(), "--model", "none").code == 0
    assert provider.asked == []


@pytest.mark.parametrize("command", [("flush", "TALK"), ("ingest", "TALK"), ("watch", "--once")])
@pytest.mark.parametrize(("named", "asked"), [("none", set()), ("large", {"large"})])
def test_another_model_or_none_is_named_for_once(
    run: Run, talk: Path, provider: Provider, command: tuple[str, ...], named: str, asked: set[str]
) -> None:
    done = run(*(str(talk) if word == "TALK" else word for word in command), "--model", named)
    assert done.code == 0
    assert models(provider) == asked


def test_a_model_that_cannot_be_used_leaves_it_to_the_rules(
    run: Run, sandbox: Sandbox, talk: Path, person: Path
) -> None:
    (person / "settings.yaml").write_text("language_endpoint: http://example.org/v1\nlanguage_model: m\n")
    done = run("flush", str(talk))
    assert done.code == 0
    assert "without a language model: " in done.err
    assert SAID[0][1] in sandbox.read(LOG).decode()


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--model", "large")])
def test_a_dream_without_the_client_of_its_model_goes_on_and_says_what_to_install(
    run: Run, sandbox: Sandbox, talk: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "openai" else find(name, *more)
    )
    done = run("dream", *options)
    assert done.code == 0
    assert "note: without a language model: openai, " in done.err
    assert "install the extra `language`" in done.err
    assert run("dream", *options, "--json").json["notes"][0].startswith("without a language model: openai, ")
    night = run("jobs", "run", "nightly", "--only", "dream", "--dry-run")
    assert night.code == 0
    assert "install the extra `language`" in night.err
