"""The page of the day: only ever added to, and read back as what was written, whatever the words hold."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.proposals import NOW
from workbench.dreaming.proposals.apply import AppliedProposal, page_path, with_run
from workbench.memory.entry import Form
from workbench.memory.markdown import parse_document
from workbench.memory.proposal import Proposal
from workbench.workspace.layout import USUAL


def kept(text: str, run: str = "") -> AppliedProposal:
    made = Proposal(key="k", action="add", text=text, score=0.8, run=run)
    return AppliedProposal(made, text, section="Project Facts", sources=("a.md#L1",))


def test_the_page_is_dream_output_which_nothing_is_promoted_from() -> None:
    assert USUAL.holds(page_path(NOW))
    assert USUAL.kind_of(page_path(NOW)) == "dream"


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4), st.text(max_size=40))
@example(
    [
        "```",
        "<!-- ",
        "# x",
        "| a | b |",
        "- - -",
        "* * *",
        "1. a",
        "[a]: b",
        "<div>",
        "> q",
        "+",
        "~~~",
        "    x",
    ],
    "why",
)
@example(["a"], "<!-- open")
@example(["a (b", "\u202e", "\x1b]0;t\x07"], ") x")
def test_every_line_is_an_item_of_its_own_and_the_next_run_stands_below(texts: list[str], why: str) -> None:
    first = with_run(None, now=NOW, by="human", kept=[kept(t, "d1") for t in texts], left=[("left", why)])
    second = with_run(first, now=NOW, by="dreaming", kept=[kept("the next one", "d2")])
    assert second.startswith(first)
    document = parse_document(page_path(NOW), second, USUAL.kind_of(page_path(NOW)))
    items = [entry for entry in document.entries if entry.form is Form.ITEM]
    assert len(items) == len(texts) + 2
    assert items[-1].heading == ("Consolidated 2026-03-20", "14:20, run d2", "Project Facts")
    assert not any(ord(character) < 32 and character != "\n" for character in second.decode())


def test_a_page_without_a_final_line_end_or_with_other_ones_is_continued_as_it_is() -> None:
    assert with_run(b"# Mine", now=NOW, by="human", kept=[kept("x")]).startswith(b"# Mine\n\n## 14:20")
    other = with_run(b"# Mine\r\n", now=NOW, by="human", kept=[kept("x")])
    assert other.count(b"\n") == other.count(b"\r\n")
