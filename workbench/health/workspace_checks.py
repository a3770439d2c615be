"""The workspace: its settings, format and repository, and its folder ``.workbench``.

Of that folder: who may read and write it, and what was left unfinished in it (locks, interrupted actions,
conflicts, leftovers), with the ledger.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
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
    BusyError,
    ConflictError,
    NewerFormatError,
    RepositoryStateError,
    UsageError,
    WorkbenchError,
    disk_errors,
)
from workbench.format_version import FORMAT
from workbench.health.finding import Finding, Fix, Look, SkippedError
from workbench.health.machine_checks import NO_UNDO
from workbench.health.subject import ACTION, ASIDE, SYNC, CheckSubject, few
from workbench.history.verify import LOCK_SECONDS, check_strays
from workbench.memory.entry import RelPath
from workbench.operations.migrate import files_of_older_form, plan_migrate, plan_move_ledger
from workbench.plural import duration, plural
from workbench.repository.git_runner import LOOKED_FOR, ask, left_out
from workbench.safety.secrets import secrets_in
from workbench.special_files import kind_of_special, read_regular, special_files
from workbench.temporary import scratch
from workbench.workspace.declared_format import format_of, require_known_format
from workbench.workspace.files import TEMPORARY_PREFIX
from workbench.workspace.journaled_swap import Intent, Journal
from workbench.workspace.late_writes import late_sentences
from workbench.workspace.layout import SETTINGS_FILE, STATE_DIR
from workbench.workspace.ledger import BOOKS
from workbench.workspace.locks import LockState, held, hold
from workbench.workspace.plan import Plan
from workbench.workspace.seal import Seal

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
    yield ", ".join(seen) or "none: the defaults apply"
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
            "the file is part of the memory: everybody with a copy of it has the key",
            f"move it to your own settings, {own}, and create a new key",
        )


def _problems(subject: CheckSubject, shared: Path) -> Iterator[Finding]:
    """What does not count in the files, by file, line and name."""
    meaning = "it is ignored; all other settings apply"
    told = [(f"{problem.place}: {problem.text}", problem.hint) for problem in tell(shared).problems]
    if subject.unreadable is not None:
        meaning = "reading uses its default; writing is refused until it is corrected"
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
    with disk_errors():
        os.chmod(path, wanted, follow_symlinks=os.chmod not in os.supports_follow_symlinks)
    return f"its mode is {wanted:04o} now"


def format_(subject: CheckSubject) -> Look:
    """The number that the memory says, and the files that are written in an older form."""
    try:
        require_known_format(subject.root)
    except NewerFormatError as newer:
        yield f"format {newer.found}"
        meaning = "it is read as far as possible, and every change is refused"
        yield Finding(newer.message.removesuffix("; nothing was changed"), meaning, newer.hint)
        return
    except UsageError as error:
        yield "not known"
        yield Finding(error.message, "changes are refused until it has a valid format", error.hint)
        return
    found, older = format_of(subject.root), files_of_older_form(subject.workspace)
    yield (f"format {found}" if found == FORMAT or older else "no format number, and none in an older format")
    if older:
        yield Finding(
            f"comments of the workbench prevent other programs from reading links in {few([*older])}",
            "basic-memory reads such relations as plain links, Obsidian does not find such blocks",
            "`workbench doctor --fix` shows the change and asks; it is one operation: undo undoes it",
            "info",
            fixes=(Fix("migrate", "upgrade it to the current format"),),
            repair=partial(subject.carry_out, plan_migrate) if subject.agree else None,
        )


# -- repository ------------------------------------------------------------------------------------


def repository(subject: CheckSubject) -> Look:
    """A repository that can be opened, committed to, and that holds nothing of ours."""
    try:
        history = subject.workspace.history
    except WorkbenchError as error:
        yield "the repository"
        adopt = None
        with contextlib.suppress(WorkbenchError):
            if subject.agree and subject.workspace.own_place().foreign():
                adopt = partial(_adopt, subject)
        yield Finding(error.message, NO_UNDO, error.hint, repair=adopt)
        return
    head = history.head()
    kept = subject.workspace.own_place()
    where = kept.where() if history.own else history.git_dir
    yield f"{where}, " + (f"at {head[:12]}" if head else "without commits")
    if history.own and history.git_dir == where and not kept.reason():
        yield Finding(
            f"history is kept in {where}, although the repository can keep this memory now",
            "it continues there, and actions make no commits in the repository",
            "`workbench doctor --fix` asks, and continues in the repository: earlier operations stay in "
            f"{where}, where `git --git-dir={where} log` shows them, but one key can no longer undo "
            "key; files that git still ignores are then not recorded",
            "info",
            repair=partial(_go_on, subject) if subject.agree else None,
        )
    elif not history.own and (ended := kept.ended()):
        yield f"earlier operations are in {ended}"
    elif not history.own and (foreign := kept.foreign()):
        yield Finding(
            f"{foreign} is a history of this memory that was created elsewhere, or for another folder",
            "it is not used; its operations are not listed and cannot be undone",
            "`workbench doctor --fix` asks, and imports it",
            repair=partial(_adopt, subject) if subject.agree else None,
        )
    elif kept.is_lost():
        yield Finding(
            "the history of this memory outside of any repository is missing",
            "earlier operations cannot be undone",
            "restore its folder from a copy, or move this folder back to where it was",
        )
    for require in (history.require_committable, partial(history.require_untracked, STATE_DIR)):
        try:
            require()
        except RepositoryStateError as error:
            yield Finding(error.message, NO_UNDO, error.hint)
    if head and history.names_no_branch():
        meaning = "no branch keeps new commits once you switch away"
        yield Finding("HEAD is on no branch", meaning, "`git switch -c NAME` creates a branch", "info")
    remote, missing = left_out(history.carrier, history.prefix) if head else ("", 0)
    if missing:
        what = f"only {remote} has {plural(missing, 'object')} of the newest {LOOKED_FOR} commits"
        meaning = "a partial clone leaves them out: undo, diff and origin fail where a text is not here"
        yield Finding(what, meaning, f"`git fetch --refetch --no-filter {shlex.quote(remote)}` fetches them")


def _adopt(subject: CheckSubject) -> str:
    """Take over a history that was made elsewhere, if the person agrees. Raises WorkbenchError."""
    subject.require_agreement(Plan(action="adopt", summary="import the history that was created elsewhere"))
    return f"{subject.workspace.own_place().adopt()} is used now"


def _go_on(subject: CheckSubject) -> str:
    """Keep history in the repository from now on, if the person agrees. Raises WorkbenchError."""
    subject.require_agreement(Plan(action="history", summary="keep history in the repository from now on"))
    left = subject.workspace.go_on_in_repository()
    return f"history continues in the repository; earlier operations stay in {left}"


def git_locks(subject: CheckSubject) -> Look:
    """Locks of git's own: how old, and whether any git lives that could hold them."""
    names = ("--path-format=absolute", "--show-toplevel", "--git-common-dir")
    try:
        history = subject.workspace.history
        top, common = os.fsdecode(ask(history.carrier, "rev_parse", *names)).split("\n")[:2]
    except WorkbenchError as error:
        raise SkippedError("there is no repository to check") from error
    folders = [Path(top), history.git_dir, Path(common)]
    found = {
        lock
        for folder in folders[1:]
        for lock in (*folder.glob("*.lock"), *(folder / "refs").rglob("*.lock"))
    }
    yield f"{len(found)} git locks" if found else "no git locks"
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
            return "it was released in the meantime"
        same = (now.st_ino, now.st_mtime_ns, now.st_size) == (seen.st_ino, seen.st_mtime_ns, seen.st_size)
        if not same or processes.gits(folders) or processes.opened_by(lock):
            raise ConflictError("a git process just took it", hint="try again when it has finished")
        return subject.put_aside(lock)

    alive = "cannot be determined here" if gits is None else ", ".join(gits) or "none"
    doubt = _doubt(lock, age, gits, users)
    do = f"{doubt}: if no git is running, remove it yourself"
    yield Finding(
        f"{lock} exists, {duration(age)} old; running git processes: {alive}",
        "until it is removed, git cannot change its index, HEAD or a reference",
        do if doubt else "`workbench doctor --fix` moves it aside",
        repair=None if doubt else move,
    )


