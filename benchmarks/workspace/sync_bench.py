"""How long a sync takes, measured on a copy of the workspace: one with nothing new, and one of a file."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.workspace.stopwatch import Times, times
from indexing.embedding.choice import ModelChoice
from indexing.sync.generations import CACHE_FILE, RACY_NS, Generations
from indexing.sync.run import reindex
from workbench.errors import WorkbenchError
from workbench.temporary import scratch
from workbench.workspace.layout import STATE_DIR
from workbench.workspace.workspace import Workspace

MOST_BYTES = 2 << 30
"""A larger index is not copied."""
_RUNS = 5
_ROOM = 3
"""The disk must have room for the copy so many times over."""


@dataclass(slots=True)
class SyncTimes:
    """Times by what was synced; ``left_out`` says what was not, and why."""

    times: dict[str, Times] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def sync_times(
    workspace: Workspace, *, seconds: float, vectors: bool, model: ModelChoice | None = None
) -> SyncTimes:
    """Copy the workspace with its index, and sync the copy until ``seconds`` are over. Writes nothing here.

    Extra paths and transcripts are not part of the copy, and are not indexed in it.
    """
    found = SyncTimes()
    size = _size(workspace)
    with scratch("bench") as place:
        free = shutil.disk_usage(place).free
        if size > MOST_BYTES or free < _ROOM * size:
            found.left_out["sync"] = f"a copy would take {size / 1e6:,.0f} MB"
            return found
        try:
            copy = _copied(workspace, place / "copy")
            # The copy's files are new: the first run reads all of them, and none trusts so young a stamp.
            time.sleep(RACY_NS / 1e9)
            reindex(copy, vectors=False)
            found.times |= _measured(copy, seconds, vectors=vectors, model=model)
        except (WorkbenchError, OSError) as error:
            found.left_out["sync"] = str(error)
    return found


def _measured(
    copy: Workspace, seconds: float, *, vectors: bool, model: ModelChoice | None
) -> Iterator[tuple[str, Times]]:
    end = time.perf_counter() + seconds
    target = max(copy.scan(), key=lambda file: (file.path.startswith("memory/"), file.path))

    def timed(name: str, with_vectors: bool) -> tuple[str, Times] | None:
        out = []
        for run in range(_RUNS):
            if name != "sync, nothing new":
                with (copy.root / target.path).open("a", encoding="utf-8") as file:
                    file.write(f"\n- a line that the bench of run {run} wrote into its copy\n")
            before = time.perf_counter()
            reindex(copy, vectors=with_vectors, model=model)
            out.append((time.perf_counter() - before) * 1e3)
            if time.perf_counter() > end:
                break
        summed = times(out)
        return (name, summed) if summed else None

    for name, with_vectors in (
        ("sync, nothing new", False),
        ("sync, one file, words", False),
        ("sync, one file, with vectors", True),
    ):
        if (not with_vectors or vectors) and (done := timed(name, with_vectors)):
            yield done


def _copied(workspace: Workspace, root: Path) -> Workspace:
    """The memory files and the index in use, with their dates."""
    for file in workspace.scan():
        target = root / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(workspace.root / file.path, target, follow_symlinks=False)
    state = root / STATE_DIR
    state.mkdir(parents=True, mode=0o700)
    current = Generations(workspace.state_path).current()
    if current is not None:
        names = shutil.ignore_patterns("*.lock")  # a lock with two names would be held for both
        copied = state / "index" / current.name
        shutil.copytree(current.folder, copied, symlinks=True, copy_function=_linked, ignore=names)
        (state / "index" / "current").write_text(current.name + "\n", encoding="ascii")
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(workspace.state_path / CACHE_FILE, state / CACHE_FILE)
    own = replace(workspace.settings, extra_paths=(), transcripts=())
    return Workspace(root, own)


def _linked(source: str, target: str) -> None:
    """Engines never rewrite a file of the index, so a second name for it is a copy; books are copied."""
    if not source.endswith(".json"):
        with contextlib.suppress(OSError):
            os.link(source, target)
            return
    shutil.copy2(source, target)


def _size(workspace: Workspace) -> int:
    """Bytes that a copy takes."""
    total = sum(file.size for file in workspace.scan())
    current = Generations(workspace.state_path).current()
    folders = [current.folder] if current else []
    for folder in folders:
        total += sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
    cache = workspace.state_path / CACHE_FILE
    return total + (cache.stat().st_size if cache.is_file() else 0)
