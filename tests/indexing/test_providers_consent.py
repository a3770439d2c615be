"""Money is spent by the person alone: asked on a terminal, refused without one; and no key is ever shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.indexing.conftest import Memory
from tests.support import forked
from tests.support.provider import Provider, providing, refused

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-proj-" + "Zq7vR2mX9wLk4TbN8cYd" * 2
Workbench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider on this machine."""
    with providing() as running:
        yield running


@pytest.fixture
def environment(person: Path, provider: Provider) -> dict[str, str]:
    """A person whose settings name the provider, at a price, with the key in a variable."""
    write_settings(person, provider)
    return {**os.environ, "THE_KEY": KEY, "PYTHONPATH": str(ROOT)}


def write_settings(person: Path, provider: Provider, **more: object) -> None:
    given = {
        "providers": "[openai]",
        "endpoint": provider.openai,
        "model": "a-model",
        "key_env": "THE_KEY",
        "price": "10",
        "ask_above": "3",
        **more,
    }
    lines = "".join(f"  {name}: {value}\n" for name, value in given.items() if value is not None)
    (person / "settings.yaml").write_text(f"embedding:\n{lines}")
    (person / "settings.yaml").chmod(0o600)


@pytest.fixture
def workbench(memory: Memory, environment: dict[str, str]) -> Workbench:
    """``workbench("reindex")`` as a process without a terminal."""
    memory.write("MEMORY.md", "Prefers async reviews over meetings", "The door code is 4411")
    memory.write("memory/2026-03-14.md", *(f"Note number {number} of the day" for number in range(10)))

    def call(*arguments: str, module: str = "workbench", **more: str) -> subprocess.CompletedProcess[str]:
        return forked.run_text(*arguments, module=module, cwd=memory.root, env={**environment, **more})

    return call


