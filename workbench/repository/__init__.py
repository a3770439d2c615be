"""The git repository around a workspace: read and written through plumbing that runs nothing of it."""
