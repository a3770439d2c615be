"""``python -m benchmarks.workspace DIR [--quick] [--json]``: how fast and how well this memory is searched.

The questions are some of the rarer words of its own entries, the same ones at every run: what they find says
whether an entry can be had back by its words, not whether a question in other words finds it. Recall tests
(``workbench check``) say that. Syncs are measured on a copy; no memory file is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from pathlib import Path

from benchmarks.workspace.bench import SHOWS, BenchReport, bench
from workbench.workspace.workspace import Workspace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="in about seven seconds, with fewer runs")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with closing(Workspace.open(asked.folder)) as place:
        report = bench(place, quick=asked.quick, told=lambda line: print(line, file=sys.stderr))
    if asked.json:
        print(json.dumps(report.as_json()))
    else:
        _print(report)


def _print(report: BenchReport) -> None:
    machine = ", ".join(
        str(value) if name == "system" else f"{name} {value}" for name, value in report.machine.items()
    )
    print(f"{report.entries:,} entries of {report.files:,} files; {machine}")
    print(f"{'speed':<34}{'median':>12}{'95 of 100':>12}{'runs':>7}")
    for name, found in report.speed.items():
        print(f"{name:<34}{_ms(found.p50_ms):>12}{_ms(found.p95_ms):>12}{found.runs:>7}")
    for name, rate in report.rates.items():
        print(f"{name:<34}{rate:>10,.0f}/s")
    print("size")
    for name, size in report.sizes.items():
        print(f"{name:<34}{size / 1e6:>9,.1f} MB")
    if report.finding:
        print(f"{'found by some of its rarer words':<34}{'at 1':>8}{'in 5':>8}{'in 10':>8}{'MRR':>8}")
    rows = {f"by {name}": recall for name, recall in report.finding.items()}
    if report.tests:
        rows["your recall tests"] = report.tests
    for name, recall in rows.items():
        shares = "".join(f"{share:>8.2f}" for share in recall.at.values())
        print(f"{name + f' ({recall.tests} questions)':<34}{shares}{recall.mrr:>8.2f}")
    if report.finding:
        print(SHOWS)
    for name, why in report.left_out.items():
        print(f"not measured: {name}: {why}")
    print(f"took {report.seconds:.0f} s")


def _ms(milliseconds: float) -> str:
    if milliseconds >= 1_000:
        return f"{milliseconds / 1e3:,.2f} s"
    return f"{milliseconds:.2f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"


if __name__ == "__main__":
    main()
