"""What the demo workspace promises to whoever opens it, shows it or tests with it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath

import pytest
import yaml

from workbench.memory.entry import Entry, Form, RelPath
from workbench.memory.file_edit import revert
from workbench.memory.graph_page import Entity, TypedMemory, read_entity
from workbench.memory.markdown import Document, parse_document
from workbench.memory.provenance import Fields
from workbench.workspace.demo import DemoCommit, demo_commits
from workbench.workspace.layout import USUAL
from workbench.workspace.short_marks import Mark, details_of

DAILY = re.compile(r"memory/\d{4}-\d{2}-\d{2}\.md")
SESSION = re.compile(r"memory/\d{4}-\d{2}-\d{2}-[a-z0-9-]+\.md")
PLACEHOLDER = re.compile(r"\{(?:day|from|until|mark|src|quote|U\+)[^}]*\}")
TRAILER = re.compile(r"(?m)^([A-Z][a-z]+): (.+)$")
EPISODE_KEYS = [
    *("id", "source_id", "session", "agent", "user", "started_at", "ended_at", "created_at"),
    *("expires_at", "l0_abstract", "key_topics", "turns", "recall_count", "last_recalled_at"),
    *("promoted_at", "pinned", "trust"),
]
ENTITY_TYPES = {
    "person": 6,
    "organization": 2,
    "place": 3,
    "project": 3,
    "product": 2,
    "technology": 3,
    "event": 2,
    "document": 2,
    "concept": 2,
}
State = dict[str, bytes]
DAYS = ["2026-03-31", "2028-02-29", "2027-01-01", "2026-11-20"]


@pytest.fixture(
    scope="module",
    params=DAYS,
    ids=["spring", "leap day", "new year", "autumn"],
)
def today(request: pytest.FixtureRequest) -> date:
    return date.fromisoformat(request.param)


@pytest.fixture(scope="module")
def commits(today: date) -> tuple[DemoCommit, ...]:
    return demo_commits(today)


@pytest.fixture(scope="module")
def states(commits: tuple[DemoCommit, ...]) -> list[State]:
    """The whole workspace after each commit."""
    states: list[State] = []
    state: State = {}
    for commit in commits:
        state = dict(state)
        for path, data in commit.files.items():
            if data is None:
                del state[path]
            else:
                state[path] = data
        states.append(state)
    return states


@pytest.fixture(scope="module")
def final(states: list[State]) -> State:
    return states[-1]


def document(state: State, path: str) -> Document:
    return parsed(path, state[path])


@cache
def parsed(path: str, data: bytes) -> Document:
    return parse_document(RelPath(path), data, USUAL.kind_of(path), lambda *mark: known_marks().get(mark))


@cache
def known_marks() -> Mapping[Mark, Fields]:
    """What the ledger is told of the short marks, whatever the day."""
    told = (demo_commits(date.fromisoformat(day)) for day in DAYS)
    return details_of([one.fields for commits in told for commit in commits for one in commit.records])


def entries(state: State) -> list[Entry]:
    return [entry for path in sorted(state) for entry in document(state, path).entries]


def entities(state: State) -> list[Entity]:
    return [read_entity(document(state, path)) for path in state if path.startswith("graph/")]


def live_memories(state: State) -> list[TypedMemory]:
    found = [memory for entity in entities(state) for memory in entity.memories]
    return [memory for memory in found if memory.valid_until is None]


def front_matter(data: bytes) -> dict[str, object]:
    header = yaml.safe_load(data.decode().split("---\n")[1])
    assert isinstance(header, dict)
    return header


def episodes(state: State) -> list[dict[str, object]]:
    return [front_matter(state[path]) for path in sorted(state) if path.startswith("episodes/")]


def trailers(commit: DemoCommit) -> dict[str, str]:
    return dict(TRAILER.findall(commit.message.partition("\n\n")[2]))


def curation(commits: tuple[DemoCommit, ...], action: str) -> list[int]:
    return [number for number, commit in enumerate(commits) if trailers(commit).get("Action") == action]


def words(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.,]*\d|[^\W\d_]{4,}", text.lower()))


def line_at(state: State, src: str) -> str:
    path, _, number = src.partition("#L")
    return state[path].decode().split("\n")[int(number) - 1]


# -- the history ------------------------------------------------------------------------------


def test_same_day_tells_the_same_story(today: date, commits: tuple[DemoCommit, ...]) -> None:
    assert demo_commits(today) == commits


def test_another_day_tells_the_same_story_with_other_dates(
    commits: tuple[DemoCommit, ...], today: date
) -> None:
    later = demo_commits(today + timedelta(days=400))
    assert [commit.author for commit in later] == [commit.author for commit in commits]
    assert [len(commit.files) for commit in later] == [len(commit.files) for commit in commits]
    assert not {commit.message for commit in later if trailers(commit)} & {
        commit.message for commit in commits
    }


def test_commits_number_between_45_and_70(commits: tuple[DemoCommit, ...]) -> None:
    assert 45 <= len(commits) <= 70


def test_commits_ascend_and_none_lies_in_the_future(today: date, commits: tuple[DemoCommit, ...]) -> None:
    times = [commit.when for commit in commits]
    assert all(time.tzinfo is UTC for time in times)
    assert all(earlier < later for earlier, later in pairwise(times))
    assert times[-1] <= datetime.combine(today, datetime.min.time(), UTC)
    assert timedelta(days=40) <= times[-1] - times[0] <= timedelta(days=44)


def test_every_commit_changes_something_and_says_what(
    commits: tuple[DemoCommit, ...], states: list[State]
) -> None:
    before: State = {}
    for commit, after in zip(commits, states, strict=True):
        assert commit.files
        assert all(before.get(path) != data for path, data in commit.files.items())
        subject = commit.message.split("\n")[0]
        assert len(subject) <= 72
        assert subject.partition(": ")[2] or subject == "Set up the workspace"
        assert commit.message.endswith("\n")
        before = after


def test_daily_logs_are_only_ever_appended_to(commits: tuple[DemoCommit, ...], states: list[State]) -> None:
    grown: Counter[str] = Counter()
    before: State = {}
    for commit, after in zip(commits, states, strict=True):
        for path in filter(DAILY.fullmatch, commit.files):
            assert after[path].startswith(before.get(path, b""))
            assert commit.author == ("agent", "agent@localhost")
            grown[path] += 1
        before = after
    assert sum(times == 2 for times in grown.values()) >= 10


def test_about_a_dozen_curation_commits_are_the_owners(commits: tuple[DemoCommit, ...]) -> None:
    found = [commit for commit in commits if trailers(commit)]
    assert 12 <= len(found) <= 18
    for commit in found:
        named = trailers(commit)
        assert commit.author == ("Tessa Marlowe", "tessa@example.org")
        assert named["Actor"] == "human"
        assert re.fullmatch(r"[0-9a-f]{12}", named["Operation"])
        assert commit.message.startswith(f"{named['Action']}: ")
    assert len({trailers(commit)["Operation"] for commit in found}) == len(found)


def test_promoting_adds_exactly_the_one_item_that_its_trailers_name(
    commits: tuple[DemoCommit, ...], states: list[State]
) -> None:
    promotions = curation(commits, "promote")
    assert promotions
    for number in promotions:
        named = trailers(commits[number])
        old, new = states[number - 1], states[number]
        assert list(commits[number].files) == ["MEMORY.md"]
        before, after = (state["MEMORY.md"].split(b"\n") for state in (old, new))
        added = Counter(after) - Counter(before)
        assert not Counter(before) - Counter(after)
        assert added.total() == 1
        known = {entry.address for entry in document(old, "MEMORY.md").entries}
        (entry,) = (entry for entry in document(new, "MEMORY.md").entries if entry.address not in known)
        assert entry.form is Form.ITEM
        assert entry.address == named["Entry"]
        assert entry.provenance is not None
        assert entry.provenance.source == named["Source"]
        assert entry.text in line_at(old, named["Source"])


def test_forgetting_takes_exactly_one_entry_and_says_why(
    commits: tuple[DemoCommit, ...], states: list[State]
) -> None:
    for number in curation(commits, "forget"):
        named = trailers(commits[number])
        old, new = states[number - 1], states[number]
        assert list(commits[number].files) == ["MEMORY.md"]
        gone = Counter(old["MEMORY.md"].split(b"\n")) - Counter(new["MEMORY.md"].split(b"\n"))
        assert gone.total() == 1
        before, after = (
            {entry.address for entry in document(state, "MEMORY.md").entries} for state in (old, new)
        )
        assert before - after == {named["Entry"]}
        assert not after - before
        assert named["Reason"]


def test_every_curation_can_be_undone_in_the_end(
    commits: tuple[DemoCommit, ...], states: list[State], final: State
) -> None:
    current = final["MEMORY.md"]
    for action, change in (("promote", -1), ("forget", 1)):
        for number in curation(commits, action):
            before, after = states[number - 1]["MEMORY.md"], states[number]["MEMORY.md"]
            undone = revert(before, after, current)
            assert undone.count(b"\n") == current.count(b"\n") + change


def test_sources_exist_as_soon_as_something_comes_from_them(states: list[State]) -> None:
    for state in states:
        for entry in entries(state):
            if entry.provenance and entry.provenance.source:
                assert line_at(state, entry.provenance.source)


# -- the workspace in the end -----------------------------------------------------------------


def test_every_file_is_part_of_a_workspace_and_is_text(final: State) -> None:
    layout = USUAL
    for path, data in final.items():
        assert layout.holds(path) or path == "workbench.yaml"
        assert data.endswith(b"\n")
        assert not data.endswith(b"\n\n")
        assert b"\r" not in data
        data.decode("utf-8")


def test_the_usual_files_are_there(today: date, final: State) -> None:
    for name in ("USER", "SOUL", "IDENTITY", "AGENTS", "HEARTBEAT", "TOOLS", "DREAMS", "MEMORY"):
        assert f"{name}.md" in final
    assert "workspace-context.md" in final
    assert yaml.safe_load(final["workbench.yaml"]) == {"memory": {"budget": 7500}, "format": 1}
    folders = Counter(str(PurePosixPath(path).parent) for path in final)
    assert folders["_system/dreaming"] == folders["_system/archive"] == 1
    assert {"memory/projects", "memory/research", "memory/templates"} <= folders.keys()
    notes = [path for path in final if re.match(r"memory/(projects|research|templates)/", path)]
    assert len(notes) == 8
    assert f"memory/{today}.md" in final


def test_36_days_are_logged_in_six_weeks(today: date, final: State) -> None:
    daily = [path for path in final if DAILY.fullmatch(path)]
    days = [date.fromisoformat(path[7:17]) for path in daily]
    assert len(daily) == 36
    assert min(days) == today - timedelta(days=42)
    assert max(days) == today
    for path in daily:
        assert 5 <= len(document(final, path).entries) <= 20
        assert re.search(rb"(?m)^## \d\d:\d\d \S", final[path])
    assert len([path for path in final if SESSION.fullmatch(path)]) == 4


def test_no_placeholder_is_left_and_other_braces_survive(final: State) -> None:
    for path, data in final.items():
        assert not PLACEHOLDER.search(data.decode()), path
    assert b'template: "{level}: {place}, {height} m by {time}"' in final["memory/projects/foghorn.md"]
    assert b"# Decision: {title}" in final["memory/templates/decision.md"]


def test_memory_is_nearly_full(final: State) -> None:
    assert 6_900 <= len(final["MEMORY.md"].decode()) <= 7_200


def test_memory_has_six_sections_of_items_half_with_provenance(final: State) -> None:
    found = document(final, "MEMORY.md").entries
    items = [entry for entry in found if entry.form is Form.ITEM]
    assert len({entry.heading for entry in items}) == 6
    assert len(items) >= len(found) - 1  # besides the line under the title
    known = [entry.provenance for entry in items if entry.provenance]
    assert 0.4 <= len(known) / len(items) <= 0.6
    assert {origin.trust for origin in known} == {"owner", "agent", "external", "unknown"}
    for origin in known:
        assert [name for name, _ in origin.fields][:5] == ["id", "src", "session", "trust", "at"]


def test_memory_has_short_marks_as_the_program_writes_them(states: list[State]) -> None:
    for state in states:
        assert b"<!-- wb: " not in state["MEMORY.md"]
    assert len(re.findall(rb"<!-- wb:[a-z2-7]{8} -->", states[-1]["MEMORY.md"])) == 34


def test_memory_sources_hold_the_very_words(final: State) -> None:
    for entry in document(final, "MEMORY.md").entries:
        if entry.provenance:
            assert entry.provenance.source
            assert line_at(final, entry.provenance.source) == f"- {entry.text}"


def test_memory_holds_junk_worth_forgetting(today: date, final: State) -> None:
    text = final["MEMORY.md"].decode()
    assert f"due {today - timedelta(days=16)}" in text
    assert "INFO build 4187" in text
    assert "the second one, not the\n" in text


def test_identifiers_are_unique(final: State) -> None:
    found = [entry.provenance.get("id") for entry in entries(final) if entry.provenance]
    found += [entity.id for entity in entities(final)]
    assert None not in found
    assert len(set(found)) == len(found)


# -- episodes ---------------------------------------------------------------------------------


def test_twelve_episodes_are_complete(final: State) -> None:
    found = episodes(final)
    assert len(found) == 12
    assert all(list(episode) == EPISODE_KEYS for episode in found)
    assert len({episode["source_id"] for episode in found}) == 12
    assert len({episode["recall_count"] for episode in found}) >= 5
    assert [episode["pinned"] for episode in found].count(True) == 1
    assert sum(episode["promoted_at"] is not None for episode in found) == 4


def test_episode_paths_and_dates_agree(final: State, commits: tuple[DemoCommit, ...]) -> None:
    for path in filter(lambda path: path.startswith("episodes/"), final):
        episode = front_matter(final[path])
        started, ended, created, expires = (
            episode[key] for key in ("started_at", "ended_at", "created_at", "expires_at")
        )
        assert isinstance(started, datetime)
        assert isinstance(ended, datetime)
        assert isinstance(created, datetime)
        assert isinstance(expires, datetime)
        assert path == f"episodes/{created:%Y/%m}/{episode['id']}.md"
        assert started < ended < created
        assert expires - created == timedelta(days=90)
        assert created <= next(commit.when for commit in commits if path in commit.files)


def test_exactly_one_episode_expires_tomorrow(today: date, final: State) -> None:
    tomorrow = str(today + timedelta(days=1))
    (episode,) = (episode for episode in episodes(final) if str(episode["expires_at"])[:10] == tomorrow)
    assert episode["promoted_at"] is None
    assert episode["pinned"] is False


def test_abstract_is_the_first_sentence_of_the_summary(final: State) -> None:
    for path in filter(lambda path: path.startswith("episodes/"), final):
        text = final[path].decode()
        abstract = str(front_matter(final[path])["l0_abstract"])
        assert 20 <= len(abstract) <= 200
        assert f"## Summary\n\n{abstract}\n" in text
        assert re.findall(r"(?m)^## (.+)$", text)[:2] == ["Summary", "Facts"]
        assert re.findall(r"(?m)^- ", text) == re.findall(r"(?m)^- (?=.+ \(turn \d+\)$)", text)


# -- the graph --------------------------------------------------------------------------------


def test_25_entities_of_nine_types_live_under_their_type(final: State) -> None:
    found = entities(final)
    assert Counter(entity.type for entity in found) == ENTITY_TYPES
    for entity in found:
        assert entity.problem is None
        assert entity.path.startswith(f"graph/{entity.type}/")
        assert re.fullmatch(r"ent-[0-9a-f]{4}", entity.id)
        assert entity.memories
        assert entity.relations


def test_every_relation_target_exists_at_any_time(states: list[State]) -> None:
    for state in states:
        names = {entity.name for entity in entities(state)}
        targets = {relation.target for entity in entities(state) for relation in entity.relations}
        assert targets <= names


def test_graph_sources_speak_of_the_same_thing(final: State) -> None:
    for entity in entities(final):
        for memory in entity.memories:
            assert memory.entry.provenance is not None
            source = memory.entry.provenance.source
            assert source is not None
            claim = words(memory.text)
            assert claim & words(line_at(final, source)), (memory.text, line_at(final, source))


def test_some_facts_have_ended(today: date, final: State) -> None:
    memories = [memory for entity in entities(final) for memory in entity.memories]
    relations = [relation for entity in entities(final) for relation in entity.relations]
    ends = [memory.valid_until for memory in memories]
    ends += [relation.valid_until for relation in relations]
    ended = [day for day in ends if day]
    assert len(ended) >= 4
    assert all(day <= today for day in ended)


def test_two_things_are_overdue_one_is_due_today_and_more_are_coming(today: date, final: State) -> None:
    due = [memory.happens_at for memory in live_memories(final) if memory.happens_at]
    assert sum(day < today for day in due) == 2
    assert due.count(today) == 1
    assert sum(day > today for day in due) >= 5


def test_exactly_one_person_lives_in_two_places(final: State) -> None:
    claims = [memory for memory in live_memories(final) if memory.text.startswith("Lives in ")]
    assert {memory.text for memory in claims} == {"Lives in Bremen", "Lives in Hamburg"}
    assert {memory.entry.path for memory in claims} == {"graph/person/jonas-brandt.md"}
    sources = {memory.entry.provenance.source for memory in claims if memory.entry.provenance}
    assert len(sources) == 2


# -- traps ------------------------------------------------------------------------------------


def test_exactly_one_entry_holds_a_secret(final: State) -> None:
    (entry,) = (entry for entry in entries(final) if "AKIAIOSFODNN7EXAMPLE" in entry.text)
    assert DAILY.fullmatch(entry.path)
    assert entry.text.count("AKIA") == 1


def test_exactly_one_line_hides_text(final: State) -> None:
    hiding = [
        (path, line)
        for path, data in final.items()
        for line in data.decode().split("\n")
        if any(unicodedata.category(character) == "Cf" for character in line)
        or re.search(r"<!--(?! wb:)", line)
    ]
    ((path, line),) = hiding
    assert DAILY.fullmatch(path)
    assert "\u200b" in line
    assert "<!-- assistant:" in line


def test_addresses_lead_nowhere(final: State) -> None:
    for data in final.values():
        text = data.decode()
        assert all(
            re.match(r"(?:[a-z0-9-]+\.)*example\.org\b", host)
            for host in re.findall(r"https?://([^/\s]+)|[\w.-]+@([\w.-]+\w)", text)
            for host in host
            if host
        )
