"""The tables of keys in the README and in ``docs/keys.md``: ``python docs/make_keys.py``."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from screens.actions.table import IN_OTHER_SCREENS, key_table  # noqa: E402 - after the path

BEGIN, END = "<!-- keys: made by docs/make_keys.py, checked by a test -->\n", "<!-- end of keys -->"
HEAD = """# Every key

Made by `python docs/make_keys.py`; `workbench keys` prints the same, with the keys that are yours. How to
choose others is in [File formats](reference/files.md#keystoml).

"""


def main() -> None:
    """Both tables."""
    (DOCS / "keys.md").write_text(HEAD + key_table(), encoding="utf-8")
    readme = DOCS.parent / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    readme.write_text(before + BEGIN + key_table(without=IN_OTHER_SCREENS) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
