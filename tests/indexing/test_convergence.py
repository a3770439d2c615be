"""Whatever changes in whatever source, whichever parts are run: the index ends as a clean build would."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from indexing.sync.freshness import freshness
from indexing.sync.run import reindex
from indexing.sync.verify import verify_index
from tests.indexing.conftest import Memory, Owner
from tests.support.sessions import append, claw, code, plain

STEPS = 40
WORDS = "quokka wombat heron stork axolotl marmot figs pond garden ladder".split()  # noqa: SIM905


class World:
    """A memory, notes and sessions beside it, and everybody who changes them."""

    def __init__(self, memory: Memory, notes: Path, sessions: Path, seed: int) -> None:
        self.memory = memory
        self.notes = notes
        self.sessions = sessions
        self.chance = random.Random(seed)

    def step(self) -> None:
        """One change, or one run over all or a part."""
        deeds = [self.write, self.note, self.talk, self.run]
        self.chance.choice([*deeds, *deeds, self.lose])()

    def write(self) -> None:
        self.memory.write(f"memory/{self.chance.choice('abc')}/{self.chance.randrange(4)}.md", *self.said())

    def note(self) -> None:
        name = self.notes / f"{self.chance.randrange(4)}.md"
        name.write_text("".join(f"- {words}\n" for words in self.said()))

    def talk(self) -> None:
        session = self.sessions / f"{self.chance.randrange(3)}.jsonl"
        turns = [("user" if number % 2 else "assistant", words) for number, words in enumerate(self.said())]
        form = self.chance.choice([claw, code, plain])
        if self.chance.random() < 0.2:
            session.write_bytes(form(*turns))
        elif self.chance.random() < 0.2:
            append(session, b'{"role": "user", "content": "half')
        else:
            append(session, form(*turns))

    def lose(self) -> None:
        files = [file.path for file in self.memory.workspace.scan()] + [*map(str, self.notes.glob("*.md"))]
        if len(files) > 4:
            path = self.memory.root / self.chance.choice(sorted(files))
            if self.chance.random() < 0.5:
                path.unlink()
            else:
                os.replace(path, path.with_name(f"{self.chance.randrange(9)}-moved.md"))

    def run(self) -> None:
        parts = ["memory/a", "memory/b", str(self.notes), str(self.sessions), "memory"]
        paths = self.chance.sample(parts, self.chance.choice([0, 0, 1, 2]))
        there = [path for path in paths if (self.memory.root / path).exists()]
        reindex(self.memory.workspace, paths=there, model=self.memory.model.choice)

    def said(self) -> list[str]:
        return [" ".join(self.chance.sample(WORDS, 3)) for _ in range(self.chance.randint(1, 4))]


@pytest.mark.parametrize("seed", range(4))
def test_any_changes_and_runs_end_in_the_index_of_a_clean_build(
    owner: Owner, notes: Path, sessions: Path, seed: int
) -> None:
    memory = owner.opens(extra_paths=[notes], transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    world = World(memory, notes, sessions, seed)
    for _ in range(STEPS):
        world.step()
    reindex(memory.workspace, paths=[".", str(notes), str(sessions)], model=memory.model.choice)
    assert freshness(memory.workspace).state == "fresh"
    checks = verify_index(memory.workspace, model=memory.model.choice)
    assert [flaw for check in checks for flaw in check.flaws] == []
    assert "changed files" not in checks[0].looked_at


def test_verify_leaves_a_growing_session_out_and_says_so(owner: Owner, sessions: Path) -> None:
    memory = owner.opens(transcripts=[sessions])
    memory.write("MEMORY.md", "Tea")
    memory.reindex()
    append(sessions / "s91.jsonl", plain(("user", "one line more")))
    checks = verify_index(memory.workspace, model=memory.model.choice)
    assert [flaw for check in checks for flaw in check.flaws] == []
    assert "1 changed file left out" in checks[0].looked_at
