"""Files with names that steer terminals, options and patterns: looked at like all others, and shown."""

from __future__ import annotations

import os

import pytest

from tests.faults.test_names import NAMES, Program
from tests.health.conftest import Ward


@pytest.fixture
def named(ward: Ward) -> Ward:
    """The ward with a file of every odd name, each with a link that leads nowhere and the same words."""
    for number, name in enumerate(NAMES.values()):
        path = ward.root / "memory" / os.fsdecode(name)
        path.write_bytes(b"- the same words in all of these files\n- see [[Nobody %d]]\n" % number)
    ward.reindex()
    return ward


def test_the_doctor_and_the_check_take_every_name(named: Ward) -> None:
    run = Program(named.root)
    found = run.json("check")
    assert isinstance(found, dict)
    dead = [remark for remark in found["remarks"] if remark["rule"] == "dead wiki link"]
    assert len(dead) == len(NAMES)
    run("check", "--all")
    run("doctor")


@pytest.mark.parametrize("name", list(NAMES))
def test_a_recall_test_finds_a_file_of_any_name_that_is_text(ward: Ward, name: str) -> None:
    try:
        path = "memory/" + NAMES[name].decode()
    except UnicodeDecodeError:
        pytest.skip("a name that is no text cannot stand in a file of text")
    (ward.root / path).write_bytes(b"- a harbour crane of its own\n")
    ward.reindex()
    address = next(e.address for e in ward.sandbox.workspace.document(path).entries)
    run = Program(ward.root)
    run("check", "--add", "--", "harbour crane", address)
    run("check", "--tests-only")
