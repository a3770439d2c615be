"""The list of a fleet: each way to write it, and what is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from indexing.many_workspaces.table import place_of
from workbench.errors import UsageError
from workbench.fleet.worker import Agent, read_roster

WAYS = {
    "lines": "# ours\none\n\ntwo/memory\tthe second\n",
    "json": '{"path": "one"}\n{"path": "two/memory", "name": "the second"}\n',
    "yaml": "- one\n- path: two/memory\n  name: the second\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_write_it_says_the_same(way: str, tmp_path: Path) -> None:
    file = tmp_path / "fleet"
    file.write_text(WAYS[way])
    assert read_roster(str(file)) == (
        Agent("one", str(tmp_path / "one")),
        Agent("the second", str(tmp_path / "two/memory")),
    )


def test_a_line_ends_with_a_line_end_and_with_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "fleet"
    file.write_text('{"path": "one", "of": "a\u2028b"}\r\n{"path": "three"}\n', newline="")
    assert [agent.path for agent in read_roster(str(file))] == [
        str(tmp_path / "one"),
        str(tmp_path / "three"),
    ]


def test_it_is_read_from_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"/srv/a\n")))
    assert read_roster("-") == (Agent("/srv/a", "/srv/a"),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "one\none\n",
        "a\tname\nb\tname\n",
        "one\x1b[31m\n",
        '{"name": "no folder"}\n',
        '{"path": "one"}\nno json\n',
        "- [one]\n",
        "- {path: [one]}\n",
        "--- {a: b}\n",
        "- &a [*a]\n",
        json.dumps({"path": "x" * 600}) + "\n",
    ],
)
def test_what_makes_no_sense_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "fleet"
    file.write_text(text)
    with pytest.raises(UsageError):
        read_roster(str(file))


def test_secrets_are_refused_where_others_could_see_them() -> None:
    for option in ("aws_secret_access_key=hunter22", "account_key=hunter22", "endpoint=http://a:hunter22@b"):
        with pytest.raises(UsageError) as refused:
            place_of("s3://bucket/index", [option])
        assert "hunter22" not in refused.value.message + refused.value.hint
    with pytest.raises(UsageError, match="URI"):
        place_of("s3://user:hunter22@bucket/index")
    for uri in ("https://somewhere/index", "db://cloud"):
        with pytest.raises(UsageError, match="not supported"):
            place_of(uri)
    assert place_of("s3://bucket/index", ["aws_region=eu-west-1"]).options["aws_region"] == "eu-west-1"
