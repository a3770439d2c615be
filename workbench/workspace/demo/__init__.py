"""A sample workspace with six weeks of history, to look around in and to break without regret."""

from workbench.workspace.demo.story import DemoCommit, demo_commits

__all__ = ["DemoCommit", "demo_commits"]
