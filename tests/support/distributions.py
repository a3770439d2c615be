"""Distributions of this project, built and installed as a stranger would, without a network."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).resolve().parents[2]
NAME = "memory-workbench"
PACKAGES = ("workbench", "indexing", "screens", "themes")
FOLDERS = (*PACKAGES, "tests", "docs", "benchmarks")
"""What a source distribution is made of, beside single files."""
_MADE = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", ".*_cache", ".workbench", ".DS_Store")
BUILD_SECONDS = 600.0
COMMAND_SECONDS = 300.0


def copy_sources(target: Path) -> None:
    """The project without what was ever built in it, so that no left-over can come along."""
    target.mkdir()
    for path in PROJECT.iterdir():
        if path.is_file():
            shutil.copy2(path, target)
        elif path.name in FOLDERS:
            shutil.copytree(path, target / path.name, ignore=_MADE, symlinks=True)


def files_below(root: Path) -> set[str]:
    """Every file below ``root``, relative to it."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def build(source: Path, target: Path, *what: str) -> str:
    """What building with the tools that are installed here prints; ``what`` is ``--sdist`` or ``--wheel``.

    Without either, the wheel is built from the source distribution. A failure shows what was printed.
    """
    with _leaving_nothing() as environment:
        done = subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", *what, "--outdir", target, source],
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
            env=environment,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@contextlib.contextmanager
def _leaving_nothing() -> Iterator[dict[str, str]]:
    """The environment of this process, with a folder for what pip and the like leave when they are killed."""
    with tempfile.TemporaryDirectory(prefix="distributions-", ignore_cleanup_errors=True) as folder:
        yield {**os.environ, "TMPDIR": folder}


def needed(*extras: str) -> set[str]:
    """The distributions that the project asks for, and all that these ask for, by canonical name.

    Read from pyproject.toml, not from an installed copy, which may be older.
    """
    wanted = set[str]()
    waiting = [(Requirement(line), "") for line in declared(*extras)]
    seen = set[tuple[str, str]]()
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        for part in ("", *requirement.extras):
            if (name, part) not in seen:
                seen.add((name, part))
                wanted.add(name)
                waiting += [(Requirement(line), part) for line in metadata.requires(name) or ()]
    return wanted


def declared(*extras: str) -> list[str]:
    """The requirements in pyproject.toml, with those of ``extras``."""
    import tomllib

    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        *project["dependencies"],
        *(line for name in extras for line in project["optional-dependencies"][name]),
    ]


def disk_space(name: str) -> int:
    """The bytes that the files of a distribution take on the disk."""
    places = (Path(str(file.locate())) for file in metadata.files(name) or ())
    return sum(place.stat().st_blocks * 512 for place in places if place.is_file())


def _roots(name: str) -> Iterator[Path]:
    """What a distribution put into the folder of packages: its modules, libraries and metadata."""
    for file in metadata.files(name) or ():
        top = file.parts[0]
        if top not in ("..", "__pycache__"):
            yield Path(str(file.locate())).parents[len(file.parts) - 1] / top


@dataclass(frozen=True)
class Installed:
    """The wheel in an environment of its own, with the distributions that it declares and no others."""

    folder: Path
    home: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def program(self) -> Path:
        return self.folder / "bin" / "workbench"

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the shell that runs the tests."""
        return {
            "PATH": f"{self.folder / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "HF_HUB_OFFLINE": "1",
        }

    def run(
        self, *command: str | Path, cwd: Path | None = None, code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment, in its home if no other folder is named."""
        done = subprocess.run(
            [self.folder / "bin" / command[0], *command[1:]],
            cwd=cwd or self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done


def install(wheel: Path, folder: Path, *extras: str) -> Installed:
    """The wheel in a new environment; what it declares is linked there from the running one.

    Links, because a download would need a network, and a path to the running environment would show
    distributions that nobody declared, this project's own checkout among them.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in needed(*extras):
        for root in _roots(name):
            link = site / root.name
            if root.exists() and not link.exists():
                link.symlink_to(root)
    python = folder / "bin" / "python"
    with _leaving_nothing() as environment:
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check",
             "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel],
            check=True, timeout=COMMAND_SECONDS, env={**environment, "PIP_CONFIG_FILE": os.devnull},
        )  # fmt: skip
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = A Stranger\n\temail = stranger@localhost\n")
    return Installed(folder, home)
