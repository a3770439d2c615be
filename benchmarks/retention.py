"""What of long conversations is kept: of the questions asked about them, whose evidence is in MEMORY.md?

    python -m benchmarks.retention FILE [--budget 10000] [--json]

FILE holds conversations of the LoCoMo benchmark (Maharana et al., ACL 2024). Each is fed session by session
as transcripts (one speaker is the user, the other the assistant): the session is flushed and ingested, then
one dream runs and its proposals are accepted, as a person would who accepts all of them; what does not fit is
archived.

A question is retained when a line of MEMORY.md, within the budget of characters, quotes one of its evidence
turns or points at it by its sources. Beside it stand sentences chosen at random, the first of each session,
and the newest, at the same budget. Budgets are counted twice: as the file is, with a comment like ours
behind each sentence (what is kept must say where it is from), and of words alone, comments not counted.
``untraced`` counts lines of ours that lead to no turn.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workbench.dreaming.eviction import archive_proposals
from workbench.dreaming.owner_model import owner_model
from workbench.dreaming.proposals.decide import plan_accept
from workbench.dreaming.proposals.inbox import propose, read_book
from workbench.dreaming.run import dream
from workbench.errors import NotCuratableError
from workbench.ingest.flush import flush_reading
from workbench.ingest.ingest import Ingest
from workbench.ingest.sessions import Checkpoints, read_new
from workbench.ingest.transcript_files import look
from workbench.memory.entry import Form
from workbench.memory.sentences import sentences
from workbench.operations.archive import characters, plan_archive
from workbench.workspace.plan import Plan
from workbench.workspace.templates import set_up
from workbench.workspace.workspace import Workspace

FILE, WORDS = "", " words"
"""How the budget of a column is counted."""
_FILE_FOR_WORDS = 3
"""Characters that the file may have for each character of words, before it is cut down to the words."""
_STEP = 400
SEEDS = 20
"""Draws of random sentences that are averaged."""
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_PLACE = re.compile(r"(?P<path>.+)#L(?P<first>\d+)(?:-L?(?P<last>\d+))?")
_TURN = re.compile(r"s(\d+)\.jsonl")

Turn = tuple[int, int]
"""Session and turn, both from 1."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a conversation, and the turn that it is from."""

    turn: Turn
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: when each session began, what was said in it, and the evidence of each question."""

    name: str
    sessions: Mapping[int, tuple[datetime, tuple[tuple[str, str], ...]]]
    questions: tuple[frozenset[Turn], ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What stands in MEMORY.md in the end: lines, those that lead nowhere, turns, and how long it took."""

    lines: int
    untraced: int
    turns: frozenset[Turn]
    comment: int
    seconds: float


def conversations(path: Path) -> Iterator[Conversation]:
    """The conversations in a file of the benchmark."""
    for sample in json.loads(path.read_text(encoding="utf-8")):
        talk = sample["conversation"]
        numbers = sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key)))
        sessions = {}
        for number in numbers:
            when = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            turns = tuple(
                (turn["speaker"], " ".join(turn["text"].split())) for turn in talk[f"session_{number}"]
            )
            sessions[number] = (when.replace(tzinfo=UTC), turns)
        questions = (
            frozenset((int(s), int(t)) for raw in row.get("evidence", []) for s, t in _EVIDENCE.findall(raw))
            for row in sample["qa"]
        )
        yield Conversation(sample["sample_id"], sessions, tuple(one for one in questions if one))


def kept(conversation: Conversation, root: Path, budget: int, *, words: bool = False) -> Kept:
    """What the workbench keeps of a conversation in a new workspace at ``root``.

    ``words``: the budget is one of words, so that the file may be larger by its comments.
    """
    began = time.perf_counter()
    place = root / "workspace"
    set_up(place, "plain")
    room = budget * _FILE_FOR_WORDS if words else budget
    (place / "workbench.yaml").write_text(f"memory_budget: {room}\n")
    workspace = Workspace.open(place)
    speakers = list(dict.fromkeys(who for _, turns in conversation.sessions.values() for who, _ in turns))
    for number, (when, turns) in conversation.sessions.items():
        path = root / f"s{number:02}.jsonl"
        path.write_text("".join(_records(turns, when, speakers)), encoding="utf-8")
        now = when + timedelta(hours=3)
        _take_in(workspace, path, now)
        _sleep(workspace, now + timedelta(hours=1), room)
    while words and sum(len(text) for text, _, _ in _lines(workspace, room)) > budget:
        room = min(room, len(workspace.memory_document().data.decode())) - _STEP
        _archive(workspace, now, room)
    lines = list(_lines(workspace, room))
    traced = [set(_turns(workspace, sources)) for _, sources, _ in lines]
    found = Kept(
        lines=len(lines),
        untraced=sum(not turns for turns in traced),
        turns=frozenset().union(*traced) | quoted(conversation, [text for text, _, _ in lines]),
        comment=round(statistics.fmean(size for _, _, size in lines)) if lines else 0,
        seconds=time.perf_counter() - began,
    )
    workspace.close()
    return found


