"""The progress and the result of a reindex, and the estimate of what embedding will cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from indexing.embedding.choice import ModelChoice
from indexing.embedding.port import EmbeddedTexts, Embedder
from workbench.errors import ModelUnavailableError
from workbench.frozen import frozen
from workbench.memory.model_window import word_pieces
from workbench.plural import plural

_SHOWN_LINES = 10
_OF_FILES = ("seen", "added", "changed", "removed", "unchanged", "failed", "waiting")

Phase = Literal["scan", "words", "prepare", "embed"]


@frozen
class SyncProgress:
    """``done`` of ``total`` units of a phase: files for scan and words, entries for embed.

    The phases of a run follow each other, each once, and no count goes back: those of ``embed`` are of all
    entries, and begin with what earlier runs have stored.
    """

    phase: Phase
    done: int
    total: int


OnProgress: TypeAlias = "Callable[[SyncProgress], None] | None"


class SyncReport(msgspec.Struct):
    """What a reindex did. ``failed`` maps paths to reasons; ``vectors`` says why there are none, or None.

    ``waiting`` counts transcripts that grew too little to be indexed again; ``absent`` says of sources that
    are not there what became of their entries; ``bad_lines`` are the numbers of lines of transcripts that
    cannot be read. ``entries_removed`` and ``entries_added`` count entries, edited ones on both sides.
    """

    seen: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: dict[str, str] = {}
    waiting: int = 0
    entries: int = 0
    entries_added: int = 0
    entries_removed: int = 0
    embedded: int = 0
    from_cache: int = 0
    seconds: float = 0.0
    generation: str = ""
    fingerprint: str = ""
    vectors: str | None = None
    rebuilt: str | None = None
    unembedded: dict[str, str] = {}
    notes: list[str] = []
    backfill: EmbeddingEstimate | None = None
    absent: dict[str, str] = {}
    bad_lines: dict[str, tuple[int, ...]] = {}
    dry_run: bool = False

    def as_json(self) -> dict[str, object]:
        """The report as the command line prints it."""
        said = msgspec.structs.asdict(self)
        files = {name: said.pop(name) for name in _OF_FILES}
        files["failed"] = [{"path": path, "error": why} for path, why in self.failed.items()]
        entries = {"total": said.pop("entries")}
        entries |= {name: said.pop(f"entries_{name}") for name in ("added", "removed")}
        return {
            "files": files,
            "entries": entries,
            **said,
            "seconds": round(self.seconds, 3),
            "unembedded": [{"entry": entry, "error": why} for entry, why in self.unembedded.items()],
            "backfill": self.backfill.as_json() if self.backfill else None,
            "absent": [{"source": name, "reason": why} for name, why in self.absent.items()],
            "bad_lines": [
                {"path": path, "count": len(lines), "first": list(lines[:_SHOWN_LINES])}
                for path, lines in self.bad_lines.items()
            ],
        }


# -- the cost of embedding ---------------------------------------------------------------------------

HERE = "this machine"
"""Where the local model makes vectors."""
_MILLION = 1_000_000
_TEXTS_AT_ONCE = 2_000


@frozen
class EmbeddingEstimate:
    """So many ``texts`` of at most about so many ``tokens`` are to be embedded by ``model`` at ``where``.

    The price is in the person's currency, None where it is not known. ``charges`` says whether that may cost
    money: what runs on this machine or in its network does not.
    """

    model: str
    where: str
    texts: int
    tokens: int
    price_per_million: float | None
    charges: bool

    @property
    def cost(self) -> float | None:
        """At most about so much money, or None when nobody said the price."""
        price = self.price_per_million
        return None if price is None else self.tokens * price / _MILLION

    def sentence(self) -> str:
        """What it is and costs, in a line."""
        texts = plural(self.texts, "text")
        there = f"on {self.where}" if self.where == HERE else f"at {self.where}"
        said = f"{texts} of at most about {plural(self.tokens, 'token')} for {self.model} {there}"
        if not self.charges:
            return said
        if self.cost is None:
            return f"{said}; the price is unknown (set `embedding: {{price: ...}}`, for a million tokens)"
        return f"{said}, about {self.cost:.2f}" if self.cost >= 0.01 else f"{said}, less than 0.01"

    def as_json(self) -> dict[str, object]:
        """The numbers as the command line prints them."""
        return {**asdict(self), "cost": self.cost}


Agree = Callable[[EmbeddingEstimate], bool]
"""Asks the person whether that may be spent."""


def backfill(choice: ModelChoice, cache_path: Path, texts: Iterable[str]) -> EmbeddingEstimate:
    """What embedding ``texts`` takes: each counts once, and only if its vector is not in the cache."""
    from indexing.embedding.cache import EmbeddingCache, text_key  # noqa: PLC0415 - imports numpy

    seen: set[bytes] = set()
    count = tokens = 0
    left = iter(texts)
    with closing(EmbeddingCache(cache_path)) as cache:
        dimension = cache.dimension(choice.identity)
        while some := list(islice(left, _TEXTS_AT_ONCE)):
            new = {key: text for text in some if (key := text_key(text)) not in seen}
            seen.update(new)
            known = cache.get(choice.identity, list(new.values()), dimension)
            missing = [text for text in new.values() if text not in known]
            count += len(missing)
            tokens += sum(map(word_pieces, missing))
    service = choice.service
    if service is None:
        return EmbeddingEstimate(choice.identity.rpartition("@")[0], HERE, count, tokens, 0.0, charges=False)
    return EmbeddingEstimate(
        service.model, service.endpoint.host, count, tokens, service.price, charges=service.charges
    )


class SpendingGuard:
    """Keeps what costs money from being sent without the person's word, which ``agree`` asks for.

    Up to ``ask_above`` texts are sent without asking. Without ``agree`` there is nobody to ask. What was
    answered holds for this run, for so many texts as were named and ``ask_above`` more.
    """

    def __init__(self, cache_path: Path, ask_above: int, agree: Agree | None) -> None:
        self._cache_path = cache_path
        self._ask_above = ask_above
        self._agree = agree
        self._answers: dict[str, tuple[bool, int]] = {}

    def ask(self, choice: ModelChoice, texts: Iterable[str]) -> None:
        """Ask for the person's word beforehand, where it is needed for ``texts`` and there is somebody."""
        if self._agree is not None and choice.charges:
            self.refusal(choice, self._ask_above + 1, texts)

    def refusal(
        self, choice: ModelChoice, entries: int, texts: Iterable[str]
    ) -> tuple[str | None, EmbeddingEstimate | None]:
        """Why the texts of so many ``entries`` must not be sent, or None; and what they take, if counted."""
        if not choice.charges or entries <= self._ask_above:
            return None, None
        found = backfill(choice, self._cache_path, texts)
        if found.texts <= self._ask_above:
            return None, found
        agreed, known = self._answers.get(choice.identity, (False, -1))
        if found.texts > known + self._ask_above or known < 0:
            agreed = self._agree is not None and self._agree(found)
            self._answers[choice.identity] = (agreed, found.texts)
        if agreed:
            return None, found
        return f"not sent without your confirmation: {found.sentence()}; run `workbench reindex --yes`", found


class DisabledEmbedder(Embedder):
    """Stands in for a model that must not be asked: without vectors, and of the length that it is told.

    What is in the cache is found there before; whatever else is asked raises ModelUnavailableError.
    """

    window = 0

    def __init__(self, identity: str, why: str) -> None:
        self.identity = identity
        self._why = why

    def portions(self, texts: Sequence[str]) -> Iterator[EmbeddedTexts]:
        """See ``Embedder``."""
        if texts:
            self.probe()
        yield from ()

    def probe(self) -> None:
        """See ``Embedder``."""
        raise ModelUnavailableError(self._why)
