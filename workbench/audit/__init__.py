"""Proof that nothing is lost: every text of every operation, the references, and what was left behind."""
