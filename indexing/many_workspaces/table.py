"""The LanceDB table of many workspaces: where it lies, and its reads and writes.

One run writes at a time, and readers never wait. Credentials come from the environment only, under the names
that the storage's own tools use, and appear in no message.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree, IvfRq

from indexing.document import restored
from indexing.embedding.port import cache_dir
from indexing.many_workspaces.rows import FORMAT, quoted, row_id, schema
from indexing.storage import REINDEX_HINT, engine
from indexing.vectors import EXACT_ROWS, PROBES, REFINE
from workbench.errors import IndexUnavailableError, UsageError
from workbench.frozen import frozen

SCHEMES = ("s3", "gs", "az")
"""Object storage that is known by the beginning of a URI; everything else is a folder."""

HINT = (
    "check that it is reachable and that its credentials are in the environment; finished work is kept: "
    "run it again"
)
_SECRET_NAME = re.compile(r"secret|key|token|passw|credential|sas|bearer|signature", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_OF_A_CLOUD = re.compile(r"AWS_|AZURE_|GOOGLE_|GCP_|GCS_")
_SHORTEST_SECRET = 6


@frozen
class Location:
    """``uri`` of a folder or of object storage, and the storage's ``options``; none of them is a secret."""

    uri: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def remote(self) -> bool:
        """Whether it is object storage."""
        return bool(_SCHEME.match(self.uri))


def place_of(uri: str = "", options: Iterable[str] = ()) -> Location:
    """The place that a person names: a URI, else a folder of the person's own; options as ``name=value``.

    Raises UsageError for a storage that is not known, and for a secret among the options.
    """
    scheme = _SCHEME.match(uri)
    if scheme is None:
        uri = os.path.abspath(os.path.expanduser(uri)) if uri else str(Path(cache_dir()) / "fleet")
    elif scheme[1].lower() not in SCHEMES:
        raise UsageError(
            f"{scheme[1]}:// is not supported for the index of a fleet",
            hint="use a folder, or one of " + ", ".join(f"{name}://" for name in SCHEMES),
        )
    elif "@" in uri.partition("://")[2].partition("/")[0] or "?" in uri:
        raise UsageError("credentials do not belong in a URI", hint="set them in the environment")
    return Location(uri, dict(map(_option, options)))


@contextlib.contextmanager
def storage(what: str) -> Iterator[None]:
    """Turn any failure of the storage into IndexUnavailableError naming ``what``, without any secret."""
    try:
        with engine(what):
            yield
    except IndexUnavailableError as error:
        hint = HINT if error.hint in ("", REINDEX_HINT) else error.hint
        raise IndexUnavailableError(_without_secrets(error.message), hint=hint) from None


def _option(said: str) -> tuple[str, str]:
    name, mark, value = said.partition("=")
    name = name.strip()
    if not mark or not name:
        shown = name if not _SECRET_NAME.search(said) else "an option"
        raise UsageError(f"{shown!r} has no value", hint="write NAME=VALUE, for example aws_region=eu-west-1")
    if _SECRET_NAME.search(name) or ("://" in value and "@" in value):
        raise UsageError(
            f"the option {name} looks like a secret, and command lines are visible to others",
            hint=f"set it in the environment instead, as the storage's own tools do: {name.upper()}",
        )
    return name, value


def _without_secrets(text: str) -> str:
    """``text`` without the values of variables that name secrets of a storage."""
    for name, value in os.environ.items():
        if _OF_A_CLOUD.match(name) and _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, "…")
    return text


os.environ.setdefault("LANCEDB_LOG", "error")


ENTRIES, BOOKS = "entries", "workspaces"
_CARD = "memory-workbench"
_KEEP_VERSIONS = timedelta(hours=1)
"""Readers hold the version that they opened."""
_FILES_A_DELETION = 1_000
_OTHER_VERSION = "another version of the program created this table"
ANEW = "`workbench fleet reindex --full` rebuilds it"
_BOOKS = ("name", "path", "state", "error", "at")


@frozen
class TableFingerprint:
    """What shaped a table, and must be the same in each run: the cut of words, the vectors' model and length.

    ``model`` is empty, and ``dimension`` 0, in a table for keyword search only.
    """

    words: str
    model: str = ""
    dimension: int = 0
    format: int = FORMAT


