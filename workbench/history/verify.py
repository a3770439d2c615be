"""Proof that nothing is lost: every operation's text is there, every reference leads somewhere."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field

from workbench.errors import RepositoryStateError, WorkbenchError
from workbench.history.orphans import check_strays
from workbench.history.verify_flaw import Check, Flaw
from workbench.memory.entry import entry_hash
from workbench.memory.patch import Hunk, hunks
from workbench.plural import plural
from workbench.repository import trees
from workbench.repository.commits import Commit
from workbench.repository.git_runner import ask, outcome, reason
from workbench.workspace.workspace import Workspace

_NAMES_SHOWN = 3
_OBJECT = re.compile(r"[0-9a-f]{40,64}")
_FROM_BACKUP = "`workbench restore` brings a backup back, or copy the object from another clone"


def audit(workspace: Workspace) -> list[Check]:
    """Look at operations, references, claims, files and what was left behind. Writes nothing.

    Raises NoRepositoryError and what else opening the history raises, and BusyError while an action runs.
    """
    walked = _walk(workspace)
    return [
        _check_texts(workspace, walked),
        _check_references(workspace, walked),
        _check_claims(workspace, walked),
        _check_files(workspace),
        *check_strays(workspace),
    ]


@dataclass(slots=True)
class _Walked:
    """All commits that could be read, which texts they name, and which objects could not be read.

    ``texts`` holds for each blob where it stands: path, operation, and whether before or after it.
    """

    commits: list[Commit] = field(default_factory=list)
    texts: dict[str, list[tuple[bytes, str, str]]] = field(default_factory=dict)
    broken: list[Flaw] = field(default_factory=list)
    named: set[str] = field(default_factory=set)


def _walk(workspace: Workspace) -> _Walked:
    walked = _Walked()
    try:
        for commit in workspace.history.commits():
            walked.commits.append(commit)
            if commit.cut_off:
                continue
            who = commit.operation
            try:
                before = workspace.history.commit(commit.parents[0]).tree if commit.parents else None
                for path, old, new in trees.changed(workspace.history.tree, before, commit.tree):
                    for node, side in ((old, "before"), (new, "after")):
                        if node and node.is_file:
                            walked.texts.setdefault(node.id, []).append((path, who, side))
            except RepositoryStateError as error:
                walked.broken.append(
                    Flaw("text", f"what operation {who} changed cannot be read: {error}", _FROM_BACKUP)
                )
                walked.named |= set(_OBJECT.findall(error.message))
    except RepositoryStateError as error:
        walked.broken.append(Flaw("text", f"the history ends early: {error}", _FROM_BACKUP))
        walked.named |= set(_OBJECT.findall(error.message))
    return walked


def _check_texts(workspace: Workspace, walked: _Walked) -> Check:
    """Read every text that an operation left or replaced, and hash it anew."""
    flaws = list(walked.broken)
    size = 0
    for blob, places in walked.texts.items():
        try:
            data = workspace.history.stored(blob)
        except RepositoryStateError:
            flaws.append(_lost(blob, places, "missing or unreadable"))
            walked.named.add(blob)
            continue
        size += len(data)
        if workspace.history.name_of(data) != blob:
            flaws.append(_lost(blob, places, "damaged"))
            walked.named.add(blob)
    looked = f"{plural(len(walked.commits), 'operation')}, {plural(len(walked.texts), 'text')}"
    looked += f" ({size:,} bytes) read and hashed"
    return Check("operations", looked, tuple(flaws))


def _lost(blob: str, places: list[tuple[bytes, str, str]], how: str) -> Flaw:
    path = os.fsdecode(places[0][0])
    who = ", ".join(f"{side} {operation}" for _, operation, side in places[:_NAMES_SHOWN])
    more = f" and {len(places) - _NAMES_SHOWN} more" if len(places) > _NAMES_SHOWN else ""
    return Flaw("text", f"the text of {path} {who}{more} is {how} (blob {blob})", _FROM_BACKUP)


def _check_references(workspace: Workspace, walked: _Walked) -> Check:
    """HEAD, branches and tags, and that all they lead to is there."""
    history = workspace.history
    flaws = []
    head = history.head()
    named = outcome(history.carrier, "rev_parse", "--verify", "--quiet", "HEAD")
    if head is None and not named.status:
        flaws.append(Flaw("reference", f"HEAD names {named.text}, which is no commit that is there"))
        walked.named.add(named.text)
    references = ask(history.carrier, "for_each_ref", "--format=%(refname)").decode("utf-8", "replace")
    fsck = outcome(history.carrier, "fsck", "--connectivity-only", "--no-dangling", "--no-progress")
    for line in dict.fromkeys([*fsck.text.splitlines(), *fsck.err.splitlines()]) if fsck.status else ():
        about = set(_OBJECT.findall(line))
        is_news = line.startswith(("missing ", "error: ", "fatal: ", "bad ")) or "invalid" in line
        if is_news and not about & walked.named:
            flaws.append(Flaw("reference", reason(line), "`git fsck` tells more"))
            walked.named |= about if line.startswith("missing ") else set()
    if fsck.status and not flaws and not walked.named:
        flaws.append(Flaw("reference", f"git fsck: {reason(fsck.err or fsck.text)}", "`git fsck` tells more"))
    count = len(references.split())
    where = f"at {head[:12]}" if head else "without commits"
    return Check("references", f"HEAD {where}, references: {count}, and all that they lead to", tuple(flaws))


def _check_claims(workspace: Workspace, walked: _Walked) -> Check:
    """Trailers say which operation a commit is and which one it takes back; anybody can write a trailer."""
    flaws = []
    claims = Counter(name for commit in walked.commits if (name := commit.trailer("Operation")))
    known = {*claims, *(commit.id[:12] for commit in walked.commits)}
    for name, count in claims.items():
        claiming = [c for c in walked.commits if c.trailer("Operation") == name] if count > 1 else []
        if claiming and not _are_copies(workspace, claiming):
            flaws.append(
                Flaw(
                    "claim",
                    f"{plural(count, 'commit')} say that they are operation {name}: "
                    + ", ".join(commit.id[:12] for commit in claiming),
                    "they change different lines, so one of them is forged; undo names commits too",
                )
            )
    undos = 0
    for commit in walked.commits:
        undoes = commit.trailer("Undoes") if commit.trailer("Operation") else None
        undos += undoes is not None
        if undoes is not None and undoes not in known and not workspace.history.shallow:
            flaws.append(
                Flaw(
                    "claim",
                    f"commit {commit.id[:12]} says that it undoes {undoes}, and there is no such operation",
                    "the history was rewritten, or the trailer is forged",
                )
            )
    return Check("claims", f"{len(claims):,} operation ids, {undos} undos", tuple(flaws))


def _are_copies(workspace: Workspace, commits: list[Commit]) -> bool:
    """Whether commits change the same lines, as those that a cherry-pick or a rebase copied do."""
    history = workspace.history

    def change(commit: Commit) -> dict[str, list[Hunk]]:
        before = commit.parents[0] if commit.parents else None
        return {
            path: [
                Hunk(0, hunk.old, hunk.new)  # wherever they stand
                for hunk in hunks(history.blob(before, path) or b"", history.blob(commit.id, path) or b"")
            ]
            for path in history.changed_paths(commit)
        }

    try:
        first, *others = map(change, commits)
    except RepositoryStateError:
        return False
    return all(other == first for other in others)


def _check_files(workspace: Workspace) -> Check:
    """Every memory file can be read, and its entries lie in it in order and have the hash of their text."""
    flaws = []
    files = workspace.scan()
    entries = 0
    for file in files:
        try:
            document = workspace.document(file.path)
        except FileNotFoundError:  # removed meanwhile
            continue
        except (OSError, WorkbenchError) as error:
            flaws.append(Flaw("file", f"{file.path} cannot be read: {error}"))
            continue
        entries += len(document.entries)
        end = 0
        for entry in document.entries:
            inside = end <= entry.span.start <= entry.span.end <= len(document.data)
            if not inside or entry_hash(entry.text) != entry.hash:
                flaws.append(Flaw("file", f"{entry.address} does not lie in its file as it should"))
                break
            end = entry.span.end
    return Check(
        "files",
        f"{len(files):,} memory files, {plural(entries, 'entry')} taken apart",
        tuple(flaws),
    )
