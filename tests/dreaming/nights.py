"""A workspace that is written as agents write it, and dreamt on a day of its own."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from tests.support.workspaces import Sandbox
from workbench.dreaming.result import Dream, Explanation
from workbench.dreaming.run import dream, explain
from workbench.llm.language_model import LanguageModel
from workbench.memory.claims import claim_key
from workbench.memory.entry import entry_hash
from workbench.memory.proposal import Proposal
from workbench.workspace.workspace import Workspace

TODAY = date(2026, 3, 31)
NOW = datetime(2026, 3, 31, 22, tzinfo=UTC)


_TOOLS = (
    "tantivy PostgreSQL NATS Grafana Ansible Redis Keycloak Traefik Postfix Gitea Minio Vault Consul Kafka"
)
_THINGS = "search billing queue charts deploys sessions logins ingress mails code files secrets names events"


def rule(number: int) -> str:
    """One of fourteen rules, each of other words."""
    tool, thing = _TOOLS.split()[number], _THINGS.split()[number]
    return f"Rule: we always use {tool} for the {thing}, never anything else"


def ago(days: int) -> date:
    return TODAY - timedelta(days=days)


class Nights:
    """Memory with days behind it. ``ago`` counts days before today."""

    def __init__(self, root: Path) -> None:
        self.sandbox = Sandbox(root)
        for path in ("memory/2026-03-14.md", "episodes/2026/03/e1.md"):
            (root / path).unlink()
        self.memory()
        self.root = root
        self._asked = 0

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.root)

    def memory(self, *entries: str) -> None:
        lines = "".join(f"- {entry}\n" for entry in entries)
        self.sandbox.write("MEMORY.md", f"# Memory\n\n## Project Facts\n\n{lines}")

    def log(self, days: int, *lines: str, slug: str = "", session: str = "") -> str:
        """Lines of the log of a day, after what stands there; its path."""
        path = f"memory/{ago(days)}{'-' + slug if slug else ''}.md"
        target = self.root / path
        before = target.read_text() if target.exists() else f"# {ago(days)}\n\n"
        if session:
            before += f"\n## Session: {session}\n\n"
        self.sandbox.write(path, before + "".join(f"- {line}\n" for line in lines))
        return path

    def episode(self, days: int, name: str, *facts: str, trust: str = "agent", **header: str) -> str:
        path = f"episodes/{ago(days):%Y/%m}/{name}.md"
        fields = {
            "id": name,
            "source_id": f"{name}:0",
            "session": f"session-{name}",
            "created_at": str(ago(days)),
            "ended_at": f"{ago(days)}T10:00:00Z",
            "expires_at": str(ago(days) + timedelta(days=90)),
            "l0_abstract": "What was said in a session of some length.",
            "trust": trust,
            **header,
        }
        head = "".join(f"{key}: {value}\n" for key, value in fields.items())
        body = "".join(f"- {fact} (turn {turn})\n" for turn, fact in enumerate(facts, 1))
        self.sandbox.write(path, f"---\n{head}---\n## Summary\n\n- They talked.\n\n## Facts\n\n{body}")
        return path

    def recall(
        self, text: str, *days: int, score: float = 0.9, query: str | None = None, session: str = ""
    ) -> None:
        """The agent was given ``text`` on each of these days, each time for another question unless one is
        named.
        """
        for day in days:
            self._asked += 1
            self.record(
                {
                    "at": f"{ago(day)}T12:00:00+00:00",
                    "query": query or f"{self._asked:016x}",
                    "entry": f"memory/somewhere.md#{entry_hash(text)}",
                    "claim": claim_key(text),
                    "score": score,
                    "by": "memory_search",
                    "session": session or f"asking-{self._asked}",
                }
            )

    def record(self, *records: object) -> None:
        target = self.root / "_system/ledger/recalls-2026-03.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a") as book:
            book.writelines(json.dumps(record) + "\n" for record in records)

    def warm(self) -> None:
        """Recalls of something else on several days: the workspace has statistics."""
        self.recall("something that was forgotten long ago", 1, 2, 3, 4)

    def dream(self, *, limit: int | None = None, model: LanguageModel | None = None) -> Dream:
        return dream(self.workspace, now=NOW, limit=limit, model=model)

    def proposed(self) -> list[str]:
        return [proposal.text for proposal in self.dream().proposals]

    def proposal(self, words: str) -> Proposal:
        return next(one for one in self.dream().proposals if words in one.text)

    def why(self, words: str) -> str:
        """Why a claim was left out."""
        return next(skip.why for skip in self.dream().skipped if words in skip.text)

    def explained(self, words: str) -> Explanation:
        return explain(self.workspace, words, NOW)
