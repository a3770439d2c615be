"""Whatever stands in a file, an entry is lifted out and set down whole, or it is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import NotCuratableError
from workbench.memory.entry import Form, Kind, RelPath
from workbench.memory.invariants import blocks
from workbench.memory.markdown import Document, parse_document
from workbench.memory.move import (
    file_end,
    leave,
    lift,
    marked,
    new_section,
    section,
    set_down,
    unmarked,
)

BLOCKS = (
    "- item {n}\n",
    "- item {n}\n  - nested\n\n  second\n",
    "3. third {n}\n",
    "  - indented {n}\n",
    "* star {n} <!-- wb: id=m{n} trust=owner -->\n",
    "- with a form {n} <!-- wb: form=table id=m{n} -->\n",
    "Paragraph {n}\nsecond line  \n",
    "| a{n} | b |\n| - | - |\n| 1 | 2 |\n",
    "```py\ncode {n}\n\n  x\n```\n",
    "```\n<!-- wb: id=1 --> {n}\n```\n",
    "- run {n}:\n  ```\n  <!-- wb: id=1 -->\n  ```\n",
    "> quote {n}\n> more\n",
    "<div>html {n}</div>\n",
    "    indented code {n}\n",
    "# T{n}\n",
    "## S{n}\n",
    "## Same\n",
    "---\n",
    "text {n}\n===\n",
    "日本語 {n}\n",
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    parts = draw(
        st.lists(st.tuples(st.sampled_from(BLOCKS), st.sampled_from(["", "\n", "\n\n"])), max_size=9)
    )
    text = "".join(block.replace("{n}", str(n)) + gap for n, (block, gap) in enumerate(parts))
    data = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"---\nid: x\n---\n"])) + text.encode()
    data = data.rstrip(b"\n") if draw(st.booleans()) else data
    return parsed(data.replace(b"\n", b"\r\n") if draw(st.booleans()) else data)


def parsed(data: bytes) -> Document:
    return parse_document(RelPath("memory/x.md"), data, Kind.NOTE)


def said(document: Document) -> list[tuple[Form, str]]:
    """Each block's form and words."""
    return [(block[0].form, "".join("".join(e.text for e in block).split())) for block in blocks(document)]


@given(documents(), documents(), st.data())
def test_what_is_moved_arrives_whole_and_nothing_else_changes(
    source: Document, target: Document, data: st.DataObject
) -> None:
    if not (standing := blocks(source)):
        return
    number = data.draw(st.integers(0, len(standing) - 1))
    place = data.draw(
        st.sampled_from([file_end, lambda d: section(d, ("A", "B")), lambda d: section(d, ("Same",))])
    )
    try:
        (passage,) = lift(source, standing[number])
        rest = leave(source, [passage])
        after, index = set_down(target, place(target), [passage])
    except NotCuratableError:
        return
    assert said(rest) == [*said(source)[:number], *said(source)[number + 1 :]]
    assert said(after)[index] == said(source)[number]
    assert [*said(after)[:index], *said(after)[index + 1 :]] == said(target)


@given(documents(), st.data())
def test_a_mark_that_is_taken_away_again_leaves_no_trace(document: Document, data: st.DataObject) -> None:
    if not (standing := blocks(document)):
        return
    try:
        (passage,) = lift(document, data.draw(st.sampled_from(standing)))
    except NotCuratableError:
        return
    carried = marked(passage, {"from": "a b.md", "under": "x\ny>"}, may_wrap=True)
    assert carried.origin is not None
    assert (carried.origin.get("from"), carried.origin.get("under")) == ("a b.md", "x\ny>")
    back = unmarked(carried, ("from", "under"))
    assert (back.form, back.source) == (passage.form, passage.source)


def test_a_section_is_made_below_as_much_of_its_path_as_there_is() -> None:
    document = parsed(b"# A\n\n## B\n\n- x\n\n# C\n\n- y\n")
    place = new_section(document, ("A", "B", "D"))
    assert place.opening == b"### D\n\n"
    (passage,) = lift(document, [document.entries[-1]])
    after, _ = set_down(document, place, [passage])
    assert after.data == b"# A\n\n## B\n\n- x\n\n### D\n\n- y\n\n# C\n\n- y\n"


def test_a_bare_heading_is_no_passage() -> None:
    document = parsed(b"# A\n\n- x\n\n## Empty\n")
    with pytest.raises(NotCuratableError, match="heading"):
        lift(document, [document.entries[-1]])
