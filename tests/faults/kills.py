"""Kills beside writers of every sort and a person at git, and a count of the lines that are lost.

``python -m tests.faults.kills --kills 300`` prints a closing line and ends with 1 when a line is lost or
``workbench verify`` finds fault. Each line holds a token of its own. A token is lost when it is in no memory
file, in nothing that `workbench inbox conflicts` and `status` name as kept, and in no commit. Tokens that a
writer destroyed itself, by truncating or deleting its file, are not counted.

Git's own checkouts destroy what is written to a file meanwhile, workbench or not: the person stashes, merges
and rebases while the writers rest, between a kill and what comes after it; commits are made at any time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

from tests.support import forked
from workbench.workspace.demo_writer import write_demo

READS = (
    ("status",), ("search", "token"), ("get", "MEMORY.md"), ("log",), ("verify",), ("doctor",),
    ("reindex", "--no-vectors"), ("bulletin",), ("status", "--commit"), ("inbox", "conflicts"),
)  # fmt: skip
_LINES_OF_A_LOG = 150
_PAUSE_SECONDS = 0.12


@dataclass
class Ledger:
    """The tokens that must be somewhere at the end."""

    tokens: set[str] = field(default_factory=set)
    written: int = 0

    def line(self) -> tuple[str, bytes]:
        """A token that was never written, and the line that holds it."""
        self.written += 1
        token = f"token{self.written}x{threading.get_ident() % 1000}z"
        return token, f"- {token} was noted\n".encode()


class Writer(threading.Thread):
    """Writes a line now and then, each sort in its own way; rests while somebody else has ``at_rest``."""

    def __init__(self, root: Path, ledger: Ledger, stopped: threading.Event) -> None:
        super().__init__(daemon=True)
        self.root, self.ledger, self.stopped = root, ledger, stopped
        self.at_rest = threading.Lock()
        self.lines = 0
        self.mine: list[tuple[str, bytes]] = []

    def run(self) -> None:
        """Until it is stopped."""
        while not self.stopped.wait(_PAUSE_SECONDS):
            with self.at_rest:
                self.write()
                self.lines += 1

    def write(self) -> None:
        """One line, or one change of a file."""
        raise NotImplementedError

    def rest(self) -> None:
        """Close what is open: git is about to put other files in the place of these."""

    def log(self, day: int) -> Path:
        """A daily log, another one after some lines."""
        return self.root / f"memory/2026-{1 + self.lines // _LINES_OF_A_LOG % 12:02}-{day:02}.md"


class Appender(Writer):
    """Opens its log anew for each line; every third goes to MEMORY.md."""

    def write(self) -> None:
        token, line = self.ledger.line()
        path = self.root / "MEMORY.md" if self.lines % 3 == 0 else self.log(1)
        with path.open("ab", buffering=0) as file:
            file.write(line)
        self.ledger.tokens.add(token)


class Holder(Writer):
    """Holds its log open from its first line to its last, and the two before it too."""

    opened: list[tuple[Path, BinaryIO]]

    def write(self) -> None:
        held = self.__dict__.setdefault("opened", [])
        path = self.log(2)
        if not any(place == path for place, _ in held):
            held.append((path, path.open("ab", buffering=0)))
        while len(held) > 3:
            held.pop(0)[1].close()
        token, line = self.ledger.line()
        held[self.lines % len(held)][1].write(line)
        self.ledger.tokens.add(token)

    def rest(self) -> None:
        for _, file in self.__dict__.pop("opened", []):
            file.close()


class Renamer(Writer):
    """Writes a new file and renames it over the old one, as editors do."""

    def write(self) -> None:
        token, line = self.ledger.line()
        path = self.log(3)
        before = path.read_bytes() if path.exists() else b""
        fresh = path.with_suffix(".writing")
        fresh.write_bytes(before + line)
        fresh.replace(path)
        self.ledger.tokens.add(token)


class Truncator(Writer):
    """Truncates its file in place and writes its last lines anew; those before it has given up."""

    def write(self) -> None:
        token, line = self.ledger.line()
        given_up = {old for old, _ in self.mine[:-20]}
        self.mine = [*self.mine[-20:], (token, line)]
        self.ledger.tokens -= {old for old, _ in self.mine} | given_up
        path = self.root / "memory/2026-03-04.md"
        with path.open("r+b" if path.exists() else "wb", buffering=0) as file:
            file.truncate(0)
            file.write(b"".join(text for _, text in self.mine))
        self.ledger.tokens |= {token for token, _ in self.mine}


class Deleter(Writer):
    """Deletes its page now and then, with all that it wrote there, and begins another one."""

    def write(self) -> None:
        path = self.root / "memory/deleted.md"
        if len(self.mine) > 12:
            self.ledger.tokens -= {token for token, _ in self.mine}
            self.mine = []
            path.unlink(missing_ok=True)
        token, line = self.ledger.line()
        with path.open("ab", buffering=0) as file:
            file.write(line)
        self.mine.append((token, line))
        self.ledger.tokens.add(token)


class Person:
    """Commits at any time; stashes, merges and rebases while the writers rest."""

    def __init__(self, root: Path, chance: random.Random, ledger: Ledger) -> None:
        self.root, self.chance, self.ledger = root, chance, ledger
        self.done = 0

    def git(self, *arguments: str) -> bool:
        """Whether it went well: what stands in its way is the person's to see, and no fault here."""
        done = subprocess.run(["git", "-C", self.root, *arguments], capture_output=True, check=False)
        return done.returncode == 0

    def commit(self) -> None:
        """All memory, as it is."""
        self.done += self.git("add", "-A", "--", "*.md") and self.git("commit", "-q", "-m", "of the person")

    def disturb(self) -> None:
        """One of the things that put other files in the place of these, and back."""
        self.commit()
        deed = self.chance.choice((self.stash, self.merge, self.rebase))
        deed()
        self.git("merge", "--abort")
        self.git("rebase", "--abort")
        self.git("switch", "-q", "main")
        self.done += 1

    def stash(self) -> None:
        self._note("MEMORY.md")
        if self.git("stash", "-q"):
            self.git("stash", "pop", "-q")

    def merge(self) -> None:
        if self._aside():
            self.git("switch", "-q", "main")
            self.git("merge", "-q", "--no-edit", "aside")

    def rebase(self) -> None:
        if self._aside() and self.git("rebase", "-q", "main"):
            self.git("switch", "-q", "main")
            self.git("merge", "-q", "--ff-only", "aside")

    def _aside(self) -> bool:
        """A branch that has a page more, from some commits ago."""
        if not self.git("switch", "-q", "-C", "aside", f"HEAD~{self.chance.randint(1, 3)}"):
            return False
        path = self._note(f"memory/person-{self.done}.md")
        return self.git("add", path) and self.git("commit", "-q", "-m", "aside")

    def _note(self, path: str) -> str:
        token, line = self.ledger.line()
        with (self.root / path).open("ab") as file:
            file.write(line)
        self.ledger.tokens.add(token)
        return path


