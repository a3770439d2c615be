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


@pytest.mark.promise(
    "Names, encodings, paths, clocks",
    "names with newline, tab, ESC, `-rf`, `*`, 255 bytes, invalid UTF-8",
    "every command takes them and prints no control byte",
)
def test_every_command_takes_the_name_and_prints_no_control_byte(sandbox: Sandbox) -> None:
    """The files lie side by side: a name that is taken for a pattern or an option meets the others."""
    paths = [os.fsdecode(b"memory/" + name) for name in NAMES.values()]
    for number, path in enumerate(paths):
        sandbox.write(path, f"- words {number} to keep\n- more words of {number}\n")
    place = sandbox.workspace
    run = Program(sandbox.root)

    def addresses(nth: int) -> list[str]:
        return [place.document(path).entries[nth].address for path in paths]

    def require_each(text: str) -> None:
        held = [sandbox.read(path).decode() for path in paths]
        assert held == [text.format(number) for number in range(len(paths))]

    run("status")
    first, second = addresses(0), addresses(1)
    run("promote", "--dry-run", "--", *first)
    run("promote", "--", *first)
    for path in paths:
        run("get", "--", path)
    memory = sandbox.read("MEMORY.md").decode()
    assert all(f"words {number} to keep" in memory for number in range(len(paths)))
    run("forget", "--", *second)
    require_each("- words {} to keep\n")
    run("log")
    run("undo")
    require_each("- words {0} to keep\n- more words of {0}\n")
    run("redo")
    run("show", next(place.operations.walk()).id)
    for path, address in zip(paths, first, strict=True):
        run("blame", "--", path)
        run("log", "--", path)
        run("edit", "--text", f"- edited words {paths.index(path)}", "--", address)
    require_each("- edited words {}\n")
    run("move", "--heading", "Moved", "--", *addresses(0))
    assert all(
        sandbox.read(path).endswith(b"## Moved\n\n- edited words %d\n" % n) for n, path in enumerate(paths)
    )
    run("undo")
    require_each("- edited words {}\n")
    assert sandbox.git("status", "--porcelain") == ""
    sandbox.git("fsck", "--strict")


@pytest.mark.promise(
    "Names, encodings, paths, clocks", "NFC and NFD spellings of one name", "they are two files"
)
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
