"""The operations on entries, each declared once: name, parameters, plan function and words.

The command line makes a command of a declaration, the interface takes its key, name and help from it, and
the tools of an agent ask it whether they may. Declarations are data: a plan function is imported on use, and
``workbench --help`` reads them all, so they are named tuples, which load no more than that.

A new operation is a plan function and one declaration here: it then has its command with ``--help``,
``--dry-run`` and ``--json``, its key and palette entry where it names a ``key``, and
``tests/cli/test_operations.py`` asks for an example to try it out with. ``agents`` only permits: the tool by
which an agent asks for it is declared in ``workbench/agent/tools``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from workbench.workspace.plan import Plan
    from workbench.workspace.workspace import Workspace


class Kind(StrEnum):
    """What the value of a parameter is."""

    TEXT = "text"
    FLAG = "flag"
    """True or False; given on the command line it is the opposite of its default."""
    INTEGER = "integer"
    COUNT = "count"
    """A whole number from 0 on."""
    SHARE = "share"
    """A number in [0, 1]."""
    ENTRY = "entry"
    """An address, ``path#hash``; a person may also give ``path:line``."""
    MEMORY = "memory"
    """The address of a typed memory of the graph; a person may also give its id."""
    DAY = "day"
    """A date; written as 2026-03-14."""
    FILE = "file"
    """The path of a memory file."""


class Parameter(NamedTuple):
    """A value that an operation takes. ``name`` is the keyword of the plan function.

    ``option`` is what the command line calls it where that is not its name. A ``many`` parameter is a tuple.
    """

    name: str
    help: str = ""
    kind: Kind = Kind.TEXT
    option: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: Any = None
    required: bool = False
    many: bool = False
    argument: bool = False
    """Whether the command line takes it without an option's name, behind the subject."""


NO_SUBJECT = Parameter("")
"""That of an operation which is done to the memory as a whole."""
REASON = Parameter("reason", "The reason, stored in the commit.", default="")


class OperationSpec(NamedTuple):
    """The declaration of an operation.

    ``plan`` and ``draft`` name functions as ``module:function``. ``plan`` is called with the workspace, the
    value of ``subject`` (but for ``NO_SUBJECT``) and the parameters by keyword, and returns a ``Plan``; of an
    operation that is not ``undoable``, what it recorded. An operation with a ``draft`` takes ``text``; where
    none is given, the person writes it in their editor, beginning with what ``draft`` returns for the
    workspace and the subject, and that is passed as ``expected``.
    """

    name: str
    plan: str
    help: str
    """One line: what it does, for ``--help``, the palette and the list of keys."""
    subject: Parameter
    details: str = ""
    """What else ``--help`` says."""
    parameters: tuple[Parameter, ...] = (REASON,)
    fixed: Mapping[str, Any] = MappingProxyType({})
    """Keywords of the plan function that are always the same."""
    draft: str = ""
    clock: bool = False
    """Whether the plan function takes ``now``, which is the present moment if it is not given."""
    key: str = ""
    """The key of the interface that does it, where there is one."""
    group: str = "Curate"
    """The heading of ``workbench --help`` under which its command stands; empty: no command of its own."""
    agents: bool = False
    """Whether an agent may ask for it. Nobody may what is not said here."""
    undoable: bool = True
    """Whether it is a commit that ``undo`` takes back; else it only adds a record to the ledger."""

    def planned(self, workspace: Workspace, subject: Any, **given: Any) -> Plan:
        """The plan of doing it. Raises what the plan function raises."""
        from workbench.workspace.short_marks import shortened  # noqa: PLC0415 - declarations load no parser

        plan = self._called(workspace, subject, given)
        return shortened(plan, workspace.marks(), workspace.layout.kind_of)

    def record(self, workspace: Workspace, subject: Any, **given: Any) -> dict[str, Any]:
        """Do what is not undoable, and return what was recorded."""
        recorded: dict[str, Any] = self._called(workspace, subject, given)
        return recorded

    def _called(self, workspace: Workspace, subject: Any, given: dict[str, Any]) -> Any:
        if self.clock:
            given.setdefault("now", datetime.now().astimezone())
        about = (subject,) if self.subject.name else ()
        return _function(self.plan)(workspace, *about, **self.fixed, **given)

    def drafted(self, workspace: Workspace, subject: Any) -> str:
        """The text that a person begins to write with."""
        return str(_function(self.draft)(workspace, subject))


def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


