"""Memory Workbench beside memsearch and basic-memory: the same conversations, model and machine, in one run.

    python -m benchmarks.peers --data locomo10.json --memsearch VENV/bin/memsearch \\
        --basic-memory VENV/bin/basic-memory

Each peer is installed by hand into a virtual environment of its own; one that is not given is left out.

    python3 -m venv VENV && VENV/bin/pip install 'memsearch[local]==0.4.23' 'torch<2.14'
    python3.12 -m venv VENV && VENV/bin/pip install basic-memory

basic-memory 0.24.1 needs a Python 3.12 whose SQLite can load extensions; without them it searches by words
only, and is refused here. Its fastmcp 4.1.3 asks for ``certifi>=2026.10.19``; where that is not to be had,
any certifi does (``uv pip install --overrides FILE`` with a line ``certifi``).

All tools embed with the same weights: memsearch by sentence-transformers, basic-memory by fastembed from an
export that is made here, this project from what it prepares itself. Making these, and one run of every tool
that warms the disk's cache up, is not part of any figure; ours is shown apart. Otherwise each tool is as it
is by default. The tools take turns within each conversation; times are medians over the conversations (and
questions), ratios are medians of the ratios of what was measured together.

Recall counts turns: the hits of an answer (at most 80) are walked in order, each gives the turns on its
lines. memsearch answers with pieces of a file by their lines; basic-memory with notes and the passages that
match, whose text is looked up in the file: first the passages of all notes, then what else it shows of them.

A changed file is found by a running search when its new word is: memsearch's class is told of the file in the
same process, basic-memory's server watches, ours is found by words while ``workbench reindex``, in a process
of its own, still loads the model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.peers.beside_basic_memory import BasicMemory
from benchmarks.peers.beside_memsearch import Memsearch
from benchmarks.peers.comparison import Comparison, narrate
from benchmarks.peers.tools import Tool, Workbench
from benchmarks.question_sets.conversations import locomo
from indexing.embedding.model_files import locate


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="a file of LoCoMo conversations")
    parser.add_argument("--memsearch", type=Path, metavar="PROGRAM")
    parser.add_argument("--basic-memory", type=Path, metavar="PROGRAM")
    parser.add_argument("--runs", type=int, default=2, help="one-shot queries a conversation")
    parser.add_argument("--warm", type=int, default=40, help="warm queries a conversation")
    parser.add_argument("--entries", type=int, default=5_000, help="of a larger workspace; 0 leaves it out")
    parser.add_argument("--categories", action="store_true", help="recall by kind of question too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        scratch = Path(folder).resolve()
        home = scratch / "home"
        home.mkdir()
        model = locate().folder
        peers: list[Tool] = []
        for program, kind in ((asked.memsearch, Memsearch), (asked.basic_memory, BasicMemory)):
            if program is None:
                narrate(f"{kind.name}: not given, left out")
            elif not program.is_file():
                parser.error(f"{kind.name}: there is no program {program}")
            else:
                peers.append(kind(program.absolute(), model, home))
        conversations = locomo(asked.data)
        comparison = Comparison(scratch, Workbench(home), peers)
        comparison.run(conversations, runs=asked.runs, warm=asked.warm, entries=asked.entries)
        turns = sum(len(conversation.turns) for conversation in conversations)
        questions = sum(len(conversation.questions) for conversation in conversations)
        print(f"{len(conversations)} conversations, {turns} turns, {questions} questions,", end=" ")
        print(f"{asked.entries} entries in the larger workspace (the last table; measured once)")
        print(comparison.report(categories=asked.categories))
    return 0


if __name__ == "__main__":
    sys.exit(main())
