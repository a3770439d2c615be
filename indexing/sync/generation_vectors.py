"""The vectors of one generation in a run: made where they are missing, set aside when damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from indexing.embedding.choice import ModelChoice
from indexing.embedding.port import Embedder
from indexing.engines import RefusedError
from indexing.storage import set_aside, shape
from indexing.sync.cost_estimate import Purse, Withheld
from indexing.sync.generations import Generation
from indexing.sync.manifest import Manifest
from indexing.sync.report import SyncProgress, SyncReport
from indexing.sync.texts import texts_of
from workbench.errors import IndexUnavailableError, ModelUnavailableError


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is to be done about the vectors of ``generation``; ``report`` hears what was."""

    generation: Generation
    manifest: Manifest
    cache: Path
    report: SyncReport
    progress: Callable[[SyncProgress], None]

    def due(self) -> bool:
        """Whether vectors are missing, or left of files that are gone; notes whose they are, if need be."""
        manifest = self.manifest
        if manifest.model and self.generation.model() != manifest.model:
            self.generation.write_model(manifest.model)
        return bool(manifest.pending or manifest.leftover or not manifest.model)

    def fill(self, model: ModelChoice, purse: Purse) -> bool:
        """Make the vectors that are missing; whether anything was written."""
        generation, manifest = self.generation, self.manifest
        self.progress(SyncProgress("prepare", 0, 1))
        try:
            embedder = self._embedder(model, purse)
        except ModelUnavailableError as error:
            self.report.vectors = error.message
            return False
        self.progress(SyncProgress("prepare", 1, 1))
        from indexing.sync.embed_missing import fill_vectors  # noqa: PLC0415 - imports lancedb

        for last in (False, True):
            manifest.shapes.pop("vectors", None)
            generation.write_manifest(manifest)
            try:
                fill_vectors(generation, manifest, embedder, self.cache, self.report, self.progress)
                break
            except ModelUnavailableError as error:
                self.report.vectors = error.message
                break
            except IndexUnavailableError as error:
                if last or isinstance(error, RefusedError):
                    self.report.vectors = error.message
                    return True
                self.forget()
        manifest.shapes["vectors"] = shape(generation.vectors)
        return True

    def forget(self) -> None:
        """Set a damaged vector store aside; the words stay."""
        set_aside(self.generation.vectors, self.generation.folder.parent / "set-aside")
        self.report.rebuilt = "the vectors were damaged"
        self.manifest.leftover.clear()
        self.manifest.shapes.pop("vectors", None)
        for record in self.manifest.files.values():
            record.vectors = False

    def _embedder(self, model: ModelChoice, purse: Purse) -> Embedder:
        """The model, or where it costs more than the person agreed to, what the cache remembers of it."""
        due = [path for path, record in self.manifest.files.items() if not record.vectors]
        texts = texts_of(self.generation, self.manifest, due)
        why, counted = purse.refusal(model, self.manifest.pending, texts)
        self.report.backfill = counted or self.report.backfill
        return Withheld(model.identity, why) if why else model.open()
