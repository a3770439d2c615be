"""The queues of other agents, whose items are proposals like any other and stay in the agents' files.

To open the queue of another agent, write one more ``AgentQueue`` and add it to ``QUEUES``; the ``pending``
patterns of its layout say where the files are. Nothing is written by reading. Accepting changes memory as the
agent itself would; after a decision its queue is as the agent leaves it after one of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, Required, TypedDict

from workbench.errors import BusyError, NotCuratableError, WorkbenchError
from workbench.frozen import frozen_kw_only
from workbench.graph.drafts import excerpt
from workbench.memory.claims import KEY_DIGITS, claim_key
from workbench.memory.entry import Entry, RelPath, place_of
from workbench.memory.file_edit import FileEdit
from workbench.memory.markdown import Document
from workbench.memory.origin import Origin
from workbench.memory.proposal import QUEUE, Proposal
from workbench.workspace.agent_layouts import GEMINI_CLI, HERMES, OPENCLAW, AgentLayout, existing
from workbench.workspace.files import Files
from workbench.workspace.workspace import Workspace

_LARGEST = 8_000_000
"""Bytes of a file of a queue that is read."""
_LOGS_AT_ONCE = 4
"""Logs that stay parsed while candidates are read that quote them."""
_ABOVE = "../"

Read = Callable[[RelPath, bytes], Iterable[Proposal]]
Change = Callable[[Workspace, RelPath, bytes, str | None], Iterable[FileEdit]]
Settle = Callable[[bytes, str, datetime | None], bytes]


@frozen_kw_only
class AgentQueue:
    """Where one agent lets its own proposals wait for a person.

    ``document`` says where its format is described. A queue above the opened folder is the agent's where that
    folder is called ``beside``. ``read`` gives what a file proposes; ValueError says why it is malformed.
    ``change`` gives the edits of memory that the agent itself would make of a file, with ``text`` for its
    words where that is not None; NotCuratableError where it cannot be done. Without ``change`` its proposals
    quote memory, and are added as our own are. ``settle`` gives what is left of a file after the proposal
    ``key`` was accepted, or else rejected; without it a file holds one proposal and goes with it. While the
    agent's ``lock`` is there, it is writing.
    """

    layout: AgentLayout
    document: str
    read: Read
    beside: str = ""
    change: Change | None = None
    settle: Settle | None = None
    lock: str = ""


@frozen_kw_only
class QueuedProposal:
    """A proposal in the file ``path`` of a queue, which held ``data``.

    ``refusal`` says why nothing can be decided of it here; ``malformed``: because it cannot be read.
    """

    queue: AgentQueue
    path: RelPath
    data: bytes
    proposal: Proposal
    refusal: str = ""
    malformed: bool = False


def queued_in(workspace: Workspace) -> list[QueuedProposal]:
    """All that waits in the queues of the agents whose memory this is, what is malformed too."""
    return [one for queue, path in _files(workspace) for one in _read(workspace, queue, path)]


def queue_files(workspace: Workspace) -> list[str]:
    """The paths of all files of those queues."""
    return [os.path.join(workspace.root, path) for _, path in _files(workspace)]


def _files(workspace: Workspace) -> Iterator[tuple[AgentQueue, RelPath]]:
    names = {agent.name for agent in workspace.layout.agents}
    for queue in QUEUES:
        if queue.layout.name not in names:
            continue
        for path in existing(workspace.root, queue.layout.pending):
            name = RelPath(os.path.relpath(path, workspace.root))
            if not name.startswith(_ABOVE) or workspace.root.name == queue.beside:
                yield queue, name


def _read(workspace: Workspace, queue: AgentQueue, path: RelPath) -> Iterator[QueuedProposal]:
    refusal, files = "", workspace.files
    if path.startswith(_ABOVE):
        files = Files(workspace.root.parent)
        refusal = f"its queue is outside of this workspace: open {workspace.root.parent} to decide"
    data, malformed = b"", False
    found: Iterable[Proposal]
    try:
        data = _data(files, RelPath(path.removeprefix(_ABOVE)))
        found = list(queue.read(path, data))
    except FileNotFoundError:  # the agent decided on it meanwhile
        return
    except Exception as error:  # whatever the agent wrote, the other queues are read
        why = error.message if isinstance(error, WorkbenchError) else str(error)
        malformed, refusal = True, f"it is not in the format that {queue.layout.title} writes: {why}"
        found = [Proposal(key=claim_key(path), action="patch", text=path)]
    digest = hashlib.sha256(data).hexdigest()[:KEY_DIGITS]
    document_of = lru_cache(_LOGS_AT_ONCE)(workspace.document)
    for one in found:
        proposal = replace(
            one if queue.change or malformed else _completed(document_of, one),
            key=one.key or digest,
            by=queue.layout.title,
            trust=Origin.OUTSIDE if one.trust == Origin.UNKNOWN else one.trust,
            marks={QUEUE: path},
        )
        yield QueuedProposal(
            queue=queue, path=path, data=data, proposal=proposal, refusal=refusal, malformed=malformed
        )


def _data(files: Files, path: RelPath) -> bytes:
    with files.opened(path) as descriptor:
        if os.fstat(descriptor).st_size > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST:,} bytes")
    return files.read(path)


def located(workspace: Workspace, proposal: Proposal) -> Proposal:
    """A proposal that quotes memory, with the entries that it quotes: one that says all of it, else all that
    stand where its words do. Raises NotCuratableError without any: then nobody knows where it is from."""
    if proposal.entries:
        return proposal
    found = _quoted(workspace.document, proposal)
    if not found:
        path = proposal.sources[0].rpartition("#L")[0]
        raise NotCuratableError(
            f"the text it quotes is no longer in {path}, or only partly",
            hint="reject it: its agent would skip it as well",
        )
    return replace(proposal, entries=tuple(one.address for one in found))


def _quoted(document_of: Callable[[str], Document], proposal: Proposal) -> Sequence[Entry]:
    path, first = place_of(proposal.sources[0]) or ("", 0)
    text = _uncut(proposal.text)
    try:
        document = document_of(path)
    except (WorkbenchError, OSError, ValueError):
        return ()
    quoted = [[one] for one in document.entries if text in " ".join(one.text.split())]
    if not quoted:
        # Where its words stand one after the other, whatever parts them.
        for found in re.finditer(r"(?<!\S)" + r"\s+".join(map(re.escape, text.split())), document.text):
            start, end = (document.text.count("\n", 0, at) + 1 for at in found.span())
            quoted.append(
                [one for one in document.entries if start <= one.end_line and one.start_line <= end]
            )
    return min(filter(None, quoted), key=lambda some: abs(some[0].start_line - first), default=())


def _completed(document_of: Callable[[str], Document], proposal: Proposal) -> Proposal:
    """A proposal that quotes memory, with all of what it quotes where its agent cut or joined it.

    Several entries become a list under the heading that they share. A cut text goes on to the end of its
    entry; where that is not found, it says so.
    """
    found = _quoted(document_of, proposal)
    if len(found) > 1:
        shared = (name for name in reversed(found[0].heading) if all(name in one.heading for one in found))
        lines = [f"{next(shared, 'Notes')}:", *(f"- {' '.join(one.text.split())}" for one in found)]
        return replace(proposal, text="\n".join(lines), entries=tuple(one.address for one in found))
    if not proposal.text.endswith(_CUT):
        return proposal
    text, said = _uncut(proposal.text), " ".join(found[-1].text.split()) if found else ""
    end = said.find(text) + len(text) if text in said else 0
    end = end or next((end for end in range(len(said), 0, -1) if text.endswith(said[:end])), 0)
    if end:
        return replace(proposal, text=text + said[end:])
    return replace(proposal, why=f"{proposal.why}; its text is cut off, and the rest was not found")


def _uncut(text: str) -> str:
    return _HALF.sub("", text).removesuffix(_CUT).strip()


def settled(
    workspace: Workspace,
    decided: Iterable[Proposal],
    queued_as: Callable[[Proposal], Iterable[QueuedProposal]],
    accepted: datetime | None,
) -> tuple[FileEdit, ...]:
    """What the queues are after a decision on proposals: accepted at that moment, or None: taken out.

    ``queued_as`` gives the items of queues that are the same proposal. Raises NotCuratableError where one of
    them cannot be decided on here, BusyError while its agent writes.
    """
    edits: dict[RelPath, FileEdit] = {}
    items = [(proposal, item) for proposal in decided for item in queued_as(proposal)]
    for proposal, one in items:
        title, settle = one.queue.layout.title, one.queue.settle
        if one.refusal and one.proposal == proposal:
            raise NotCuratableError(
                f"“{excerpt(proposal.text)}” is left as it is: {one.refusal}",
                hint=f"{title} itself may be able to handle it",
            )
        if one.refusal:
            continue
        if one.queue.lock and (workspace.root / one.queue.lock).exists():
            raise BusyError(
                f"{title} is writing to {one.path}",
                hint=f"try again; if it is no longer running, remove {one.queue.lock}",
            )
        before = edits[one.path].after if one.path in edits else one.data
        after = settle(before or b"", one.proposal.key, accepted) if settle else None
        edits[one.path] = FileEdit(one.path, one.data, after)
    return tuple(edits.values())


# -- Gemini CLI: a unified diff in each file -------------------------------------------------------------

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_BETWEEN = ("Index: ", "===", "\\")
_INDEX = RelPath("MEMORY.md")
_NOTHING = "/dev/null"


@dataclass(slots=True)
class _Hunk:
    """Lines of a diff, each behind its sign, for the place near line ``at`` (0-based)."""

    at: int
    lines: list[str] = field(default_factory=list)

    def side(self, sign: str) -> list[str]:
        """The lines as they are before it (``-``), or after it (``+``)."""
        return [line[1:] for line in self.lines if line[0] in (" ", sign)]


@dataclass(slots=True)
class _FilePatch:
    target: str
    is_new: bool
    hunks: list[_Hunk] = field(default_factory=list)


def _patches(data: bytes) -> list[_FilePatch]:
    """The changes of a patch, file by file. Raises ValueError where it is malformed, or cut off."""
    found: list[_FilePatch] = []
    lines = iter(data.decode("utf-8").removesuffix("\n").split("\n"))
    for line in lines:
        if line.startswith("--- "):
            old, new = _header(line), _header(next(lines, ""))
            if not os.path.isabs(new) or new == _NOTHING or old not in (new, _NOTHING):
                raise ValueError(f"“{line}” is not followed by the absolute path of the same file")
            found.append(_FilePatch(new, old == _NOTHING))
        elif found and (head := _HUNK.match(line)):
            found[-1].hunks.append(_hunk(head, lines))
        elif line and not line.startswith(_BETWEEN):
            raise ValueError(f"“{line}” is not valid in a patch")
    if not found or not all(one.hunks for one in found):
        raise ValueError("it changes nothing")
    return found


def _header(line: str) -> str:
    return re.sub(r"^[ab]/", "", line[4:].partition("\t")[0].strip())


def _hunk(head: re.Match[str], lines: Iterator[str]) -> _Hunk:
    old, new = int(head[2] or 1), int(head[3] or 1)
    hunk = _Hunk(int(head[1]) - (old > 0))
    while old > 0 or new > 0:
        line = next(lines, None)
        if line == "":  # an editor took the blank away that is the sign of an empty line
            line = " "
        if line is None or line[0] not in " +-\\":
            raise ValueError(f"lines are missing after “{head.string}”")
        hunk.lines.append(line)
        old -= line[0] in " -"
        new -= line[0] in " +"
    if old or new:
        raise ValueError(f"other lines than it says follow “{head.string}”")
    return hunk


def _read_patch(_path: RelPath, data: bytes) -> Iterator[Proposal]:
    files = _patches(data)
    lines = [line for one in files for hunk in one.hunks for line in hunk.lines]
    added = [line[1:] for line in lines if line[0] == "+"]
    removed = ("Remove:", *(line[1:] for line in lines if line[0] in " -"))
    names = dict.fromkeys(os.path.basename(one.target) for one in files)
    only_adds = len(files) == 1 and not any(line[0] == "-" for line in lines)
    yield Proposal(
        key="",
        action="add" if only_adds else "patch",
        text="\n".join(added).strip() or "\n".join(removed),
        section=", ".join(names),
    )


def _apply_patch(workspace: Workspace, _path: RelPath, data: bytes, text: str | None) -> list[FileEdit]:
    """The patched files, and in MEMORY.md a line for each new file that nothing there names."""
    files = _patches(data)
    if text is not None:
        _reword(files, text.strip("\n").split("\n"))
    edits: dict[RelPath, FileEdit] = {}
    for one in files:
        folder, name = os.path.split(one.target)
        path = RelPath(name)
        is_here = os.path.realpath(folder) == os.path.realpath(workspace.root)
        if not is_here or name.startswith(".") or not name.endswith(".md"):
            raise NotCuratableError(
                f"it changes {one.target}, which is not a file of this workspace",
                hint=f"open {folder} to accept it, or accept it in {GEMINI_CLI.title}",
            )
        edit = edits.get(path) or _unchanged(workspace, path)
        if one.is_new != (edit.after is None):
            raise NotCuratableError(f"{path} already exists" if one.is_new else f"{path} no longer exists")
        lines = (edit.after or b"").decode("utf-8", "surrogateescape").split("\n")
        _patch(lines, one.hunks, path)
        edits[path] = replace(edit, after="\n".join(lines).encode("utf-8", "surrogateescape"))
    for path in [path for path, edit in edits.items() if edit.before is None and path != _INDEX]:
        index = edits.get(_INDEX) or _unchanged(workspace, _INDEX)
        known = index.after or b"# Project Memory\n"
        if path.encode("utf-8", "surrogateescape") not in known:
            about = re.sub("[-_]", " ", path.removesuffix(".md"))
            line = f"- See {workspace.root / path} for {about} notes.\n".encode("utf-8", "surrogateescape")
            edits[_INDEX] = replace(index, after=known + b"\n" * (not known.endswith(b"\n")) + line)
    return list(edits.values())


def _unchanged(workspace: Workspace, path: RelPath) -> FileEdit:
    data = workspace.files.read_or_none(path)
    return FileEdit(path, data, data)


def _reword(files: Iterable[_FilePatch], words: list[str]) -> None:
    """Put ``words`` in the place of what a patch adds. Raises NotCuratableError where that is in several."""
    hunks = [hunk.lines for one in files for hunk in one.hunks if any(line[0] == "+" for line in hunk.lines)]
    lines = hunks[0] if len(hunks) == 1 else []
    added = [at for at, line in enumerate(lines) if line[0] == "+"]
    place = slice(added[0], added[-1] + 1) if added else slice(0)
    if not added or any(line[0] == " " for line in lines[place]):
        raise NotCuratableError(
            "it adds text in several places, or none", hint="accept it as it is and edit the entries then"
        )
    removed = [line for line in lines[place] if line[0] == "-"]
    lines[place] = [*removed, *(f"+{word}" for word in words)]


def _patch(lines: list[str], hunks: Iterable[_Hunk], path: RelPath) -> None:
    """Change ``lines``: each hunk behind the one before, where they are exactly as it says, nearest to where
    it says."""
    moved = floor = 0
    for hunk in hunks:
        old, new = hunk.side("-"), hunk.side("+")
        size = len(old)
        places = [
            at
            for at in range(floor, len(lines) - size + 1)
            if (not old or lines[at] == old[0]) and lines[at : at + size] == old  # few are worth a copy
        ]
        if not places:
            raise NotCuratableError(
                f"{path} is not as it was when this was proposed", hint="reject it, or edit the file yourself"
            )
        at = min(places, key=lambda place: abs(place - hunk.at - moved))
        lines[at : at + size] = new
        moved, floor = at - hunk.at + len(new) - size, at + len(new)


# -- Hermes: a write of its memory tool in each file -----------------------------------------------------

_SIGN = "\n§\n"
_APART = re.compile(r"\r?\n§[ \t]*\r?\n")


@dataclass(frozen=True, kw_only=True)
class _Write:
    """What the memory tool is to do with one entry."""

    action: Literal["add", "replace", "remove", "batch"]
    content: str | None = None
    old_text: str | None = None

    @property
    def kept(self) -> str:
        """What the entry says afterwards; empty where it goes."""
        return (self.content or "") if self.action != "remove" else ""


@dataclass(frozen=True, kw_only=True)
class _Payload(_Write):
    target: Literal["memory", "user"] = "memory"
    operations: tuple[_Write, ...] = ()

    @property
    def writes(self) -> tuple[_Write, ...]:
        return self.operations if self.action == "batch" else (self,)


@dataclass(frozen=True)
class _Record:
    subsystem: Literal["memory"]
    payload: _Payload
    created_at: float = 0


def _record(data: bytes) -> _Record:
    import msgspec  # noqa: PLC0415 - as above

    record = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_Record)
    for one in record.payload.writes:
        if not (one.kept or one.action == "remove") or not (one.old_text or one.action == "add"):
            raise ValueError(f"{one.action}: the text is missing")
    if not record.payload.writes:
        raise ValueError("it changes nothing")
    return record


def _read_write(path: RelPath, data: bytes) -> Iterator[Proposal]:
    record = _record(data)
    yield Proposal(
        key="",
        action="add" if record.payload.action == "add" else "patch",
        text="\n".join(one.kept or f"Forget: {one.old_text}" for one in record.payload.writes),
        section=_target(path, record.payload),
        made_at=datetime.fromtimestamp(record.created_at, UTC) if record.created_at else None,
    )


_FILES = {"memory": "memories/MEMORY.md", "user": "memories/USER.md"}


def _target(queued: RelPath, payload: _Payload) -> RelPath:
    """The file that a write is for: beside its queue, in the home or the profile that has both."""
    return RelPath(queued.rpartition("pending/memory/")[0] + _FILES[payload.target])


def _apply_write(workspace: Workspace, queued: RelPath, data: bytes, text: str | None) -> Iterator[FileEdit]:
    payload = _record(data).payload
    writes = payload.writes
    if text is not None:
        if len(writes) != 1 or not writes[0].kept:
            raise NotCuratableError(
                "it has no text to edit, or several", hint="accept it as it is and edit the entry then"
            )
        writes = (replace(writes[0], content=text),)
    path = _target(queued, payload)
    before = workspace.files.read_or_none(path)
    said = (before or b"").decode("utf-8", "surrogateescape")
    entries = [entry.strip() for entry in _APART.split(said) if entry.strip()]
    sign = _SIGN.replace("\n", "\r\n") if "\r\n§" in said else _SIGN
    for one in writes:
        words = [one.kept.strip()] if one.kept else []
        if one.action == "add":
            entries += [word for word in words if word not in entries]
            continue
        meant = [at for at, entry in enumerate(entries) if (one.old_text or "") in entry]
        if len({entries[at] for at in meant}) != 1:
            many = "several entries" if meant else "no entry"
            raise NotCuratableError(f"{many} of {path} say “{excerpt(one.old_text or '')}”", hint="reject it")
        entries[meant[0] : meant[0] + 1] = words
    end = "\n" if said.endswith("\n") else ""
    yield FileEdit(path, before, (sign.join(entries) + end).encode("utf-8", "surrogateescape"))


# -- OpenClaw: what was recalled often, all in one file --------------------------------------------------

_HALF = re.compile("[\ud800-\udfff]")
_BEFORE_SNIPPET = re.compile(r"^(?:@@ -\d+(?:,\d+)? @@ (?:\(\d+ before, \d+ after\) )?)?(?:[-*+] +)?")
"""What its search engine puts before the words that it found: where they stand."""
_CUT = "..."
"""What it puts behind them where more follow."""
_SIGNALS, _CONTEXTS, _MOST = 3, 2, 20
"""What OpenClaw asks of a candidate before it scores it; how many are listed, those recalled most."""


class _Candidate(TypedDict, total=False):
    path: Required[str]
    startLine: Required[int]
    endLine: Required[int]
    snippet: Required[str]
    source: Required[Literal["memory"]]
    recallCount: int
    dailyCount: int
    groundedCount: int
    queryHashes: list[str]
    recallDays: list[str]
    promotedAt: str


def _store(data: bytes) -> dict[str, Any]:
    store = json.loads(data)
    if not isinstance(store, dict) or store.get("version") != 1 or not isinstance(store.get("entries"), dict):
        raise ValueError("it is not a store of version 1")
    return store


def _read_candidates(_path: RelPath, data: bytes) -> Iterator[Proposal]:
    import msgspec  # noqa: PLC0415 - as above

    found: list[tuple[int, _Candidate]] = []
    for entry in _store(data)["entries"].values():
        try:
            one = msgspec.convert(entry, _Candidate)
        except msgspec.ValidationError:  # OpenClaw passes over it, too
            continue
        signals = one.get("recallCount", 0) + one.get("dailyCount", 0) + one.get("groundedCount", 0)
        contexts = max(len(one.get("queryHashes", ())), len(one.get("recallDays", ())))
        has_words = any(map(str.isalnum, one["snippet"]))
        if signals >= _SIGNALS and contexts >= _CONTEXTS and has_words and "promotedAt" not in one:
            found.append((signals, one))
    for signals, one in sorted(found, key=lambda item: -item[0])[:_MOST]:
        last = f"-L{one['endLine']}" if one["endLine"] > one["startLine"] else ""
        yield Proposal(
            key=claim_key(one["snippet"]),
            action="add",
            text=_BEFORE_SNIPPET.sub("", " ".join(one["snippet"].split())),
            sources=(f"{one['path']}#L{one['startLine']}{last}",),
            trust=Origin.AGENT,
            why=f"recalled {signals} times",
        )


def _settle_candidate(data: bytes, key: str, accepted: datetime | None) -> bytes:
    """The store without what was rejected; what was accepted is promoted."""
    store = _store(data)
    kept: dict[str, Any] = {}
    for name, entry in store["entries"].items():
        if not isinstance(entry, dict) or claim_key(str(entry.get("snippet"))) != key:
            kept[name] = entry
        elif accepted:
            # At the head, so that no other line changes and undo finds them all again.
            at = accepted.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            kept[name] = {"promotedAt": at, **entry}
    said = json.dumps({**store, "entries": kept}, indent=2, ensure_ascii=False) + "\n"
    # JavaScript cuts texts within an emoji, and writes its half as an escape.
    return _HALF.sub(lambda found: f"\\u{ord(found[0]):04x}", said).encode()


QUEUES = (
    AgentQueue(
        layout=GEMINI_CLI,
        document="https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/"
        "memoryPatchUtils.ts",
        read=_read_patch,
        change=_apply_patch,
    ),
    AgentQueue(
        layout=HERMES,
        document="https://github.com/NousResearch/hermes-agent/blob/main/tools/write_approval.py",
        read=_read_write,
        beside="memories",
        change=_apply_write,
    ),
    AgentQueue(
        layout=OPENCLAW,
        document="https://github.com/openclaw/openclaw/blob/main/extensions/memory-core/src/"
        "short-term-promotion.ts",
        read=_read_candidates,
        settle=_settle_candidate,
        lock="memory/.dreams/short-term-promotion.lock",
    ),
)
