"""Where the history of a workspace is kept: in the repository around it, or in a git directory of ours.

Ours is used where git ignores the memory, or there is no repository: ``workbench/history.git`` in the git
directory that all worktrees share, where no ``git clean`` reaches it, or else one in the platform's data
directory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import platformdirs

from workbench.config.read_only import require_more_than_looking
from workbench.errors import (
    NoRepositoryError,
    RepositoryStateError,
    WorkbenchError,
    WriteFailedError,
    disk_error,
    disk_errors,
)
from workbench.frozen import frozen
from workbench.memory.entry import Kind, RelPath
from workbench.repository.git_repository import History
from workbench.repository.git_runner import ask, carrier_for, is_ancestor, references
from workbench.repository.line_blame import prepare_empty
from workbench.repository.objects import CommitId, ReferenceMove
from workbench.special_files import read_regular
from workbench.temporary import scratch
from workbench.workspace.agent_layouts import existing
from workbench.workspace.layout import STATE_DIR, Layout, walk
from workbench.workspace.ledger import family_of, identity_file
from workbench.workspace.locks import hold
from workbench.workspace.seal import Seal, read_note
from workbench.workspace.state_files import flush_folder, read_state, replace_state, write_state

_FOLDER = "workbench"
"""In the git directory of a repository."""
_NAME = "history.git"
_NOTE = "workspace.json"
_MARK = "history.json"
_PLACES = "places"
"""Beside the git directories: for each place of a workspace the id of its history."""
MAKING = ".making-"
"""What the name of one begins with that is not whole yet."""
_ID = re.compile(r"[0-9a-f]{32}")
_MOST_BYTES = 64 * 1024
_WAIT_SECONDS = 60.0
_SAMPLE = 50
_LOOSE = 27
"""Objects in one of 256 folders from which git itself would pack them (`gc.auto`)."""
_CORE = (Kind.MEMORY, Kind.LOG)
_READ_ONLY_KINDS = (Kind.BOOTSTRAP, Kind.CONTEXT, Kind.TRANSCRIPT)
"""What is rather written for an agent than remembered by it: `CLAUDE.local.md` is always ignored."""


@frozen
class _Note:
    """Whose history a git directory of ours holds.

    ``key`` is the place of the workspace: in a repository that of its checkout and its folder in it, so that
    the repository can be moved; else its path. ``root`` is where it was last, and ``inode`` which folder that
    was. ``prefix`` is its place in the trees. ``ended``: a person went on with the repository.
    """

    id: str
    key: str
    root: str
    prefix: str = ""
    ended: bool = False
    inode: int = 0


@frozen
class _Kept:
    """A git directory of ours, and its note; None where it cannot be read.

    ``sealed``: it was made here, and is not ``another``'s, a folder's that was in this place before.
    """

    git_dir: Path
    note: _Note | None
    sealed: bool
    another: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether a person has gone on from it, with the repository."""
        return self.sealed and self.note is not None and self.note.ended


def histories_folder() -> Path:
    """Where the histories of workspaces without a repository are."""
    return platformdirs.user_data_path("memory-workbench") / "histories"


