"""What is wrong here: doctor, check, verify, audit."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

import click

from workbench.cli import shell_values
from workbench.cli.console import (
    FOUND_WANTING,
    Bar,
    answered,
    attributes,
    command,
    flag,
    meant,
    named,
    narrate,
    say,
    say_diff,
    say_row,
    tell_skipped,
    wants_json,
    word,
    workspace,
)
from workbench.cli.operation_command import AddressedWorkspace, act, content_address, whose
from workbench.collection_pause import no_garbage_collection
from workbench.errors import NotMemoryError, UsageError, disk_errors
from workbench.health.audit import Audit, AuditPart
from workbench.health.finding import CheckResult, Finding, worst_first
from workbench.health.memory_checks import secrets_in_history, without_origin
from workbench.health.recall_tests import (
    Verdict,
    plan_recall_test,
    read_recall_tests,
    recall_of,
    run_recall_tests,
)
from workbench.health.subject import CheckSubject
from workbench.plural import plural
from workbench.safety.secrets import masked
from workbench.safety.terminal import visible_line
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_COLOURS = {"fine": "green", "finding": "red", "fixed": "yellow"}
_REMARKS_A_RULE = 10
"""Remarks of one kind that are shown unless all are asked for."""
_SEVERITIES = {"error": "red", "warning": "yellow", "info": None}
_EVIDENCE = 20
"""Lines of evidence that are printed of each part; the JSON and the page have all."""
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Memory audit</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
td, th {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #8884; vertical-align: top; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
meter {{ width: 8rem; }}
</style>
<h1>Memory audit</h1>
<p>{entries} entries in {files} files.</p>
<table>
<tr><th>part</th><th class="number">entries</th><th class="number">share</th><th></th><th></th></tr>
{rows}
</table>
{evidence}
</html>
"""


@command()
@flag("--fix", "Repair what can be repaired; asks before it changes memory.")
@flag("--yes", "With --fix: upgrade memory to the current format without asking.")
@flag("--network", "Also check that the model provider in your settings answers.")
def doctor(fix: bool, yes: bool, network: bool) -> int:
    """Check this machine, the workspace, its repository and its index.

    Each check reports what it found; each problem comes with what it means and what to do. Repairs set files
    aside instead of deleting them. Only one repair changes memory files: it upgrades comments of an older
    version to the current format (docs/format.md) after you confirm, as one operation that can be undone. The
    exit code is 4 if problems remain.
    """
    if yes and not fix:
        raise UsageError("--yes requires --fix")
    from workbench.health.checks import examine

    folder = click.get_current_context().obj
    root = Path(folder) if folder else Workspace.nearest_root(".")
    with Bar() as bar:
        place = CheckSubject.open(root, network=network, progress=bar.follow)
        if fix and (yes or (sys.stdin.isatty() and not wants_json())):
            place.agree = (lambda _: True) if yes else partial(_agree, bar)
        results = []
        family = ""
        try:
            for result in examine(place, fix=fix):
                results.append(result)
                if not wants_json():
                    bar.clear()
                    if result.family != family:
                        family = result.family
                        say(family, bold=True)
                    _say(result)
        finally:
            place.close()
    findings = [finding for result in results for finding in result.findings]
    remaining = sum(finding.remains for finding in findings)
    if not answered(
        {"ok": not remaining, "workspace": place.root, "checks": list(map(_doctor_json, results))}
    ):
        left = "1 finding remains" if remaining == 1 else f"{remaining} findings remain"
        narrate(left if remaining else "all is well")
        if not fix and any(finding.remains and finding.repair for finding in findings):
            narrate("  → `workbench doctor --fix` repairs those marked *")
    return FOUND_WANTING if remaining else 0


def _doctor_json(result: CheckResult) -> dict[str, object]:
    return {
        "check": result.name,
        **attributes(result, "family", "state", "seen"),
        "findings": [
            {
                **attributes(one, "what", "fixed", "refused"),
                "level": "note" if one.severity == "info" else "wrong",
                "meaning": one.meaning or None,
                "do": one.do or None,
                "fixable": one.repair is not None,
            }
            for one in result.findings
        ],
    }


def _agree(bar: Bar, plan: Plan) -> bool:
    """Show what would be written, and ask."""
    bar.clear()
    say_diff(plan.diff())
    return click.confirm(f"{plan.summary}: do it?", err=True)


def _say(result: CheckResult) -> None:
    say_row(f"  {result.state:<8}{result.name:<20}{result.seen}", fg=_COLOURS[result.state])
    for finding in result.findings:
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


