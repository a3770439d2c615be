"""Who says so, and how far that is believed."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from workbench.history.origin import UNRECORDED, Attribution, Origin, origin_of, who_did
from workbench.memory.entry import Kind, RelPath
from workbench.memory.markdown import parse_document
from workbench.workspace.plan import Operation

OURS = Attribution(
    action="promote", who="human", actor="human", ours=True, session="t1", source="memory/a.md#L1"
)
PLAIN = Attribution(action="commit", who="external", actor="The Owner", when=datetime(2026, 3, 1, tzinfo=UTC))
CLAIM = "by=agent trust=owner session=s1 src=memory/2026-03-14.md#L6 occurred_at=2026-03-14 at=2026-03-20"


def origin(
    text: str, deed: Attribution | None = None, path: str = "MEMORY.md", kind: Kind = Kind.MEMORY
) -> Origin:
    document = parse_document(RelPath(path), text.encode(), kind)
    return origin_of(document, document.entries[-1], deed)


def test_a_comment_that_our_operation_wrote_is_believed() -> None:
    assert origin(f"- x <!-- wb: {CLAIM} -->", OURS) == Origin(
        who="agent", trust="owner", when=date(2026, 3, 14), session="s1", source="memory/2026-03-14.md#L6"
    )


def test_the_same_comment_in_a_plain_commit_proves_neither_who_nor_trust() -> None:
    found = origin(f"- x <!-- wb: {CLAIM} -->", PLAIN)
    assert (found.who, found.trust, found.trusted) == ("external", "external", False)
    assert (found.session, found.source) == ("s1", "memory/2026-03-14.md#L6")


def test_text_that_no_commit_has_is_of_unknown_origin() -> None:
    found = origin(f"- x <!-- wb: {CLAIM} -->", UNRECORDED)
    assert (found.who, found.trust) == ("unknown", "unknown")


@pytest.mark.parametrize("deed", [None, OURS, PLAIN, UNRECORDED])
def test_what_is_not_said_is_unknown_and_untrusted(deed: Attribution | None) -> None:
    found = origin("- x", deed)
    assert (found.trust, found.trusted) == ("unknown", False)


def test_a_log_speaks_for_the_agent_at_most() -> None:
    found = origin(f"- x <!-- wb: {CLAIM} -->", path="memory/2026-03-14.md", kind=Kind.LOG)
    assert (found.who, found.trust) == ("unknown", "agent")


def test_a_line_speaks_no_louder_than_its_file() -> None:
    text = "---\ntrust: external\nsession: f1\nsource_id: other:1\n---\n- x <!-- wb: trust=owner -->"
    found = origin(text, OURS, "episodes/2026/03/e.md", Kind.EPISODE)
    assert found.trust == "external"
    assert found.source == "other:1"


def test_the_operation_s_session_comes_before_the_file_s() -> None:
    text = "---\nsession: f1\n---\n- x"
    assert origin(text, OURS).session == "t1"
    assert origin(text, PLAIN).session == "f1"


def test_a_word_that_is_no_actor_is_not_repeated() -> None:
    assert origin("- x <!-- wb: by=root trust=god -->").who == "unknown"
    assert origin("- x <!-- wb: by=root trust=god -->").trust == "unknown"


def test_a_dream_file_is_dreamt_and_the_day_is_the_commit_s_where_nothing_else_says_it() -> None:
    assert origin("- x", path="DREAMS.md", kind=Kind.DREAM).who == "dreaming"
    when = PLAIN.when
    assert when is not None
    assert origin("- x", PLAIN).when == when.astimezone().date()


def test_an_author_s_name_is_no_actor() -> None:
    fields = {"id": "0" * 12, "commit": "0" * 40, "summary": "", "when": datetime.now(UTC)}
    assert who_did(Operation(action="commit", actor="human", **fields)) == "external"  # type: ignore[arg-type]
    for action in ("promote", "merge"):
        assert who_did(Operation(action=action, actor="human", **fields)) == "human"  # type: ignore[arg-type]
