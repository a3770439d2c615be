"""Thousands of workspaces at once: one index of them all, made by many workers, asked from anywhere.

Workspaces are only read here. A workspace that fails is tried again, then told of, and stops no other.
"""
