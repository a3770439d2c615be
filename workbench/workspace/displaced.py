"""Files that were replaced, kept for a while because another writer may still hold them open.

A program that opened a log before we exchanged it goes on writing into the old file. That file is kept
in ``.workbench/displaced/`` with a note of the bytes that are known; whatever is added to it is carried
over to the file that took its place. A file with text that is in no known version is never deleted: it
goes to ``.workbench/conflicts/`` for the person to look at.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from workbench.errors import ReadOnlyError, WorkbenchError, WriteFailedError
from workbench.memory.names import RelPath
from workbench.workspace.files import Files
from workbench.workspace.journal import read_own

GRACE_SECONDS = 3600.0
"""How long a displaced file is watched for late writes."""
_SETTLED_SECONDS = 2.0
_MOST_OF_NAME = 200
"""Bytes of a conflict's name: file systems take 255, and its note's is longer."""
"""How old a change must be for its time to tell it from another one: clocks of file systems are coarse."""


@dataclass(frozen=True, slots=True)
class _Note:
    """What is known of a kept file: whose it was, how many of its bytes and their SHA-256, since when.

    While late bytes are being carried over, ``carrying`` says how many, and ``target`` and
    ``target_digest`` what their file held before: after a kill that tells whether they arrived.
    """

    path: RelPath
    known: int
    digest: str
    since: float
    carrying: int = 0
    target: int = 0
    target_digest: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another writer's text that is in no version of any memory file.

    ``kept`` is the file that holds it, ``path`` the memory file that it was written for (None when that is
    not known any more), ``since`` the moment at which it was found (seconds since 1970).
    """

    kept: Path
    path: RelPath | None
    since: float

    def text(self) -> bytes:
        """The bytes that are kept."""
        return read_own(self.kept)


_Stamp = tuple[tuple[int, int, int, int], ...]
"""Inode, size, and times of change of a kept file and of its note."""


