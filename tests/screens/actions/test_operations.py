"""The keys of operations: they are what the registry of operations declares."""

from __future__ import annotations

import pytest

from screens.actions.registry import by_id
from workbench.operations.registry import OPERATIONS

KEYS = {"promote": "p", "forget": "d", "edit": "i", "merge": "m", "move": "M", "pin": "P"} | {
    "quarantine": "x", "archive": "A", "undo": "u", "redo": "U",
}  # fmt: skip


def test_operations_have_the_keys_that_people_know() -> None:
    assert {operation.name: operation.key for operation in OPERATIONS.values() if operation.key} == KEYS


@pytest.mark.parametrize("name", KEYS)
def test_a_declared_key_does_the_operation(name: str) -> None:
    action = by_id()[name]
    assert action.keys == (OPERATIONS[name].key,)
    assert action.label == name
    assert action.palette