@pytest.fixture
def terminal(
    memory: Memory, environment: dict[str, str], workbench: Workbench
) -> Iterator[pexpect.spawn[str]]:
    """``workbench reindex`` on a terminal."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "workbench", "reindex"],
        cwd=str(memory.root),
        env=environment,
        encoding="utf-8",
        timeout=60,
        use_poll=True,
        dimensions=(24, 300),
    )
    yield child
    child.close(force=True)


@pytest.mark.parametrize("word", ["y", "n"])
def test_on_a_terminal_the_person_is_told_count_and_cost_and_asked(
    terminal: pexpect.spawn[str], provider: Provider, word: str
) -> None:
    terminal.expect(r"to be embedded: 12 texts of at most about [0-9,]+ tokens for a-model at 127\.0\.0\.1")
    terminal.expect("send them\\?")
    assert provider.asked == []
    terminal.sendline(word)
    terminal.expect(f"{12 if word == 'y' else 0} embedded")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert ("number 7" in str(provider.texts)) is (word == "y")


def test_without_a_terminal_nothing_is_sent_and_the_way_to_send_it_is_said(
    workbench: Workbench, provider: Provider
) -> None:
    done = workbench("reindex")
    assert done.returncode == 0
    assert "not sent without your confirmation: 12 texts" in done.stderr
    assert "workbench reindex --yes" in done.stderr
    assert provider.asked == []
    assert "MEMORY.md" in workbench("search", "door code").stdout
    assert provider.asked == []
    assert "12 embedded" in workbench("reindex", "--yes").stdout
    assert "MEMORY.md" in workbench("search", "door code").stdout


def test_the_interfaces_own_child_sends_nothing_unasked_either(
    workbench: Workbench, provider: Provider
) -> None:
    done = workbench("reindex", ".", module="workbench.worker")
    report = json.loads(done.stdout.splitlines()[-1])["report"]
    assert "reindex --yes" in report["vectors"]
    assert provider.asked == []


def test_a_dry_run_says_count_and_cost(workbench: Workbench, provider: Provider) -> None:
    assert "would be embedded: 12 texts" in workbench("reindex", "--dry-run").stdout
    told = json.loads(workbench("reindex", "--dry-run", "--json").stdout)["backfill"]
    assert (told["texts"], told["charges"], told["price_per_million"]) == (12, True, 10.0)
    assert told["cost"] == pytest.approx(told["tokens"] / 100_000)
    assert provider.asked == []


def test_what_costs_nothing_is_not_asked_about(
    workbench: Workbench, provider: Provider, person: Path
) -> None:
    write_settings(person, provider, price=None)
    assert "12 embedded" in workbench("reindex").stdout


def test_model_show_names_the_provider_and_where_its_key_is_from(
    workbench: Workbench, provider: Provider
) -> None:
    shown = workbench("model", "show")
    for part in ("a-model", "openai", provider.openai, "THE_KEY", "10 for a million tokens", "4 at a time"):
        assert part in shown.stdout
    told = json.loads(workbench("model", "show", "--json").stdout)
    assert (told["provider"], told["endpoint"], told["key"]) == (
        "openai",
        provider.openai,
        "the variable THE_KEY",
    )
    assert [one["provider"] for one in told["providers"]] == ["openai"]
    assert provider.asked == []


def test_model_show_says_which_provider_cannot_be_used_and_which_is_used_instead(
    workbench: Workbench, provider: Provider, person: Path, tiny: Path
) -> None:
    write_settings(person, provider, providers="[gemini, local]", endpoint=None, key_env="NO_SUCH_KEY")
    with (person / "settings.yaml").open("a") as file:
        file.write(f"model: {tiny}\n")
    shown = workbench("model", "show")
    assert "provider   local" in shown.stdout
    assert "gemini cannot be used: the variable NO_SUCH_KEY is not set" in shown.stderr


def test_model_test_says_dimension_and_time(workbench: Workbench, provider: Provider) -> None:
    tried = json.loads(workbench("model", "test", "--json").stdout)
    assert tried["dimension"] == 16
    assert tried["first_ms"] > 0
    assert set(provider.texts) == {"memory"}
    provider.rule = lambda _: refused(401)
    failed = workbench("model", "test")
    assert failed.returncode == 1
    assert "rejects the key" in failed.stderr


def test_a_settings_file_with_a_key_that_others_can_read_is_warned_about(
    workbench: Workbench, provider: Provider, person: Path
) -> None:
    write_settings(person, provider, key=KEY, key_env=None)
    assert "chmod 600" not in workbench("reindex", "--yes").stderr
    (person / "settings.yaml").chmod(0o644)
    for command in (("model", "show"), ("reindex", "--full", "--yes")):
        assert "chmod 600" in workbench(*command).stderr


@pytest.mark.parametrize("place", ["variable", "settings"])
def test_the_key_is_shown_written_or_sent_nowhere_but_to_its_provider(
    workbench: Workbench, provider: Provider, person: Path, memory: Memory, place: str
) -> None:
    """Every command, with a provider that works, that echoes the key, and that redirects."""
    if place == "settings":
        write_settings(person, provider, key=KEY, key_env=None, query_timeout="0.5")
    said = ""
    quiet = [("model", "show"), ("model", "show", "--json"), ("reindex", "--dry-run", "--json"), ("status",)]
    asking = [("model", "test"), ("reindex", "--yes", "--full"), ("reindex", ".")]
    asking.append(("search", "door code", "--json", "--explain"))
    with providing() as elsewhere:
        answers = [
            None,
            refused(401, f"Incorrect API key provided: {KEY}"),
            refused(400, f"the key {KEY} may not do that"),
            refused(307, Location=f"{elsewhere.openai}/embeddings"),
        ]
        for answer in answers if place == "variable" else answers[:2]:
            provider.rule = lambda _, answer=answer: answer
            for command in asking if answer else quiet + asking:
                memory.write("memory/2026-03-15.md", f"Something new for {len(said)}")
                module = "workbench.worker" if command == ("reindex", ".") else "workbench"
                done = workbench(*command, module=module, THE_KEY=KEY if place == "variable" else "")
                said += done.stdout + done.stderr
        assert elsewhere.asked == []
    assert "rejects the key" in said
    if place == "variable":
        assert "may not do that" in said
        assert "redirects" in said
    assert all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in provider.asked)
    files = [path for path in memory.root.rglob("*") if path.is_file()]
    written = b"".join(path.read_bytes() for path in files)
    for part in (KEY, KEY[8:28], KEY[-12:]):
        assert part not in said
        assert part.encode() not in written


@pytest.mark.parametrize("wrong", [f"[{KEY}]", "{" + KEY + ": 1}"])
def test_a_key_that_is_written_wrongly_is_not_quoted(
    workbench: Workbench, provider: Provider, person: Path, wrong: str
) -> None:
    write_settings(person, provider, key=wrong)
    done = workbench("status")
    assert done.returncode == 2
    assert "embedding_key" in done.stderr
    assert KEY not in done.stdout + done.stderr
    write_settings(person, provider, key_env=KEY)
    done = workbench("model", "test")
    assert "embedding_key_env" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_a_workspace_names_no_provider_no_endpoint_and_no_key(workbench: Workbench, memory: Memory) -> None:
    for name in (
        "providers",
        "endpoint",
        "model",
        "dimensions",
        "key",
        "key_env",
        "price",
        "ask_above",
        "device",
    ):
        (memory.root / "workbench.yaml").write_text(f"embedding:\n  {name}: {KEY}\n")
        done = workbench("status")
        assert done.returncode == 2
        assert "only your own settings file may" in done.stderr
        assert KEY not in done.stderr
