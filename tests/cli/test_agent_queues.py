"""Queues of other agents in the inbox: shown, decided as each agent would decide, brought back by undo."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Result, Run
from tests.support.agent_queues import (
    HERMES_MEMORY,
    STORE,
    candidate,
    change_patch,
    create_patch,
    gemini,
    hermes,
    openclaw,
    queue_patch,
    queue_write,
)
from tests.support.proposals import NOW, proposal
from workbench.dreaming.proposals.agent_queues import QUEUES
from workbench.dreaming.proposals.decide import plan_of
from workbench.dreaming.proposals.inbox import propose, waiting
from workbench.errors import NotCuratableError
from workbench.memory.entry import RelPath
from workbench.memory.file_edit import FileEdit, unified_diff
from workbench.workspace.workspace import Workspace

PORT = "The staging port is 8443"


@pytest.fixture(autouse=True)
def no_model(person: Path) -> None:
    (person / "settings.yaml").write_text("model: none\n")


@pytest.fixture
def inbox(run: Run) -> Any:
    """``inbox(root, "accept", KEY)``."""
    return lambda root, *arguments: run("-w", str(root), "inbox", *arguments)


def listed(inbox: Any, root: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = inbox(root, "list", "--json", *options).json
    return found


def only(inbox: Any, root: Path, *options: str) -> dict[str, Any]:
    (one,) = listed(inbox, root, *options)
    return one


def everything(root: Path) -> dict[str, bytes]:
    """All files but git's, and ours."""
    beside = (".git", ".workbench", "_system")
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.relative_to(root).parts[0] not in beside
    }


def commits(root: Path) -> int:
    return int(subprocess.check_output(["git", "-C", str(root), "rev-list", "--count", "HEAD"]))


def done(result: Result) -> Result:
    assert result.code == 0, result.err
    return result


def test_every_queue_cites_its_format_and_says_where_it_is() -> None:
    assert all(queue.document.startswith("https://") and queue.layout.pending for queue in QUEUES)


# -- Gemini CLI -------------------------------------------------------------------------------------------


def test_a_patch_of_gemini_is_shown_accepted_and_undone(run: Run, inbox: Any, person: Path) -> None:
    root = gemini(person)
    patch = queue_patch(root, "extraction.patch", change_patch(root))
    before = everything(root)
    one = only(inbox, root)
    assert (one["action"], one["by"], one["trust"]) == ("patch", "Gemini CLI", "external")
    assert one["text"] == "- new fact from a session"
    assert everything(root) == before
    shown = done(inbox(root, "show", one["key"])).out
    assert "+- new fact from a session" in shown
    assert ".inbox/private/extraction.patch" in shown
    done(inbox(root, "accept", one["key"][:6]))
    assert not patch.exists()
    assert "- new fact from a session\n- Likes tea\n" in (root / "MEMORY.md").read_text()
    assert "old fact" not in (root / "MEMORY.md").read_text()
    assert listed(inbox, root, "--all") == []
    log = run("-w", str(root), "log", "--json").json
    assert [entry["action"] for entry in log][:1] == ["accept"]
    done(run("-w", str(root), "undo"))
    assert everything(root) == before
    assert only(inbox, root)["key"] == one["key"]


def test_a_patch_that_makes_a_file_is_named_in_the_index_as_gemini_does(inbox: Any, person: Path) -> None:
    root = gemini(person)
    target = root / "verify-workflow.md"
    queue_patch(
        root, "deep/extraction.patch", change_patch(root) + create_patch(target, "# Verify", "", "- Run it")
    )
    one = only(inbox, root)
    assert one["section"] == "MEMORY.md, verify-workflow.md"
    done(inbox(root, "accept", one["key"]))
    assert target.read_text() == "# Verify\n\n- Run it\n"
    assert (root / "MEMORY.md").read_text().endswith(f"- See {target} for verify workflow notes.\n")