def _doubt(lock: Path, age: float, alive: tuple[str, ...] | None, users: tuple[int, ...] | None) -> str:
    """Why a lock is not proven to be stale, empty where it is.

    A git that waits for an editor holds its lock without having the file open, so every git counts.
    """
    if alive is None or users is None:
        return "running processes cannot be determined"
    if users:
        return f"process {users[0]} has it open"
    if alive:
        return f"{alive[0]} is running and may use it"
    if not processes.is_local(lock):
        return "another machine may use it, as the disk is shared"
    return (
        "it is younger than ten minutes, and its git process may not be visible" if age < LOCK_SECONDS else ""
    )


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
            f"files of another user than the workspace's ({user}): {shown}",
            "created by another user (sudo?); reindexing and actions may fail",
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
        meaning = "derived files would be written elsewhere, or not at all"
        yield Finding(what, meaning, "remove it; it is created again")
        return
    ours = list(_ours(subject.state))
    yield f"{len(ours)} folders and files of the workbench"
    odd = [(path, "a link") for path in _links(subject.state)]
    odd += [(path, kind_of_special(path)) for path in special_files(subject.state)]
    for path, kind in odd:
        yield Finding(
            f"{path.relative_to(subject.root)} is {kind}",
            "the workbench never creates one there: it points elsewhere, or can block a reader forever",
            "`workbench doctor --fix` removes it, but nothing that it points to",
            repair=partial(_remove, path, kind),
        )
    for path, found in ours:
        mode = stat.S_IMODE(found.st_mode)
        if mode & _OTHERS:
            yield Finding(
                f"{path.relative_to(subject.root)} has the mode {mode:04o}",
                "other users of this machine can read your memory in the index",
                f"chmod {mode & ~_OTHERS:04o} {path}",
                repair=partial(_close, path, mode) if os.geteuid() in (found.st_uid, 0) else None,
            )