@command()
@named("path", "[PATH]", shell_values.memory_paths)
@named("entry", "[ENTRY]")
@flag("--add", "Add a test: check --add QUESTION ENTRY (an address, a file, or words that it must find).")
@flag("--strict", "Warnings count as errors.")
@flag("--all", "Also info findings.", "everything")
@flag("--tests-only", "Only the recall tests.")
@flag("--history", "Look for secrets in every commit too.", "past")
@flag("--origin", "Also list long-term memories without a source.", "origins")
def check(
    path: str | None,
    entry: str | None,
    add: bool,
    strict: bool,
    everything: bool,
    tests_only: bool,
    past: bool,
    origins: bool,
) -> int:
    """Check recall tests, duplicates, links, secrets, hidden text.

    Runs the recall tests in recall-tests.yaml (questions, and what each must find), then looks for secrets,
    hidden text, dead links, duplicates, contradictions, and what is overdue or over its budget; with PATH, in
    that file only. Findings of secrets and hidden text can be false alarms, so each shows its evidence. The
    exit code is 4 if a test fails or there is an error, with --strict also for a warning such as hidden text.

    \b
    An example of recall-tests.yaml:
      - question: who owns the broker          in the language of the search box
        finds: memory/2026-03-14.md#4f1c9a02   an entry, a file, or words that an entry must hold
        within: 5                              among the first five; other keys: mode, filters, not
    workbench check --add QUESTION ENTRY       adds a test (can be undone)
    """
    if add != (entry is not None):
        raise UsageError("a question and an entry go with --add", hint="workbench check --add QUESTION ENTRY")
    with workspace() as here:
        if add:
            wanted = content_address(here, entry or "")
            act(here, lambda: plan_recall_test(here, path or "", wanted))
            return 0
        tests = read_recall_tests(here) if path is None else ()
        verdicts = run_recall_tests(here, tests) if tests else []
    remarks: list[Finding] = []
    looked = {"files": 0}
    if not tests_only:
        with whose(path) as (there, one):
            remarks, looked = _remarks(there, one, past=past, origins=origins)
    failing = [verdict for verdict in verdicts if not verdict.passed]
    grave = [one for one in remarks if one.severity == "error" or (strict and one.severity == "warning")]
    told = {
        "ok": not (failing or grave),
        "recall": recall_of(verdicts) if verdicts else None,
        "tests": verdicts,
        **looked,
        "remarks": [
            {
                **attributes(one, "rule", "severity", "path", "line", "what", "also"),
                "do": one.do or None,
                "entry": one.entry or None,
                "commit": one.commit or None,
            }
            for one in remarks
        ],
    }
    if not answered(told):
        if path is None:
            _say_verdicts(verdicts)
        _say_remarks(remarks, looked, everything=everything)
    return FOUND_WANTING if failing or grave else 0


def _remarks(
    there: AddressedWorkspace, path: str | None, *, past: bool, origins: bool
) -> tuple[list[Finding], dict[str, int]]:
    """What is found in memory, or in one file of it, and what was looked at for that."""
    from workbench.health.checks import checks_of, look_at

    subject = CheckSubject(there.place)
    if path is not None and path not in subject.corpus.by_path:
        try:  # what no scan finds
            document = there.place.document(path)
        except FileNotFoundError:
            raise NotMemoryError(path) from None
        subject.corpus = replace(subject.corpus, documents=(*subject.corpus.documents, document))
    found = []
    for one in checks_of("memory"):
        # What is remarked on names its rule; a check that failed by itself has only its own name.
        found += [replace(f, rule=f.rule or one.name) for f in look_at(one, subject).findings]
    if origins:
        found += without_origin(subject)
    if path is not None:
        found = [one for one in found if one.path == path]
    looked = {"files": len(subject.corpus.documents) if path is None else 1}
    if past:
        found += secrets_in_history(there.place, path, looked)
    marked = [
        replace(one, path=there.address(one.path), entry=one.entry and there.address(one.entry))
        for one in found
    ]
    return worst_first(marked), looked