def _records(turns: Sequence[tuple[str, str]], when: datetime, speakers: Sequence[str]) -> Iterator[str]:
    for number, (who, text) in enumerate(turns):
        role = "user" if who == speakers[0] else "assistant"
        at = (when + timedelta(seconds=30 * number)).isoformat()
        yield json.dumps({"role": role, "content": text, "timestamp": at}) + "\n"


def _take_in(workspace: Workspace, path: Path, now: datetime) -> None:
    """Flush and ingest one transcript, as `workbench flush` and `workbench ingest` do."""
    file = look(str(path))
    checkpoints = Checkpoints.read(workspace, "flush")
    reading = read_new(file, checkpoints)
    assert reading is not None
    flush_reading(workspace, reading, checkpoints, now=now, full=True)
    for taken in Ingest(workspace, now=now).transcripts([str(path)]):
        if taken.outcome in ("failed", "refused"):
            raise RuntimeError(f"{taken.source}: {taken.why}")


def _sleep(workspace: Workspace, now: datetime, budget: int) -> None:
    """One dream whose proposals are all accepted; what does not fit then is archived."""
    proposed = propose(workspace, dream(workspace, now=now).proposals, now)
    keys = [one.key for one in (*proposed.added, *proposed.waiting)]
    if keys:
        try:
            workspace.operations.carry_out(lambda: plan_accept(workspace, keys, now=now))
        except NotCuratableError as error:
            print(f"  not accepted: {error.message}", file=sys.stderr)
    _archive(workspace, now, budget)


def _archive(workspace: Workspace, now: datetime, budget: int) -> None:
    def planner() -> Plan:
        model = owner_model(workspace, read_book(workspace))
        leaving = archive_proposals(workspace, model, now, limit=budget)
        addresses = [address for proposal in leaving for address in proposal.entries]
        return plan_archive(workspace, addresses, today=now.date(), reason="over the budget")

    if characters(workspace.memory_document().data) > budget:
        workspace.operations.carry_out(planner)


def _lines(workspace: Workspace, budget: int) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """The entries within the first ``budget`` characters: text, sources, and characters beside the words."""
    document = workspace.memory_document()
    for entry in document.entries:
        end = len(document.data[: entry.span.end].decode("utf-8", "replace"))
        if entry.form is Form.ITEM and end <= budget:
            sources = entry.provenance.all("src") if entry.provenance else ()
            raw = document.data[entry.span.start : entry.span.end].decode("utf-8", "replace")
            yield entry.text, sources, len(raw) - len(entry.text)


def _turns(workspace: Workspace, sources: Iterable[str], depth: int = 4) -> Iterator[Turn]:
    """The turns that sources lead to, through logs and episodes."""
    for source in sources:
        place = _PLACE.fullmatch(source)
        if place is None or not depth:
            continue
        first, last = int(place["first"]), int(place["last"] or place["first"])
        if told := _TURN.fullmatch(place["path"].rpartition("/")[2]):
            yield from ((int(told[1]), line) for line in range(first, last + 1))
            continue
        try:
            entries = workspace.document(place["path"]).entries
        except (OSError, NotCuratableError):
            continue
        for entry in entries:
            if entry.start_line <= last and first <= entry.end_line and entry.provenance:
                yield from _turns(workspace, entry.provenance.all("src"), depth - 1)


