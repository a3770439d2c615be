"""A model by name: fetched from a hub (a real server on the loopback interface), found, and searched with."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from indexing.embedding.model_files import DEFAULT_MODEL, is_hub_name, locate
from indexing.embedding.model_info import describe
from tests.indexing.conftest import Memory
from tests.support import forked
from tests.support.hub import COMMIT, Hub, serving
from workbench.errors import ModelUnavailableError

ROOT = Path(__file__).parents[2]
NAME = "tests/tiny-model"

Workbench = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def hub(tiny: Path, tmp_path: Path) -> Iterator[Hub]:
    """A hub with the tiny model, beside things that are never to be fetched."""
    served = tmp_path / "served"
    shutil.copytree(tiny, served)
    (served / "modeling_evil.py").write_text("raise SystemExit('remote code ran')")
    (served / "pytorch_model.bin").write_bytes(b"pickle")
    (served / "onnx").mkdir()
    (served / "onnx" / "config.json").write_text("{}")
    with serving({NAME: served}) as running:
        yield running


@pytest.fixture
def own(tmp_path: Path, person: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Caches of one's own, for this process and those that it starts."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_CACHE", "HF_TOKEN", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.setenv("WORKBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "huggingface" / "hub"


@pytest.fixture
def workbench(hub: Hub, own: Path, memory: Memory, person: Path) -> Workbench:
    """``workbench("model", "show")`` as a process, with the hub as the only one there is."""
    memory.write("MEMORY.md", "The door code is 4411", "Prefers async reviews over meetings")

    def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        found = {**os.environ, "HF_ENDPOINT": hub.address, **environment}
        return forked.run_text(*arguments, cwd=memory.root, env=found)

    return call


def use(person: Path, setting: str) -> None:
    (person / "settings.yaml").write_text(f"model: {setting}\n")


def test_a_model_is_fetched_by_name_and_searched_with(
    workbench: Workbench, hub: Hub, own: Path, person: Path
) -> None:
    use(person, NAME)
    first = workbench("search", "door code", "--json")
    assert json.loads(first.stdout)["mode"] == "lexical", "there is no model yet"
    done = workbench("reindex", "--json")
    assert json.loads(done.stdout)["vectors"] == f"{NAME} is not on this machine"
    assert json.loads(workbench("model", "show", "--json").stdout)["hint"].startswith(
        f"run `workbench model download {NAME}`"
    )
    assert hub.asked == [], "a network was asked before the person said so"

    fetched = workbench("model", "download", NAME, "--yes", "--json")
    assert fetched.returncode == 0, fetched.stderr
    assert hub.address in fetched.stderr
    folder = own / "models--tests--tiny-model" / "snapshots" / COMMIT
    assert json.loads(fetched.stdout)["folder"] == str(folder)
    got = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert "model.safetensors" in got
    assert not {"modeling_evil.py", "pytorch_model.bin", "onnx/config.json"} & got
    hub.asked.clear()

    shown = json.loads(workbench("model", "show", "--json").stdout)
    assert (shown["model"], shown["form"], shown["dimension"], shown["window"]) == (NAME, "native", 16, 32)
    report = json.loads(workbench("reindex", "--json").stdout)
    assert (report["embedded"], report["vectors"]) == (2, None)
    answer = json.loads(workbench("search", "door code", "--json").stdout)
    assert (answer["mode"], answer["degraded"]) == ("hybrid", None)
    assert answer["hits"][0]["snippet"] == "The door code is 4411"
    shown = json.loads(workbench("model", "show", "--json").stdout)
    assert (shown["form"], shown["dimension"], shown["window"]) == ("prepared", 16, 32)
    assert Path(shown["prepared"]).is_dir()
    assert hub.asked == [], "something else than the download used the network"

    again = workbench("model", "download", NAME)
    assert again.returncode == 0
    assert "already downloaded" in again.stderr
    assert not [line for line in hub.asked if line.startswith('"GET /tests/tiny-model/resolve')]


def test_nothing_is_fetched_without_the_persons_word(workbench: Workbench, hub: Hub, own: Path) -> None:
    refused = workbench("model", "download", NAME)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert NAME in refused.stderr
    assert hub.address in refused.stderr
    assert not list(own.rglob("*.safetensors"))


def test_the_model_that_is_not_used_yet_says_how_it_would_be(workbench: Workbench, person: Path) -> None:
    done = workbench("model", "download", NAME, "--yes")
    assert done.returncode == 0
    assert f"model: {NAME}" in done.stderr
    assert str(person / "settings.yaml") in done.stderr


def failing(done: subprocess.CompletedProcess[str]) -> str:
    """The error's message in JSON mode."""
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "model-unavailable"
    assert error["hint"]
    return str(error["message"])


def test_an_unknown_model_is_said_to_be_unknown(workbench: Workbench) -> None:
    said = failing(workbench("model", "download", "tests/other", "--yes", "--json"))
    assert "no such model" in said


@pytest.mark.parametrize("status", [403, 500, 503])
def test_a_server_that_fails_is_named_with_what_it_said(workbench: Workbench, hub: Hub, status: int) -> None:
    hub.broken = status
    said = failing(workbench("model", "download", NAME, "--yes", "--json"))
    assert str(status) in said
    assert hub.address in said


