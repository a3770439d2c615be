"""The parts of the survey by their names, in the order in which they are looked at: the quick ones first."""

from __future__ import annotations

from collections.abc import Mapping

TITLES: Mapping[str, str] = {
    "index": "Index",
    "backup": "Backup",
    "jobs": "Jobs",
    "dreams": "Dreams",
    "leftovers": "Conflicts and leftovers",
    "episodes": "Expiring episodes",
    "recalls": "Recalls",
    "decay": "Decay",
    "budget": "Budget of MEMORY.md",
    "secrets": "Secrets",
    "hidden": "Hidden text",
    "contradictions": "Contradictions",
    "links": "Dead links",
    "other": "Over time and unsaid",
    "duplicates": "Duplicates",
    "tests": "Recall tests",
    "machine": "Machine",
    "workspace": "Workspace and repository",
    "model": "Models",
    "index-files": "Files of the index",
}
QUICK = ("index", "backup", "jobs", "dreams", "leftovers", "episodes", "recalls", "decay")
"""Those that take well under a second, however large memory is: looked at anew after every action."""
