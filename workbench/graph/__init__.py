"""The graph as a whole: pages read together, questions to them, and what changes them."""
