"""The machine around the workspace: Python, libraries, git, terminal, watching, disk and clock."""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import errno
import locale
import os
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from indexing.sync.sources import Sources
from workbench.errors import NoGitError, SpecialFileError
from workbench.health.finding import Finding, Look, SkippedError
from workbench.health.subject import SYNC, CheckSubject
from workbench.memory.clock_doubt import TOLERANCE
from workbench.repository.git_runner import carrier_for
from workbench.workspace.locks import hold

NO_UNDO = "nothing can be promoted, forgotten or undone; browsing and searching work"
_PACKAGE = "memory-workbench"
_FOR_TESTS = "test"
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
    yield "Python " + ".".join(map(str, sys.version_info[:3]))


def libraries(_: CheckSubject) -> Look:
    """The libraries that this version asks for, and what is there of its extras, as they were tested."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - for this check alone

    try:
        wanted = [Requirement(line) for line in metadata.requires(_PACKAGE) or ()]
        extras = set(metadata.metadata(_PACKAGE).get_all("Provides-Extra") or ()) - {_FOR_TESTS}
    except metadata.PackageNotFoundError:
        raise SkippedError("run from its source: which libraries it needs is not known") from None
    shown = []
    for one in wanted:
        by = [name for name in ("", *extras) if one.marker is None or one.marker.evaluate({"extra": name})]
        try:
            found = metadata.version(one.name) if by else None
        except metadata.PackageNotFoundError:
            found = "not installed" if "" in by else None
        if found is None:
            continue
        shown.append(f"{one.name} {found}")
        if found == "not installed" or not one.specifier.contains(found, prereleases=True):
            yield Finding(
                f"{one.name} {found} is not among the versions that were tested ({one.specifier})",
                "what needs it may fail, or give other answers than were tested",
                f"{os.path.basename(sys.executable)} -m pip install '{one.name}{one.specifier}'",
            )
    yield ", ".join(shown)


def git(subject: CheckSubject) -> Look:
    """The program git, new enough to be told what not to run."""
    try:
        carrier = carrier_for(subject.root)
    except (NoGitError, SpecialFileError) as error:
        yield "git"
        yield Finding(error.message, NO_UNDO, error.hint)
    else:
        yield "git " + ".".join(map(str, carrier.version_info))


def terminal(_: CheckSubject) -> Look:
    """TERM, and the encoding of what is printed."""
    encoding = locale.getpreferredencoding(False)
    yield f"TERM {os.environ.get('TERM') or 'not set'}, {encoding}"
    if codecs.lookup(encoding).name != "utf-8":
        yield Finding(
            f"the locale writes {encoding}, not UTF-8",
            "other letters than those of ASCII cannot be shown, and the interface draws badly",
            "set a UTF-8 locale, for example LC_ALL=C.UTF-8",
        )


def watching(subject: CheckSubject) -> Look:
    """Every folder that memory is in is watched for a moment (inotify), and let go again."""
    if not sys.platform.startswith("linux"):
        raise SkippedError("not a matter of this system")
    folders = Sources(subject.workspace).folders()
    watched, refusal = _watch(folders)
    yield f"{watched:,} folders can be watched"
    if refusal == errno.EMFILE:
        name, least = "max_user_instances", 256
        what = "no further watcher can be opened"
    elif refusal == errno.ENOSPC:
        name, least = "max_user_watches", max(524_288, 2 * len(folders))
        what = f"only {watched:,} of {len(folders):,} folders can be watched"
    else:
        if refusal:
            yield Finding(f"watching is refused: {os.strerror(refusal)}", _LATE, severity="info")
        return
    limit = "not known"
    with contextlib.suppress(OSError):
        limit = (_LIMITS / name).read_text().strip()
    enough = max(least, 2 * int(limit)) if limit.isdigit() else least
    yield Finding(
        f"{what} (fs.inotify.{name} is {limit})",
        _LATE,
        "end programs that watch files (editors, sync clients), or: "
        f"sudo sysctl fs.inotify.{name}={enough}; a line of that in /etc/sysctl.d keeps it",
    )


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


def disk(subject: CheckSubject) -> Look:
    """The disk takes writes, and has room for them."""
    room = os.statvfs(subject.root)
    free = room.f_bavail * room.f_frsize
    yield f"{free / _MEGABYTE:,.0f} MB free"
    if room.f_flag & os.ST_RDONLY:
        yield Finding(
            "the disk is mounted read-only",
            "browsing works, and searching where there is an index; no action does",
            "mount it writable, if you want to curate here",
        )
    elif not os.access(subject.root, os.W_OK):
        yield Finding(
            "the workspace's folder may not be written",
            "no .workbench can be made in it, and no new file",
            f"chmod u+w {subject.root}",
        )
    if free < _ROOM:
        yield Finding(
            f"the disk is full: {free / _MEGABYTE:.0f} MB are free",
            "actions and reindexing will be refused; nothing is lost by that",
            "free some space, then run `workbench reindex`",
        )
    if room.f_files and room.f_favail < _FEW_FILES:
        yield Finding(
            f"the disk takes {room.f_favail} files more",
            "it has room for bytes, not for names; actions and reindexing will be refused",
            "remove files that are no longer needed",
        )


def clock(subject: CheckSubject) -> Look:
    """No memory file changed after now, and no sync was: else the clock went backwards."""
    yield f"now is {_moment(subject.now)}"
    latest = subject.now + _AHEAD
    changed = [(file.ctime_ns / 1e9, file.path) for file in subject.workspace.scan()]
    if ahead := [one for one in changed if one[0] > latest]:
        when, path = max(ahead)
        others = f" and {len(ahead) - 1} more" if len(ahead) > 1 else ""
        yield Finding(
            f"{path}{others} changed in the future: {_moment(when)}",
            "the clock went backwards since; it is read anew at every sync until the clock has "
            "caught up; nothing is lost",
            "set the clock right (`timedatectl`), or wait",
        )
    try:
        generation, manifest = subject.index_in_use()
    except SkippedError:
        return

    def forget() -> str:
        """Trust no stamp of any file until the next sync has read it."""
        with hold(subject.state / SYNC, "doctor"):
            if current := generation.manifest():
                current.synced_ns = 0
                generation.write_manifest(current)
        return "the moment is forgotten; the next reindex reads every file anew"

    synced = manifest.synced_ns / 1e9
    if synced > latest:
        yield Finding(
            f"the index was brought up to date in the future: {_moment(synced)}",
            "a change between now and then could be taken for one that it knows",
            "`workbench doctor --fix` makes the next reindex read every file anew",
            repair=forget,
        )


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.0f} seconds after 1970"