def test_a_patch_is_reworded_where_it_adds_one_block(run: Run, inbox: Any, person: Path) -> None:
    root = gemini(person)
    queue_patch(root, "a.patch", change_patch(root))
    before = everything(root)
    done(inbox(root, "edit", only(inbox, root)["key"], "--text", "- my own words"))
    assert "- my own words\n- Likes tea\n" in (root / "MEMORY.md").read_text()
    assert not (root / ".inbox/private/a.patch").exists()
    done(run("-w", str(root), "undo"))
    assert everything(root) == before
    queue_patch(root, "a.patch", change_patch(root) + create_patch(root / "b.md", "b"))
    refused = inbox(root, "edit", only(inbox, root)["key"], "--text", "- my own words")
    assert refused.code == 2
    assert "several places" in refused.err


@pytest.mark.parametrize("verb", ["reject", "withdraw"])
def test_what_is_not_wanted_leaves_the_queue_and_undo_brings_it_back(
    run: Run, inbox: Any, person: Path, verb: str
) -> None:
    root = gemini(person)
    patch = queue_patch(root, "a.patch", change_patch(root))
    before = everything(root)
    key = only(inbox, root)["key"]
    done(inbox(root, verb, key))
    assert everything(root) == {path: data for path, data in before.items() if not path.startswith(".inbox")}
    done(run("-w", str(root), "undo"))
    assert everything(root) == before
    done(inbox(root, verb, key))
    patch.write_text(change_patch(root))  # it is proposed again
    assert len(listed(inbox, root)) == (verb == "withdraw")
    again = only(inbox, root, "--all")
    assert (again["stale"] or "").startswith("rejected on" if verb == "reject" else "")


def test_a_deferred_one_stays_in_the_queue(inbox: Any, person: Path) -> None:
    root = gemini(person)
    queue_patch(root, "a.patch", change_patch(root))
    before = everything(root)
    done(inbox(root, "defer", only(inbox, root)["key"], "--until", "2w"))
    assert listed(inbox, root) == []
    assert only(inbox, root, "--all")["deferred_until"]
    assert everything(root) == before


def test_a_global_patch_is_accepted_where_its_file_is(inbox: Any, person: Path) -> None:
    root = gemini(person)
    text = create_patch(person / ".gemini/GEMINI.md", "# Preferences", "", "- Short answers")
    patch = queue_patch(root, "extraction.patch", text, "global")
    refused = inbox(root, "accept", only(inbox, root)["key"])
    assert refused.code == 2
    assert f"open {person / '.gemini'} to accept it" in refused.err
    assert patch.exists()
    home = person / ".gemini"
    one = only(inbox, home)
    assert one["marks"]["queue"] == "tmp/atlas/memory/.inbox/global/extraction.patch"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "half.patch",
            "--- {0}/MEMORY.md\n+++ {0}/MEMORY.md\n@@ -1,4 +1,4 @@\n # Project",
            "lines are missing",
        ),
        ("relative.patch", "--- MEMORY.md\n+++ MEMORY.md\n@@ -1 +1 @@\n-a\n+b\n", "absolute path"),
        ("empty.patch", "", "it changes nothing"),
        ("prose.patch", "Remember that \x1b[31mtea is good\n", "is not valid in a patch"),
        ("other.patch", "--- {0}/MEMORY.md\n+++ {0}/b.md\n@@ -1 +1 @@\n-a\n+b\n", "same file"),
    ],
)
def test_a_malformed_patch_is_shown_with_the_reason_and_left_alone(
    inbox: Any, person: Path, name: str, text: str, why: str
) -> None:
    root = gemini(person)
    queue_patch(root, name, text.format(root))
    queue_patch(root, "well.patch", change_patch(root))
    before = everything(root)
    one = next(one for one in listed(inbox, root) if one["malformed"])
    assert one["text"] == f".inbox/private/{name}"
    assert why in one["stale"]
    shown = inbox(root, "list").out
    assert "\x1b" not in shown
    assert "it is not in the format that Gemini CLI writes" in " ".join(shown.split())
    for verb in ("accept", "reject", "withdraw"):
        refused = inbox(root, verb, one["key"])
        assert refused.code == 2
        assert "format that Gemini CLI writes" in refused.err
    assert everything(root) == before
    assert len(listed(inbox, root)) == 2