def _remove(path: Path, kind: str) -> str:
    """Remove a link or a special file."""
    path.unlink()
    return f"{kind} is removed, but nothing that it pointed to"


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


_HOUR = 3_600.0
"""Seconds after which even a large reindex deserves a look."""
_STOPS = {SYNC: "no reindex can run", ACTION: "no action can run"}
_RUNNING = "an action is running"
_JOURNAL = "journal.json"


def locks(subject: CheckSubject) -> Look:
    """Who holds the lock of actions and that of reindexing."""
    for name in (ACTION, SYNC):
        found = held(subject.state / name)
        if found is None:
            yield f"{name} is free"
            continue
        who = f"{found.purpose or 'somebody'} (process {found.pid})" if found.pid else "an unnamed process"
        yield f"{name} is held by {who}" if found.held else f"{name} is free"
        if found.held:
            yield from _holder(subject, name, found, who)
        elif found.pid:
            yield Finding(
                f"{name} still names {who}, which no longer runs",
                "it was killed; its lock was released with it",
                "nothing to do: the next run finishes its work",
                "info",
                repair=partial(_wipe, subject.state / name),
            )


def _wipe(lock: Path) -> str:
    with hold(lock, "doctor"):  # the note goes when the lock is let go
        return "the entry is cleared"


def _holder(subject: CheckSubject, name: str, found: LockState, who: str) -> Iterator[Finding]:
    """What is wrong with a holder, if anything: it lives, or it could hold nothing."""
    if found.pid and not processes.alive(found.pid):
        yield Finding(
            f"{name} is held by {who}, which cannot be seen from here",
            f"{_STOPS[name]}; it runs in another container, or a child process of it is still running",
            f"find who holds it: `fuser -v {subject.state / name}`; the lock is released when that process "
            "ends",
        )
    elif found.pid and processes.stopped(found.pid):
        yield Finding(
            f"{name} is held by {who}, which is stopped",
            f"{_STOPS[name]} until it continues",
            f"continue it (`kill -CONT {found.pid}`) or end it (`kill {found.pid}`)",
        )
    elif subject.now - found.since > _HOUR:
        yield Finding(
            f"{name} is held by {who} for more than an hour",
            _STOPS[name],
            f"if it hangs, end it (`kill {found.pid}`): the next run finishes its work",
        )


