"""What an action costs beside the bare git commands that it cannot do without.

    python benchmarks/actions.py DIR [--runs 30]

DIR is a workspace in a git repository; it is changed and changed back. The three run in turn on the same
repository: a promotion, its undo, and the plumbing that a commit of one file takes (store both versions and
the tree, commit, move the branch, refresh one line of the index), started directly.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from workbench.memory.entry import Kind
from workbench.operations.promote import plan_promote
from workbench.operations.undo import plan_undo
from workbench.workspace.workspace import Workspace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--runs", type=int, default=30)
    asked = parser.parse_args()
    place = Workspace.open(asked.dir)
    addresses = candidates(place, asked.runs)
    times: dict[str, list[float]] = {"promote": [], "undo": [], "bare plumbing": []}
    for address in addresses:
        plan = partial(plan_promote, place, [address])
        times["promote"].append(timed(partial(place.operations.carry_out, plan)))
        times["undo"].append(timed(partial(place.operations.carry_out, partial(plan_undo, place))))
        git = Git(asked.dir)
        times["bare plumbing"].append(timed(git.commit_one_file))
        git.go_back()
    bare = statistics.median(times["bare plumbing"])
    print(f"{len(place.scan())} memory files, {len(addresses)} runs; milliseconds")
    print(f"{'':15}{'median':>9}{'p95':>9}{'ratio':>9}")
    for name, values in times.items():
        p95 = sorted(values)[max(0, int(len(values) * 0.95) - 1)]
        median = statistics.median(values)
        print(f"{name:15}{median * 1e3:9.1f}{p95 * 1e3:9.1f}{median / bare:9.2f}")
    place.close()


def candidates(place: Workspace, count: int) -> list[str]:
    """Addresses of log entries that are not in MEMORY.md yet."""
    known = {entry.hash for entry in place.memory_document().entries}
    out: list[str] = []
    for file in place.scan():
        if file.kind is Kind.LOG:
            out += [e.address for e in place.document(file.path).entries if e.hash not in known]
        if len(out) > count:
            break
    return out[: count + 1][1:]


def timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


class Git:
    """git as a script would call it, with the same durability."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.command = ["git", "-C", str(root), "-c", "core.fsync=all", "-c", "core.hooksPath=/dev/null"]
        self.head = self.run("rev-parse", "HEAD").decode()
        self.blob = self.run("rev-parse", "HEAD:MEMORY.md").decode()

    def run(self, *arguments: str, data: bytes | None = None) -> bytes:
        done = subprocess.run([*self.command, *arguments], input=data, check=True, capture_output=True)
        return done.stdout.strip()

    def commit_one_file(self) -> None:
        before = (self.root / "MEMORY.md").read_bytes()
        store = ("hash-object", "--no-filters", "-w", "--stdin")
        self.run(*store, data=before)
        blob = self.run(*store, data=before + b"- one line more\n")
        listing = self.run("ls-tree", "HEAD").replace(self.blob.encode(), blob)
        tree = self.run("mktree", data=listing + b"\n").decode()
        commit = self.run("commit-tree", tree, "-p", self.head, data=b"bench\n").decode()
        self.run("update-ref", "HEAD", commit, self.head)
        self.run("ls-files", "--stage", "--", "MEMORY.md")
        self.run("update-index", "--cacheinfo", f"100644,{blob.decode()},MEMORY.md")

    def go_back(self) -> None:
        self.run("update-ref", "HEAD", self.head)
        self.run("update-index", "--cacheinfo", f"100644,{self.blob},MEMORY.md")


if __name__ == "__main__":
    main()
