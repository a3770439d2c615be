"""Proposals: what automation would do to memory, waiting for a person."""
