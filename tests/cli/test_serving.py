"""What `workbench serve` refuses before anything listens."""

from __future__ import annotations

import socket

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_other_machines_are_not_served(run: Run, host: str) -> None:
    done = run("serve", "--host", host)
    assert done.code == 2
    assert "can be reached from other machines" in done.err
    assert "ssh -L" in done.err


def test_a_port_that_is_taken_is_named(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert done.code == 2
    assert f"port {port} cannot be used" in done.err
