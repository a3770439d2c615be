"""One entity and what it is related to, as a tree and as a map, at any day; and what is to be settled."""