def interrupted_action(subject: CheckSubject) -> Look:
    """The journal of an action that was interrupted, and notes of actions that nobody believed."""
    subject.require_rest(ACTION, _RUNNING)
    notes = {
        "journal.refused": "a journal entry without a matching commit was ignored",
        "journal.new": "a journal entry is incomplete, so nothing was done",
    }
    if not (subject.state / _JOURNAL).exists():
        yield "no action was interrupted"
    else:
        yield _JOURNAL
        if intent := _intent(subject):
            yield _interrupted(subject, intent)
        else:
            notes[_JOURNAL] = "it is not a journal entry, so nothing can be finished from it"
    for name, what in notes.items():
        if (subject.state / name).exists():
            yield Finding(
                f"{name} exists: {what}",
                "it changed no file",
                "`workbench doctor --fix` sets it aside",
                repair=partial(subject.put_aside, subject.state / name, ACTION),
            )


def _intent(subject: CheckSubject) -> Intent | None:
    """The note as it stands; a journal reads it and would set a bad one aside, so a copy is read."""
    with scratch("doctor") as copy:
        try:
            (copy / _JOURNAL).write_bytes(read_regular(subject.state / _JOURNAL))
        except (OSError, ValueError):
            return None
        return Journal(copy, Seal(subject.root)).read()


def _interrupted(subject: CheckSubject, intent: Intent) -> Finding:
    what = f"an action was interrupted: {intent.message.partition(chr(10))[0]}"
    if not _is_written(subject, intent):
        meaning = "some of its files are not written yet; no text is lost"
        return Finding(what, meaning, "the next action, or opening the interface, finishes it first")

    def finish() -> str:
        found = subject.workspace.operations.recover()
        if (subject.state / _JOURNAL).exists():
            raise RepositoryStateError("it could not be finished now", hint="the next action reports why")
        return "; ".join(("finished: it is in git now", *found))

    meaning = "its files are written; only the commit is missing"
    return Finding(what, meaning, "`workbench doctor --fix` finishes it", repair=finish)


def _is_written(subject: CheckSubject, intent: Intent) -> bool:
    """Whether every file is as the action makes it, so that finishing it writes none."""
    history = subject.workspace.history
    for step in intent.steps:
        now = subject.workspace.files.read_or_none(step.path)
        if (None if now is None else history.name_of(now)) != step.after:
            return False
        if step.temporary and (subject.root / step.path).with_name(step.temporary).exists():
            return False
    return True


def conflicts(subject: CheckSubject) -> Look:
    """Texts of other writers that are in no memory file."""
    try:
        kept = subject.workspace.operations.conflicts()
        late = subject.workspace.operations.late()
    except WorkbenchError as error:
        raise SkippedError(error.message) from error
    yield f"{plural(len(kept), 'kept text')}, {plural(len(late), 'replaced file')}"
    for number, conflict in enumerate(kept, 1):
        yield Finding(
            f"{conflict.kept.relative_to(subject.root)} contains text of another writer that is in no "
            "memory file",
            "two programs wrote at the same time, and this text could not be merged",
            f"`workbench inbox conflicts --show {number}`, copy it to its place, then --discard {number}",
            fixes=(Fix("open", "compare it with its file", of="conflicts"),),
        )
    for one in late:
        if one.why != "held open":
            yield Finding(
                late_sentences([one])[0].partition(";")[0],
                f"{one.kept.relative_to(subject.root)}: a replaced file that a program still has open",
                "`workbench inbox conflicts --late`: --append adds its lines, --discard N removes it",
                "error" if one.text else "info",
            )


def leftovers(subject: CheckSubject) -> Look:
    """Temporary files beside memory, and what a killed git or backup left."""
    try:
        strays, _ = check_strays(subject.workspace)
    except WorkbenchError as error:
        raise SkippedError(f"not looked at: {error.message}") from error
    yield strays.looked_at
    for flaw in strays.flaws:
        path = Path(flaw.path)
        if flaw.kind == "special" or path.suffix == ".lock" or path.is_relative_to(STATE_DIR):
            continue  # looked at by checks of their own
        ours = path.name.startswith(TEMPORARY_PREFIX) and not path.is_absolute()
        if ours and _is_known_to_git(subject, path):
            meaning = "git has its text too, so it can be removed"
            move = partial(_move_beside, subject, path)
            yield Finding(flaw.what, meaning, "`workbench doctor --fix` moves it aside", repair=move)
        else:
            yield Finding(flaw.what, do=flaw.hint)