class OwnPlace:
    """The git directory of ours of one workspace, whether it is there or not.

    The choice for it is made once, when the history is opened; once it is there, it stays until a person ends
    it (``end``). Nothing is written before the first action. A sealed note in it says whose history it is. It
    is found by the place of the workspace, which a file beside it names, and after a move by the id that
    ``.workbench/history.json`` has in common with it: so none of the others on this machine is looked at.
    Each question looks anew, since another program may make, move or end it while an interface is open.
    """

    def __init__(self, root: Path, layout: Layout, person: History | None) -> None:
        """``person`` is the repository around the workspace."""
        self._root, self._layout, self.person = root, layout, person
        self._homes: dict[Path, str] = {}
        if person:
            checkout = os.path.relpath(person.git_dir, person.common_dir)
            self._homes[person.common_dir / _FOLDER] = f"{checkout}:{person.prefix}"
        self._homes[histories_folder()] = os.fspath(root)
        self._home = next(iter(self._homes))

    def find(self) -> tuple[Path, str] | None:
        """Where it is, and the workspace's place in its trees.

        Raises RepositoryStateError where what is there was not made here.
        """
        kept = self._kept()
        if not kept or kept.has_ended:
            return None
        if not kept.sealed or not kept.note:
            raise _foreign(kept)
        return kept.git_dir, kept.note.prefix

    def make(self) -> tuple[Path, str]:
        """Make it where it is not there. Raises WorkbenchError; then nothing is there that was not before."""
        require_more_than_looking()
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with hold(self._home / "history.lock", "making a history", wait=_WAIT_SECONDS):
                kept = self._kept()
                if kept and not (kept.sealed and kept.note):
                    raise _foreign(kept)
                if kept and kept.has_ended and self.person:
                    self._take_back(kept, self.person)
                return self._go_on(kept) if kept else self._made()
        except shutil.Error as error:
            raise WriteFailedError(
                f"the history could not be created: {error}", hint="nothing was changed; try again"
            ) from error
        except OSError as error:
            raise disk_error(error) from error

    def is_elsewhere(self, history: History) -> bool:
        """Whether another program has moved the history from where it was opened."""
        if history.own and history.other is not None:
            return False
        try:
            found = self.find()
        except RepositoryStateError:  # it was not made here: whoever opens the history is told
            return False
        return found[0] != history.git_dir if found else history.own

    def is_needed(self) -> bool:
        """Whether memory could not be kept in the repository: git ignores it, or there is none.

        That is so where git ignores all logs or the files that an agent always loads, or all there is. A
        private note among files in git is no reason to leave the repository.
        """
        if not self.person:
            return True
        few = self._kinds(_SAMPLE)  # where these are in git it is known at once
        return self._are_ignored(few) and (len(few) < _SAMPLE or self._are_ignored(self._kinds()))

    def _are_ignored(self, kinds: Mapping[RelPath, Kind]) -> bool:
        ignored = set(self.person.ignored(kinds)) if self.person else set()
        core = [{path for path, one in kinds.items() if one is kind} for kind in _CORE]
        return any(part and part <= ignored for part in (core if any(core) else [kinds.keys()]))

    def reason(self) -> str:
        """Why history is kept apart; empty where the repository would keep this memory after all."""
        if not self.person:
            return "there is no git repository"
        kinds = self._kinds()
        if found := self.find():  # what was deleted since would have to be kept too
            with contextlib.closing(History.open_own(self._root, *found)) as own:
                kinds |= {path: self._layout.kind_of(path) for path in self._recorded(own)}
        return f"git ignores {self.person.ignored(kinds)[0]}" if self._are_ignored(kinds) else ""

    def continues(self) -> bool:
        """Whether the repository holds memory of this workspace: then its history is where ours begins."""
        return self.person is not None and any(map(self._is_curated, self._recorded(self.person)))

    def _recorded(self, history: History) -> Iterator[RelPath]:
        """The memory files of the newest commit."""
        if head := history.head():
            files = history.files_in(head, lambda folder, _: not self._layout.prunes(folder))
            yield from (path for path, _ in files if self._layout.holds(path))

    def _kinds(self, most: int | None = None) -> dict[RelPath, Kind]:
        """The kind of each memory file, and of the one that the first promotion would make.

        With ``most`` those that an agent always loads, and beside them the first that are found, logs before
        all others.
        """
        memory = [*self._layout.memory_files]
        loaded = existing(self._root, memory)
        kinds = {RelPath(os.fspath(path.relative_to(self._root))): Kind.MEMORY for path in loaded}
        first = next((name for name in memory if not set("*?[") & set(name)), "")
        if first and not kinds and self._makes(first):
            kinds[RelPath(first)] = Kind.MEMORY
        others: dict[RelPath, Kind] = {}
        for file in walk(self._root, self._layout):
            (kinds if file.kind in _CORE else others)[file.path] = file.kind
            if len(kinds) == most:
                break
        return kinds | dict(islice(others.items(), most))

    def has_moved(self) -> bool:
        """Whether the workspace is not where it was at its last action; the next one notes where it is."""
        kept = self._kept()
        return kept is not None and kept.note is not None and kept.note.root != os.fspath(self._root)

    def where(self) -> Path:
        """Where it is, or will be."""
        kept = self._kept()
        return kept.git_dir if kept else self._home / (_NAME if self.person else "")

    def foreign(self) -> Path | None:
        """Where there is one with a note that was not sealed here, which ``adopt`` can take over."""
        kept = self._kept()
        return kept.git_dir if kept and kept.note and not kept.sealed else None

    def ended(self) -> Path | None:
        """Where there is one that a person has gone on from."""
        kept = self._kept()
        return kept.git_dir if kept and kept.has_ended else None

    def adopt(self) -> Path:
        """Take over, as ours, what came from another machine or home; the person has agreed."""
        return self._go_on(self._kept())[0]

    def end(self) -> Path:
        """Have the history go on in the repository from now on; what was recorded so far stays there.

        The ledger goes along: it waits in the repository to be confirmed.
        """
        if not self.person or (found := self.find()) is None:
            raise RepositoryStateError("there is no repository to continue in")
        with contextlib.closing(History.open_own(self._root, *found)) as own:
            _send_ledger(own, self.person, "fetched/history")
        return self._go_on(self._kept(), ended=True)[0]

    def _take_back(self, kept: _Kept, person: History) -> None:
        """Have what the repository's ledger says since ours ended.

        Where not all of ours went into it, or it came from elsewhere itself, it waits here to be confirmed.
        """
        assert kept.note
        theirs = person.resolve(f"{family_of(person.prefix)}ledger")
        if not theirs:
            return
        identity = identity_file(person.common_dir)
        with contextlib.closing(History.open_own(self._root, kept.git_dir, kept.note.prefix)) as own:
            ours = own.resolve(f"{family_of(own.prefix)}ledger")
            if not identity.exists() or (ours and not is_ancestor(person.carrier, ours, theirs)):
                _send_ledger(person, own, "fetched/history")
                return
            _send_ledger(person, own, "ledger")
        replace_state(identity_file(kept.git_dir), read_regular(identity), flush=True)

    def _go_on(self, kept: _Kept | None, *, ended: bool = False) -> tuple[Path, str]:
        """Have what is there count from now on, or no more; where it is, and our place in its trees."""
        if not kept or not kept.note:
            raise RepositoryStateError("the workbench keeps no history here")
        self._write(kept.git_dir, replace(kept.note, ended=ended))
        return kept.git_dir, kept.note.prefix

    # -- finding ---------------------------------------------------------------------------------

    def _kept(self) -> _Kept | None:
        """What is there for this workspace: by its id, else by its place."""
        own, at = _mark_of(self._root)
        here: _Kept | None = None
        for home, key in self._homes.items():
            for kept in _in(home, own, key):
                if not kept.note:
                    is_ours = home == self._home and kept.git_dir.name == _NAME
                    if is_ours or (own and own in kept.git_dir.name):
                        return kept
                elif own and kept.note.id == own:
                    if kept.note.key == key or _mark_of(Path(kept.note.root))[0] != own:
                        return kept
                elif kept.note.key == key and not here:
                    # The folder that was here had a mark; without one this may be another.
                    is_same = not own and kept.note.inode in (0, self._inode())
                    here = kept if is_same else replace(kept, sealed=False, another=kept.sealed)
        return here or self._left_behind(own, at)

    def _left_behind(self, own: str, at: str) -> _Kept | None:
        """The history that the mark names, in a repository that the workspace is no longer in."""
        for kept in _in(Path(at).parent, own) if at else ():
            if kept.note and kept.note.id == own:
                last = Path(kept.note.root)
                return kept if last == self._root or _mark_of(last)[0] != own else None
        return None

    def is_lost(self) -> bool:
        """Whether the workspace had a history of ours that is nowhere to be found."""
        return bool(_mark_of(self._root)[0]) and self._kept() is None

    def _inode(self) -> int:
        return self._root.stat().st_ino

    def _is_curated(self, path: str) -> bool:
        kind = self._layout.kind_of(path)
        return self._makes(path) if kind is Kind.NOTE else kind not in _READ_ONLY_KINDS

    def _makes(self, path: str) -> bool:
        """Whether it is a file of an agent that keeps its memory here, and not any note."""
        agent = self._layout.agent_of(path)
        return agent is not None and agent.makes_memory

    # -- making ----------------------------------------------------------------------------------

    def _made(self) -> tuple[Path, str]:
        for left in self._home.glob(f"{MAKING}*"):  # a process was killed here
            shutil.rmtree(left)
        name = secrets.token_hex(16)
        begun = self._home / f"{MAKING}{name}"
        continued = self.continues()
        prefix = self.person.prefix if self.person and continued else ""
        carrier = carrier_for(self._root)
        carrier.set_persistent_git_options(git_dir=os.fspath(begun), work_tree=os.fspath(self._root))
        algorithm = self.person.algorithm if self.person else "sha1"
        ask(
            carrier, "init", "--quiet", "--initial-branch=main", "--template=", f"--object-format={algorithm}"
        )
        if self.person:
            self._begin_with(self.person, begun, prefix, history=continued)
        at = self._home / _NAME
        if not self.person or at.exists():
            at = self._home / f"history-{name}.git"
        self._write(begun, _Note(name, "", "", prefix), at)
        os.rename(begun, at)
        flush_folder(self._home)
        return at, prefix

    def _begin_with(self, person: History, begun: Path, prefix: str, *, history: bool) -> None:
        """Take over what the repository has of this memory: its ledger, and where it is tracked its history.

        The objects are linked, so it costs no room, and the repository may drop its own at any time.
        """
        theirs = family_of(person.prefix)
        ledgers = references(person.carrier, theirs)
        head = person.head() if history else None
        if not ledgers and not head:
            return
        _link_objects(person.common_dir / "objects", begun / "objects")
        for path in (person.common_dir / "shallow", identity_file(person.common_dir)):
            if path.exists():
                target = begun / path.relative_to(person.common_dir)
                target.parent.mkdir(mode=0o700, exist_ok=True)
                shutil.copyfile(path, target)
        ours = family_of(prefix)
        moves = [
            ReferenceMove(ours + name.removeprefix(theirs), CommitId(at), None)
            for name, at in ledgers.items()
        ]
        if head:
            moves.append(ReferenceMove("HEAD", head, None))
        with contextlib.closing(History.open_own(self._root, begun, prefix)) as own:
            own.move_references(moves, "workbench: begun")

    def _write(self, git_dir: Path, note: _Note, at: Path | None = None) -> None:
        """Seal the note, for where the workspace is now, and mark it; ``at`` is where it will be.

        In a repository that the workspace is no longer in it has no place: the mark leads there.
        """
        home = git_dir.parent
        key = self._homes.get(home, self._homes[self._home])
        note = replace(note, key=key, root=os.fspath(self._root), inode=self._inode())
        if home in self._homes:
            if not os.path.lexists(home / _PLACES):
                _make_places(home)
            write_state(_place_file(home / _PLACES, key), note.id, flush=True)
        path = git_dir / _FOLDER / _NOTE
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _seal(git_dir, note.id).write(path, note)
        with contextlib.suppress(FileNotFoundError):  # no state folder: then its place alone tells
            mark = {"id": note.id, "at": os.fspath(at or git_dir)}
            write_state(self._root / STATE_DIR / _MARK, mark, flush=True)


