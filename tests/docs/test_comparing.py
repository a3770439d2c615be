"""The comparison of a page with what is printed: it forgives what differs by day, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.comparing import difference, shape_difference
from tests.docs.following import PageError, follow, readers
from tests.docs.pages import parse_page

PRINTED = (
    "degraded: embedding is turned off: keyword search only\n"
    " 1. memory/2026-03-14.md#4f1c9a02b7de  L9  2026-03-14  0.931\n    The staging port is 8443\n"
)


@pytest.mark.parametrize(
    "shown",
    [
        " 1. memory/2025-01-02.md#0123456789ab  L9  2025-01-02  1.000\n    The staging port is 8443\n",
        "1. …\nThe staging port is 8443\n",
        "…\n",
        "…\nThe staging … 8443\n",
    ],
)
def test_what_differs_by_day_and_machine_is_forgiven(shown: str) -> None:
    assert difference(shown, PRINTED) == ""


@pytest.mark.parametrize(
    "shown",
    [
        "1. memory/2026-03-14.md#4f1c9a02b7de  L9  2026-03-14  0.931\n",
        "…\nThe staging port is 8444\n",
        "1. notes/2026-03-14.md#4f1c9a02b7de  L9  2026-03-14  0.931\nThe staging port is 8443\n",
        "…\nThe staging port is 8443\nand more\n",
        "",
    ],
)
def test_what_the_program_does_not_print_is_noticed(shown: str) -> None:
    assert difference(shown, PRINTED)


def test_shapes_are_keys_and_types() -> None:
    assert shape_difference('{"a": [{"b": 1}], "c": null}', '{"a": [{"b": 2.5}, {"b": 3}], "c": "x"}') == ""
    assert shape_difference('{"a": 1, "…": null}', '{"a": 1, "b": 2}') == ""
    for wrong in ("null", '{"a": 1}', '{"a": []}', '{"a": [{"b": "x"}]}', '{"a": [{"b": true}]}', "[]"):
        assert shape_difference('{"a": [{"b": 1}], "c": 1}', wrong), wrong
    assert "also" in shape_difference('{"a": 1}', '{"a": 1, "b": 2}')


PAGE = """# A page

```sh
cd ..
echo memory/2026-03-14.md#4f1c9a02b7de
```

<!-- exits with 3 -->
```sh
echo ENTRY > taken
cat taken
exit 3
```
```text
memory/2020-01-01.md#000000000000
```

<!-- not run: it opens an editor -->
```sh
exit 1
```
"""


def test_a_page_is_followed_from_block_to_block(tmp_path: Path) -> None:
    ran = [printed for _, printed in follow(parse_page("page.md", PAGE), readers(tmp_path, tmp_path))]
    assert ran[1] == "memory/2026-03-14.md#4f1c9a02b7de\n"
    assert (tmp_path / "taken").read_text() == ran[1]


@pytest.mark.parametrize(
    ("was", "becomes"), [("exits with 3", "exits with 2"), ("2020", "words"), ("echo memory/", "echo ")]
)
def test_a_page_that_does_not_hold_is_refused(tmp_path: Path, was: str, becomes: str) -> None:
    page = parse_page("page.md", PAGE.replace(was, becomes))
    with pytest.raises(PageError, match=r"page\.md"):
        list(follow(page, readers(tmp_path, tmp_path)))


def test_another_reader_begins_where_the_page_says_so(tmp_path: Path) -> None:
    page = parse_page(
        "page.md", "```sh\ntouch mine\nls\n```\n\n<!-- stands on: nothing -->\n```sh\nls\n```\n"
    )
    assert [printed for _, printed in follow(page, readers(tmp_path, tmp_path))] == ["mine\n", ""]
