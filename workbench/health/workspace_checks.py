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
from workbench.health.finding import Finding, Fix, Look, SkippedError
from workbench.health.machine import NO_UNDO
from workbench.health.subject import ASIDE, CheckSubject, few
from workbench.history.orphans import LOCK_SECONDS
from workbench.operations.migrate import files_of_older_form, plan_migrate
from workbench.plural import duration
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
_MOMENT = 5.0
"""Seconds for which a git at work holds its locks without anybody noticing."""
_OURS = ("index", "displaced", "conflicts", "past", ASIDE)
"""Folders of ours; what is in them is closed by them."""
_PRIVATE_FILES = (".lock", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".json", ".refused", ".new")


# -- settings and format ---------------------------------------------------------------------------


def settings(subject: CheckSubject) -> Look:
    """The person's own settings and the workspace's, and who can read a key in them."""
    own, shared = user_settings_path(), subject.root / SETTINGS_FILE
    seen = [str(path) for path in (own, shared) if path.exists()]
    yield ", ".join(seen) or "none: the defaults count"
    yield from _problems(subject, shared)
    if _holds_key(own) and (mode := stat.S_IMODE(own.stat().st_mode)) & _OTHERS:
        yield Finding(
            f"{own} holds a key, and its mode is {mode:04o}",
            "other users of this machine can read the key",
            f"chmod 600 {own}",
            repair=partial(_close, own, mode),
        )
    if _holds_key(shared):
        yield Finding(
            f"{shared} holds a key",
            "the file belongs to the memory: whoever gets a copy of it gets the key",
            f"move it to your own settings, {own}, and make a new key",
        )


def _problems(subject: CheckSubject, shared: Path) -> Iterator[Finding]:
    """What does not count in the files, by file, line and name."""
    meaning = "it does not count, all else does"
    told = [(f"{problem.place}: {problem.text}", problem.hint) for problem in tell(shared).problems]
    if subject.unreadable is not None:
        meaning = "its default counts for what reads; what writes is refused until it is corrected"
        try:
            load(shared, lenient=True)
        except UsageError:
            meaning = "no command works on this workspace until it is corrected"
        told = told or [(subject.unreadable.message, subject.unreadable.hint)]
    for what, hint in told:
        fix = Fix("open", "open the settings", of="settings")
        yield Finding(what, meaning, hint or "correct or remove it", fixes=(fix,))


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
        name in SECRET or (_KEY.search(name) and isinstance(value, str) and len(value) >= _LONG)
        for name, value in found.items()
        if value
    )


def _close(path: Path, mode: int) -> str:
    """Take the rights of others from a file or folder of ours, and of no link. Raises WorkbenchError."""
    wanted = mode & ~_OTHERS
    try:
        os.chmod(path, wanted, follow_symlinks=os.chmod not in os.supports_follow_symlinks)
    except OSError as error:
        raise disk_error(error) from error
    return f"its mode is {wanted:04o} now"


def format_(subject: CheckSubject) -> Look:
    """The number that the memory says, and the files that are written in an older form."""
    try:
        require_known_format(subject.root)
    except NewerFormatError as newer:
        yield f"format {newer.found}"
        meaning = "it is read as far as this program understands it, and every change is refused"
        yield Finding(newer.message.removesuffix("; nothing was changed"), meaning, newer.hint)
        return
    except UsageError as error:
        yield "not known"
        yield Finding(error.message, "nothing is changed until it says which format it has", error.hint)
        return
    found, older = format_of(subject.root), files_of_older_form(subject.workspace)
    yield f"format {found}" if found == FORMAT or older else "no number, and no older form"
    if older:
        yield Finding(
            f"comments of ours stand in the way of other programs in {few([*older])}",
            "basic-memory reads such relations as plain links, Obsidian does not find such blocks",
            "`workbench doctor --fix` shows the change and asks; it is one operation: undo undoes it",
            "info",
            fixes=(Fix("migrate", "bring it to today's format"),),
            repair=partial(_migrate, subject) if subject.agree else None,
        )


def _migrate(subject: CheckSubject) -> str:
    """Bring memory to today's format, if the person agrees to the change. Raises WorkbenchError."""

    def plan() -> Plan:
        found = plan_migrate(subject.workspace)
        if found is None:
            raise ConflictError("somebody else has brought it there meanwhile")
        return found

    if subject.agree is None or not subject.agree(plan()):
        raise UsageError("you did not agree to it")
    operation = subject.workspace.operations.carry_out(plan)
    return f"{operation.summary}; `workbench undo {operation.id}` undoes it"


# -- repository ------------------------------------------------------------------------------------