@pytest.mark.parametrize("store", ["", '{"version": 1', "[]"])
def test_the_plan_of_a_malformed_store_is_refused_with_the_reason(person: Path, store: str) -> None:
    root = openclaw(person)
    (root / STORE).write_text(store)
    place = Workspace.open(root)
    (one,) = waiting(place, NOW)
    with pytest.raises(NotCuratableError, match="not in the format that OpenClaw writes"):
        plan_of(place, [one.proposal], now=NOW)
    place.close()


def test_nothing_is_read_or_written_through_a_link(inbox: Any, person: Path, tmp_path: Path) -> None:
    root = gemini(person)
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    (root / "linked.md").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    queue_patch(root, "a.patch", f"--- {root}/linked.md\n+++ {root}/linked.md\n@@ -1 +1 @@\n-mine\n+theirs\n")
    queue_patch(root, "b.patch", create_patch(root / "folder/new.md", "through a folder"))
    queue_patch(root, "c.patch", create_patch(root / "../new.md", "from above"))
    queue_patch(root, "d.patch", create_patch(root / ".hidden.md", "hidden"))
    queue_patch(root, "e.patch", create_patch(root / "settings.json", "not memory"))
    (tmp_path / "real.patch").write_text(change_patch(root))
    (root / ".inbox/private/f.patch").symlink_to(tmp_path / "real.patch")
    ones = listed(inbox, root)
    assert [one["text"] for one in ones if one["malformed"]] == [".inbox/private/f.patch"]
    for one in ones:
        assert inbox(root, "accept", one["key"]).code == 2
    assert outside.read_text() == "mine\n"
    assert not (tmp_path / "new.md").exists()
    assert len(listed(inbox, root)) == len(ones) == 6


def test_a_patch_that_changed_since_it_was_shown_is_not_accepted(inbox: Any, person: Path) -> None:
    root = gemini(person)
    patch = queue_patch(root, "a.patch", change_patch(root))
    key = only(inbox, root)["key"]
    patch.write_text(change_patch(root, "something else"))
    for verb in ("accept", "reject"):
        assert "no pending proposal" in inbox(root, verb, key).err
    assert patch.exists()
    assert "old fact" in (root / "MEMORY.md").read_text()


def test_memory_that_moved_on_is_patched_where_the_lines_are_now_or_not_at_all(
    inbox: Any, person: Path
) -> None:
    root = gemini(person)
    memory = root / "MEMORY.md"
    queue_patch(root, "a.patch", change_patch(root))
    memory.write_text("- a new first line\n\n" + memory.read_text())
    done(inbox(root, "accept", only(inbox, root)["key"]))
    assert memory.read_text().startswith("- a new first line\n\n# Project Memory\n\n- new fact from")
    queue_patch(root, "b.patch", change_patch(root, "another"))
    one = only(inbox, root)
    assert "is not as it was" in inbox(root, "show", one["key"]).out
    assert inbox(root, "accept", one["key"]).code == 2
    assert (root / ".inbox/private/b.patch").exists()


def test_an_agent_that_writes_in_the_last_moment_is_seen(
    inbox: Any, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = gemini(person)
    patch = queue_patch(root, "a.patch", change_patch(root))
    key = only(inbox, root)["key"]
    finished = Workspace.finished

    def late(self: Workspace, plan: Any) -> Any:
        patch.write_text(change_patch(root, "written in the last moment"))
        return finished(self, plan)

    monkeypatch.setattr(Workspace, "finished", late)
    assert inbox(root, "accept", key).code == 2
    assert "written in the last moment" in patch.read_text()
    assert "old fact" in (root / "MEMORY.md").read_text()


# -- Hermes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "memory"),
    [
        ({"action": "add", "content": "Atlas ships in May"}, HERMES_MEMORY + "\n§\nAtlas ships in May"),
        ({"action": "replace", "old_text": "8 GB", "content": "The server has 16 GB"},
         "The user likes tea\n§\nThe server has 16 GB\n§\nTests run with make"),
        ({"action": "remove", "old_text": "Debian"}, "The user likes tea\n§\nTests run with make"),
        ({"action": "batch", "operations": [
            {"action": "remove", "old_text": "tea"}, {"action": "add", "content": "Drinks coffee"}]},
         "The server runs Debian\nand has 8 GB\n§\nTests run with make\n§\nDrinks coffee"),
    ],
    ids=["add", "replace", "remove", "batch"],
)  # fmt: skip
def test_a_write_of_hermes_is_done_as_hermes_does_it_and_undone(
    run: Run, inbox: Any, person: Path, payload: dict[str, Any], memory: str
) -> None:
    root = hermes(person)
    pending = queue_write(root, "0a1b2c3d", **payload)
    before = everything(root)
    one = only(inbox, root)
    assert one["by"] == "Hermes"
    done(inbox(root, "accept", one["key"]))
    assert (root / "memories/MEMORY.md").read_text(encoding="utf-8") == memory
    assert not pending.exists()
    done(run("-w", str(root), "undo"))
    assert everything(root) == before
    assert only(inbox, root)["key"] == one["key"]


