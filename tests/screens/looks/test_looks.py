"""Every screen looks as it did, cell by cell, in three themes and at three sizes.

What changed on purpose is taken again: ``python -m tests.screens.looks.regenerate [SCENE …]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.screens.looks.picture import differences, to_svg
from tests.screens.looks.scenes import LOOKS, SCENES, SNAPSHOTS, Ground, Scene, demo, place, take

_MOST_BYTES = 3_000_000
_LOOKS = 3
"""On a busy machine something may come late; what really looks different does so each time."""


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the demo in it, made once."""
    folder = tmp_path_factory.mktemp("looks")
    with demo(folder):
        return folder


@pytest.fixture
def roots(home: Path, person: Path) -> Iterator[dict[Ground, Path]]:
    """Each ground, of a person whose home is always called the same."""
    with demo(home) as found:
        yield found


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_a_screen_looks_as_it_did(scene: Scene, roots: dict[Ground, Path], tmp_path: Path) -> None:
    told = ["it was not looked at"]
    for _ in range(_LOOKS):
        if not (told := await _differences(scene, roots, tmp_path)):
            return
    again = f"on purpose? python -m tests.screens.looks.regenerate {scene.name}"
    pytest.fail("\n".join(("it looks different", *told, again)))


async def _differences(scene: Scene, roots: dict[Ground, Path], tmp_path: Path) -> list[str]:
    told: list[str] = []
    for (size, theme), picture in (await take(roots[scene.at], scene)).items():
        svg, kept = to_svg(picture, f"{scene.name}, {theme}"), place(scene, size, theme)
        before = kept.read_text(encoding="utf-8") if kept.exists() else ""
        if svg != before:
            now = tmp_path / kept.name
            now.write_text(svg, encoding="utf-8")
            why = differences(before, svg) if before else ["there is no picture of it yet"]
            told += [f"{size[0]}x{size[1]} {theme}: {kept}\n  now: {now}", *(f"  {line}" for line in why)]
    return told


def test_no_picture_is_kept_of_what_is_gone() -> None:
    wanted = {place(scene, size, theme) for scene in SCENES for size, theme in LOOKS}
    assert set(SNAPSHOTS.rglob("*.svg")) <= wanted


def test_the_pictures_stay_small() -> None:
    assert sum(path.stat().st_size for path in SNAPSHOTS.rglob("*.svg")) < _MOST_BYTES