def open_history(root: Path, layout: Layout) -> History:
    """The history of the workspace in ``root``, wherever it is kept; nothing is written.

    Raises NoGitError, and RepositoryStateError for a bare or foreign repository, or a history not made here.
    """
    place = own_place(root, layout)
    person = place.person
    try:
        found = place.find()
    except RepositoryStateError:
        if place.is_needed():
            raise
        found = None  # doctor tells of it
    if not found and person:
        person.place = person.other = place
        if not place.is_needed():
            return person
        if place.continues():
            person.own = True
            return person
    with contextlib.ExitStack() as stack:
        at = found
        if not at:
            with disk_errors():
                at = stack.enter_context(scratch("history")), ""
                prepare_empty(at[0], algorithm=person.algorithm if person else "sha1")
        history = History.open_own(root, *at)
        history.beside, history.place = person, place
        history.other = place if found is None or place.has_moved() else None
        history.on_close = stack.pop_all().close
    return history


def _send_ledger(source: History, target: History, name: str) -> None:
    """Put the ledger of one repository into another, where this reference names it."""
    tip = source.resolve(f"{family_of(source.prefix)}ledger")
    if tip:
        objects = ask(source.carrier, "pack_objects", "--revs", "--stdout", "-q", data=f"{tip}\n".encode())
        target.feed(objects, "unpack_objects", "-q")
        target.run("update_ref", f"{family_of(target.prefix)}{name}", tip)


