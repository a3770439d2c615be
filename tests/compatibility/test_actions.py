"""A workspace stays one of OpenClaw, Obsidian and basic-memory, whatever is done to it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.support.actions import at
from tests.support.foreign import DAY, NOTE, PERSON, SHAPES, TWIN, workspace_of
from tests.support.proposals import entry, proposal, put
from tests.support.readers import (
    Vault,
    chunks,
    front_matter,
    observations,
    promotions,
    relations,
    shown,
    tokens,
)
from tests.support.workspaces import EPISODE, Sandbox
from workbench.dreaming.proposals.decide import plan_accept
from workbench.errors import NotCuratableError
from workbench.graph.contradictions import contradictions, plan_settle
from workbench.graph.drafts import MemoryDraft, RelationDraft
from workbench.graph.merge import plan_merge_entities
from workbench.graph.read import read_graph
from workbench.graph.write import plan_forget_memory, plan_store, plan_update
from workbench.importers.basic_memory import read_notes
from workbench.importers.plan import plan_import
from workbench.ingest.episodes import plan_extend, plan_pin_episode, plan_prune
from workbench.ingest.flush import flush_session
from workbench.memory.entry import Span
from workbench.memory.transcript import Session, Turn
from workbench.operations.archive import plan_archive
from workbench.operations.edit import entry_source, plan_edit, reworded
from workbench.operations.forget import plan_forget
from workbench.operations.merge import plan_merge
from workbench.operations.move import plan_move
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_redo, plan_undo
from workbench.workspace.decisions import settled_keys
from workbench.workspace.layout import QUARANTINE
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace

NOW = datetime(2026, 3, 20, 14, 20, tzinfo=UTC)
LATE = datetime(2026, 8, 1, tzinfo=UTC)
TODAY = NOW.date()
MEMORY = "MEMORY.md"
BOB = "graph/person/bob.md"
Planner = Callable[[Workspace], Plan]
Step = Callable[[Sandbox], None]


@dataclass(frozen=True)
class Action:
    """Something that is done. ``changes``: keys of front matter that it is about; ``gone``: words that go."""

    name: str
    do: Step
    changes: frozenset[str] = frozenset()
    gone: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return self.name


def carried_out(*plans: Planner) -> Step:
    def do(sandbox: Sandbox) -> None:
        for plan in plans:
            sandbox.workspace.operations.carry_out(lambda plan=plan: plan(sandbox.workspace))  # type: ignore[misc]

    return do


def promote(place: Workspace) -> Plan:
    return plan_promote(
        place, [at(place, "asynchronous reviews", DAY), at(place, "crane needs", DAY)], today=TODAY
    )


def quarantine(place: Workspace) -> Plan:
    return plan_quarantine(place, [at(place, "crane needs", DAY)], today=TODAY)


def set_aside(place: Workspace) -> str:
    page = next((place.root / QUARANTINE).glob("*.md")).relative_to(place.root).as_posix()
    return at(place, "crane needs", page)


def pin(place: Workspace, *, on: bool = True) -> Plan:
    wanted = [
        at(place, "asynchronous reviews", DAY),
        at(place, "Likes tea", MEMORY),
        at(place, "works_on", PERSON),
    ]
    return plan_pin(place, wanted, on=on, today=TODAY)


def edit(place: Workspace) -> Plan:
    document, found = place.locate(at(place, "Likes tea", MEMORY))
    return plan_edit(
        place, found.address, entry_source(document, found).replace("Likes tea", "Likes green tea")
    )


def edit_words(place: Workspace) -> Plan:
    document, found = place.locate(at(place, "Likes tea", MEMORY))
    return plan_edit(
        place, found.address, reworded(document, found, f"{found.text.replace('Likes', 'Loves')}")
    )


def settle(place: Workspace) -> Plan:
    (one,) = contradictions(read_graph(place), day=TODAY, decided=settled_keys(place))
    return plan_settle(place, one, "replace", now=NOW)


def flush(sandbox: Sandbox) -> None:
    said = "We decided to tag every build with #release and to keep quay-2."
    turn = Turn(line=7, span=Span(0, 1), role="user", text=said, when=NOW)
    session = Session(source="s91.jsonl", key="s91", turns=(turn,), trust="agent")
    assert flush_session(sandbox.workspace, session, now=NOW).lines


def dream(sandbox: Sandbox) -> None:
    source = entry(sandbox, "move to the new quay", DAY)
    one = proposal(source.text, sources=[source], section="Key Decisions")
    put(sandbox, one)
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_accept(place, [one.key], now=NOW))


def bring_over(sandbox: Sandbox) -> None:
    notes = sandbox.root.parent / "notes"
    notes.mkdir()
    (notes / "Tide.md").write_text(
        "---\ntitle: Tide\ntype: note\npermalink: tide\n---\n"
        "# Tide\n\n- [fact] Rises #sea (daily)\n- near [[Harbour]]\n"
    )
    place = sandbox.workspace
    place.operations.carry_out(lambda: plan_import(place, read_notes(notes), now=NOW))


STORED = (
    MemoryDraft(text="Works early", entity="Ann Moss", sources=(f"{DAY}#L5",)),
    RelationDraft(entity="Ann Moss", kind="knows", target="Bob"),
)
ACTIONS = (
    Action("promote", carried_out(promote)),
    Action(
        "promote under a heading",
        carried_out(lambda p: plan_promote(p, [at(p, "new quay", DAY)], section="Quays", today=TODAY)),
    ),
    Action(
        "promote into an entry",
        carried_out(
            lambda p: plan_promote(
                p, [at(p, "asynchronous reviews", DAY)], into=at(p, "harbour opens", MEMORY), today=TODAY
            )
        ),
    ),
    Action(
        "forget", carried_out(lambda p: plan_forget(p, [at(p, "crane needs", DAY)])), gone=("crane needs",)
    ),
    Action("forget a page", carried_out(lambda p: plan_forget(p, [PERSON])), gone=("works_on",)),
    Action("edit", carried_out(edit), gone=("Likes tea",)),
    Action("edit the words", carried_out(edit_words), gone=("Likes tea",)),
    Action(
        "merge",
        carried_out(
            lambda p: plan_merge(p, [at(p, "Likes tea", MEMORY), at(p, "harbour opens", MEMORY)], today=TODAY)
        ),
    ),
    Action(
        "move",
        carried_out(
            lambda p: plan_move(p, [at(p, "crane needs", DAY)], to=NOTE, section="Cranes", today=TODAY)
        ),
    ),
    Action(
        "move in its file",
        carried_out(lambda p: plan_move(p, [at(p, "Likes tea", MEMORY)], section="Facts", today=TODAY)),
    ),
    Action("pin", carried_out(pin)),
    Action("unpin", carried_out(pin, lambda p: pin(p, on=False))),
    Action("quarantine", carried_out(quarantine)),
    Action("quarantine a page", carried_out(lambda p: plan_quarantine(p, [PERSON], today=TODAY))),
    Action("release", carried_out(quarantine, lambda p: plan_release(p, [set_aside(p)]))),
    Action("archive", carried_out(lambda p: plan_archive(p, [at(p, "Likes tea", MEMORY)], today=TODAY))),
    Action(
        "restore",
        carried_out(
            lambda p: plan_forget(p, [at(p, "crane needs", DAY)]),
            lambda p: plan_restore(p, DAY, list(p.operations.walk())[1].commit),
        ),
    ),
    Action("undo", carried_out(promote, plan_undo)),
    Action("redo", carried_out(promote, plan_undo, plan_redo)),
    Action("episodes pin", carried_out(lambda p: plan_pin_episode(p, ["e1"])), frozenset({"pinned"})),
    Action(
        "episodes extend",
        carried_out(lambda p: plan_extend(p, ["e1"], now=NOW, days=30)),
        frozenset({"expires_at"}),
    ),
    Action(
        "episodes expire", carried_out(lambda p: plan_prune(p, now=LATE, force=True)), gone=("on Friday",)
    ),
    Action("graph add", carried_out(*(partial(plan_store, draft=draft, now=NOW) for draft in STORED))),
    Action(
        "graph change",
        carried_out(lambda p: plan_update(p, at(p, "Speaks Dutch", TWIN), now=NOW, text="Speaks Dutch well")),
        gone=("Speaks Dutch",),
    ),
    Action(
        "graph forget",
        carried_out(lambda p: plan_forget_memory(p, [at(p, "Speaks", TWIN)], reason="wrong", now=NOW)),
        gone=("Speaks Dutch",),
    ),
    Action(
        "graph merge",
        carried_out(lambda p: plan_merge_entities(p, PERSON, TWIN)),
        frozenset({"aliases"}),
    ),
    Action("graph settle", carried_out(settle)),
    Action("dream accept", dream),
    Action("flush", flush),
    Action("import", bring_over),
)


def files_of(sandbox: Sandbox) -> dict[str, bytes]:
    """The Markdown of the workspace, what is set aside too."""
    return {
        path.relative_to(sandbox.root).as_posix(): path.read_bytes()
        for path in sandbox.root.rglob("*.md")
        if not {".git", ".workbench"} & set(path.relative_to(sandbox.root).parts)
    }


@pytest.fixture(scope="module", params=list(SHAPES))
def shape(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.promise(
    "Formats, and other programs",
    "any action on a workspace of OpenClaw, an Obsidian vault, notes of basic-memory",
    "these programs read it as before; links that break are reported",
)
@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_every_file_is_read_as_before(action: Action, shape: str, tmp_path: Path) -> None:
    sandbox = workspace_of(shape, tmp_path / "w")
    try:
        before = files_of(sandbox)
        notes = _done(action, sandbox)
        after = files_of(sandbox)
    finally:
        sandbox.close()
    assert after != before or action.name in ("undo", "unpin", "release", "restore")
    for path, data in after.items():
        tokens(data)
        header, old = front_matter(data), front_matter(before.get(path, b""))
        if old is not None:
            assert _unlike(header, old) <= action.changes, path
        assert "wb:" not in shown(data), path
        assert _ends(data) == _ends(before.get(path, data)), path
        if path in before and path.startswith(QUARANTINE) is False:
            _same_for_basic_memory(action, before[path], data, path, after)
    _same_for_obsidian(Vault(before), Vault(after), notes)
    _same_for_openclaw(before[MEMORY], after[MEMORY], action)


def _done(action: Action, sandbox: Sandbox) -> str:
    """Do it, and return what was told of it."""
    told: list[str] = []
    carry_out = sandbox.workspace.operations.carry_out

    def listening(planner: Callable[[], Plan]) -> object:
        operation = carry_out(planner)
        told.extend(operation.notes)
        return operation

    sandbox.workspace.operations.carry_out = listening  # type: ignore[method-assign,assignment]
    action.do(sandbox)
    return " ".join(told)


def _unlike(header: dict[str, object] | None, old: dict[str, object]) -> set[str]:
    """The keys that are not what they were: in their value or type, or in being there."""
    now = header or {}
    return {key for key in now.keys() | old.keys() if now.get(key, _NOTHING) != old.get(key, _NOTHING)} | {
        key for key in now.keys() & old.keys() if type(now[key]) is not type(old[key])
    }


_NOTHING = object()


def _ends(data: bytes) -> tuple[bool, bool]:
    """Whether a file begins with a byte order mark, and how its lines end."""
    return data.startswith(b"\xef\xbb\xbf"), b"\r\n" in data


def _same_for_basic_memory(
    action: Action, before: bytes, after: bytes, path: str, files: dict[str, bytes]
) -> None:
    """What was an observation or a relation still is one, word for word, unless it went on purpose."""
    everywhere = [one for data in files.values() for one in observations(data)]
    for one in observations(before):
        if not any(word in one.content for word in action.gone):
            words = one.content.removesuffix(" ^pref")
            kept = [other for other in everywhere if words in other.content]
            assert any(other.category == one.category or "merge" in action.name for other in kept), (
                path,
                one,
            )
            assert any(set(one.tags) <= set(other.tags) for other in kept), (path, one)
            assert all("<!--" not in other.content for other in kept), (path, one)
    linked = [link for data in files.values() for link in relations(data)]
    for kind, target, context in relations(before):
        if kind not in action.gone and target not in action.gone and action.name != "forget a page":
            assert (kind, target, context) in linked or _led_elsewhere(action, kind, linked), (
                path,
                kind,
                target,
            )


def _led_elsewhere(action: Action, kind: str, linked: list[tuple[str, str, str | None]]) -> bool:
    """A link that two blocks had is told apart by the person; what is merged into a sentence is one of it."""
    return action.name in ("merge", "graph merge") and any(one[0] in (kind, "links_to") for one in linked)


def _same_for_obsidian(before: Vault, after: Vault, notes: str) -> None:
    """Links that led somewhere still do, or it was told; no block has two, and no two have one, name."""
    fresh = {link for link in after.dead() - before.dead() if link[0] in before.notes}
    for path, note, part in fresh:
        if before.leads_somewhere(path, note, part):
            assert f"[[{note}{'#' + part if part else ''}" in notes, (path, note, part, notes)
    for path in after.notes:
        assert all(count == 1 for count in after.blocks(path).values()), path
    where = [name for path in after.notes for name in after.blocks(path)]
    was = [name for path in before.notes for name in before.blocks(path)]
    assert len(where) <= len(was), "a block of the same name was added"


def _same_for_openclaw(before: bytes, after: bytes, action: Action) -> None:
    """The lines are all in its pieces, and what it promoted keeps its marker and its line."""
    assert "\n".join(text for _, _, text in chunks(after)) == after.decode()
    assert promotions(after) == promotions(before)
    for marker in (b"<!-- kept by hand: do not reorder -->", b"<!-- said twice -->"):
        assert (marker in after) == (marker in before)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_line_ends_and_the_byte_order_mark_stay(shape: str, tmp_path: Path) -> None:
    sandbox = workspace_of(shape, tmp_path / "w", crlf=True)
    before = files_of(sandbox)
    for plan in (promote, pin, edit_words, quarantine, lambda p: plan_release(p, [set_aside(p)])):
        carried_out(plan)(sandbox)
        for path, data in files_of(sandbox).items():
            if path in before:
                assert data.startswith(b"\xef\xbb\xbf") == before[path].startswith(b"\xef\xbb\xbf"), path
                assert data.count(b"\n") == data.count(b"\r\n") or path == EPISODE, path
    sandbox.close()


def test_a_promoted_block_keeps_its_name_where_it_stands(tmp_path: Path) -> None:
    sandbox = workspace_of("obsidian", tmp_path / "w")
    carried_out(promote)(sandbox)
    memory = sandbox.read(MEMORY).decode()
    assert "- Ann prefers asynchronous reviews <!-- wb:" in memory
    assert "^reviews" not in memory.replace("#^reviews", "")
    assert b"- Ann prefers asynchronous reviews ^reviews\n" in sandbox.read(DAY)
    with pytest.raises(NotCuratableError, match=r"is already in MEMORY\.md"):
        promote(sandbox.workspace)
    sandbox.close()


def test_a_pinned_block_keeps_its_name_at_its_end(tmp_path: Path) -> None:
    sandbox = workspace_of("obsidian", tmp_path / "w")
    before = sandbox.read(DAY)
    carried_out(pin)(sandbox)
    assert b"- Ann prefers asynchronous reviews <!-- wb: pinned=2026-03-20 --> ^reviews\n" in sandbox.read(
        DAY
    )
    carried_out(lambda p: pin(p, on=False))(sandbox)
    assert sandbox.read(DAY) == before
    sandbox.close()


def test_what_is_merged_has_one_name(tmp_path: Path) -> None:
    sandbox = workspace_of("obsidian", tmp_path / "w")
    place = sandbox.workspace
    wanted = [at(place, "harbour opens", MEMORY), at(place, "Likes tea", MEMORY)]
    operation = place.operations.carry_out(lambda: plan_merge(place, wanted, today=TODAY))
    line = next(line for line in sandbox.read(MEMORY).decode().split("\n") if "harbour opens" in line)
    assert line.startswith("- The harbour opens at six. Likes tea <!-- wb:")
    assert line.endswith("--> ^open-6")
    assert operation.notes == (f"the link [[MEMORY#^tea]] in {NOTE} has no target now",)
    sandbox.close()


def test_a_relation_is_one_for_basic_memory_after_it_was_learnt_and_changed(tmp_path: Path) -> None:
    sandbox = workspace_of("basic-memory", tmp_path / "w")
    carried_out(*(partial(plan_store, draft=draft, now=NOW) for draft in STORED))(sandbox)
    page = sandbox.read(PERSON)
    assert ("knows", "Bob", None) in relations(page)
    assert [one.content for one in observations(page)] == ["Prefers asynchronous reviews", "Works early"]
    assert b"- knows [[Bob]]\n  <!-- wb: id=" in page
    carried_out(
        lambda p: plan_update(p, at(p, "Works early", PERSON), now=NOW, text="Works late (at night)")
    )(sandbox)
    assert observations(sandbox.read(PERSON))[-1].context == "at night"
    sandbox.close()


def test_a_page_that_goes_is_told_where_links_led_to_it(tmp_path: Path) -> None:
    sandbox = workspace_of("obsidian", tmp_path / "w")
    place = sandbox.workspace
    operation = place.operations.carry_out(lambda: plan_forget(place, [PERSON]))
    assert set(operation.notes) == {
        f"the link [[Ann Moss]] in {DAY} has no target now",
        f"the link [[Ann Moss|Ann]] in {NOTE} has no target now",
    }
    aside = plan_quarantine(place, [TWIN], today=TODAY)
    assert aside.notes == ()  # it is found by its name where it is
    sandbox.close()


def test_a_heading_that_goes_is_told(tmp_path: Path) -> None:
    sandbox = workspace_of("obsidian", tmp_path / "w")
    sandbox.write(
        "memory/bare.md", "# Bare\n\nwords\n\n## Empty one\n\n## Other\n\nmore, see [[#Empty One]]\n"
    )
    place = sandbox.workspace
    plan = plan_forget(place, [at(place, "Empty one", "memory/bare.md")])
    assert plan.notes == ("the link [[#Empty One]] in memory/bare.md has no target now",)
    sandbox.close()


def test_the_readers_themselves_can_tell(tmp_path: Path) -> None:
    """What the checks above rest on: a comment in the way is seen by them."""
    assert relations(b"- works_on [[Atlas]] <!-- wb: id=r1 -->\n") == [("links_to", "Atlas", None)]
    assert relations(b"- works_on [[Atlas]]\n  <!-- wb: id=r1 -->\n") == [("works_on", "Atlas", None)]
    assert observations(b"- [fact] x (c) <!-- wb: id=1 -->\n")[0].context is None
    assert Vault({"a.md": b"- x ^a <!-- wb: id=1 -->\n"}).blocks("a.md") == {}
    assert Vault({"a.md": b"- x <!-- wb: id=1 --> ^a\n", "b.md": b"[[a#^a]] [[a#^b]]\n"}).dead() == {
        ("b.md", "a", "^b")
    }
    with pytest.raises(yaml.YAMLError):
        front_matter(b"---\na: [\n---\n")
