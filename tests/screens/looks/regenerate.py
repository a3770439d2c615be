"""Take the pictures again: ``python -m tests.screens.looks.regenerate [SCENE …]``."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.screens.looks.picture import to_svg
from tests.screens.looks.scenes import SCENES, demo, place, take


def say(text: str) -> None:
    """A line on stdout."""
    sys.stdout.write(text + "\n")


def main() -> int:
    """Write the pictures of the scenes that are named, or of all, and say which changed."""
    known = {scene.name: scene for scene in SCENES}
    names = sys.argv[1:] or list(known)
    if unknown := [name for name in names if name not in known]:
        say(f"no such scene: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    changed, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder, demo(Path(folder)) as roots:
        for name in names:
            scene = known[name]
            try:
                taken = asyncio.run(take(roots[scene.at], scene))
            except Exception as error:  # the pictures of other scenes are taken all the same
                say(f"{name}: {type(error).__name__}: {error}")
                failed += 1
                continue
            for (size, theme), picture in taken.items():
                path = place(scene, size, theme)
                svg = to_svg(picture, f"{name}, {theme}")
                if not path.exists() or path.read_text(encoding="utf-8") != svg:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(svg, encoding="utf-8")
                    changed += 1
                    say(str(path.relative_to(Path(__file__).parent)))
    say(f"{changed} pictures changed" + (f", {failed} scenes could not be taken" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
