"""How many entries an audit looks through in a second, part by part.

    python -m benchmarks.audit DIR [--model] [--rounds 3]

DIR is any folder of memory; nothing is written into it. The times are those of the processor, so that other
programs count little; the best of the rounds is shown.
"""

from __future__ import annotations

import argparse
import gc
import time
from pathlib import Path

from workbench.health.audit import Audit, audit
from workbench.health.subject import CheckSubject
from workbench.workspace.workspace import Workspace


def once(folder: Path, *, model: bool) -> tuple[float, Audit]:
    """Seconds of the processor for one audit, and what it found."""
    begun = time.process_time()
    found = audit(CheckSubject(Workspace.open(folder)), model=model, clock=time.process_time)
    return time.process_time() - begun, found


def main() -> None:
    """Print one line for each part."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", action="store_true", help="ask the model what is junk, too")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    gc.disable()  # as the command does
    seconds, best = min(
        (once(asked.folder, model=asked.model) for _ in range(asked.rounds)), key=lambda one: one[0]
    )
    print(f"{best.entries:,} entries in {best.files:,} files, {seconds:.2f} s")
    reading = seconds - sum(part.seconds for part in best.parts)
    for name, took in (("reading", reading), *((part.name, part.seconds) for part in best.parts)):
        print(f"  {name:<14} {took:6.2f} s  {best.entries / max(took, 1e-9):12,.0f} entries/s")
    print(f"without the model: {best.per_second:,.0f} entries/s")


if __name__ == "__main__":
    main()
