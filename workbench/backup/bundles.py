"""Bundle files: their headers, and the numbered chain of them in a folder.

``memory-0001-full.bundle`` begins a chain, ``memory-0002.bundle`` holds what came since, and so on; a later
full one begins another chain. ``SHA256SUMS`` (as ``sha256sum -c`` reads it) names every bundle that must be
there. Nothing in the folder is ever removed or written over.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from workbench.backup.targets import LEDGERS, Target, find_target, ledgers_of
from workbench.errors import BackupError, BusyError, RepositoryStateError, UsageError
from workbench.frozen import frozen, frozen_kw_only
from workbench.repository.git_runner import ask, is_ancestor
from workbench.repository.objects import CommitId
from workbench.temporary import locked
from workbench.workspace import files
from workbench.workspace.state_files import read_state, write_state
from workbench.workspace.workspace import Workspace

SUMS = "SHA256SUMS"
TEMPORARY = ".wb-"
_NAME = re.compile(r"memory-(\d{4,})(-full)?\.bundle", re.ASCII)
_SUM = re.compile(r"([0-9a-f]{64}) [ *](memory-\d{4,200}(?:-full)?\.bundle)", re.ASCII)
_MAGIC = {b"# v2 git bundle\n", b"# v3 git bundle\n"}
_HEADER_BYTES = 1 << 20


@frozen
class Header:
    """What a bundle says it holds: one branch with its commit, built on commits that must be there.

    ``ledgers`` are the references of ledgers, with their commits.
    """

    branch: str
    commit: CommitId
    needs: tuple[str, ...]
    algorithm: str
    ledgers: Mapping[str, str]


def read_header(path: Path) -> Header:
    """The header of a bundle. Raises BackupError for anything else."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES).partition(b"\n\n")[0] + b"\n"
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}") from error
    first, _, rest = head.partition(b"\n")
    if first + b"\n" not in _MAGIC:
        raise BackupError(f"{path} is not a git bundle, or its header is damaged")
    lines = os.fsdecode(rest).removesuffix("\n").split("\n")
    algorithm = next((line[15:] for line in lines if line.startswith("@object-format=")), "sha1")
    needs = tuple(line[1:].partition(" ")[0] for line in lines if line.startswith("-"))
    rows = (line.partition(" ") for line in lines if not line.startswith(("@", "-")))
    refs = {ref: name for name, _, ref in rows}
    branches = [ref for ref in refs if ref.startswith("refs/heads/")]
    if len(branches) != 1 or algorithm not in ("sha1", "sha256"):
        raise BackupError(
            f"{path} holds {len(branches)} branches; a backup holds one",
            hint="for a bundle that you made yourself: git clone FILE DIR",
        )
    branch = branches[0]
    ledgers = {ref: name for ref, name in refs.items() if ref.startswith(LEDGERS)}
    return Header(branch.removeprefix("refs/heads/"), CommitId(refs[branch]), needs, algorithm, ledgers)


def write_bundle(carrier: Any, path: Path, branch: str, basis: CommitId | None) -> None:
    """What the branch has since ``basis`` (None: all of it), flushed to the disk. Raises BackupError.

    The ledgers are always whole in it.
    """
    path.unlink(missing_ok=True)
    try:
        tip = ask(carrier, "rev_parse", f"refs/heads/{branch}").decode().strip()
        # A bundle without anything new on its branch would not name the branch: its last commit comes again.
        since = (f"^{basis}^@" if basis == tip else f"^{basis}",) if basis else ()
        saved = ("HEAD", f"refs/heads/{branch}", *ledgers_of(carrier))
        ask(carrier, "bundle", "create", "--quiet", os.fspath(path), *saved, *since)
        with path.open("rb") as file:
            os.fsync(file.fileno())
    except (RepositoryStateError, OSError) as error:
        path.unlink(missing_ok=True)
        raise BackupError(
            f"the bundle could not be written: {error}", hint="check the free space; `git fsck` shows more"
        ) from error


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other backups, of whichever workspace, out of a folder; what a killed one left there is removed.

    The lock is on the folder itself, so it leaves no file. Raises BusyError, OSError.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(folder.resolve()))
        except BlockingIOError:
            raise BusyError(
                f"another backup to {folder} is being made", hint="try again when it has finished"
            ) from None
        for left in unfinished(folder):
            left.unlink()
        yield


def unfinished(folder: Path) -> list[Path]:
    """Bundles that are being written, or were when their backup was killed, with git's own locks on them."""
    return sorted(folder.glob(f"{TEMPORARY}*.bundle.tmp*"))


