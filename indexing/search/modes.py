"""The modes of a search, by the names that people and other systems give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Mode = Literal["hybrid", "lexical", "vector"]
ModeName = Literal["hybrid", "lexical", "vector", "semantic", "embedding", "keyword", "text", "fts"]
MODES: Mapping[str, Mode] = {
    "hybrid": "hybrid",
    "lexical": "lexical",
    "keyword": "lexical",
    "text": "lexical",
    "fts": "lexical",
    "vector": "vector",
    "semantic": "vector",
    "embedding": "vector",
}
"""Every ``ModeName`` with what it means."""
