"""What a person does to memory.

Each action takes addresses and returns a plan; ``workspace.operations.carry_out`` makes it true::

    workspace.operations.carry_out(lambda: plan_promote(workspace, [address]))
"""

from workbench.curation.archive import plan_archive
from workbench.curation.edit import entry_source, plan_edit, reworded
from workbench.curation.forget import plan_forget
from workbench.curation.merge import merged_source, plan_merge
from workbench.curation.move import plan_move
from workbench.curation.pin import plan_pin
from workbench.curation.promote import plan_promote
from workbench.curation.quarantine import plan_quarantine, plan_release, quarantined
from workbench.curation.restore import plan_restore
from workbench.curation.undo import plan_redo, plan_undo

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
