"""Recall tests: questions of the person's own in ``recall-tests.yaml``, and what each must find.

::

    - question: what did we decide about the broker   # in the language of the search box
      finds: memory/2026-03-14.md#4f1c9a02b7de        # an entry, a file, or words that an entry must hold
      within: 5                                       # among the first so many hits; 5 when not said
      mode: hybrid                                    # hybrid, lexical or vector; hybrid when not said
      filters: kind:log since:2026-03-01              # further conditions, in the same language
      not: the old broker                             # what must not be among them

``finds`` and ``not`` may be lists: all of them must, or must not, be found. The file is untrusted text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from indexing.search.answer import MAX_HITS, MODES, Mode
from workbench.config.safe_yaml import MappingError, read_list
from workbench.errors import UsageError
from workbench.memory.names import RelPath
from workbench.workspace.layout import RECALL_TESTS
from workbench.workspace.workspace import Workspace

WITHIN = 5
MAX_BYTES = 1_000_000
MAX_TESTS = 2_000
_MAX_NODES = 100_000
_MOST_TARGETS = 20
_KEYS = ("question", "finds", "not", "within", "mode", "filters")
_ADDRESS = re.compile(r".+\.\w{1,8}#[0-9a-f]{3,12}(?:~\d{1,6})?", re.DOTALL)
_LINE_START = re.compile(r"^(?P<indent>[ ]*)-[ ]", re.MULTILINE)

Sort = Literal["entry", "file", "words"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a test looks for, as it is written, and how that is meant."""

    sort: Sort
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTest:
    """One test, the ``number``-th of its file. All of ``finds`` are to be among ``within`` hits."""

    number: int
    question: str
    finds: tuple[Target, ...]
    excluded: tuple[Target, ...] = ()
    within: int = WITHIN
    mode: Mode = "hybrid"
    filters: str = ""


def read_recall_tests(workspace: Workspace) -> tuple[RecallTest, ...]:
    """The tests of a workspace; none where there is no file.

    Raises UsageError naming the test and what is wrong with it, NotMemoryError where the file is a link.
    """
    data = workspace.files.read_or_none(RelPath(RECALL_TESTS))
    return () if data is None else parse_recall_tests(data)


def parse_recall_tests(data: bytes) -> tuple[RecallTest, ...]:
    """The tests in the bytes of a file. Raises UsageError."""
    try:
        rows = read_list(data.decode("utf-8"), max_bytes=MAX_BYTES, max_nodes=_MAX_NODES)
    except (MappingError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UsageError(
            f"{RECALL_TESTS} is not a YAML list of tests: {reason}",
            hint="each test is `- question: …` with `finds: …` in the line below",
        ) from error
    if len(rows) > MAX_TESTS:
        raise UsageError(f"{RECALL_TESTS} has {len(rows)} tests; {MAX_TESTS} are allowed")
    return tuple(_test(number, row) for number, row in enumerate(rows, 1))


def target_of(text: str) -> Target:
    """An entry where it reads like an address, a file where it reads like a path, else words."""
    if found := _ADDRESS.fullmatch(text):
        return Target("entry", found[0])
    if text.endswith(".md") and "\n" not in text and not re.search(r"\s-|\s\s|[*?\"]", text):
        return Target("file", text)
    return Target("words", " ".join(text.split()))


def with_test(data: bytes | None, question: str, finds: str) -> bytes:
    """The file with one more test at its end; all that stands in it stays as it is.

    Raises UsageError where the file is written so that nothing can be added at its end.
    """
    before = data or b""
    known = parse_recall_tests(before)
    text = before.decode("utf-8")
    starts = _LINE_START.findall(text)
    indent = starts[-1] if starts and known else ""
    lines = f"{indent}- question: {quoted(question)}\n{indent}  finds: {quoted(finds)}\n"
    joint = "" if not text or text.endswith("\n") else "\n"
    after = (text + joint + lines).encode("utf-8")
    try:
        now = parse_recall_tests(after)
    except UsageError:
        now = ()
    if now[:-1] != known or not now or (now[-1].question, now[-1].finds) != (question, (target_of(finds),)):
        raise UsageError(
            f"nothing can be added at the end of {RECALL_TESTS} as it is written",
            hint="paste this into it yourself: " + lines.replace("\n", " ⏎ "),
        )
    return after


def quoted(text: str) -> str:
    """``text`` as a YAML scalar in double quotes, on one line. Raises UsageError for what is no text."""
    out = []
    for character in text:
        code = ord(character)
        if 0xD800 <= code < 0xE000:
            raise UsageError("the question or the entry's name is not UTF-8")
        if character in '"\\':
            out.append("\\" + character)
        elif code < 0x20 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF):
            out.append(f"\\u{code:04x}")
        else:
            out.append(character)
    return '"' + "".join(out) + '"'


def _test(number: int, row: object) -> RecallTest:
    if not isinstance(row, dict):
        raise _wrong(number, "is not a mapping", "each test is `- question: …` with `finds: …` below")
    for key in row:
        if key not in _KEYS:
            raise _wrong(number, f"has the key {key[:40]!r}", "known: " + ", ".join(_KEYS))
    question = row.get("question")
    if not isinstance(question, str) or not question.strip():
        raise _wrong(number, "has no question", '`question: "…"` is what is searched for')
    finds, excluded = (_targets(number, key, row.get(key)) for key in ("finds", "not"))
    if not finds and not excluded:
        raise _wrong(number, "does not say what is to be found", "`finds: path#hash`, a path, or words")
    mode, filters, within = row.get("mode", "hybrid"), row.get("filters", ""), row.get("within", str(WITHIN))
    if mode not in MODES:
        raise _wrong(number, f"has the mode {str(mode)[:40]!r}", "one of " + ", ".join(MODES))
    if not isinstance(filters, str):
        raise _wrong(number, "has filters that are no text", "for example `filters: kind:log since:2026-03`")
    if not isinstance(within, str) or not within.isascii() or not within.isdigit():
        raise _wrong(number, "has a `within` that is no number", "for example `within: 5`")
    if not 1 <= int(within[:9]) <= MAX_HITS:
        raise _wrong(number, f"is about {within[:9]} hits", f"`within` is 1 to {MAX_HITS}")
    return RecallTest(
        number=number,
        question=question,
        finds=finds,
        excluded=excluded,
        within=int(within[:9]),
        mode=cast("Mode", mode),
        filters=filters,
    )


def _targets(number: int, key: str, value: object) -> tuple[Target, ...]:
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
        raise _wrong(number, f"has a `{key}` that is no text", "an entry's path#hash, a path, or words")
    if len(items) > _MOST_TARGETS:
        raise _wrong(number, f"names {len(items)} things", f"{_MOST_TARGETS} are allowed")
    return tuple(target_of(item.strip()) for item in items)


def _wrong(number: int, what: str, hint: str) -> UsageError:
    return UsageError(f"test {number} of {RECALL_TESTS} {what}", hint=hint)
