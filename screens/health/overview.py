"""The Health screen: the checks by section, their findings, and the fix of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import assert_never

from rich.cells import cell_len
from textual.content import Content

from screens.actions.keys import key_for
from screens.actions.registry import FocusContext
from screens.dialogs.dialog import PickScreen
from screens.drawing.safe_text import (
    GAP,
    Folds,
    Lines,
    Row,
    RowPart,
    Tone,
    grouped,
    line_rows,
    line_text,
    piece,
    row_text,
    safe_piece,
    sentence,
    words,
)
from screens.frames.overlay_screen import OverlayScreen, Services
from screens.health.check_job import CheckFinished, CheckJob, ChecksEnded, ChecksKnown, CheckStarted, Repaired
from screens.jobs.user_jobs import BackupJob
from screens.main.request import EXPIRE, Request, declared_request
from screens.widgets.entry_list import clipped
from workbench.errors import NotCuratableError, WorkbenchError
from workbench.format_version import FORMAT
from workbench.frozen import frozen
from workbench.graph import operations as graph
from workbench.health.finding import SEVERITIES, CheckLabel, CheckResult, Finding, Fix
from workbench.ingest import operations as episodes
from workbench.operations.migrate import plan_migrate
from workbench.safety.secrets import masked
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

_STATES: Mapping[str, tuple[str, Tone]] = {
    "ok": ("✓ ok", "good"),
    "info": ("· info", "muted"),
    "warning": ("! warn", "warn"),
    "error": ("✗ error", "bad"),
    "waiting": ("  waits", "faint"),
    "looking": ("… check", "accent"),
}
"""The mark and word of a section; those of a finding are among them."""
_STATE_CELLS = 7
_SHOWN_LINES = 40
_NAME_CELLS = 18
"""Cells of a page's name beside a finding: a long one would leave the finding no words."""
OLDER = words("before your last action")


@frozen
class Section:
    """A row of the screen: ``count`` checks, and the ``results`` of those that have run."""

    name: str
    count: int
    results: tuple[CheckResult, ...] = ()
    older: bool = False
    """Whether something was done since they looked."""
    looking: bool = False

    @property
    def findings(self) -> tuple[tuple[CheckResult, Finding], ...]:
        """What its checks found, the gravest first."""
        every = [(result, finding) for result in self.results for finding in result.findings]
        return tuple(sorted(every, key=lambda one: SEVERITIES.index(one[1].severity)))

    @property
    def state(self) -> str:
        """The gravest of what was found, while nothing is under way."""
        if not self.results and not self.looking:
            return "waiting"
        if self.looking or len(self.results) < self.count:
            return "looking"
        return self.findings[0][1].severity if self.findings else "ok"

    @property
    def seen(self) -> str:
        """What was seen: of several checks, how many are well."""
        if self.count == 1:
            return self.results[0].seen
        well = sum(result.state != "finding" for result in self.results)
        return f"{well} of {self.count} ok"


def section_rows(sections: Sequence[Section], folds: Folds) -> Iterator[Row]:
    """A row for every section, in order, with its findings under it where it is open.

    What is wrong or needs a look is open by itself; what is only worth knowing is not.
    """
    for section in sections:
        mark, tone = _STATES[section.state]
        lead = (piece(mark.ljust(_STATE_CELLS), tone),)
        findings, name = section.findings, row_text(sentence(section.name))
        if not section.results:
            yield Row(section.name, name, tone="muted", depth=1, lead=lead)
            continue
        tail = [safe_piece(section.seen)]
        if section.older:
            tail.insert(0, RowPart(OLDER, "faint"))
        if not findings:  # it stands where another row has its mark of folding
            yield Row(section.name, name, depth=1, lead=lead, tail=tuple(tail))
            continue
        row, wrong = Row(section.name, name, lead=lead, tail=tuple(tail)), findings[0][1].severity != "info"
        yield from folds.section(row, _finding_rows(section), default=wrong)


def _finding_rows(section: Section) -> Iterator[Row]:
    same: Counter[tuple[str, str]] = Counter()
    for result, one in section.findings:
        # the same name as long as it says the same of the same place
        row_id = f"{section.name}/{one.address}/{one.what}/{same[one.address, one.what]}"
        same[one.address, one.what] += 1
        mark, tone = _STATES[one.severity]
        name: str = row_text(one.path.rpartition("/")[2])
        name = clipped(name, min(cell_len(name), _NAME_CELLS))
        where = f"{name}:{one.line}" if one.line else name
        of = f"{result.name}: " if section.count > 1 else ""
        yield Row(
            id=row_id,
            text=row_text(of + one.what),
            depth=2,
            of=one,
            lead=(piece(mark.ljust(_STATE_CELLS), tone),),
            tail=(safe_piece(where, "faint"),) if where else (),
            tone="muted" if one.severity == "info" else "text",
        )
    more = sum(result.total - len(result.findings) for result in section.results)
    if more > 0:
        text = words(f"… and {grouped(more)} more: `workbench check --all` lists all of memory's")
        yield Row(f"{section.name}/more", text, depth=2, tone="faint")


