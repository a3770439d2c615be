"""Whatever a workspace's configuration names is never run, in any action that there is."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.workspaces import EPISODE, LOG, Sandbox

COMMANDS = """
alias.status alias.log alias.commit browser.x.cmd core.alternateRefsCommand core.askPass core.editor
core.fsmonitor core.gitProxy core.pager core.sshCommand credential.helper credential.https://x.helper
diff.external diff.x.command diff.x.textconv difftool.x.cmd filter.x.clean filter.x.process filter.x.smudge
gc.recentObjectsHook gpg.program gpg.ssh.defaultKeyCommand gpg.ssh.program gpg.x509.program guitool.x.cmd
hook.x.command interactive.diffFilter man.x.cmd merge.x.driver mergetool.x.cmd pager.log pager.diff
pager.show pager.status remote.origin.receivepack remote.origin.uploadpack sendemail.smtpServer
sequence.editor submodule.x.update tar.x.command trailer.x.cmd trailer.x.command uploadpack.packObjectsHook
web.browser
"""
VALUES = {
    "browser.x.path": "/bin/sh", "commit.gpgsign": "true", "diff.trustExitCode": "true",
    "fetch.bundleURI": "ext::{script} bundle", "filter.x.required": "true", "gpg.format": "ssh",
    "hook.x.event": "reference-transaction", "log.showSignature": "true", "merge.tool": "x",
    "notes.rewriteRef": "refs/notes/*", "notes.rewrite.amend": "true", "protocol.ext.allow": "always",
    "push.gpgSign": "true", "remote.origin.promisor": "true", "remote.origin.url": "ext::{script} %S",
    "remote.evil.url": "evil::x", "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "tag.gpgSign": "true", "transfer.bundleURI": "true", "trailer.x.key": "Operation",
    "trailer.x.ifexists": "add",
    "url.ext::{script}.insteadOf": "https://", "core.untrackedCache": "true", "maintenance.auto": "true",
    "gc.auto": "1", "includeIf.gitdir:/.path": "{folder}/included",
}  # fmt: skip
HOOKS = """
applypatch-msg commit-msg fsmonitor-watchman p4-pre-submit post-applypatch post-checkout post-commit
post-index-change post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit
pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout
reference-transaction sendemail-validate update
"""


@pytest.fixture
def canary(sandbox: Sandbox, tmp_path: Path) -> Path:
    """A file that appears when anything is run that the workspace of ``sandbox`` names."""
    sandbox.write("notes.txt", "through a filter, and as new as the index\n")
    sandbox.write("memory/more.md", "# More\n\n- a line to move\n- a line to keep\n")
    sandbox.commit("more")
    seen = tmp_path / "canary"
    script = tmp_path / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {seen}\nexit 0\n')
    script.chmod(0o755)
    fields = {"script": str(script), "folder": str(tmp_path)}
    configured = [(key, f"{script} {key}") for key in COMMANDS.split() if not key.startswith("alias.")]
    configured += [(key, f"!{script} {key}") for key in COMMANDS.split() if key.startswith("alias.")]
    configured += [(key.format(**fields), value.format(**fields)) for key, value in VALUES.items()]
    (tmp_path / "included").write_text(
        f'[core]\n\tfsmonitor = {script} included\n[filter "y"]\n\tclean = {script} y\n'
    )
    for config in (None, sandbox.root / "memory/embedded/config"):
        where = ("--file", str(config)) if config else ()
        if config:
            subprocess.run(["git", "init", "-q", "--bare", str(config.parent)], check=True)
            sandbox.git("config", *where, "core.bare", "false")
            sandbox.git("config", *where, "core.worktree", "..")
        for key, value in configured:
            sandbox.git("config", *where, key, value)
        hooks = config.parent / "hooks" if config else sandbox.root / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        for name in HOOKS.split():
            (hooks / name).write_text(script.read_text())
            (hooks / name).chmod(0o755)
    sandbox.write("memory/embedded/page.md", "- embedded page\n")
    sandbox.write(".gitattributes", "*.txt filter=x diff=x\n*.md diff=x merge=x\n*.tmp filter=y\n")
    sandbox.write(".git/info/attributes", "notes.txt filter=y\n")
    seen.unlink(missing_ok=True)
    return seen


QUARANTINED = "the page of this month"
Address = Callable[..., str]
Row = Callable[[Address], list[str]]
SWEEP: dict[str, Row] = {
    "config": lambda _: ["config", "set", "memory_budget", "9", "--workspace-file"],
    "status": lambda _: ["status"],
    "audit": lambda _: ["audit"],
    "recent": lambda _: ["recent"],
    "record": lambda _: ["status", "--commit"],
    "promote": lambda at: ["promote", at("staging port")],
    "promote into": lambda at: ["promote", at("tantivy"), "--into", at("staging port", "MEMORY.md")],
    "promote from an episode": lambda at: ["promote", at("on Friday", EPISODE)],
    "edit": lambda at: ["edit", at("Likes tea", "MEMORY.md"), "--text", "- Likes green tea"],
    "merge": lambda at: ["merge", at("a line to keep", "memory/more.md"), at("Lisbon"), "--text", "one line"],
    "move": lambda at: ["move", at("a line to move", "memory/more.md"), "--to", "memory/moved.md"],
    "pin": lambda at: ["pin", at("green tea", "MEMORY.md")],
    "unpin": lambda at: ["pin", "--off", at("green tea", "MEMORY.md")],
    "quarantine": lambda at: ["quarantine", at("async reviews")],
    "list the quarantine": lambda _: ["quarantine", "--list"],
    "release": lambda at: ["quarantine", "--release", at("async reviews", QUARANTINED)],
    "archive": lambda at: ["archive", at("green tea", "MEMORY.md")],
    "forget": lambda at: ["forget", at("staging port")],
    "extend an episode": lambda _: ["episodes", "extend", "e1", "--days", "3"],
    "list episodes": lambda _: ["episodes", "list"],
    "forget a page": lambda _: ["forget", EPISODE],
    "ingest": lambda _: ["ingest", "--source", "transcript", "TRANSCRIPT"],
    "flush": lambda _: ["flush", "TRANSCRIPT"],
    "watch": lambda _: ["watch", "--once"],
    "store in the graph": lambda _: ["graph", "store", "Prefers tea", "--type", "preference"],
    "search the graph": lambda _: ["graph", "search", "what is Sam working on?"],
    "dream": lambda _: ["dream"],
    "list proposals": lambda _: ["inbox", "list"],
    "bulletin": lambda _: ["context", "--bulletin"],
    "agents": lambda _: ["connect"],
    "loaded": lambda _: ["context", "--loaded"],
    "recalls": lambda _: ["context", "--usage"],
    "themes": lambda _: ["config", "themes"],
    "nightly": lambda _: ["jobs", "run", "nightly", "--only", "dream", "--only", "decay", "--only", "prune"],
    "jobs": lambda _: ["jobs", "print", "--cron"],
    "how jobs stand": lambda _: ["jobs", "status"],
    "workspaces": lambda _: ["workspaces", "add", "."],
    "import": lambda _: ["import", "basic-memory", "NOTES"],
    "reindex": lambda _: ["reindex", "--no-vectors"],
    "search everywhere": lambda _: ["search", "tea", "--all", "--mode", "lexical"],
    "inject": lambda _: ["context", "which port does the staging database have?", "--record"],
    "forget by query": lambda _: ["forget", "--query", "embedded page", "--yes"],
    "undo": lambda _: ["undo"],
    "redo": lambda _: ["redo"],
    "undo a plain commit": lambda _: ["undo", "FIRST"],
    "restore a file": lambda _: ["restore", "MEMORY.md", "--at", "FIRST"],
    "log": lambda _: ["log"],
    "log of a file": lambda _: ["log", "MEMORY.md"],
    "log of an entry": lambda at: ["log", at("project is called", "MEMORY.md")],
    "blame": lambda _: ["blame", "MEMORY.md"],
    "related": lambda at: ["show", "--related", at("project is called", "MEMORY.md")],
    "show": lambda _: ["show", "FIRST"],
    "get": lambda _: ["get", "MEMORY.md"],
    "check the history": lambda _: ["check", "--history"],
    "conflicts": lambda _: ["inbox", "conflicts"],
    "search": lambda _: ["search", "Atlas", "--mode", "lexical"],
    "search the past": lambda _: ["search", "Atlas", "--mode", "lexical", "--as-of", "FIRST"],
    "backup": lambda _: ["backup", "BUNDLES"],
    "backup once more": lambda _: ["backup", "BUNDLES"],
    "restore the backup": lambda _: ["restore", "BUNDLES", "RESTORED"],
    "reindex once more": lambda _: ["reindex", "--no-vectors"],
    "verify": lambda _: ["verify"],
    "doctor": lambda _: ["doctor"],
    "doctor with repairs": lambda _: ["doctor", "--fix", "--yes"],
    "check, adding a test": lambda _: ["check", "--add", "which project", "MEMORY.md"],
    "check": lambda _: ["check"],
}
REFUSED = {"undo a plain commit"}
"""What has nothing to do here, or is refused for a good reason; it must run nothing all the same."""
HOSTILE_PLACES = (
    "origin",
    "evil",
    "ext::sh -c x",
    "https://x.invalid/repository",
    "evil::x",
    "-oProxyCommand=x",
)


@pytest.mark.promise(
    "Git",
    "hostile configuration, hooks, attributes, filters, embedded repositories",
    "none of it is run by any command",
)
def test_the_whole_sweep_of_actions_in_a_hostile_workspace_runs_nothing_of_it(
    sandbox: Sandbox, canary: Path, run: Run, tmp_path: Path
) -> None:
    first = sandbox.git("-c", "core.fsmonitor=false", "rev-list", "--max-parents=0", "HEAD").strip()
    places = {"FIRST": first, "BUNDLES": str(tmp_path / "bundles"), "RESTORED": str(tmp_path / "restored")}
    places |= {"TRANSCRIPT": str(tmp_path / "s1.jsonl"), "NOTES": str(tmp_path / "notes")}
    Path(places["TRANSCRIPT"]).write_text('{"role": "user", "content": "I prefer green tea over coffee."}\n')
    Path(places["NOTES"]).mkdir()
    Path(places["NOTES"], "tea.md").write_text("---\ntitle: Tea\n---\n- [fact] Grows in Uji\n")
    canary.unlink(missing_ok=True)
    failed = {}
    for name, row in SWEEP.items():
        arguments = [places.get(word, word) for word in row(_address(sandbox))]
        result = run(*arguments)
        if result.code:
            failed[name] = result.err + result.out
        assert not canary.exists(), f"{name}: {canary.read_text()}"
    for hostile in HOSTILE_PLACES:
        for arguments in (["backup", hostile], ["restore", hostile, str(tmp_path / "nowhere")]):
            assert run(*arguments).code != 0
            assert not canary.exists(), f"{arguments}: {canary.read_text()}"
    assert failed.keys() <= REFUSED, failed
    run("-w", str(sandbox.root / "memory/embedded"), "log")
    run("-w", str(sandbox.root / "memory/embedded"), "record")
    assert not canary.exists(), canary.read_text()
    # The canary does sing: what the person's own git does with this workspace runs it.
    subprocess.run(["git", "-C", str(sandbox.root), "status"], check=False, capture_output=True)
    assert canary.exists()


def test_no_command_of_the_program_is_missing_from_the_sweep(run: Run) -> None:
    listed = run("--help").out.partition("Look:")[2].split("\n")
    there = {line.split()[0] for line in listed if line.startswith("  ") and line[2:3].isalpha()}
    swept = {row(lambda *_: "x")[0] for row in SWEEP.values()}
    assert there - swept == {
        *("demo", "init", "keys", "model", "mcp", "serve"),
        *("completion", "fleet", "uninstall"),  # of no workspace; tests/fleet
    }


def _address(sandbox: Sandbox) -> Address:
    def at(words: str, path: str = LOG) -> str:
        if path == QUARANTINED:
            (page,) = (sandbox.root / "_system/quarantine").glob("*.md")
            path = page.relative_to(sandbox.root).as_posix()
        return sandbox.address(words, path)

    return at