def pack_loose(history: History) -> None:
    """Pack the objects of a git directory of ours where they have become many: nobody else does it there."""
    with contextlib.suppress(WorkbenchError, OSError):
        if history.own and len(os.listdir(history.git_dir / "objects" / "17")) > _LOOSE:
            history.run("repack", "-d", "-q")


def own_place(root: Path, layout: Layout) -> OwnPlace:
    """The git directory of ours of a workspace. Raises as ``open_history`` does."""
    try:
        person: History | None = History.open(root)
    except NoRepositoryError:
        person = None
    return OwnPlace(root, layout, person)


def _in(home: Path, own: str, key: str = "") -> Iterator[_Kept]:
    """The git directories of ours in a folder that may be those of a workspace, by its id and its place."""
    if home.is_symlink():
        return
    placed = read_state(_place_file(home / _PLACES, key), _MOST_BYTES)
    known = [one for one in (own, placed) if isinstance(one, str) and _ID.fullmatch(one)]
    names = [_NAME, *(f"history-{one}.git" for one in known)]
    if not os.path.lexists(home / _PLACES):  # only version 0.2.0 has written here
        names += [path.name for path in sorted(home.glob("history-*.git"))]
    for git_dir in (home / name for name in dict.fromkeys(names) if os.path.lexists(home / name)):
        kept = _Kept(git_dir, None, False)
        with contextlib.suppress(OSError, ValueError):
            if not git_dir.is_symlink():
                note, told, seal = read_note(git_dir / _FOLDER / _NOTE, _Note)
                kept = _Kept(git_dir, note, _seal(git_dir, note.id).verifier()(told, seal))
        yield kept


