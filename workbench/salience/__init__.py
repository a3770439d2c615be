"""Whether a sentence is worth remembering: fact types, durability and what is never kept."""
