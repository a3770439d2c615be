"""What a person does to memory.

Each action takes addresses and returns a plan; ``workspace.operations.carry_out`` makes it true::

    workspace.operations.carry_out(lambda: plan_promote(workspace, [address]))
"""

from workbench.curation.forget import plan_forget
from workbench.curation.promote import plan_promote
from workbench.curation.undo import plan_redo, plan_undo

__all__ = ["plan_forget", "plan_promote", "plan_redo", "plan_undo"]