class Displaced:
    """The kept files of one workspace."""

    def __init__(self, files: Files, state: Path) -> None:
        self._files = files
        self._folder = state / "displaced"
        self._conflicts = state / "conflicts"
        self._as_known: dict[str, tuple[_Stamp, float]] = {}
        """The kept files that held what their notes say, each with when it was changed last, and until when
        it is watched: after an hour of work they are hundreds, and every action looks through them."""

    def keep(self, path: RelPath, name: str, known: bytes | None) -> None:
        """Take the file ``name`` out of the folder of ``path``; it starts with the bytes ``known``.

        None says that its text is foreign and must be shown to the person.
        """
        if known is None:
            self._files.rename(path, name, self._conflicts, self._conflict_name(path, name))
            return
        _make(self._folder)
        self._write_note(name, _Note(path, len(known), _digest(known), time.time()))
        try:
            self._files.rename(path, name, self._folder, name)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            raise WriteFailedError(
                f"{path} is on another file system than {self._folder.parent}; nothing was changed",
                hint="open the folder that is mounted there as a workspace of its own",
            ) from error

    def fetch(self, path: RelPath, name: str) -> None:
        """Put a kept file beside ``path`` again; ``sweep`` drops what was noted of it."""
        self._files.fetch(path, self._folder, name)

    def conflicts(self) -> tuple[Conflict, ...]:
        """What the person should look at, the oldest first."""
        if self._conflicts.is_symlink() or not self._conflicts.is_dir():
            return ()
        kept = [path for path in self._conflicts.iterdir() if path.suffix != ".json"]
        return tuple(sorted(map(_conflict, kept), key=lambda conflict: (conflict.since, conflict.kept.name)))

    @staticmethod
    def drop(conflict: Conflict) -> None:
        """Remove what was looked at, and is stored elsewhere."""
        conflict.kept.unlink(missing_ok=True)
        _beside(conflict.kept).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Carry late bytes over; drop files whose time is up."""
        if self._folder.is_symlink():
            return  # not made by us: nothing in there is ours
        for note_path in sorted(self._folder.glob("*.json")):
            name = note_path.name.removesuffix(".json")
            stamp = self._stamp(name)
            if self._is_as_known(name, stamp):
                continue
            try:
                note = _Note(**json.loads(read_own(note_path)))
                content = read_own(self._folder / name)
            except FileNotFoundError:  # the note of a file that never arrived
                note_path.unlink(missing_ok=True)
                continue
            except (ValueError, TypeError, OSError):
                continue  # not ours to judge: keep it
            with contextlib.suppress(WorkbenchError, OSError):  # its place takes it not now: keep it
                self._sweep_one(name, note, content)
                if len(content) == note.known and not note.carrying and stamp is not None:
                    self._as_known[name] = stamp, note.since + GRACE_SECONDS

    def _stamp(self, name: str) -> _Stamp | None:
        """When a kept file and its note were changed last; None where that is too fresh to go by."""
        try:
            found = [os.lstat(self._folder / each) for each in (name, f"{name}.json")]
        except OSError:
            return None
        age = time.time() - max(max(one.st_mtime, one.st_ctime) for one in found)
        if not _SETTLED_SECONDS < age < GRACE_SECONDS:
            return None
        return tuple((one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in found)

    def _is_as_known(self, name: str, stamp: _Stamp | None) -> bool:
        known = self._as_known.get(name)
        if known is not None and stamp == known[0] and time.time() < known[1]:
            return True
        self._as_known.pop(name, None)
        return False

    def _sweep_one(self, name: str, note: _Note, content: bytes) -> None:
        if _digest(content[: note.known]) != note.digest:  # rewritten by whoever holds it open
            target = self._conflicts / self._conflict_name(note.path, name)
            os.replace(self._folder / name, target)
            (self._folder / f"{name}.json").unlink()
            return
        age = time.time() - note.since
        if note.carrying:  # killed meanwhile: exactly once, whether it was before or after they arrived
            self._carry(name, note, content[: note.known + note.carrying], resumed=True)
        elif late := content[note.known :]:
            there = self._files.read_or_none(note.path) or b""
            note = replace(note, carrying=len(late), target=len(there), target_digest=_digest(there))
            self._write_note(name, note)
            self._carry(name, note, content, resumed=False)
        elif age < 0:  # the clock went backwards
            self._write_note(name, replace(note, since=time.time()))
        elif age >= GRACE_SECONDS:
            os.unlink(self._folder / name)
            (self._folder / f"{name}.json").unlink()

    def _carry(self, name: str, note: _Note, content: bytes, *, resumed: bool) -> None:
        """Add the late bytes at the end of ``content`` to the file that took its place."""
        late = content[note.known :]
        if not (resumed and self._has_arrived(note, late)):
            self._files.append(note.path, late)
        known = replace(note, known=len(content), digest=_digest(content), carrying=0)
        self._write_note(name, replace(known, target=0, target_digest=""))

    def _has_arrived(self, note: _Note, late: bytes) -> bool:
        now = self._files.read_or_none(note.path) or b""
        grown = _digest(now[: note.target]) == note.target_digest
        return late in (now[note.target :] if grown else now)

    def _write_note(self, name: str, note: _Note) -> None:
        fresh = self._folder / f"{name}.json.new"
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(note), file)
            if note.carrying:
                file.flush()
                os.fsync(descriptor)
        fresh.replace(self._folder / f"{name}.json")

    def _conflict_name(self, path: RelPath, name: str) -> str:
        """The name under which a conflict will be kept; whose it is is noted beside it first."""
        _make(self._conflicts)
        unique = name.removeprefix(".wb-").removesuffix(".tmp")
        whole = os.fsencode(f"{unique}-{path.rpartition('/')[2]}")
        kept = os.fsdecode(whole[-_MOST_OF_NAME:])
        note = _beside(self._conflicts / kept)
        note.unlink(missing_ok=True)
        descriptor = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"path": path, "since": time.time()}, file)
        return kept


def _make(folder: Path) -> None:
    """Make a folder of ours; a link in its place would lead out of the workspace."""
    if folder.is_symlink():
        raise ReadOnlyError(
            f"{folder} is a link, and what is kept there must stay in the workspace", hint="remove the link"
        )
    folder.mkdir(mode=0o700, exist_ok=True)


def _beside(kept: Path) -> Path:
    return kept.with_name(kept.name + ".json")


def _conflict(kept: Path) -> Conflict:
    try:
        note = json.loads(read_own(_beside(kept)))
        return Conflict(kept, RelPath(str(note["path"])), float(note["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Conflict(kept, None, 0.0)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
