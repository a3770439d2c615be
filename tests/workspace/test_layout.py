"""Which files are memory, and which sort."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.workspaces import Sandbox
from workbench.errors import NotMemoryError
from workbench.memory.entry import Kind
from workbench.workspace.layout import USUAL, Layout, scan


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("MEMORY.md", Kind.MEMORY),
        ("memory.md", Kind.MEMORY),
        ("memory/2026-03-14.md", Kind.LOG),
        ("memory/2026-03-14-talk with sarah.md", Kind.EPISODE),
        ("memory/2026-02-06-2012.md", Kind.EPISODE),
        ("memory/2026-02-15_ATLAS.md", Kind.LOG),
        ("memory/2026-02-31.md", Kind.NOTE),
        ("memory/2026-03-140.md", Kind.NOTE),
        ("memory/projects/atlas.md", Kind.NOTE),
        ("memory/projects/2026-03-14.md", Kind.NOTE),
        ("README.md", Kind.NOTE),
        ("episodes/2026/03/e1.md", Kind.EPISODE),
        ("graph/person/sarah.md", Kind.ENTITY),
        ("_system/dreaming/20260314-consolidated.md", Kind.DREAM),
        ("memory/dreaming/light.md", Kind.DREAM),
        ("DREAMS.md", Kind.DREAM),
        ("_system/archive/2026-03.md", Kind.NOTE),
        ("workspace-context.md", Kind.CONTEXT),
        ("SOUL.md", Kind.BOOTSTRAP),
    ],
)
def test_a_path_says_what_it_is(path: str, kind: Kind) -> None:
    assert USUAL.holds(path)
    assert USUAL.kind_of(path) is kind


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/x/readme.md",
        "memory/node_modules/x.md",
        ".git/x.md",
        "memory/.obsidian/x.md",
        "memory/.wb-1.tmp",
        ".hidden.md",
        "_system/quarantine/q.md",
        "_system/ledger/recalls.jsonl",
        "skills/a.md",
        "src/a.md",
        "MEMORY.json",
    ],
)
def test_what_is_not_memory(path: str) -> None:
    assert not USUAL.holds(path)


def test_patterns_add_and_excluding_wins() -> None:
    layout = Layout(include=("docs/**/*.md",), exclude=("docs/private/**",))
    assert layout.holds("docs/a/b.md")
    assert not layout.holds("docs/private/x.md")
    assert not layout.prunes("docs/a")
    assert layout.prunes("docs/private")
    assert layout.prunes("elsewhere")


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("docs/?.md", "docs/a.md", "docs/a/b.md"),
        ("a?b.md", "a-b.md", "a/b.md"),
        ("a[!c]b.md", "axb.md", "a/b.md"),
        ("a*b.md", "axxb.md", "ax/xb.md"),
        ("docs/**/*.md", "docs/a/b/c.md", "docs/a.txt"),
        ("docs/**/*.md", "docs/c.md", "other/docs/c.md"),
        ("docs/**", "docs/a/b.txt", "docs"),
        ("docs/", "docs/a/b.txt", "docs"),
        ("/docs/*.md", "/docs/a.md", "docs/a.md"),
        ("**/draft.md", "draft.md", "my-draft.md"),
        ("**/draft.md", "a/b/draft.md", "a/draft.md/b.md"),
        ("*.txt", "a.txt", "a/b.txt"),
        ("*a*b*b.md", "xaabcbb.md", "xbab.md"),
        ("a/**/b*/**/c.md", "a/b/x/b1/b2/c.md", "a/x/c.md"),
        ("*m*" * 30 + "Z", "m" * 60 + "Z", "m" * 250 + ".md"),
        ("**/*a*/" * 12 + "z", "aa/" * 50 + "z", "aa/" * 50 + "b"),
        ("[draft", "[draft", "d"),
        ("[z-a].md", "[z-a].md", "z.md"),
        ("[!.md", "[!.md", "a.md"),
        ("#a.md", "#a.md", "a.md"),
        ("!a.md", "!a.md", "a.md"),
        ("a b ", "a b ", "a b"),
        ("a\\*.md", "a\\b.md", "a*.md"),
        ("docs\n/*", "docs\n/a", "docs/a"),
        ("a[+-9]b.md", "a5b.md", "a/b.md"),
        ("[]x].md", "].md", "[.md"),
        ("[^a].md", "^.md", "b.md"),
        ("[[a].md", "[.md", "b.md"),
    ],
)
def test_only_two_asterisks_cross_folders_and_a_pattern_matches_whole_paths(
    pattern: str, inside: str, outside: str
) -> None:
    for layout, path in ((Layout((pattern,), ()), inside), (Layout(("**",), (pattern,)), outside)):
        assert layout.holds(path)
    assert not Layout((pattern,), ()).holds(outside)
    assert not Layout(("**",), (pattern,)).holds(inside)
    folder = inside.rpartition("/")[0]
    assert not folder or not Layout((pattern,), ()).prunes(folder)


def test_patterns_do_not_depend_on_how_python_ends_a_translated_glob() -> None:
    """Python 3.14 ends what ``fnmatch.translate`` returns with ``\\z`` instead of ``\\Z``."""
    code = (
        "import fnmatch; old = fnmatch.translate\n"
        "fnmatch.translate = lambda text: old(text).replace(chr(92) + 'Z', '(?!.)')\n"
        "from workbench.workspace.layout import USUAL\n"
        "assert USUAL.holds('MEMORY.md') and USUAL.holds('memory/a/b.md')\n"
        "assert not USUAL.holds('.git/x.md') and USUAL.prunes('skills')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_a_scan_never_enters_folders_without_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("memory/a/b", "node_modules/deep", "src/deep", ".git/objects"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.md").write_text("x")
    entered: list[str] = []
    real = os.scandir

    def watched(path: str) -> object:
        entered.append(os.path.relpath(path, tmp_path))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", watched)
        assert [file.path for file in scan(tmp_path, USUAL)] == ["memory/a/b/x.md"]
    assert sorted(entered) == [".", "memory", "memory/a", "memory/a/b"]


def test_links_pipes_and_folders_named_like_files_are_not_memory(sandbox: Sandbox) -> None:
    (sandbox.root / "memory/link.md").symlink_to("/etc/passwd")
    (sandbox.root / "memory/loop").symlink_to(".")
    os.mkfifo(sandbox.root / "memory/pipe.md")
    (sandbox.root / "memory/folder.md").mkdir()
    names = [file.path for file in sandbox.workspace.scan()]
    assert names == ["MEMORY.md", "episodes/2026/03/e1.md", "memory/2026-03-14.md"]
    for name in ("memory/link.md", "memory/pipe.md"):
        with pytest.raises(NotMemoryError):
            sandbox.workspace.read(name)


def test_opening_changes_nothing(sandbox: Sandbox) -> None:
    before = {p: p.stat().st_mtime_ns for p in sandbox.root.rglob("*")}
    place = sandbox.workspace
    for file in place.scan():
        place.document(file.path)
    place.history.head()
    assert {p: p.stat().st_mtime_ns for p in sandbox.root.rglob("*")} == before


def test_folders_of_any_depth_are_walked(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("memory", *["d"] * 1_200)
    descriptors = [os.open(tmp_path, os.O_RDONLY)]
    for name in deep.relative_to(tmp_path).parts:
        os.mkdir(name, dir_fd=descriptors[-1])
        descriptors.append(os.open(name, os.O_RDONLY, dir_fd=descriptors[-1]))
        os.close(descriptors.pop(0))
    os.close(os.open("x.md", os.O_WRONLY | os.O_CREAT, dir_fd=descriptors[-1]))
    os.close(descriptors[-1])
    found = [file.path for file in scan(tmp_path, USUAL)]
    subprocess.run(["rm", "-r", tmp_path / "memory"], check=True)  # deeper than Python's own removal goes
    assert found == ["memory/" + "d/" * 1_200 + "x.md"]