def main() -> None:
    """Kill, count, and say what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _at_home(Path(folder))
        sys.exit(run(Path(folder), kills=asked.kills, seed=asked.seed, say=print))


def run(folder: Path, *, kills: int, seed: int, say: Callable[[str], object]) -> int:
    """Kill that often in a workspace below ``folder``; 0 when no line is lost and ``verify`` agrees."""
    chance = random.Random(seed)
    root = folder / "workspace"
    write_demo(root)
    environment = dict(os.environ)
    begin = partial(forked.started, cwd=forked.PROJECT, env=environment)
    subprocess.run(["git", "-C", root, "branch", "-q", "-M", "main"], check=True)
    ledger, stopped = Ledger(), threading.Event()
    sorts: tuple[type[Writer], ...] = (Appender, Holder, Renamer, Truncator, Deleter)
    writers = [sort(root, ledger, stopped) for sort in sorts]
    person = Person(root, chance, ledger)
    for writer in writers:
        writer.start()
    started, killed, rounds = time.monotonic(), 0, 0
    while killed < kills:
        rounds += 1
        with (
            begin(root, str(rounds), module="tests.support.worker") as acting,
            begin("-w", root, *chance.choice(READS)) as reading,
        ):
            acting[1].readline()  # it begins to act
            for process, _, _ in chance.sample((acting, reading), 2):
                time.sleep(chance.uniform(0.0, 0.5))
                if chance.random() < 0.3:
                    person.commit()
                killed += not process.has_ended()
                process.kill()
            for _, _, said in (acting, reading):
                errors = said.read()
                assert b"Traceback" not in errors, errors.decode("utf-8", "replace")
        if chance.random() < 0.3:
            with contextlib.ExitStack() as resting:
                for writer in writers:
                    resting.enter_context(writer.at_rest)
                    writer.rest()
                person.disturb()
    stopped.set()
    for writer in writers:
        writer.join()
        writer.rest()
    verified = _settle(environment, root)
    known = _known(root)
    lost = sorted(token for token in ledger.tokens if f"{token} ".encode() not in known)
    say(
        f"{killed} kills in {time.monotonic() - started:.0f} s, {ledger.written:,} lines of {len(writers)} "
        f"writers, {person.done} commits, stashes, merges and rebases: {len(lost)} lines lost, "
        f"verify exit {verified}"
    )
    for token in lost[:20]:
        say(f"lost: {token}")
    return 1 if lost or verified else 0


def _at_home(folder: Path) -> None:
    """A person of their own, so that nobody's settings or keys are read or written."""
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Test Person\n\temail = test@localhost\n")
    (home / "settings.yaml").write_text("model: none\n")
    os.environ |= {"HOME": str(home), "WORKBENCH_CONFIG": str(home / "settings.yaml")}
    os.environ.pop("XDG_STATE_HOME", None)


def _workbench(
    environment: dict[str, str], root: Path, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    return forked.run("-w", root, *arguments, cwd=forked.PROJECT, env=environment)


def _settle(environment: dict[str, str], root: Path) -> int:
    """What a person does afterwards: record, look at the conflicts, reindex; what ``verify`` says then."""
    (root / "memory/last.md").write_bytes(b"- the last line\n")
    for _ in range(2):
        _workbench(environment, root, "status", "--commit", "--allow-secret")
    while _workbench(environment, root, "inbox", "conflicts", "--discard", "1", "--yes").returncode == 0:
        pass
    _workbench(environment, root, "status", "--commit", "--allow-secret")
    _workbench(environment, root, "reindex", "--no-vectors")
    done = _workbench(environment, root, "verify")
    if done.returncode:
        sys.stderr.write((done.stdout + done.stderr).decode("utf-8", "replace"))
    return done.returncode


def _known(root: Path) -> bytes:
    """All memory files, what is kept, and every version that a reference leads to."""
    here = [path.read_bytes() for path in root.rglob("*.md") if path.is_file()]
    for name in ("conflicts", "displaced"):
        here += [path.read_bytes() for path in (root / ".workbench" / name).glob("*") if path.is_file()]
    objects = subprocess.run(
        ["git", "-C", root, "rev-list", "--objects", "--all", "--no-object-names"],
        check=True,
        capture_output=True,
    ).stdout
    versions = subprocess.run(
        ["git", "-C", root, "cat-file", "--batch"], input=objects, check=True, capture_output=True
    ).stdout
    return b"\n".join((*here, versions))


if __name__ == "__main__":
    main()
