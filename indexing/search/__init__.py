"""Search: from a question to hits that are checked against the disk, by keyword only or hybrid."""