def section_lines(section: Section) -> Lines:
    """What each check of a section saw."""
    mark, tone = _STATES[section.state]
    yield f"{sentence(section.name)}  {mark.strip()}", "head"
    room = max((len(result.name) for result in section.results), default=0) if section.count > 1 else 0
    for result in section.results:
        yield f"{result.name.ljust(room)}  {result.seen}" if room else result.seen, "text" if room else tone
    if not section.findings:
        yield GAP
        yield "No action needed.", "good"


def behind_finding(one: Finding, texts: Collection[tuple[str, str]]) -> list[Row]:
    """All that a finding says, what `f` would do, and the text of its entries (address, text).

    A secret is masked wherever it stands in them.
    """
    rows = line_rows(_finding_lines(one))
    for number, (address, text) in enumerate(texts):
        name = f"text:{number}"
        rows += line_rows([GAP, (address, "muted")], name)
        lines = masked(text).split("\n")
        for at, line in enumerate(lines[:_SHOWN_LINES]):
            rows.append(Row(f"{name}:{at}", line_text(line[:2_000]), depth=1))
        if len(lines) > _SHOWN_LINES:
            more = words(f"… {grouped(len(lines) - _SHOWN_LINES)} more lines")
            rows.append(Row(f"{name}:more", more, depth=1, tone="faint"))
    return rows


def _finding_lines(one: Finding) -> Lines:
    mark, tone = _STATES[one.severity]
    yield f"{mark} · {one.what}", tone if one.severity != "info" else "head"
    yield f"Why it matters: {one.meaning}" if one.meaning else "", "text"
    yield f"What to do: {one.do}" if one.do else "", "text"
    yield GAP
    if one.fixes:
        yield f"{key_for('health_fix')} fixes it:", "muted"
        for fix in one.fixes:
            yield f"  {fix.label}", "accent"
            yield f"    {fix.command}", "faint"
    else:
        yield "No key fixes this: see what to do.", "muted"


# -- fixes ---------------------------------------------------------------------------------------

_MOST = 9
_EXTENDED_DAYS = 30
_REASON = "no longer needed"


def writes(fix: Fix) -> bool:
    """Whether a fix changes memory, which is refused where nothing can be written."""
    return fix.deed not in ("reindex", "open", "tests")


def migration() -> Request:
    """The request that upgrades memory to the current format."""
    return Request(action="migrate", planner=_migrate)


def _migrate(workspace: Workspace, request: Request) -> Plan:
    plan = plan_migrate(workspace)
    if plan is None:
        raise NotCuratableError(f"nothing to migrate: this memory has format {FORMAT}, or needs none")
    return plan


# -- the screen ----------------------------------------------------------------------------------

_MOST_TEXTS = 6
_LONGEST = 20_000
_PROBLEM = "problem"
_FIRST = "index"
"""The section that is shown first: the doctor looks at it last, when all around it is in order."""
_ROOMS = {
    "proposals": "review",
    "contradictions": "graph_view",
    "conflicts": "conflicts",
    "settings": "settings",
}
"""The actions that open what a fix names."""


