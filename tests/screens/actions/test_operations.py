"""The keys of operations: they are what the registry of operations declares."""

from __future__ import annotations

import pytest

from screens.actions.registry import ACTIONS, by_id, declared_beside
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


def test_an_operation_that_is_only_declared_has_its_key_and_its_help(monkeypatch: pytest.MonkeyPatch) -> None:
    more = OPERATIONS["pin"]._replace(name="praise", key="f9", help="Praise entries.")
    monkeypatch.setitem(OPERATIONS, "praise", more)
    (action,) = declared_beside(ACTIONS)
    assert (action.id, action.label, action.keys, action.help) == ("praise", "praise", ("f9",), more.help)
    assert action.palette