def _say_verdicts(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        rank = f"at {verdict.rank}" if verdict.rank else "not found" if verdict.test.wanted else "kept out"
        word, colour = ("pass", "green") if verdict.passed else ("fail", "red")
        say(f"{word}  {rank:<10}{verdict.test.question}", fg=colour)
        if not verdict.passed:
            say(f"      {verdict.reason}")
            say(f"      first came {verdict.first or 'nothing'}")
        for doubt in filter(None, (verdict.degraded, verdict.stale)):
            say(f"      {doubt}")
    if verdicts:
        passed = sum(verdict.passed for verdict in verdicts)
        say(f"{passed} of {len(verdicts)} tests pass; {recall_of(verdicts)}")
    else:
        narrate('no recall tests; `workbench check --add "a question" ENTRY` makes one')


def _say_remarks(remarks: Sequence[Finding], looked: dict[str, int], *, everything: bool) -> None:
    told: Counter[str] = Counter()
    for one in remarks:
        told[one.rule] += one.severity != "info"
        asked = everything or one.rule == "no source"
        if not asked and (one.severity == "info" or told[one.rule] > _REMARKS_A_RULE):
            continue
        say_row(f"{one.severity}  {one.place}  {one.rule}: {one.what}", fg=_SEVERITIES[one.severity])
        if one.entry:
            say_row(f"      {one.entry}", dim=True)
        if one.do:
            say(f"      → {one.do}")
    for rule, count in told.items():
        if count > _REMARKS_A_RULE and not everything:
            narrate(f"{rule}: {count - _REMARKS_A_RULE} more; --all shows them")
    counts = Counter(one.severity for one in remarks)
    if looked["files"]:
        files, *more = (plural(count, what.removesuffix("s")) for what, count in looked.items())
        found = f"{plural(counts['error'], 'error')}, {plural(counts['warning'], 'warning')}"
        narrate(f"{found} in {', '.join([files, *more])}")
    if counts["info"] and not everything:
        narrate(f"  → --all also shows {plural(counts['info'], 'info finding')}")


@command()
def verify() -> int:
    """Prove that no text is lost and that the index matches the files.

    The index is compared with a clean build. If something is missing or wrong, it is listed and the exit
    code is 4. A stale index counts too: run `workbench reindex` first.
    """
    from indexing.sync.verify import verify_index
    from workbench.history.verify import audit

    with workspace() as place, Bar() as bar:
        checks = audit(place)
        checks += verify_index(place, progress=bar.follow)
    flaws = [flaw for check in checks for flaw in check.flaws]
    if not answered({"ok": not flaws, "checks": checks}):
        for check in checks:
            say(f"{check.name:<11}{check.looked_at}{'' if check.flaws else ': sound'}")
        for flaw in flaws:
            say(f"{flaw.kind}: {flaw.what}", fg="red")
            if flaw.hint:
                say(f"  → {flaw.hint}")
    return FOUND_WANTING if flaws else 0


@command()
@named("folder", "[DIR]")
@flag("--evidence", "Show the lines that were counted.")
@word("--html", "FILE", "Write a self-contained page to share, without text of the memory.", default=None)
@flag("--with-text", "With --html: include the text of the lines that were counted.")
@flag("--quick", "Leave out the share of junk, which takes the longest.")
def audit(folder: str | None, evidence: bool, html: str | None, with_text: bool, quick: bool) -> None:
    """Report how much of a memory is junk, stale or secret.

    It reports on the memory in DIR. Default: the workspace. Nothing is written into it. Each share is of all
    entries, except: junk is counted in logs, episodes, notes and MEMORY.md, unsourced entries in long-term
    memory, and what is over the limit in the files that an agent always loads.
    """
    from workbench.health.audit import audit as audited

    if with_text and html is None:
        raise UsageError("--with-text requires --html")
    asked = meant(folder) if folder else click.get_current_context().obj
    place = Workspace.open(asked or Workspace.nearest_root("."), lenient=True)
    tell_skipped(place)
    if html is not None and Path(html).resolve().is_relative_to(place.root):
        raise UsageError(
            f"{html} is inside {place.root}, where an audit writes nothing",
            hint="use a file outside of it",
        )
    with closing(place), no_garbage_collection(), Bar() as bar:
        found = audited(CheckSubject(place), model=not quick, tell=bar.show)
    if html is not None:
        with disk_errors(), click.open_file(html, "w", encoding="utf-8", errors="replace") as file:
            file.write(_page(found, with_text=with_text))
        narrate(f"written: {html}")
    said = {
        "workspace": place.root,
        "entries": found.entries,
        "files": found.files,
        "per_second": round(found.per_second),
        "parts": [part.as_json(evidence=evidence) for part in found.parts],
    }
    if not answered(said):
        _say_audit(found, evidence=evidence)


def _say_audit(found: Audit, *, evidence: bool) -> None:
    said = f"{plural(found.entries, 'entry')} in {plural(found.files, 'file')}, without bare headings"
    say(f"{said}; the parts of a long entry count once", bold=True)
    for part in found.parts:
        say(f"{part.name:<14}  {part.entries:>8,}  {_share(part):>6}  {part.meaning}")
        for one in part.evidence[:_EVIDENCE] if evidence else ():
            say_row(f"    {one.place}  {one.rule}: {masked(one.what)}", dim=True)
        if evidence and (more := len(part.evidence) - _EVIDENCE) > 0:
            say(f"    and {more:,} more; --evidence --json has all", dim=True)


def _share(part: AuditPart) -> str:
    return "–" if part.share is None else f"{part.share:.1%}"


def _page(found: Audit, *, with_text: bool) -> str:
    """A page that needs no other file. Without ``with_text`` it holds numbers only, no path and no word."""
    rows = (
        f'<tr><td>{part.name}</td><td class="number">{part.entries:,}</td>'
        f'<td class="number">{_share(part)}</td><td><meter value="{part.share or 0:.4f}"></meter></td>'
        f"<td>{part.meaning}</td></tr>"
        for part in found.parts
    )
    return _PAGE.format(
        entries=f"{found.entries:,}",
        files=f"{found.files:,}",
        rows="\n".join(rows),
        evidence="\n".join(_evidence(found)) if with_text else "",
    )


def _evidence(found: Audit) -> Iterator[str]:
    for part in found.parts:
        if part.evidence:
            yield f"<h2>{part.name}</h2>\n<table>"
            for one in part.evidence:
                cells = (one.place, one.rule, masked(one.what))
                yield "<tr>" + "".join(f"<td>{escape(visible_line(cell))}</td>" for cell in cells)
            yield "</table>"
