"""Thousands of workspaces at once: one index of them all, made by many workers, asked from anywhere.

Workspaces are only read here, but for late lines, which are added to their files. A workspace that fails is
tried again, then told of, and stops no other.
"""