def test_what_hermes_learnt_of_the_user_goes_into_its_own_file(inbox: Any, person: Path) -> None:
    root = hermes(person)
    queue_write(root, "0a1b2c3d", action="add", target="user", content="Prefers short answers")
    done(inbox(root, "edit", only(inbox, root)["key"], "--text", "Wants short answers"))
    assert (root / "memories/USER.md").read_text(encoding="utf-8").endswith("\n§\nWants short answers")
    assert everything(root).keys() == {"memories/MEMORY.md", "memories/USER.md"}


def test_the_limit_of_hermes_holds_for_what_it_proposes_too(inbox: Any, person: Path) -> None:
    root = hermes(person)
    pending = queue_write(root, "0a1b2c3d", action="add", content="x" * 2_300)
    refused = inbox(root, "accept", only(inbox, root)["key"])
    assert refused.code == 2
    assert "of 2,200 characters" in refused.err
    assert pending.exists()


def test_the_queue_beside_a_workspace_is_shown_and_says_where_to_decide(inbox: Any, person: Path) -> None:
    root = hermes(person)
    pending = queue_write(root, "0a1b2c3d", action="add", content="Atlas ships in May")
    memories = root / "memories"
    one = only(inbox, memories, "--all")
    assert f"open {root} to decide" in one["stale"]
    for verb in ("accept", "reject"):
        assert inbox(memories, verb, one["key"]).code == 2
    assert pending.exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "truncated"),
        ("{}", "subsystem"),
        ('{"subsystem": "skills", "payload": {"action": "add", "content": "x"}}', "subsystem"),
        ('{"subsystem": "memory", "payload": {"action": "sing", "content": "x"}}', "action"),
        ('{"subsystem": "memory", "payload": {"action": "replace", "content": "x"}}', "the text is missing"),
        ('{"subsystem": "memory", "payload": {"action": "batch"}}', "changes nothing"),
        ('{"subsystem": "memory", "payload": {"action": "add", "content": "x", "target": "../x"}}', "target"),
    ],
)
def test_a_malformed_write_is_shown_with_the_reason_and_left_alone(
    inbox: Any, person: Path, text: str, why: str
) -> None:
    root = hermes(person)
    pending = queue_write(root, "0a1b2c3d")
    pending.write_text(text)
    one = only(inbox, root)
    assert one["malformed"]
    assert why in one["stale"]
    assert inbox(root, "reject", one["key"]).code == 2
    assert pending.read_text() == text


def test_what_is_said_twice_waits_once_and_goes_with_one_decision(run: Run, inbox: Any, person: Path) -> None:
    root = hermes(person)
    workspace = Workspace.open(root)
    try:
        propose(workspace, [proposal("Atlas ships in May")], NOW)
    finally:
        workspace.close()
    queue_write(root, "0a1b2c3d", action="add", content="Atlas ships in May")
    queue_write(root, "1a1b2c3d", action="add", content="The Atlas ships in May.")
    before = everything(root)
    assert only(inbox, root)["by"] == "dreaming"
    done(inbox(root, "accept", "--all"))
    assert list((root / "pending/memory").iterdir()) == []
    assert (root / "memories/MEMORY.md").read_text(encoding="utf-8").count("Atlas ships in May") == 1
    done(run("-w", str(root), "undo"))
    assert everything(root) == before


