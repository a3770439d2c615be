"""Disks that are really full, limits that are really set, and system calls that really fail."""

from __future__ import annotations

import ctypes
import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.support.actions import contents, promote, scene
from tests.support.workspaces import Sandbox
from workbench.errors import WorkbenchError
from workbench.workspace.workspace import Workspace

FLOOR = 10
_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)
"""Of prctl: who may trace a process, where only its parent may."""
PROJECT = Path(__file__).resolve().parents[2]
PROMOTE = (
    "import sys; from workbench.workspace.workspace import Workspace\n"
    "from tests.support.actions import promote; from workbench.errors import WorkbenchError\n"
    "place = Workspace.open(sys.argv[1])\n"
    "try:\n    place.operations.carry_out(lambda: promote(place))\n"
    "except WorkbenchError as error:\n    sys.exit(3 if error.message and error.hint else 4)\n"
)


def require_whole(sandbox: Sandbox, before: dict[str, bytes], status: str) -> None:
    """After recovery nothing has changed, or the promotion is there whole; and it can be done or undone."""
    place = Workspace.open(sandbox.root)
    place.operations.recover()
    now = contents(sandbox.root)
    changed = [path for path in now.keys() | before.keys() if now.get(path) != before.get(path)]
    assert changed in ([], ["MEMORY.md"])
    if changed:
        assert now["MEMORY.md"].count(b"async reviews") == 1
    else:
        place.operations.carry_out(lambda: promote(place))
        assert b"async reviews" in sandbox.read("MEMORY.md")
    assert sandbox.git("status", "--porcelain") == status
    sandbox.git("fsck", "--strict")
    place.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a file system may not be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.promise(
    "Writing",
    "a small file system is full, then has room again",
    "the action is refused; once there is room, it works",
    by="a real file system",
)
@pytest.mark.parametrize("free", [0, 4096, 16384, 32768, 65536])
def test_on_a_full_disk_an_action_is_refused_and_works_when_there_is_room_again(
    small_disk: Path, free: int
) -> None:
    sandbox = scene(small_disk / "w")
    before, status = contents(sandbox.root), sandbox.git("status", "--porcelain")
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - free))
    place = sandbox.workspace
    refused = None
    try:
        place.operations.carry_out(lambda: promote(place))
    except WorkbenchError as error:
        refused = error
    if refused is not None:
        assert refused.message
        assert refused.hint
        written = (sandbox.root / ".workbench/journal.json").exists()  # and the branch comes next
        assert contents(sandbox.root) == before or written
    else:
        assert free
    filler.unlink()
    require_whole(sandbox, before, status)
    sandbox.close()


@pytest.mark.promise(
    "Writing",
    "a limit on the size of files (RLIMIT_FSIZE)",
    "each file has the old text or the new, never a mixture",
    by="RLIMIT_FSIZE",
)
@pytest.mark.parametrize("limit", [0, 64, 150, 400, 4096])
def test_a_limit_on_the_size_of_files_leaves_the_old_text_or_the_new(tmp_path: Path, limit: int) -> None:
    sandbox = scene(tmp_path / "w")
    before, status = contents(sandbox.root), sandbox.git("status", "--porcelain")

    def bounded() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-B", "-c", PROMOTE, str(sandbox.root)],
        cwd=PROJECT, preexec_fn=bounded, capture_output=True, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode in (0, 3), done.stderr.decode()
    if limit < 400:
        assert done.returncode == 3
    require_whole(sandbox, before, status)
    sandbox.close()


CALLS = (
    "fsync",
    "renameat2",
    "rename",
    "renameat",
    "unlink",
    "unlinkat",
    "mkdir",
    "ftruncate",
    "pwrite64",
    "fchmod",
)


@pytest.mark.promise(
    "Writing",
    "a kill or an I/O error at each real system call",
    "each file has the old text or the new",
    by="`strace -e inject`",
)
@pytest.mark.faults
@pytest.mark.parametrize("faults", [("signal=KILL",), ("error=EIO", "error=ENOSPC")], ids=" ".join)
def test_at_each_real_system_call_a_kill_or_an_error_leaves_files_whole(
    tmp_path: Path, faults: tuple[str, ...], record_property: Callable[[str, object], None]
) -> None:
    """The kernel itself fails the Nth call of each kind; faults of one sort take turns from call to call."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    template = scene(tmp_path / "template")
    before, status = contents(template.root), template.git("status", "--porcelain")
    template.close()
    turns = itertools.cycle(faults)
    seen = traced(template.root, tmp_path, f"trace={','.join(CALLS)}")
    made = Counter(line.partition("(")[0] for line in seen)
    moments = [(call, 1 + at) for call in CALLS for at in range(made[call])]
    struck = 0
    for call, moment in moments:
        sandbox = Sandbox.__new__(Sandbox)
        sandbox.root = tmp_path / "struck"
        inject = f"inject={call}:{next(turns)}:when={moment}"
        lines = traced(template.root, tmp_path, f"trace={call}", inject, keep=sandbox.root)
        struck += any("INJECTED" in line or "killed by SIGKILL" in line for line in lines)
        require_whole(sandbox, before, status)
        shutil.rmtree(sandbox.root)
    assert struck >= FLOOR
    record_property("failpoints", struck)


def traced(template: Path, folder: Path, *expressions: str, keep: Path | None = None) -> list[str]:
    """The calls of a promotion in a copy of ``template``, which is left where ``keep`` says."""
    root, trace = keep or folder / "copy", folder / "trace"
    shutil.copytree(template, root)
    child = os.fork()
    if child == 0:
        _promote_when_traced(root)
    os.waitpid(child, os.WUNTRACED)
    words = (word for one in expressions for word in ("-e", one))
    tracer = subprocess.Popen(
        ["strace", "-qq", "-o", trace, *words, "-p", str(child)], stderr=subprocess.PIPE, text=True
    )
    while _tracer_of(child) != tracer.pid and tracer.poll() is None:
        time.sleep(0.001)
    os.kill(child, signal.SIGCONT if tracer.poll() is None else signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    _, said = tracer.communicate()
    if "ptrace" in said:
        pytest.skip("no process may be traced here")
    assert os.waitstatus_to_exitcode(status) in (0, 3, -signal.SIGKILL), said
    return trace.read_text().splitlines()


def _promote_when_traced(root: Path) -> NoReturn:
    """In a process of its own: promote once somebody traces it and lets it go on."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(_SET_PTRACER, _ANYBODY, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        place = Workspace.open(root)
        try:
            place.operations.carry_out(lambda: promote(place))
            code = 0
        except WorkbenchError as error:
            code = 3 if error.message and error.hint else 4
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def _tracer_of(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("TracerPid:")[2].split()[0])
