"""What a person does to memory.

Each action takes addresses and returns a plan; ``workspace.operations.carry_out`` makes it true::

    workspace.operations.carry_out(lambda: plan_promote(workspace, [address]))
"""

from workbench.operations.archive import plan_archive
from workbench.operations.edit import entry_source, plan_edit, reworded
from workbench.operations.forget import plan_forget
from workbench.operations.merge import merged_source, plan_merge
from workbench.operations.move import plan_move
from workbench.operations.pin import plan_pin
from workbench.operations.promote import plan_promote
from workbench.operations.quarantine import plan_quarantine, plan_release, quarantined
from workbench.operations.restore import plan_restore
from workbench.operations.undo import plan_redo, plan_undo

__all__ = [
    "entry_source",
    "merged_source",
    "plan_archive",
    "plan_edit",
    "plan_forget",
    "plan_merge",
    "plan_move",
    "plan_pin",
    "plan_promote",
    "plan_quarantine",
    "plan_redo",
    "plan_release",
    "plan_restore",
    "plan_undo",
    "quarantined",
    "reworded",
]
