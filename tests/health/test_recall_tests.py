"""Recall tests of the person's own: read without trust, run, added as an operation, told with their rank."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.search.index_search import IndexSearch
from tests.health.conftest import Ward
from workbench.cli import main
from workbench.errors import UsageError
from workbench.health.recall_tests import (
    Verdict,
    parse_recall_tests,
    read_recall_tests,
    run_recall_tests,
    summary,
    target_of,
    with_test,
)
from workbench.workspace.workspace import Workspace


def verdicts(ward: Ward, text: str) -> list[Verdict]:
    """What the tests in ``text`` say, by words."""
    lines = [f"{line}\n  mode: lexical" if line.startswith("- ") else line for line in text.splitlines()]
    (ward.root / "recall-tests.yaml").write_text("\n".join(lines) + "\n")
    place = Workspace.open(ward.root)
    return run_recall_tests(place, read_recall_tests(place), IndexSearch(place, vectors=False).search)


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
    with pytest.raises(SystemExit) as leave:
        main()
    return int(leave.value.code or 0)


def test_an_entry_a_file_and_words_are_each_found_with_their_rank(ward: Ward) -> None:
    address = ward.sandbox.address("staging port")
    for finds in (address, address[:-6], "memory/2026-03-14.md", '"the STAGING port is"'):
        (verdict,) = verdicts(ward, f"- question: staging port\n  finds: {finds}")
        assert verdict.passed, verdict.reason
        assert verdict.rank == 1


def test_what_came_too_late_says_where_it_came_and_what_came_first(ward: Ward) -> None:
    ward.sandbox.write(
        "memory/2026-03-20.md",
        "# A day\n\n"
        + "".join(f"- harbour crane {n}\n\n## {n}\n\n" for n in range(6))
        + "- a harbour of many "
        "other words that make it long and so less about any one of them at all\n",
    )
    ward.reindex()
    (verdict,) = verdicts(ward, "- question: harbour\n  finds: many other words\n  within: 2")
    assert not verdict.passed
    assert verdict.rank is not None
    assert verdict.rank > 2
    assert f"came at {verdict.rank}, not within 2" in verdict.reason
    assert "harbour crane" in verdict.first


def test_what_is_not_found_is_told_apart_from_what_is_not_there(ward: Ward) -> None:
    missing, gone, file = verdicts(
        ward,
        "- question: staging port\n  finds: words that nobody wrote\n"
        "- question: staging port\n  finds: MEMORY.md#0123456789ab\n"
        "- question: staging port\n  finds: memory/1999-01-01.md\n",
    )
    assert "is not among the first 25" in missing.reason
    assert "no longer" in gone.reason
    assert "there is no file" in file.reason
    assert {verdict.rank for verdict in (missing, gone, file)} == {None}


def test_of_several_all_must_come_and_what_must_not_come_fails_the_test(ward: Ward) -> None:
    both, unwanted, kept_out = verdicts(
        ward,
        "- question: staging port\n  finds: [8443, words that nobody wrote]\n"
        "- question: staging port\n  not: 8443\n"
        "- question: staging port\n  not: Lisbon\n",
    )
    assert not both.passed
    assert "must not be found" in unwanted.reason
    assert kept_out.passed


def test_filters_speak_the_language_of_the_search_box(ward: Ward) -> None:
    logs, curated = verdicts(
        ward,
        "- question: Atlas\n  finds: MEMORY.md\n  filters: kind:memory\n"
        "- question: Atlas\n  finds: MEMORY.md\n  filters: kind:log\n",
    )
    assert logs.passed
    assert not curated.passed


def test_the_summary_is_recall_and_the_mean_of_one_by_rank() -> None:
    found = summary([1, 2, 6, None])
    assert found.at == {1: 0.25, 5: 0.5, 10: 0.75}
    assert found.mrr == pytest.approx((1 + 1 / 2 + 1 / 6) / 4)
    assert summary([]).mrr == 0


@pytest.mark.promise(
    "Doctor",
    "recall tests are invalid, hostile or a link",
    "refused, with the number of the test",
)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("question: x", "not a YAML list"),
        ("- x", "test 1 of recall-tests.yaml: Expected `object`"),
        ("- finds: x", "missing required field `question`"),
        ("- question: x", "does not say what must be found"),
        ("- question: x\n  find: y", "unknown field `find`"),
        ("- question: x\n  finds: y\n  within: some", "$.within"),
        ("- question: x\n  finds: y\n  within: 0", ">= 1 - at `$.within`"),
        ("- question: x\n  finds: y\n  within: 99999999999999999999", "$.within"),
        ("- question: x\n  finds: y\n  mode: magic", "'magic' - at `$.mode`"),
        ("- question: x\n  finds: {a: b}", "$.finds"),
        ("- question: x\n  finds: !!python/object y", "tags"),
        ("- &a question: x\n  finds: y\n- *a", "anchors"),
        ("[" * 100, "deep"),
        ("- question: \xff", "UTF-8"),
    ],
)
def test_a_file_that_is_wrong_is_told_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_recall_tests(text.encode("latin-1"))
    assert said in caught.value.message
    assert caught.value.hint


def test_a_million_tests_are_refused_in_no_time() -> None:
    with pytest.raises(UsageError):
        parse_recall_tests(b"- a\n" * 1_000_000)


@pytest.mark.promise("Doctor", "recall tests are invalid, hostile or a link")
def test_a_link_in_the_place_of_the_file_is_not_followed(ward: Ward, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("- question: x\n  finds: y\n")
    (ward.root / "recall-tests.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(Exception, match=r"recall-tests\.yaml"):
        read_recall_tests(Workspace.open(ward.root))


QUESTION = (
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).map(str.strip).filter(bool)
)
BEFORE = st.sampled_from(
    [
        b"",
        b"# my tests\n",
        b"- question: old\n  finds: words",
        b"- question: old\n  finds: words\n# the end\n",
        b"  - question: old\n    finds: [a, b]\n",
        b"---\n- question: old\n  finds: words\n  within: 3\n\n\n",
    ]
)


@given(before=BEFORE, question=QUESTION, finds=QUESTION)
def test_a_test_that_is_added_is_read_back_and_all_before_it_stays(
    before: bytes, question: str, finds: str
) -> None:
    after = with_test(before, question, finds)
    assert after.startswith(before)
    *known, new = parse_recall_tests(after)
    assert tuple(known) == parse_recall_tests(before)
    assert (new.question, new.wanted) == (question, (target_of(finds),))


def test_a_file_that_cannot_be_added_to_is_left_with_the_lines_to_paste() -> None:
    with pytest.raises(UsageError) as caught:
        with_test(b"[{question: a, finds: b}]\n", "x", "y")
    assert '- question: "x"' in caught.value.hint


def test_a_test_is_added_as_an_operation_and_undone(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ward.root)
    address = ward.sandbox.address("staging port")
    assert call(monkeypatch, "check", "--add", "which port does staging have", address[:-4]) == 0
    capsys.readouterr()
    assert address in (ward.root / "recall-tests.yaml").read_text()
    assert call(monkeypatch, "check", "--json", "--tests-only") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tests"][0]["passed"]
    assert told["recall"]["recall@1"] == 1
    assert ward.sandbox.git("log", "-1", "--format=%s").startswith("recall-test: which port")
    assert call(monkeypatch, "undo") == 0
    assert not (ward.root / "recall-tests.yaml").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--add", "a question"],
        ["a question"],
        ["a question", "MEMORY.md"],
        ["--add", "a question", "MEMORY.md#0123456789ab"],
        ["--add", "a question", "memory/1999-01-01.md"],
        ["--add", " ", "MEMORY.md"],
    ],
)
def test_a_test_of_what_is_not_there_is_not_added(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(ward.root)
    assert call(monkeypatch, "check", *arguments) == 2
    assert not (ward.root / "recall-tests.yaml").exists()


def test_a_failing_test_is_code_4_and_says_the_rank(
    ward: Ward, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ward.root)
    (ward.root / "recall-tests.yaml").write_text("- question: staging port\n  finds: Lisbon\n")
    assert call(monkeypatch, "check", "--tests-only") == 4
    out = capsys.readouterr().out
    assert "fail" in out
    assert "first came memory/2026-03-14.md#" in out
    assert "recall@1 0.00" in out
