"""The operations on entries, each declared once.

A new operation is a plan function and one declaration here: it then has its command with ``--help``,
``--dry-run`` and ``--json``, its key and palette entry where it names a ``key``, and
``tests/cli/test_operations.py`` asks for an example to try it out with. ``agents`` only permits: the tool by
which an agent asks for it is declared in ``workbench/agent/tools``.
"""

from __future__ import annotations

from workbench.operations.operation_spec import (
    ALLOW_FLAGGED,
    ENTRIES,
    REASON,
    SOME_ENTRIES,
    Kind,
    OperationSpec,
    Parameter,
)

_DECLARED = (
    OperationSpec(
        "promote",
        "workbench.operations.promote:plan_promote",
        "Copy entries into MEMORY.md, with where they came from.",
        ENTRIES,
        parameters=(
            Parameter("section", "Section of MEMORY.md; else the one that fits.", option="heading"),
            Parameter("into", "Merge them into this entry of MEMORY.md.", Kind.ENTRY, metavar="ENTRY"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="p",
    ),
    OperationSpec(
        "forget",
        "workbench.operations.forget:plan_forget",
        "Take entries, episodes or graph pages out; git keeps them.",
        SOME_ENTRIES,
        details=(
            "--session and --query choose many at once: the list is always shown first, and you are asked. "
            "They stay in git's history, which is what makes undo possible; docs/purge.md tells how to "
            "remove a secret from the history too."
        ),
        key="d",
    ),
    OperationSpec(
        "edit",
        "workbench.operations.edit:plan_reword",
        "Edit the text of one entry, in your editor.",
        Parameter("entry", kind=Kind.ENTRY, metavar="ENTRY", required=True),
        details=(
            "Words without a list marker (--text, --from-stdin) keep the entry's marker and where it came "
            "from. What is written there is never lost: when the entry was changed on disk meanwhile, "
            "nothing is overwritten, and the text stays in a file that is named."
        ),
        parameters=(
            Parameter("text", "Its new words, or its lines with the list marker.", metavar="MARKDOWN"),
            REASON,
        ),
        draft="workbench.operations.edit:source_at",
        key="i",
    ),
    OperationSpec(
        "merge",
        "workbench.operations.merge:plan_merge",
        "Make one entry of several.",
        ENTRIES,
        details="Lines of logs and episodes are originals and stay where they are.",
        parameters=(
            Parameter("text", "What the merged entry says.", metavar="WORDS"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="m",
    ),
    OperationSpec(
        "move",
        "workbench.operations.move:plan_move",
        "Move entries under another heading, or to another file.",
        ENTRIES,
        details="They come to stand at its end, with all that is nested in them.",
        parameters=(
            Parameter("to", "The file to move to; else the entry's own.", Kind.FILE, metavar="PATH"),
            Parameter("section", "Section to move to; made when it is missing.", option="heading"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="M",
    ),
    OperationSpec(
        "pin",
        "workbench.operations.pin:plan_pin",
        "Pin entries or episodes: nothing automatic removes them.",
        ENTRIES,
        details="Neither the archive nor any other automation takes what is pinned.",
        parameters=(
            Parameter("on", "Take the mark off again.", Kind.FLAG, option="off", default=True),
            REASON,
        ),
        key="P",
    ),
    OperationSpec(
        "unpin",
        "workbench.operations.pin:plan_pin",
        "Unpin entries or episodes.",
        ENTRIES,
        fixed={"on": False},
        group="",
    ),
    OperationSpec(
        "quarantine",
        "workbench.operations.quarantine:plan_quarantine",
        "Set suspicious entries or pages aside: no agent loads them.",
        SOME_ENTRIES,
        key="x",
    ),
    OperationSpec(
        "release",
        "workbench.operations.quarantine:plan_release",
        "Bring entries and pages out of quarantine.",
        ENTRIES,
        group="",
    ),
    OperationSpec(
        "archive",
        "workbench.operations.archive:plan_archive",
        "Take entries out of MEMORY.md into the archive.",
        SOME_ENTRIES,
        details=(
            "Without ENTRY what is over, said twice or unused for months, as far as its budget asks, at most "
            "20 at a time. What was written by hand is never chosen for its place.\n\n"
            "What is archived stays searchable and is never loaded."
        ),
        parameters=(
            Parameter(
                "budget", "Characters that MEMORY.md may have; else the setting memory_budget.", Kind.COUNT
            ),
            REASON,
        ),
        key="A",
    ),
    OperationSpec(
        "restore",
        "workbench.operations.restore:plan_restore",
        "Bring a file or an entry back as it was at a moment.",
        Parameter("target", kind=Kind.ENTRY, metavar="TARGET", required=True),
        parameters=(
            Parameter("at", "An operation, a commit or a day.", metavar="WHEN", required=True),
            REASON,
        ),
        group="",
    ),
    OperationSpec(
        "undo",
        "workbench.operations.undo:plan_undo",
        "Undo the newest operation, or any other, in any order.",
        Parameter("operation", metavar="[OP]"),
        parameters=(),
        key="u",
    ),
    OperationSpec(
        "redo",
        "workbench.operations.undo:plan_redo",
        "Redo what was undone last, or what any OPERATION did.",
        Parameter("operation", metavar="[OPERATION]"),
        parameters=(),
        key="U",
    ),
)

OPERATIONS: dict[str, OperationSpec] = {operation.name: operation for operation in _DECLARED}
"""By name, in the order of ``workbench --help``."""
