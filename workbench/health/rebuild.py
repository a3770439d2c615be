"""Having the index made again where it is damaged: sync knows how, the doctor only sees to it."""

from __future__ import annotations

from pathlib import Path

from indexing.sync.generations import Generation, Generations
from indexing.sync.run import reindex
from workbench.health.provider import is_asked
from workbench.health.subject import CheckSubject
from workbench.plural import plural

REINDEX = "run `workbench reindex`"


def rebuild(place: CheckSubject) -> str:
    """Reindex, with vectors only where there were some; what was done, in words.

    Sync itself sets aside what is damaged. Texts go to a provider behind a network only with the person's
    word, and none that costs more than was agreed. Raises WorkbenchError.
    """
    vectors = had_vectors(place) and (place.network or not is_asked(place.workspace))
    report = reindex(place.workspace, vectors=vectors, progress=place.progress)
    done = f"reindexed: {plural(report.entries, 'entry')}"
    if report.rebuilt:
        done += f", built anew because {report.rebuilt}"
    if report.embedded or report.from_cache:
        done += f"; {report.embedded:,} embedded, {report.from_cache:,} from the cache"
    if report.vectors and report.vectors != "left out":
        done += f"; no vectors: {report.vectors}"
    return done


def suspect_and_rebuild(place: CheckSubject) -> str:
    """The same where only reading shows the damage: sync is told not to believe the manifest."""
    current = Generations(place.state).current()
    if current is not None:
        current.suspect()
    return rebuild(place)


def had_vectors(place: CheckSubject) -> bool:
    """Whether any generation had vectors, by its manifest, or by what lies there where these are damaged."""
    index = place.state / "index"
    for folder in index.glob("gen-*"):
        manifest = Generation(folder).manifest()
        if manifest is not None and manifest.model is not None:
            return True
        if manifest is None and _is_filled(folder / "vectors"):
            return True
    return False


def _is_filled(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False
