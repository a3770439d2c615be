"""From scores to an order: weights, the parts of a score, and why a hit stands where it stands."""
