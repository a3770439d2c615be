"""What a person does to memory.

Each operation takes addresses and returns a plan; ``workspace.operations.carry_out`` makes it true::

    workspace.operations.carry_out(lambda: plan_promote(workspace, [address]))

``registry`` declares them all.
"""
