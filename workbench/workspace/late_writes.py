"""Files that were replaced, kept while another program may still write into them.

A program that opened a log before we exchanged it goes on writing into the old file. The lines that it adds
are late lines: every command adds them to the file that took its place, before it reads.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from workbench.config.read_only import VARIABLE
from workbench.errors import BusyError, UsageError, WorkbenchError, WriteFailedError
from workbench.frozen import frozen
from workbench.memory.entry import RelPath
from workbench.plural import plural
from workbench.processes import boot_moment, has_writers
from workbench.special_files import make_folder, open_regular, read_regular
from workbench.workspace.files import Files
from workbench.workspace.layout import LEDGER, STATE_DIR
from workbench.workspace.seal import Seal, read_note
from workbench.workspace.state_files import write_state
from workbench.workspace.workspace import Workspace

SETTLED_SECONDS = 2.0
"""For how long a replaced file is kept in any case: a program may be in the middle of opening it. Also how
old a change must be for its time to tell it from another one, as clocks of file systems are coarse."""
_MOST_OF_NAME = 200
"""Bytes of a conflict's name: file systems take 255, and its note's is longer."""

_MOST_UNKNOWN = 100_000_000
"""Bytes of a file of unknown origin that are read to say what waits in it."""

Why = Literal["late lines", "rewritten", "unknown origin", "not memory", "held open", "writers unknown"]


@frozen
class _Note:
    """What is known of a kept file: whose it was, how many of its bytes and their SHA-256, since when.

    ``inode`` is the file itself; ``boot`` and ``moment`` are the start of the system and the seconds since.
    While late bytes are being carried over, ``carrying`` says how many, and ``target`` and
    ``target_digest`` what their file held before: after a kill that tells whether they arrived.
    """

    path: RelPath
    known: int
    digest: str
    inode: int = 0  # the first versions went by the clock, and noted none of these three
    boot: str = ""
    moment: float = 0.0
    carrying: int = 0
    target: int = 0
    target_digest: str = ""


@frozen
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
        return read_regular(self.kept)


@frozen
class KeptFile:
    """A replaced file that is kept, and ``why``.

    ``text`` is what it holds that its memory file ``path`` (None: not known) has not been given yet.
    """

    kept: Path
    path: RelPath | None
    text: bytes
    why: Why

    @property
    def lines(self) -> int:
        """How many lines wait."""
        return len(self.text.splitlines())


_Stamp = tuple[int, int, int, int]
"""Inode, size, and times of change of a kept file."""


class Displaced:
    """The kept files of one workspace.

    They are in ``.workbench/displaced/``, each with a sealed note of the bytes that are known; whatever is
    added to one is carried over to the file that took its place. It is dropped once no process has it open
    and all of its bytes are known; where that cannot be told it stays until the person says so. A file with
    text that is in no known version is never deleted: it goes to ``.workbench/conflicts/`` for the person to
    look at.

    A note whose seal does not fit came with an archive, a copied folder or an older version: nothing is done
    by it before the person has looked at it.
    """

    def __init__(self, files: Files, state: Path, may_hold: Callable[[str], bool]) -> None:
        """``may_hold`` says whether a path is memory, by the layout of the workspace."""
        self._files = files
        self._folder = state / "displaced"
        self._conflicts = state / "conflicts"
        self._seal = Seal(files.root)
        self._may_hold = may_hold
        self._seen: dict[str, tuple[_Stamp, _Note | None]] = {}
        """What kept files were, and what was known of them, at the last look; None: nothing to carry over."""

    def keep(self, path: RelPath, name: str, known: bytes | None) -> None:
        """Take the file ``name`` out of the folder of ``path``; it starts with the bytes ``known``.

        None says that its text is foreign and must be shown to the person.
        """
        if known is None:
            self._files.rename(path, name, self._conflicts, self._conflict_name(path, name))
            return
        make_folder(self._folder)
        inode = self._files.inode_beside(path, name)
        self._note_new(name, path, known, inode)
        try:
            self._files.rename(path, name, self._folder, name)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            raise WriteFailedError(
                f"{path} is on another file system than {self._folder.parent}; nothing was changed",
                hint="open the folder mounted there as a separate workspace",
            ) from error

    def fetch(self, path: RelPath, name: str) -> None:
        """Put a kept file beside ``path`` again; ``sweep`` drops what was noted of it."""
        self._files.fetch(path, self._folder, name)

    def conflicts(self) -> tuple[Conflict, ...]:
        """What the person should look at, the oldest first."""
        if self._conflicts.is_symlink() or not self._conflicts.is_dir():
            return ()
        kept = [path for path in self._conflicts.iterdir() if path.suffix != ".json"]
        return tuple(sorted(map(self._conflict, kept), key=lambda one: (one.since, one.kept.name)))

    def _conflict(self, kept: Path) -> Conflict:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            note = json.loads(read_regular(_beside(kept)))
            path, since = str(note["path"]), float(note["since"])
            return Conflict(kept, RelPath(path) if self._may_be_of(path) else None, since)
        return Conflict(kept, None, 0.0)

    def drop(self, kept: Conflict | KeptFile, text: bytes) -> None:
        """Remove what was looked at, and is stored elsewhere as ``text``.

        A conflict that a program may still write into is kept as a replaced file, so that what it adds is
        carried over. Raises BusyError for any other file that a program is writing into.
        """
        path = kept.path if isinstance(kept, Conflict) else None
        if not _unlink_unwritten(kept.kept, _digest(text), also_unknown=path is None):
            if not path:
                raise BusyError(
                    f"a program still has {kept.kept} open and may write to it",
                    hint="nothing was removed; try again when it has finished",
                )
            make_folder(self._folder)
            name = kept.kept.name
            self._note_new(name, path, text, os.lstat(kept.kept).st_ino)
            os.rename(kept.kept, self._folder / name)
        _beside(kept.kept).unlink(missing_ok=True)

    # -- late bytes ------------------------------------------------------------------------------

    def waiting(self) -> tuple[KeptFile, ...]:
        """The replaced files that are kept, the text that waits in them, and why; nothing is changed."""
        found: list[KeptFile] = []
        for name in self._names():
            with contextlib.suppress(OSError, ValueError):
                if late := self._late(name):
                    found.append(late)
        return tuple(found)

    def due(self) -> bool:
        """Whether ``sweep`` may find something to do; takes no lock, and reads nothing."""
        for name in self._names():
            with contextlib.suppress(OSError):  # another process dropped it
                stamp, note = self._seen.get(name, (None, None))
                if stamp != self._stamp(name) or (note and self._is_free(name, note)):
                    return True
        return False

    def sweep(self) -> None:
        """Carry late bytes over; drop the files that nobody can write into any more."""
        for name in self._names():
            with contextlib.suppress(WorkbenchError, OSError, ValueError):  # not now: it is kept
                stamp = self._stamp(name)
                seen, note = self._seen.pop(name, (None, None))
                if stamp != seen:
                    note = self._look(name)
                is_all = not note or note.known == stamp[1]
                if note and self._is_free(name, note):
                    if _unlink_unwritten(self._folder / name, note.digest):
                        (self._folder / f"{name}.json").unlink(missing_ok=True)
                elif is_all and time.time() - max(stamp[2:]) / 1e9 > SETTLED_SECONDS:
                    self._seen[name] = stamp, note
        self._clear_notes()

    def adopt(self, late: KeptFile) -> None:
        """Believe a note that is not sealed: the person has looked at what it would do.

        Raises UsageError where it is for no memory file.
        """
        name = late.kept.name
        note = self._read_note(name, sealed=False)
        if not note or not self._may_be_of(note.path):
            raise UsageError(
                f"the memory file of {late.kept} is unknown",
                hint="`workbench inbox conflicts --late --show N` shows it, `--late --discard N` removes it",
            )
        boot, moment = boot_moment()
        inode = os.lstat(late.kept).st_ino
        self._seen.pop(name, None)
        self._write_note(name, replace(note, inode=inode, boot=boot, moment=moment))

    def _names(self) -> list[str]:
        """The kept files; none where the folder is a link: then nothing in there is ours."""
        return [name for name in self._listed() if not name.endswith((".json", ".json.new"))]

    def _listed(self) -> list[str]:
        with contextlib.suppress(OSError):
            return [] if self._folder.is_symlink() else sorted(os.listdir(self._folder))
        return []

    def _clear_notes(self) -> None:
        """Remove our notes of files that never arrived, after a kill, or that are gone."""
        listed = set(self._listed())
        for name in (one.removesuffix(".json") for one in listed if one.endswith(".json")):
            if name not in listed and self._read_note(name, present=False) is not None:
                (self._folder / f"{name}.json").unlink(missing_ok=True)

    def _late(self, name: str) -> KeptFile | None:
        kept = self._folder / name
        note = self._read_note(name)
        if not note and os.lstat(kept).st_size > _MOST_UNKNOWN:
            return KeptFile(kept, None, b"", "unknown origin")
        content = read_regular(kept)
        said = note or self._read_note(name, sealed=False)
        fits = said and said.digest == _digest(content[: said.known])
        late = content[said.known :] if said and fits else content
        path = said.path if said and self._may_be_of(said.path) else None
        if not note:
            return KeptFile(kept, path, late, "unknown origin")
        if not fits:
            return KeptFile(kept, note.path, late, "rewritten")
        if late:
            return KeptFile(kept, note.path, late, "late lines" if path else "not memory")
        with open_regular(kept) as descriptor:
            held = has_writers(descriptor, kept)
        if held is False:
            return None
        return KeptFile(kept, note.path, b"", "held open" if held else "writers unknown")

    def _stamp(self, name: str) -> _Stamp:
        found = os.lstat(self._folder / name)
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def _may_be_of(self, path: str) -> bool:
        """Whether late text may be added to a path: memory and records of ours, and nothing else."""
        return self._may_hold(path) or (path.startswith(LEDGER) and "/." not in path)

    def _look(self, name: str) -> _Note | None:
        """Carry over what is new in a kept file; what is known of it then. None: its note is not ours."""
        note = self._read_note(name)
        if not note:
            return None
        content = read_regular(self._folder / name)
        if _digest(content[: note.known]) != note.digest:  # rewritten by whoever holds it open
            target = self._conflicts / self._conflict_name(note.path, name)
            os.replace(self._folder / name, target)
            (self._folder / f"{name}.json").unlink()
            return None
        if len(content) > note.known and not self._may_be_of(note.path):
            return None
        return self._carry(name, note, content) if note.carrying or len(content) > note.known else note

    def _carry(self, name: str, note: _Note, content: bytes) -> _Note:
        """Add the late bytes at the end of ``content`` to the file that took its place."""
        there = self._files.read_or_none(note.path) or b""
        has_arrived = False
        if note.carrying:  # killed meanwhile: exactly once, whether it was before or after they arrived
            content = content[: note.known + note.carrying]
            grown = _digest(there[: note.target]) == note.target_digest
            has_arrived = content[note.known :] in (there[note.target :] if grown else there)
        else:
            size = len(content) - note.known
            note = replace(note, carrying=size, target=len(there), target_digest=_digest(there))
            self._write_note(name, note)
        if not has_arrived:
            there = self._files.read_or_none(note.path) or b""
            # A line that was begun by its writer begins here too, whatever the last one lacks.
            begins = content[: note.known][-1:] in (b"", b"\n") and there[-1:] not in (b"", b"\n")
            self._files.append(note.path, b"\n" * begins + content[note.known :])
        size, digest = len(content), _digest(content)
        known = replace(note, known=size, digest=digest, carrying=0, target=0, target_digest="")
        self._write_note(name, known)
        return known

    def _is_free(self, name: str, note: _Note) -> bool:
        """Whether nobody can write into a kept file any more, as far as that can be known."""
        boot, moment = boot_moment()
        if boot == note.boot and abs(moment - note.moment) < SETTLED_SECONDS:
            return False
        kept = self._folder / name
        with contextlib.suppress(OSError, ValueError), open_regular(kept) as descriptor:
            return has_writers(descriptor, kept) is False
        return False  # another process dropped it

    def _read_note(self, name: str, *, sealed: bool = True, present: bool = True) -> _Note | None:
        """What is noted of a kept file; None for a note that we would not write.

        With ``sealed`` only our own counts, for this very file where it is ``present``.
        """
        try:
            note, told, seal = read_note(self._folder / f"{name}.json", _Note)
            if sealed and not self._seal.fits({**told, "name": name}, seal):
                return None
            if sealed and present and note.inode != os.lstat(self._folder / name).st_ino:
                return None
        except (OSError, ValueError):
            return None
        return note if note.known >= 0 else None

    def _write_note(self, name: str, note: _Note) -> None:
        path = self._folder / f"{name}.json"
        fresh = path.with_name(f"{name}.json.new")
        self._seal.write(path, note, fresh=fresh, flush=bool(note.carrying), name=name)

    def _note_new(self, name: str, path: RelPath, known: bytes, inode: int) -> None:
        """Note a file that is kept from now on, of which these bytes are known."""
        self._write_note(name, _Note(path, len(known), _digest(known), inode, *boot_moment()))

    def _conflict_name(self, path: RelPath, name: str) -> str:
        """The name under which a conflict will be kept; whose it is is noted beside it first."""
        make_folder(self._conflicts)
        unique = name.removeprefix(".wb-").removesuffix(".tmp")
        whole = os.fsencode(f"{unique}-{path.rpartition('/')[2]}")
        kept = os.fsdecode(whole[-_MOST_OF_NAME:])
        note = {"path": path, "since": time.time()}
        write_state(_beside(self._conflicts / kept), note, fresh=self._conflicts / "new.json")
        return kept


def _beside(kept: Path) -> Path:
    return kept.with_name(kept.name + ".json")


def _unlink_unwritten(path: Path, digest: str, *, also_unknown: bool = False) -> bool:
    """Remove a file of this digest that nobody can write into any more; whether that is done.

    ``also_unknown``: also where nobody can tell.
    """
    with open_regular(path) as descriptor:
        held = has_writers(descriptor, path)
        if held or (held is None and not also_unknown):
            return False
        with os.fdopen(os.dup(descriptor), "rb") as file:
            if _digest(file.read()) != digest:
                return False
        os.unlink(path)
    return True


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# -- for all programs ---------------------------------------------------------------------------------


def carry_late(workspace: Workspace) -> None:
    """Add late lines to their files, as every command does before it reads. Never raises.

    Nothing is done, and nothing is opened, where nothing is kept, for a moment of the past, and where this
    program was started to look only.
    """
    if workspace.today == workspace.root and _is_any_kept(workspace.root):
        with contextlib.suppress(WorkbenchError, OSError):
            workspace.operations.carry_late()


def late_in(workspace: Workspace) -> tuple[KeptFile, ...]:
    """The replaced files that are kept, and what waits in them; of a past moment those of today."""
    root = workspace.today
    return Displaced(Files(root), root / STATE_DIR, workspace.layout.may_curate).waiting()


def late_sentences(found: Sequence[KeptFile]) -> list[str]:
    """What a person should know of late lines, a sentence for each reason, with what to do."""
    said = []
    for why, what in _SAID.items():
        of = [late for late in found if late.why == why]
        if not of:
            continue
        lines = sum(late.lines for late in of)
        text = plural(len(of), "replaced file")
        if lines:
            text = f"{plural(lines, 'line')} in {text}"
        said.append(f"{text}: {what}; `workbench inbox conflicts --late` lists them")
    return said


_SAID = {
    "late lines": "written by a program that has it open; the next command that writes adds them",
    "rewritten": "rewritten by a program that has it open; the next command that writes makes it a conflict",
    "unknown origin": "not written by this workbench (unpacked, copied or of an older version): ignored",
    "not memory": "written for a file that is not memory, so they are not added to it",
    "writers unknown": "kept, as a program may still write into them",
}


CARRY_SECONDS = 1.0
"""How often a program that goes on looks for late lines."""


class LateLines:
    """Carries late lines over again and again, for a program that goes on. Safe from several threads."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._last = float("-inf")

    def carry(self, *, at_most_every: float = 0.0) -> None:
        """As ``carry_late``; what did not change since the last time is not read again.

        Nothing is done when it was done less than ``at_most_every`` seconds ago.
        """
        now = time.monotonic()
        if now - self._last >= at_most_every and _is_any_kept(self._root):
            self._last = now
            with self._lock, contextlib.suppress(WorkbenchError, OSError):
                if not self._workspace:
                    self._workspace = Workspace.open(self._root, anyhow=True)
                carry_late(self._workspace)

    def close(self) -> None:
        """End the helper processes that were started."""
        with self._lock:
            if self._workspace:
                self._workspace.close()


def _is_any_kept(root: Path) -> bool:
    if os.environ.get(VARIABLE):
        return False
    with contextlib.suppress(OSError), os.scandir(root / STATE_DIR / "displaced") as found:
        return next(found, None) is not None
    return False
