"""Names that break careless programs: every command takes them, and none of their bytes steers a terminal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.workspaces import Sandbox

NAMES = {
    "newline": b"a\nb.md",
    "tab": b"a\tb.md",
    "escape": b"a\x1b]52;c;x\x07b.md",
    "option": b"-rf.md",
    "star": b"*.md",
    "question": b"what?[a].md",
    "longest": b"n" * 252 + b".md",
    "no UTF-8": b"caf\xe9\xff.md",
    "NFC": "café.md".encode(),
    "NFD": "cafe\u0301.md".encode(),
    "dots": b"trailing...md",
    "blank": b" lead and trail .md",
    "hash": b"a#b.md",
    "hash of an entry": b"a#0123456789ab~2.md",
    "tilde": b"~a.md",
    "colon": b":(top)a.md",
    "quote": b"a\"b'c\\d.md",
    "bidi": "a\u202eb.md".encode(),
    "separator": "a\u2028b.md".encode(),
    "percent": b"%41%2f.md",
    "brackets": b"[@click=app.quit][b](x).md",
}
CONTROL = frozenset(range(0x20)) - {0x0A, 0x09} | {0x7F}


class Program:
    """The command line in processes of its own, as a person starts it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *arguments: str | bytes) -> bytes:
        done = forked.run(*arguments, cwd=self.root)
        said = done.stdout + done.stderr
        assert b"Traceback" not in said, said.decode("utf-8", "replace")
        assert done.returncode == 0, said.decode("utf-8", "replace")
        assert not CONTROL & set(said), said
        assert b"\xe2\x80\xae" not in said
        said.decode()
        return done.stdout

    def json(self, *arguments: str | bytes) -> object:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> bytes:
    return NAMES[request.param]


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "names with newline, tab, ESC, `-rf`, `*`, 255 bytes, invalid UTF-8",
    "every command takes them and prints no control byte",
)
def test_every_command_takes_the_name_and_prints_no_control_byte(sandbox: Sandbox, name: bytes) -> None:
    path = os.fsdecode(b"memory/" + name)
    file = sandbox.root / path
    file.write_bytes(b"- first words\n- second words\n")
    place = sandbox.workspace
    run = Program(sandbox.root)
    run("status")
    first, second = (entry.address for entry in place.document(path).entries)
    run("get", "--", path)
    run("promote", "--dry-run", "--", first)
    run("promote", "--", first)
    assert b"first words" in sandbox.read("MEMORY.md")
    run("forget", "--", second)
    assert file.read_bytes() == b"- first words\n"
    run("log")
    run("undo")
    assert file.read_bytes() == b"- first words\n- second words\n"
    run("redo")
    operation = place.operations.log(1)[0].id
    run("show", operation)
    run("blame", "--", path)
    run("log", "--", path)
    run("edit", "--text", "- edited words", "--", first)
    assert file.read_bytes() == b"- edited words\n"
    run("move", "--heading", "Moved", "--", place.document(path).entries[0].address)
    assert file.read_bytes().endswith(b"## Moved\n\n- edited words\n")
    run("undo")
    assert file.read_bytes() == b"- edited words\n"
    assert sandbox.git("status", "--porcelain") == ""
    sandbox.git("fsck", "--strict")


@pytest.mark.promise("Names, encodings, paths, clocks", "NFC and NFD spellings of one name", "two files")
def test_two_spellings_of_one_name_are_two_files_and_each_action_meets_its_own(sandbox: Sandbox) -> None:
    for form in ("NFC", "NFD"):
        (sandbox.root / "memory" / os.fsdecode(NAMES[form])).write_text(f"- words in {form}\n")
    place = sandbox.workspace
    run = Program(sandbox.root)
    path = "memory/" + os.fsdecode(NAMES["NFD"])
    run("forget", "--", place.document(path).entries[0].address)
    assert (sandbox.root / path).read_bytes() == b""
    other = sandbox.root / "memory" / os.fsdecode(NAMES["NFC"])
    assert other.read_bytes() == b"- words in NFC\n"
