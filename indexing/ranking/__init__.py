"""Ranking: weights, the parts of a score, and the explanation of each hit's place."""
