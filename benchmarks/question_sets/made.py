"""A large memory of plain English that says nothing, and facts hidden in it, asked for in other words."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import yaml

from benchmarks.question_sets import Asked, Collection, Evidence, plain

TODAY = date(2026, 6, 30)
_ENTRIES_A_DAY = 60
_ENTRIES_A_SECTION = 6
_FACTS = Path(__file__).with_name("facts.yaml")
_TEXT: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text("utf-8"))


def write(root: Path, entries: int, seed: int = 1) -> Collection:
    """Daily logs with about ``entries`` list items in the empty folder ``root``, facts among them."""
    chance = random.Random(seed)
    facts = yaml.safe_load(_FACTS.read_text("utf-8"))
    days = max(1, entries // _ENTRIES_A_DAY)
    hidden = dict(zip(chance.sample(range(days), min(days, len(facts))), facts, strict=False))
    (root / "memory").mkdir(parents=True)
    for number in range(days):
        items = [_said(chance) for _ in range(_ENTRIES_A_DAY)]
        if number in hidden:
            items[chance.randrange(len(items))] = hidden[number]["fact"]
        day = TODAY - timedelta(days - number)
        lines = [f"# {day}"]
        for at, item in enumerate(items):
            if at % _ENTRIES_A_SECTION == 0:
                lines += ["", f"## {8 + at // _ENTRIES_A_SECTION:02}:00 {chance.choice(_TEXT['topic'])}", ""]
            lines.append(f"- {item}")
        (root / f"memory/{day}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = tuple(
        Asked(ask, "paraphrase", (Evidence(plain(fact["fact"])),))
        for fact in hidden.values()
        for ask in fact["ask"]
    )
    return Collection(f"made of {entries:,}", root, TODAY, asked)


def _said(chance: random.Random) -> str:
    """One made-up sentence, with a name or an identifier now and then."""
    text = chance.choice(_TEXT["sentence"])
    while "{" in text:
        start, end = text.index("{"), text.index("}")
        text = text[:start] + _filled(text[start + 1 : end], chance) + text[end + 1 :]
    return f"**{chance.choice(_TEXT['name'])}:** {text}" if chance.random() < 0.25 else text


def _filled(slot: str, chance: random.Random) -> str:
    if slot == "number":
        return str(chance.randrange(2, 5_000))
    if slot == "id":
        noun = chance.choice(_TEXT["thing"]).replace(" ", "_")
        return f"`{noun}_{chance.choice(_TEXT['adjective'])}_{chance.randrange(1_000)}`"
    return chance.choice(_TEXT[slot])
