"""The machine around the workspace: Python, libraries, git, terminal, watching, disk and clock."""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import errno
import locale
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from indexing.engines import RefusedError
from indexing.sync.generations import Generations
from indexing.sync.sources import Sources
from workbench.errors import NoGitError, SpecialFileError
from workbench.health.finding import Finding, Look
from workbench.health.subject import SYNC, CheckSubject
from workbench.memory.clock_doubt import TOLERANCE
from workbench.repository.git_runner import carrier_for
from workbench.workspace.locks import hold

NO_UNDO = "nothing can be promoted, forgotten or undone; browsing and searching work"
_PACKAGE = "memory-workbench"
_FOR_TESTS = "test"
_DUMB = ("", "dumb", "unknown")
_LIMITS = Path("/proc/sys/fs/inotify")
_EVENTS = 0x00000100 | 0x00000200 | 0x00000008 | 0x00000040 | 0x00000080  # made, gone, written, moved
_LATE = "changes of an agent show up some seconds late: they are looked for by the clock instead"
_MEGABYTE = 1 << 20
_ROOM = 64 * _MEGABYTE
"""Free bytes below which an action or a reindex may end in the middle."""
_FEW_FILES = 1_000
_AHEAD = TOLERANCE.total_seconds()


def python(_: CheckSubject) -> Look:
    """The interpreter."""
    return Look("Python " + ".".join(map(str, sys.version_info[:3])))


