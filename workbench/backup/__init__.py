"""Backups: the whole history in bundles or on a remote, proven to come back, and coming back."""
