"""What moves is painted, whoever asked in between where it stands."""

from __future__ import annotations

import pytest
from textual._compositor import Compositor
from textual.geometry import Region

from screens.jobs.running_jobs import JobStage, RunningJob
from tests.screens.interface import opened
from tests.support.workspaces import Sandbox


async def nothing() -> None:
    """What is to be done to stop nothing."""


@pytest.mark.usefixtures("each_change_drawn")
async def test_what_moved_is_painted_though_its_place_was_asked_for_before(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: set[Region] = set()
    render = Compositor.render_partial_update

    def seen(self: Compositor) -> object:
        painted.update(self._dirty_regions)
        return render(self)

    async with opened(sandbox.workspace) as interface:
        main = interface.main
        monkeypatch.setattr(Compositor, "render_partial_update", seen)
        before = main.preview.region
        main.work_line.tell([RunningJob(key="w", name="Looking", stage=JobStage("x"), stop=nothing)], "c")
        main._compositor._full_map_invalidated = True  # as when a hidden widget was to be painted
        assert (
            main.preview.region.height == before.height - 1
        )  # whoever asks now is told of the layout to come
        await interface.until(
            lambda: main.preview.region in painted, "the preview is painted where it is now"
        )
        assert any(region.bottom == before.bottom for region in painted)
