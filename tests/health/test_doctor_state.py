"""The folder, the disk, the settings and the machine: found, and repaired where that is ours to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.health.conftest import Ward, said_by
from tests.indexing.test_read_only import mounted_read_only, unprivileged
from tests.support import forked
from tests.support.ledgers import forge
from tests.support.workspaces import LOG, Sandbox
from workbench.errors import UsageError
from workbench.health.finding import Finding
from workbench.health.machine_checks import libraries
from workbench.health.subject import CheckSubject
from workbench.health.workspace_checks import ledger as ledger_check
from workbench.health.workspace_checks import repository
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

Treat = Callable[..., list[Finding]]
NOBODY = 65_534
PROJECT = Path(__file__).parents[2]


@pytest.mark.promise(
    "Doctor",
    "derived files can be read by others, or belong to another user",
    "access is restricted; ownership is restored",
)
@pytest.mark.parametrize("what", [".", "index", "index/gen-1", "index.lock"])
def test_what_others_may_read_is_closed(ward: Ward, treated: Treat, what: str) -> None:
    path = ward.state / what
    path.chmod(0o755)
    (finding,) = ward.findings("permissions")
    assert "0755" in finding.what
    treated("0755")
    assert path.stat().st_mode & 0o077 == 0


def test_a_link_in_the_place_of_the_state_folder_is_named(ward: Ward, tmp_path: Path) -> None:
    (ward.state).rename(tmp_path / "elsewhere")
    ward.state.symlink_to(tmp_path / "elsewhere")
    (finding,) = ward.findings("permissions")
    assert "is a link" in finding.what


@pytest.mark.promise("The index", "the index folder or the cache of vectors is a link")
@pytest.mark.parametrize("name", ["index", "index/gen-1/lexical", "embeddings.sqlite", "set-aside"])
def test_a_link_among_derived_files_is_removed_and_not_what_it_leads_to(
    ward: Ward, treated: Treat, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    if (ward.state / name).exists():
        (ward.state / name).rename(elsewhere)
    else:
        elsewhere.mkdir()
        (elsewhere / "letter.txt").write_text("nobody else's")
    before = sorted(elsewhere.rglob("*"))
    (ward.state / name).symlink_to(elsewhere)
    (finding,) = ward.findings("permissions")
    assert finding.what.endswith("is a link")
    treated("is a link")
    assert sorted(elsewhere.rglob("*")) == before
    ward.reindex()
    assert ward.answers()["staging port"]


@pytest.mark.promise("Doctor", "derived files can be read by others, or belong to another user")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_given_back(ward: Ward, treated: Treat) -> None:
    for path in (ward.index, *ward.index.rglob("*"), ward.state / "index.lock"):
        os.chown(path, NOBODY, NOBODY)
    (finding,) = ward.findings("owner")
    assert "another user" in finding.what
    treated("another user")
    assert {path.stat().st_uid for path in ward.state.rglob("*")} == {os.geteuid()}


@pytest.mark.promise("Doctor", "a full disk, a disk without free inodes, a read-only disk")
def test_a_read_only_disk_is_named_and_nothing_is_tried(ward: Ward) -> None:
    with mounted_read_only(ward.root):
        (finding,) = ward.findings("disk")
        assert "read-only" in finding.what
        assert ward.findings("words", "manifest", "locks") == []
        ward.fix()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes, and of few files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=200", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system may not be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.promise("Doctor", "a full disk, a disk without free inodes, a read-only disk", "reported")
def test_a_full_disk_is_named(ward: Ward, small_disk: Path) -> None:
    (small_disk / "MEMORY.md").write_text("# Memory\n")
    ward.sandbox.root = small_disk
    found = [finding.what for finding in ward.findings("disk")]
    assert "the disk is full: 2 MB are free" in found
    assert any("more files" in what for what in found)


@pytest.mark.promise(
    "Doctor",
    "settings cannot be read; a key in them can be read by others",
    "reported, and all else is checked; access is restricted",
)
@pytest.mark.parametrize("text", ["memory_budget: [", "exlude: [a]\n", "model: x\n", "\xff"])
def test_settings_that_are_wrong_are_a_finding_and_all_else_is_looked_at(ward: Ward, text: str) -> None:
    (ward.root / "workbench.yaml").write_bytes(text.encode("latin-1"))
    (finding,) = ward.findings("settings")
    assert "workbench.yaml" in finding.what
    assert "no command works" in finding.meaning
    assert ward.findings() == [finding]


def test_the_command_works_where_the_settings_are_what_is_wrong(ward: Ward) -> None:
    (ward.root / "workbench.yaml").write_text("theme: light\n")
    done = forked.run_text("doctor", cwd=ward.root)
    assert done.returncode == 4
    assert "workbench.yaml:1: 'theme' is ignored" in done.stdout


@pytest.mark.parametrize(
    ("text", "what", "meaning"),
    [
        ("memory_budgit: 5\n", "workbench.yaml:1: 'memory_budgit' is ignored", "all other settings apply"),
        ("# a\nkey: 5\n", "workbench.yaml:2: 'key' is ignored", "all other settings apply"),
        ("memory_budget: much\n", "workbench.yaml:1: memory_budget must be", "writing is refused"),
    ],
)
def test_what_does_not_count_is_told_by_file_line_and_name(
    ward: Ward, text: str, what: str, meaning: str
) -> None:
    (ward.root / "workbench.yaml").write_text(text)
    (finding,) = ward.findings("settings")
    assert what in finding.what
    assert meaning in finding.meaning


@pytest.mark.promise("Doctor", "settings cannot be read; a key in them can be read by others")
def test_a_key_that_others_can_read_is_closed(ward: Ward, treated: Treat) -> None:
    ward.settings.write_text("model: none\nembedding:\n  key: abc\n")
    ward.settings.chmod(0o644)
    (finding,) = ward.findings("settings")
    assert "holds a key" in finding.what
    assert "abc" not in finding.what
    treated("holds a key")
    assert ward.settings.stat().st_mode & 0o777 == 0o600


def test_a_key_in_the_file_of_the_workspace_is_named_and_not_shown(ward: Ward) -> None:
    key = "sk-proj-" + "A1b2C3d4" * 6
    (ward.root / "workbench.yaml").write_text(f"# {key}\nmemory_budget: 10\n")
    (finding,) = ward.findings("settings")
    assert "create a new key" in finding.do
    assert key not in f"{finding.what} {finding.meaning} {finding.do}"


def test_settings_without_a_key_may_be_read_by_anybody(ward: Ward) -> None:
    ward.settings.chmod(0o644)
    assert ward.findings("settings") == []


def test_the_libraries_are_those_that_were_tested(ward: Ward) -> None:
    seen, findings = said_by(libraries(CheckSubject.open(ward.root)))
    assert "tantivy" in seen
    assert "torch" in seen, "what an extra brought counts too"
    assert "pytest" not in seen, "what only tests need is not asked for"
    assert findings == []


def test_a_library_of_another_version_is_named(ward: Ward, tmp_path: Path) -> None:
    """A real distribution of that name and version, found before the installed one."""
    info = tmp_path / "site" / "tantivy-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tantivy\nVersion: 0.1\n")
    sys.path.insert(0, str(tmp_path / "site"))
    try:
        (finding,) = ward.findings("libraries")
    finally:
        sys.path.remove(str(tmp_path / "site"))
    assert "tantivy 0.1 is not among the versions that were tested" in finding.what
    assert "pip install" in finding.do


def test_without_git_the_finding_says_what_still_works(
    ward: Ward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = ward.findings("git", "repository")
    assert "git was not found" in found[0].what
    assert "browsing and searching work" in found[0].meaning


def test_a_locale_that_is_not_utf8_is_named(ward: Ward) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-m", "workbench", "doctor", "--json"],
        cwd=ward.root,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "not UTF-8" in done.stdout


WATCHING = """
import sys; from pathlib import Path
from workbench.health.subject import CheckSubject
from workbench.health.machine_checks import watching
(Path("/proc/sys/user") / sys.argv[2]).write_text(sys.argv[3])
_, *findings = watching(CheckSubject.open(Path(sys.argv[1])))
for finding in findings:
    print(finding.what, "|", finding.do)