def test_a_server_that_is_not_there_is_named(workbench: Workbench) -> None:
    with socket.socket() as taken:  # bound but not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        said = failing(workbench("model", "download", NAME, "--yes", "--json", HF_ENDPOINT=nowhere))
    assert nowhere in said
    assert "refused" in said


def test_a_download_that_breaks_off_leaves_no_model(workbench: Workbench, hub: Hub, person: Path) -> None:
    use(person, NAME)
    hub.cut = {"model.safetensors"}
    said = failing(workbench("model", "download", NAME, "--yes", "--json"))
    assert NAME in said
    assert json.loads(workbench("model", "show", "--json").stdout)["model"] is None
    hub.cut = set()
    assert workbench("model", "download", NAME, "--yes").returncode == 0
    assert json.loads(workbench("model", "show", "--json").stdout)["model"] == NAME


def test_weights_that_arrive_damaged_are_removed(workbench: Workbench, hub: Hub, own: Path) -> None:
    hub.changed = {"model.safetensors"}
    said = failing(workbench("model", "download", NAME, "--yes", "--json"))
    assert "arrived damaged" in said
    assert not list(own.rglob("model.safetensors"))
    hub.changed = set()
    assert workbench("model", "download", NAME, "--yes").returncode == 0


def test_a_model_without_safetensors_is_not_fetched(workbench: Workbench, hub: Hub, own: Path) -> None:
    (hub.models[NAME] / "model.safetensors").unlink()
    assert "has no model.safetensors" in failing(workbench("model", "download", NAME, "--yes", "--json"))
    assert not list(own.rglob("config.json"))


def test_the_default_model_must_be_the_original(workbench: Workbench, hub: Hub) -> None:
    hub.models[DEFAULT_MODEL] = hub.models[NAME]
    said = failing(workbench("model", "download", "--yes", "--json"))
    assert "not the original" in said


def test_being_offline_on_purpose_is_respected(workbench: Workbench, hub: Hub) -> None:
    said = failing(workbench("model", "download", NAME, "--yes", "--json", HF_HUB_OFFLINE="1"))
    assert "HF_HUB_OFFLINE" in said
    assert hub.asked == []


def test_a_workspace_names_no_model(workbench: Workbench, hub: Hub, memory: Memory) -> None:
    (memory.root / "workbench.yaml").write_text(f"model: {NAME}\n")
    assert workbench("reindex").returncode == 2
    assert workbench("search", "door").returncode == 2
    shown = json.loads(workbench("model", "show", "--json").stdout)
    assert shown["setting"] is None
    assert hub.asked == []


def test_a_name_is_never_looked_up_in_the_current_folder(
    own: Path, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(tiny, tmp_path / NAME)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelUnavailableError, match="not on this machine") as caught:
        locate(NAME)
    assert f"workbench model download {NAME}" in caught.value.hint
    assert locate(f"./{NAME}").folder.samefile(tiny.parent / tmp_path / NAME)


def test_the_current_snapshot_is_preferred_and_any_other_will_do(own: Path, tiny: Path) -> None:
    model = own / "models--tests--tiny-model"
    for name in ("aaa", "bbb"):
        shutil.copytree(tiny, model / "snapshots" / name)
    assert locate(NAME).folder == model / "snapshots" / "aaa"
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("bbb")
    assert locate(NAME).folder == model / "snapshots" / "bbb"
    (model / "snapshots" / "bbb" / "model.safetensors").unlink()
    assert locate(NAME).folder == model / "snapshots" / "aaa"
    assert locate(NAME).name == NAME


@pytest.mark.parametrize("setting", ["nonsense", "a/b/c", "a\x1b/b", "-a/b", "a..b/c", "none"])
def test_a_setting_that_names_nothing_is_described_with_its_reason(setting: str, own: Path) -> None:
    assert not is_hub_name(setting)
    found = describe(setting)
    assert found.source is None
    assert found.why
    assert found.hint


@pytest.mark.parametrize("name", [DEFAULT_MODEL, "BAAI/bge-large-en-v1.5", "a/b_c.d-e"])
def test_names_of_the_hub_are_known_as_such(name: str) -> None:
    assert is_hub_name(name)


@pytest.mark.parametrize("word", ["n", "y"])
def test_on_a_terminal_the_person_is_asked(
    workbench: Workbench, hub: Hub, own: Path, memory: Memory, word: str
) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "workbench", "model", "download", NAME],
        cwd=str(memory.root),
        env={**os.environ, "HF_ENDPOINT": hub.address, "PYTHONPATH": str(ROOT)},
        encoding="utf-8",
        timeout=60,
        use_poll=True,
    )
    child.expect(f"{NAME} from {hub.address}: .* files, 1 MB")
    child.expect("fetch it\\?")
    assert not list(own.rglob("*.safetensors"))
    child.sendline(word)
    child.expect("nothing was fetched" if word == "n" else r"fetch \(kB\)  \[[#-]")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == (1 if word == "n" else 0)
    assert bool(list(own.rglob("*.safetensors"))) is (word == "y")
