"""Recall tests: questions in ``recall-tests.yaml``, what each must find, and whether it does.

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

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec
import yaml

from indexing.search.answer import MAX_HITS, Hit, Query, SearchAnswer
from indexing.search.modes import Mode
from workbench.config.safe_yaml import MappingError, read_list
from workbench.errors import IndexUnavailableError, NotMemoryError, UsageError, WorkbenchError
from workbench.frozen import frozen, frozen_kw_only
from workbench.health.finding import Finding, Fix, Look
from workbench.health.subject import CheckSubject
from workbench.memory.entry import RelPath, path_of
from workbench.memory.file_edit import FileEdit
from workbench.safety.secrets import masked
from workbench.workspace.layout import RECALL_TESTS
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

WITHIN = 5
MAX_BYTES = 1_000_000
MAX_TESTS = 2_000
LOOKED_AT = 25
"""Hits that are asked for at least, to say at which rank it came that came too late.

So many change nothing in the order: the pool that is ranked is that of ten hits.
"""
_MAX_NODES = 100_000
_MOST_TARGETS = 20
_ADDRESS = re.compile(r".+\.\w{1,8}#[0-9a-f]{3,12}(?:~\d{1,6})?", re.DOTALL)
_LINE_START = re.compile(r"^(?P<indent>[ ]*)-[ ]", re.MULTILINE)
_HOW = "each test is `- question: …` with `finds: …` in the line below: `path#hash`, a path, or words"


@frozen
class Target:
    """What a test looks for, as it is written, and how that is meant."""

    sort: Literal["entry", "file", "words"]
    text: str


class Targets(tuple[Target, ...]):
    """All that a test looks for: in the file one text, or a list of them."""

    __slots__ = ()


class RecallTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One test as it stands in the file. All that is ``wanted`` is to be among ``within`` hits."""

    question: Annotated[str, msgspec.Meta(pattern=r"\S")]
    wanted: Targets = msgspec.field(name="finds", default=Targets())
    unwanted: Targets = msgspec.field(name="not", default=Targets())
    within: Annotated[int, msgspec.Meta(ge=1, le=MAX_HITS)] = WITHIN
    mode: Mode = "hybrid"
    filters: str = ""

    def __post_init__(self) -> None:
        """What no type says. Raises ValueError."""
        if not self.wanted and not self.unwanted:
            raise ValueError("it does not say what must be found")


def _targets(_: object, said: object) -> Targets:
    """The targets that stand in the file. Raises ValueError."""
    listed: list[Any] = said if isinstance(said, list) else [said] if said else []
    if len(listed) > _MOST_TARGETS or not all(isinstance(one, str) and one.strip() for one in listed):
        raise ValueError(f"it can have at most {_MOST_TARGETS} targets, each a text that is not empty")
    return Targets(target_of(one.strip()) for one in listed)


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
        raise UsageError(f"{RECALL_TESTS} is not a YAML list of tests: {reason}", hint=_HOW) from error
    if len(rows) > MAX_TESTS:
        raise UsageError(f"{RECALL_TESTS} has {len(rows)} tests; {MAX_TESTS} are allowed")
    return tuple(_test(number, row) for number, row in enumerate(rows, 1))


def _test(number: int, row: object) -> RecallTest:
    try:
        return msgspec.convert(row, RecallTest, strict=False, dec_hook=_targets)
    except msgspec.ValidationError as error:
        raise UsageError(f"test {number} of {RECALL_TESTS}: {error}", hint=_HOW) from error


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
    lines = f"{indent}- question: {_quoted(question)}\n{indent}  finds: {_quoted(finds)}\n"
    joint = "" if not text or text.endswith("\n") else "\n"
    after = (text + joint + lines).encode("utf-8")
    try:
        now = parse_recall_tests(after)
    except UsageError:
        now = ()
    if now != (*known, RecallTest(question, Targets([target_of(finds)]))):
        raise UsageError(
            f"nothing can be added at the end of {RECALL_TESTS} as it is written",
            hint="add this to it yourself: " + lines.replace("\n", " ⏎ "),
        )
    return after


