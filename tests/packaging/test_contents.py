"""What is in the wheel and in the source distribution: all that is declared, and nothing else."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from importlib.metadata import packages_distributions
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.conftest import Built
from tests.support.distributions import (
    FOLDERS,
    NAME,
    PACKAGES,
    PROJECT,
    build,
    copy_sources,
    declared,
)
from workbench import __version__

DIST_INFO = f"memory_workbench-{__version__}.dist-info"
DATA = (
    re.compile(r"workbench/py\.typed"),
    re.compile(r"workbench/cli/schemas/\w+\.json"),
    re.compile(r"workbench/dreaming/salience\.(npy|json)"),
    re.compile(r"workbench/jobs/content/nightly\.\w+"),
    re.compile(r"workbench/workspace/template_files/\w+\.md"),
    re.compile(r"workbench/workspace/demo/content/(history\.yaml|workspace/.+\.(md|yaml))"),
    re.compile(r"themes/[\w-]+\.yaml"),
    re.compile(r"screens/(\w+/)?\w+\.tcss"),
    re.compile(r"screens/serve/content/page\.(html|css|js)"),
)
"""The only files beside modules that a package has."""
PAPERS = {
    "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile", "README.md",
    "SECURITY.md", "constraints.txt", "mkdocs.yml", "pyproject.toml",
}  # fmt: skip
"""The files of the project's top folder that belong into a source distribution."""
MADE = {"PKG-INFO", "setup.cfg"}
USED_BY_PEOPLE = ("model", "language", "serve", "postgres")


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        return message_from_bytes(archive.read(f"{DIST_INFO}/METADATA"))


def test_the_wheel_holds_the_packages_and_nothing_else(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    info = {name for name in names if name.startswith(DIST_INFO)}
    assert names - info == {name for package in PACKAGES for name in built.below(package)}
    assert {PurePosixPath(name).relative_to(DIST_INFO).as_posix() for name in info} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt",
    }  # fmt: skip


def test_every_file_beside_modules_is_of_a_kind_that_is_known(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        data = [name for name in archive.namelist() if not name.endswith(".py") and DIST_INFO not in name]
    assert [name for name in data if not any(kind.fullmatch(name) for kind in DATA)] == []
    assert [kind.pattern for kind in DATA if not any(kind.fullmatch(name) for name in data)] == []


def test_the_wheel_is_of_any_python_and_any_machine(built: Built) -> None:
    assert built.wheel.name == f"memory_workbench-{__version__}-py3-none-any.whl"
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_the_wheel_says_what_the_project_says(built: Built) -> None:
    said = metadata_of(built.wheel)
    assert said["Name"] == NAME
    assert said["Version"] == __version__
    assert said["Requires-Python"] == ">=3.11"
    assert said["License-Expression"] == "MIT"
    text = said.get_payload(decode=True)
    assert isinstance(text, bytes)
    assert text.strip() == (built.source / "README.md").read_bytes().strip()
    plain = {str(Requirement(line)) for line in said.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert plain == {str(Requirement(line)) for line in declared()}
    assert set(USED_BY_PEOPLE) < set(said.get_all("Provides-Extra", []))
    with zipfile.ZipFile(built.wheel) as archive:
        entry = archive.read(f"{DIST_INFO}/entry_points.txt").decode()
    assert entry.split() == ["[console_scripts]", "workbench", "=", "workbench.cli:main"]


def test_every_requirement_has_a_lower_bound() -> None:
    loose = [
        line
        for line in declared(*USED_BY_PEOPLE)
        if not any(part.operator in (">=", "==") for part in Requirement(line).specifier)
    ]
    assert loose == []


def test_the_source_distribution_holds_what_testing_and_building_need(built: Built) -> None:
    root = f"memory_workbench-{__version__}/"
    with tarfile.open(built.sdist) as archive:
        members = archive.getmembers()
    assert all(member.isfile() or member.isdir() for member in members)
    names = {member.name.removeprefix(root) for member in members if member.isfile()}
    held = {name for name in names if not name.startswith("memory_workbench.egg-info/")}
    assert (
        held == {name for folder in FOLDERS for name in built.below(folder)} | (PAPERS & built.files) | MADE
    )
    assert built.files >= PAPERS - {"mkdocs.yml"}


def test_a_wheel_of_the_checkout_and_one_of_the_source_distribution_are_equal(
    built: Built, tmp_path: Path
) -> None:
    for name in built.files:
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built.source / name, tmp_path / "source" / name)
    build(tmp_path / "source", tmp_path / "dist", "--wheel")
    (direct,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(direct) as one, zipfile.ZipFile(built.wheel) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
        assert [name for name in one.namelist() if one.read(name) != other.read(name)] == []


def imported() -> Iterator[tuple[str, str]]:
    """Each module of somebody else that is imported, and where."""
    for package in PACKAGES:
        for path in sorted((PROJECT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names = [node.module]
                else:
                    continue
                for name in names:
                    top = name.partition(".")[0]
                    if top not in PACKAGES and top not in sys.stdlib_module_names:
                        yield top, path.relative_to(PROJECT).as_posix()


def test_every_library_that_is_imported_is_declared() -> None:
    """One that only comes along with another may be gone with its next version."""
    extras = [name for name in _extras() if name != "test"]
    known = {canonicalize_name(Requirement(line).name) for line in declared(*extras)}
    owners = packages_distributions()
    found = list(imported())
    assert len({top for top, _ in found}) > 15
    missing = {
        (top, where)
        for top, where in found
        if not {canonicalize_name(owner) for owner in owners.get(top, [top])} & known
    }
    assert missing == set()


def _extras() -> list[str]:
    import tomllib

    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"])


def test_building_warns_of_nothing(built: Built) -> None:
    assert "Warning" not in built.printed
    assert "would be ignored" not in built.printed


def test_make_run_installs_what_running_needs_and_no_more(tmp_path: Path) -> None:
    """Neither the tests' tools nor those of a fleet; with them a first run is half a gigabyte longer."""
    copy_sources(tmp_path / "source")

    def planned(goal: str) -> str:
        make = ["make", "--dry-run", "--no-print-directory", goal]
        return subprocess.run(
            make, cwd=tmp_path / "source", capture_output=True, text=True, check=True
        ).stdout

    assert "--editable '.[model]'" in planned("run")
    assert ",test]" not in planned("run")
    assert "workbench demo" in planned("run")
    for goal in ("test", "check", "docs", "dist", "setup"):
        assert "--editable '.[model,test]'" in planned(goal)
