"""Commands about health: doctor and check."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.lookup import content_address
from workbench.cli.output import (
    answered,
    json_option,
    narrate,
    say,
    say_row,
    wants_json,
)
from workbench.cli.progress import Bar
from workbench.cli.run_operation import act
from workbench.cli.workspace_options import workspace
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from workbench.health.finding import CheckOutcome, Finding
    from workbench.health.recall_file import RecallTest
    from workbench.health.recall_tests import Verdict
    from workbench.health.subject import CheckSubject
    from workbench.workspace.workspace import Workspace

FOUND_WANTING = 4
_COLOURS = {"fine": "green", "finding": "red", "fixed": "yellow"}
_REMARKS_A_RULE = 10
"""Remarks of one kind that are shown unless all are asked for."""
_SEVERITIES = {"error": "red", "warning": "yellow", "info": None}


@click.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired; no memory file is touched.")
@click.option("--network", is_flag=True, help="Ask the model provider of your settings whether it answers.")
@json_option
def doctor(fix: bool, network: bool) -> int:
    """Check this machine, the workspace, its repository and its index.

    Each check says what it saw, and of what is wrong what it means and what to do. What a repair takes out
    of the way is set aside, not deleted. The exit code is 4 when something remains.
    """
    from workbench.health.doctor import examine

    with Bar() as bar:
        place = _place(network=network, bar=bar)
        outcomes = []
        family = ""
        try:
            for outcome in examine(place, fix=fix):
                outcomes.append(outcome)
                if not wants_json():
                    bar.clear()
                    if outcome.check.family != family:
                        family = outcome.check.family
                        say(family, bold=True)
                    _say(outcome)
        finally:
            place.close()
    remaining = sum(finding.remains for outcome in outcomes for finding in outcome.findings)
    if not answered(
        {
            "ok": not remaining,
            "workspace": str(place.root),
            "checks": [outcome.as_json() for outcome in outcomes],
        }
    ):
        fixable = any(f.remains and f.repair for outcome in outcomes for f in outcome.findings)
        left = "1 finding remains" if remaining == 1 else f"{remaining} findings remain"
        narrate(left if remaining else "all is well")
        if fixable and not fix:
            narrate("  → `workbench doctor --fix` repairs those marked *")
    return FOUND_WANTING if remaining else 0


def _place(*, network: bool, bar: Bar) -> CheckSubject:
    """The workspace that was asked for, also where its settings are what is wrong."""
    from workbench.health.subject import CheckSubject
    from workbench.workspace.workspace import Workspace

    folder = click.get_current_context().obj
    root = Path(folder) if folder else Workspace.nearest_root(".")
    return CheckSubject.open(root, network=network, progress=bar.show)


def _say(outcome: CheckOutcome) -> None:
    say_row(f"  {outcome.state:<8}{outcome.check.name:<20}{outcome.seen}", fg=_COLOURS[outcome.state])
    for finding in outcome.findings:
        if finding.fixed:
            say_row(f"    fixed: {finding.what}")
            say_row(f"      {finding.fixed}")
            continue
        mark = "*" if finding.repair else " "
        say_row(f"   {mark}{'note: ' if finding.severity == 'info' else ''}{finding.what}")
        for line in (finding.meaning, f"→ {finding.do}" if finding.do else ""):
            if line:
                say_row(f"      {line}")
        if finding.refused:
            say_row(f"      not repaired: {finding.refused}")


@click.command(short_help="Recall tests, duplicates, dead links, secrets, hidden text.")
@click.argument("question", required=False)
@click.argument("entry", required=False)
@click.option(
    "--add", is_flag=True, help="Add a test: QUESTION must find ENTRY (an address, a file, or words)."
)
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--all", "everything", is_flag=True, help="Also what is only worth knowing.")
@click.option("--tests-only", is_flag=True, help="Only the recall tests.")
@json_option
def check(
    question: str | None,
    entry: str | None,
    add: bool,
    strict: bool,
    everything: bool,
    tests_only: bool,
) -> int:
    """Recall tests, duplicates, dead links, secrets, hidden text.

    Runs the recall tests of recall-tests.yaml (questions, and what each must find), then looks for secrets,
    hidden text, dead links, duplicates, contradictions and what is over its time or budget. The exit code is
    4 when a test fails or there is an error.

    \b
    A test in recall-tests.yaml:
      - question: who owns the broker          in the language of the search box
        finds: memory/2026-03-14.md#4f1c9a02   an entry, a file, or words that an entry must hold
        within: 5                              rank; also known: mode, filters, not
    workbench check --add QUESTION ENTRY       adds one, as an operation that undo takes back
    """
    from datetime import date

    from workbench.health.lint import lint
    from workbench.health.recall_file import read_recall_tests

    if add != (question is not None and entry is not None) or (not add and question is not None):
        raise UsageError("a question and an entry go with --add", hint="workbench check --add QUESTION ENTRY")
    with workspace() as place:
        if add:
            from workbench.health.recall_tests import plan_recall_test

            wanted = content_address(place, entry or "")
            act(
                place,
                lambda: plan_recall_test(place, question or "", wanted),
                dry_run=False,
            )
            return 0
        verdicts = _verdicts(place, read_recall_tests(place))
        remarks, files = ([], 0) if tests_only else lint(place, date.today())
    failing = [verdict for verdict in verdicts if not verdict.passed]
    grave = [one for one in remarks if one.severity == "error" or (strict and one.severity == "warning")]
    if not answered(_check_json(verdicts, remarks, files, ok=not (failing or grave))):
        _say_verdicts(verdicts)
        _say_remarks(remarks, files, everything=everything)
    return FOUND_WANTING if failing or grave else 0


def _verdicts(place: Workspace, tests: tuple[RecallTest, ...]) -> list[Verdict]:
    if not tests:
        return []
    from indexing.search.hybrid import HybridSearch
    from indexing.search.keyword import LexicalSearch
    from workbench.health.recall_tests import run_recall_tests

    words_alone = all(test.mode == "lexical" for test in tests)
    search = LexicalSearch(place) if words_alone else HybridSearch(place)
    return run_recall_tests(place, tests, search.search)


def _check_json(
    verdicts: list[Verdict], remarks: list[Finding], files: int, *, ok: bool
) -> dict[str, object]:
    from workbench.health.recall_tests import summary

    found = [verdict.rank for verdict in verdicts if verdict.test.finds]
    return {
        "ok": ok,
        "recall": summary(found).as_json() if verdicts else None,
        "tests": [verdict.as_json() for verdict in verdicts],
        "files": files,
        "remarks": [remark.as_check_json() for remark in remarks],
    }


def _say_verdicts(verdicts: list[Verdict]) -> None:
    from workbench.health.recall_tests import summary

    for verdict in verdicts:
        rank = f"at {verdict.rank}" if verdict.rank else "not found" if verdict.test.finds else "kept out"
        word, colour = ("pass", "green") if verdict.passed else ("fail", "red")
        say(f"{word}  {rank:<10}{verdict.test.question}", fg=colour)
        if not verdict.passed:
            say(f"      {verdict.reason}")
            say(f"      first came {verdict.first or 'nothing'}")
        for doubt in filter(None, (verdict.degraded, verdict.stale)):
            say(f"      {doubt}")
    if verdicts:
        found = summary(verdict.rank for verdict in verdicts if verdict.test.finds)
        shares = ", ".join(f"recall@{k} {share:.2f}" for k, share in found.at.items())
        passed = sum(verdict.passed for verdict in verdicts)
        say(f"{passed} of {len(verdicts)} tests pass; {shares}, MRR {found.mrr:.2f}")
    else:
        narrate('no recall tests; `workbench check --add "a question" ENTRY` makes one')


def _say_remarks(remarks: list[Finding], files: int, *, everything: bool) -> None:
    told: Counter[str] = Counter()
    for one in remarks:
        told[one.rule] += one.severity != "info"
        if not everything and (one.severity == "info" or told[one.rule] > _REMARKS_A_RULE):
            continue
        say_row(f"{one.severity}  {one.place}  {one.rule}: {one.what}", fg=_SEVERITIES[one.severity])
        if one.do:
            say(f"      → {one.do}")
    counts = {name: sum(one.severity == name for one in remarks) for name in _SEVERITIES}
    for rule, count in told.items():
        if count > _REMARKS_A_RULE and not everything:
            narrate(f"{rule}: {count - _REMARKS_A_RULE} more; --all shows them")
    if files:
        found = f"{plural(counts['error'], 'error')}, {plural(counts['warning'], 'warning')}"
        narrate(f"{found} in {plural(files, 'file')}")
    if counts["info"] and not everything:
        narrate(f"  → --all shows {plural(counts['info'], 'remark')} only worth knowing")
