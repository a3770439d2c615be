"""The workspace's settings, format and repository, and who may read and write its folder of ours."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from indexing.storage import link_in
from workbench import processes
from workbench.config.safe_yaml import MappingError, read_mapping
from workbench.config.settings import SECRET, flat, load, user_settings_path
from workbench.config.settings_report import tell
from workbench.errors import (
    ConflictError,
    NewerFormatError,
    RepositoryStateError,
    UsageError,
    WorkbenchError,
    disk_error,
)
from workbench.format import FORMAT
from workbench.health.finding import Finding, Fix, Look
from workbench.health.machine import NO_UNDO
from workbench.health.subject import ASIDE, CheckSubject
from workbench.history.orphans import LOCK_SECONDS
from workbench.operations.migrate import files_of_older_form, plan_migrate
from workbench.repository.git_runner import ask
from workbench.safety.secrets import secrets_in
from workbench.special_files import kind_of_special, special_files
from workbench.workspace.format import format_of, require_known_format
from workbench.workspace.layout import SETTINGS_FILE, STATE_DIR
from workbench.workspace.plan import Plan

_KEY = re.compile(r"(?i)(?:^|_)(?:key|token|secret|password)s?$")
_LONG = 16
"""Characters from which what stands under a name like `api_key` may be one."""
_OTHERS = 0o077
_SHOWN = 3
_MOMENT = 5.0
"""Seconds for which a git at work holds its locks without anybody noticing."""
_OURS = ("index", "displaced", "conflicts", "past", ASIDE)
"""Folders of ours; what is in them is closed by them."""
_PRIVATE_FILES = (".lock", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".json", ".refused", ".new")


def few(names: list[str]) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


# -- settings and format ---------------------------------------------------------------------------


def settings(place: CheckSubject) -> Look:
    """The person's own settings and the workspace's, and who can read a key in them."""
    own, shared = user_settings_path(), place.root / SETTINGS_FILE
    findings = [*_problems(place, shared)]
    if _holds_key(own) and (mode := stat.S_IMODE(own.stat().st_mode)) & _OTHERS:
        findings.append(
            Finding(
                what=f"{own} holds a key, and its mode is {mode:04o}",
                meaning="other users of this machine can read the key",
                do=f"chmod 600 {own}",
                repair=partial(_close, own, mode),
            )
        )
    if _holds_key(shared):
        findings.append(
            Finding(
                what=f"{shared} holds a key",
                meaning="the file belongs to the memory: whoever gets a copy of it gets the key",
                do=f"move it to your own settings, {own}, and make a new key",
            )
        )
    seen = [str(path) for path in (own, shared) if path.exists()]
    return Look(", ".join(seen) or "none: the defaults count", tuple(findings))


def _problems(place: CheckSubject, shared: Path) -> Iterator[Finding]:
    """What does not count in the files, by file, line and name."""
    meaning = "it does not count, all else does"
    if place.unreadable is not None:
        try:
            load(shared, lenient=True)
            meaning = "its default counts for what reads; what writes is refused until it is corrected"
        except UsageError:
            meaning = "no command works on this workspace until it is corrected"
    told = [(f"{problem.place}: {problem.text}", problem.hint) for problem in tell(shared).problems]
    if place.unreadable is not None and not told:
        told.append((place.unreadable.message, place.unreadable.hint))
    for what, hint in told:
        yield Finding(
            what=what,
            meaning=meaning,
            do=hint or "correct or remove it",
            fixes=(Fix(deed="open", label="open the settings", of="settings"),),
        )


def _holds_key(path: Path) -> bool:
    """Whether a secret is there, a setting that is a key, or a name like one with a value as long as one."""
    text = ""
    with contextlib.suppress(OSError):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")[:65_536]
    if secrets_in(text):
        return True
    try:
        found = flat(read_mapping(text))
    except MappingError:
        return False
    return any(
        bool(value)
        and (name in SECRET or (bool(_KEY.search(name)) and isinstance(value, str) and len(value) >= _LONG))
        for name, value in found.items()
    )


def _close(path: Path, mode: int) -> str:
    """Take the rights of others from a file or folder of ours, and of no link. Raises WorkbenchError."""
    wanted = mode & ~_OTHERS
    try:
        os.chmod(path, wanted, follow_symlinks=os.chmod not in os.supports_follow_symlinks)
    except OSError as error:
        raise disk_error(error) from error
    return f"its mode is {wanted:04o} now"


def workspace_format(place: CheckSubject) -> Look:
    """The number that the memory says, and the files that are written in an older form."""
    try:
        require_known_format(place.root)
    except NewerFormatError as newer:
        what = newer.message.removesuffix("; nothing was changed")
        meaning = "it is read as far as this program understands it, and every change is refused"
        return Look(f"format {newer.found}", (Finding(what=what, meaning=meaning, do=newer.hint),))
    except UsageError as error:
        meaning = "nothing is changed until it says which format it has"
        return Look("not known", (Finding(what=error.message, meaning=meaning, do=error.hint),))
    found = format_of(place.root)
    older = files_of_older_form(place.workspace)
    if not older:
        return Look(f"format {FORMAT}" if found == FORMAT else "no number, and no older form")
    finding = Finding(
        what=f"comments of ours stand in the way of other programs in {few([*older])}",
        meaning="basic-memory reads such relations as plain links, Obsidian does not find such blocks",
        do="`workbench doctor --fix` shows the change and asks; it is one operation: undo undoes it",
        severity="info",
        fixes=(Fix(deed="migrate", label="bring it to today's format"),),
        repair=partial(_migrate, place) if place.agree else None,
    )
    return Look(f"format {found}", (finding,))


def _migrate(place: CheckSubject) -> str:
    """Bring memory to today's format, if the person agrees to the change. Raises WorkbenchError."""

    def plan() -> Plan:
        found = plan_migrate(place.workspace)
        if found is None:
            raise ConflictError("somebody else has brought it there meanwhile")
        return found

    if place.agree is None or not place.agree(plan()):
        raise UsageError("you did not agree to it")
    operation = place.workspace.operations.carry_out(plan)
    return f"{operation.summary}; `workbench undo {operation.id}` undoes it"


