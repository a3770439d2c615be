"""Measures weights on collections of questions whose answers are known, and how flat the maximum is.

    python -m benchmarks.weights [--made 50000] [--locomo FILE] [--realtalk DIR] [--beam DIR ...]
        [--workspace DIR] [--keep DIR] [--only TEXT] [--modes]

Collections: the demo workspace with questions written by hand; a made-up memory with facts that are asked for
in other words; known items of that memory, or of any indexed workspace that is named; and conversations of
LoCoMo, REALTALK and BEAM, whose files are named. What is kept in a folder is indexed once.

Each question is asked once, and its pool is ranked by many weights. Other boosts of BM25 need other questions
to the index (``--boosts``), and another weight of neighbours in vectors another index (``--context 0.2``).
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.question_sets import Asked, Collection, conversations, demo, known_item, made, missing
from indexing.document import Stored
from indexing.lexical.index import LexicalReader
from indexing.lexical.terms import BOOSTS
from indexing.query.dates import periods_in
from indexing.ranking.order import DEFAULT, PRESETS, Weights, changed, diversified, rank
from indexing.search.answer import Query
from indexing.search.build_answer import Candidates
from indexing.search.index_search import IndexSearch
from indexing.search.modes import Mode
from indexing.sync import entry_vectors
from indexing.sync.generations import Generations
from indexing.sync.run import reindex
from workbench.memory.claims import bag_of_words
from workbench.workspace.workspace import Workspace

AT = (1, 5, 10, 25, 50)
NAMES = (*(f"recall@{k}" for k in AT), "MRR")
STEPS: Mapping[str, Sequence[float | str]] = {
    "vector": (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9),
    "date": (0, 0.1, 0.2, 0.3, 0.5, 0.8),
    "exact": (0, 0.5, 0.8, 0.9, 0.95, 1),
    "recency": (0, 0.05, 0.1, 0.2, 0.5, 1),
    "importance": (0, 0.1, 0.2, 0.4, 0.8),
    "pin": (0, 0.1, 0.2, 0.5),
    "diversity": (1, 0.9, 0.8, 0.7, 0.5),
    "dream": (1, 0.9, 0.8, 0.6),
    "memory": (1, 1.1, 1.2),
    "fusion": ("sum", "rrf"),
}
BOOST_STEPS: Mapping[str, Sequence[float]] = {
    "text": (0.0, 0.25, 0.5, 1.0, 2.0),
    "context": (0.0, 0.5, 1.0, 1.5),
    "heading": (0.0, 0.5, 1.0, 1.5),
    "date": (0.5, 1.0, 1.5, 2.5),
    "exact": (0.0, 0.5, 1.0, 2.0),
}


@dataclass(frozen=True, slots=True)
class Found:
    """A question, what was found for it, and for each candidate which of its evidence it holds."""

    asked: Asked
    pool: Candidates
    holds: Mapping[int, frozenset[int]]

    def figures(self, weights: Weights, collection: Collection) -> tuple[float, ...]:
        """The shares of evidence at each of ``AT``, and the reciprocal rank of the first."""
        periods = periods_in(self.asked.text, collection.today)
        exact = self.pool.question.exact
        ranked = rank(self.pool.candidates, weights, collection.today, periods=periods, exact=exact)
        keys = [one.candidate.key for one in ranked]
        if weights.diversity < 1:
            first = ranked[: 2 * max(AT)]
            bags = [bag_of_words(self.pool.entry(one.candidate.key).text) for one in first]
            chosen = diversified([one.score for one in first], bags, max(AT), weights.diversity)
            keys = [keys[place] for place, _ in chosen]
        places: dict[int, int] = {}
        for place, key in enumerate(keys[: max(AT)], 1):
            for number in self.holds[key]:
                places.setdefault(number, place)
        count = len(self.asked.evidence)
        shares = [sum(place <= k for place in places.values()) / count for k in AT]
        return (*shares, 1 / min(places.values()) if places else 0.0)


class Bench:
    """One collection and its index."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.name = collection.name
        self.group = collection.name.partition(" ")[0]
        workspace = Workspace.open(collection.root)
        self._search = IndexSearch(workspace, weights=DEFAULT, today=lambda: collection.today)
        if lost := missing(collection.questions, entries_of(workspace)):
            raise SystemExit(f"{collection.name} asks for what is not there: {lost}")

    @cached_property
    def found(self) -> list[Found]:
        """All questions with their pools, as the index is asked today."""
        return self.asked("hybrid")

    def asked(self, mode: Mode) -> list[Found]:
        """All questions, asked again."""
        out = []
        for asked in self.collection.questions:
            _, pool = self._search.search_with_pool(Query(asked.text, max(AT), mode))
            holds = {
                one.key: frozenset(
                    number
                    for number, evidence in enumerate(asked.evidence)
                    if evidence.stands_in(pool.entry(one.key))
                )
                for one in pool.candidates
            }
            out.append(Found(asked, pool, holds))
        return out

    def figures(self, weights: Weights, found: Sequence[Found] | None = None) -> list[tuple[float, ...]]:
        """One row of figures for each question."""
        rows = self.found if found is None else found
        return [one.figures(weights, self.collection) for one in rows]


