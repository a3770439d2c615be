"""Conversations of LoCoMo, REALTALK and BEAM as daily logs, and how much of a question's evidence is found.

Each turn is a list item in the log of its day. The data is given by its path and read where it lies.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.question_sets import Asked, Collection, Evidence

TODAY = date(2026, 1, 1)
_Session = tuple[datetime, list[tuple["Turn", str, str]]]
"""When it was, and its turns, each with its speaker and what was said."""

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


def locomo(data: Path) -> list[Conversation]:
    """The conversations in a file of LoCoMo (Maharana et al., ACL 2024), all ten or some."""
    return [
        _messenger(one["sample_id"], {**one["conversation"], "qa": one["qa"]}, "%I:%M %p on %d %B, %Y")
        for one in json.loads(data.read_text(encoding="utf-8"))
    ]


def realtalk(folder: Path) -> list[Conversation]:
    """The ten chats in the ``data`` folder of REALTALK (Lee et al., 2025)."""
    return [
        _messenger(path.stem, json.loads(path.read_text(encoding="utf-8")), "%d.%m.%Y, %H:%M:%S")
        for path in sorted(folder.glob("Chat_*.json"))
    ]


def beam(folder: Path, count: int) -> list[Conversation]:
    """``count`` chats in a folder of BEAM (Tavakoli et al., 2025), such as ``chats/100K``, evenly spaced.

    A group of messages that belong together is a session; questions that name no message are left out, as
    those are whose answer is that nothing was said.
    """
    chats = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: int(path.name))
    return [_beam_chat(chats[at * len(chats) // count]) for at in range(min(count, len(chats)))]


def _messenger(name: str, raw: Mapping[str, Any], times: str) -> Conversation:
    sessions, ids = [], {}
    for number in sorted(int(key[8:]) for key in raw if re.fullmatch(r"session_\d+", key)):
        turns = []
        for turn in raw[f"session_{number}"]:
            ids[turn["dia_id"]] = Turn(number, int(turn["dia_id"].split(":")[1]))
            text = turn.get("clean_text") or turn.get("text", "")
            photo = f" (photo: {caption})" if (caption := turn.get("blip_caption")) else ""
            turns.append((ids[turn["dia_id"]], turn["speaker"], text + photo))
        sessions.append((datetime.strptime(raw[f"session_{number}_date_time"], times), turns))
    asked = ((CATEGORIES[one["category"]], one["question"], _named(one["evidence"])) for one in raw["qa"])
    return _conversation(name, sessions, asked)


def _named(evidence: Sequence[str]) -> Iterator[Turn]:
    """The turns that are named, alone or as ``D1:3-D1:5``; malformed names where their meaning is clear."""
    for s, first, last in re.findall(r"D:?(\d+):(\d+)(?:-D\1:(\d+))?", " ".join(evidence)):
        yield from (Turn(int(s), number) for number in range(int(first), int(last or first) + 1))


def _beam_chat(folder: Path) -> Conversation:
    shortened = folder / "chat_trunecated.json"
    path = shortened if shortened.exists() else folder / "chat.json"
    ids: dict[int, Turn] = {}
    sessions: list[_Session] = []
    when = datetime(2024, 1, 1)
    for batch in json.loads(path.read_text(encoding="utf-8")):
        for group in batch["turns"]:
            if anchor := group[0].get("time_anchor"):
                when = datetime.strptime(anchor, "%B-%d-%Y").replace(hour=8)
            turns = []
            for message in group:
                ids[message["id"]] = Turn(len(sessions), message["id"])
                text = message["content"].partition(" ->-> ")[0]
                turns.append((ids[message["id"]], message["role"], text))
            sessions.append((when, turns))
            when += timedelta(minutes=5)
    questions = json.loads((folder / "probing_questions/probing_questions.json").read_text(encoding="utf-8"))
    asked = (
        (style.replace("_", "-"), one["question"], [ids[at] for at in _numbers(one.get("source_chat_ids"))])
        for style, some in questions.items()
        for one in some
    )
    return _conversation(f"{folder.parent.name} {folder.name}", sessions, asked)


def _numbers(named: object) -> Iterator[int]:
    """The numbers in lists and objects of them."""
    if isinstance(named, int):
        yield named
    elif isinstance(named, list | dict):
        for one in named.values() if isinstance(named, dict) else named:
            yield from _numbers(one)


def _conversation(
    name: str,
    sessions: Sequence[_Session],
    asked: Iterable[tuple[str, str, Iterable[Turn]]],
) -> Conversation:
    """Sessions, each with its turns, speakers and words, as the logs of their days."""
    days: dict[str, list[str]] = {}
    turns: dict[Place, Turn] = {}
    for when, said in sorted(sessions, key=lambda session: session[0]):
        path = f"memory/{when:%Y-%m-%d}.md"
        lines = days.setdefault(path, [f"# {when:%Y-%m-%d}"])
        names = " and ".join(dict.fromkeys(speaker for _, speaker, _ in said))
        lines += ["", f"## {when:%H:%M} {names}", ""]
        for turn, speaker, text in said:
            lines.append(f"- **{speaker}:** {' '.join(text.split())}")
            turns[Place(path, len(lines))] = turn
    known = set(turns.values())
    questions = tuple(
        Question(text, category, evidence)
        for category, text, named in asked
        if (evidence := frozenset(known.intersection(named)))
    )
    files = {path: "\n".join(lines) + "\n" for path, lines in days.items()}
    return Conversation(name, {"MEMORY.md": "# Memory\n", **files}, turns, questions)


def collection(group: str, conversation: Conversation, root: Path) -> Collection:
    """The files of ``conversation`` in the empty folder ``root``, and its questions."""
    write_files(root, conversation.files)
    places = {turn: place for place, turn in conversation.turns.items()}
    questions = tuple(
        Asked(
            one.text,
            one.category,
            tuple(Evidence(path=places[turn].path, line=places[turn].line) for turn in sorted(one.evidence)),
        )
        for one in conversation.questions
    )
    return Collection(f"{group} {conversation.name}", root, TODAY, questions)


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """``files`` below ``root``."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def write_workspace(root: Path, files: Mapping[str, str]) -> None:
    """``files`` below ``root``, committed."""
    write_files(root, files)
    git = ["git", "-C", str(root), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *arguments], check=True, stdout=subprocess.DEVNULL)