# -- repository ------------------------------------------------------------------------------------


def repository(place: CheckSubject) -> Look:
    """A repository that can be opened, committed to, and that holds nothing of ours."""
    try:
        history = place.workspace.history
    except WorkbenchError as error:
        return Look("the repository", (Finding(what=error.message, meaning=NO_UNDO, do=error.hint),))
    findings = []
    for require in (history.require_committable, partial(history.require_untracked, STATE_DIR)):
        try:
            require()
        except RepositoryStateError as error:
            findings.append(Finding(what=error.message, meaning=NO_UNDO, do=error.hint))
    head = history.head()
    if head and history.names_no_branch():
        findings.append(
            Finding(
                what="HEAD is on no branch",
                meaning="what is done now is kept only until you leave it",
                do="`git switch -c NAME` makes it a branch",
                severity="info",
            )
        )
    return Look(f"{history.git_dir}, " + (f"at {head[:12]}" if head else "without commits"), tuple(findings))


def git_locks(place: CheckSubject) -> Look:
    """Locks of git's own: how old, and whether any git lives that could hold them."""
    names = ("--path-format=absolute", "--show-toplevel", "--git-common-dir")
    try:
        history = place.workspace.history
        top, common = os.fsdecode(ask(history.carrier, "rev_parse", *names)).split("\n")[:2]
    except WorkbenchError:
        return Look("there is no repository to look into")
    folders = [Path(top), history.git_dir, Path(common)]
    found = {
        lock
        for folder in folders[1:]
        for lock in (*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock"))
    }
    findings = tuple(one for lock in sorted(found) for one in _git_lock(place, lock, folders))
    return Look(f"{len(found)} locks of git's" if found else "no lock of git's is there", findings)


def _git_lock(place: CheckSubject, lock: Path, folders: list[Path]) -> Iterator[Finding]:
    try:
        seen = lock.lstat()
    except OSError:
        return  # released meanwhile
    age = place.now - seen.st_mtime
    gits, users = processes.gits(folders), processes.opened_by(lock)
    if 0 <= age < _MOMENT and (gits or users):
        return

    def move() -> str:
        """Once more the same file, and still nobody there: then it goes."""
        try:
            now = lock.lstat()
        except FileNotFoundError:
            return "it was released meanwhile"
        same = (now.st_ino, now.st_mtime_ns, now.st_size) == (seen.st_ino, seen.st_mtime_ns, seen.st_size)
        if not same or processes.gits(folders) or processes.opened_by(lock):
            raise ConflictError("a git took it in this moment", hint="try again when it has finished")
        return place.put_aside(lock)

    alive = "not to be seen here" if gits is None else ", ".join(gits) or "none"
    doubt = _doubt(lock, seen.st_mtime, age, gits, users)
    yield Finding(
        what=f"{lock} is there, {_spoken(age)} old; git processes alive: {alive}",
        meaning="until it is gone git refuses to change what it locks: its index, HEAD, or a reference",
        do=f"{doubt}: if no git is running, remove it yourself"
        if doubt
        else "`workbench doctor --fix` moves it away",
        repair=None if doubt else move,
    )


def _doubt(
    lock: Path, since: float, age: float, alive: tuple[str, ...] | None, users: tuple[int, ...] | None
) -> str | None:
    """Why a lock is not proven to be stale, or None where it is.

    A git that waits for an editor holds its lock without having the file open, so every git counts.
    """
    if alive is None or users is None:
        return "which processes run cannot be seen"
    if users:
        return f"process {users[0]} has it open"
    if alive:
        return f"{alive[0]} is running and may hold it"
    if not processes.is_local(lock):
        return "another machine may hold it, as this disk is a shared one"
    boot = processes.boot_time()
    if age < LOCK_SECONDS and (boot is None or since >= boot):
        return "it is younger than ten minutes, and its git may be out of sight"
    return None


def _spoken(seconds: float) -> str:
    """An age in words."""
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"


# -- the state folder ------------------------------------------------------------------------------


def owners(place: CheckSubject) -> Look:
    """All of ``.workbench`` belongs to whom the workspace belongs to."""
    like = os.stat(place.root)
    owner, me = like.st_uid, os.geteuid()
    foreign = [path for path, found in _ours(place.state) if found.st_uid != owner]

    def give() -> str:
        for path in foreign:
            for folder, _, names in os.walk(path):
                for name in ("", *names):
                    os.chown(os.path.join(folder, name), owner, like.st_gid, follow_symlinks=False)
            os.chown(path, owner, like.st_gid, follow_symlinks=False)
        return f"given to user {owner}"

    findings = []
    if foreign:
        shown = few([str(path.relative_to(place.root)) for path in foreign])
        findings.append(
            Finding(
                what=f"{shown} belongs to another user than the workspace (user {owner})",
                meaning="made by a run as somebody else (sudo?); reindexing and actions may be refused",
                do=f"sudo chown -R --reference={place.root} {place.state}",
                repair=give if me == 0 else None,
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


def permissions(place: CheckSubject) -> Look:
    """Derived files are plain ones in plain folders, for their owner alone: folders 0700, files 0600."""
    try:
        status = os.lstat(place.state)
    except FileNotFoundError:
        return Look("there is no .workbench yet")
    if not stat.S_ISDIR(status.st_mode):
        what = f"{place.state} is {'a link' if stat.S_ISLNK(status.st_mode) else 'not a folder'}"
        meaning = "derived files would be written somewhere else, or nowhere"
        return Look(".workbench", (Finding(what=what, meaning=meaning, do="remove it; it is made anew"),))
    findings = [_odd(place, path, "a link") for path in _links(place.state)]
    findings += [_odd(place, path, kind_of_special(path)) for path in special_files(place.state)]
    ours = list(_ours(place.state))
    for path, found in ours:
        mode = stat.S_IMODE(found.st_mode)
        if mode & _OTHERS:
            findings.append(
                Finding(
                    what=f"{path.relative_to(place.root)} has the mode {mode:04o}",
                    meaning="other users of this machine can look at what the index holds of your memory",
                    do=f"chmod {mode & ~_OTHERS:04o} {path}",
                    repair=partial(_close, path, mode) if os.geteuid() in (found.st_uid, 0) else None,
                )
            )
    return Look(f"{len(ours)} folders and files of ours", tuple(findings))


def _odd(place: CheckSubject, path: Path, kind: str) -> Finding:
    """A link or a special file where this program makes none."""

    def remove() -> str:
        path.unlink()
        return f"{kind} is removed, and nothing that it led to"

    return Finding(
        what=f"{path.relative_to(place.root)} is {kind}",
        meaning="this program makes none there: it leads somewhere else, or lets a reader wait for ever",
        do="`workbench doctor --fix` removes it, and nothing of what it leads to",
        repair=remove,
    )


def _ours(state: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Our folders down to the generations, and the private files at the top."""
    try:
        yield state, os.lstat(state)
        for path in sorted(state.iterdir()):
            found = os.lstat(path)
            if stat.S_ISDIR(found.st_mode) and path.name in _OURS:
                yield path, found
                for one in sorted(path.iterdir()) if path.name == "index" else ():
                    if one.is_dir() and not one.is_symlink():
                        yield one, os.lstat(one)
            elif stat.S_ISREG(found.st_mode) and path.name.endswith(_PRIVATE_FILES):
                yield path, found
    except FileNotFoundError:
        return


def _links(state: Path) -> Iterator[Path]:
    """Links among our folders and files: we make none, and what is written through one lies elsewhere."""
    for path in sorted(state.iterdir()):
        if path.is_symlink():
            yield path
        elif path.name == "index" and (found := link_in(path)):
            yield path / found
