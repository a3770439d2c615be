"""From a backup to a folder: the whole of it, or nothing at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.backup.bundles import BundleChain, read_header
from workbench.backup.targets import (
    DETACHED,
    LEDGERS,
    Target,
    find_target,
    ledgers_of,
    remote_refs,
    without_secret,
)
from workbench.errors import BackupError, NotMemoryError, RepositoryStateError, UsageError, disk_errors
from workbench.frozen import frozen_kw_only
from workbench.memory.entry import RelPath
from workbench.repository.git_runner import ask, network_carrier, outcome
from workbench.repository.objects import CommitId, ObjectReader
from workbench.temporary import scratch
from workbench.workspace.files import Files
from workbench.workspace.layout import STATE_DIR

_STAGE = ".wb-restoring-"
_FOLDER, _LINK, _SUBMODULE = "040000", "120000", "160000"


@frozen_kw_only
class RestoreResult:
    """A repository that was made from a backup. ``files`` were written; ``notes`` say what was not.

    ``ledgers`` are the references of ledgers that came along, with their commits.
    """

    folder: Path
    branch: str
    commit: CommitId
    files: int
    notes: tuple[str, ...]
    ledgers: Mapping[str, str]


def restore(source: str, folder: Path, *, branch: str = "") -> RestoreResult:
    """Make ``folder``, which must be empty or absent, the repository that ``source`` is a backup of.

    ``source`` is a folder of bundles, a bundle, or a remote, of which ``branch`` is taken (else the one that
    its HEAD is on). Raises BackupError for a chain that is not whole, UsageError for a folder that is not
    empty. Whenever it raises, the folder is as it was.
    """
    target = find_target(source)
    if target.kind == "remote":
        return restore_remote(target, folder, branch)
    if branch:
        raise UsageError("a bundle has one branch, so --branch does not apply")
    if target.kind == "file":
        return restore_bundles([Path(target.place)], folder)
    return restore_bundles(_whole_chain(Path(target.place)), folder)


def restore_bundles(bundles: Sequence[Path], folder: Path) -> RestoreResult:
    """Unpack bundles, oldest first. Raises as ``restore`` does."""
    headers = [read_header(path) for path in bundles]
    if headers[0].needs:
        raise BackupError(
            f"{bundles[0].name} contains only what came after an earlier bundle",
            hint="give the folder that contains it",
        )
    last = headers[-1]

    def fill(carrier: Any) -> None:
        for path, header in zip(bundles, headers, strict=True):
            try:
                ask(carrier, "bundle", "verify", "--quiet", os.fspath(path))
                ask(carrier, "bundle", "unbundle", os.fspath(path))
                ask(carrier, "update_ref", f"refs/heads/{last.branch}", header.commit)
                for name, at in header.ledgers.items():
                    ask(carrier, "update_ref", name, at)
            except RepositoryStateError as error:
                raise BackupError(
                    f"{path} is damaged, or does not continue the bundle before it: {error.message}",
                    hint="nothing was restored; an earlier chain of the same folder may be whole",
                ) from error

    return _restored(folder, last.algorithm, last.branch, fill)


def restore_remote(target: Target, folder: Path, branch: str = "") -> RestoreResult:
    """Fetch one branch of a remote. Raises as ``restore`` does."""
    with scratch("restore") as place:
        branches, head = remote_refs(network_carrier(place), target)
    chosen = branch or (head if head in branches else "")
    if not chosen:
        chosen = next(iter(branches)) if len(branches) == 1 else DETACHED
    if chosen not in branches:
        names = ", ".join(sorted(branches)) or "none"
        raise BackupError(
            f"{target.shown} has no branch {chosen}", hint=f"its branches: {names}; choose with --branch"
        )
    ref = f"refs/heads/{chosen}"

    def fill(carrier: Any) -> None:
        try:
            ask(
                carrier,
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-auto-maintenance",
                "--update-head-ok",
                "--",
                target.place,
                f"{ref}:{ref}",
                f"{LEDGERS}*:{LEDGERS}*",
            )
        except RepositoryStateError as error:
            raise BackupError(
                f"{target.shown} could not be fetched: {without_secret(error.message)}", hint=target.help
            ) from error

    return _restored(folder, "sha256" if len(branches[chosen]) == 64 else "sha1", chosen, fill)


def _whole_chain(folder: Path) -> list[Path]:
    chain = BundleChain(folder)
    if not chain.bundles:
        raise BackupError(
            f"{folder} contains no backup", hint="a backup folder has files named memory-0001-full.bundle"
        )
    if fault := chain.fault():
        raise BackupError(
            f"the backup in {folder} is incomplete: {fault}",
            hint="nothing was restored; `workbench restore BUNDLE DIR` takes a single full bundle",
        )
    return chain.bundles


def _restored(folder: Path, algorithm: str, branch: str, fill: Callable[[Any], None]) -> RestoreResult:
    folder = Path(os.path.abspath(folder))
    with disk_errors(), _stage(folder) as stage:
        (stage / ".git").mkdir()
        carrier = network_carrier(stage / ".git")
        ask(carrier, "init", "--quiet", "--template=", f"--object-format={algorithm}")
        ask(carrier, "config", "core.bare", "false")
        fill(carrier)
        ask(carrier, "symbolic_ref", "HEAD", f"refs/heads/{branch}")
        try:
            commit = CommitId(ask(carrier, "rev_parse", "HEAD").decode().strip())
            ledgers = ledgers_of(carrier)
            ask(carrier, "rev_list", "--objects", "--quiet", commit, *ledgers.values())
            ask(carrier, "read_tree", commit)
            files, notes = _lay_out(carrier, stage, commit)
        except RepositoryStateError as error:
            raise BackupError(f"the backup is incomplete: {error.message}") from error
        carrier.set_persistent_git_options(git_dir=stage / ".git", work_tree=stage)
        outcome(carrier, "update_index", "-q", "--refresh")
        os.sync()
        if ledgers:
            notes += ("the backup also has a ledger: `workbench doctor --fix` imports it",)
    return RestoreResult(
        folder=folder, branch=branch, commit=commit, files=files, notes=notes, ledgers=ledgers
    )


@contextlib.contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """A folder to build in that becomes ``folder`` when all went well, and else is gone."""
    there = folder.is_dir()
    if folder.is_symlink() or (folder.exists() and (not there or any(folder.iterdir()))):
        raise UsageError(f"{folder} is not empty", hint="use an empty or new folder")
    if not there:
        folder.parent.mkdir(parents=True, exist_ok=True)
    stage = (folder if there else folder.parent) / f"{_STAGE}{secrets.token_hex(8)}"
    stage.mkdir()
    try:
        yield stage
        if not there:
            stage.rename(folder)
        else:
            for name in sorted(os.listdir(stage), key=lambda name: name == ".git"):
                (stage / name).rename(folder / name)
            stage.rmdir()
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise


def _lay_out(carrier: Any, root: Path, commit: CommitId) -> tuple[int, tuple[str, ...]]:
    """Write the files of a commit as git stores them: no filter, no line ends changed, no link followed."""
    reader = ObjectReader(carrier)
    files = Files(root)
    count, links, notes = 0, [], []
    try:
        out = os.fsdecode(ask(carrier, "ls_tree", "-r", "-z", "--full-tree", commit))
        for record in filter(None, out.split("\0")):
            meta, _, path = record.partition("\t")
            mode, _, name = meta.split(" ")
            if mode == _SUBMODULE:
                notes.append(f"{path} is a submodule, which is not part of this backup")
            elif path.startswith(f"{STATE_DIR}/"):
                notes.append(f"{path} was left out: {STATE_DIR} holds derived files only")
            elif mode == _LINK:
                links.append((path, reader.read(name, "blob")))
            else:
                bits = 0o777 if mode == "100755" else 0o666
                files.lay(RelPath(path), reader.read(name, "blob"), mode=bits)
                count += 1
        for path, target in links:  # last, so that none can stand in the way of a file
            files.lay_link(RelPath(path), target)
    except (NotMemoryError, FileExistsError) as error:
        raise BackupError(f"the backup contains an invalid path: {error}") from error
    finally:
        reader.close()
    return count + len(links), tuple(notes)
