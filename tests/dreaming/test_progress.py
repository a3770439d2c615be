"""How far a dream is: told step by step, and stopped by whoever is told, with nothing written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.dreaming.nights import NOW, Nights
from workbench.dreaming.proposals.inbox import propose
from workbench.dreaming.result import STEPS, Dream, Explanation, Step
from workbench.dreaming.run import dream, explain
from workbench.errors import StoppedError, UsageError

FACT = "The staging port of the gateway is 8443"
WISH = "Sarah prefers async reviews over meetings"


def asked(root: Path, **wanted: str) -> subprocess.CompletedProcess[bytes]:
    """What the process that dreams apart answers."""
    return subprocess.run(
        [sys.executable, "-m", "workbench.worker", "dream", os.fspath(root)],
        input=json.dumps(wanted).encode() + b"\n",
        capture_output=True,
        check=False,
    )


def events(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_step_is_told_in_order_and_counts_never_go_back(nights: Nights) -> None:
    for day in range(5):
        nights.episode(day, f"e{day}", WISH, f"{FACT}{day}")
    told: list[tuple[Step, int, int]] = []
    dream(nights.workspace, now=NOW, tell=lambda *step: told.append(step))
    assert list(dict.fromkeys(step for step, _, _ in told)) == list(STEPS)
    reading = [(done, total) for step, done, total in told if step == "reading"]
    assert reading == [(number, len(reading)) for number in range(len(reading))]


@pytest.mark.parametrize("step", STEPS)
def test_whoever_is_told_can_stop_it_at_any_step_and_nothing_is_written(nights: Nights, step: str) -> None:
    nights.episode(0, "e1", WISH)
    before = sorted(nights.root.rglob("*"))

    def stop(now: Step, _done: int, _total: int) -> None:
        if now == step:
            raise StoppedError("dreaming")

    with pytest.raises(StoppedError, match="nothing was written"):
        dream(nights.workspace, now=NOW, tell=stop)
    assert sorted(nights.root.rglob("*")) == before


def test_it_can_be_stopped_within_a_long_file(nights: Nights) -> None:
    nights.log(0, *(f"The port of service {number} is {8000 + number}" for number in range(1_200)))
    told: list[tuple[Step, int, int]] = []

    def stop(step: Step, done: int, total: int) -> None:
        told.append((step, done, total))
        if [one for one, _, _ in told].count("reading") == 3:
            raise StoppedError("dreaming")

    with pytest.raises(StoppedError):
        dream(nights.workspace, now=NOW, tell=stop)
    assert told == [("reading", 0, 1)] * 3


def test_it_can_be_stopped_every_few_claims_of_a_great_many(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.dreaming.result.EVERY", 5, raising=False)
    monkeypatch.setattr("workbench.dreaming.survey.MOST_JUDGED", 12)
    nights.log(0, *(f"The port of service {'x' * number} is 8443" for number in range(1, 41)))
    told: list[tuple[Step, int, int]] = []
    dreamt = dream(nights.workspace, now=NOW, tell=lambda *step: told.append(step))
    count, chosen = dreamt.considered, len(dreamt.proposals)
    assert told.count(("recalls", 0, 0)) > 8
    assert told.count(("recalls", count, count)) > 2
    assert told.count(("judging", 12, 12)) > 4
    assert told.count(("wording", chosen, chosen)) >= 8


def test_an_explanation_tells_how_far_it_is_too(nights: Nights) -> None:
    nights.episode(0, "e1", WISH)
    told: list[tuple[Step, int, int]] = []
    explain(nights.workspace, WISH, NOW, tell=lambda *step: told.append(step))
    assert {"reading", "judging"} <= {step for step, _, _ in told}


def test_an_outcome_survives_its_pipe(nights: Nights) -> None:
    nights.episode(0, "e1", WISH, "They laughed a bit.")
    workspace = nights.workspace
    dreamt = dream(workspace, now=NOW)
    found = dreamt.put_forward(propose(workspace, dreamt.proposals, NOW))
    again = msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(found))), Dream)
    assert again == found
    assert [one.key for one in again.proposals] == [one.key for one in dreamt.proposals]
    assert again.reasons == found.reasons
    assert again.left_out == sum(dreamt.reasons.values())


def test_an_explanation_survives_its_pipe(nights: Nights) -> None:
    nights.episode(0, "e1", WISH)
    found = nights.explained(WISH)
    again = msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(found))), Explanation)
    assert (again.key, again.verdict, again.proposed) == (found.key, found.verdict, found.proposed)
    assert [gate.name for gate in again.gates] == [gate.name for gate in found.gates]


def test_what_could_not_wait_is_left_out_with_its_reason_and_no_secret(nights: Nights) -> None:
    nights.episode(0, "e1", WISH)
    workspace = nights.workspace
    dreamt = dream(workspace, now=NOW)
    propose(workspace, dreamt.proposals, NOW)
    nights.memory(WISH)
    found = dreamt.put_forward(propose(workspace, dreamt.proposals, NOW))
    assert found.proposals == ()
    assert found.reasons["already in long-term memory"] == 1


def test_a_process_of_its_own_dreams_and_its_proposals_wait(nights: Nights) -> None:
    nights.sandbox.write("memory/2026-03-14.md", "")
    done = asked(nights.root)
    said = events(done)
    assert done.returncode == 0
    assert said[0]["event"] == "progress"
    assert said[-1]["event"] == "done"
    assert msgspec.convert(said[-1]["outcome"], Dream).considered == 0


def test_it_explains_by_words(nights: Nights) -> None:
    said = events(asked(nights.root, explain="something nobody said"))
    assert not msgspec.convert(said[-1]["explanation"], Explanation).proposed


def test_what_goes_wrong_is_the_last_word(tmp_path: Path) -> None:
    done = asked(tmp_path / "nowhere")
    assert events(done)[-1]["code"] == "no-workspace"
    assert done.returncode != 0


def test_what_is_no_object_and_what_is_no_task_is_wrong_usage(nights: Nights) -> None:
    for task, line, said in (("dream", b"[1]\n", b"not a JSON object"), ("sing", b"{}\n", b"usage: ")):
        command = [sys.executable, "-m", "workbench.worker", task, os.fspath(nights.root)]
        done = subprocess.run(command, input=line, capture_output=True, check=False)
        assert done.returncode == UsageError.exit_code
        assert said in done.stdout + done.stderr


@pytest.mark.promise(
    "The interface",
    "dreaming is stopped halfway, or its process dies",
    "nothing is written, and a message says so",
)
def test_a_signal_stops_it_and_nothing_waits(nights: Nights) -> None:
    for number in range(60):
        nights.sandbox.write(f"memory/note-{number}.md", f"# Note\n\n- {FACT}{number}\n" * 40)
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench.worker", "dream", os.fspath(nights.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pipesize=4_096,  # it says more than that: it cannot be done before it is heard and stopped
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"{}\n")
    process.stdin.close()
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    said = [json.loads(line) for line in process.stdout]
    process.stdout.close()
    assert process.wait() == StoppedError.exit_code
    assert said[-1]["code"] == "stopped"
    assert not (nights.root / "_system").exists()
