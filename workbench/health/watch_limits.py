"""Whether the system still has room to watch the workspace's folders (inotify)."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

from indexing.sync.sources import Sources
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject

_LIMITS = Path("/proc/sys/fs/inotify")
_EVENTS = 0x00000100 | 0x00000200 | 0x00000008 | 0x00000040 | 0x00000080  # made, gone, written, moved
_LATE = "changes of an agent show up some seconds late: they are looked for by the clock instead"


def watching(place: CheckSubject) -> Look:
    """Every folder that memory is in is watched for a moment, and let go again."""
    if not sys.platform.startswith("linux"):
        return Look("not a matter of this system")
    folders = Sources(place.workspace).folders()
    watched, refusal = _watch(folders)
    if refusal == errno.EMFILE:
        limit = _limit("max_user_instances")
        finding = Finding(
            what=f"no further watcher can be opened (fs.inotify.max_user_instances is {limit})",
            meaning=_LATE,
            do="end programs that watch files (editors, sync clients), or: "
            f"sudo sysctl fs.inotify.max_user_instances={max(256, 2 * int(limit or 128))}",
        )
        return Look("no watcher", (finding,))
    if refusal == errno.ENOSPC:
        limit = _limit("max_user_watches")
        enough = max(524_288, 2 * len(folders), 2 * int(limit or 0))
        finding = Finding(
            what=f"only {watched:,} of {len(folders):,} folders can be watched "
            f"(fs.inotify.max_user_watches is {limit})",
            meaning=_LATE,
            do=f"sudo sysctl fs.inotify.max_user_watches={enough}; a line of that in /etc/sysctl.d keeps it",
        )
        return Look(f"{len(folders):,} folders to watch", (finding,))
    if refusal:
        note = Finding(
            what=f"watching is refused: {os.strerror(refusal)}", meaning=_LATE, do="", severity="info"
        )
        return Look(f"{len(folders):,} folders to watch", (note,))
    return Look(f"{watched:,} folders can be watched")


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


def _limit(name: str) -> str:
    """What the system says, or where the limit comes from."""
    try:
        return (_LIMITS / name).read_text().strip()
    except OSError:
        return ""
