"""The recall tests of the person's own: does memory find what it must?"""

from __future__ import annotations

from workbench.errors import IndexUnavailableError
from workbench.health.finding import Finding, Fix
from workbench.health.recall_file import read_recall_tests
from workbench.health.recall_tests import Verdict, run_recall_tests, summary
from workbench.health.report.section import ReportSection
from workbench.health.report.subject import Subject
from workbench.memory.address import path_of

MOST = 300
"""Tests that are run beside all else that is looked at; all of them where they alone are asked for."""
AGAIN = Fix(deed="tests", label="run all recall tests again")


def recall_tests(subject: Subject) -> ReportSection:
    """Each test that fails, and the share that passes."""
    workspace = subject.workspace
    tests = read_recall_tests(workspace)
    if not tests:
        concern = Finding(
            severity="info",
            what="there are no recall tests",
            meaning="nothing notices when memory does not find what it must",
            do='`workbench check --add "a question" ENTRY` makes one',
        )
        return ReportSection(id="tests", title="Recall tests", seen="none yet", concerns=(concern,), total=1)
    from indexing.search.hybrid import HybridSearch  # noqa: PLC0415
    from indexing.search.keyword import LexicalSearch  # noqa: PLC0415 - only where there are tests

    run = tests if subject.all_tests else tests[:MOST]
    by_words = all(test.mode == "lexical" for test in run)
    search = LexicalSearch(workspace) if by_words else HybridSearch(workspace)
    try:
        verdicts = run_recall_tests(workspace, run, search.search)
    except IndexUnavailableError as error:
        fix = Fix(deed="reindex", label="bring the index up to date")
        concern = Finding(
            severity="error",
            what=f"the tests could not be run: {error.message}",
            do=error.hint or "run `workbench reindex`",
            fixes=(fix, AGAIN),
        )
        return ReportSection(id="tests", title="Recall tests", seen="not run", concerns=(concern,), total=1)
    failing = [verdict for verdict in verdicts if not verdict.passed]
    found = summary(verdict.rank for verdict in verdicts if verdict.test.finds)
    return ReportSection(
        id="tests",
        title="Recall tests",
        seen=f"{len(verdicts) - len(failing):,} of {len(verdicts):,} pass",
        facts=(
            ("pass", f"{len(verdicts) - len(failing):,} of {len(verdicts):,}"),
            *((f"recall@{rank}", f"{share:.2f}") for rank, share in found.at.items()),
            ("mean of 1/rank", f"{found.mrr:.2f}"),
        ),
        concerns=tuple(map(_failing, failing)),
        total=len(failing),
        notes=(f"{len(tests) - len(run):,} tests were not run here: `workbench check` runs all",)
        if len(tests) > len(run)
        else (),
    )


def _failing(verdict: Verdict) -> Finding:
    wanted = next((target.text for target in verdict.test.finds if target.sort != "words"), "")
    first = verdict.first.partition(": ")[0]
    doubts = [doubt for doubt in (verdict.degraded, verdict.stale) if doubt]
    return Finding(
        severity="error",
        what=f"{verdict.test.question}: {verdict.reason}",
        meaning="; ".join([f"first came {verdict.first or 'nothing'}", *doubts]),
        do="correct the test in recall-tests.yaml, or say in the entry what is asked",
        address=(address := wanted or (first if path_of(first) else "")),
        fixes=(
            *((Fix(deed="edit", label="edit the entry", addresses=(address,)),) if "#" in address else ()),
            AGAIN,
        ),
    )