def said_in(conversation: Conversation) -> list[Said]:
    """Every sentence of a conversation, in order."""
    return [
        Said((number, turn), sentence.text)
        for number, (_, turns) in conversation.sessions.items()
        for turn, (_, text) in enumerate(turns, 1)
        for sentence in sentences(text)
    ]


def filled(chosen: Iterable[Said], budget: int, beside: int) -> frozenset[Turn]:
    """The turns of as many sentences as fit, each with ``beside`` characters around it."""
    turns, used = set(), 0
    for said in chosen:
        used += len(said.text) + beside
        if used > budget:
            break
        turns.add(said.turn)
    return frozenset(turns)


def at_random(said: Sequence[Said], seed: int) -> list[Said]:
    """The sentences in an order of chance."""
    order = list(said)
    random.Random(seed).shuffle(order)
    return order


def first_of_sessions(said: Sequence[Said], _: int) -> list[Said]:
    """The first sentence of each session, then the second of each, and so on."""
    places: dict[int, int] = {}
    ranked = []
    for one in said:
        places[one.turn[0]] = places.get(one.turn[0], 0) + 1
        ranked.append((places[one.turn[0]], one.turn, one))
    return [one for _, _, one in sorted(ranked, key=lambda item: item[:2])]


def newest(said: Sequence[Said], _: int) -> list[Said]:
    """The last sentence first."""
    return list(reversed(said))


BASELINES: Mapping[str, Callable[[Sequence[Said], int], list[Said]]] = {
    "random": at_random,
    "first": first_of_sessions,
    "newest": newest,
}


def retained(questions: Sequence[frozenset[Turn]], turns: frozenset[Turn]) -> float:
    """The share of questions of whose evidence at least one turn is among ``turns``."""
    return statistics.fmean(bool(evidence & turns) for evidence in questions)


def quoted(conversation: Conversation, texts: Sequence[str]) -> frozenset[Turn]:
    """The turns that hold one of ``texts`` word for word."""
    return frozenset(
        (number, turn)
        for number, (_, turns) in conversation.sessions.items()
        for turn, (_, text) in enumerate(turns, 1)
        if any(one in text for one in texts if len(one) >= 20)
    )


def measured(conversation: Conversation, budget: int) -> dict[str, Any]:
    """All figures of one conversation."""
    with tempfile.TemporaryDirectory() as folder:
        own = kept(conversation, Path(folder), budget)
    with tempfile.TemporaryDirectory() as folder:
        by_words = kept(conversation, Path(folder), budget, words=True)
    said = said_in(conversation)
    row: dict[str, Any] = {
        "conversation": conversation.name,
        "questions": len(conversation.questions),
        "lines": own.lines,
        "untraced": own.untraced + by_words.untraced,
        "seconds": round(own.seconds, 1),
    }
    for kind, ours, beside in ((FILE, own, own.comment), (WORDS, by_words, 0)):
        row[f"kept{kind}"] = retained(conversation.questions, ours.turns)
        for name, order in BASELINES.items():
            shares = (
                retained(conversation.questions, filled(order(said, seed), budget, beside))
                for seed in range(SEEDS if name == "random" else 1)
            )
            row[name + kind] = statistics.fmean(shares)
    return row


def main() -> None:
    """Print a row for each conversation and the mean."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--budget", type=int, default=10_000, help="characters of MEMORY.md")
    parser.add_argument("--json", action="store_true", dest="as_json")
    arguments = parser.parse_args()
    rows = [measured(one, arguments.budget) for one in conversations(arguments.file)]
    shares = [name + kind for kind in (FILE, WORDS) for name in ("kept", *BASELINES)]
    mean: dict[str, Any] = {"conversation": "mean"} | {
        name: statistics.fmean(row[name] for row in rows)
        for name in ("questions", "lines", "untraced", "seconds", *shares)
    }
    if arguments.as_json:
        print(json.dumps([*rows, mean]))
        return
    print("conversation  questions  lines  untraced  seconds  " + "  ".join(f"{name:>12}" for name in shares))
    for row in (*rows, mean):
        figures = "  ".join(f"{row[name]:12.3f}" for name in shares)
        print(
            f"{row['conversation']:<12}  {row['questions']:>9.0f}  {row['lines']:>5.0f}  "
            f"{row['untraced']:>8.0f}  {row['seconds']:>7.1f}  {figures}"
        )


if __name__ == "__main__":
    main()
