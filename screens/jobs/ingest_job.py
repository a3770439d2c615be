"""Taking sources in from the interface: what `workbench ingest` does, in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screens.actions.active import key_for
from screens.drawing.rows import RowPart
from screens.drawing.safe_text import Shown, plural, row_text, said_of, words
from screens.frames.services import Desk
from screens.jobs.running_jobs import WorkerJob
from workbench.errors import StoppedError, WorkbenchError
from workbench.ingest.outcomes import counted

if TYPE_CHECKING:
    from screens.main.screen import MainScreen

_SHOWN = 3
_MOST_LOOKED_AT = 1_000


class IngestJob(WorkerJob):
    """Asks what is to be taken in, and takes it in, one wish at a time."""

    TASK = "ingest"
    NAME = "Ingest"

    def __init__(self, screen: MainScreen, desk: Desk) -> None:
        super().__init__(desk.workspace.root, desk.works)
        self._screen = screen
        self._desk = desk

    def ask(self) -> None:
        """Let a path be typed, and take in what is there."""
        from screens.jobs.path_prompt import PathScreen  # noqa: PLC0415 - not before the first paint

        title = words("Ingest: a transcript, a page, or a folder of transcripts")
        prompt = PathScreen(title, "empty: what your settings name", partial(told_of, self._root))
        self._screen.show_dialog(prompt, self._answered)

    def _answered(self, text: str | None) -> None:
        if text is not None and not self.running:
            self._screen.work(partial(self._run, text), self.TASK)

    async def _run(self, text: str) -> None:
        from screens.jobs.path_prompt import absolute  # noqa: PLC0415

        files = [os.fspath(absolute(text, self._root))] if text else []
        after = f"what was ingested before stays; {key_for('ingest')} continues with the rest"
        try:
            said = await self.run_task({"files": files}, after=after)
        except StoppedError:
            # One that did not heed in time was ended, and said nothing of what it had done by then.
            if reached := self._client.reached_when_killed if self._client else "":
                self._say(row_text(f"Stopped with {reached}; {after}"), "warning")
                self._desk.changed()
            else:
                self._say(words("Stopped before the first source; nothing was ingested"), "warning")
        except (WorkbenchError, OSError) as error:
            self._say(row_text(" · ".join(said_of(error))), "warning")
            self._desk.changed()  # what was taken in before it failed
        else:
            self._say(*outcome(said))
            self._desk.changed()

    def _say(self, text: Shown, severity: str) -> None:
        self._screen.say(text, title=words(self.NAME), severity=severity)


def told_of(root: Path, text: str) -> RowPart:
    """What is at a path, in words; of the tone ``bad`` where nothing can be taken in."""
    from screens.jobs.path_prompt import absolute  # noqa: PLC0415

    if not text:
        said = (
            "enter ingests what is new in logs, notes and episodes, and in the transcripts of your settings"
        )
        return RowPart(words(said), "muted")
    path = absolute(text, root)
    if path.is_dir():
        count = _transcripts_in(path)
        said = (
            f"a folder with {plural(count, 'transcript')} (*.jsonl)"
            if count
            else "no *.jsonl is in this folder"
        )
        return RowPart(words(said), "good" if count else "bad")
    if path.is_file():
        return RowPart(words("a page" if path.suffix == ".md" else "a transcript"), "good")
    return RowPart(words("there is no such file or folder"), "bad")


def outcome(said: Mapping[str, Any]) -> tuple[Shown, str]:
    """What came of it, and how loud that is said."""
    counts: Mapping[str, int] = said.get("counts") or {}
    total, taken = sum(counts.values()), counts.get("taken", 0)
    troubles: Sequence[Sequence[str]] = said.get("troubles") or ()
    unreadable: Sequence[str] = said.get("unreadable") or ()
    operations = int(said.get("operations", 0))
    lines = [f"{taken} of {plural(total, 'source')} ingested" if taken else "Nothing was ingested"]
    if not total:
        lines = ["There is nothing to ingest"]
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
    lines += [f"{os.path.basename(source)}: {why}" for source, why in troubles[:_SHOWN]]
    if len(troubles) > _SHOWN:
        lines.append(f"… and {len(troubles) - _SHOWN} more: `workbench ingest` names all")
    lines += unreadable[:_SHOWN]
    if (more := int(said.get("with_unreadable", 0)) - _SHOWN) > 0:
        lines.append(f"… and lines of {plural(more, 'other source')}")
    loud = bool(troubles or unreadable or said.get("stopped"))
    return Shown("\n".join(map(row_text, lines))), "warning" if loud else "information"


def _transcripts_in(folder: Path) -> int:
    """Transcripts in a folder and below; of a very large one those among the first files."""
    looked = count = 0
    for _, _, names in os.walk(folder):
        looked += len(names) + 1
        count += sum(name.endswith(".jsonl") for name in names)
        if looked > _MOST_LOOKED_AT:
            break
    return count