ALLOW_FLAGGED = Parameter(
    "allow_flagged", "Include entries with hidden text or a secret.", Kind.FLAG, default=False
)
ENTRIES = Parameter("entries", kind=Kind.ENTRY, metavar="ENTRY...", required=True, many=True)
SOME_ENTRIES = Parameter("entries", kind=Kind.ENTRY, metavar="[ENTRY...]", many=True)

_DECLARED = (
    OperationSpec(
        "promote",
        "workbench.operations.promote:plan_promote",
        "Copy entries into MEMORY.md and record their source.",
        ENTRIES,
        parameters=(
            Parameter("section", "Section of MEMORY.md. Default: the best matching one.", option="heading"),
            Parameter("into", "Merge the entries into this entry of MEMORY.md.", Kind.ENTRY, metavar="ENTRY"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="p",
    ),
    OperationSpec(
        "forget",
        "workbench.operations.forget:plan_forget",
        "Remove entries, episodes or graph pages; git keeps them.",
        SOME_ENTRIES,
        details=(
            "--session and --query select many entries at once: the list is shown first, and you "
            "confirm it. Removed text stays in the git history, so that it can be undone; "
            "docs/purge.md explains how to remove a secret from the history too."
        ),
        key="d",
    ),
    OperationSpec(
        "edit",
        "workbench.operations.edit:plan_reword",
        "Edit the text of one entry, in your editor.",
        Parameter("entry", kind=Kind.ENTRY, metavar="ENTRY", required=True),
        details=(
            "New text without a list marker (--text, --from-stdin) keeps the entry's marker and its "
            "source. If the entry was changed on disk in the meantime, nothing is overwritten, and your "
            "text is saved in a file whose path is printed."
        ),
        parameters=(
            Parameter("text", "The new text, with or without the list marker.", metavar="MARKDOWN"),
            REASON,
        ),
        draft="workbench.operations.edit:source_at",
        key="i",
    ),
    OperationSpec(
        "merge",
        "workbench.operations.merge:plan_merge",
        "Merge several entries into one.",
        ENTRIES,
        details="Entries of logs and episodes are copied and stay where they are.",
        parameters=(
            Parameter("text", "Text of the merged entry.", metavar="WORDS"),
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
        details="They are added at the end of the section or file, with their nested items.",
        parameters=(
            Parameter("to", "The file to move to. Default: the entry's own file.", Kind.FILE, metavar="PATH"),
            Parameter("section", "Section to move to; created if it is missing.", option="heading"),
            ALLOW_FLAGGED,
            REASON,
        ),
        key="M",
    ),
    OperationSpec(
        "pin",
        "workbench.operations.pin:plan_pin",
        "Pin entries or episodes, so that nothing automatic removes them.",
        ENTRIES,
        details="Pinned entries are neither archived nor expired nor forgotten by automation.",
        parameters=(
            Parameter("on", "Unpin them.", Kind.FLAG, option="off", default=True),
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
        "Quarantine suspicious entries or pages: no agent loads them.",
        SOME_ENTRIES,
        key="x",
    ),
    OperationSpec(
        "release",
        "workbench.operations.quarantine:plan_release",
        "Release entries and pages from quarantine.",
        ENTRIES,
        group="",
    ),
    OperationSpec(
        "archive",
        "workbench.operations.archive:plan_archive",
        "Move entries from MEMORY.md into the archive.",
        SOME_ENTRIES,
        details=(
            "Without ENTRY, entries that are outdated, duplicated or unused for months are selected "
            "until MEMORY.md is within its budget, at most 20 at a time. Entries that you wrote by "
            "hand are selected only if they are outdated or duplicated.\n\n"
            "Archived entries can still be searched, and are never loaded by an agent."
        ),
        parameters=(
            Parameter(
                "budget", "Maximum characters of MEMORY.md. Default: the setting memory_budget.", Kind.COUNT
            ),
            REASON,
        ),
        key="A",
    ),
    OperationSpec(
        "restore",
        "workbench.operations.restore:plan_restore",
        "Restore a file or an entry as it was at a moment.",
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
        "Undo the newest operation not undone yet, or any OPERATION.",
        Parameter("operation", metavar="[OPERATION]"),
        parameters=(),
        key="u",
    ),
    OperationSpec(
        "redo",
        "workbench.operations.undo:plan_redo",
        "Redo the operation that was undone last, or any OPERATION.",
        Parameter("operation", metavar="[OPERATION]"),
        parameters=(),
        key="U",
    ),
)

OPERATIONS: dict[str, OperationSpec] = {operation.name: operation for operation in _DECLARED}
"""By name, in the order of ``workbench --help``."""
