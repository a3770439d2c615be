"""Jobs that a person starts with a path: a backup, and the ingest of sources.

Each does in a worker process what `workbench backup` or `workbench ingest` does.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from screens.actions.keys import key_for
from screens.dialogs.dialog import Dialog, in_keys
from screens.drawing.safe_text import RowPart, grouped, piece, plural, row_text
from screens.frames.overlay_screen import OverlayScreen
from screens.jobs.worker_client import WorkerJob
from screens.widgets.lines import PartsLine, QueryInput
from workbench.backup.bundles import remembered
from workbench.errors import StoppedError, WorkbenchError
from workbench.ingest.outcomes import counted

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

Judge = Callable[[str], RowPart]
"""What a path is, read from the disk; of the tone ``bad`` where it cannot be taken. Called in a thread."""


class PathScreen(Dialog[str]):
    """A dialog to type a path in; it returns the path, or None.

    Tab completes the path. It is judged while it is typed, and accepted once the judgement allows it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", priority=True),
        Binding("tab", "complete", priority=True),
    ]

    def __init__(self, title: str, placeholder: str, judge: Judge) -> None:
        super().__init__()
        self._title = title
        self._judge = judge
        self._input = QueryInput(placeholder=placeholder, compact=True, id="filter", select_on_focus=False)
        self._line = PartsLine("path-judged", long=True)

    def compose(self) -> ComposeResult:
        """A frame with the line, and what it means."""
        with Vertical(id="path-prompt") as frame:
            frame.border_title = Content(row_text(self._title))
            frame.border_subtitle = Content("enter · tab completes · esc leaves")
            yield self._input
            yield self._line

    def on_mount(self) -> None:
        """Ready to type."""
        self._input.focus()
        self._look(self._input.value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._look(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self._look(event.value, submitted=True)

    def action_complete(self) -> None:
        """Go on as far as there is one way only."""
        self.work(partial(self._complete, self._input.value), "complete", exclusive=True)

    def _look(self, text: str, *, submitted: bool = False) -> None:
        self.work(partial(self._look_for, text, submitted), "judge", exclusive=True)

    async def _look_for(self, text: str, submitted: bool) -> None:
        self.call_later(self._judged, text, await asyncio.to_thread(self._judge, text.strip()), submitted)

    async def _complete(self, text: str) -> None:
        self.call_later(self._completed, text, await asyncio.to_thread(completed, text))

    def _judged(self, text: str, part: RowPart, submitted: bool) -> None:
        """Say what it is; take it where it was meant to be taken and can be."""
        if text != self._input.value:
            return
        self._line.show([part])
        if submitted and part.tone != "bad":
            self.dismiss(text.strip())

    def _completed(self, text: str, whole: str) -> None:
        """Put the longer text in place of what was typed."""
        if text == self._input.value:
            self._input.value = whole
            self._input.cursor_position = len(whole)


def completed(text: str) -> str:
    """The path continued as far as all files that begin so agree; a folder ends in a slash."""
    folder, name = os.path.split(os.path.expanduser(text))
    try:
        with os.scandir(folder or ".") as entries:
            found = {
                entry.name + ("/" if entry.is_dir() else "")
                for entry in entries
                if entry.name.startswith(name) and (name or not entry.name.startswith("."))
            }
    except OSError:
        return text
    longer = os.path.commonprefix([*found]) if found else name  # noqa: RUF071 - letter by letter
    return text[: len(text) - len(name)] + longer if name else text + longer


def absolute(text: str, root: Path) -> Path:
    """The path that is meant: from here, else from the workspace's folder ``root``."""
    path = Path(os.path.expanduser(text))
    here = Path(os.path.abspath(path))
    return here if path.is_absolute() or here.exists() or not (root / path).exists() else root / path


class BackupJob(WorkerJob):
    """Makes backups, one at a time; an incomplete one does not count as a backup."""

    TASK = "backup"
    NAME = "Backing up"

    def begin(self, screen: OverlayScreen, *, elsewhere: bool = False) -> None:
        """Make one where the last one is; where there is none, or ``elsewhere``, ask for a place first."""
        screen.app.work(partial(self._begin, screen, elsewhere), self.TASK)

    async def _begin(self, screen: OverlayScreen, elsewhere: bool) -> None:
        last = None if elsewhere else await screen.services.history_reader.run(remembered)
        if last is not None:
            await self._run(screen, "")
            return

        def answered(text: str) -> None:
            if text:
                screen.app.work(partial(self._run, screen, text), self.TASK)

        title = "Back up to: a folder on another disk, a .bundle file, or a git remote"
        screen.ask(PathScreen(title, "/media/disk/memory", partial(judged, self.root)), answered)

    async def _run(self, screen: OverlayScreen, target: str) -> None:
        if self.running:
            return
        after = (
            f"the incomplete backup is ignored, the one before it is kept; {key_for('back_up')} starts a "
            "new one"
        )
        try:
            said = await self.run_task({"target": os.path.expanduser(target)}, after=after)
        except StoppedError:
            screen.warn("The backup was stopped; the previous one is kept")
        except (WorkbenchError, OSError) as error:
            screen.say_failure(error, "No backup")
        else:
            screen.say(*made(said))
            screen.services.changed()


def judged(root: Path, text: str) -> RowPart:
    """What a place for a backup is, in words; of the tone ``bad`` where it can be none."""
    if not text:
        return piece("use another disk, in case this one fails")
    if "://" in text or ("@" in text and ":" in text):
        return piece("a git remote: enter pushes new commits", "good")
    path = absolute(text, Path("/"))
    if path == root or root in path.parents:
        return piece("this is inside the memory and would be lost with it", "bad")
    if path.suffix == ".bundle":
        return piece("one file with everything", "good")
    if path.exists() and not path.is_dir():
        return piece("this is a file: use a folder, or a name that ends in .bundle", "bad")
    there = "a folder: enter adds what is new since the last backup there"
    return piece(there if path.is_dir() else "a new folder, or a remote of this repository", "good")


def made(said: Mapping[str, Any]) -> Sequence[str]:
    """What was made, and how it was proven."""
    target, wrote = str(said.get("target")), str(said.get("wrote"))
    if not wrote:
        return [f"Nothing new: {target} has everything"]
    lines = [f"Backed up to {target}" + (f" ({wrote})" if wrote != "sent" else "")]
    if isinstance(compared := said.get("compared"), int):
        lines.append(f"restored and compared: {grouped(compared)} files are the same")
    if recorded := said.get("recorded"):
        files = plural(recorded, "file") if isinstance(recorded, int) else f"{recorded} files"
        lines.append(f"recorded {files} first")
    return [*lines, *map(str, said.get("notes") or ())]


_SHOWN = 3
_MOST_LOOKED_AT = 1_000


class IngestJob(WorkerJob):
    """Asks which sources to ingest, and ingests them, one request at a time."""

    TASK = "ingest"
    NAME = "Ingest"

    def ask(self, screen: MainScreen) -> None:
        """Let a path be typed, and take in what is there."""
        title = "Ingest: a transcript, a page, or a folder of transcripts"
        prompt = PathScreen(title, "a path; empty: all that is new", partial(told_of, self.root))

        def answered(text: str) -> None:
            if not self.running:
                screen.work(partial(self._run, screen, text), self.TASK)

        screen.show_dialog(prompt, answered)

    async def _run(self, screen: MainScreen, text: str) -> None:
        changed = screen.screen_opener.services.changed
        files = [os.fspath(absolute(text, self.root))] if text else []
        after = f"what was ingested before stays; {key_for('ingest')} continues with the rest"
        try:
            said = await self.run_task({"files": files}, after=after)
        except StoppedError:
            # One that did not heed in time was ended, and said nothing of what it had done by then.
            if reached := self._client.reached_when_killed if self._client else "":
                screen.warn(f"Stopped with {reached}; {after}", title=self.NAME)
                changed()
            else:
                screen.warn("Stopped before the first source; nothing was ingested", title=self.NAME)
        except (WorkbenchError, OSError) as error:
            screen.say_failure(error, self.NAME)
            changed()  # what was taken in before it failed
        else:
            lines, severity = outcome(said)
            screen.say(*lines, severity=severity, title=self.NAME)
            changed()


def told_of(root: Path, text: str) -> RowPart:
    """What is at a path, in words; of the tone ``bad`` where nothing can be taken in."""

    if not text:
        said = "enter ingests new logs, episodes, notes about one thing, and the transcripts in your settings"
        return piece(said)
    path = absolute(text, root)
    if path.is_dir():
        if count := _transcripts_in(path):
            return piece(f"a folder with {plural(count, 'transcript')} (*.jsonl)", "good")
        return piece("this folder has no *.jsonl files", "bad")
    if path.is_file():
        return piece("a page" if path.suffix == ".md" else "a transcript", "good")
    return piece("there is no such file or folder", "bad")


def outcome(said: Mapping[str, Any]) -> tuple[Sequence[str], str]:
    """What came of it, in lines, and how loud that is said."""
    counts: Mapping[str, int] = said.get("counts") or {}
    total, taken = sum(counts.values()), counts.get("taken", 0)
    troubles: Sequence[Sequence[str]] = said.get("troubles") or ()
    unreadable: Sequence[str] = said.get("unreadable") or ()
    operations = int(said.get("operations", 0))
    lines = [f"{taken} of {plural(total, 'source')} ingested" if taken else "Nothing was ingested"]
    if not total:
        lines = ["Nothing to ingest"]
    if said.get("stopped"):
        lines[0] = f"Stopped: {plural(taken, 'source')} ingested; {key_for('ingest')} continues with the rest"
    named = len(troubles) == total - taken <= _SHOWN
    if (others := {name: count for name, count in counts.items() if name != "taken"}) and not named:
        lines.append(counted(others))
    if operations:
        made = (
            f"{plural(int(said.get('episodes', 0)), 'episode')}, {said.get('memories', 0)} new in the graph"
        )
        back = f"{key_for('undo')} undoes it"
        if operations > 1:
            many = f"{operations} operations: {key_for('undo')} undoes them one by one"
            back = f"{many}, {key_for('operations')} shows them"
        lines += [made, back]
    if not said.get("memories"):
        lines += [in_keys(str(note)) for note in said.get("notes") or ()][:_SHOWN]
    lines += [f"{os.path.basename(source)}: {why}" for source, why in troubles[:_SHOWN]]
    if len(troubles) > _SHOWN:
        lines.append(f"… and {len(troubles) - _SHOWN} more: `workbench ingest` lists all")
    lines += unreadable[:_SHOWN]
    if (more := int(said.get("with_unreadable", 0)) - _SHOWN) > 0:
        lines.append(f"… and lines of {plural(more, 'other source')}")
    loud = bool(troubles or unreadable or said.get("stopped"))
    return lines, "warning" if loud else "information"


def _transcripts_in(folder: Path) -> int:
    """Transcripts in a folder and below; of a very large one those among the first files."""
    looked = count = 0
    for _, _, names in os.walk(folder):
        looked += len(names) + 1
        count += sum(name.endswith(".jsonl") for name in names)
        if looked > _MOST_LOOKED_AT:
            break
    return count
