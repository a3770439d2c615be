"""How few hits that nobody asked for stand beside those that were: PrecisionMemBench.

    python -m benchmarks.precision FOLDER

FOLDER is ``fixtures`` of https://github.com/tenurehq/precisionMemBench (MIT): 35 beliefs and 77 questions,
of which 34 have no answer. As its harness does for other systems, each belief is stored as one text, a
question is asked of its user and first scope with at most 20 hits, pinned beliefs are left out of them and
relations bring what they relate. Precision is the share of right ones among the hits (a question without any
right one counts 0 for any hit and nothing without hits), recall the share of right ones that are found.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, get_args

from benchmarks.question_sets.conversations import write_files
from indexing.query.question import Filters
from indexing.search.answer import Query
from indexing.search.modes import Mode
from indexing.sync.run import reindex
from workbench.agent import federated_search
from workbench.agent.search_service import SearchService
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 11, 1)
USER = "test-user"
MOST = 20
CUTS = ((0.0, 0.0), (0.2, 0.0), (0.0, 0.7), (0.15, 0.7), (0.2, 0.6), (0.2, 0.7), (0.2, 0.8), (0.25, 0.7))
Belief = Mapping[str, Any]


class Beliefs:
    """The beliefs as memory below ``root``: a log for each user and scope, a list item for each."""

    def __init__(self, beliefs: Sequence[Belief], root: Path) -> None:
        self.by_id = {one["_id"]: one for one in beliefs}
        self._places: dict[tuple[str, int], str] = {}
        files: dict[str, list[str]] = {}
        for one in beliefs:
            said = (one["canonical_name"], *one["aliases"], one["content"], one["why_it_matters"])
            for scope in one["scope"]:
                path = _path(one["user_id"], scope)
                lines = files.setdefault(path, ["# Notes", ""])
                lines.append("- " + " ".join(filter(None, said)))
                self._places[path, len(lines)] = one["_id"]
        write_files(root, {path: "\n".join(lines) + "\n" for path, lines in files.items()})
        workspace = Workspace.open(root)
        reindex(workspace)
        self._service = SearchService(workspace, today=lambda: TODAY)

    def found(self, case: Mapping[str, Any], mode: Mode, *, relevant: bool) -> list[str]:
        """The ids that the harness counts for a question, best first."""
        user, scopes = case.get("userId", USER), set(case["scope"])
        most = case.get("budget", {}).get("maxBeliefs", MOST)
        pinned = {name for name, one in self.by_id.items() if _is_pinned(one, user, scopes)}
        names: list[str] = []
        if case["query"].strip() and most:
            within = Filters(paths=frozenset({_path(user, case["scope"][0])}))
            answer = self._service.search(Query(case["query"], most, mode, within, plain=True), "own")
            hits = (answer.relevant() if relevant else answer).hits
            names = [self._places[one.hit.path, one.hit.start_line] for one in hits]
        names = [name for name in dict.fromkeys(names) if name not in pinned]
        related = (other for name in names for other in self.by_id[name].get("participants") or ())
        names += [one for one in related if one not in pinned and self._is_in(one, user, scopes)]
        return list(dict.fromkeys(names))[: max(0, most - len(pinned))]

    def _is_in(self, name: str, user: str, scopes: set[str]) -> bool:
        one = self.by_id.get(name)
        return one is not None and one["user_id"] == user and bool(scopes.intersection(one["scope"]))


def _path(user: str, scope: str) -> str:
    return f"memory/{user}/{scope.replace(':', '-')}.md"


def _is_pinned(one: Belief, user: str, scopes: set[str]) -> bool:
    """Whether the harness gives a belief with every question of these scopes."""
    over = one.get("superseded_by") or one.get("resolved_at")
    own = one["user_id"] == user and scopes.intersection(one["scope"])
    return bool(one.get("pinned") and own and not over and one["type"] != "open_question")


def right(case: Mapping[str, Any], pinned: set[str]) -> set[str]:
    """The ids that a question is to find."""
    said = case["expect"].get("relevantBeliefs", {})
    return set(said.get("shouldOnlyInclude", set(said.get("mustInclude", ())) - pinned))


def measured(
    beliefs: Beliefs, cases: Sequence[Mapping[str, Any]], mode: Mode, *, relevant: bool
) -> Iterator[float]:
    """Mean precision and mean recall."""
    pinned = {name for name, one in beliefs.by_id.items() if one.get("pinned") and one["user_id"] == USER}
    precision, recall = [], []
    for case in cases:
        wanted, found = right(case, pinned), beliefs.found(case, mode, relevant=relevant)
        met = len(wanted.intersection(found))
        if wanted or found:
            precision.append(met / len(found) if found else 0.0)
        if wanted:
            recall.append(met / len(wanted))
    yield from (statistics.fmean(precision), statistics.fmean(recall))


def main() -> int:
    folder = Path(sys.argv[1])
    cases = json.loads((folder / "retrieval.cases.json").read_text(encoding="utf-8"))
    print(f"{'':34}{'precision':>11}{'recall':>11}")
    with tempfile.TemporaryDirectory(prefix="precision-") as root:
        seed = json.loads((folder / "beliefs.seed.json").read_text(encoding="utf-8"))
        beliefs = Beliefs(seed, Path(root))
        for mode in get_args(Mode):
            for relevant in (False, True):
                figures = measured(beliefs, cases, mode, relevant=relevant)
                print(f"{mode + ', relevant' * relevant:34}" + "".join(f"{one:>11.3f}" for one in figures))
        for federated_search.RELEVANT, federated_search.BESIDE_BEST in CUTS:
            said = f"hybrid, {federated_search.RELEVANT} and {federated_search.BESIDE_BEST} of the best"
            figures = measured(beliefs, cases, "hybrid", relevant=True)
            print(f"{said:34}" + "".join(f"{one:>11.3f}" for one in figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
