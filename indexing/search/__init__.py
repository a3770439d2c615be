"""Answering: from a question to hits that stand on the disk, by words alone or by meaning too."""