class HealthScreen(OverlayScreen):
    """Sections with their findings; beside them what each says, where it is, and what would mend it."""

    PLACES = (FocusContext.HEALTH,)
    LEAVES = "health"
    STOPS = "health_stop"

    def __init__(self, services: Services) -> None:
        super().__init__(services, "Health")
        self.job = CheckJob(services.workspace.root, self.post_message)
        self.backing_up = BackupJob.of(services)
        self.labels: tuple[CheckLabel, ...] = ()
        self.results: dict[str, CheckResult] = {}
        self._older: frozenset[str] = frozenset()
        self._looking = ""
        self._progress = ""
        self._problem = ""
        self._awaits_index = False
        """Whether a reindex was asked for here: once it is done the index is looked at again."""
        self.commands |= {
            "health_read": self.read,
            "back_up": lambda: self.backing_up.begin(self),
            "migrate": lambda: self.services.ask(migration()),
        }

    # -- looking ---------------------------------------------------------------------------------

    async def on_unmount(self) -> None:
        """Nobody waits for the look any more."""
        await self.job.stop()

    def reload(self) -> None:
        """Something was done: what is quick, and what the cursor is on, is looked at again."""
        here = self._section
        anew = {label.name for label in self.labels if label.quick or label.section == here}
        self._older |= frozenset(self.results) - anew
        self._look_at(anew)
        self.draw()

    def files_changed(self) -> None:
        """It may be otherwise now; a look takes a process, so it is for the person to ask for, or a fix."""
        self._older |= frozenset(self.results)
        if self._awaits_index and not self.services.indexing():
            self._awaits_index = False
            self._look_at({label.name for label in self.labels if label.section == "index"})
        self.draw()

    def action_health_again(self) -> None:
        """Run all checks again."""
        self._problem = ""
        self._look_at()
        self.draw()

    @property
    def _asked_for(self) -> bool:
        """Whether a person waits for long work beside the look."""
        return any(work.asked for work in self.services.works.under_way)

    def action_health_stop(self) -> None:
        """End what was asked for, else the look, else what goes on by itself."""
        works = self.services.works.under_way
        if works and (self._asked_for or not self.job.running):
            self.work(self.services.works.stop_first, "stop")
        else:
            self.work(self.job.stop, "stop")

    def action_run_tests(self) -> None:
        """All of them; the cursor goes to where they are told of."""
        self._look_at({"recall tests"})
        rows = self.list.rows
        self.list.go(next((at for at, row in enumerate(rows) if row.id == "recall tests"), self.list.cursor))

    def _look_at(self, names: Collection[str] = ()) -> None:
        if self.job.wish(names):
            self.work(self.job.run, "look")

    def on_checks_known(self, message: ChecksKnown) -> None:
        """Now it is known what there is."""
        self.labels = tuple(message.checks)
        self.draw()

    def on_check_started(self, message: CheckStarted) -> None:
        """Say how far the look is."""
        self._looking = message.id
        stops = "" if self._asked_for else f" · {key_for('health_stop')} stops"
        self._progress = row_text(f"looking {message.number}/{message.of}: {message.id}{stops}")
        self.draw()

    def on_check_finished(self, message: CheckFinished) -> None:
        """A result is here."""
        name = message.result.name
        self.results[name] = message.result
        self._older -= {name}
        self.draw()
        if any((one.name, one.section) == (name, self._section) for one in self.labels):
            self.look_behind()

    def on_checks_ended(self, message: ChecksEnded) -> None:
        """The look is over."""
        self._looking, self._problem = "", message.problem
        self.draw()

    def on_repaired(self, message: Repaired) -> None:
        """Say what was repaired, and look again."""
        severity = "information" if message.whole else "warning"
        self.say(f"{message.check}: {message.said}", severity=severity)
        self.reload()

    # -- drawing ---------------------------------------------------------------------------------

    @property
    def sections(self) -> dict[str, Section]:
        """What is shown, by name: each check by itself, those of one family of the doctor's together."""
        names: dict[str, list[str]] = {}
        for label in sorted(self.labels, key=lambda label: label.section != _FIRST):
            names.setdefault(label.section, []).append(label.name)
        return {
            section: Section(
                section,
                len(checks),
                tuple(self.results[name] for name in checks if name in self.results),
                older=any(name in self._older for name in checks),
                looking=self._looking in checks,
            )
            for section, checks in names.items()
        }

    def draw(self) -> None:
        """The sections as they are known; the cursor stays where it is."""
        rows = list(section_rows(list(self.sections.values()), self.folds))
        if self._problem:
            why = row_text(f"The check failed; {key_for('health_again')} runs it again: {self._problem}")
            rows.insert(0, Row(_PROBLEM, why, tone="bad"))
        self.show_rows(rows, empty="reading …")

    def show_place(self) -> None:
        """Where the cursor is, or how far the look is."""
        if self.job.running and self._looking:
            self.list_frame.border_subtitle = Content(self._progress)
        else:
            super().show_place()

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """All that the section or the finding says."""
        finding: Finding | None = row.of
        if row.id == _PROBLEM:
            again = f"What was found so far is below it. {key_for('health_again')} looks again."
            return line_rows([(self._problem, "bad"), (again, "text")])
        if finding:
            named = [one for one in (finding.entry, *finding.others) if one][:_MOST_TEXTS]
            gone = f"it no longer exists: {key_for('health_again')} runs it again"
            texts = await self.history_reader.run(_texts, named, gone)
            return behind_finding(finding, texts)
        section = self.sections.get(row.id.partition("/")[0])
        if section is None or not section.results:
            return line_rows([("It is waiting to be checked; results will appear here.", "text")])
        return line_rows(section_lines(section))

    # -- keys ------------------------------------------------------------------------------------

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        finding = self._finding
        why: dict[str, str] = {}
        if self.job.running:
            why["health_again"] = f"a check is running: {key_for('health_stop')} stops it"
        elif not self.services.works.under_way:
            why["health_stop"] = "no check and no long job is running"
        if self.backing_up.running:
            why["back_up"] = f"a backup is being made: {key_for('health_stop')} stops it"
        if finding is None:
            on_findings = f"select a finding first: {key_for('unfold')} shows those of a section"
            why |= dict.fromkeys(("health_fix", "health_entry", "health_other"), on_findings)
            return why
        if not finding.address:
            why["health_entry"] = "this finding has no entry"
        if not finding.others:
            why["health_other"] = "this finding has only one place"
        if not finding.fixes:
            why["health_fix"] = f"no key fixes this: {finding.do or 'it is for information'}"
        elif (refusal := self.services.refusal()) and all(map(writes, finding.fixes)):
            why["health_fix"] = refusal
        return why

    @property
    def _section(self) -> str:
        """The section under the cursor."""
        return self.row.id.partition("/")[0] if self.row else ""

    @property
    def _finding(self) -> Finding | None:
        return self.list.of

    def action_open(self) -> None:
        """Leave for the entry of a finding, open a section, read what leads nowhere."""
        finding = self._finding
        if finding and finding.address:
            self.services.go_to(finding.address)
        else:
            super().action_open()

    def action_fold(self) -> None:
        """Close the section, also from within."""
        super().action_fold()
        if self.row is not None and self.row.fold:
            self.set_fold(self.row, is_open=False)

    def action_health_entry(self) -> None:
        """Leave for the entry that the finding is about."""
        if finding := self._finding:
            self.services.go_to(finding.address)

    def action_health_other(self) -> None:
        """Leave for the other entry of a pair."""
        if finding := self._finding:
            self.services.go_to(finding.others[0])

    def action_health_fix(self) -> None:
        """Mend the finding: at once where there is one way, else the one that is chosen."""
        finding = self._finding
        if finding is None:
            return
        refusal = self.services.refusal()
        fixes = [fix for fix in finding.fixes if not (refusal and writes(fix))]
        if len(fixes) == 1:
            self._apply(fixes[0])
            return
        rows = [
            Row(
                str(number),
                row_text(fix.label),
                lead=(piece(str(number), "accent"),),
                tail=(safe_piece(fix.command, "faint"),),
            )
            for number, fix in enumerate(fixes[:_MOST], 1)
        ]
        picks = {"f": None, **{row.id: row.id for row in rows}}
        dialog = PickScreen("choose", "How to fix it", "a number or enter chooses · esc leaves", rows, picks)
        self.ask(dialog, lambda number: self._apply(fixes[int(number) - 1]))

    def _apply(self, fix: Fix) -> None:
        """Do it, or show what it would do: what keeps something is done, what takes away is shown first."""
        services = self.services
        match fix.deed:
            case "reindex":
                self._awaits_index = True
                services.reindex()
            case "edit":
                services.edit(fix.addresses[0])
            case "extend":
                services.do(declared_request(episodes.EXTEND, fix.addresses, days=_EXTENDED_DAYS))
            case "pin" | "forget" | "merge" | "quarantine" | "archive":
                carry_out = services.do if fix.deed == "pin" else services.ask
                carry_out(Request(action=fix.deed, addresses=fix.addresses))
            case "forget-memory":
                services.ask(declared_request(graph.FORGET, fix.addresses, reason=_REASON))
            case "settle":
                services.do(declared_request(graph.SETTLE, fix.addresses[0], answer=fix.of))
            case "expire" | "migrate":
                services.ask(EXPIRE if fix.deed == "expire" else migration())
            case "repair":
                self.work(partial(self.job.repair, fix.of), "repair")
            case "open":
                self._open_room(fix.of)
            case "backup":
                self.backing_up.begin(self, elsewhere=bool(fix.of))
            case "tests":
                self.action_run_tests()
            case never:
                assert_never(never)

    def _open_room(self, room: str) -> None:
        """Where it is decided; esc comes back here."""
        self.go(_ROOMS[room])
        graph = self.app.screen
        if room == "contradictions" and isinstance(graph, OverlayScreen) and graph is not self:
            graph.call_after_refresh(graph.action_perform, "view_claims")


def _texts(workspace: Workspace, addresses: Sequence[str], gone: str) -> list[tuple[str, str]]:
    """In the history_reader's thread: what stands at each address now, or ``gone``."""
    found = dict.fromkeys(addresses, gone)
    for address in addresses:
        with suppress(WorkbenchError, OSError):
            found[address] = workspace.find(address).text[:_LONGEST]
    return list(found.items())