def _quoted(text: str) -> str:
    """``text`` as a YAML scalar in double quotes, on one line. Raises UsageError for what is no text."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("the question or the entry's name is not UTF-8")
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=math.inf).strip()


def plan_recall_test(workspace: Workspace, question: str, entry: str) -> Plan:
    """Add a test: the question must find ``entry``, an address, a memory file or words.

    Raises EntryNotFoundError, NotMemoryError or UsageError for what is not there.
    """
    target = target_of(entry.strip())
    finds = target.text
    if not question.strip() or not finds:
        raise UsageError("the question is empty, or what it should find")
    if target.sort == "entry":
        finds = workspace.find(finds).address
    elif target.sort == "file":
        try:
            workspace.read(finds)
        except FileNotFoundError:
            raise NotMemoryError(finds) from None
    before = workspace.files.read_or_none(RelPath(RECALL_TESTS))
    after = with_test(before, question.strip(), finds)
    edit = FileEdit(RelPath(RECALL_TESTS), before, after)
    return Plan(action="recall-test", summary=" ".join(question.split()), edits=(edit,))


@frozen_kw_only
class Verdict:
    """How the ``number``-th test of a file ended.

    ``rank`` is where the last of what it looks for came, None where one did not; ``first`` is what came
    first, ``reason`` says why it failed, empty where it passed.
    """

    number: int
    test: RecallTest
    rank: int | None
    first: str = ""
    reason: str = ""
    degraded: str | None = None
    stale: str | None = None

    @property
    def passed(self) -> bool:
        """Whether all that should be found was, within the rank, and nothing that should not."""
        return not self.reason

    def as_json(self) -> dict[str, object]:
        """The verdict as the command line prints it."""
        return {
            "test": self.number,
            "question": self.test.question,
            "finds": [target.text for target in self.test.wanted],
            "within": self.test.within,
            "mode": self.test.mode,
            "passed": self.passed,
            "rank": self.rank,
            "first": self.first or None,
            "reason": self.reason or None,
            "degraded": self.degraded,
            "stale": self.stale,
        }


@frozen
class Recall:
    """Of many tests: the share found within 1, 5 and 10 hits, and the mean of 1/rank (MRR), in [0, 1]."""

    tests: int
    at: dict[int, float]
    mrr: float

    def as_json(self) -> dict[str, object]:
        """The summary as the command line prints it."""
        shares = {f"recall@{k}": round(share, 4) for k, share in self.at.items()}
        return {"tests": self.tests, **shares, "mrr": round(self.mrr, 4)}

    def __str__(self) -> str:
        shares = ", ".join(f"recall@{k} {share:.2f}" for k, share in self.at.items())
        return f"{shares}, MRR {self.mrr:.2f}"


def recall_of(verdicts: Iterable[Verdict]) -> Recall:
    """What the tests say together that are to find something."""
    return summary(verdict.rank for verdict in verdicts if verdict.test.wanted)


def summary(ranks: Iterable[int | None]) -> Recall:
    """What the ranks say together; None is what was not found."""
    every = list(ranks)
    count = max(1, len(every))
    at = {k: sum(rank is not None and rank <= k for rank in every) / count for k in (1, 5, 10)}
    return Recall(len(every), at, sum(1 / rank for rank in every if rank) / count)


Search = Callable[[Query], SearchAnswer]


def run_recall_tests(
    workspace: Workspace, tests: Sequence[RecallTest], search: Search | None = None
) -> list[Verdict]:
    """The verdict on each test, by the search that they ask for where no other is given.

    Raises IndexUnavailableError where there is nothing to search.
    """
    if search is None:
        from indexing.search.index_search import IndexSearch  # noqa: PLC0415 - only where there are tests

        by_words = all(test.mode == "lexical" for test in tests)
        search = IndexSearch(workspace, vectors=not by_words).search
    return [_verdict(workspace, number, test, search) for number, test in enumerate(tests, 1)]


def _verdict(workspace: Workspace, number: int, test: RecallTest, search: Search) -> Verdict:
    text = f"{test.question} {test.filters}".strip()
    answer = search(Query(text=text, k=max(test.within, LOOKED_AT), mode=test.mode))
    ranks = {target: _rank(workspace, target, answer.hits) for target in test.wanted}
    reasons = [
        _why_not(workspace, target, rank, test.within)
        for target, rank in ranks.items()
        if rank is None or rank > test.within
    ]
    for target in test.unwanted:
        if at := _rank(workspace, target, answer.hits[: test.within]):
            reasons.append(f"{target.text} came at {at}, but must not be found")
    found = [rank for rank in ranks.values() if rank is not None]
    return Verdict(
        number=number,
        test=test,
        rank=max(found) if found and len(found) == len(ranks) else None,
        first=_shown(answer.hits[0]) if answer.hits else "",
        reason="; ".join(reasons),
        degraded=answer.degraded,
        stale=answer.stale,
    )


def _rank(workspace: Workspace, target: Target, hits: Sequence[Hit]) -> int | None:
    """The rank of the first hit that is the target."""
    if target.sort == "file":
        return next((hit.rank for hit in hits if hit.path == target.text), None)
    if target.sort == "entry":
        return next((hit.rank for hit in hits if hit.entry.startswith(target.text)), None)
    wanted = target.text.casefold()
    for hit in hits:
        try:
            text = workspace.find(hit.entry).text
        except WorkbenchError:
            text = hit.snippet  # a part of it, where the entry is of another place or moved in this moment
        if wanted in " ".join(text.split()).casefold():
            return hit.rank
    return None


def _why_not(workspace: Workspace, target: Target, rank: int | None, within: int) -> str:
    if rank is not None:
        return f"{target.text} came at {rank}, not within {within}"
    if target.sort == "entry":
        try:
            workspace.find(target.text)
        except WorkbenchError:
            return f"the entry {target.text} no longer exists: it was edited, moved or removed"
    if target.sort == "file" and workspace.files.read_or_none(RelPath(target.text)) is None:
        return f"there is no file {target.text}"
    return f"{target.text} is not among the first {max(within, LOOKED_AT)}"


def _shown(hit: Hit) -> str:
    words = masked(" ".join(hit.snippet.split()))
    return f"{hit.entry}: {words if len(words) <= 80 else words[:79] + '…'}"


def recall_tests(subject: CheckSubject) -> Look:
    """Each test that fails, and the share that passes."""
    tests = read_recall_tests(subject.workspace)
    if not tests:
        yield "none yet"
        yield Finding(
            "there are no recall tests",
            "nothing checks that memory finds what it must",
            '`workbench check --add "a question" ENTRY` makes one',
            "info",
        )
        return
    again = Fix("tests", "run all recall tests again")
    try:
        verdicts = run_recall_tests(subject.workspace, tests)
    except IndexUnavailableError as error:
        yield "not run"
        yield Finding(
            f"the tests could not be run: {error.message}",
            do=error.hint or "run `workbench reindex`",
            fixes=(Fix("reindex", "bring the index up to date"), again),
        )
        return
    failing = [verdict for verdict in verdicts if not verdict.passed]
    yield f"{len(verdicts) - len(failing):,} of {len(verdicts):,} pass"
    yield str(recall_of(verdicts))
    for verdict in failing:
        yield _failing(verdict, again)


def _failing(verdict: Verdict, again: Fix) -> Finding:
    wanted = next((target.text for target in verdict.test.wanted if target.sort != "words"), "")
    first = verdict.first.partition(": ")[0]
    address = wanted or (first if path_of(first) else "")
    entry = address if "#" in address else ""
    edit = Fix("edit", "edit the entry", (entry,))
    doubts = [doubt for doubt in (verdict.degraded, verdict.stale) if doubt]
    return Finding(
        f"{verdict.test.question}: {verdict.reason}",
        "; ".join([f"first came {verdict.first or 'nothing'}", *doubts]),
        "correct the test in recall-tests.yaml, or add the question's words to the entry",
        path=path_of(address) or address,
        entry=entry,
        fixes=(edit, again) if entry else (again,),
    )
