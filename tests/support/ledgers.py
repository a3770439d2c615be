"""Ledgers that somebody else wrote."""

from __future__ import annotations

import subprocess

from tests.support.workspaces import Sandbox


def forge(sandbox: Sandbox, name: str, books: dict[str, list[str]]) -> str:
    """Have a reference of the ledger's family name a commit that we did not write; its name."""
    rows = []
    for book, lines in books.items():
        text = "".join(f"{line}\n" for line in lines)
        rows.append(f"100644 blob {made(sandbox, text, 'hash-object', '-w', '--stdin')}\t{book}.jsonl\n")
    tree = made(sandbox, "".join(rows), "mktree")
    commit = made(sandbox, "", "commit-tree", tree, "-m", "from elsewhere")
    sandbox.git("update-ref", sandbox.workspace.ledger.reference.removesuffix("ledger") + name, commit)
    return commit


def made(sandbox: Sandbox, text: str, *command: str) -> str:
    """The name of the object that git makes of a text."""
    done = subprocess.run(
        ["git", "-C", sandbox.root, *command], input=text, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