def repository(subject: CheckSubject) -> Look:
    """A repository that can be opened, committed to, and that holds nothing of ours."""
    try:
        history = subject.workspace.history
    except WorkbenchError as error:
        yield "the repository"
        yield Finding(error.message, NO_UNDO, error.hint)
        return
    head = history.head()
    yield f"{history.git_dir}, " + (f"at {head[:12]}" if head else "without commits")
    for require in (history.require_committable, partial(history.require_untracked, STATE_DIR)):
        try:
            require()
        except RepositoryStateError as error:
            yield Finding(error.message, NO_UNDO, error.hint)
    if head and history.names_no_branch():
        meaning = "what is done now is kept only until you leave it"
        yield Finding("HEAD is on no branch", meaning, "`git switch -c NAME` makes it a branch", "info")


def git_locks(subject: CheckSubject) -> Look:
    """Locks of git's own: how old, and whether any git lives that could hold them."""
    names = ("--path-format=absolute", "--show-toplevel", "--git-common-dir")
    try:
        history = subject.workspace.history
        top, common = os.fsdecode(ask(history.carrier, "rev_parse", *names)).split("\n")[:2]
    except WorkbenchError as error:
        raise SkippedError("there is no repository to look into") from error
    folders = [Path(top), history.git_dir, Path(common)]
    found = {
        lock
        for folder in folders[1:]
        for lock in (*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock"))
    }
    yield f"{len(found)} locks of git's" if found else "no lock of git's is there"
    for lock in sorted(found):
        yield from _git_lock(subject, lock, folders)


def _git_lock(subject: CheckSubject, lock: Path, folders: list[Path]) -> Iterator[Finding]:
    try:
        seen = lock.lstat()
    except OSError:
        return  # released meanwhile
    age = subject.now - seen.st_mtime
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
        return subject.put_aside(lock)

    alive = "not to be seen here" if gits is None else ", ".join(gits) or "none"
    doubt = _doubt(lock, age, gits, users)
    do = f"{doubt}: if no git is running, remove it yourself"
    yield Finding(
        f"{lock} is there, {duration(age)} old; git processes alive: {alive}",
        "until it is gone git refuses to change what it locks: its index, HEAD, or a reference",
        do if doubt else "`workbench doctor --fix` moves it away",
        repair=None if doubt else move,
    )


def _doubt(lock: Path, age: float, alive: tuple[str, ...] | None, users: tuple[int, ...] | None) -> str:
    """Why a lock is not proven to be stale, empty where it is.

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
    return "it is younger than ten minutes, and its git may be out of sight" if age < LOCK_SECONDS else ""


# -- the state folder ------------------------------------------------------------------------------


def owner(subject: CheckSubject) -> Look:
    """All of ``.workbench`` belongs to whom the workspace belongs to."""
    like = os.stat(subject.root)
    user = like.st_uid
    foreign = [path for path, found in _ours(subject.state) if found.st_uid != user]
    yield f"user {user}"

    def give() -> str:
        for path in foreign:
            for folder, _, names in os.walk(path):
                for name in ("", *names):
                    os.chown(os.path.join(folder, name), user, like.st_gid, follow_symlinks=False)
            os.chown(path, user, like.st_gid, follow_symlinks=False)
        return f"given to user {user}"

    if foreign:
        shown = few([str(path.relative_to(subject.root)) for path in foreign])
        yield Finding(
            f"{shown} belongs to another user than the workspace (user {user})",
            "made by a run as somebody else (sudo?); reindexing and actions may be refused",
            f"sudo chown -R --reference={subject.root} {subject.state}",
            repair=give if os.geteuid() == 0 else None,
        )


def permissions(subject: CheckSubject) -> Look:
    """Derived files are plain ones in plain folders, for their owner alone: folders 0700, files 0600."""
    try:
        status = os.lstat(subject.state)
    except FileNotFoundError as error:
        raise SkippedError("there is no .workbench yet") from error
    if not stat.S_ISDIR(status.st_mode):
        yield ".workbench"
        what = f"{subject.state} is {'a link' if stat.S_ISLNK(status.st_mode) else 'not a folder'}"
        meaning = "derived files would be written somewhere else, or nowhere"
        yield Finding(what, meaning, "remove it; it is made anew")
        return
    ours = list(_ours(subject.state))
    yield f"{len(ours)} folders and files of ours"
    odd = [(path, "a link") for path in _links(subject.state)]
    odd += [(path, kind_of_special(path)) for path in special_files(subject.state)]
    for path, kind in odd:
        yield Finding(
            f"{path.relative_to(subject.root)} is {kind}",
            "this program makes none there: it leads somewhere else, or lets a reader wait for ever",
            "`workbench doctor --fix` removes it, and nothing of what it leads to",
            repair=partial(_remove, path, kind),
        )
    for path, found in ours:
        mode = stat.S_IMODE(found.st_mode)
        if mode & _OTHERS:
            yield Finding(
                f"{path.relative_to(subject.root)} has the mode {mode:04o}",
                "other users of this machine can look at what the index holds of your memory",
                f"chmod {mode & ~_OTHERS:04o} {path}",
                repair=partial(_close, path, mode) if os.geteuid() in (found.st_uid, 0) else None,
            )


def _remove(path: Path, kind: str) -> str:
    """Remove a link or a special file."""
    path.unlink()
    return f"{kind} is removed, and nothing that it led to"


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