@dataclass(slots=True)
class KnownFile:
    """A file as the table has it: ``digests`` of its rows (more than one: it is torn), their ids.

    ``lacking`` counts rows without a vector.
    """

    digests: set[str] = field(default_factory=set)
    ids: Counter[str] = field(default_factory=Counter)
    lacking: int = 0

    @property
    def digest(self) -> str:
        """The digest, or nothing where rows are torn or doubled, so that the file is written again."""
        sound = len(self.digests) == 1 and not self.doubled
        return next(iter(self.digests)) if sound else ""

    @property
    def doubled(self) -> int:
        """Rows that stand there more than once."""
        return sum(count - 1 for count in self.ids.values())


Known = dict[str, dict[str, KnownFile]]
"""The files of each workspace, by path."""


class SharedTable:
    """The table at one place. Methods raise IndexUnavailableError when the storage fails.

    Each write makes a version, and costs several requests on object storage, so a batch covers many
    workspaces. A write names its files and replaces all of their rows: doing it twice changes nothing.
    """

    def __init__(self, place: Location, base: Any, entries: Any, card: TableFingerprint) -> None:
        self.place, self.card = place, card
        self._base, self._entries = base, entries

    @classmethod
    def open(cls, place: Location) -> SharedTable:
        """The table at ``place``. Raises IndexUnavailableError where there is none."""
        with storage(f"the index of the fleet at {place.uri} cannot be opened"):
            base = _connected(place)
            if ENTRIES not in _names(base):
                raise IndexUnavailableError(
                    "nothing has been indexed there yet",
                    hint="`workbench fleet reindex` creates the index of a fleet",
                )
            entries = base.open_table(ENTRIES)
            card = _card(entries)
        if card.format != FORMAT:
            raise IndexUnavailableError(_OTHER_VERSION, hint=ANEW)
        return cls(place, base, entries, card)

    @classmethod
    def make(cls, place: Location, card: TableFingerprint, *, full: bool = False) -> SharedTable:
        """The table at ``place``, made where there is none; ``full`` makes it anew.

        Raises UsageError where the table is another version's or another model's.
        """
        with storage(f"the index of the fleet at {place.uri} cannot be written"):
            base = _connected(place)
            if ENTRIES in _names(base) and not full:
                entries = base.open_table(ENTRIES)
                found = _card(entries)
            else:
                columns = schema(card.dimension, {_CARD: json.dumps(asdict(card))})
                entries = base.create_table(ENTRIES, schema=columns, mode="overwrite")
                base.create_table(BOOKS, schema=_books_schema(), mode="overwrite")
                found = card
        if found.words != card.words or found.format != card.format:
            raise UsageError(_OTHER_VERSION, hint=ANEW)
        if found.model != card.model or found.dimension != card.dimension:
            raise UsageError(
                f"this table has vectors of {found.model or 'no model'}, not of {card.model or 'none'}",
                hint=ANEW,
            )
        return cls(place, base, entries, found)

    def count(self) -> int:
        """Rows."""
        with storage("the index of the fleet cannot be read"):
            return int(self._entries.count_rows())

    def versions(self) -> int:
        """The number of the newest version."""
        with storage("the index of the fleet cannot be read"):
            return int(self._entries.version)

    def known(self, workspaces: Sequence[str]) -> Known:
        """What there is of these workspaces."""
        out: Known = {name: {} for name in workspaces}
        if not workspaces:
            return out
        columns = ["workspace", "path", "digest", "id", "lacking"]
        with storage("a row of the index of the fleet is damaged"):
            rows = self._all(self._entries, columns, f"workspace IN {quoted(workspaces)}")
            for name, path, digest, one, lacking in rows:
                file = out[name].setdefault(restored(path), KnownFile())
                file.digests.add(digest)
                file.ids[one] += 1
                file.lacking += lacking
        return out

    def workspaces(self) -> dict[str, int]:
        """Every workspace that has rows, and how many."""
        return dict(Counter(name for (name,) in self._all(self._entries, ["workspace"])))

    def write(self, rows: Any | None, files: Iterable[tuple[str, str]], *, doubled: bool = False) -> None:
        """Make ``rows`` (an Arrow table) all that there is of ``files``, each a workspace and a path.

        ``doubled`` says that some of them stand there twice: then they go first.
        """
        keys = sorted({row_id(workspace, path) for workspace, path in files})
        with storage("the index of the fleet cannot be written"):
            if rows is None or not len(rows) or doubled:
                for start in range(0, len(keys), _FILES_A_DELETION):
                    self._entries.delete(f"file IN {quoted(keys[start : start + _FILES_A_DELETION])}")
            if rows is None or not len(rows):
                return
            merge = self._entries.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            if keys and not doubled:
                merge = merge.when_not_matched_by_source_delete(f"file IN {quoted(keys)}")
            merge.execute(rows)

    def remove(self, workspaces: Sequence[str]) -> None:
        """Take all rows of these workspaces out, and what the books say of them."""
        if not workspaces:
            return
        with storage("the index of the fleet cannot be written"):
            self._entries.delete(f"workspace IN {quoted(workspaces)}")
            self._base.open_table(BOOKS).delete(f"name IN {quoted(workspaces)}")

    def note(self, books: Sequence[Mapping[str, str]]) -> None:
        """Write down how each workspace ended: ``name``, ``path``, ``state``, ``error``, ``at``."""
        if not books:
            return
        with storage("the tables of the fleet cannot be written"):
            rows = pa.Table.from_pylist([dict(one) for one in books], schema=_books_schema())
            table = self._base.open_table(BOOKS)
            table.merge_insert("name").when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def books(self) -> dict[str, dict[str, str]]:
        """How each workspace ended last, by its name."""
        with storage("the tables of the fleet cannot be read"):
            rows = self._all(self._base.open_table(BOOKS), _BOOKS)
            return {row[0]: dict(zip(_BOOKS, row, strict=True)) for row in rows}

    def settle(self) -> None:
        """Index what was written, merge small files, let go of versions that nobody reads any more."""
        with storage("the index of the fleet cannot be compacted"):
            present = {index.columns[0] for index in self._entries.list_indices()}
            rows = self._entries.count_rows()
            self._entries.optimize(cleanup_older_than=_KEEP_VERSIONS)
            if not rows:
                return
            if "terms" not in present:
                # Terms come ready: nothing is cut, stemmed or left out by the engine.
                words = FTS(
                    base_tokenizer="whitespace",
                    lower_case=False,
                    stem=False,
                    remove_stop_words=False,
                    ascii_folding=False,
                    max_token_length=None,
                    with_position=False,
                )
                self._entries.create_index("terms", config=words)
            for column in ("workspace", "id"):
                if column not in present:
                    self._entries.create_index(column, config=BTree())
            if self.card.dimension and rows > EXACT_ROWS and "vector" not in present:
                self._entries.create_index("vector", config=IvfRq(distance_type="cosine"))

    def asked(
        self, query: Any, columns: Sequence[str], limit: int, condition: str = ""
    ) -> list[dict[str, Any]]:
        """The best rows for a full-text query or for a (d,) vector, among those that meet ``condition``."""
        with storage("the index of the fleet cannot be searched"):
            if isinstance(query, lancedb.query.FullTextQuery):
                search = self._entries.search(query, query_type="fts")
            else:
                search = self._entries.search(query).distance_type("cosine")
                search = search.nprobes(PROBES).refine_factor(REFINE)  # count once there is an index
            if condition:
                search = search.where(condition, prefilter=True)
            found: list[dict[str, Any]] = search.select(list(columns)).limit(limit).to_list()
            return found

    def lookup(self, condition: str, columns: Sequence[str], limit: int) -> list[dict[str, Any]]:
        """Rows that meet ``condition``."""
        rows = self._all(self._entries, columns, condition, limit)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _all(
        self, table: Any, columns: Sequence[str], condition: str = "", limit: int | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """The ``columns`` of all rows of ``table`` that meet ``condition``, at most ``limit``."""
        with storage("the index of the fleet cannot be read"):
            search = table.search().select(list(columns)).limit(limit or max(1, table.count_rows()))
            for batch in (search.where(condition) if condition else search).to_batches():
                yield from zip(*(batch[name].to_pylist() for name in columns), strict=True)


def _connected(place: Location) -> Any:
    # Credentials are those of the environment, not of the machine; who wants the latter sets this to false.
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
    options = dict(place.options) if place.remote else None
    return lancedb.connect(place.uri, storage_options=options, read_consistency_interval=timedelta(0))


def _names(base: Any) -> list[str]:
    return list(base.list_tables().tables)


def _card(entries: Any) -> TableFingerprint:
    said = (entries.schema.metadata or {}).get(_CARD.encode())
    try:
        return TableFingerprint(**json.loads(said or b""))
    except (ValueError, TypeError) as error:
        raise IndexUnavailableError("it was not created by this program") from error


def _books_schema() -> Any:
    return pa.schema([pa.field(name, "string") for name in _BOOKS])
