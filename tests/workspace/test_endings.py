"""How processes end, as Python counts it, in words."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from workbench.worker import ended, killed_by


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_process_that_is_killed_was_ended_from_outside(number: signal.Signals) -> None:
    code = f"import os, signal; signal.signal({number:d}, signal.SIG_DFL)" if number != signal.SIGKILL else ""
    status = subprocess.run(
        [sys.executable, "-c", f"import os\n{code}\nos.kill(os.getpid(), {number:d})"], check=False
    ).returncode
    assert killed_by(status) == number.name
    assert ended(status) == f"was ended by {number.name}"


def test_a_process_that_fails_ended_by_itself() -> None:
    status = subprocess.run([sys.executable, "-c", "raise SystemExit(7)"], check=False).returncode
    assert killed_by(status) == ""
    assert ended(status) == "ended with status 7"


def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    number = max(signal.Signals) + 900
    assert ended(-number) == f"was ended by signal {number}"