def _make_places(home: Path) -> None:
    """Name the places of all that version 0.2.0 made in a folder, or of none."""
    begun = home / f"{MAKING}{secrets.token_hex(16)}"
    begun.mkdir(mode=0o700)
    for kept in _in(home, ""):
        if kept.note:
            write_state(_place_file(begun, kept.note.key), kept.note.id, flush=True)
    begun.rename(home / _PLACES)


def _place_file(places: Path, key: str) -> Path:
    return places / hashlib.sha256(os.fsencode(key)).hexdigest()[:32]


def _seal(git_dir: Path, name: str) -> Seal:
    return Seal(git_dir, named=f"history {name}")


def _mark_of(root: Path) -> tuple[str, str]:
    """The id that a workspace has in common with its history, and where that is; empty without.

    What has the same id as another one is a copy of it.
    """
    mark = read_state(root / STATE_DIR / _MARK, _MOST_BYTES)
    own, at = (str(mark.get(said, "")) for said in ("id", "at")) if isinstance(mark, dict) else ("", "")
    return (own, at) if _ID.fullmatch(own) else ("", "")


def _foreign(kept: _Kept) -> RepositoryStateError:
    aside = kept.git_dir.with_suffix(".aside")
    away = f"move it away: mv {kept.git_dir} {aside}; a new history is created, and no memory file changes"
    if not kept.note:
        return RepositoryStateError(
            f"{kept.git_dir} is not a complete history of this program; nothing was changed",
            hint=f"restore it from a copy, or {away}",
        )
    if kept.another:
        return RepositoryStateError(
            f"{kept.git_dir} is the history of another folder that was here; nothing was changed",
            hint=f"if this is the same memory, `workbench doctor --fix` continues it; otherwise {away}",
        )
    return RepositoryStateError(
        f"{kept.git_dir} was not created here: an unpacked folder can contain one; nothing was changed",
        hint=f"if it is your own, `workbench doctor --fix` imports it; otherwise {away}",
    )


def _link_objects(theirs: Path, ours: Path) -> None:
    """Give a git directory the objects of another one; no byte is copied where links are possible."""

    def link(source: str, target: str) -> None:
        if os.path.basename(source).startswith("tmp_") or source.endswith(".lock"):
            return
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)

    shutil.copytree(theirs, ours, copy_function=link, dirs_exist_ok=True)
    borrowed = theirs / "info" / "alternates"
    if borrowed.exists():  # relative to where they stand
        lines = os.fsdecode(read_regular(borrowed)).splitlines()
        (ours / "info" / "alternates").unlink()
        (ours / "info" / "alternates").write_bytes(
            b"".join(os.fsencode(f"{os.path.join(theirs, line)}\n") for line in lines if line)
        )
