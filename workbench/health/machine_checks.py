"""Checks of the machine (Python, libraries, git, terminal, disk, clock …), and of how things stand."""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import errno
import locale
import os
import platform
import sys
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path

from indexing.sync.sources import IndexSources
from workbench.agent.usage import dominance
from workbench.backup.bundles import operations_since, remembered
from workbench.backup.targets import without_secret
from workbench.dreaming.proposals.inbox import overview
from workbench.errors import NoGitError, NotMemoryError, SpecialFileError
from workbench.health.finding import Finding, Fix, Look, SkippedError
from workbench.health.subject import SYNC, CheckSubject, about, fix_of, shown
from workbench.jobs.runs import Job, standings
from workbench.memory.clock_doubt import TOLERANCE
from workbench.memory.entry import Entry, Form, Kind
from workbench.memory.episode import read_episode
from workbench.plural import plural
from workbench.repository.git_runner import carrier_for
from workbench.workspace.locks import hold

NO_UNDO = "nothing can be promoted, forgotten or undone; browsing and searching work"
_PACKAGE = "memory-workbench"
_FOR_TESTS = "test"
_LIMITS = Path("/proc/sys/fs/inotify")
_EVENTS = 0x00000100 | 0x00000200 | 0x00000008 | 0x00000040 | 0x00000080  # made, gone, written, moved
_LATE = "changes by an agent appear some seconds late: files are checked periodically instead"
_MEGABYTE = 1 << 20
_ROOM = 64 * _MEGABYTE
"""Free bytes below which an action or a reindex may end in the middle."""
_FEW_FILES = 1_000
_AHEAD = TOLERANCE.total_seconds()


def python(_: CheckSubject) -> Look:
    """The interpreter."""
    yield f"Python {platform.python_version()}"


