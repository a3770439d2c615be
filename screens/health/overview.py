"""How the memory is doing, and what to do about what is not well."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from screens.actions.active import key_for
from screens.actions.registry import FocusContext, bindings
from screens.drawing.rows import Row, line_rows
from screens.drawing.safe_text import row_text, words
from screens.frames.browse import BrowseScreen
from screens.frames.navigation import go
from screens.frames.overlay_screen import OverScreen
from screens.frames.services import Desk
from screens.health.check_job import Begun, CheckJob, ChecksKnown, Ended, Looked, Repaired
from screens.health.fixes import FixScreen, apply, migration, writes
from screens.health.rows import Section, behind_finding, behind_section, section_rows
from screens.jobs.backup_job import backup_job_of
from workbench.errors import WorkbenchError
from workbench.health.finding import CheckLabel, CheckResult, Finding, Fix
from workbench.workspace.workspace import Workspace

_MOST_TEXTS = 6
_LONGEST = 20_000
_WATCH_SECONDS = 0.5
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


class HealthScreen(BrowseScreen):
    """Sections with their findings; beside them what each says, where it is, and what would mend it."""

    PLACE = FocusContext.HEALTH
    LEAVES = "health"
    STOPS = "health_stop"
    BESIDE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(FocusContext.HEALTH)]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, words("Health"))
        self.job = CheckJob(desk.workspace.root, self.post_message)
        self.backing_up = backup_job_of(desk)
        self.labels: tuple[CheckLabel, ...] = ()
        self.results: dict[str, CheckResult] = {}
        self._older: frozenset[str] = frozenset()
        self._looking = ""
        self._progress = ""
        self._problem = ""
        self._awaits_index = False
        self.commands |= {
            "health_read": self.read,
            "back_up": lambda: self.backing_up.begin(self.app),
            "migrate": lambda: self.desk.ask(migration()),
        }

    # -- looking ---------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Look at everything."""
        self.draw()
        self._look_at()
        self.set_interval(_WATCH_SECONDS, self._watch_index)

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
        """It may be otherwise now; a look takes a process, so it is for the person to ask for."""
        self._older |= frozenset(self.results)
        self.draw()

    def action_health_again(self) -> None:
        """Run all checks again."""
        self._problem = ""
        self._look_at()
        self.draw()

    @property
    def _asked_for(self) -> bool:
        """Whether a person waits for long work beside the look."""
        return any(work.asked for work in self.desk.works.under_way)

    def action_health_stop(self) -> None:
        """End what was asked for, else the look, else what goes on by itself."""
        works = self.desk.works.under_way
        if works and (self._asked_for or not self.job.running):
            self.work(self.desk.works.stop_first, "stop")
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

    def on_begun(self, message: Begun) -> None:
        """Say how far the look is."""
        self._looking = message.id
        stops = "" if self._asked_for else f" · {key_for('health_stop')} stops"
        self._progress = row_text(f"looking {message.number}/{message.of}: {message.id}{stops}")
        self.draw()

    def on_looked(self, message: Looked) -> None:
        """A result is here."""
        name = message.result.name
        self.results[name] = message.result
        self._older -= {name}
        self.draw()
        if any((one.name, one.section) == (name, self._section) for one in self.labels):
            self.look_behind()

    def on_ended(self, message: Ended) -> None:
        """The look is over."""
        self._looking, self._problem = "", message.problem
        self.draw()

    def on_repaired(self, message: Repaired) -> None:
        """Say what was repaired, and look again."""
        severity = "information" if message.whole else "warning"
        self.desk.say(row_text(f"{message.check}: {message.said}"), severity)
        self.reload()

    def _watch_index(self) -> None:
        """A reindex that was asked for here has come to its end: look at the index again."""
        if self._awaits_index and not self.desk.indexing():
            self._awaits_index = False
            self._look_at({label.name for label in self.labels if label.section == "index"})

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
            self.query_one("#browse-top").border_subtitle = Content(self._progress)
        else:
            super().show_place()

    async def read_behind(self, row: Row) -> Sequence[Row]:
        """All that the section or the finding says."""
        finding: Finding | None = row.of
        if row.id == _PROBLEM:
            again = f"What was found so far stands below it. {key_for('health_again')} looks again."
            return line_rows([(self._problem, "bad"), (again, "text")])
        if finding is not None:
            named = [one for one in (finding.entry, *finding.others) if one][:_MOST_TEXTS]
            gone = f"it is not there any more: {key_for('health_again')} looks again"
            texts = await self.desk.historian.run(lambda workspace: _texts(workspace, named, gone))
            return behind_finding(finding, texts)
        section = self.sections.get(row.id.partition("/")[0])
        if section is None or not section.results:
            return line_rows([("It is looked at in its turn; what is known by then is shown here.", "text")])
        return list(behind_section(section))

    # -- keys ------------------------------------------------------------------------------------

    def why(self) -> Mapping[str, str]:
        """What stands in the way of actions, by their ids."""
        finding = self._finding
        why: dict[str, str] = {}
        if self.job.running:
            why["health_again"] = f"a look is under way: {key_for('health_stop')} stops it"
        elif not self.desk.works.under_way:
            why["health_stop"] = "nothing is being looked at, and nothing that takes long is under way"
        if self.backing_up.running:
            why["back_up"] = f"a backup is being made: {key_for('health_stop')} stops it"
        if finding is None:
            on_findings = f"select a finding first: {key_for('unfold')} shows those of a section"
            why |= dict.fromkeys(("health_fix", "health_entry", "health_other"), on_findings)
            return why
        if not finding.address:
            why["health_entry"] = "this finding is about no entry"
        if not finding.others:
            why["health_other"] = "this finding is about one place"
        if not finding.fixes:
            why["health_fix"] = f"no key fixes this: {finding.do or 'it is only worth knowing'}"
        elif (refusal := self.desk.refusal()) and all(map(writes, finding.fixes)):
            why["health_fix"] = refusal
        return why

    @property
    def _section(self) -> str:
        """The section under the cursor."""
        return self.list.row.id.partition("/")[0] if self.list.row else ""

    @property
    def _finding(self) -> Finding | None:
        return self.list.row.of if self.list.row else None

    def action_open(self) -> None:
        """Leave for the entry of a finding, open a section, read what leads nowhere."""
        finding = self._finding
        if finding is not None and finding.address:
            self.desk.go_to(finding.address)
        else:
            super().action_open()

    def action_fold(self) -> None:
        """Close the section, also from within."""
        super().action_fold()
        if self.list.row is not None and self.list.row.fold:
            self.set_fold(self.list.row, is_open=False)

    def action_health_entry(self) -> None:
        """Leave for the entry that the finding is about."""
        if finding := self._finding:
            self.desk.go_to(finding.address)

    def action_health_other(self) -> None:
        """Leave for the other entry of a pair."""
        if finding := self._finding:
            self.desk.go_to(finding.others[0])

    def action_health_fix(self) -> None:
        """Mend the finding: at once where there is one way, else the one that is chosen."""
        finding = self._finding
        if finding is None:
            return
        refusal = self.desk.refusal()
        fixes = [fix for fix in finding.fixes if not (refusal and writes(fix))]
        if len(fixes) == 1:
            self._apply(fixes[0])
        else:
            self.app.push_screen(FixScreen(fixes), self._apply)

    def _apply(self, fix: Fix | None) -> None:
        if fix is None:
            return
        match fix.deed:
            case "repair":
                self.work(partial(self.job.repair, fix.of), "repair")
            case "open":
                self._open_room(fix.of)
            case "backup":
                self.backing_up.begin(self.app, elsewhere=bool(fix.of))
            case "tests":
                self.action_run_tests()
            case _:
                self._awaits_index = self._awaits_index or fix.deed == "reindex"
                apply(self.desk, fix)

    def _open_room(self, room: str) -> None:
        """Where it is decided; esc comes back here."""
        go(self, _ROOMS[room])
        if (
            room == "contradictions"
            and isinstance(graph := self.app.screen, OverScreen)
            and graph is not self
        ):
            graph.call_after_refresh(graph.action_perform, "view_claims")


def _texts(workspace: Workspace, addresses: Sequence[str], gone: str) -> list[tuple[str, str]]:
    """In the historian's thread: what stands at each address now, or ``gone``."""
    found = []
    for address in addresses:
        try:
            found.append((address, workspace.find(address).text[:_LONGEST]))
        except (WorkbenchError, OSError):
            found.append((address, gone))
    return found
