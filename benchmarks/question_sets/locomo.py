"""Conversations of the LoCoMo benchmark as memory, one workspace each. The data is given by its path.

Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024. Each turn is a
list item in the log of its day; the evidence of a question are the turns that answer it.
"""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

from benchmarks.question_sets import Asked, Collection, Evidence

STYLES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_TODAY = date(2026, 1, 1)
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")

Where = dict[tuple[int, int], tuple[str, int]]


def write(data: Path, root: Path) -> list[Collection]:
    """One collection for each conversation in the file ``data``, below the empty folder ``root``."""
    return [_collection(one, root / one["sample_id"]) for one in json.loads(data.read_text(encoding="utf-8"))]


def _collection(sample: dict[str, Any], root: Path) -> Collection:
    where = _write_logs(sample["conversation"], root)
    questions = []
    for row in sample["qa"]:
        turns = {(int(s), int(t)) for raw in row.get("evidence", []) for s, t in _EVIDENCE.findall(raw)}
        found = tuple(
            Evidence(path=where[turn][0], line=where[turn][1]) for turn in sorted(turns & set(where))
        )
        if found:
            questions.append(Asked(row["question"], STYLES[row["category"]], found))
    return Collection(f"locomo {sample['sample_id']}", root, _TODAY, tuple(questions))


def _write_logs(conversation: dict[str, Any], root: Path) -> Where:
    """Daily logs, and where each turn of each session stands in them."""
    where: Where = {}
    days: dict[str, list[str]] = {}
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        when = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        turns = conversation[f"session_{number}"]
        path = f"memory/{when:%Y-%m-%d}.md"
        lines = days.setdefault(path, [f"# {when:%Y-%m-%d}"])
        names = " and ".join(dict.fromkeys(turn["speaker"] for turn in turns))
        lines += ["", f"## {when:%H:%M} {names}", ""]
        for turn in turns:
            photo = f" (photo: {_line(turn['blip_caption'])})" if turn.get("blip_caption") else ""
            lines.append(f"- **{turn['speaker']}:** {_line(turn.get('text', ''))}{photo}")
            where[number, int(turn["dia_id"].split(":")[1])] = (path, len(lines))
    for path, lines in days.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return where


def _line(text: str) -> str:
    return " ".join(text.split())