def libraries(_: CheckSubject) -> Look:
    """The libraries that this version asks for, and what is there of its extras, as they were tested."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - for this check alone

    try:
        wanted = [Requirement(line) for line in metadata.requires(_PACKAGE) or ()]
        extras = set(metadata.metadata(_PACKAGE).get_all("Provides-Extra") or ()) - {_FOR_TESTS}
    except metadata.PackageNotFoundError:
        raise SkippedError("running from source: required libraries are unknown") from None
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
                "features that use it may fail or behave differently",
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
            "only ASCII can be shown, and the interface is drawn badly",
            "set a UTF-8 locale, for example LC_ALL=C.UTF-8",
        )


def watching(subject: CheckSubject) -> Look:
    """Every folder that memory is in is watched for a moment (inotify), and let go again."""
    if not sys.platform.startswith("linux"):
        raise SkippedError("does not apply to this system")
    folders = IndexSources(subject.workspace).folders()
    watched, refusal = _watch(folders)
    yield f"{watched:,} folders can be watched"
    if refusal == errno.EMFILE:
        name, least = "max_user_instances", 256
        what = "no more file watches are available"
    elif refusal == errno.ENOSPC:
        name, least = "max_user_watches", max(524_288, 2 * len(folders))
        what = f"only {watched:,} of {len(folders):,} folders can be watched"
    else:
        if refusal:
            yield Finding(f"file watching failed: {os.strerror(refusal)}", _LATE, severity="info")
        return
    limit = "not known"
    with contextlib.suppress(OSError):
        limit = (_LIMITS / name).read_text().strip()
    enough = max(least, 2 * int(limit)) if limit.isdigit() else least
    yield Finding(
        f"{what} (fs.inotify.{name} is {limit})",
        _LATE,
        "close programs that watch files (editors, sync clients), or: "
        f"sudo sysctl fs.inotify.{name}={enough}; add it to /etc/sysctl.d to keep it",
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
            "browsing and searching an existing index work; actions do not",
            "mount it writable to change memory",
        )
    elif not os.access(subject.root, os.W_OK):
        yield Finding(
            "the workspace's folder is not writable",
            "neither .workbench nor new files can be created",
            f"chmod u+w {subject.root}",
        )
    if free < _ROOM:
        yield Finding(
            f"the disk is full: {free / _MEGABYTE:.0f} MB are free",
            "actions and reindexing will fail; nothing is lost",
            "free some space, then run `workbench reindex`",
        )
    if room.f_files and room.f_favail < _FEW_FILES:
        yield Finding(
            f"the disk has room for {room.f_favail} more files",
            "it is out of inodes; actions and reindexing will fail",
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
            "the clock went back since then; these files are read again at every sync until the clock "
            "catches up; nothing is lost",
            "correct the clock (`timedatectl`), or wait",
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
        return "the time was reset; the next reindex reads every file again"

    synced = manifest.synced_ns / 1e9
    if synced > latest:
        yield Finding(
            f"the index was brought up to date in the future: {_moment(synced)}",
            "changes until then could be missed",
            "`workbench doctor --fix` makes the next reindex read every file again",
            repair=forget,
        )


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:.0f} seconds after 1970"


# -- how things stand: backup, jobs, proposals and recalls, for the health screen --------------------

_OLD = timedelta(days=30)
_MANY = 50
"""Operations after which a backup is called behind."""
_QUIET_NIGHTS = 3
_EVER = 36_500
"""Days: every recall that was ever recorded."""
_WEEK = 7


def backup(subject: CheckSubject) -> Look:
    """The last backup, and what it does not hold."""
    elsewhere = Fix("backup", "back up to a target that you give", of="DIR")
    last = remembered(subject.workspace)
    if last is None:
        yield "never"
        yield Finding(
            "no backup has been made from here",
            "this folder and its git history are the only known copy",
            "`workbench backup TARGET`, for example a folder on another disk, or a remote",
            "warning",
            fixes=(elsewhere,),
        )
        return
    since = operations_since(subject.workspace, last)
    age, when = timedelta(0), last.when
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        made = datetime.fromisoformat(last.when).astimezone()
        age, when = subject.moment - made, f"{made:%Y-%m-%d %H:%M}"
    target = without_secret(last.target)
    behind = "the history was rewritten since" if since is None else f"{plural(since, 'operation')} since"
    yield f"{when}, {behind}, to {target}"
    if since is None or since >= _MANY or (since and age >= _OLD):
        yield Finding(
            f"the last backup is of {when}: {behind}",
            "later changes are only on this disk",
            f"`workbench backup {target}`",
            "warning",
            fixes=(Fix("backup", f"back up to {target} again"), elsewhere),
        )


def jobs(subject: CheckSubject) -> Look:
    """Scheduled jobs: the state of each, and how to fix one that failed or is overdue."""
    found = standings(subject.state, subject.moment)
    ran = [f"{one.job.command}: {one.line}" for one in found if one.last is not None]
    yield "; ".join(ran) or "none has run here"
    for one in found:
        if one.wrong:
            meaning = "its work was not done, or only in part"
            if one.state == "failing":
                meaning = "it continues and retries what fails"
            elif one.state == "killed":
                meaning = "it did not finish; what it had done until then is kept"
            yield Finding(one.sentence, meaning, one.mends, "warning" if one.overdue else "error")
        elif one.job is Job.NIGHTLY and one.last and one.state != "running":
            quiet = (subject.moment - one.last.began).days
            if quiet >= _QUIET_NIGHTS:
                yield Finding(
                    f"the last nightly run was {plural(quiet, 'day')} ago",
                    "expiry, fading and dreaming are not up to date",
                    "`workbench jobs run nightly` runs it now; "
                    "`workbench jobs print` prints a schedule for every night",
                    "warning",
                )


def inbox(subject: CheckSubject) -> Look:
    """The last dream, and the proposals that wait for a decision."""
    seen = overview(subject.workspace, subject.moment)
    count = sum(not one.stale for one in seen.waits)
    reports = (file.path for file in subject.workspace.scan() if file.path.startswith("_system/dreaming/"))
    dreamt = f"{seen.dreamt_at.astimezone():%Y-%m-%d %H:%M}" if seen.dreamt_at else ""
    yield f"{count:,} waiting; last dream: {dreamt or max(reports, default='never')}"
    if count:
        yield Finding(
            f"{plural(count, 'proposal')} waiting for a decision",
            "nothing becomes memory before a person accepts it",
            "decide in the inbox; `workbench inbox list` shows them too",
            "info",
            fixes=(Fix("open", "open the inbox", of="proposals"),),
        )


def recalls(subject: CheckSubject) -> Look:
    """How much of memory agents were given, and what of MEMORY.md never.

    Episodes that another program wrote bring a count of their own, which is told beside it.
    """
    given = dominance(subject.workspace, subject.moment, _EVER)
    week = dominance(subject.workspace, subject.moment, _WEEK).answers
    curated: list[Entry] = []
    with contextlib.suppress(NotMemoryError, OSError):
        entries = subject.workspace.memory_document().entries
        curated = [entry for entry in entries if entry.form in (Form.ITEM, Form.PARAGRAPH)]
    never = [one for one in curated if not given.has(one)]
    yield f"{plural(given.answers, 'answer')}, {week:,} of them this week"
    if given.answers:
        yield f"{len(never):,} of {plural(len(curated), 'entry')} of MEMORY.md in none of them"
    episodes = (page for page in subject.corpus.documents if page.kind is Kind.EPISODE)
    if counted := sum(read_episode(page).recall_count for page in episodes):
        yield f"episodes count {plural(counted, 'recall')} of their own"
    for entry in never if given.answers else ():
        yield about(
            entry,
            "",
            f"never recalled: {shown(entry.title)}",
            "no agent received it for a question, but it takes space in every session",
            "keep it, or `workbench forget` it",
            "info",
            fixes=(fix_of(entry, "forget"), fix_of(entry, "edit")),
        )
