"""The program as it is called, in this process: arguments in, streams and exit code out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.workspaces import Sandbox
from workbench.cli import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("search", "tea")`` in the sandbox."""
    monkeypatch.chdir(sandbox.root)

    def call(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
        with pytest.raises(SystemExit) as leave:
            main()
        out, err = capsys.readouterr()
        return Result(int(leave.value.code or 0), out, err)

    return call