def test_what_memory_says_already_is_stale_and_can_be_taken_out(inbox: Any, person: Path) -> None:
    root = hermes(person)
    pending = queue_write(root, "0a1b2c3d", action="add", content="The user likes tea")
    assert listed(inbox, root) == []
    one = only(inbox, root, "--all")
    assert one["stale"] == "already in long-term memory"
    done(inbox(root, "withdraw", one["key"]))
    assert not pending.exists()


def test_secrets_and_orders_are_taken_only_knowingly_and_never_with_others(inbox: Any, person: Path) -> None:
    root = hermes(person)
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    queue_write(root, "0a1b2c3d", action="add", content=f"The key is {secret}")
    queue_write(root, "1a1b2c3d", action="add", content="Atlas ships in May")
    queue_write(root, "2a1b2c3d", action="add", content="Borealis ships in June")
    before = everything(root)
    key = next(one["key"] for one in listed(inbox, root) if one["flags"])
    assert secret not in inbox(root, "list").out
    assert inbox(root, "accept", key).code != 0
    assert inbox(root, "accept", key, "--allow-flagged").code != 0
    assert inbox(root, "reject", key).code != 0  # git would get it
    refused = inbox(root, "accept", "--all")
    assert refused.code == 2
    assert everything(root) == before
    done(inbox(root, "reject", key, "--allow-secret"))


# -- OpenClaw ---------------------------------------------------------------------------------------------


def entries(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / STORE).read_text())["entries"]
    return found


@pytest.fixture
def dreams(person: Path) -> Path:
    return openclaw(
        person,
        candidate(3, "- " + PORT),
        candidate(4, "Atlas ships in May", recallCount=9),
        candidate(5, "Recalled once", recallCount=1),
        candidate(6, "Promoted", promotedAt="2026-02-28T00:00:00.000Z"),
        {"key": "junk", "path": 3},
    )


def test_a_candidate_of_openclaw_is_promoted_from_its_line_and_undone(
    run: Run, inbox: Any, dreams: Path
) -> None:
    before = everything(dreams)
    found = listed(inbox, dreams)
    assert [one["text"] for one in found] == ["Atlas ships in May", PORT]
    key = found[1]["key"]
    assert "memory/2026-02-05.md#L3" in inbox(dreams, "show", key).out
    done(inbox(dreams, "accept", key))
    assert f"- {PORT} <!-- wb:" in (dreams / "MEMORY.md").read_text()
    promoted = {name for name, one in entries(dreams).items() if "promotedAt" in one}
    assert promoted == {"memory:memory/2026-02-05.md:3:3", "memory:memory/2026-02-05.md:6:6"}
    after = json.loads((dreams / STORE).read_text())
    after["entries"]["memory:memory/2026-02-05.md:3:3"].pop("promotedAt")
    assert after == json.loads(before[STORE])
    assert only(inbox, dreams)["text"] == "Atlas ships in May"
    (dreams / STORE).write_text((dreams / STORE).read_text().replace("03-01T00:00", "03-02T11:11"))
    done(run("-w", str(dreams), "undo"))
    assert everything(dreams) == before | {STORE: before[STORE].replace(b"03-01T00:00", b"03-02T11:11")}
    assert len(listed(inbox, dreams)) == 2


def test_a_rejected_candidate_leaves_the_store_and_nothing_else_does(
    run: Run, inbox: Any, dreams: Path
) -> None:
    before = everything(dreams)
    key = listed(inbox, dreams)[0]["key"]
    done(inbox(dreams, "reject", key))
    assert "memory:memory/2026-02-05.md:4:4" not in entries(dreams)
    assert len(entries(dreams)) == 4
    done(run("-w", str(dreams), "undo"))
    assert everything(dreams) == before


def test_while_openclaw_writes_nothing_is_decided(inbox: Any, dreams: Path) -> None:
    lock = dreams / "memory/.dreams/short-term-promotion.lock"
    lock.write_text("1:1\n")
    before = everything(dreams)
    refused = inbox(dreams, "accept", listed(inbox, dreams)[0]["key"])
    assert refused.code == 3
    assert "OpenClaw is writing" in refused.err
    assert everything(dreams) == before


