"""Dreaming: what is worth keeping of logs, notes and episodes is proposed, with its reasons."""

from workbench.dreaming.explain import explain
from workbench.dreaming.result import Dream, Explanation, Skip
from workbench.dreaming.run import dream

__all__ = ["Dream", "Explanation", "Skip", "dream", "explain"]
