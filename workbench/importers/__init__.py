"""Memory that other systems hold, brought over: each from its own format, once, as one undoable operation."""