@pytest.mark.parametrize(
    "text", [*("{", "[]", '{"version": 2, "entries": {}}', "null"), pytest.param("[" * 100_000, id="deep")]
)
def test_a_store_of_another_form_is_shown_and_left_alone(inbox: Any, dreams: Path, text: str) -> None:
    (dreams / STORE).write_text(text)
    one = only(inbox, dreams)
    assert one["malformed"]
    assert inbox(dreams, "reject", one["key"]).code == 2
    assert (dreams / STORE).read_text() == text


@pytest.mark.parametrize(
    "path", ["../../../etc/passwd", "/etc/passwd", "memory/none.md", "memory/2026-02-05.md"]
)
def test_a_candidate_whose_line_is_gone_is_not_accepted(inbox: Any, person: Path, path: str) -> None:
    root = openclaw(person, candidate(3, "Nobody says so", path=path))
    before = everything(root)
    refused = inbox(root, "accept", only(inbox, root)["key"])
    assert refused.code == 2
    assert "no longer" in refused.err
    assert everything(root) == before


def test_no_policy_accepts_what_waits_in_a_queue(run: Run, inbox: Any, dreams: Path) -> None:
    before = json.loads((dreams / STORE).read_text())
    assert inbox(dreams, "accept", "--all").code == 2
    run("-w", str(dreams), "dream", "--apply")
    assert json.loads((dreams / STORE).read_text()) == before


def test_a_patch_of_several_changes_lands_where_each_was_made(inbox: Any, person: Path) -> None:
    root = gemini(person)
    memory = root / "MEMORY.md"
    block = ["x", "- todo: pay", "y", ""]
    lines = ["# A", *["filler"] * 6, "# B", *block, "# C", *block]
    memory.write_text("\n".join(lines) + "\n")
    changed = [*lines[:1], *(f"- new {n}" for n in range(5)), *lines[1:]]
    del changed[changed.index("# C") + 2]
    diff = difflib.unified_diff(lines, changed, str(memory), str(memory), lineterm="", n=1)
    queue_patch(root, "a.patch", "\n".join(diff) + "\n")
    done(inbox(root, "accept", only(inbox, root)["key"]))
    assert memory.read_text().splitlines()[: len(changed)] == changed


