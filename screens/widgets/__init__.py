"""Widgets that know nothing of memory: lists, lines, meters, overlays."""