"""


@pytest.mark.promise(
    "Doctor", "inotify is exhausted: watches or instances", "reported, with the command that helps"
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        ("max_inotify_watches", "2", "only 2 of"),
        ("max_inotify_instances", "0", "no more file watches"),
    ],
)
def test_exhausted_inotify_is_found_with_the_line_that_helps(
    ward: Ward, limit: str, most: str, said: str
) -> None:
    """In a name space of its own, where the limit is really lowered."""
    own = ["unshare", "--user", "--map-root-user"]
    try:
        if subprocess.run([*own, "true"], capture_output=True, check=False).returncode:
            pytest.skip("no name space may be made here")
    except FileNotFoundError:
        pytest.skip("unshare is not installed")
    done = subprocess.run(
        [*own, sys.executable, "-c", WATCHING, str(ward.root), limit, most],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "Permission denied" in done.stderr or "Read-only" in done.stderr:
        pytest.skip("the limit may not be lowered here")
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert "sudo sysctl fs.inotify.max_user_" in done.stdout


def test_watching_asks_for_no_more_than_the_folders_of_memory(ward: Ward) -> None:
    for name in range(40):
        (ward.root / "node_modules" / str(name)).mkdir(parents=True)
    assert int(ward.outcomes("watching")["watching"].seen.split()[0]) < 15


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_workspace_of_somebody_else_is_looked_at_as_far_as_that_goes(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
) -> None:
    ward.outcomes()  # what is loaded later could not be read
    with tempfile.TemporaryDirectory(prefix="shared-") as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("WORKBENCH_CONFIG", f"{folder}/settings.yaml")
        Path(folder, "settings.yaml").write_text("model: none\n")
        monkeypatch.setenv("HOME", folder)
        shutil.copytree(ward.root, Path(folder) / "workspace")
        ward.sandbox.root = Path(folder) / "workspace"
        before = sorted(ward.state.rglob("*"))
        with unprivileged():
            found = ward.outcomes(fix=True)
        said = [finding for outcome in found.values() for finding in outcome.findings]
        assert any("cannot be read" in finding.what for finding in said)
        assert not any("check itself failed" in finding.what for finding in said), said
        assert sorted(ward.state.rglob("*")) == before


def test_lines_of_the_ledger_that_nobody_can_read_are_named(ward: Ward) -> None:
    assert ward.findings("ledger") == []
    folder = ward.root / "_system/ledger"
    folder.mkdir(parents=True)
    (folder / "decisions-2026-03.jsonl").write_text('{"key": "a"}\n<<<<<<< HEAD\n{"key": "b"}\n{"cut')
    (finding,) = ward.findings("ledger")
    assert "_system/ledger/decisions-2026-03.jsonl (2)" in finding.what
    assert ward.outcomes("ledger")["ledger"].seen == "2 records"


def test_a_page_of_the_ledger_that_is_none_is_a_finding_and_no_failure(ward: Ward) -> None:
    (ward.root / "_system/ledger/recalls-2026-03.jsonl").mkdir(parents=True)
    (finding,) = ward.findings("ledger")
    assert "recalls" in finding.what


def test_a_ledger_of_which_git_has_lost_something_is_a_finding_that_names_fsck(ward: Ward) -> None:
    forge(ward.sandbox, "fetched/origin", {"decisions": ['{"record": "a", "key": "x"}']})
    ledger = ward.sandbox.workspace.ledger
    ledger.confirm(ledger.foreign())
    blob = ward.sandbox.git("rev-parse", f"{ledger.reference}:decisions.jsonl").strip()
    (ward.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    found = ward.findings("ledger")
    assert ["decisions" in finding.what and "git fsck" in finding.do for finding in found] == [True]


@pytest.mark.parametrize("agreed", [True, False])
def test_a_ledger_from_elsewhere_is_shown_book_by_book_before_it_is_taken_over(
    ward: Ward, agreed: bool
) -> None:
    """A decision cannot hide behind a record of another book that is called the same."""
    lines = {
        "decisions": ['{"record": "a", "key": "rejected by nobody"}'],
        "skips": ['{"record": "a", "why": "harmless"}'],
    }
    forge(ward.sandbox, "fetched/origin", lines)
    shown: list[str] = []

    def agree(plan: Plan) -> bool:
        shown.append(plan.diff())
        return agreed

    place = CheckSubject.open(ward.root)
    place.agree = agree
    (finding,) = (one for one in said_by(ledger_check(place))[1] if "fetched or cloned" in one.what)
    assert finding.repair is not None
    if agreed:
        assert finding.repair() == "2 records taken over"
    else:
        with pytest.raises(UsageError):
            finding.repair()
    assert "rejected by nobody" in shown[0]
    assert "harmless" in shown[0]
    taken = [record["key"] for record in place.workspace.ledger.read("decisions")]
    assert taken == (["rejected by nobody"] if agreed else [])
    place.close()


def test_a_partial_clone_says_what_is_not_here_and_the_command_brings_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.write(LOG, "- other words\n")
    sandbox.commit("the words of before are left out of the clone")
    there, clone = tmp_path / "there.git", tmp_path / "clone"
    sandbox.git("clone", "-q", "--bare", str(sandbox.root), str(there))
    sandbox.git("-C", str(there), "config", "uploadpack.allowFilter", "true")
    sandbox.git("clone", "-q", "--filter=blob:none", there.as_uri(), str(clone))
    with closing(Workspace.open(clone)) as place:
        _, (finding,) = said_by(repository(CheckSubject(place)))
        assert finding.what == "only origin has 1 object of the newest 100 commits"
        command = finding.do.split("`")[1].split()
        subprocess.run([*command], cwd=clone, check=True, capture_output=True)
        assert said_by(repository(CheckSubject(place)))[1] == []