def entries_of(workspace: Workspace) -> list[Stored]:
    """All entries in the index."""
    generation = Generations(workspace.state_dir()).current()
    if generation is None:
        raise SystemExit(f"{workspace.root} has no index: run `workbench reindex` in it")
    return [entry for entry, _, _ in LexicalReader(generation.lexical).snapshot().everything()]


def mean(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """The means of the columns."""
    return tuple(statistics.fmean(column) for column in zip(*rows, strict=True))


def goodness(figures: tuple[float, ...]) -> float:
    """One number to choose by: the mean of all figures but recall at 1, which MRR holds already."""
    return statistics.fmean(figures[1:])


def line(name: str, figures: tuple[float, ...], mark: str = "") -> str:
    return (
        f"{name:34}" + "".join(f"{figure:>11.4f}" for figure in figures) + f"{goodness(figures):>9.4f} {mark}"
    )


def header(what: str) -> None:
    print(f"\n{what}\n{'':34}" + "".join(f"{name:>11}" for name in NAMES) + f"{'mean':>9}")


def by_group(
    benches: Sequence[Bench], weights: Weights, asked: Mapping[str, Sequence[Found]] | None = None
) -> dict[str, tuple[float, ...]]:
    """The figures of each kind of collection, over all its questions; ``asked`` by the collection's name."""
    rows: dict[str, list[tuple[float, ...]]] = {}
    for bench in benches:
        rows.setdefault(bench.group, []).extend(bench.figures(weights, asked[bench.name] if asked else None))
    return {group: mean(some) for group, some in rows.items()}


def show_modes(benches: Sequence[Bench]) -> None:
    """Both sides together beside each side alone, by the style of question."""
    alone: dict[Mode, Weights] = {
        "lexical": DEFAULT,
        "vector": changed(DEFAULT, {"vector": 1, "lexical": 0}),
    }
    rows: dict[tuple[str, str], dict[str, list[tuple[float, ...]]]] = {}
    for bench in benches:
        sides = {"hybrid": bench.figures(DEFAULT)}
        sides |= {mode: bench.figures(weights, bench.asked(mode)) for mode, weights in alone.items()}
        for mode, figures in sides.items():
            for found, row in zip(bench.found, figures, strict=True):
                for style in (found.asked.style, "all"):
                    rows.setdefault((bench.group, style), {}).setdefault(mode, []).append(row)
    header("Both sides together, and each alone")
    for (group, style), found_by in sorted(rows.items()):
        for mode, some in found_by.items():
            print(line(f"{group}, {style} ({len(some)}): {mode}", mean(some)))


def show_steps(benches: Sequence[Bench]) -> None:
    """Each weight alone around the default."""
    for name, steps in STEPS.items():
        header(f"weight {name}")
        for value in steps:
            said = {"vector": value, "lexical": 1 - float(value)} if name == "vector" else {name: value}
            weights = changed(DEFAULT, said)
            for group, figures in by_group(benches, weights).items():
                print(line(f"{name}={value} {group}", figures, "<- default" if weights == DEFAULT else ""))
    header("presets")
    for name, weights in PRESETS.items():
        for group, figures in by_group(benches, weights).items():
            print(line(f"{name} {group}", figures))


def show_boosts(benches: Sequence[Bench]) -> None:
    """Each boost of BM25 alone around the default; every step asks all questions again."""
    for name, steps in BOOST_STEPS.items():
        header(f"boost {name}")
        for value in steps:
            with boost(name, value):
                asked = {bench.name: bench.asked("hybrid") for bench in benches}
                found = by_group(benches, DEFAULT, asked)
            for group, figures in found.items():
                print(line(f"{name}={value} {group}", figures, "<- default" if value == BOOSTS[name] else ""))


@contextlib.contextmanager
def boost(name: str, value: float) -> Iterator[None]:
    """BM25 with another boost, for the time of the block."""
    before = BOOSTS[name]
    BOOSTS[name] = value
    try:
        yield
    finally:
        BOOSTS[name] = before


def show_held_out(benches: Sequence[Bench]) -> None:
    """For each collection: the share that is best on all others, beside its own best and the default."""
    shares = [float(value) for value in STEPS["vector"]]
    table = {
        bench.name: [
            goodness(mean(bench.figures(changed(DEFAULT, {"vector": v, "lexical": 1 - v})))) for v in shares
        ]
        for bench in benches
    }
    print(f"\nHeld out\n{'':34}{'by others':>11}{'its best':>11}{'at default':>11}{'best share':>12}")
    default = shares.index(DEFAULT.vector)
    for name, own in table.items():
        others = [row for other, row in table.items() if other != name] or [own]
        chosen = max(range(len(shares)), key=lambda at: statistics.fmean(row[at] for row in others))
        best = max(range(len(shares)), key=own.__getitem__)
        print(f"{name:34}{own[chosen]:>11.4f}{own[best]:>11.4f}{own[default]:>11.4f}{shares[best]:>12.2f}")


def collections(asked: argparse.Namespace, root: Path) -> list[Collection]:
    """What was asked for, written below ``root`` and indexed there where it is not yet."""
    found: list[Collection] = []
    with fresh(root / "demo") as place:
        found.append(demo.write(place))
    if asked.made:
        place = root / "made"
        # Writing is quick and always the same: what is indexed stays indexed.
        with fresh(place) as new:
            hidden = made.write(new, asked.made)
        found.append(hidden)
    talks = {
        "locomo": conversations.locomo(asked.locomo) if asked.locomo else [],
        "realtalk": conversations.realtalk(asked.realtalk) if asked.realtalk else [],
        "beam": [one for folder in asked.beam for one in conversations.beam(folder, asked.chats)],
    }
    for group, talk in ((group, talk) for group, some in talks.items() for talk in some):
        with fresh(root / group / talk.name) as place:
            found.append(conversations.collection(group, talk, place))
    for one in found:
        workspace = Workspace.open(one.root)
        reindex(workspace, full=asked.context is not None)
        workspace.close()
    if asked.made:
        found.append(_known(root / "made", "items of made", hidden))
    if asked.workspace:
        found.append(_known(asked.workspace, f"items of {asked.workspace.name}", None))
    return [one for one in found if asked.only in one.name]


def _known(root: Path, name: str, like: Collection | None) -> Collection:
    """Known items of the workspace in ``root``, which is only read."""
    entries = sorted(entries_of(Workspace.open(root)), key=lambda entry: (entry.path, entry.start_line))
    last = max((entry.date for entry in entries if entry.date), default=made.TODAY)
    return Collection(name, root, like.today if like else last, known_item.questions(entries, 60))


@contextlib.contextmanager
def fresh(place: Path) -> Iterator[Path]:
    """``place`` without its files, but with its index: what is written there again is not embedded again."""
    for old in place.iterdir() if place.is_dir() else ():
        if old.name != ".workbench":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    place.mkdir(parents=True, exist_ok=True)
    yield place


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--made", type=int, default=5_000, help="entries of the made-up memory; 0 for none")
    parser.add_argument("--locomo", type=Path, help="the file of LoCoMo conversations")
    parser.add_argument("--realtalk", type=Path, help="the folder of REALTALK's chats")
    parser.add_argument("--beam", type=Path, nargs="*", default=[], help="folders of BEAM's chats")
    parser.add_argument("--chats", type=int, default=20, help="chats of each such folder, evenly spaced")
    parser.add_argument("--modes", action="store_true", help="only compare both sides with each alone")
    parser.add_argument(
        "--workspace", type=Path, help="an indexed workspace to ask for known items; only read"
    )
    parser.add_argument("--keep", type=Path, help="make the collections here and keep them")
    parser.add_argument("--only", default="", help="only collections with this in their name")
    parser.add_argument(
        "--boosts", action="store_true", help="also vary the boosts of BM25: many times slower"
    )
    parser.add_argument("--context", type=float, help="index with this weight of neighbours in vectors")
    asked = parser.parse_args()
    root = asked.keep or Path(tempfile.mkdtemp(prefix="bench-"))
    if asked.context is not None:
        entry_vectors.CONTEXT_WEIGHT = asked.context  # type: ignore[attr-defined]
    try:
        benches = [Bench(one) for one in collections(asked, root)]
        show_modes(benches)
        if asked.modes:
            return 0
        show_held_out(benches)
        show_steps(benches)
        if asked.boosts:
            show_boosts(benches)
    finally:
        if not asked.keep:
            shutil.rmtree(root, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
