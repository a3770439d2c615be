"""LoCoMo conversations as daily logs, and how much of a question's evidence an answer brings.

The file is ``locomo10.json`` of the LoCoMo benchmark (Maharana et al., ACL 2024), or a part of it. It is read
where it lies and never copied; what is written from it is gone after the run.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
TURNS, SESSIONS = (5, 10, 25, 50), (5, 10)
_LEAST_FRAGMENT = 20


@dataclass(frozen=True, slots=True, order=True)
class Turn:
    """What one speaker said at one time."""

    session: int
    number: int


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file of the workspace, counted from 1."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the turns that answer it; there is at least one."""

    text: str
    category: str
    evidence: frozenset[Turn]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: its files, where each turn stands in them, and its questions."""

    name: str
    files: dict[str, str]
    turns: dict[Place, Turn]
    questions: tuple[Question, ...]
    _lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def write(self, root: Path) -> None:
        """The workspace in ``root``, with a first commit."""
        write_workspace(root, self.files)

    def places_in(self, path: str, text: str) -> Iterator[Place]:
        """Where the lines of ``text`` stand in the file ``path``, in the order of ``text``.

        For tools that answer with text and not with line numbers. A part of a line counts for the line.
        """
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = {}
            for number, line in enumerate(self.files.get(path, "").split("\n"), 1):
                lines.setdefault(line.strip(), []).append(number)
        for line in filter(None, map(str.strip, text.split("\n"))):
            if line in lines:
                found = lines[line]
            elif len(line) >= _LEAST_FRAGMENT:
                found = [number for whole, numbers in lines.items() if line in whole for number in numbers]
            else:
                found = []
            yield from (Place(path, number) for number in found)

    def recall(self, question: Question, places: Iterable[Place]) -> dict[str, float]:
        """Shares of the evidence among the first turns, and of its sessions among the first sessions.

        The lines of the hits are walked in order; a turn counts once, a session by its first turn.
        """
        turns = list(dict.fromkeys(self.turns[place] for place in places if place in self.turns))
        sessions = list(dict.fromkeys(turn.session for turn in turns))
        wanted = {turn.session for turn in question.evidence}
        shares = {f"turn@{n}": _share(question.evidence, turns[:n]) for n in TURNS}
        return shares | {f"session@{n}": _share(wanted, sessions[:n]) for n in SESSIONS}


def _share(wanted: Iterable[object], found: Iterable[object]) -> float:
    wanted = set(wanted)
    return len(wanted.intersection(found)) / len(wanted)


def read(data: Path) -> list[Conversation]:
    """The conversations of a LoCoMo file."""
    return [_conversation(raw) for raw in json.loads(data.read_text(encoding="utf-8"))]


def _conversation(raw: Mapping[str, Any]) -> Conversation:
    said = raw["conversation"]
    days: dict[str, list[tuple[datetime, int]]] = {}
    for number in sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key)):
        when = datetime.strptime(said[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        days.setdefault(when.date().isoformat(), []).append((when, number))
    files, turns = {"MEMORY.md": "# Memory\n"}, {}
    for day, sessions in sorted(days.items()):
        path, lines = f"memory/{day}.md", [f"# {day}"]
        for when, number in sorted(sessions):
            names = " and ".join(dict.fromkeys(turn["speaker"] for turn in said[f"session_{number}"]))
            lines += ["", f"## {when:%H:%M} {names}", ""]
            for turn in said[f"session_{number}"]:
                lines.append(_line(turn))
                turns[Place(path, len(lines))] = Turn(number, int(turn["dia_id"].split(":")[1]))
        files[path] = "\n".join(lines) + "\n"
    questions = [
        Question(asked["question"], CATEGORIES[asked["category"]], evidence)
        for asked in raw["qa"]
        if (evidence := _evidence(asked))
    ]
    return Conversation(raw["sample_id"], files, turns, tuple(questions))


def _line(turn: Mapping[str, str]) -> str:
    caption = " ".join(turn.get("blip_caption", "").split())
    text = f"- **{turn['speaker']}:** {' '.join(turn.get('text', '').split())}"
    return f"{text} (photo: {caption})" if caption else text


def _evidence(asked: Mapping[str, Any]) -> frozenset[Turn]:
    """The turns that are named; a few names are malformed, and read where their meaning is clear."""
    named = " ".join(asked.get("evidence", []))
    return frozenset(Turn(int(s), int(t)) for s, t in re.findall(r"D:?(\d+):(\d+)", named))


def write_workspace(root: Path, files: Mapping[str, str]) -> None:
    """``files`` below ``root``, committed."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *arguments], check=True, stdout=subprocess.DEVNULL)
