"""Dreaming: what was of use in logs, notes and episodes is proposed to be kept, with its reasons."""

from workbench.dreaming.explain import explain
from workbench.dreaming.gates import Gates
from workbench.dreaming.result import Dream, Explanation, Phase, Skip
from workbench.dreaming.run import dream

__all__ = ["Dream", "Explanation", "Gates", "Phase", "Skip", "dream", "explain"]
