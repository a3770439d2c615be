"""Lines made to keep us busy: twice the text is about twice the work, and a line of 1 MB takes seconds."""

from __future__ import annotations

import itertools
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from indexing.lexical.terms import terms_of
from indexing.query.dates import named_days
from indexing.query.question import understand
from indexing.search.build_answer import snippet
from tests.support.workspaces import Sandbox
from workbench.agent.agent_text import why_flagged
from workbench.dreaming.features import Line
from workbench.ingest.entities import EntityNames, NamedEntity, plain_words, told_in
from workbench.ingest.extract import coming, extract
from workbench.ingest.passages import read_source
from workbench.ingest.relations import relations_in
from workbench.ingest.statements import figures, fit_lines, names, statements_in, why_not
from workbench.ingest.summary import topics
from workbench.memory.claims import distinction, one_holds_the_other
from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import parse_document
from workbench.memory.model_window import MOST_PARTS
from workbench.memory.origin import Origin
from workbench.memory.sentences import MOST_READ, sentences
from workbench.memory.transcript_text import among_many, clean
from workbench.safety.hidden_text import hidden_in
from workbench.safety.prompt_injection import steers, suspicion
from workbench.safety.secrets import looks_like_key, masked, secrets_in

ATOMS = (
    *("Aa ", "I ", "a", " ", "`", "[", "[[", "(", "<", "<!--", "</", "*", "_", "- ", "|", "http://", "a.b."),
    *("@a ", "#a ", "1", "1.", "0x", "A", "É", "漢", "、", "\\", "~", "=", '"', "'", ":", ";", "user: "),
    *("and ", "is ", "my ", "never ", "Aa, ", "Aa'", "Aa-", "Aa of ", "May ", "i need to ", "Aa works on "),
    *("password ", "](", "\u200b", "a\n", "- a\n", "\n\n", "```\n", "> "),
    *("".join(two) for two in itertools.permutations(("Aa", " ", "I", "and ", "my ", ",", ".", "_", "<"), 2)),
)
"""What a line of nothing else would be slow in, were a pattern not linear."""
SMALL = 8_000
SMALLER = {"learn": 3_000, "told_in": 3_000, "statements": 3_000, "fit_lines": 3_000}
"""Characters of the smaller text; fewer for what does many passes."""
MOST = 2.5
"""How much more work twice the text may cost."""
LEAST = 0.05
"""Seconds below which a ratio says nothing."""
MOST_SECONDS = 20
"""Processor time of a command over a line of 1 MB; an idle machine of today takes a quarter of it."""
_LOG = RelPath("memory/2026-03-04.md")
_TODAY = date(2026, 3, 4)
_ASKED = terms_of("what does Aa work on")


def _learn(text: str) -> object:
    document = parse_document(_LOG, b"- " + text.encode(), Kind.LOG)
    return extract(read_source(document), names=EntityNames())


PASSES: dict[str, Callable[[str], object]] = {
    "statements": lambda text: statements_in([Line(text, spoken=True)]),
    "why_not": why_not,
    "told_in": lambda text: list(told_in(text)),
    "plain_words": plain_words,
    "names_within": lambda text: list(EntityNames({"Aa Aa": NamedEntity("Aa Aa")}).within(text)),
    "relations": lambda text: list(relations_in(text)),
    "figures": figures,
    "names": names,
    "sentences": sentences,
    "secrets": secrets_in,
    "masked": masked,
    "hidden": hidden_in,
    "steers": steers,
    "clean": clean,
    "among_many": among_many,
    "fit_lines": lambda text: fit_lines(text[:MOST_READ]),
    "topics": lambda text: topics([text]),
    "distinction": distinction,
    "parse": lambda text: parse_document(_LOG, text.encode(), Kind.LOG).entries,
    "question": lambda text: understand(text, _TODAY),
    "terms": terms_of,
    "snippet": lambda text: snippet(text, _ASKED),
    "coming": lambda text: coming(text, _TODAY, ahead=True),
    "named_days": named_days,
    "orders": lambda text: suspicion(text, Origin.OUTSIDE),
    "key_like": looks_like_key,
    "near": lambda text: one_holds_the_other(text, text),
    "withheld": why_flagged,
    "learn": _learn,
}


def _seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def _is_linear(name: str, atom: str) -> bool:
    """Whether doubling the text keeps the ratio; a loaded machine gets more tries, and larger texts."""
    work, size = PASSES[name], SMALLER.get(name, SMALL)
    for _ in range(6):
        small = atom * (size // len(atom))
        two = _seconds(work, small * 2)
        if two <= LEAST:
            return True
        one = _seconds(work, small)
        if two <= MOST * one:
            return True
        one = min(one, *(_seconds(work, small) for _ in range(2)))
        two = min(two, *(_seconds(work, small * 2) for _ in range(2)))
        if two <= MOST * one:
            return True
        if one > 2.0:
            return False
        size *= 2
    return False


@pytest.mark.parametrize("name", PASSES)
def test_twice_the_text_is_about_twice_the_work(name: str) -> None:
    assert [atom for atom in ATOMS if not _is_linear(name, atom)] == []


@pytest.mark.parametrize("atom", ["[", "Aa works on "])
def test_a_line_of_a_megabyte_is_taken_in_within_seconds(sandbox: Sandbox, person: Path, atom: str) -> None:
    (person / "settings.yaml").write_text("model: none\n")
    line = atom * (1_000_000 // len(atom))
    sandbox.write("memory/2026-03-20.md", f"# Log\n\n- {line}\n- User: Priya Nair works on Quiet Gauge.\n")
    for command in (["ingest"], ["dream", "--dry-run"], ["reindex"], ["check"]):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = _run(sandbox, *command)
        assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < MOST_SECONDS, command
        assert "Traceback" not in done.stderr
        assert done.returncode in (0, 1), done.stderr
    pages = {path.stem for path in (sandbox.root / "graph").rglob("*.md")}
    assert "priya-nair" in pages
    assert "MEMORY" not in pages


def test_what_stands_behind_the_bound_of_a_line_is_kept_and_its_secret_is_found(sandbox: Sandbox) -> None:
    secret = "ghp_" + "aB3dE5fG7h" * 3 + "aB3dE5"
    line = "Aa " * 400_000 + f"the token is {secret} . Zephyr works on Quiet Gauge."
    assert [found.rule for found in secrets_in(line)] == ["GitHub token"]
    assert why_not(line) == "holds a secret"
    document = parse_document(_LOG, b"- " + line.encode(), Kind.LOG)
    assert sum(len(entry.text.split()) for entry in document.entries) == len(line.split())
    found = extract(read_source(document), names=EntityNames())
    assert (
        f"{len(document.entries) - MOST_PARTS} parts of very long lines were not read for it" in found.notes
    )
    assert not any("ghp_" in draft.text for draft in found.memories)


def _run(sandbox: Sandbox, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", "-w", str(sandbox.root), *arguments]
    return subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=240
    )
