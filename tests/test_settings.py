"""A workspace's settings are untrusted text: read with limits, refused by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.config.safe_yaml import MAX_BYTES
from workbench.config.settings import DECLARED, MAX_PATTERNS, load
from workbench.errors import UsageError

BOMB = "include:\n- &a [x,x]\n" + "".join(
    f"- &{new} [*{old},*{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "workbench.yaml"


def test_values_are_what_is_written(file: Path) -> None:
    file.write_text("memory: {budget: 1_500}\ninclude: notes/**/*.md\nexclude: [a, 2026-99-99, no]\n")
    found = load(file)
    assert found.memory_budget == 1500
    assert found.include == ("notes/**/*.md",)
    assert found.exclude == ("a", "2026-99-99", "no")


def test_an_empty_or_missing_file_changes_nothing(file: Path) -> None:
    missing = load(file)
    file.write_text("# only a comment\n")
    assert load(file) == missing


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "include: !!python/object/apply:os.system [x]\n",
        "a: " + "[" * 3000 + "]" * 3000,
        "x: " + "y" * MAX_BYTES,
        "? [a]\n: b\n",
        "- a\n",
        "include: [" + "x," * (MAX_PATTERNS + 1) + "]",
        "exclude: ['**/**/**/x.md']",
        "include: ['" + "**/" * 30 + "x.md']",
        "memory_budget: " + "9" * 5000,
        "memory_budget: -1",
        "memory_budget: [1]",
        "include: [[a]]",
        "include: ['']",
        "exclude" + "k" * 900 + ": 1",
        '"exclude\\e]0;x\\a": 1',
        "agent_writes: [store]",
    ],
)
def test_what_settings_have_no_business_holding_is_refused_in_one_short_line(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        load(file)
    said = refused.value.message.removeprefix(str(file))
    assert len(said) < 250
    assert said.isprintable()


def test_bytes_that_are_not_utf8_are_refused(file: Path) -> None:
    file.write_bytes(b"theme: \xff\n")
    with pytest.raises(UsageError, match="UTF-8"):
        load(file)


@pytest.mark.parametrize("kind", ["zero", "loop", "outside", "pipe", "folder"])
def test_only_a_plain_file_is_read_and_nothing_is_waited_for(file: Path, tmp_path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        (tmp_path / "other.yaml").write_text("memory_budget: 5\n")
        targets: dict[str, Path] = {
            "zero": Path("/dev/zero"),
            "loop": file,
            "outside": tmp_path / "other.yaml",
        }
        file.symlink_to(targets[kind])
    with pytest.raises(UsageError, match="plain file"):
        load(file)


def test_a_persons_own_settings_may_be_a_link(file: Path, person: Path) -> None:
    (person / "dotfiles.yaml").write_text("theme: light\n")
    (person / "settings.yaml").symlink_to(person / "dotfiles.yaml")
    assert load(file).theme == "light"


def test_what_describes_a_provider_is_the_persons_own_and_is_read_as_numbers_and_words(
    file: Path, person: Path
) -> None:
    own = person / "settings.yaml"
    own.write_text(
        "embedding:\n  providers: [openai, local, openai]\n  price: 0.02\n  timeout: 2.5\n  batch: 16\n"
    )
    found = load(file)
    assert found.embedding_providers == ("openai", "local")
    assert (found.embedding_price, found.embedding_timeout, found.embedding_batch) == (0.02, 2.5, 16)
    own.write_text("embedding_price: 0\nembedding_providers: gemini\n")
    assert (load(file).embedding_price, load(file).embedding_providers) == (0.0, ("gemini",))


@pytest.mark.parametrize(
    "text",
    [
        "embedding_price: -1",
        "embedding_price: 1e3",
        "embedding_price: nan",
        "embedding_price: 1_0.5",
        "embedding_timeout: 0",
        "embedding_timeout: 0.0",
        "embedding_query_timeout: soon",
        "embedding_concurrency: 1000",
        "embedding_batch: 0",
        "embedding_batch: 1000000",
        "embedding_providers: [openai, skynet]",
        "embedding_providers: {openai: 1}",
    ],
)
def test_numbers_and_names_that_make_no_sense_are_refused(file: Path, person: Path, text: str) -> None:
    (person / "settings.yaml").write_text(text)
    with pytest.raises(UsageError) as refused:
        load(file)
    assert refused.value.message.isprintable()


@pytest.mark.parametrize("name", [name for name, declared in DECLARED.items() if declared.unit == "of 1"])
def test_a_share_lies_between_0_and_1(file: Path, name: str) -> None:
    for value in ("0", "0.5", "1", "1.0"):
        file.write_text(f"{name}: {value}\n")
        assert getattr(load(file), name) == float(value)
    file.write_text(f"{name}: 1.01\n")
    with pytest.raises(UsageError, match=f"{name} must be between 0 and 1, not '1.01'"):
        load(file)


def test_a_key_is_neither_shown_with_the_settings_nor_quoted_when_it_is_wrong(
    file: Path, person: Path
) -> None:
    own = person / "settings.yaml"
    own.write_text("embedding_key: sk-secret\n")
    assert load(file).embedding_key == "sk-secret"
    assert "sk-secret" not in repr(load(file))
    own.write_text("embedding_key: [sk-secret]\n")
    with pytest.raises(UsageError) as refused:
        load(file)
    assert "sk-secret" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("name", ["colour", "k" * 900, '"\\e]0;x\\a"', "memroy_budget", "format_of"])
def test_an_unknown_name_is_passed_over_and_all_else_counts(file: Path, person: Path, name: str) -> None:
    for where in (file, person / "settings.yaml"):
        where.write_text(f"{name}: 1\nepisode_days: 30\n")
        skipped: list[str] = []
        assert load(file, skipped=skipped).episode_days == 30
        assert len(skipped) == 1
        where.unlink()


@pytest.mark.parametrize(
    "text",
    [
        "exclude: {private: all}",
        "exlude: [private/**]",
        "excludes: [private/**]",
        "transcript_excludes: [work]",
        "team_leader: /elsewhere",
        "agent_writes: [store]",
        "exclude: [",
    ],
)
def test_what_keeps_words_private_is_never_passed_over(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError):
        load(file, lenient=True)


@pytest.mark.parametrize("text", ["embedding: {endpont: http://localhost}", "embedding_providers: [skynet]"])
def test_who_gets_words_is_never_passed_over(file: Path, person: Path, text: str) -> None:
    (person / "settings.yaml").write_text(text)
    with pytest.raises(UsageError):
        load(file, lenient=True)


def test_for_reading_a_wrong_value_is_its_default(file: Path) -> None:
    file.write_text("memory_budget: much\nsearch_preset: fast\nepisode_days: 30\n")
    skipped: list[str] = []
    found = load(file, lenient=True, skipped=skipped)
    assert (found.memory_budget, found.search_preset, found.episode_days) == (10_000, "default", 30)
    assert skipped == ["memory_budget", "search_preset"]