def put_in_place(fresh: Path, final: Path) -> None:
    """Give a finished bundle its name, durably; never over another file."""
    folder = os.open(final.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        files.place(folder, fresh.name, final.name)
        os.fsync(folder)
    finally:
        os.close(folder)


class BundleChain:
    """The newest chain of bundles in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sums = self._read_sums()
        there = [name for name in os.listdir(folder) if _NAME.fullmatch(name)] if folder.is_dir() else []
        self._names = sorted({*there, *self._sums}, key=_number)
        starts = [at for at, name in enumerate(self._names) if "-full" in name]
        self.bundles = [folder / name for name in (self._names[starts[-1] :] if starts else self._names)]

    def ledgers(self) -> dict[str, str]:
        """The references of ledgers that its bundles restore, with their commits. Raises BackupError."""
        return {name: at for path in self.bundles for name, at in read_header(path).ledgers.items()}

    def fault(self) -> str:
        """What is wrong with the chain, in words; empty when it is whole as far as its books say."""
        for before, path in zip([None, *self.bundles], self.bundles, strict=False):
            if not path.is_file():
                return f"{path.name} is missing"
            if not before and "-full" not in path.name:
                return f"what {path.name} is built on is missing"
            if before and _number(path.name) != _number(before.name) + 1:
                return f"what was between {before.name} and {path.name} is missing"
            if path.name in self._sums and self._sums[path.name] != digest(path):
                return f"{path.name} is damaged"
        return ""

    def next_path(self, *, full: bool) -> Path:
        """The name of the bundle that comes next."""
        number = _number(self._names[-1]) + 1 if self._names else 1
        return self.folder / f"memory-{number:04}{'-full' if full else ''}.bundle"

    def enter(self, paths: Iterable[Path]) -> None:
        """Name bundles that are in place, and known to be whole, in the books."""
        sums = self._read_sums()
        known = {path.name: digest(path) for path in paths if path.name not in sums} | sums
        fresh = self.folder / f"{TEMPORARY}{SUMS}.tmp"
        with fresh.open("w", encoding="ascii") as file:
            file.writelines(f"{known[name]}  {name}\n" for name in sorted(known, key=_number))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.folder / SUMS)

    def _read_sums(self) -> dict[str, str]:
        with contextlib.suppress(OSError):
            text = (self.folder / SUMS).read_text(encoding="ascii", errors="replace")
            return {found[2]: found[1] for line in text.splitlines() if (found := _SUM.fullmatch(line))}
        return {}


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _number(name: str) -> int:
    found = _NAME.fullmatch(name)
    return int(found[1]) if found else 0


_BOOK = "backups.json"
_MAX_BYTES = 100_000


@frozen_kw_only
class LastBackup:
    """The last backup: where it is, which commit it holds, and when it was made (ISO 8601).

    ``own``: it may hold a history that is kept apart from any repository. This is noted in
    ``.workbench/backups.json``. Losing the note costs nothing else: what a chain of bundles holds is read
    from the bundles themselves.
    """

    target: str
    commit: str
    when: str
    own: bool = False


def remembered(workspace: Workspace) -> LastBackup | None:
    """The last backup of this workspace, or None when none is known."""
    try:
        return msgspec.convert(read_state(workspace.state_path / _BOOK, _MAX_BYTES), LastBackup)
    except msgspec.ValidationError:
        return None


def find_or_repeat(workspace: Workspace, said: str | None, *, own: bool = False) -> Target:
    """What a person means by ``said``; where that is None, where the last backup went. Raises UsageError.

    ``own``: the person named the history that is kept apart from any repository, now or for the last one.
    """
    if said is not None:
        return replace(find_target(said, workspace.history), own=own)
    if last := remembered(workspace):
        return replace(find_target(last.target), own=own or last.own)
    raise UsageError(
        "no backup has been made yet, so there is none to repeat",
        hint="set a target once: workbench backup DIR, FILE.bundle or a git remote",
    )


def operations_since(workspace: Workspace, last: LastBackup) -> int | None:
    """How many commits came after a backup; None when it is not part of this history any more."""
    try:
        if not is_ancestor(workspace.history.carrier, last.commit, "HEAD"):
            return None
        out = ask(workspace.history.carrier, "rev_list", "--count", f"{last.commit}..HEAD", "--")
    except RepositoryStateError:
        return None
    return int(out)


def remember(workspace: Workspace, target: Target, commit: CommitId) -> None:
    """Note that ``commit`` is saved in ``target``. Raises OSError."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    note = LastBackup(target=target.place, commit=commit, when=made, own=target.own)
    write_state(workspace.state_dir() / _BOOK, asdict(note))


def basis_of(workspace: Workspace, target: Target, head: CommitId) -> tuple[CommitId | None, str]:
    """The commit that the newest chain ends with, if it can be gone on with; else why not.

    Raises BackupError where the chain is of another memory.
    """
    chain = BundleChain(Path(target.place))
    if not chain.bundles:
        return None, ""
    if fault := chain.fault():
        return None, f"{fault}: so a full backup is made"
    try:
        tip = read_header(chain.bundles[-1]).commit
    except BackupError as error:
        return None, f"{error.message}: so a full backup is made"
    carrier = workspace.history.carrier
    if is_ancestor(carrier, tip, head):
        return tip, ""
    last = remembered(workspace)
    is_here = is_ancestor(carrier, tip, tip)
    if not is_here and (not last or last.commit != tip):
        raise BackupError(
            f"{target.shown} holds the backup of another memory, or of commits that are not here",
            hint="use another folder, or start a new chain in this one with --full: nothing is removed",
        )
    return None, "the history was rewritten since the last backup: so a full backup is made"