def test_a_secret_that_json_escapes_is_seen_also_when_it_is_rejected(inbox: Any, person: Path) -> None:
    root = hermes(person)
    queue_write(
        root, "a1", action="add", content="The deploy token is\nghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    )
    one = only(inbox, root)
    for command in ("accept", "reject"):
        assert "GitHub" in inbox(root, command, one["key"]).err
    assert commits(root) == 1


def test_entries_of_hermes_with_windows_line_ends_stay(inbox: Any, person: Path) -> None:
    root = hermes(person)
    memory = root / "memories/MEMORY.md"
    memory.write_bytes(HERMES_MEMORY.replace("\n", "\r\n").encode())
    queue_write(root, "a1", action="replace", old_text="likes tea", content="The user likes coffee")
    done(inbox(root, "accept", only(inbox, root)["key"]))
    assert (
        memory.read_bytes()
        == HERMES_MEMORY.replace("likes tea", "likes coffee").replace("\n", "\r\n").encode()
    )


def test_a_removal_of_hermes_says_what_it_forgets(inbox: Any, person: Path) -> None:
    root = hermes(person)
    queue_write(root, "a1", action="remove", old_text="Debian", content="The user likes green tea")
    assert only(inbox, root)["text"] == "Forget: Debian"


def test_a_moment_that_is_none_stops_no_other_item(run: Run, inbox: Any, person: Path) -> None:
    root = hermes(person)
    path = queue_write(root, "a1", action="add", content="Atlas ships in May")
    path.write_text(path.read_text().replace("1772000000.5", "1e300"))
    queue_write(root, "b2", action="add", content="Atlas has four gauges")
    assert sorted(bool(one["malformed"]) for one in listed(inbox, root)) == [False, True]
    assert run("-w", str(root), "status").code == 0


def test_half_an_emoji_in_the_store_of_openclaw_keeps_nothing_from_being_decided(
    inbox: Any, person: Path
) -> None:
    root = openclaw(person, candidate(3, "- The staging port is 8443"), candidate(4, "Atlas ships \ud83d"))
    key = next(one["key"] for one in listed(inbox, root) if "8443" in one["text"])
    done(inbox(root, "reject", key))
    assert list(entries(root)) == ["memory:memory/2026-02-05.md:4:4"]


def test_a_sign_that_belongs_to_the_words_stays(inbox: Any, person: Path) -> None:
    root = openclaw(person, candidate(3, "-5 C is what the fridge holds"), candidate(4, "---"))
    assert only(inbox, root)["text"] == "-5 C is what the fridge holds"


def test_a_heading_in_what_hermes_adds_is_kept(inbox: Any, person: Path) -> None:
    root = hermes(person)
    queue_write(root, "a1", action="add", content="# Deploy rules\nNever deploy on Friday")
    done(inbox(root, "accept", only(inbox, root)["key"]))
    assert (root / "memories/MEMORY.md").read_text().endswith("\n§\n# Deploy rules\nNever deploy on Friday")


# -- what is shown, and where it is from -------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["gemini", "hermes", "hermes without one", "openclaw"])
def test_the_diff_that_is_shown_is_the_one_that_accepting_makes(inbox: Any, person: Path, agent: str) -> None:
    if agent == "gemini":
        root = gemini(person)
        queue_patch(root, "a.patch", change_patch(root) + create_patch(root / "b.md", "# B", "", "- b"))
    elif agent == "openclaw":
        root = openclaw(person, candidate(3, "- " + PORT))
    else:
        root = hermes(person)
        if "without" in agent:
            (root / "memories/USER.md").unlink()
        queue_write(root, "a1", action="add", target="user", content="Likes walks\n\n- and tea")
    before = everything(root)
    key = only(inbox, root)["key"]
    shown = inbox(root, "show", key, "--json").json["diff"]
    done(inbox(root, "accept", key))
    after = everything(root)
    changed = [path for path in (before.keys() | after.keys()) if before.get(path) != after.get(path)]
    assert len(changed) > 1
    for path in changed:
        if path != STORE:  # it holds the moment of the decision
            made = unified_diff(FileEdit(RelPath(path), before.get(path), after.get(path)))
            assert made in shown, made


def test_what_could_not_be_accepted_is_shown_without_a_diff_and_with_the_reason(
    inbox: Any, person: Path
) -> None:
    root = hermes(person)
    queue_write(root, "0a1b2c3d", action="add", content="x" * 2_300)
    shown = inbox(root, "show", only(inbox, root)["key"], "--json").json
    assert not shown["diff"]
    assert "of 2,200 characters" in shown["problem"]


def test_hermes_keeps_a_queue_for_each_profile_wherever_its_home_is(
    run: Run, inbox: Any, tmp_path: Path
) -> None:
    root = hermes(tmp_path / "copied")
    profile = root / "profiles/work"
    (profile / "memories").mkdir(parents=True)
    (profile / "memories/MEMORY.md").write_text("The office is in Porto\n§\nThe bus leaves at nine")
    queue_write(profile, "a1", action="add", content="Lunch is at noon")
    queue_write(root, "b2", action="add", content="Atlas ships in May")
    before = everything(root)
    assert run("-w", str(root), "status", "--json").json["layouts"][0]["name"] == "hermes"
    keys = {one["section"]: one["key"] for one in listed(inbox, root)}
    assert sorted(keys) == ["memories/MEMORY.md", "profiles/work/memories/MEMORY.md"]
    done(inbox(root, "accept", keys["profiles/work/memories/MEMORY.md"]))
    assert (profile / "memories/MEMORY.md").read_text().endswith("nine\n§\nLunch is at noon")
    assert (root / "memories/MEMORY.md").read_text() == HERMES_MEMORY
    assert not (profile / "pending/memory/a1.json").exists()
    done(run("-w", str(root), "undo"))
    assert everything(root) == before
    assert only(inbox, profile)["text"] == "Lunch is at noon"  # opened by itself, it is a home as well
    done(inbox(profile, "reject", only(inbox, profile)["key"]))


def test_a_queue_above_a_folder_that_is_no_home_of_hermes_is_not_read(inbox: Any, tmp_path: Path) -> None:
    queue_write(tmp_path, "a1", action="add", content="Atlas ships in May")
    for name, count in (("notes", 0), ("memories", 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "MEMORY.md").write_text(HERMES_MEMORY)
        assert len(listed(inbox, tmp_path / name, "--all")) == count


def test_a_candidate_with_a_path_that_no_file_can_have_hides_no_other(inbox: Any, person: Path) -> None:
    strange = candidate(3, "Nobody says so", path="memory/\ud800.md", key="a")
    root = openclaw(person, strange, candidate(4, "Atlas ships in May", key="b"))
    assert sorted(one["text"] for one in listed(inbox, root)) == ["Atlas ships in May", "Nobody says so"]


def test_a_candidate_over_several_lines_is_of_all_of_them(run: Run, inbox: Any, person: Path) -> None:
    root = openclaw(person, candidate(3, f"- {PORT} - Atlas ships in May", endLine=4))
    before = everything(root)
    key = only(inbox, root)["key"]
    done(inbox(root, "accept", key))
    message = subprocess.check_output(["git", "-C", str(root), "log", "-1", "--format=%B"], text=True)
    sources = [line.partition(": ")[2] for line in message.splitlines() if line.startswith("Source: ")]
    assert sources == ["memory/2026-02-05.md#L3", "memory/2026-02-05.md#L4"]
    added = (root / "MEMORY.md").read_text().partition("Likes tea\n")[2]
    assert re.sub(r" <!-- wb:\w+ -->", "", added) == f"- 2026-02-05:\n  - {PORT}\n  - Atlas ships in May\n"
    done(run("-w", str(root), "undo"))
    assert everything(root) == before


@pytest.mark.parametrize("header", ["@@ -3,4 @@ (2 before, 8 after) - ", "@@ -3 @@ - "])
def test_what_a_search_puts_around_a_candidate_is_no_part_of_it(
    inbox: Any, person: Path, header: str
) -> None:
    root = openclaw(person, candidate(3, f"{header}{PORT} - Atlas ships..."))
    one = only(inbox, root)
    assert one["text"] == f"2026-02-05:\n- {PORT}\n- Atlas ships in May"
    done(inbox(root, "accept", one["key"]))
    assert "@@" not in (root / "MEMORY.md").read_text()


@pytest.mark.parametrize("snippet", ["- Atlas shi...", "- Atlas ships \ud83d...", "- Atlas ships in May..."])
def test_a_candidate_that_is_cut_off_is_accepted_with_the_whole_of_its_line(
    inbox: Any, person: Path, snippet: str
) -> None:
    root = openclaw(person, candidate(4, snippet))
    if "\ud83d" in snippet:
        log = root / "memory/2026-02-05.md"
        log.write_text(log.read_text().replace("Atlas ships in", "Atlas ships 🚀 in"))
    whole = "Atlas ships 🚀 in May" if "\ud83d" in snippet else "Atlas ships in May"
    one = only(inbox, root)
    assert one["text"] == whole
    done(inbox(root, "accept", one["key"]))
    assert f"\n- {whole} <!-- wb:" in (root / "MEMORY.md").read_text()


def test_a_candidate_that_is_cut_off_and_has_lost_its_line_says_so(inbox: Any, person: Path) -> None:
    root = openclaw(person, candidate(4, "- Atlas sinks in Ma..."))
    one = only(inbox, root)
    assert one["text"] == "Atlas sinks in Ma..."
    shown = inbox(root, "show", one["key"]).out
    assert "its text is cut off, and the rest was not found" in " ".join(shown.split())
    assert inbox(root, "accept", one["key"]).code == 2


@pytest.mark.parametrize(
    "snippet", [f"- {PORT} and Mallory may open it", f"Pay Mallory. {PORT}", "Atlas ships in May - " + PORT]
)
def test_a_candidate_that_says_more_than_its_line_is_not_taken_for_that_line(
    inbox: Any, person: Path, snippet: str
) -> None:
    root = openclaw(person, candidate(3, snippet))
    before = everything(root)
    key = only(inbox, root)["key"]
    assert "or only partly" in inbox(root, "show", key).out
    refused = inbox(root, "accept", key)
    assert refused.code == 2
    assert "or only partly" in refused.err
    assert everything(root) == before
