"""The types of entities, and of the memories on their pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENTITY_TYPES = (
    "person", "organization", "place", "project", "product", "technology", "task", "event", "document",
    "concept", "thing",
)  # fmt: skip
"""Types of entities; a ``thing`` is what nothing tells the type of."""
IMPORTANCE: Mapping[str, float] = MappingProxyType(
    {
        "identity": 1.0,
        "goal": 0.9,
        "routine": 0.85,
        "decision": 0.8,
        "todo": 0.8,
        "preference": 0.7,
        "fact": 0.6,
        "correlation": 0.5,
        "prediction": 0.5,
        "event": 0.4,
        "feedback": 0.4,
        "observation": 0.3,
        "anomaly": 0.3,
    }
)
"""The types of memory, each with the importance that one has which says none of its own, in [0, 1]."""