def libraries(_: CheckSubject) -> Look:
    """The libraries that this version asks for, and what is there of its extras, as they were tested."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - for this check alone

    try:
        wanted = [Requirement(line) for line in metadata.requires(_PACKAGE) or ()]
        extras = set(metadata.metadata(_PACKAGE).get_all("Provides-Extra") or ()) - {_FOR_TESTS}
    except metadata.PackageNotFoundError:
        return Look("run from its source: which libraries it needs is not known")
    findings, shown = [], []
    for one in wanted:
        needed = one.marker is None or one.marker.evaluate({"extra": ""})
        if not needed and not any(one.marker.evaluate({"extra": name}) for name in extras if one.marker):
            continue
        try:
            found = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            if needed:
                findings.append(_library(f"{one.name} is not installed", f"'{one.name}{one.specifier}'"))
            continue
        shown.append(f"{one.name} {found}")
        if not one.specifier.contains(found, prereleases=True):
            what = f"{one.name} {found} is not among the versions that were tested ({one.specifier})"
            findings.append(_library(what, f"'{one.name}{one.specifier}'"))
    return Look(", ".join(shown), tuple(findings))


def _library(what: str, requirement: str) -> Finding:
    return Finding(
        what=what,
        meaning="what needs it may fail, or give other answers than were tested",
        do=f"{os.path.basename(sys.executable)} -m pip install {requirement}",
    )


def git(place: CheckSubject) -> Look:
    """The program git, new enough to be told what not to run."""
    try:
        carrier = carrier_for(place.root)
    except (NoGitError, SpecialFileError) as error:
        return Look("git", (Finding(what=error.message, meaning=NO_UNDO, do=error.hint),))
    return Look("git " + ".".join(map(str, carrier.version_info)))


def terminal(_: CheckSubject) -> Look:
    """TERM, and the encoding of what is printed."""
    term = os.environ.get("TERM", "")
    encoding = locale.getpreferredencoding(False)
    findings = []
    if codecs.lookup(encoding).name != "utf-8":
        findings.append(
            Finding(
                what=f"the locale writes {encoding}, not UTF-8",
                meaning="other letters than those of ASCII cannot be shown, and the interface draws badly",
                do="set a UTF-8 locale, for example LC_ALL=C.UTF-8",
            )
        )
    if sys.stdin is not None and sys.stdin.isatty() and term in _DUMB:
        findings.append(
            Finding(
                what=f"TERM is {term or 'not set'}",
                meaning="the interface needs a terminal that can move its cursor; all commands work without",
                do="run it in a terminal that sets TERM, for example TERM=xterm-256color",
            )
        )
    return Look(f"TERM {term or 'not set'}, {encoding}", tuple(findings))


def watching(place: CheckSubject) -> Look:
    """Every folder that memory is in is watched for a moment (inotify), and let go again."""
    if not sys.platform.startswith("linux"):
        return Look("not a matter of this system")
    folders = Sources(place.workspace).folders()
    watched, refusal = _watch(folders)
    if refusal == errno.EMFILE:
        name, least = "max_user_instances", 256
        what = "no further watcher can be opened"
    elif refusal == errno.ENOSPC:
        name, least = "max_user_watches", max(524_288, 2 * len(folders))
        what = f"only {watched:,} of {len(folders):,} folders can be watched"
    elif refusal:
        note = Finding(what=f"watching is refused: {os.strerror(refusal)}", meaning=_LATE, severity="info")
        return Look(f"{len(folders):,} folders to watch", (note,))
    else:
        return Look(f"{watched:,} folders can be watched")
    limit = "not known"
    with contextlib.suppress(OSError):
        limit = (_LIMITS / name).read_text().strip()
    enough = max(least, 2 * int(limit)) if limit.isdigit() else least
    finding = Finding(
        what=f"{what} (fs.inotify.{name} is {limit})",
        meaning=_LATE,
        do="end programs that watch files (editors, sync clients), or: "
        f"sudo sysctl fs.inotify.{name}={enough}; a line of that in /etc/sysctl.d keeps it",
    )
    return Look(f"{len(folders):,} folders to watch", (finding,))


def _watch(folders: list[str]) -> tuple[int, int]:
    """How many folders could be watched, and the ``errno`` that ended it, 0 where none did."""
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    if descriptor < 0:
        return 0, ctypes.get_errno()
    try:
        for count, folder in enumerate(folders):
            if library.inotify_add_watch(descriptor, os.fsencode(folder), _EVENTS) < 0:
                reason = ctypes.get_errno()
                if reason not in (errno.ENOENT, errno.EACCES, errno.ENOTDIR):
                    return count, reason
        return len(folders), 0
    finally:
        os.close(descriptor)


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
    if free < _ROOM:
        findings.append(
            Finding(
                what=f"the disk is full: {free / _MEGABYTE:.0f} MB are free",
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
    return Look(f"{free / _MEGABYTE:,.0f} MB free", tuple(findings))


def clock(place: CheckSubject) -> Look:
    """No memory file changed after now, and no sync was: else the clock went backwards."""
    return Look(f"now is {_moment(place.now)}", (*_files_ahead(place), *_index_ahead(place)))


def _files_ahead(place: CheckSubject) -> Iterator[Finding]:
    files = place.workspace.scan()
    latest = place.now + _AHEAD
    if ahead := [file for file in files if file.ctime_ns / 1e9 > latest]:
        newest = max(ahead, key=lambda file: file.ctime_ns)
        changed = f"changed in the future: {_moment(newest.ctime_ns / 1e9)}"
        yield Finding(
            what=f"{_first_of([newest.path] * len(ahead))} {changed}",
            meaning="the clock went backwards since; it is read anew at every sync until the clock has "
            "caught up; nothing is lost",
            do="set the clock right (`timedatectl`), or wait",
        )
    dated: list[str] = []
    for file in files:
        with contextlib.suppress(OSError):
            status = os.lstat(place.root / file.path)
            if status.st_mtime > latest >= status.st_ctime:
                dated.append(file.path)
    if dated:
        yield Finding(
            what=f"{_first_of(dated)} has a date of change in the future",
            meaning="somebody set it; the index goes by what no program can set",
            do="`touch` it, if that is not meant",
            severity="info",
        )


def _first_of(paths: list[str]) -> str:
    return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def _index_ahead(place: CheckSubject) -> Iterator[Finding]:
    try:
        generation = Generations(place.state).current()
        manifest = generation.manifest() if generation else None
    except RefusedError:
        return
    if generation is None or manifest is None or place.is_busy(SYNC):
        return

    def forget() -> str:
        """Trust no stamp of any file until the next sync has read it."""
        with hold(place.state / SYNC, "doctor"):
            if current := generation.manifest():
                current.synced_ns = 0
                generation.write_manifest(current)
        return "the moment is forgotten; the next reindex reads every file anew"

    synced = manifest.synced_ns / 1e9
    if synced > place.now + _AHEAD:
        yield Finding(
            what=f"the index was brought up to date in the future: {_moment(synced)}",
            meaning="a change between now and then could be taken for one that it knows",
            do="`workbench doctor --fix` makes the next reindex read every file anew",
            repair=forget,
        )


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.0f} seconds after 1970"
