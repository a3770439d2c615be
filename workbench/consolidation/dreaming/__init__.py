"""Dreaming: what was of use in logs, notes and episodes is proposed to be kept, with its reasons."""

from workbench.consolidation.dreaming.dream import dream
from workbench.consolidation.dreaming.explain import explain
from workbench.consolidation.dreaming.gates import Gates
from workbench.consolidation.dreaming.result import Dream, Explanation, Phase, Skip

__all__ = ["Dream", "Explanation", "Gates", "Phase", "Skip", "dream", "explain"]
