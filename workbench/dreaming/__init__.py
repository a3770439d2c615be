"""Dreaming: what is worth keeping of logs, notes and episodes is proposed, with its reasons."""
