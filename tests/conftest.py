"""What every test stands on: a person of its own, and workspaces in real git repositories."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
from hypothesis import HealthCheck, settings

from indexing.embedding.model_files import file_digest, locate
from indexing.embedding.port import cache_dir
from tests.support.workspaces import Sandbox
from workbench.errors import ModelUnavailableError

settings.register_profile(  # a machine that stands still for a moment says nothing of what is tested
    "at any pace",
    settings.get_profile(settings.get_current_profile_name()),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("a few", settings.get_profile("at any pace"), max_examples=15)  # make test-fast
settings.load_profile("at any pace")

# Where bytecode is not kept, each process that a test starts would compile the whole program for itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Thousands of collected tests are no garbage, and what a test leaves is soon looked through: with Python's
# own thresholds half of the time of a test of the interface goes into collections.
gc.set_threshold(50_000, 20, 20)


_MADE_ONCE = {
    "built": "wheel", "ran": "ray", "site": "site", "threshold": "threshold",
    "tiny": "torch", "tiny_model": "torch", "native": "torch",
}  # fmt: skip
"""Fixtures that take seconds to make, by what they need; one worker has all tests of the same need."""


@pytest.hookimpl(tryfirst=True)  # before xdist asks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests together that need the same of what takes long to make; begin with what takes long."""
    items.sort(key=lambda item: item.get_closest_marker("faults") is None)
    for item in items:
        needed = [_MADE_ONCE[name] for name in getattr(item, "fixturenames", ()) if name in _MADE_ONCE]
        if needed:
            item.add_marker(pytest.mark.xdist_group(needed[0]))


def pytest_collection_finish() -> None:
    """Put what was imported and collected where automatic collections do not look."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def person_of_shared_fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home for what is made once for several tests, which comes before the person of any of them."""
    with pytest.MonkeyPatch.context() as patch:
        yield _at_home(tmp_path_factory, patch)


@pytest.fixture(autouse=True)
def person(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of their own, so that no test reads or writes the settings of whoever runs it."""
    home = _at_home(tmp_path_factory, monkeypatch)
    yield home
    # Thousands of them in one folder would make each further one slower.
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def at_the_same_pace() -> Iterator[None]:
    """What makes way for others does so in a process of its own: here every later test would starve."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    yield
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def _at_home(homes: pytest.TempPathFactory, patch: pytest.MonkeyPatch) -> Path:
    home = Path(tempfile.mkdtemp(prefix="h", dir=homes.getbasetemp()))
    (home / ".gitconfig").write_text("[user]\n\tname = Test Person\n\temail = test@localhost\n")
    patch.setenv("HOME", str(home))
    patch.setenv("WORKBENCH_CONFIG", str(home / "settings.yaml"))
    for variable in ("WORKBENCH_WORKSPACE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        patch.delenv(variable, raising=False)
    # To prepare the embedding model takes longer than any test: what one has prepared the others find.
    prepared = shared_cache(homes) / "prepared"
    prepared.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = platformdirs.user_cache_path("memory-workbench")
    own.mkdir(parents=True)
    (own / "prepared").symlink_to(prepared)
    (own / "digests.json").write_bytes(_digests(tuple(prepared.glob("[!.]*/*.onnx"))))
    return home


@functools.cache
def _digests(prepared: tuple[Path, ...]) -> bytes:
    """What is remembered of the installed model once it was used: to hash it takes as long as a test."""
    with contextlib.suppress(ModelUnavailableError, OSError):
        locate()
        for graph in prepared:
            file_digest(graph)
    remembered = cache_dir() / "digests.json"
    return remembered.read_bytes() if remembered.exists() else b"{}"


def shared_cache(folders: pytest.TempPathFactory) -> Path:
    """A cache folder for prepared models that all workers of a run share; nothing in it may be damaged."""
    base = folders.getbasetemp()
    return (base.parent if base.name.startswith("popen-") else base) / "model-cache"


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """A small workspace in a git repository with one commit."""
    made = Sandbox(tmp_path / "workspace")
    yield made
    made.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many calls that change the disk were made to fail."""
    counts = [
        count
        for report in terminalreporter.getreports("passed")
        for name, count in report.user_properties
        if name == "failpoints" and report.when == "call"
    ]
    if counts:
        terminalreporter.write_line(f"failpoints: {sum(counts)} calls failed, in {len(counts)} loops")
