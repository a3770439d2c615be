"""Answering: from a question to hits that stand on the disk, by keyword only or hybrid."""
