"""What is handed to strangers: a source distribution, and the wheel that is built from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.distributions import Installed, build, copy_sources, files_below, install

JUNK = (
    "notes.txt", "demo/MEMORY.md", ".venv/bin/python", "build/lib/workbench/gone.py", "dist/old.whl",
    "workbench/cli/__pycache__/gone.pyc", "tests/__pycache__/gone.pyc", "docs/.DS_Store",
)  # fmt: skip
"""What lies about in a checkout that somebody works in."""


@dataclass(frozen=True)
class Built:
    """The two distributions, the sources that they were built from, and the files of these that count."""

    source: Path
    files: frozenset[str]
    sdist: Path
    wheel: Path
    printed: str

    def below(self, folder: str) -> set[str]:
        """The files that count in one folder of the sources."""
        return {name for name in self.files if name.startswith(f"{folder}/")}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Both distributions of a checkout with junk in it, the wheel built from the source distribution."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    copy_sources(source)
    files = frozenset(files_below(source))
    for name in JUNK:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("junk")
    printed = build(source, folder / "dist")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    (wheel,) = (folder / "dist").glob("*.whl")
    return Built(source, files, sdist, wheel, printed)


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an empty environment, without any extra."""
    return install(built.wheel, tmp_path_factory.mktemp("installed") / "environment")