def _is_known_to_git(subject: CheckSubject, path: Path) -> bool:
    history = subject.workspace.history
    try:
        history.stored(history.name_of((subject.root / path).read_bytes()))
    except (OSError, WorkbenchError):
        return False
    return True


def _move_beside(subject: CheckSubject, path: Path) -> str:
    """Take a leftover out of the memory folder. Raises WorkbenchError and OSError."""
    target = subject.workspace.state_dir() / ASIDE
    with hold(subject.state / ACTION, "doctor"):
        if (subject.state / _JOURNAL).exists():
            raise BusyError("an interrupted action may still need it")
        target.mkdir(mode=0o700, exist_ok=True)
        name = f"{os.stat(subject.root / path).st_mtime_ns}-{path.name}"
        subject.workspace.files.rename(RelPath(str(path)), path.name, target, name)
    return f"moved to {(target / name).relative_to(subject.root)}"


def ledger(subject: CheckSubject) -> Look:
    """Every line of every page of the ledger is a record: others would be missed in silence."""
    records, torn = 0, []
    for book in BOOKS:
        try:
            for page in subject.workspace.ledger.pages(book):
                records += len(page.records)
                torn += [f"{page.place} ({page.bad})"] if page.bad else []
        except (WorkbenchError, OSError) as error:
            yield Finding(
                f"the ledger {book} cannot be read: {error}",
                "its records are ignored",
                "`git fsck` shows what the repository lost"
                if isinstance(error, RepositoryStateError)
                else "restore the plain file from git: `git log -- _system/ledger`",
            )
    yield plural(records, "record") if records else "no records yet"
    with contextlib.suppress(WorkbenchError, OSError):  # no repository, or what was said above
        yield from _ledger_in_git(subject)
    if torn:
        yield Finding(
            f"invalid lines in the ledger: {few(torn)}",
            "they are ignored, with any decision in them",
            "correct them with an editor, or delete them; git has the earlier text",
        )


def _ledger_in_git(subject: CheckSubject) -> Iterator[Finding]:
    """What came from elsewhere, what version 0.1 left in files, and marks that nobody knows."""
    place = subject.workspace
    if foreign := place.ledger.foreign():
        count = sum(len(one.records) for one in foreign)
        yield Finding(
            f"{plural(count, 'record')} of a ledger that was fetched or cloned"
            if count
            else "a ledger that was fetched or cloned, without new records",
            "they are ignored: nothing is learned from them, and they make no entry trusted"
            if count
            else "the ledger of this repository cannot be pushed to the remote of that one",
            "if that ledger is yours, `workbench doctor --fix` shows the records and asks",
            "info",
            repair=partial(_confirm, subject) if subject.agree else None,
        )
    if plan_move_ledger(place) is not None:
        yield Finding(
            "some records or comments are in an older format (0.1)",
            "they are read as before; comments use budget, and a `.gitignore` may exclude records from git",
            "`workbench doctor --fix` shows the change and asks; it is one operation: undo undoes it",
            "info",
            repair=partial(subject.carry_out, plan_move_ledger) if subject.agree else None,
        )
    unknown = sum(bool(one.provenance and one.provenance.mark) for one in place.memory_document().entries)
    if unknown:
        reference = place.ledger.reference
        fetched = reference.removesuffix("ledger") + "fetched/origin"
        yield Finding(
            f"{plural(unknown, 'mark')} in {place.memory_path()} that are not in the ledger",
            "their origin is unknown: the text changed, or the ledger is elsewhere",
            f"if another clone has it: `git fetch origin '{reference}:{fetched}'`, then doctor --fix",
            "info",
        )


def _confirm(subject: CheckSubject) -> str:
    """Take over a ledger that came from elsewhere, if the person agrees. Raises WorkbenchError."""
    place = subject.workspace
    found = place.ledger.foreign()
    records = tuple(record for one in found for record in one.records)
    plan = Plan(action="confirm", summary="a ledger from elsewhere", records=records)
    subject.require_agreement(plan)
    return f"{plural(place.ledger.confirm(found), 'record')} taken over"
