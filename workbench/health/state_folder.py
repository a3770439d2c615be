"""The state folder: ours alone, writable, on a disk with room, and free of what a kill left behind."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from indexing.storage import link_in
from workbench.errors import disk_error
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.special_files import kind_of_special, special_files

MEGABYTE = 1 << 20
ROOM = 64 * MEGABYTE
"""Free bytes below which an action or a reindex may end in the middle."""
_FEW_FILES = 1_000
_OTHERS = 0o077
_OURS = ("index", "displaced", "conflicts", "past", "set-aside")
"""Folders of ours; what is in them is closed by them."""
_PRIVATE_FILES = (".lock", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".json", ".refused", ".new")


def permissions(place: CheckSubject) -> Look:
    """Derived files are for their owner alone: folders 0700, files 0600."""
    try:
        status = os.lstat(place.state)
    except FileNotFoundError:
        return Look("there is no .workbench yet")
    if not stat.S_ISDIR(status.st_mode):
        what = f"{place.state} is {'a link' if stat.S_ISLNK(status.st_mode) else 'not a folder'}"
        meaning = "derived files would be written somewhere else, or nowhere"
        return Look(".workbench", (Finding(what=what, meaning=meaning, do="remove it; it is made anew"),))
    findings, count = [_linked(path, place.root) for path in _links(place.state)], 0
    findings += [_special(path, place.root) for path in special_files(place.state)]
    for path, found in _ours(place.state):
        count += 1
        if found.st_mode & _OTHERS:
            findings.append(_open_to_others(path, found, place.root))
    return Look(f"{count} folders and files of ours", tuple(findings))


def owners(place: CheckSubject) -> Look:
    """All of ``.workbench`` belongs to whom the workspace belongs to."""
    owner = os.stat(place.root).st_uid
    foreign = [path for path, found in _ours(place.state) if found.st_uid != owner]
    me = os.geteuid()
    findings = []
    if foreign:
        shown = ", ".join(str(path.relative_to(place.root)) for path in foreign[:3])
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        findings.append(
            Finding(
                what=f"{shown}{more} belongs to another user than the workspace (user {owner})",
                meaning="made by a run as somebody else (sudo?); reindexing and actions may be refused",
                do=f"sudo chown -R --reference={place.root} {place.state}",
                repair=partial(_give, place, foreign) if me == 0 else None,
            )
        )
    if me not in (owner, 0):
        findings.append(
            Finding(
                what=f"the workspace belongs to user {owner}, and you are user {me}",
                meaning="searching may work; actions and reindexing need the right to write",
                do="work as its owner, or give yourself the right to write",
                severity="info",
            )
        )
    return Look(f"user {owner}", tuple(findings))


def disk(place: CheckSubject) -> Look:
    """The disk takes writes, and has room for them."""
    room = os.statvfs(place.root)
    free = room.f_bavail * room.f_frsize
    findings = []
    if room.f_flag & os.ST_RDONLY:
        findings.append(
            Finding(
                what="the disk is mounted read-only",
                meaning="browsing works, and searching where there is an index; no action does",
                do="mount it writable, if you want to curate here",
            )
        )
    elif not os.access(place.root, os.W_OK):
        findings.append(
            Finding(
                what="the workspace's folder may not be written",
                meaning="no .workbench can be made in it, and no new file",
                do=f"chmod u+w {place.root}",
            )
        )
    if free < ROOM:
        findings.append(
            Finding(
                what=f"the disk is full: {free / MEGABYTE:.0f} MB are free",
                meaning="actions and reindexing will be refused; nothing is lost by that",
                do="free some space, then run `workbench reindex`",
            )
        )
    if room.f_files and room.f_favail < _FEW_FILES:
        findings.append(
            Finding(
                what=f"the disk takes {room.f_favail} files more",
                meaning="it has room for bytes, not for names; actions and reindexing will be refused",
                do="remove files that are no longer needed",
            )
        )
    return Look(f"{free / MEGABYTE:,.0f} MB free", tuple(findings))


def _ours(state: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Our folders down to the generations, and the private files at the top."""
    try:
        yield state, os.lstat(state)
        for name in sorted(os.listdir(state)):
            path = state / name
            found = os.lstat(path)
            if stat.S_ISDIR(found.st_mode) and name in _OURS:
                yield path, found
                yield from _generations(path) if name == "index" else ()
            elif stat.S_ISREG(found.st_mode) and name.endswith(_PRIVATE_FILES):
                yield path, found
    except FileNotFoundError:
        return


def _generations(index: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for name in sorted(os.listdir(index)):
        found = os.lstat(index / name)
        if stat.S_ISDIR(found.st_mode):
            yield index / name, found


def _links(state: Path) -> Iterator[Path]:
    """Links among our folders and files: we make none, and what is written through one lies elsewhere."""
    for name in sorted(os.listdir(state)):
        path = state / name
        if path.is_symlink():
            yield path
        elif name == "index" and (found := link_in(path)):
            yield path / found


def _linked(path: Path, root: Path) -> Finding:
    def remove() -> str:
        where = os.readlink(path)
        path.unlink()
        return f"the link is removed; what it led to is as it was: {where}"

    return Finding(
        what=f"{path.relative_to(root)} is a link",
        meaning="this program makes none there: derived files would be written somewhere else",
        do="--fix removes the link, and nothing of what it leads to",
        repair=remove,
    )


def _special(path: Path, root: Path) -> Finding:
    def remove() -> str:
        path.unlink()
        return "it is removed; it held nothing"

    return Finding(
        what=f"{path.relative_to(root)} is {kind_of_special(path)}",
        meaning="this program makes none there; what wants to read it could wait for ever",
        do="--fix removes it",
        repair=remove,
    )


def _open_to_others(path: Path, found: os.stat_result, root: Path) -> Finding:
    mode = stat.S_IMODE(found.st_mode)
    wanted = mode & ~_OTHERS

    def close() -> str:
        try:
            os.chmod(path, wanted, follow_symlinks=os.chmod not in os.supports_follow_symlinks)
        except OSError as error:
            raise disk_error(error) from error
        return f"its mode is {wanted:04o} now"

    return Finding(
        what=f"{path.relative_to(root)} has the mode {mode:04o}",
        meaning="other users of this machine can look at what the index holds of your memory",
        do=f"chmod {wanted:04o} {path}",
        repair=close if os.geteuid() in (found.st_uid, 0) else None,
    )


def _give(place: CheckSubject, foreign: list[Path]) -> str:
    like = os.stat(place.root)
    count = 0
    for path in foreign:
        for folder, _, names in os.walk(path):
            for name in ["", *names]:
                os.chown(os.path.join(folder, name), like.st_uid, like.st_gid, follow_symlinks=False)
                count += 1
        if not path.is_dir():
            os.chown(path, like.st_uid, like.st_gid, follow_symlinks=False)
            count += 1
    return f"{count} files given to user {like.st_uid}"
