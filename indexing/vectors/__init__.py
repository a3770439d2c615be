"""Meaning: the LanceDB table, its flat copy, and the nearest in both."""
