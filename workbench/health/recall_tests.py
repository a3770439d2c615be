"""Running recall tests: where what should be found came, and what came before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from indexing.search.answer import Hit, Query, SearchAnswer
from workbench.errors import NotMemoryError, UsageError, WorkbenchError
from workbench.health.recall_file import RecallTest, Target, target_of, with_test
from workbench.memory.file_edit import FileEdit
from workbench.memory.names import RelPath
from workbench.workspace.layout import RECALL_TESTS
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

LOOKED_AT = 25
"""Hits that are asked for at least, to say at which rank it came that came too late.

So many change nothing in the order: the pool that is ranked is that of ten hits.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How one test ended. ``rank`` is where the last of what it looks for came, None where one did not.

    ``first`` is what came first, ``reason`` says why it failed, empty where it passed.
    """

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
        test = self.test
        return {
            "test": test.number,
            "question": test.question,
            "finds": [target.text for target in test.finds],
            "within": test.within,
            "mode": test.mode,
            "passed": self.passed,
            "rank": self.rank,
            "first": self.first or None,
            "reason": self.reason or None,
            "degraded": self.degraded,
            "stale": self.stale,
        }


@dataclass(frozen=True, slots=True)
class Recall:
    """Of many tests: the share found within 1, 5 and 10 hits, and the mean of 1/rank (MRR), in [0, 1]."""

    tests: int
    at: dict[int, float]
    mrr: float

    def as_json(self) -> dict[str, object]:
        """The summary as the command line prints it."""
        shares = {f"recall@{k}": round(share, 4) for k, share in self.at.items()}
        return {"tests": self.tests, **shares, "mrr": round(self.mrr, 4)}


def run_recall_tests(
    workspace: Workspace, tests: Sequence[RecallTest], search: Callable[[Query], SearchAnswer]
) -> list[Verdict]:
    """The verdict on each test. Raises IndexUnavailableError where there is nothing to search."""
    return [_verdict(workspace, test, search) for test in tests]


def summary(ranks: Iterable[int | None]) -> Recall:
    """What the ranks say together; None is what was not found."""
    every = list(ranks)
    count = max(1, len(every))
    at = {k: sum(rank is not None and rank <= k for rank in every) / count for k in (1, 5, 10)}
    return Recall(len(every), at, sum(1 / rank for rank in every if rank) / count)


def plan_recall_test(workspace: Workspace, question: str, entry: str) -> Plan:
    """Add a test: the question must find ``entry``, an address, a memory file or words.

    Raises EntryNotFoundError, NotMemoryError or UsageError for what is not there.
    """
    if not question.strip():
        raise UsageError("the question is empty")
    target = target_of(entry.strip())
    if target.sort == "entry":
        target = Target("entry", workspace.find(target.text).address)
    elif target.sort == "file":
        try:
            workspace.read(target.text)
        except FileNotFoundError:
            raise NotMemoryError(target.text) from None
    elif not target.text:
        raise UsageError("what the question should find is empty")
    before = workspace.files.read_or_none(RelPath(RECALL_TESTS))
    after = with_test(before, question.strip(), target.text)
    summary = " ".join(question.split())
    return Plan(
        action="recall-test", summary=summary, edits=(FileEdit(RelPath(RECALL_TESTS), before, after),)
    )


def _verdict(workspace: Workspace, test: RecallTest, search: Callable[[Query], SearchAnswer]) -> Verdict:
    text = f"{test.question} {test.filters}".strip()
    answer = search(Query(text=text, k=max(test.within, LOOKED_AT), mode=test.mode))
    ranks = [_rank(workspace, target, answer.hits) for target in test.finds]
    found = [rank for rank in ranks if rank is not None]
    rank = max(found) if test.finds and len(found) == len(ranks) else None
    reasons = [
        _why_not(workspace, target, rank_, test.within)
        for target, rank_ in zip(test.finds, ranks, strict=True)
        if rank_ is None or rank_ > test.within
    ]
    within = answer.hits[: test.within]
    for target in test.excluded:
        at = _rank(workspace, target, within)
        if at is not None:
            reasons.append(f"{target.text} came at {at}, and must not come")
    return Verdict(
        test=test,
        rank=rank,
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
            return f"there is no entry {target.text} any more: it was edited, moved or removed"
    if target.sort == "file" and workspace.files.read_or_none(RelPath(target.text)) is None:
        return f"there is no file {target.text}"
    return f"{target.text} is not among the first {max(within, LOOKED_AT)}"


def _shown(hit: Hit) -> str:
    words = " ".join(hit.snippet.split())
    return f"{hit.entry}: {words if len(words) <= 80 else words[:79] + '…'}"
