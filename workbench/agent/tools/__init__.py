"""The functions that an agent calls: behind the Model Context Protocol, and fit for any other protocol."""

# What only reads is declared, and so listed, first.
from workbench.agent.tools import queries

# isort: split
from workbench.agent.tools import graph_changes

__all__ = ["graph_changes", "queries"]
