"""Reading of the workspace off the event loop, into frozen snapshots."""
