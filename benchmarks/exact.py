"""How often a word that stands in one entry finds that entry first, by every preset.

    python -m benchmarks.exact [--words 300] [--locomo FILE] [--workspace DIR]

Words are taken from the demo workspace, from one that is made, from a conversation of the LoCoMo benchmark
whose file is named, and from any indexed workspace that is named and only read. Each is asked for alone
and in quotes.
``above`` counts answers in which a hit without the word stands above one with it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.question_sets import demo, made
from benchmarks.question_sets.conversations import locomo, write_files
from benchmarks.weights import entries_of
from indexing.document import Stored
from indexing.lexical.terms import words
from indexing.ranking.order import PRESETS
from indexing.search.answer import Query
from indexing.search.index_search import IndexSearch
from indexing.sync.run import reindex
from indexing.words import STOP_WORDS, normal
from workbench.workspace.workspace import Workspace

_WORD = re.compile(r"[^\W\d_]{3,}")
_HITS = 10


def typed(text: str) -> set[str]:
    """The words of ``text`` in the form in which they are compared."""
    return set(words().analyze(normal(text)))


def lone_words(entries: Sequence[Stored], count: int) -> list[tuple[str, str]]:
    """Words that stand in one entry each, with the address of that entry; the same on every run."""
    counts = Counter(word for entry in entries for word in typed(entry.text))
    found = [
        (word, entry.address)
        for entry in sorted(entries, key=lambda entry: entry.address)
        for word in dict.fromkeys(_WORD.findall(entry.text))
        if counts[word.lower()] == 1 and word.lower() not in STOP_WORDS
    ]
    random.Random(1).shuffle(found)
    return found[:count]


def measured(name: str, root: Path, count: int) -> None:
    """One line of the table for each preset."""
    workspace = Workspace.open(root)
    asked = lone_words(entries_of(workspace), count)
    if not asked:
        print(f"{name:24}no word stands in one entry only: nothing to ask")
        return
    search = IndexSearch(workspace)
    for preset, weights in PRESETS.items():
        first = quoted = above = 0
        for word, address in asked:
            hits = search.search(Query(word, _HITS, weights=weights)).hits
            first += bool(hits) and hits[0].entry == address
            having = [word.lower() in typed(hit.snippet) for hit in hits]
            above += having != sorted(having, reverse=True)
            hits = search.search(Query(f'"{word}"', _HITS, weights=weights)).hits
            quoted += bool(hits) and hits[0].entry == address
        share = f"{first / len(asked):>10.1%}{quoted / len(asked):>10.1%}"
        print(f"{name:24}{preset:12}{len(asked):>7}{share}{above:>8}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--locomo", type=Path, help="the file of LoCoMo conversations; the first is taken")
    parser.add_argument("--workspace", type=Path, help="an indexed workspace; only read")
    asked = parser.parse_args()
    print(f"{'':24}{'preset':12}{'words':>7}{'first':>10}{'quoted':>10}{'above':>8}")
    with tempfile.TemporaryDirectory(prefix="exact-") as folder:
        roots = [("demo", demo.write(Path(folder, "demo")).root)]
        roots.append(("made", made.write(Path(folder, "made"), 600).root))
        if asked.locomo:
            write_files(Path(folder, "locomo"), locomo(asked.locomo)[0].files)
            roots.append(("locomo", Path(folder, "locomo")))
        for name, root in roots:
            reindex(Workspace.open(root))
            measured(name, root, asked.words)
    if asked.workspace:
        measured(asked.workspace.name, asked.workspace, asked.words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
